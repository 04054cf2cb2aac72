"""The metric over the threshold, and the threshold that was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.classification.thresholds import best_threshold
from gpumetrics.displays.placing import paper_box
from gpumetrics.displays.style import BANDS, INK, NOISE, axes_for, cluster_colors, drawable
from gpumetrics.displays.threshold_curves import ThresholdLines, threshold_lines
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.classification.threshold_result import BestThreshold
    from gpumetrics.displays.threshold_curves import Steps
    from gpumetrics.text.messages import Message

__all__ = ["ThresholdDisplay"]

LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")


class ThresholdDisplay(ThresholdLines):
    """The metric at every threshold, with the chosen one.

    One curve, or one for each of up to six labels; of more labels the median, the bands in which half and four fifths
    of them lie, and the three labels with the lowest best scores.

    Parameters
    ----------
    **fields
        See `ThresholdLines`; `from_result` and `from_predictions` find them.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
    lines_, best_ : list of Line2D
        The curves, and the marks of the chosen thresholds, in the order of `steps`.
    vertical_ : Line2D or None
        The chosen threshold, where it is one and finite.
    text_ : Annotation or None
        What was chosen, where it is one.
    median_ : Line2D or None
    bands_ : list of FillBetweenPolyCollection
        The outer one first.
    legend_ : Legend or None

    Examples
    --------
    >>> from gpumetrics import best_threshold
    >>> from gpumetrics.displays.threshold import ThresholdDisplay
    >>> best = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display = ThresholdDisplay.from_result(best)  # doctest: +SKIP
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]
    best_: list[Any]
    vertical_: Any
    text_: Any
    median_: Any
    bands_: list[Any]
    legend_: Any

    @classmethod
    def from_predictions(cls, y_true: Any, y_score: Any, *, metric: str = "f1", ax: Any = None, **options: Any) -> Self:
        """Choose a threshold, and draw its curve.

        Parameters
        ----------
        y_true, y_score, metric
            As in `best_threshold`: validation data.
        ax : matplotlib.axes.Axes, default=None
            New ones if it is None.
        **options
            Other options of `best_threshold`.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError, TypeError
            As in `best_threshold`.
        ImportError
            If matplotlib is not installed.
        """
        return cls.from_result(best_threshold(y_true, y_score, metric=metric, **options), ax=ax)

    @classmethod
    def from_result(cls, best_threshold: BestThreshold, *, ax: Any = None) -> Self:
        """Draw the curve that a result has kept.

        Parameters
        ----------
        best_threshold : BestThreshold
        ax : matplotlib.axes.Axes, default=None
            New ones if it is None.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            If the result has no curve.
        """
        return cls(**threshold_lines(best_threshold)).plot(ax=ax)

    @property
    def alt(self) -> Message:
        """What the plot shows, in a sentence."""
        samples = counted(self.n_samples, "{n:,} sample", "{n:,} samples")
        if len(self.scores) == 1:
            return said(
                "Curve of {metric} over the threshold on {samples}: the best is {score:.4f}, at {threshold:.4g}.",
                metric=self.metric,
                samples=samples,
                score=float(self.scores[0]),
                threshold=float(self.thresholds[0]),
            )
        finite = self.scores[~np.isnan(self.scores)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (np.nan, np.nan)
        return said(
            "Curves of {metric} over the threshold of {labels} on {samples}: the best scores are from {low:.4f} to "
            "{high:.4f}.",
            metric=self.metric,
            labels=counted(len(self.scores), "{n:,} label", "{n:,} labels"),
            samples=samples,
            low=low,
            high=high,
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            New ones if it is None.

        Returns
        -------
        ThresholdDisplay
        """
        self.figure_, self.ax_ = axes_for(ax, size=(7.0, 4.0))
        self.lines_, self.best_, self.bands_ = [], [], []
        self.vertical_ = self.text_ = self.median_ = self.legend_ = None
        low, high = self._range()
        self._draw_band()
        colors = cluster_colors(len(self.steps))
        for at, (i, steps) in enumerate(self.steps.items()):
            self._draw_curve(i, steps, (low, high), {"color": colors[at], "linestyle": LINES[at]}, MARKERS[at])
        if len(self.scores) == 1:
            self._name_best(low, high)
        else:
            self._explain()
        self.ax_.set(xlim=(low, high), ylim=(-0.03, 1.06), xlabel="threshold (score >= threshold is predicted)")
        self.ax_.set_ylabel(f"{self.metric} (higher is better)")
        self.ax_.set_title(self._title(), loc="left")
        return self

    def _range(self) -> tuple[float, float]:
        """Return the thresholds between which is drawn: all that make a difference, and some room beside them."""
        ends = [end for steps in self.steps.values() for end in (steps.thresholds[0], steps.thresholds[-1])]
        ends += [] if self.band is None else [self.band.thresholds[0], self.band.thresholds[-1]]
        low, high = float(min(ends)), float(max(ends))
        room = 0.04 * (high - low) or 0.1 * abs(high) or 0.1
        return low - room, high + room

    def _draw_band(self) -> None:
        if self.band is None:
            return
        x, (outer_low, low, middle, high, outer_high) = self.band
        for below, above, color, text in (
            (outer_low, outer_high, BANDS[1], "80 % of the labels"),
            (low, high, NOISE, "half of the labels"),
        ):
            self.bands_.append(self.ax_.fill_between(x, below, above, color=color, linewidth=0, label=text))
        (self.median_,) = self.ax_.plot(x, middle, color=INK, linewidth=1.5, label="median of the labels")

    def _draw_curve(self, i: int, steps: Steps, ends: tuple[float, float], line: dict[str, Any], marker: str) -> None:
        x = np.concatenate([ends[:1], steps.thresholds, ends[1:]])
        y = np.concatenate([steps.scores[:1], steps.scores, [steps.beyond]])
        threshold, score = float(self.thresholds[i]), float(self.scores[i])
        label = f"{self.names[i]}: {format_score(score)} at {threshold:.4g}"
        options: dict[str, Any] = {"drawstyle": "steps-pre", "linewidth": 1.3, "gid": f"curve--t{i}", **line}
        self.lines_ += self.ax_.plot(x, y, label=label, **options)
        looks = {"markersize": 7, "markeredgecolor": INK, "linestyle": "", "clip_on": False, "zorder": 4}
        at = min(threshold, ends[1])  # nothing is predicted beyond the largest score
        self.best_ += self.ax_.plot(
            [at], [score], marker=marker, markerfacecolor=line["color"], gid=f"best--t{i}", **looks
        )

    def _name_best(self, low: float, high: float) -> None:
        threshold, score = float(self.thresholds[0]), float(self.scores[0])
        at = min(threshold, high)
        if np.isnan(score):
            text = f"{self.metric} is undefined (0/0) at every threshold"
        elif np.isinf(threshold):
            text = f"best: predict nothing, {self.metric} {format_score(score)}"
        else:
            text = f"best: {self.metric} {format_score(score)}\nat {threshold:.6g}"
            self.vertical_ = self.ax_.axvline(at, color=INK, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1)
        side = -1 if at / 2 > low / 4 + high / 4 else 1  # towards the middle
        height = 0.12 if score > 0.4 else 0.6  # where the curve hardly passes
        where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "center"}
        self.text_ = self.ax_.annotate(
            text, (at, height), xytext=(8 * side, 0), ha="right" if side < 0 else "left", bbox=paper_box(), **where
        )

    def _explain(self) -> None:
        marked = list(zip(self.lines_, self.best_, strict=True))
        others = [artist for artist in (*self.bands_, self.median_) if artist is not None]
        texts, options = drawable(artist.get_label() for artist in (*others, *self.lines_))
        where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 0), "borderaxespad": 4.5, "ncols": 2}
        self.legend_ = self.ax_.legend([*others, *marked], texts, fontsize="small", frameon=False, **where)
        for text in self.legend_.get_texts():
            text.set(**options)

    def _title(self) -> str:
        samples = f"{self.n_samples:,} sample{'s' * (self.n_samples != 1)}"
        if self.band is None:
            return f"{self.metric} by threshold, {samples}"
        return f"{self.metric} by threshold, {len(self.scores):,} labels and the {len(self.steps)} worst, {samples}"
