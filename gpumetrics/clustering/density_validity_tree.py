"""Densities, and minimum spanning trees of clusters, by passes over tiles of pairs: no table of pairs exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.config import current

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.clustering.density_validity_blocks import Values
    from gpumetrics.types import Array

__all__ = ["Tree", "core_values", "lightest_edges", "rounded", "spanning_trees"]

TILE = 512  # rows and columns of a tile on the CPU: it stays in the cache while it is worked on
DEVICE_TILE = 4096  # on a GPU
BYTES_PER_ENTRY = 40  # of a tile, in all temporary arrays
LARGEST = np.finfo(np.float64).max
# Numbers that agree in their first 36 bits, about 11 digits, are taken for equal: they differ by rounding.
DROPPED = 16
HALF, MASK = 1 << (DROPPED - 1), -(1 << DROPPED)


class Tree(NamedTuple):
    """Minimum spanning trees: their edges join the rows at positions `left` and `right`; NumPy's arrays."""

    left: Array
    right: Array
    weight: Array

    def degrees(self, n: int) -> Array:
        """Edges at each of n rows."""
        out: Array = np.bincount(np.concatenate([self.left, self.right]), minlength=n)
        return out


def core_values(values: Values, rows: Array, exponent: float, others: Array) -> Array:
    """Core distance of each row among these: small where many others are near.

    It is the power mean of the distances to the others, with the power -`exponent`; 0 where another row is at
    distance 0, as that tends to. It is computed relative to the nearest other, so that no power overflows.

    Parameters
    ----------
    values : Values
        Infinite between rows of different clusters.
    rows : ndarray of shape (n,), int64
    exponent : float
        Of the values.
    others : ndarray of shape (n,), int64
        Number of other rows in the cluster of each; at least one. NumPy's.

    Returns
    -------
    ndarray of shape (n,), float64
        As values, and rounded; where the work is done.
    """
    xp, n = values.xp, len(rows)
    number = xp.asarray(others, dtype=np.float64)

    def one(mine: slice, step: int) -> Array:
        x = values.rows(rows[mine])
        nearest, total = xp.full(mine.stop - mine.start, LARGEST), xp.zeros(mine.stop - mine.start)
        with np.errstate(all="ignore"):  # rows with a duplicate come to nan, and are set right in the end
            for to, tile in _tiles(values, x, rows, step):
                _set_own(tile, mine, to)
                nearer = xp.minimum(nearest, tile.min(axis=1))
                total *= (nearer / nearest) ** exponent
                xp.divide(nearer[:, None], tile, out=tile)
                tile **= exponent  # noqa: PLW2901
                total += tile.sum(axis=1)
                nearest = nearer
            core = nearest * (number[mine] / total) ** (1 / exponent)
        return xp.where(nearest > 0, core, 0.0)  # type: ignore[no-any-return]

    return rounded(_over_rows(values, n, one))


def _set_own(tile: Array, mine: slice, to: slice) -> None:
    """Set each row's value to itself to inf."""
    low, high = max(mine.start, to.start), min(mine.stop, to.stop)
    if low < high:
        own = array_module(tile).arange(low, high)
        tile[own - mine.start, own - to.start] = np.inf


def lightest_edges(values: Values, rows: Array, core: Array, group: Array, asked: Array) -> tuple[Array, Array]:
    """Find the lightest edge of some rows to a row of another group; of equal ones, that to the first position.

    The weight of an edge is the mutual reachability of its ends: the largest of their distance and both cores.

    Parameters
    ----------
    values : Values
    rows : ndarray of shape (n,), int64
    core : ndarray of shape (n,), float64
    group : ndarray of shape (n,), int64
    asked : ndarray of shape (m,), int64
        Positions in `rows`.

    Returns
    -------
    weight : ndarray of shape (m,), float64
        As a value, rounded; inf where there is no other group.
    partner : ndarray of shape (m,), int64
        Position in `rows`. NumPy's, both.
    """
    xp = values.xp

    def one(part: slice, step: int) -> Array:
        mine = asked[part]
        x = values.rows(rows[mine])
        my_core, my_group = core[mine][:, None], group[mine][:, None]
        best = xp.full((2, len(mine)), np.inf)  # weight and partner, which float64 holds
        for to, tile in _tiles(values, x, rows, step):
            xp.maximum(tile, core[to], out=tile)
            xp.maximum(tile, my_core, out=tile)
            xp.copyto(tile, np.inf, where=my_group == group[to])
            tile = rounded(tile)  # noqa: PLW2901
            first = tile.argmin(axis=1)
            least = xp.take_along_axis(tile, first[:, None], 1)[:, 0]
            best = xp.where(least < best[0], xp.stack([least, (first + to.start).astype(np.float64)]), best)
        return best.T  # type: ignore[no-any-return]

    best = as_host(_over_rows(values, len(asked), one))
    found = np.isfinite(best[:, 0])
    return best[:, 0], np.where(found, best[:, 1], -1).astype(np.int64)


def spanning_trees(values: Values, rows: Array, core: Array, cluster: Array) -> Tree:
    """Minimum spanning trees of the mutual reachability; among equal edges those of the first positions.

    Boruvka's way: each tree of the forest takes its lightest edge outwards, all but the largest of a cluster, which
    is joined by the others. The first pass asks every row for its lightest edge, the later ones very few.

    Parameters
    ----------
    values : Values
        Infinite between rows of different clusters.
    rows : ndarray of shape (n,), int64
    core : ndarray of shape (n,), float64
    cluster : ndarray of shape (n,), int64
        Cluster of each row, in ascending order; one tree for each. NumPy's.

    Returns
    -------
    Tree
    """
    n = len(rows)
    group, weight, partner = np.arange(n), np.zeros(n), np.arange(n)
    edges = [np.empty((0, 3))]
    missing = n - len(np.unique(cluster))
    while missing:
        asked = _of_smaller_trees(group, cluster)
        _renew(values, rows, core, group, asked, (weight, partner))
        asked = asked[group[partner[asked]] != group[asked]]
        ends = np.minimum(asked, partner[asked]), np.maximum(asked, partner[asked])
        order = np.lexsort((ends[1], ends[0], weight[asked]))
        first = np.unique(group[asked][order], return_index=True)[1]
        chosen = order[np.sort(first)]
        table = np.column_stack([ends[0][chosen], ends[1][chosen], weight[asked[chosen]]])
        edges.append(table[_join(group, table[:, :2].astype(np.int64))])
        missing -= len(edges[-1])
    left, right, weights = np.concatenate(edges).T
    return Tree(left.astype(np.int64), right.astype(np.int64), weights)


def _of_smaller_trees(group: Array, cluster: Array) -> Array:
    """Positions of the rows that are not in the largest tree of their cluster."""
    size = np.bincount(group)
    of = np.empty(len(size), dtype=np.int64)
    of[group] = cluster
    order = np.lexsort((size, of))
    last = np.append(of[order][1:] != of[order][:-1], [True])
    smaller = np.ones(len(size), dtype=bool)
    smaller[order[last]] = False
    return np.flatnonzero(smaller[group])


def _renew(values: Values, rows: Array, core: Array, group: Array, asked: Array, known: tuple[Array, Array]) -> None:
    """Make known the lightest edges outwards of all rows that may have the lightest one of their tree.

    A row's edge stays its lightest while it leads outwards; then its weight is a bound below, since trees only grow.
    So the row of the lowest bound is asked in each tree, and then those rows whose bounds are not above its edge.
    """
    weight, partner = known
    group_there = values.xp.asarray(group)

    def ask(some: Array) -> None:
        stale = some[group[partner[some]] == group[some]]
        if len(stale):
            found = lightest_edges(values, rows, core, group_there, values.xp.asarray(stale))
            weight[stale], partner[stale] = found

    order = asked[np.lexsort((weight[asked], group[asked]))]
    lowest = order[np.unique(group[order], return_index=True)[1]]
    ask(lowest)
    bound = np.empty(len(group))
    bound[group[lowest]] = weight[lowest]
    ask(asked[weight[asked] <= bound[group[asked]]])


def _join(group: Array, ends: Array) -> Array:
    """Join the groups by these edges, in their order; return which edges did so.

    An edge that two groups chose joins them once; and where a weight was rounded otherwise from its other end, two
    edges might close a cycle.
    """
    parent = list(range(int(group.max()) + 1))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = at = parent[parent[at]]
        return at

    joined = np.zeros(len(ends), dtype=bool)
    for edge, (a, b) in enumerate(group[ends].tolist()):
        one, other = root(a), root(b)
        joined[edge] = one != other
        parent[max(one, other)] = min(one, other)
    group[:] = np.unique([root(at) for at in range(len(parent))], return_inverse=True)[1][group]
    return joined


def rounded(numbers: Array) -> Array:
    """Round positive numbers to 36 bits, in place."""
    bits: Any = numbers.view(np.int64)
    bits += HALF
    bits &= MASK
    return numbers


def _tiles(values: Values, x: Any, rows: Array, step: int) -> Iterator[tuple[slice, Array]]:
    for to in spans(len(rows), step):
        yield to, values.between(x, values.rows(rows[to]))


def _over_rows(values: Values, n: int, work: Callable[[slice, int], Array]) -> Array:
    """Return the results of blocks of rows in one array: on the CPU over threads, on a GPU one after the other."""
    if values.xp is np:
        memory = current().working_memory * 2**20 / n_threads()
        step = _step(memory, values.bytes_per_row, TILE)
        return np.concatenate(thread_map(lambda part: work(part, step), spans(n, step)))
    from gpumetrics.backends.cupy_memory import available_bytes, with_smaller_blocks

    def all_rows(step: int) -> Array:
        return values.xp.concatenate([work(part, step) for part in spans(n, step)])  # type: ignore[no-any-return]

    most = _step(available_bytes(), values.bytes_per_row, DEVICE_TILE)
    return with_smaller_blocks(all_rows, most, "tiles of distances within a cluster")


def _step(memory: float, bytes_per_row: int, most: int) -> int:
    """Rows of a tile such that two blocks of rows and the tile fit into the memory."""
    rows = (-bytes_per_row + np.sqrt(bytes_per_row**2 + BYTES_PER_ENTRY * memory)) / BYTES_PER_ENTRY
    return max(16, min(most, int(rows)))
