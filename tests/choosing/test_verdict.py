"""What the scores say together, for every way in which they can agree or not; texts of long tables."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_equal

from gpumetrics.choosing import comparison_text
from gpumetrics.choosing.basis import Basis
from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.comparison import comparison_of
from gpumetrics.choosing.entries import Entries
from gpumetrics.label_arrays import as_objects

NAMES = ("silhouette", "calinski_harabasz", "davies_bouldin")
GROUPS = np.repeat(np.arange(8), 5)


def entries(labelings, scores, kind="n_clusters"):
    """Entries whose scores are as we say: one column by name, a value for each labeling."""
    k = [len(set(labels)) for labels in labelings.values()]
    n = len(next(iter(labelings.values())))
    zeros = np.zeros(len(k), dtype=np.int64)
    rows = {
        "name": as_objects(list(labelings)),
        "n_clusters": np.array(k),
        "size_min": zeros + 1,
        "size_max": zeros + 1,
    }
    rows |= {"n_noise": zeros, "noise_fraction": zeros / 1.0}
    rows |= {name: np.array(values, dtype=float) for name, values in scores.items()}
    rows["silhouette_macro"] = np.full(len(k), np.nan)
    rows["reason"] = as_objects([""] * len(k))
    basis = Basis(n, 2, "", "", tuple(scores), "euclidean", ("euclidean", None, ()), -1, "exact", (0, ""), 1e-9)
    return Entries(basis, kind, rows, labelings, {}, {}, {}, (), {})


def judged(labelings, scores, kind="n_clusters"):
    return comparison_of(entries(labelings, scores, kind), backend="numpy", seconds=0.0)


def cut(k):
    return np.minimum(GROUPS, k - 1)


def by_k(*ks):
    return {k: cut(k) for k in ks}


def test_agreement_is_of_the_scores_that_are_there():
    three = judged(by_k(2, 3), {"silhouette": [0.1, 0.5], "calinski_harabasz": [10, 20], "davies_bouldin": [2, 1]})
    assert_equal(three.agreement[:34], "All three scores agree on K = 3: s")
    two = judged(by_k(2, 3), {"silhouette": [0.1, 0.5], "davies_bouldin": [2, 1]})
    assert_equal(str(two.agreement), "Both scores agree on K = 3: silhouette 0.500, Davies-Bouldin 1.000.")
    one = judged(by_k(2, 3), {"davies_bouldin": [2, 1]})
    assert_equal(str(one.agreement), "By Davies-Bouldin 1.000, the only score here, K = 3 is the best.")
    assert_equal([c.agreed for c in (three, two, one)], [True, True, False])
    missing = judged(
        by_k(2, 3), {"silhouette": [np.nan, np.nan], "calinski_harabasz": [9, 8], "davies_bouldin": [1, 2]}
    )
    assert_equal(missing.agreement[:30], "Both scores agree on K = 2: Ca")
    assert_equal(missing.best["silhouette"], None)


def test_three_choices_are_three_names_and_two_questions():
    scores = {"silhouette": [0.5, 0.1, 0.1], "calinski_harabasz": [1, 1, 9], "davies_bouldin": [3, 1, 2]}
    comparison = judged(by_k(2, 4, 5), scores)
    assert (
        "silhouette prefers K = 2, Davies-Bouldin prefers K = 4, Calinski-Harabasz prefers K = 5"
        in comparison.agreement
    )
    assert_equal([(change.source, change.target) for change in comparison.changes], [(2, 4), (4, 5)])
    first, second = comparison.question.splitlines()
    assert "which K = 2 keeps in one cluster, differ for your purpose?" in first
    assert "Yes: take K = 4. No: take K = 2." in first
    assert "Yes: take K = 5. No: take K = 4." in second


def test_nothing_is_averaged():
    """The labeling that is second best by every score, and best on average, is nobody's choice."""
    values = {"silhouette": [0.50, 0.49, 0.10], "calinski_harabasz": [10, 99, 100], "davies_bouldin": [0.50, 0.51, 2.0]}
    comparison = judged(by_k(2, 3, 4), values)
    assert_equal({name: comparison.best[name] for name in NAMES}, {NAMES[0]: 2, NAMES[1]: 4, NAMES[2]: 2})
    assert "K = 3" not in comparison.agreement + comparison.question


def test_every_order_of_the_labelings_gives_the_same_choice():
    values = {2: (0.1, 5.0, 3.0), 3: (0.6, 7.0, 1.0), 4: (0.5, 9.0, 2.0)}
    texts = set()
    for order in itertools.permutations(values):
        scores = {name: [values[k][at] for k in order] for at, name in enumerate(NAMES)}
        comparison = judged(by_k(*order), scores)
        texts.add((comparison.agreement, comparison.question))
    assert_equal(len(texts), 1)


def test_several_splits_are_listed_and_many_are_counted():
    several = judged({"a": GROUPS // 4, "b": GROUPS // 2}, {"silhouette": [1, 0], "davies_bouldin": [1, 0]}, "labeling")
    assert "the groups that b (K = 4) keeps apart and a (K = 2) does not (0 and 1; 2 and 3)" in several.question
    many = judged({"a": GROUPS // 2, "b": GROUPS}, {"silhouette": [1, 0], "davies_bouldin": [1, 0]}, "labeling")
    assert "(of the 4 clusters that part the largest: 0 and 1; 2 and 3; 4 and 5) differ" in many.question


def test_borders_that_move_without_a_split():
    a, b = GROUPS // 4, np.arange(40) % 2
    comparison = judged({"a": a, "b": b}, {"silhouette": [1, 0], "davies_bouldin": [1, 0]}, "labeling")
    assert "draw other borders" in comparison.question
    assert "Which of the two serves your purpose?" in comparison.question


@pytest.mark.parametrize("shift", [0.0, 1e-12])
def test_values_that_differ_by_rounding_are_the_same(shift):
    scores = {
        "silhouette": [0.5, 0.5 + shift],
        "davies_bouldin": [0.5, 0.5 - shift],
        "calinski_harabasz": [100.0, 99.0],
    }
    comparison = judged(by_k(3, 2), scores)
    assert_equal([comparison.best[name] for name in scores], [3, 3, 3])
    assert comparison.agreed


def test_the_scores_themselves_are_told_of_where_the_close_pair_is_not_the_reason():
    comparison = judged(by_k(2, 3), {"silhouette": [0, 1], "calinski_harabasz": [9, 1], "davies_bouldin": [2, 1]})
    text = comparison.agreement
    assert "the silhouette compares each row with the next cluster" in text
    assert "Davies-Bouldin compares each cluster with its most similar other" in text


def test_a_long_table_shows_the_best_by_each_score(rng):
    X = rng.normal(size=(60, 2))
    labelings = {f"random {at}": rng.integers(0, 4, 60) for at in range(60)}
    comparison = compare_labelings(X, labelings)
    text = str(comparison)
    for name in NAMES:
        assert text.count(f"\n{comparison.best[name]} ") >= 1
    shown = sum(line.startswith("random ") for line in text.partition("\n... and ")[0].splitlines())
    assert shown <= 3 * comparison_text.BEST_ROWS
    assert f"... and {60 - shown} more (all of them in rows)" in text


def test_lines_are_not_too_long_and_k_is_not_parted(rng):
    X = rng.normal(size=(60, 2))
    comparison = compare_labelings(
        X, {k: rng.integers(0, k, 60) for k in range(2, 20)}, labels_true=GROUPS[:40].tolist() + [0] * 20
    )
    lines = str(comparison).splitlines()
    assert max(map(len, lines)) <= 112
    assert not any(line.endswith((" K", " K =")) for line in lines)


def test_names_are_printed_on_one_line_and_cut(rng):
    X = rng.normal(size=(20, 2))
    names = {"with\nlines": rng.integers(0, 2, 20), "x" * 200: rng.integers(0, 2, 20), ("a", 1): rng.integers(0, 2, 20)}
    text = str(compare_labelings(X, names))
    assert "with\\nlines" in text
    assert "x" * 61 not in text
    assert "('a', 1)" in text


def noisy(shares, scores):
    """A comparison whose labelings have these shares of noise."""
    several = entries({f"eps={at}": cut(2 + at) for at in range(len(shares))}, scores, "setting")
    several.rows["noise_fraction"] = np.array(shares)
    return comparison_of(several, backend="numpy", seconds=0.0)


GOOD_FIRST = {"silhouette": [0.99, 0.2], "calinski_harabasz": [99, 10], "davies_bouldin": [0.1, 1]}


def test_what_is_mostly_noise_is_the_best_only_where_there_is_nothing_else():
    comparison = noisy([0.998, 0.4], GOOD_FIRST)
    assert_equal({name: comparison.best[name] for name in NAMES}, dict.fromkeys(NAMES, "eps=1"))
    assert_equal(comparison.ranking("davies_bouldin"), ["eps=1", "eps=0"])
    assert "More than half of the rows is noise in eps=0 (K = 2, 99.8 % noise)" in comparison.notes["mostly_noise"]
    alone = noisy([0.998, 0.4], {"silhouette": [0.99, np.nan], "davies_bouldin": [0.1, 1.0]})
    assert_equal(alone.best["silhouette"], "eps=0")
    assert "Doubt eps=0 (K = 2): it calls 99.8 % of the rows noise." in alone.agreement


def test_the_headline_says_that_the_best_is_mostly_noise():
    start = "All three scores agree on eps=0 (K = 2), but it calls 99.8 % of the rows noise: silhouette 0.990"
    comparison = noisy([0.998, 0.7], GOOD_FIRST)
    assert comparison.agreement.startswith(start)
    assert "mostly_noise" not in comparison.notes
    only = noisy([0.99996, 0.7], {"silhouette": [0.99, 0.2]})
    assert_equal(
        str(only.agreement),
        "By silhouette 0.990, the only score here, eps=0 (K = 2) is the best, but it calls 99.996 % of the rows noise.",
    )
    assert "100" not in str(only).partition("Notes")[0]
    single = noisy([0.998, 0.0], {"silhouette": [0.99, np.nan]})
    assert "nothing to choose from, and it calls 99.8 % of the rows noise: silhouette" in single.agreement


def test_half_noise_is_not_most():
    assert_equal(noisy([0.5, 0.0], GOOD_FIRST).best["silhouette"], "eps=0")


def test_the_headline_says_that_a_score_is_infinite():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    comparison = compare_labelings(X, {2: np.repeat([0, 1], [8, 4]), 3: np.repeat([0, 1, 2], 4)})
    headline = comparison.agreement
    assert headline.startswith("All three scores agree on K = 3, but its Calinski-Harabasz is infinite, since no")
    assert "duplicated rows" in headline


def test_noise_is_left_out_by_the_scores_of_which_that_is_said(rng):
    X, labels = rng.normal(size=(30, 2)), {"a": np.repeat([0, 1, -1], 10), "b": np.repeat([0, 1], 15)}
    text = compare_labelings(X, labels, scores=["silhouette", "density_validity"]).notes["noise_rows"]
    assert text.startswith("Silhouette leaves noise out, and so they are of different rows here (0.0 % to 33.3 %")
    assert "The density validity counts noise" in text
    text = compare_labelings(X, labels, scores="density_validity").notes["noise_rows"]
    assert "out" not in text.partition("noise_label")[0]
    assert compare_labelings(X, labels).notes["noise_rows"].startswith("All scores leave noise out")


def test_one_row_and_several_sizes_are_said_right():
    first = np.repeat([0, 1], 20)
    two = {2: first, 4: np.where(np.arange(40) < 20, 0, np.arange(40) % 3 + 1)}
    comparison = judged(two, {"silhouette": [1, 0], "davies_bouldin": [1, 0]})
    assert "(7, 7 and 6 rows)" in comparison.question
    one = first.copy()
    one[0] = -1
    text = str(judged({"a": first, "b": one}, {"silhouette": [1, 0], "davies_bouldin": [1, 0]}, "labeling"))
    assert "1 row becomes noise, 0 cease to be" in " ".join(text.split())


def test_a_standard_error_has_its_digits():
    several = entries(by_k(2, 3), {"silhouette": [0.5, 0.25]})
    several.rows["silhouette_standard_error"] = np.array([0.00004, 0.0123])
    text = str(comparison_of(several, backend="numpy", seconds=0.0))
    assert "0.50000 +/- 0.00004 *" in text
    assert "0.250 +/- 0.012 " in text


@pytest.mark.parametrize(("kept", "word"), [({2, 3}, "smallest"), ({5, 6}, "largest"), ({2, 6}, "")])
def test_narrow_warns_where_all_that_is_left_lies_at_one_end(kept, word):
    ks = range(2, 7)
    scores = {"silhouette": [0.1 if k in kept else np.nan for k in ks], "calinski_harabasz": [10 + k for k in ks]}
    several = entries(by_k(*ks), scores)
    several.notes["narrow"] = "as it was narrowed"
    note = comparison_of(several, backend="numpy", seconds=0.0).notes.get("narrow_end", "")
    assert_equal(f"are the {word} K of those" in note, bool(word))
    assert_equal(bool(note), bool(word))


def test_joined_comparisons_keep_both_notes_on_a_subject(rng):
    X = rng.normal(size=(20, 2))
    both = [compare_labelings(X, {name: rng.integers(0, 2, 20)}) for name in "ab"]
    for comparison, text in zip(both, ("Interrupted: a.", "Interrupted: b."), strict=True):
        comparison.entries.notes["interrupted"] = text
    assert_equal(str(both[0].join(both[1]).notes["interrupted"]), "Interrupted: a. Interrupted: b.")
