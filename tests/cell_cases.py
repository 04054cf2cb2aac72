"""Rows in cells, and what the operation `cell_sums` says of them, for the tests of every backend."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering.sharing import Group
from gpumetrics.distance_metrics import check_metric, prepare
from gpumetrics.features import check_features
from gpumetrics.statistics.meet import Meet

PROMISE = {np.float32: 1e-6, np.float64: 1e-12}


def celled(sizes, d, dtype=np.float64, seed=0):
    """Rows of cells in any order; some of them are equal, and all are far from the origin."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = 30 + 2 * rng.standard_normal((len(sizes), d))[codes] + rng.standard_normal((len(codes), d))
    X[::7] = X[0]
    return X.astype(dtype), codes


def over_cells(distances, codes):
    """Sums of each row's distances over the cells, as they are defined."""
    return np.asarray(distances, dtype=np.float64) @ np.eye(codes.max() + 1)[codes]


def bands_of(table, codes, metric, queries=None):
    """What the operation yields for cells that lie where they shall be summed, copied to the host.

    A metric may be a pair of its name and its keywords.
    """
    return yielded(codes, arguments_of(table, codes, metric, queries))


def arguments_of(table, codes, metric, queries=None):
    """The operation's arguments."""
    name, keywords = (metric, {}) if isinstance(metric, str) else metric
    checked, features = prepare(check_metric(name, keywords, "test")[0], check_features(table, accept_sparse=True))
    return features, codes, np.bincount(as_host(codes)), codes * 0 + 1, checked, queries


def yielded(like, arguments):
    """What the operation yields where an array lies, copied to the host."""
    return [(as_host(rows).copy(), as_host(sums).copy()) for rows, sums in operations_on(like).cell_sums(*arguments)]


def joined(bands):
    """The sums of all bands, in the rows' order."""
    rows = np.concatenate([rows for rows, _ in bands])
    assert_array_equal(np.sort(rows), np.arange(len(rows)))
    out = np.empty((len(rows), bands[0][1].shape[1]))
    for rows, sums in bands:
        out[rows] = sums
    return out


def check_sums(got, expected, dtype=np.float64):
    """Compare sums; theirs are in a unit of its own, which is a power of two."""
    unit = 2.0 ** np.round(np.log2(got.max() / expected.max())) if expected.max() > 0 else 1.0
    assert_allclose(got / unit, expected, rtol=PROMISE[dtype], atol=PROMISE[dtype])


def every_cell(data, metric, n_queries=None):
    """A plan by which all labelings share their cells, whatever it costs."""
    defined = [at for at, labeling in enumerate(data.each) if not labeling.why_undefined]
    meet = Meet.trivial(data.each[0].codes)
    for at in defined:
        meet = meet.with_labeling(data.each[at].codes)
    return [Group(defined, meet, 0.0)]
