"""Whether the scores of two tag reports compare: on the same documents, truth, labels, weights and rules only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tag_names import named

if TYPE_CHECKING:
    from gpumetrics.classification.tag_encoding import EncodedTags
    from gpumetrics.evaluation.tags.report import TagReport

__all__ = ["check_same_basis"]


def check_same_basis(report: TagReport, before: TagReport) -> None:
    """Raise unless the scores of two reports compare.

    Raises
    ------
    ValueError
        With all in which they differ; labels that one of them has alone are named.
    """
    differing = [
        *_differing_inputs(report, before),
        *_differing_settings(report.settings, before.settings),
    ]
    alone = _alone(report.tags, before.tags)
    if not differing and not alone:
        return
    if alone:
        differing.append(f"labels ({named(alone)} in one of them only)")
    msg = (
        f"The reports differ in {', '.join(differing)}, so that their scores do not compare: score both on the same "
        "documents, with the same classes and settings."
    )
    if alone:
        msg += " With classes, unknown='ignore' leaves out, and counts, what a model invents."
    raise ValueError(msg)


def _differing_inputs(report: TagReport, before: TagReport) -> list[str]:
    if not np.array_equal(report.tags.documents, before.tags.documents):
        return ["documents"]
    weights, other_weights = (
        np.ones(one.n_documents) if one.sample_weight is None else one.sample_weight for one in (report, before)
    )
    same = {"truth": _same_truth(report.tags, before.tags), "weights": np.array_equal(weights, other_weights)}
    return [name for name, equal in same.items() if not equal]


def _same_truth(tags: EncodedTags, before: EncodedTags) -> bool:
    """Compare the true sets tag by tag: the columns of the two may differ."""
    if not np.array_equal(tags.y_true.indptr, before.y_true.indptr):
        return False
    column = {tag: at for at, tag in enumerate(before.classes.tolist())}
    columns = np.array([column.get(tag, -1) for tag in tags.classes.tolist()], dtype=np.int64)
    row = np.repeat(np.arange(len(tags.documents)), np.diff(tags.y_true.indptr))
    indices = columns.take(tags.y_true.indices)
    return np.array_equal(indices[np.lexsort((indices, row))], before.y_true.indices)


def _alone(tags: EncodedTags, before: EncodedTags) -> list[Any]:
    """Return the labels that one of the two has alone, in their order there."""
    ours, theirs = (dict.fromkeys(one.classes.tolist()) for one in (tags, before))
    return [tag for tag in ours if tag not in theirs] + [tag for tag in theirs if tag not in ours]


def _differing_settings(settings: dict[str, Any], before: dict[str, Any]) -> list[str]:
    bases = [
        {
            # As text, since nan is not nan; "warn" is 0.0 with a warning.
            "zero_division": str(one["zero_division"]).replace("warn", "0.0"),
            "beta": one["beta"],
            "exclude": set(one["exclude"]),
        }
        for one in (settings, before)
    ]
    return [name for name, value in bases[0].items() if value != bases[1][name]]
