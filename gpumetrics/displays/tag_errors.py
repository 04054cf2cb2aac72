"""Where predicted tags go wrong: precision and recall of each tag, and how often it was missed and invented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.displays.names import short_names
from gpumetrics.displays.style import CLUSTERS, GRID, INK, PAPER, drawable, pyplot
from gpumetrics.displays.tag_errors_table import TagErrorLines, error_lines
from gpumetrics.evaluation.tag_evaluate import evaluate_tags
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.evaluation.tag_report import TagReport
    from gpumetrics.text.messages import Message

__all__ = ["TagErrorsDisplay"]

PRECISION, RECALL = CLUSTERS[0], CLUSTERS[1]
MISSED, INVENTED = RECALL, PRECISION  # what lowers recall has recall's colour, and likewise precision
LINE = 0.24  # inches


class TagErrorsDisplay(TagErrorLines):
    """Precision and recall of tags beside their errors, the tags with most errors on top.

    The left panel has a line for each tag from its precision (round) to its recall (square), and the number of true
    tags; the right panel has bars to the left for tags that were missed and to the right for those that were invented.
    Of more than 30 tags the rest is one line, whose errors are written, not drawn.

    Parameters
    ----------
    **fields
        See `TagErrorLines`; `from_report` and `from_predictions` find them.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Of the scores.
    errors_ax_ : matplotlib.axes.Axes
        Of the errors.
    figure_ : matplotlib.figure.Figure
    links_, precision_, recall_ : list of Line2D
        One for each line, from the top; without data where undefined.
    missed_, invented_ : list of Rectangle
    support_, undefined_ : list of Text
        The numbers of true tags; what stands in place of scores.
    counts_ : list of Text
        Of missed and invented tags, at the ends of the bars.
    totals_ : list of Annotation
        Of all tags, over the bars: missed, invented.
    legend_ : Legend

    Examples
    --------
    >>> from gpumetrics import evaluate_tags
    >>> from gpumetrics.displays.tag_errors import TagErrorsDisplay
    >>> report = evaluate_tags([["delivery"], ["refund"]], [["delivery", "refund"], ["refund"]])
    >>> display = TagErrorsDisplay.from_report(report)  # doctest: +SKIP
    """

    ax_: Any
    errors_ax_: Any
    figure_: Any
    links_: list[Any]
    precision_: list[Any]
    recall_: list[Any]
    missed_: list[Any]
    invented_: list[Any]
    support_: list[Any]
    undefined_: list[Any]
    counts_: list[Any]
    totals_: list[Any]
    legend_: Any

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, ax: Any = None, **options: Any) -> Self:
        """Score predicted tags, and draw their errors.

        Parameters
        ----------
        y_true, y_pred : sequence of n_documents collections, list column, or indicator matrix
            As in `evaluate_tags`.
        ax : matplotlib.axes.Axes, or two of them, default=None
            See `plot`.
        **options
            Of `evaluate_tags`.

        Returns
        -------
        TagErrorsDisplay

        Raises
        ------
        ValueError, TypeError
            As in `evaluate_tags`.
        ImportError
            If matplotlib is not installed.
        """
        return cls.from_report(evaluate_tags(y_true, y_pred, **options), ax=ax)

    @classmethod
    def from_report(cls, report: TagReport, *, ax: Any = None) -> Self:
        """Draw the errors of a report; nothing is computed anew.

        Parameters
        ----------
        report : TagReport
        ax : matplotlib.axes.Axes, or two of them, default=None
            See `plot`.

        Returns
        -------
        TagErrorsDisplay
        """
        return cls(**error_lines(report.per_label, report.n_documents)).plot(ax=ax)

    @property
    def alt(self) -> Message:
        """What the plot shows, in a sentence or two."""
        what = said(
            "Precision, recall and errors of {labels} in {documents}: {missed} missed and {invented} invented.",
            labels=counted(self.n_labels, "{n:,} tag", "{n:,} tags"),
            documents=counted(self.n_documents, "{n:,} document", "{n:,} documents"),
            missed=_number(self.missed.sum()),
            invented=_number(self.invented.sum()),
        )
        if not len(self.labels) or not self.missed[0] + self.invented[0]:
            return what
        return joined([what, said("Most errors: {tag}.", tag=short_names(self.labels)[0])])

    def plot(self, ax: Any = None) -> Self:
        """Draw both panels.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, or two of them, default=None
            Two are used for the scores and for the errors; in the place of a single one, which is hidden, both are
            put. New ones if it is None.

        Returns
        -------
        TagErrorsDisplay
        """
        self.figure_, (self.ax_, self.errors_ax_) = self._panels(ax)
        self.links_, self.precision_, self.recall_ = [], [], []
        self.support_, self.undefined_, self.counts_, self.totals_ = [], [], [], []
        n = len(self.precision)
        letters = self._letter_size(n)
        self._draw_errors(n, letters)
        for line in range(n):
            self._draw_scores(line, letters)
        self._name_lines(n, letters)
        self._name_axes(n)
        if not n:
            for panel in (self.ax_, self.errors_ax_):
                panel.set(xticks=[], yticks=[])
            where = {"ha": "center", "va": "center", "transform": self.ax_.transAxes}
            self.undefined_.append(self.ax_.text(0.5, 0.5, "there are no tags", **where))
        return self

    def _panels(self, ax: Any) -> tuple[Any, tuple[Any, Any]]:
        if isinstance(ax, list | tuple | np.ndarray):
            scores, errors = ax
            return scores.figure, (scores, errors)
        if ax is None:
            size = (7.5, 1.3 + LINE * max(4, len(self.precision)))
            figure = pyplot().figure(figsize=size, layout="constrained")
            grid = figure.add_gridspec(1, 2)
        else:
            figure = ax.figure
            grid = ax.get_subplotspec().subgridspec(1, 2)
            ax.set_axis_off()
        scores = figure.add_subplot(grid[0])
        return figure, (scores, figure.add_subplot(grid[1], sharey=scores))

    def _letter_size(self, n: int) -> float:
        """Return the size of letters, in points, for which lines are far enough apart."""
        height = self.ax_.get_window_extent().height / self.figure_.dpi * 72
        return float(np.clip(0.8 * height / max(n, 1), 4.0, 9.0))

    def _mark_of(self, line: int) -> str:
        return f"--t{self.places[line]}" if line < len(self.places) else "--others"

    def _draw_scores(self, line: int, letters: float) -> None:
        mark, precision, recall = self._mark_of(line), float(self.precision[line]), float(self.recall[line])
        self.links_ += self.ax_.plot([precision, recall], [line, line], color=INK, linewidth=0.8, gid=f"link{mark}")
        looks: dict[str, Any] = {"linestyle": "", "markeredgecolor": INK, "markeredgewidth": 0.6, "clip_on": False}
        self.recall_ += self.ax_.plot(
            [recall], [line], marker="s", color=RECALL, markersize=7, zorder=3, gid=f"recall{mark}", **looks
        )
        self.precision_ += self.ax_.plot(
            [precision], [line], marker="o", color=PRECISION, markersize=5, zorder=4, gid=f"precision{mark}", **looks
        )
        missing = [name for name, value in (("precision", precision), ("recall", recall)) if np.isnan(value)]
        if missing:
            text = f"{' and '.join(missing)} undefined (0/0)"
            at = 0.5 if len(missing) == 2 else (0.05 if np.nansum([precision, recall]) > 0.5 else 0.55)
            side = "center" if len(missing) == 2 else "left"
            self.undefined_.append(self.ax_.text(at, line, text, ha=side, va="center", fontsize=letters))

    def _draw_errors(self, n: int, letters: float) -> None:
        ax, lines = self.errors_ax_, np.arange(n)
        looks: dict[str, Any] = {"height": 0.7, "edgecolor": PAPER, "linewidth": 0}
        # A bar of many tags together would press the bars of single ones together: there the numbers stand alone.
        single = np.arange(n) < len(self.labels)
        missed, invented = np.where(single, self.missed, 0.0), np.where(single, self.invented, 0.0)
        self.missed_ = list(ax.barh(lines, -missed, color=MISSED, hatch="////", **looks))
        self.invented_ = list(ax.barh(lines, invented, color=INVENTED, **looks))
        for bars, name, values, side in (
            (self.missed_, "missed", self.missed, -1),
            (self.invented_, "invented", self.invented, 1),
        ):
            for line, (bar, value) in enumerate(zip(bars, values, strict=True)):
                bar.set_gid(f"{name}{self._mark_of(line)}")
                place = {"xytext": (3 * side, 0), "textcoords": "offset points", "fontsize": letters, "va": "center"}
                text = _number(value) if single[line] else f"{_number(value)} in all"
                aligned = "left" if side > 0 else "right"
                self.counts_.append(ax.annotate(text, (bar.get_width(), line), ha=aligned, **place))
        reach = [float(np.max(values, initial=0.0)) for values in (missed, invented)]
        reach = reach if any(reach) else [1.0, 1.0]
        room = 0.28 * sum(reach)
        ax.set_xlim(-reach[0] - room, reach[1] + room)
        ax.axvline(0, color=INK, linewidth=0.8)

    def _name_lines(self, n: int, letters: float) -> None:
        names = short_names(self.labels, most=32)
        names += [f"{self.n_others:,} others"] if self.n_others else []
        texts, options = drawable(names)
        self.ax_.set_yticks(range(n), texts, fontsize=letters, **options)
        for line in range(n):
            place = {"xytext": (8, 0), "textcoords": "offset points", "xycoords": ("axes fraction", "data")}
            text = f"n = {_number(self.support[line])}"
            self.support_.append(self.ax_.annotate(text, (1, line), va="center", fontsize=letters, **place))

    def _name_axes(self, n: int) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        self.ax_.set(xlim=(-0.03, 1.03), ylim=(n - 0.4, -0.6), xlabel="precision and recall")
        self.ax_.grid(axis="x", color=GRID, linewidth=0.6)
        self.ax_.set_axisbelow(True)
        looks: dict[str, Any] = {"linestyle": "", "markeredgecolor": INK, "markeredgewidth": 0.6}
        handles = [
            Line2D([], [], marker="o", color=PRECISION, markersize=5, label="precision", **looks),
            Line2D([], [], marker="s", color=RECALL, markersize=7, label="recall", **looks),
        ]
        where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
        self.legend_ = self.ax_.legend(handles=handles, ncols=2, frameon=False, **where)
        errors = self.errors_ax_
        errors.set(ylim=(n - 0.4, -0.6), xlabel="documents")
        errors.tick_params(axis="y", left=False, labelleft=False)
        errors.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        errors.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(value):,g}"))
        for word, values, side in (("missed (FN)", self.missed, -1), ("invented (FP)", self.invented, 1)):
            place = {"xytext": (4 * side, 4), "textcoords": "offset points", "xycoords": ("data", "axes fraction")}
            aligned = {"ha": "left" if side > 0 else "right", "va": "bottom", "fontsize": "small"}
            text = f"{_number(values.sum())} {word}"
            self.totals_.append(errors.annotate(text, (0, 1), annotation_clip=False, **aligned, **place))


def _number(value: Any) -> str:
    """Return a count as text: a whole number, or, of weighted documents, four digits."""
    return f"{int(value):,}" if float(value).is_integer() else f"{float(value):,.4g}"
