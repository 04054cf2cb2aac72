"""The metric over the threshold, and the threshold that was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.classification.thresholds import best_threshold
from gpumetrics.displays.drawing.canvas import drawing_on, settle
from gpumetrics.displays.drawing.legends import legend_below
from gpumetrics.displays.drawing.placing import paper_box
from gpumetrics.displays.drawing.style import cluster_colors, tones
from gpumetrics.displays.drawing.texts import write_label, write_title
from gpumetrics.displays.threshold_curves import ThresholdLines, threshold_lines
from gpumetrics.displays.threshold_text import alt_of
from gpumetrics.text.layout import format_score

if TYPE_CHECKING:
    from gpumetrics.classification.threshold_result import BestThreshold
    from gpumetrics.displays.threshold_curves import Steps
    from gpumetrics.text.messages import Message

__all__ = ["ThresholdDisplay"]

LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
MOST = 1e307  # threshold that can be drawn
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
        return alt_of(self)

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
        with drawing_on(ax, size=(7.0, 4.0)) as self.ax_:
            self.figure_ = self.ax_.figure
            self._draw(self.ax_)
        return self

    def _draw(self, ax: Any) -> None:
        self.lines_, self.best_, self.bands_ = [], [], []
        self.vertical_ = self.text_ = self.median_ = self.legend_ = None
        low, high = self._range()
        ax.set(xlim=(low, high), ylim=(-0.03, 1.06))
        self._draw_band(low, high)
        colors = cluster_colors(len(self.steps))
        for at, (i, steps) in enumerate(self.steps.items()):
            self._draw_curve(i, steps, (low, high), {"color": colors[at], "linestyle": LINES[at]}, MARKERS[at])
        if len(self.scores) == 1:
            self._name_best(low, high)
        settle(ax, self._write)

    def _write(self) -> None:
        write_label(self.ax_, "x", "threshold (score >= threshold is predicted)")
        write_label(self.ax_, "y", f"{self.metric} (higher is better)")
        write_title(self.ax_, self._title())
        if len(self.scores) > 1:
            self._explain()

    def _range(self) -> tuple[float, float]:
        """Return the thresholds between which is drawn: all that make a difference, and some room beside them."""
        ends = [end for steps in self.steps.values() for end in (steps.thresholds[0], steps.thresholds[-1])]
        ends += [] if self.band is None else [self.band.thresholds[0], self.band.thresholds[-1]]
        # A plot cannot be made of numbers whose differences leave float64.
        low, high = (float(np.clip(end, -MOST, MOST)) for end in (min(ends), max(ends)))
        room = 0.04 * (high - low) or 0.1 * abs(high) or 0.1
        return low - room, high + room

    def _draw_band(self, left: float, right: float) -> None:
        if self.band is None:
            return
        paper = tones(self.ax_)
        x, (outer_low, low, middle, high, outer_high) = np.clip(self.band.thresholds, left, right), self.band.scores
        for below, above, color, text in (
            (outer_low, outer_high, paper.bands[1], "80 % of the labels"),
            (low, high, paper.noise, "half of the labels"),
        ):
            self.bands_.append(self.ax_.fill_between(x, below, above, color=color, linewidth=0, label=text))
        (self.median_,) = self.ax_.plot(x, middle, color=paper.ink, linewidth=1.5, label="median of the labels")

    def _draw_curve(self, i: int, steps: Steps, ends: tuple[float, float], line: dict[str, Any], marker: str) -> None:
        x = np.clip(np.concatenate([ends[:1], steps.thresholds, ends[1:]]), *ends)
        y = np.concatenate([steps.scores[:1], steps.scores, [steps.beyond]])
        threshold, score = float(self.thresholds[i]), float(self.scores[i])
        where = f"at {threshold:.4g}" if np.isfinite(threshold) else "where nothing is predicted"
        label = f"{self.names[i]}: {'undefined (0/0)' if np.isnan(score) else f'{format_score(score)} {where}'}"
        options: dict[str, Any] = {"drawstyle": "steps-pre", "linewidth": 1.3, "gid": f"curve--t{i}", **line}
        self.lines_ += self.ax_.plot(x, y, label=label, **options)
        looks = {
            "markersize": 7,
            "markeredgecolor": tones(self.ax_).ink,
            "linestyle": "",
            "clip_on": False,
            "zorder": 4,
        }
        at = np.clip(threshold, *ends)  # nothing is predicted beyond the largest score
        self.best_ += self.ax_.plot(
            [at], [score], marker=marker, markerfacecolor=line["color"], gid=f"best--t{i}", **looks
        )

    def _name_best(self, low: float, high: float) -> None:
        threshold, score = float(self.thresholds[0]), float(self.scores[0])
        at = float(np.clip(threshold, low, high))
        if np.isnan(score):
            text = f"{self.metric} is undefined (0/0) at every threshold"
        elif np.isinf(threshold):
            text = f"best: predict nothing, {self.metric} {format_score(score)}"
        else:
            text = f"best: {self.metric} {format_score(score)}\nat {threshold:.6g}"
            self.vertical_ = self.ax_.axvline(
                at, color=tones(self.ax_).ink, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1
            )
        side = -1 if at / 2 > low / 4 + high / 4 else 1  # towards the middle
        height = 0.12 if score > 0.4 else 0.6  # where the curve hardly passes
        where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "center"}
        where |= {"bbox": paper_box(self.ax_), "color": tones(self.ax_).ink}
        self.text_ = self.ax_.annotate(
            text, (at, height), xytext=(8 * side, 0), ha="right" if side < 0 else "left", **where
        )

    def _explain(self) -> None:
        marked = list(zip(self.lines_, self.best_, strict=True))
        others = [artist for artist in (*self.bands_, self.median_) if artist is not None]
        texts = [artist.get_label() for artist in (*others, *self.lines_)]
        self.legend_ = legend_below(self.ax_, [*others, *marked], texts, lines=3.4)

    def _title(self) -> str:
        samples = f"{self.n_samples:,} sample{'s' * (self.n_samples != 1)}"
        if self.band is None:
            return f"{self.metric} by threshold, {samples}"
        return f"{self.metric} by threshold, {len(self.scores):,} labels and the {len(self.steps)} worst, {samples}"
