"""Which clusters part, join and stay between two labelings, against plain sets of rows."""

from collections import defaultdict

import numpy as np
import pytest
from numpy.testing import assert_equal

from gpumetrics.choosing.changes import change_between
from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.comparison_text import change_text


def clusters(labels, kept):
    out = defaultdict(set)
    for row in kept:
        out[labels[row]].add(row)
    return out


def plain_groups(wholes, pieces):
    """Pieces with over half of their rows in a whole, where there are two at least."""
    found = {}
    for whole, rows in wholes.items():
        inside = {name: len(rows & piece) for name, piece in pieces.items() if 2 * len(rows & piece) > len(piece)}
        if len(inside) > 1:
            found[whole] = (len(rows), inside)
    return found


def as_plain(groups):
    return {group.whole: (group.size, dict(zip(group.pieces, group.sizes, strict=True))) for group in groups}


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("seed", range(6))
def test_against_sets_of_rows(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(-1, 5, 80)
    b = np.where(rng.random(80) < 0.2, rng.integers(-1, 7, 80), np.array([3, 3, 0, 1, 4, 5, 2])[a + 1])
    change = change_between(("a", a), ("b", b), noise_label=-1)
    kept = np.flatnonzero((a != -1) & (b != -1)).tolist()
    ours, theirs = clusters(a.tolist(), kept), clusters(b.tolist(), kept)
    splits, merges = plain_groups(ours, theirs), plain_groups(theirs, ours)
    assert_equal((as_plain(change.splits), as_plain(change.merges)), (splits, merges))
    assert_equal(change.same, sum(rows in list(theirs.values()) for rows in ours.values()))
    assert_equal(change.n_rows, len(kept))
    assert_equal(change.noise_gained, int(((a != -1) & (b == -1)).sum()))
    assert_equal(change.noise_lost, int(((a == -1) & (b != -1)).sum()))
    moved = 0
    for one in ours.values():
        for other in theirs.values():
            both = len(one & other)
            moved += both if 2 * both <= len(one) and 2 * both <= len(other) else 0
    assert_equal(change.moved, moved)


def test_there_and_back():
    a, b = np.array([0, 0, 0, 0, 1, 1]), np.array([5, 5, 6, 6, 7, 7])
    there, back = change_between(("a", a), ("b", b)), change_between(("b", b), ("a", a))
    assert_equal(as_plain(there.splits), as_plain(back.merges))
    assert_equal((there.merges, back.splits, there.same, back.same), ((), (), 1, 1))
    assert_equal((there.source, there.target), ("a", "b"))
    group = {"whole": 0, "size": 4, "pieces": [5, 6], "sizes": [2, 2], "close": False}
    assert_equal(there.to_dict()["splits"], [group])


def test_labelings_of_noise_only():
    change = change_between(("a", [-1, -1, 0]), ("b", [1, 2, -1]), noise_label=-1)
    assert_equal((change.splits, change.merges, change.same, change.n_rows), ((), (), 0, 0))
    assert_equal((change.noise_gained, change.noise_lost), (1, 2))


def test_labels_keep_their_kind():
    dates = np.array(["2024-01-01", "2024-01-01", "2024-01-02", "2024-01-02"], dtype="datetime64[D]")
    change = change_between(("a", ["x", "x", "x", "x"]), ("b", dates))
    assert_equal(change.splits[0].whole, "x")
    assert_equal(change.to_dict()["splits"][0]["pieces"], ["2024-01-01", "2024-01-02"])


@pytest.mark.usefixtures("backend")
def test_close_is_each_others_nearest():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]])
    two, three = [0, 0, 0, 0, 1, 1], [0, 0, 2, 2, 1, 1]
    comparison = compare_labelings(X, {"two": two, "three": three})
    assert comparison.change("two", "three").splits[0].close
    assert comparison.change("three", "two").merges[0].close
    apart = compare_labelings(X, {"two": [0, 0, 1, 1, 0, 0], "three": three})  # joins the outer two
    assert not apart.change("two", "three").splits[0].close
    with pytest.raises(KeyError):
        comparison.change("two", "four")


def test_the_text_of_a_change():
    X = np.arange(24.0)[:, None]
    coarse, fine = np.repeat([0, 1, 2], 8), np.repeat([0, 1, 2, 3, 3, 3], 4)
    fine[0] = 1
    comparison = compare_labelings(X, {"coarse": coarse, "fine": fine})
    there = change_text(comparison, comparison.change("coarse", "fine"))
    expected = "cluster 0 (8 rows) parts into 1 (5) and 0 (3); 4 of 24 rows (16.7 %) change company besides."
    assert_equal(str(there), f"From coarse (K = 3) to fine (K = 4): {expected}")
    same = change_text(comparison, comparison.change("fine", "fine"))
    assert_equal(str(same), "From fine (K = 4) to fine (K = 4): 4 clusters are the same.")
