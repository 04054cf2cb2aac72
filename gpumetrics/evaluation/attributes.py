"""Whether clusters only repeat what is known already: their agreement with attributes such as a year of joining."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.clustering.labelings import Labeling, named_labelings
from gpumetrics.label_arrays import as_objects, class_values
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value, on_one_line, printer
from gpumetrics.text.layout import align, notes_block
from gpumetrics.text.messages import enumerated, said
from gpumetrics.validation import check_consistent_length, drop_rows, encode_labels

if TYPE_CHECKING:
    from gpumetrics.statistics.contingency import Contingency
    from gpumetrics.types import Array

__all__ = ["AttributeCheck", "attribute_check"]

WORDS = ((0.8, "nearly the same as the clusters"), (0.4, "much the same"), (0.1, "related"))
CAVEAT = said(
    "Clusters that repeat an attribute are no finding, however good their scores; clusters that do not may be one. The "
    "words for the agreement (0.8, 0.4 and 0.1) are this package's, not a convention."
)
MANY = 0.5  # values for each row from which an attribute says nothing as it is


@dataclass(frozen=True, eq=False, repr=False)
class AttributeCheck(Result):
    """How far clusters agree with known attributes, the closest first; ``print`` it.

    Attributes
    ----------
    table : dict of str to ndarray of shape (n_attributes,)
        ``attribute``, ``n_values`` (how many differ), ``adjusted_mutual_info`` (about 0 by chance, 1 the same
        partition), ``homogeneity`` (0 to 1; 1: each cluster has one value only), ``completeness`` (1: each value is in
        one cluster only), ``reading``.
    typical : dict of str to ndarray
        For each attribute and ``cluster`` its most frequent ``value`` there, that value's ``share`` of the cluster, and
        ``share_of_all``, its share of all rows.
    notes : dict of str to str
        Remarks under their subject.
    """

    table: dict[str, Array]
    typical: dict[str, Array]
    notes: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as one dict that `json.dumps` takes; the typical values under ``typical_<column>``."""
        out = {key: json_value(column) for key, column in self.table.items()}
        out |= {f"typical_{key}": json_value(column) for key, column in self.typical.items()}
        return out | {"notes": [str(note) for note in self.notes.values()]}

    def _columns(self) -> dict[str, Array]:
        return self.table

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("attribute", "values", "AMI", "homogeneity", "completeness", "reading")]
        for name, values, *scores, reading in zip(*map(list, self.table.values()), strict=True):
            rows.append((on_one_line(str(name)), f"{values:,}", *(f"{score:.3f}" for score in scores), reading))
        return f"Clusters against known attributes\n{align(rows, {1, 2, 3, 4})}\n\n{notes_block(self.notes.values())}"

    def __repr__(self) -> str:
        return f"<AttributeCheck of {len(self.table['attribute'])} attributes; print it for all>"


def attribute_check(labels: Any, attributes: Any, *, noise_label: Any = -1) -> AttributeCheck:
    """Compare clusters with attributes that are known of the rows, lest known information be sold as a finding.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    attributes : dict, DataFrame, Series with a name, list, or array-like of shape (n_samples, n_attributes)
        Known values of each row, by the attributes' names: years, countries, sources. Numbers that are measured (ages,
        amounts) must be put into bins first; missing values need a value of their own.
    noise_label : label, default=-1
        Rows with this label are left out. None: no label is noise.

    Returns
    -------
    AttributeCheck
        ``print`` it; ``table`` has the agreement of each attribute, ``typical`` the most frequent value of each
        cluster.

    Raises
    ------
    ValueError
        For missing labels or values, lengths that differ, or if every row is noise.

    Notes
    -----
    O(n_samples) for each attribute.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey (2010), Journal of Machine Learning Research 11, 2837-2854 (adjusted mutual
    information).

    Examples
    --------
    >>> from gpumetrics import attribute_check
    >>> known = {"year": [2020, 2020, 2020, 2021, 2021, 2021], "sex": list("fmfmfm")}
    >>> found = attribute_check([0, 0, 0, 1, 1, 1], known)
    >>> list(zip(found.table["attribute"].tolist(), found.table["reading"].tolist()))
    [('year', 'nearly the same as the clusters'), ('sex', 'little to do with the clusters')]
    """
    named = _named(attributes)
    if not named:
        msg = "attributes has no attribute: give a dict of name to values, or a DataFrame"
        raise ValueError(msg)
    arrays = {f"attributes[{name!r}]": values for name, values in named.items()}
    with on_device_of(labels=labels, **arrays):
        ops = choose(labels, *arrays.values()).ops
        encoded = encode_labels(labels, "labels")
        clusters = Labeling.of(replace(encoded, codes=ops.asarray(encoded.codes)), noise_label)
        if not clusters.n_clusters:
            msg = f"every row has the noise label {noise_label!r}: there are no clusters to compare"
            raise ValueError(msg)
        found = {}
        for name, (title, values) in zip(named, arrays.items(), strict=True):
            known = encode_labels(values, title)
            check_consistent_length(encoded.n_samples, known.n_samples)
            known = replace(known, codes=ops.asarray(known.codes))
            known = known if clusters.kept is None else drop_rows(known, clusters.codes < 0)
            found[name] = _compare(known, clusters)
    return _check_of(found, clusters.labels.n_samples)


def _named(attributes: Any) -> dict[Any, Any]:
    """Return the attributes by name; a column of a DataFrame is one."""
    name = getattr(attributes, "name", None)
    if name is not None and len(getattr(attributes, "shape", ())) == 1:
        return {name: attributes}
    try:
        return named_labelings(attributes)[0]
    except ValueError:
        rule = "a dict of name to values, a DataFrame, or an array of shape (n_samples, n_attributes)"
        msg = f"attributes must be {rule}, got {type(attributes).__name__}; one may be given as {{'name': values}}"
        raise ValueError(msg) from None


def _compare(known: Any, clusters: Labeling) -> tuple[Contingency, list[float]]:
    from gpumetrics.clustering.information import adjusted_mutual_info_from
    from gpumetrics.clustering.v_measure import v_measures_from
    from gpumetrics.statistics.contingency import Contingency

    table = Contingency.from_labels(known, clusters.labels)
    return table, [adjusted_mutual_info_from(table), *v_measures_from(table)[:2]]


def _check_of(found: dict[Any, tuple[Contingency, list[float]]], n_rows: int) -> AttributeCheck:
    names = sorted(found, key=lambda name: -found[name][1][0])  # stable: equal ones stay in their order
    scores = np.array([found[name][1] for name in names])
    counts = np.array([found[name][0].n_classes for name in names])
    table = {
        "attribute": as_objects(names),
        "n_values": counts,
        "adjusted_mutual_info": scores[:, 0],
        "homogeneity": scores[:, 1],
        "completeness": scores[:, 2],
        "reading": as_objects(
            [_word(*row, n_rows) for row in zip(scores[:, 0].tolist(), counts.tolist(), strict=True)]
        ),
    }
    notes: dict[str, str] = {"caveat": CAVEAT}
    many = [names[at] for at in np.flatnonzero(counts > MANY * n_rows)]
    if many:
        notes["values"] = _in_bins([printer(table["attribute"])(name) for name in many])
    parts = [_typical(name, found[name][0], n_rows) for name in names]
    typical = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    return AttributeCheck(table, typical, notes)


def _in_bins(many: list[str]) -> str:
    if len(many) == 1:
        return said("{name} has nearly a value for each row: put it into bins first.", name=many[0])
    return said("{names} have nearly a value for each row: put them into bins first.", names=enumerated(many))


def _word(agreement: float, values: int, n_rows: int) -> str:
    if values == 1:
        return "one value in all rows"
    if values > MANY * n_rows:
        return "nearly a value for each row"
    return next((word for least, word in WORDS if agreement >= least), "little to do with the clusters")


def _typical(name: Any, table: Contingency, n_rows: int) -> dict[str, Array]:
    """Most frequent value of each cluster: of equally frequent ones the first."""
    values, clusters = table.known_classes()
    order = np.lexsort((table.rows, -table.counts, table.cols))
    first = order[np.flatnonzero(np.diff(table.cols[order], prepend=-1) != 0)]
    rows = table.rows[first]
    plain = class_values(values)
    return {
        "attribute": as_objects([name] * len(first)),
        "cluster": as_objects(class_values(clusters)),
        "value": as_objects([plain[at] for at in rows.tolist()]),
        "share": table.counts[first] / table.col_margins,
        "share_of_all": table.row_margins[rows] / n_rows,
    }
