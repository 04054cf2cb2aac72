"""Euclidean silhouettes against the bare matrix products of half the pairs, in the same precision and tiles."""

from __future__ import annotations

import numpy as np

from . import made_data
from .clock import CupyClock, Timing, in_turn, with_peak

DTYPES = ("float32", "float64")
RATIO = 1.5  # of the bare products' time, at most
ROUND_SECONDS = 6  # for the rounds of one case
PRODUCT_SECONDS = 6  # beyond which the bare products are a sample of the tiles


def bar_name(case, dtype):
    """Name of the bar of a case."""
    return f"silhouette over the bare products of half the pairs, {case}, {dtype}"


def bars(check):
    """The cases to which the bar applies."""
    for dtype in DTYPES:
        for case in check.sizes.bars:
            check.expect(bar_name(case, dtype), "not reached, or not enough of the budget was left")
    for dtype in DTYPES:
        for case in check.sizes.bars:
            row = _measured(check, case, dtype)
            if row:
                name = bar_name(case, dtype)
                check.bar(name, row["ratio"], RATIO, judged=check.sizes.judge_speed)
    _explain(check)


def grid(check):
    """All other cases, the small ones first."""
    cases = [(case, dtype) for dtype in DTYPES for case in check.sizes.grid]
    for case, dtype in sorted(cases, key=lambda one: one[0].n):  # sorts stably
        _measured(check, case, dtype)
    _explain(check)


def _explain(check):
    check.note(
        "seconds: of gm.silhouette_score on device arrays, by CUDA events, best of the rounds; spread: by how much the "
        "slowest of them was slower. products: cupy.dot over the same tiles, each once, TF32 off. "
        "MiB: growth of an empty memory pool during a call."
    )


def _measured(check, case, dtype):
    """Measure a case and add its row; None if it was left out."""
    what = f"silhouette, {case}, {dtype}"
    with check.guarded(what):
        return _row(check, case, dtype, what)


def _row(check, case, dtype, what):
    cp, gm, clock = check.cp, check.gm, CupyClock(check.cp)
    expected = _expected(check, clock, case, dtype)
    if not check.affords(1.3 * expected + (PRODUCT_SECONDS if expected > PRODUCT_SECONDS else 0), what):
        return None
    X, labels = made_data.blobs(cp, case, dtype)

    def ours():
        return gm.silhouette_score(X, labels)

    first, value, peak = with_peak(cp, clock, ours)
    products = Products(check, X, labels)
    seconds = min(ROUND_SECONDS, check.left() / 12)
    if first > seconds:  # the kernels were compiled before: one long run serves
        times, (bare,) = Timing([first]), in_turn(clock, [products], seconds=0)
    else:
        times, bare = in_turn(clock, [ours, products], seconds=seconds)
    bare_best = bare.best / products.share
    pairs = case.n * (case.n - 1) / 2
    row = {
        "case": str(case),
        "dtype": dtype,
        **times.cells(),
        "products": bare_best,
        "ratio": times.best / bare_best,
        "pairs per second": pairs / times.best,
        "products, Tflop/s": 2 * case.d * products.pairs / bare_best / 1e12,
        "tile": products.rows,
        "MiB": peak,
        "score": value,
    }
    if products.share < 1:
        row["products from"] = f"{products.share:.0%} of the tiles"
    check.row(**row)
    return row


def _expected(check, clock, case, dtype):
    """Seconds that the case will take, from a smaller run that also compiles the kernels."""
    n = min(check.sizes.warm_up, case.n)
    X, labels = made_data.blobs(check.cp, case.with_rows(n), dtype)
    clock.seconds(lambda: check.gm.silhouette_score(X, labels))
    seconds, _ = clock.seconds(lambda: check.gm.silhouette_score(X, labels))
    return seconds * (case.n / n) ** 2


class Products:
    """The matrix products of all tiles that the package cuts the pairs into; a call does them once."""

    def __init__(self, check, X, labels):
        from gpumetrics.backends import cupy_pairs, cupy_tiles  # noqa: PLC0415  (they need CuPy)
        from gpumetrics.backends.tiling import Grouping  # noqa: PLC0415
        from gpumetrics.features import check_features  # noqa: PLC0415

        self.cp, self.X = check.cp, X
        tiles = cupy_tiles.GramTiles(check_features(X))
        self.rows = cupy_pairs.tile_rows(tiles.bytes_per_row(), X.itemsize, len(X))
        sizes = np.bincount(check.cp.asnumpy(labels))
        sizes = np.sort(sizes[sizes > 0])[::-1]
        runs = [run.rows for run in Grouping(None, np.concatenate([[0], np.cumsum(sizes)])).runs(self.rows)]
        tiles = [(left, right) for at, left in enumerate(runs) for right in runs[at:]]
        self.pairs = sum(map(_area, tiles))
        self.out = check.cp.empty(max(map(_area, tiles)), dtype=X.dtype)
        self.tiles = self._sample(CupyClock(check.cp), tiles)
        self.share = sum(map(_area, self.tiles)) / self.pairs

    def _sample(self, clock, tiles):
        """All tiles; or evenly spaced ones, where all would take too long."""
        self.tiles = tiles[:: max(1, len(tiles) // 4)][:4]
        clock.seconds(self)
        seconds, _ = clock.seconds(self)
        whole = seconds * self.pairs / sum(map(_area, self.tiles))
        return tiles[:: max(1, int(np.ceil(whole / PRODUCT_SECONDS)))]

    def __call__(self):
        for left, right in self.tiles:
            x, y = self.X[left], self.X[right]
            self.cp.dot(x, y.T, out=self.out[: len(x) * len(y)].reshape(len(x), len(y)))


def _area(tile):
    left, right = tile
    return (left.stop - left.start) * (right.stop - right.start)
