"""Scores on the GPU against float64 definitions, and the same bits again and again."""

from __future__ import annotations

import warnings

import numpy as np

from . import definitions, hostile_data

METRICS = ("euclidean", "sqeuclidean", "cosine", "correlation", "manhattan")
ANGULAR = {"cosine", "correlation"}
LOST_ANGLES = {"offset 1e8", "tight far clusters"}  # tables whose rows differ by less than a unit row is rounded
TOLERANCE = {"float32": 1e-6, "float64": 1e-10}
LEAST = 5  # seconds of the budget below which no further table is begun
SAME_BITS = "the same bits in every repeat"


def accuracy(check):
    """Hold silhouettes, CH and DB on hostile tables, and agreement scores, against their definitions."""
    worst = dict.fromkeys(TOLERANCE, 0.0)
    varying = 0
    for dtype in TOLERANCE:
        check.expect(_error(dtype), "no table was reached")
    check.expect(SAME_BITS, "no table was reached")
    for name, case in check.sizes.hostile.items():
        for dtype in TOLERANCE:
            if check.left() < LEAST:
                check.skip(f"{name}, {dtype}", "the budget is used up")
                continue
            errors, same = _table(check, name, case, dtype)
            worst[dtype] = _larger(worst[dtype], *errors.values())
            varying += not same
    if check.left() > LEAST:
        error, same = _agreement(check)
        worst["float64"], varying = _larger(worst["float64"], error), varying + (not same)
    for dtype, error in worst.items():
        if any(row["dtype"] == dtype for row in check.tables.get(check.section, [])):
            check.bar(_error(dtype), error, TOLERANCE[dtype])
    check.bar(SAME_BITS, varying, 0)
    check.note(
        "Largest absolute error of silhouettes of single rows, and relative error of CH and DB. "
        "-: the angle is lost in the rounding of the input itself, or there is none."
    )


def _error(dtype):
    return f"largest error, {dtype}"


def _larger(*values):
    """The largest; nan if one is nan, which no bar lets pass."""
    return float(np.max(values))


def _table(check, name, case, dtype):
    """One row: the error of each score on a table, and whether the bits were the same each time."""
    X, labels = hostile_data.table(name, case, dtype)
    rows = np.random.default_rng(0).choice(len(X), min(check.sizes.queries, len(X)), replace=False)
    there, there_labels = check.cp.asarray(X), check.cp.asarray(labels)
    errors, same = {}, True
    for metric in METRICS:
        if metric in ANGULAR and (name in LOST_ANGLES or (metric == "correlation" and case.d < 3)):
            continue
        got, equal = _repeated(check, check.gm.silhouette_samples, there, there_labels, metric=metric)
        errors[metric] = _larger(*np.abs(got[rows] - definitions.silhouettes(X, labels, rows, metric)))
        same &= equal
    for short, score, definition in (
        ("CH", check.gm.calinski_harabasz_score, definitions.calinski_harabasz),
        ("DB", check.gm.davies_bouldin_score, definitions.davies_bouldin),
    ):
        got, equal = _repeated(check, score, there, there_labels)
        expected = definition(X, labels)
        errors[short] = abs(float(got) - expected) / abs(expected)
        same &= equal
    check.row(
        table=f"{name} ({case})",
        dtype=dtype,
        **{column: errors.get(column) for column in (*METRICS, "CH", "DB")},
        **{"same bits": same},
        holds=bool(_larger(*errors.values()) <= TOLERANCE[dtype]) and same,
    )
    return errors, same


def _repeated(check, score, *arguments, **options):
    """The score on the host, and whether it has the same bits every time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [_host(check.cp, score(*arguments, **options)) for _ in range(check.sizes.repeats)]
    return values[0], all(value.tobytes() == values[0].tobytes() for value in values)


def _host(cp, value):
    return cp.asnumpy(value) if isinstance(value, cp.ndarray) else np.asarray(value)


def _agreement(check):
    """Scores of two labelings, on the device."""
    n, k = check.sizes.agreement
    rng = np.random.default_rng(1)
    true = rng.integers(0, k, n)
    other = np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))
    there = check.cp.asarray(true), check.cp.asarray(other)
    names = ("adjusted_rand_score", "normalized_mutual_info_score", "adjusted_mutual_info_score")
    worst, same = 0.0, True
    for name, expected in zip(names, definitions.agreement(true, other), strict=True):
        got, equal = _repeated(check, getattr(check.gm, name), *there)
        worst, same = _larger(worst, abs(float(got) - expected)), same and equal
    check.note(f"ARI, NMI and AMI of {n} labels, k = {k}: largest error {worst:.1e}, same bits: {same}.")
    return worst, same
