"""LabelCountsState against the functions on all samples at once."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from stream_plans import plan_of, plans

import gpumetrics as gm
from gpumetrics.streaming import LabelCountsState
from gpumetrics.streaming.label_counts_state import METRICS

N = 30
RATIOS = ("precision_score", "recall_score", "f1_score", "jaccard_score", "precision_recall_fscore_support")
VECTORS_ONLY = ("balanced_accuracy_score", "cohen_kappa_score", "confusion_matrix", "matthews_corrcoef")
AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)
KINDS = {
    "binary": lambda rng: [rng.integers(0, 2, N) for _ in range(2)],
    "multiclass": lambda rng: [rng.integers(0, 5, N), rng.integers(1, 7, N)],
    "strings": lambda rng: [rng.choice(["a", "bb", "ccc"], N), rng.choice(["a", "bb", "dddd"], N)],
    "whole floats": lambda rng: [rng.integers(0, 3, N).astype(float), rng.integers(0, 3, N)],
    "objects": lambda rng: [[int(x) for x in rng.integers(0, 3, N)], [2**70 * int(x) for x in rng.integers(0, 3, N)]],
    "sets": lambda rng: [(rng.random((N, 4)) < 0.4).astype(int) for _ in range(2)],
    "sparse sets": lambda rng: [csr_array((rng.random((N, 4)) < 0.4).astype(int)) for _ in range(2)],
    "sets of other numbers": lambda rng: [(rng.random((N, 4)) < 0.4) * 3, (rng.random((N, 4)) < 0.4) * 3.0],
}
WEIGHTS = {
    "none": lambda rng: [],
    "integers": lambda rng: [rng.integers(0, 3, N)],
    "large integers": lambda rng: [rng.integers(0, 2**50, N) * 2 + 1],
    "floats": lambda rng: [rng.random(N) * 10.0 ** rng.integers(-5, 5, N)],
}


def outcome(call):
    """What a call returns or raises, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except (ValueError, ZeroDivisionError) as error:
            found = error
    return found, [(w.category, str(w.message)) for w in caught]


def assert_same(found, wanted, total=1.0):
    """The same result and warnings; what is left of sums of weights may differ by the rounding of their total."""
    (found, warned), (wanted, warned_too) = found, wanted
    assert warned == warned_too
    if isinstance(wanted, Exception):
        assert (type(found), str(found)) == (type(wanted), str(wanted))
    elif isinstance(wanted, str):
        assert found == wanted
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name, scores in wanted.items():
            assert_same((found[name], []), (scores, []), total)
    elif isinstance(wanted, tuple):
        for one, other in zip(found, wanted, strict=True):
            assert_same((one, []), (other, []), total)
    elif wanted is None:
        assert found is None
    else:
        assert type(found) is type(wanted)
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
        assert_allclose(found, wanted, rtol=1e-12, atol=1e-15 * total)


def options_of(name):
    if name in RATIOS:
        return st.fixed_dictionaries(
            {"average": st.sampled_from(AVERAGES), "zero_division": st.sampled_from(["warn", 0, 1, np.nan])}
        )
    return {
        "fbeta_score": st.fixed_dictionaries(
            {"beta": st.sampled_from([0, 0.5, 3, np.inf]), "average": st.just("macro")}
        ),
        "classification_report": st.fixed_dictionaries({"output_dict": st.just(True)}),
        "confusion_matrix": st.fixed_dictionaries({"normalize": st.sampled_from([None, "true", "pred", "all"])}),
        "cohen_kappa_score": st.fixed_dictionaries({"weights": st.sampled_from([None, "linear", "quadratic"])}),
        "accuracy_score": st.fixed_dictionaries({"normalize": st.booleans()}),
        "zero_one_loss": st.fixed_dictionaries({"normalize": st.booleans()}),
        "balanced_accuracy_score": st.fixed_dictionaries({"adjusted": st.booleans()}),
    }.get(name, st.just({}))


@pytest.mark.parametrize("name", sorted(METRICS))
@settings(max_examples=40, deadline=None)
@given(data=st.data(), plan=plans(N), kind=st.sampled_from(sorted(KINDS)), weights=st.sampled_from(sorted(WEIGHTS)))
def test_the_same_as_the_function(name, data, plan, kind, weights):
    rng = np.random.default_rng(plan.seed)
    if kind == "sparse sets" and name in VECTORS_ONLY:
        kind = "sets"  # the functions refuse sparse ones in other words
    true, pred = KINDS[kind](rng)
    given = WEIGHTS[weights](rng)
    options = data.draw(options_of(name))
    state = plan.run(LabelCountsState(), true, pred, *given)
    keywords = {"sample_weight": given[0]} if given else {}
    found = outcome(lambda: state.result(name, **options))
    wanted = outcome(lambda: getattr(gm, name)(true, pred, **keywords, **options))
    assert_same(found, wanted, max(1.0, float(given[0].sum())) if given else 1.0)
    assert state.n_samples == N


@settings(deadline=None)
@given(plans(N))
def test_counts_are_exact_in_any_order(plan):
    rng = np.random.default_rng(1)
    true, pred = KINDS["multiclass"](rng)
    weights = rng.integers(0, 2**53, N)
    plain, weighted = (plan.run(LabelCountsState(), true, pred, *more) for more in ([], [weights]))
    assert_array_equal(plain.result("confusion_matrix"), gm.confusion_matrix(true, pred), strict=True)
    wanted = gm.confusion_matrix(true, pred, sample_weight=weights)
    assert_array_equal(weighted.result("confusion_matrix"), wanted, strict=True)


@pytest.mark.parametrize("average", [None, "macro"])
def test_chosen_labels(average):
    rng = np.random.default_rng(2)
    for kind, labels in (("strings", ["ccc", "a", "none"]), ("sets", [3, 0])):
        true, pred = KINDS[kind](rng)
        state = plan_of(N, 3).run(LabelCountsState(), true, pred)
        options = {"labels": labels, "average": average, "zero_division": 0}
        assert_array_equal(state.result("f1_score", **options), gm.f1_score(true, pred, **options))


def test_pos_label():
    true, pred = ["no", "yes", "yes"], ["yes", "yes", "no"]
    state = LabelCountsState().update(true[:1], pred[:1]).update(true[1:], pred[1:])
    assert state.result("f1_score", pos_label="yes") == gm.f1_score(true, pred, pos_label="yes")


def test_what_needs_every_sample_is_refused():
    state = LabelCountsState().update([[0, 1, 1]], [[1, 1, 0]])
    with pytest.raises(ValueError, match="average='samples' of chosen labels needs the samples"):
        state.result("f1_score", average="samples", labels=[0])
    with pytest.raises(ValueError, match="samplewise=True gives a matrix for each sample"):
        state.result("multilabel_confusion_matrix", samplewise=True)
    with pytest.raises(TypeError, match=r"result\(\) takes no 'sample_weight'"):
        state.result("f1_score", sample_weight=[1])


def test_one_kind_of_samples_is_warned_of_as_many():
    true, pred = [[0, 0], [0, 0], [0, 0]], [[0, 0], [0, 0], [0, 0]]
    state = LabelCountsState().update(true, pred)
    wanted = outcome(lambda: gm.jaccard_score(true, pred, average="samples"))
    assert wanted[1]
    assert_same(outcome(lambda: state.result("jaccard_score", average="samples")), wanted)


def test_weights_of_the_defined_samples_that_add_up_to_nothing():
    true, pred, weights = [[0, 0], [1, 0], [1, 0], [1, 1]], [[0, 0], [1, 0], [1, 0], [0, 1]], [1, 0, 0, 0]
    state = LabelCountsState().update(true, pred, weights)
    options = {"average": "samples", "zero_division": np.nan}
    wanted = gm.f1_score(true, pred, sample_weight=weights, **options)
    assert_allclose(state.result("f1_score", **options), wanted, rtol=1e-15)


def test_a_batch_may_weigh_nothing_but_not_all():
    state = LabelCountsState().update([0, 1], [0, 0], [0, 0])
    with pytest.raises(ValueError, match="Sample weights must contain at least one non-zero number"):
        state.result("accuracy_score")
    assert state.update([1], [1], [2.0]).result("accuracy_score") == 1.0


def test_weights_near_the_end_of_float64():
    state = LabelCountsState()
    for _ in range(3):
        state.update([0, 1], [0, 0], [4e269, 1.0])
    with pytest.raises(ValueError, match=r"sample_weight adds up to 1.2e\+270"):
        state.result("accuracy_score")


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (([0, 1], [1, 0], [1, 1]), "sample_weight must come with every batch, or with none"),
        (([[0, 1]], [[1, 1]]), "labels in vectors and label sets in matrices cannot be counted together"),
        ((["a", "b"], ["a", "a"]), "Mix of label input types"),
        (([0, 1], [1]), "inconsistent numbers of samples"),
        (([0.5, 1], [1, 0]), "continuous"),
        (([], []), "it has no rows; leave empty batches out"),
    ],
)
def test_a_batch_of_another_kind_is_told_by_its_number_and_leaves_the_state(batch, message):
    state = LabelCountsState().update([0, 2, 2], [0, 2, 1]).update([1], [1])
    with pytest.raises(ValueError, match=rf"^Batch 3 of this LabelCountsState, after 4 rows: .*{message}"):
        state.update(*batch)
    with pytest.raises(ValueError, match=message):
        state.merge(LabelCountsState().update(*batch))
    assert state.result("accuracy_score") == 0.75


def test_label_sets_of_another_width_or_of_three_numbers():
    state = LabelCountsState().update([[0, 1, 1]], [[1, 1, 0]])
    with pytest.raises(ValueError, match=r"Batch 2 .*the label sets have 2 columns, where those before have 3"):
        state.update([[0, 1]], [[1, 1]])
    with pytest.raises(ValueError, match=r"Batch 2 .*the batches of y_pred hold \[0, 1, 2\], where label sets"):
        state.update([[0, 1, 1]], [[2, 0, 2]])


@pytest.mark.parametrize("n_labels", range(2, 9))
def test_label_sets_of_few_samples(n_labels):
    # The codes of their counts have gaps, up to the end of a range that no sample reaches.
    rng = np.random.default_rng(n_labels)
    for n in range(2, 40):
        true, pred = (rng.random((2, n, n_labels)) < 0.7).astype(int)
        state = LabelCountsState().update(true, pred)
        for average in ("micro", "samples"):
            expected = gm.jaccard_score(true, pred, average=average, zero_division=0)
            assert_allclose(state.result("jaccard", average=average, zero_division=0), expected, rtol=1e-12)


def test_tables_of_other_columns():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame([[0, 1], [1, 1]], columns=["a", "b"])
    state = LabelCountsState().update(table, table)
    other = table.rename(columns={"b": "c"})
    with pytest.raises(ValueError, match="The columns of y_true must have the names of those of y_true before"):
        state.update(other, other)
    assert state.update(table.to_numpy(), table.to_numpy()).n_samples == 4


def test_targets_are_what_the_functions_take():
    state = LabelCountsState().update(["a", "b"], ["b", "b"]).update(["b"], ["b"])
    targets = state.targets()
    counts = targets.data.label_counts(None)
    assert_array_equal([counts.true_positives, counts.predicted, counts.true], [[0, 2], [0, 3], [1, 2]])
    assert gm.f1_score(targets, targets, pos_label="b") == state.result("f1_score", pos_label="b") == 0.8


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_on_each_backend(backend, kind):
    rng = np.random.default_rng(7)
    true, pred = KINDS[kind](rng)
    weights = rng.random(N)
    state = plan_of(N, 5).run(LabelCountsState(), true, pred, weights)
    average = "samples" if "sets" in kind else "weighted"
    wanted = gm.f1_score(true, pred, average=average, sample_weight=weights, zero_division=0)
    assert_allclose(state.result("f1_score", average=average, zero_division=0), wanted, rtol=1e-12)


def test_batches_on_a_device(emulated):
    true, pred = KINDS["sets"](np.random.default_rng(1))
    state = LabelCountsState().update(emulated.asarray(true[:9]), emulated.asarray(pred[:9])).update(true[9:], pred[9:])
    wanted = gm.jaccard_score(true, pred, average="samples", zero_division=1)
    assert_allclose(state.result("jaccard_score", average="samples", zero_division=1), wanted, rtol=1e-14)
