"""Where predicted tags go wrong: precision and recall of each tag, and how often it was missed and invented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from gpumetrics.displays.drawing.canvas import drawing_on
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.panels import panels_in
from gpumetrics.displays.tag_errors_drawing import draw, number_text
from gpumetrics.displays.tag_errors_table import TagErrorLines, error_lines
from gpumetrics.evaluation.tags.evaluate import evaluate_tags
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.text.messages import Message

__all__ = ["TagErrorsDisplay"]

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
        Of all tags, over the bars: missed on the left, invented on the right.
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
            missed=number_text(self.missed.sum()),
            invented=number_text(self.invented.sum()),
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
        size = 7.5, 1.3 + LINE * max(4, len(self.precision))
        with drawing_on(ax, size=size, least=(6.6, 2.2)) as given:
            self.ax_, self.errors_ax_ = panels_in(given, (1, 2), share="y")
            self.figure_ = self.ax_.figure
            draw(self)
        return self
