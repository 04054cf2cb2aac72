"""The two directions along which rows spread most: principal axes, found from a sample of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, row_squares
from gpumetrics.backends.threads import one_blas_thread, spans, thread_map

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["PrincipalAxes", "principal_axes"]

SAMPLE = 50_000  # rows from which the axes are found
FEWEST = 2_000  # rows, however wide they are
ELEMENTS = 1 << 24  # of the sample, if it has more than FEWEST rows
EXACT = 1_024  # columns up to which the table of all covariances is computed
PIECES = 8  # of the sums over rows: a fixed number, so that their bits do not depend on the threads
WIDTH, STEPS = 8, 6  # vectors of a block, and blocks, of the Krylov subspace of wide rows
NOTHING = 1e-12  # share of the largest direction below which one is rounding


@dataclass(frozen=True)
class PrincipalAxes:
    """Two orthogonal directions, that of the largest variance first.

    What is as long as a row lies where the work is done: NumPy's, or CuPy's on a GPU.

    Attributes
    ----------
    centre : ndarray of shape (n_features,), float64
        Mean of the sample, in the units that `Features.rows` gives.
    axes : ndarray of shape (n_features, 2), float64
        A direction in each column; 0 where rows have no second one. The entry of largest size is positive.
    shares : ndarray of shape (2,), float64
        Share of the sample's variance along each, on the host; 0 where all rows are equal.
    n_rows : int
        Rows of the sample.
    """

    centre: Array
    axes: Array
    shares: Array
    n_rows: int

    def project(self, features: Features) -> Array:
        """Return coordinates of rows along the axes: (n_samples, 2) float64, on the host.

        They are in units of ``1 / features.scale``. From a GPU only they come to the host, in one copy.

        Parameters
        ----------
        features : Features
            Rows of the table that the axes are of.
        """
        rows = _Rows(features, self.centre)
        if not isinstance(self.centre, np.ndarray):
            parts = [rows.times(part, self.axes) for part in spans(features.n_samples, features.block_rows)]
            return as_host(array_module(self.centre).concatenate(parts))
        step = features.block_rows if not rows.as_sparse else features.n_samples
        return np.concatenate(thread_map(lambda part: rows.times(part, self.axes), spans(features.n_samples, step)))


def principal_axes(features: Features, ops: ModuleType, source: Any, *, n_rows: int = SAMPLE) -> PrincipalAxes:
    """Find the two directions of largest variance.

    Up to 1,024 columns they are the eigenvectors of the covariances; of wider rows they come from a block Krylov
    subspace, which has them to rounding if the variances differ, and else directions of nearly the same variance.

    Parameters
    ----------
    features : Features
        Dense or sparse; sparse rows are never made dense as a whole.
    ops : module
        The backend; rows that lie elsewhere are moved there block by block. Sparse rows stay on the host.
    source : Generator or RandomState
        Chooses the rows of the sample.
    n_rows : int
        Rows of the sample at most; fewer of very wide rows.

    Returns
    -------
    PrincipalAxes

    Notes
    -----
    O(m d min(d, 48)) for m sampled rows of d columns. The rows are centred before anything is squared, so that an
    offset costs no digits.

    References
    ----------
    C. Musco and C. Musco (2015), "Randomized block Krylov methods for stronger and faster approximate singular value
    decomposition", Advances in Neural Information Processing Systems 28.
    """
    n, d = features.n_samples, features.n_features
    wide = d > EXACT
    if not features.sparse or not wide:
        n_rows = min(n_rows, max(FEWEST, ELEMENTS // d))
    sample = features
    if n > n_rows:
        sample = features.subset(np.sort(source.choice(n, n_rows, replace=False)).astype(np.int64))
    move = as_host if features.sparse else ops.asarray
    rows = _Rows(sample, _mean(sample, move))
    values, vectors, total = _of_wide_rows(rows) if wide else _of_covariances(rows)
    vectors = _signed(vectors)
    shares = np.clip(values / total, 0.0, 1.0) if total > 0 else np.zeros(2)
    return PrincipalAxes(rows.centre, move(vectors), shares, sample.n_samples)


@dataclass(frozen=True)
class _Rows:
    """Rows less their centre, block by block, where the centre lies."""

    features: Features
    centre: Any

    @property
    def as_sparse(self) -> bool:
        """Whether products are taken with sparse rows, centred afterwards: wide ones as dense are too many numbers."""
        return self.features.sparse and self.features.n_features > EXACT

    def dense(self, part: slice) -> Any:
        block = self.features.rows(part)
        return array_module(self.centre).asarray(block) - self.centre

    def times(self, part: slice, vectors: Any) -> Any:
        if self.as_sparse:
            return self._sparse(part) @ vectors - self.centre @ vectors
        return self.dense(part) @ vectors

    def scattered(self, part: slice, vectors: Any) -> Any:
        """Sums of products of the columns, times vectors."""
        if self.as_sparse:
            along = self.times(part, vectors)
            return self._sparse(part).T @ along - np.outer(self.centre, along.sum(axis=0))
        block = self.dense(part)
        return block.T @ (block @ vectors)

    def squares(self, part: slice) -> Any:
        if self.as_sparse:
            block = self._sparse(part)
            # Each entry less its column's mean, and the mean itself where there is none.
            mean = self.centre[block.indices]
            stored = ((block.data - mean) ** 2 - mean**2).sum()
            return stored + block.shape[0] * (self.centre**2).sum()
        return row_squares(self.dense(part)).sum()

    def _sparse(self, part: slice) -> Any:
        return self.features.take(part).astype(np.float64) * self.features.scale

    def summed(self, work: Callable[[slice], Any]) -> Any:
        """Sum what `work` gives for all blocks of rows."""
        n = self.features.n_samples
        step = n if self.as_sparse else self.features.block_rows

        def piece(rows: slice) -> Any:
            blocks = spans(rows.stop - rows.start, step)
            found = (work(slice(rows.start + block.start, rows.start + block.stop)) for block in blocks)
            return sum(found, 0.0)

        host = isinstance(self.centre, np.ndarray)
        return sum(thread_map(piece, spans(n, -(-n // PIECES))) if host else [piece(slice(0, n))], 0.0)


def _mean(sample: Features, move: Callable[[Any], Any]) -> Any:
    """Return the mean as a row of the sample and the mean deviation from it, added: to the last digit."""
    if sample.sparse:
        taken = sample.take(slice(0, sample.n_samples))
        return np.asarray(taken.astype(np.float64).sum(axis=0)).ravel() * sample.scale / sample.n_samples
    rows = _Rows(sample, move(sample.rows(slice(0, 1)))[0])
    total = rows.summed(lambda part: rows.dense(part).sum(axis=0))
    return rows.centre + total / sample.n_samples


def _of_covariances(rows: _Rows) -> tuple[Array, Array, float]:
    """Return the two largest sums of squares along a direction, the directions, and the sum of squares in all."""
    from scipy.linalg import eigh

    def products(part: slice) -> Any:
        block = rows.dense(part)
        return block.T @ block

    table = as_host(rows.summed(products))
    d, total = len(table), float(np.trace(table))
    with one_blas_thread():
        values, vectors = eigh(table, subset_by_index=[max(0, d - 2), d - 1])
    if d == 1:
        return np.array([values[0], 0.0]), np.array([[1.0, 0.0]]), total
    return values[::-1], vectors[:, ::-1], total


def _of_wide_rows(rows: _Rows) -> tuple[Array, Array, float]:
    """Return the same from a block Krylov subspace: C V, C (C V), ... of random V, where C is never computed."""
    xp, d = array_module(rows.centre), rows.features.n_features
    total = float(rows.summed(rows.squares))
    block = np.linalg.qr(np.random.default_rng(0).normal(size=(d, WIDTH)))[0]
    basis, images = np.empty((d, 0)), np.empty((d, 0))
    for _ in range(STEPS if total > 0 else 0):
        image = as_host(rows.summed(partial(rows.scattered, vectors=xp.asarray(block)))) / total
        basis, images = np.hstack([basis, block]), np.hstack([images, image])
        block = _new_directions(image, basis)
        if not block.shape[1]:
            break
    if not basis.shape[1]:
        return np.zeros(2), np.eye(d, 2), total
    small = basis.T @ images
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    return values[:-3:-1] * total, basis @ vectors[:, :-3:-1], total


def _new_directions(image: Array, basis: Array) -> Array:
    """Return orthonormal vectors that span what the image adds to a basis; none where that is rounding."""
    for least in (NOTHING * np.linalg.norm(image), 0.5):  # twice, since the first time leaves rounding
        image = image - basis @ (basis.T @ image)
        left, sizes, _ = np.linalg.svd(image, full_matrices=False)
        image = left[:, sizes > least]
    return image


def _signed(vectors: Array) -> Array:
    """Return directions with the sign by which their entry of largest size, the first of equal ones, is positive."""
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return np.where(largest < 0, -vectors, vectors)
