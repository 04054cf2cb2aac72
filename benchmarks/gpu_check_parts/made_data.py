"""Data made on the device, the same on every machine: random numbers by a hash of their places."""

from __future__ import annotations

import numpy as np

BLOCK = 1 << 24  # numbers made at a time
STEP, FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
UNIT = 2.0**-32


def hashed(cp, start, stop, seed):
    """Random 64-bit integers for the places from start to stop (splitmix64)."""
    z = cp.arange(start + 1, stop + 1, dtype=np.uint64)
    z += np.uint64(seed << 40)
    z *= STEP
    z ^= z >> np.uint64(30)
    z *= FIRST
    z ^= z >> np.uint64(27)
    z *= SECOND
    z ^= z >> np.uint64(31)
    return z


def normals(cp, start, stop, seed, dtype):
    """Normal numbers for the places from start to stop (Box and Muller)."""
    z = hashed(cp, start, stop, seed)
    upper = ((z >> np.uint64(32)).astype(dtype) + dtype(1)) * dtype(UNIT)
    lower = (z & np.uint64(0xFFFFFFFF)).astype(dtype) * dtype(UNIT * 2 * np.pi)
    return cp.sqrt(cp.log(upper) * dtype(-2)) * cp.cos(lower)


def integers(cp, start, stop, seed, below):
    """Integers from 0 to below - 1 for the places from start to stop."""
    return ((hashed(cp, start, stop, seed) >> np.uint64(20)) % np.uint64(below)).astype(np.int64)


def blobs(cp, case, dtype, seed=1):
    """Overlapping blobs on the device, with one label in twenty wrong."""
    n, d, k = case
    dtype = np.dtype(dtype).type
    centres = normals(cp, 0, k * d, seed, dtype).reshape(k, d)
    X, labels = cp.empty((n, d), dtype=dtype), cp.empty(n, dtype=np.int64)
    rows = max(1, BLOCK // d)
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        own = integers(cp, start, stop, seed + 1, k)
        X[start:stop] = normals(cp, start * d, stop * d, seed + 2, dtype).reshape(stop - start, d)
        X[start:stop] += centres[own]
        wrong = integers(cp, start, stop, seed + 3, 20) == 0
        labels[start:stop] = cp.where(wrong, integers(cp, start, stop, seed + 4, k), own)
    return X, labels


def low_rank(cp, case, dtype, seed=1):
    """Rows near a plane, with the labels of `blobs`: many distances are small against the lengths of the rows."""
    X, labels = blobs(cp, case, dtype, seed)
    dtype = X.dtype.type
    plane = normals(cp, 0, 2 * case.d, seed + 5, dtype).reshape(2, case.d)
    places = normals(cp, 0, 2 * case.n, seed + 6, dtype).reshape(case.n, 2)
    return places @ plane * dtype(5) + X * dtype(0.1), labels


def two_labelings(cp, n, k, seed=1):
    """Two labelings on the device that agree on three rows in five, and by chance on some others."""
    true, other = cp.empty(n, dtype=np.int64), cp.empty(n, dtype=np.int64)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        true[start:stop] = integers(cp, start, stop, seed, k)
        agree = integers(cp, start, stop, seed + 1, 5) < 3
        other[start:stop] = cp.where(agree, true[start:stop], integers(cp, start, stop, seed + 2, k))
    return true, other
