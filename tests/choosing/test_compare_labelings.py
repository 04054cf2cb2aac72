"""`compare_labelings`: each line has the scores of the single functions, and the best is best in its own direction."""

import json
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.choosing import silhouettes
from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.facts import EXTERNAL_NAMES, printed
from gpumetrics.clustering.labelings import check_labelings
from gpumetrics.clustering.sharing import expected_seconds
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation import silhouette_part
from gpumetrics.frames import frame_of
from gpumetrics.label_arrays import as_objects
from gpumetrics.text.json_text import strict_json

NAMES = ("silhouette", "calinski_harabasz", "davies_bouldin")


def data(seed=0, n=120, d=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return rng.normal(size=(n, d)) + 5 * rng.normal(size=(4, d))[truth], truth


def nested(truth):
    """Labelings of 2, 3, 4 and 7 clusters, and one with noise."""
    out = {k: np.minimum(truth, k - 1) for k in (2, 3, 4)}
    out[7] = truth + 4 * (np.arange(len(truth)) % 3 == 0)
    out[7] = np.unique(out[7] % 7, return_inverse=True)[1]
    noisy = truth.copy()
    noisy[::5] = -1
    return out | {"noisy": noisy}


def plain_scores(X, labels):
    kept = labels != -1
    functions = gm.silhouette_score, gm.calinski_harabasz_score, gm.davies_bouldin_score
    return [function(X[kept], labels[kept]) for function in functions]


def words(text):
    return " ".join(str(text).split())


@pytest.mark.usefixtures("backend")
def test_each_line_has_the_scores_of_the_functions():
    X, truth = data()
    labelings = nested(truth)
    comparison = compare_labelings(X, labelings, labels_true=truth)
    table = comparison.rows
    assert_equal(comparison.names, list(labelings))
    for at, labels in enumerate(labelings.values()):
        kept = labels != -1
        assert_allclose([table[name][at] for name in NAMES], plain_scores(X, labels), rtol=1e-10)
        sizes = np.bincount(labels[kept])
        expected = (len(sizes), sizes.min(), sizes.max(), (~kept).sum(), np.mean(~kept))
        found = [table[name][at] for name in ("n_clusters", "size_min", "size_max", "n_noise", "noise_fraction")]
        assert_allclose(found, expected)
        s = gm.silhouette_samples(X[kept], labels[kept])
        macro = np.mean([s[labels[kept] == c].mean() for c in np.unique(labels[kept])])
        assert_allclose(table["silhouette_macro"][at], macro, rtol=1e-10)
        report = gm.evaluate_clustering(X, labels, labels_true=truth)
        assert_allclose([table[name][at] for name in EXTERNAL_NAMES], [report.scores[name] for name in EXTERNAL_NAMES])
    assert_equal(set(table["reason"]), {""})


@pytest.mark.usefixtures("backend")
def test_one_pass_gives_the_silhouettes_of_many_random_labelings(rng):
    X = rng.normal(size=(90, 4))
    labelings = {f"random {k}": rng.integers(-1, k, 90) for k in range(2, 30)}
    comparison = compare_labelings(X, labelings, scores="silhouette")
    expected = [gm.silhouette_score(X, labels, noise_label=-1) for labels in labelings.values()]
    assert_allclose(comparison.rows["silhouette"], expected, atol=1e-12)
    assert_equal(list(comparison.best), ["silhouette", "silhouette_macro"])


@pytest.mark.parametrize("kind", ["dict", "list", "array", "pandas", "polars"])
def test_labelings_of_every_kind(kind):
    X, truth = data()
    columns = {"a": truth, "b": np.minimum(truth, 2)}
    table = np.stack(list(columns.values()), axis=1)
    given = {"dict": columns, "list": list(columns.values()), "array": table}
    if kind in {"pandas", "polars"}:
        given[kind] = pytest.importorskip(kind).DataFrame(columns)
    comparison = compare_labelings(X, given[kind])
    assert_equal(comparison.names, [0, 1] if kind in {"list", "array"} else ["a", "b"])
    assert_allclose(comparison.rows["silhouette"], [gm.silhouette_score(X, labels) for labels in columns.values()])
    assert_array_equal(np.asarray(comparison.labels(comparison.names[1])), columns["b"])
    assert_equal(comparison.entries.kind, "labeling")  # numbers that are not those of clusters are names


def test_the_best_is_the_smallest_davies_bouldin_and_the_largest_of_the_others():
    X, truth = data()
    comparison = compare_labelings(X, nested(truth), labels_true=truth)
    table, names = comparison.rows, comparison.names
    for name, best in comparison.best.items():
        choose = np.min if name == "davies_bouldin" else np.max
        assert_equal(table[name][names.index(best)], choose(table[name]), err_msg=name)
        ranking = comparison.ranking(name)
        values = [table[name][names.index(other)] for other in ranking]
        assert_equal(values, sorted(values, reverse=name != "davies_bouldin"))
    worst = comparison.ranking("davies_bouldin")[-1]
    assert_equal(worst, names[int(np.argmax(table["davies_bouldin"]))])


@pytest.mark.usefixtures("backend")
def test_a_labeling_without_scores_is_a_line_with_its_reason():
    X, truth = data(n=40)
    labelings = {
        "good": truth,
        "one cluster": np.zeros(40, dtype=int),
        "all noise": np.full(40, -1),
        "singletons": np.arange(40),
        "two and noise": np.r_[0, 1, np.full(38, -1)],
    }
    comparison = compare_labelings(X, labelings, labels_true=truth)
    table = dict(zip(comparison.names, comparison.rows["reason"], strict=True))
    assert_equal(table["good"], "")
    reasons = {
        "one cluster": "all 40 rows are in one cluster",
        "all noise": "every row is noise",
        "singletons": "each of the 40 rows is a cluster of its own",
        "two and noise": "each of the 2 rows is a cluster of its own",
    }
    for at, name in enumerate(comparison.names):
        if name != "good":
            assert reasons[name] in table[name]
            assert np.isnan([comparison.rows[score][at] for score in (*NAMES, "silhouette_macro")]).all()
            assert reasons[name] in words(comparison)
    assert_equal(comparison.rows["n_clusters"].tolist(), [4, 1, 0, 40, 2])
    assert_equal(comparison.rows["size_max"].tolist()[2:], [0, 1, 1])
    assert "Only good (K = 4) has scores" in comparison.agreement
    assert not comparison.agreed


def test_no_labeling_with_a_score():
    comparison = compare_labelings([[0.0], [1.0], [2.0]], {"a": [0, 0, 0], "b": [0, 1, 2]})
    assert_equal(set(comparison.best.values()), {None})
    assert "No score is defined" in comparison.agreement
    assert_equal((comparison.question, comparison.changes, comparison.agreed), ("", (), False))
    str(comparison)


def test_infinite_scores_are_compared():
    X = [[0.0], [0.0], [1.0], [1.0], [9.0], [9.0]]
    comparison = compare_labelings(X, {2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 1, 1, 2, 2]})
    assert_equal(comparison.rows["calinski_harabasz"][1], math.inf)
    assert_equal([comparison.best[name] for name in NAMES], [3, 3, 3])
    assert "Suspect duplicated rows" in comparison.notes["davies_bouldin"]
    line = comparison.to_dict()["labelings"][1]
    assert "no cluster has any spread" in line["calinski_harabasz_reason"]
    json.loads(strict_json(comparison.to_dict()), parse_constant=pytest.fail)


@pytest.mark.usefixtures("backend")
def test_noise_is_left_out_of_its_own_labeling_only():
    X, truth = data()
    labelings = {k: labels for k, labels in nested(truth).items() if k in {4, "noisy"}}
    with_noise = compare_labelings(X, labelings)
    assert_equal(with_noise.rows["n_noise"].tolist(), [0, 24])
    assert_allclose(with_noise.rows["noise_fraction"], [0, 0.2])
    assert "More than a tenth of the rows is noise in noisy (K = 4, 20 % noise)" in with_noise.notes["noise"]
    assert "doubt the settings" in with_noise.notes["noise"]
    assert "of different rows here (0.0 % to 20.0 % noise)" in with_noise.notes["noise_rows"]
    as_cluster = compare_labelings(X, labelings, noise_label=None)
    assert_equal(as_cluster.rows["n_clusters"].tolist(), [4, 5])
    assert_allclose(as_cluster.rows["silhouette"], [gm.silhouette_score(X, labels) for labels in labelings.values()])
    assert not {"noise", "noise_rows"} & set(as_cluster.notes)
    assert " noise" not in str(as_cluster).splitlines()[2]
    assert " noise " in str(with_noise).splitlines()[2]


def test_labels_of_any_kind():
    X, truth = data()
    text = np.array(["a", "b", "noise", "d"])[truth]
    comparison = compare_labelings(X, {"text": text, "numbers": truth}, noise_label="noise")
    assert_equal(comparison.rows["n_noise"].tolist(), [int((truth == 2).sum()), 0])
    assert_array_equal(comparison.labels("text"), text)


def test_equal_partitions_tie_and_the_scores_agree_on_one_of_them(rng):
    X, truth = data()
    renamed = rng.permutation(4)[truth]
    worse = np.minimum(truth, 2)
    for labelings in ({"worse": worse, "a": truth, "b": renamed}, {"a": renamed, "worse": worse, "b": truth}):
        comparison = compare_labelings(X, labelings)
        assert_equal([comparison.best[name] for name in NAMES], ["a", "a", "a"])
        assert "scores agree on a (K = 4) (another is as good)" in comparison.agreement
        assert comparison.agreed


def test_the_scores_of_precomputed_distances():
    X, truth = data()
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    comparison = compare_labelings(distances, {"a": truth, "b": np.minimum(truth, 2)}, metric="precomputed")
    expected = [gm.silhouette_score(X, labels) for labels in (truth, np.minimum(truth, 2))]
    assert_allclose(comparison.rows["silhouette"], expected)
    assert np.isnan(comparison.rows["calinski_harabasz"]).all()
    assert "only their distances were given" in comparison.rows["reason"][0]
    assert "the only score here" in comparison.agreement
    assert "features" not in str(comparison).splitlines()[0]


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("metric", ["cosine", "manhattan", "sqeuclidean"])
def test_other_metrics(metric):
    X, truth = data()
    labelings = nested(truth)
    comparison = compare_labelings(X, labelings, metric=metric)
    expected = [gm.silhouette_score(X, labels, metric=metric, noise_label=-1) for labels in labelings.values()]
    assert_allclose(comparison.rows["silhouette"], expected, rtol=1e-9)
    assert ("metric" in comparison.notes) == (metric != "sqeuclidean")


def test_options_of_the_metric_and_settings():
    X, truth = data()
    weights = np.array([1.0, 0.0, 2.0])
    comparison = compare_labelings(X, [truth], metric="minkowski", p=3, w=weights, working_memory=8)
    assert_allclose(comparison.rows["silhouette"], gm.silhouette_score(X, truth, metric="minkowski", p=3, w=weights))
    with pytest.raises(TypeError):
        compare_labelings(X, [truth], nonsense=1)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"labelings": {}}, "labelings holds no labeling"),
        ({"labelings": [0, 1, 1, 0]}, "labelings must be"),
        ({"labelings": {"a": [0, 1, 0]}}, "inconsistent numbers of samples"),
        ({"labels_true": [0, 1, 0]}, "inconsistent numbers of samples"),
        ({"scores": "silhouete"}, "scores must be some of"),
        ({"scores": ()}, "scores must be some of"),
        ({"scores": 3}, "scores must be some of"),
        ({"scores": ["adjusted_rand"]}, "labels_true adds those against known classes"),
        ({"silhouette": "fast"}, "silhouette must be one of"),
        ({"narrow": 0}, "narrow must be True, False or a number"),
        ({"narrow": "no"}, "narrow must be True, False or a number"),
        ({"narrow": True, "scores": "silhouette"}, "both must be among the scores"),
        ({"random_state": -1}, "random_state must be"),
        ({"metric": "nonsense"}, "nonsense"),
        ({"scores": "density_validity", "metric": "correlation"}, "density_validity takes the metrics"),
    ],
)
def test_bad_arguments(keywords, message):
    arguments = {"labelings": {"a": [0, 0, 1, 1]}} | keywords
    with pytest.raises(ValueError, match=message):
        compare_labelings([[0.0], [1.0], [4.0], [9.0]], **arguments)


def test_the_input_is_not_modified():
    X, truth = data()
    labelings = nested(truth)
    before = X.copy(), {name: labels.copy() for name, labels in labelings.items()}
    X.flags.writeable = False
    for labels in labelings.values():
        labels.flags.writeable = False
    comparison = compare_labelings(X, labelings, labels_true=truth)
    assert_array_equal(X, before[0])
    for name, labels in labelings.items():
        assert_array_equal(labels, before[1][name])
        assert comparison.labels(name) is labels


# Estimates ------------------------------------------------------------------------------------


@pytest.fixture(name="few_rows")
def estimates_of_few_rows(monkeypatch):
    monkeypatch.setattr(silhouette_part, "FEWEST_QUERIES", 60)
    monkeypatch.setattr(silhouette_part, "MOST_QUERIES", 60)


@pytest.mark.usefixtures("backend", "few_rows")
def test_an_estimate_asks_the_same_rows_of_every_labeling():
    X, truth = data(n=300)
    labelings = nested(truth)
    comparison = compare_labelings(X, labelings, silhouette="estimate", random_state=3)
    assert_equal(comparison.silhouette_mode, "estimate")
    sampled = [comparison.entries.sampled[name] for name in labelings]
    for values, labels in zip(sampled, labelings.values(), strict=True):
        exact = gm.silhouette_samples(X, labels, noise_label=-1)
        assert_equal(len(values), 60)
        rows = [np.flatnonzero(np.isclose(exact, value, rtol=1e-9, equal_nan=True)) for value in values]
        assert all(len(found) for found in rows)
    repeated = compare_labelings(X, {"again": truth, **labelings}, silhouette="estimate", random_state=3)
    assert_array_equal(repeated.entries.sampled["again"], repeated.entries.sampled[4])
    assert_array_equal(repeated.entries.sampled[4], comparison.entries.sampled[4])
    error = comparison.rows["silhouette_standard_error"]
    exact = [gm.silhouette_score(X, labels, noise_label=-1) for labels in labelings.values()]
    assert (np.abs(comparison.rows["silhouette"] - exact) < 5 * error).all()
    text = words(comparison)
    assert "+/-" in text
    assert "60 of 300 rows drawn at random, the same for every labeling" in text


@pytest.mark.usefixtures("few_rows")
def test_the_error_of_an_estimate_is_true():
    X, truth = data(n=400)
    labelings = {"whole": truth, "coarse": np.minimum(truth, 1), "random": np.random.default_rng(1).integers(0, 5, 400)}
    exact = compare_labelings(X, labelings, scores="silhouette").rows["silhouette"]
    inside, values = [], []
    for seed in range(150):
        rows = compare_labelings(X, labelings, scores="silhouette", silhouette="estimate", random_state=seed).rows
        values.append(rows["silhouette"])
        inside.append(np.abs(rows["silhouette"] - exact) < 1.96 * rows["silhouette_standard_error"])
    assert (np.mean(inside, axis=0) > 0.88).all()
    spread = np.std(values, axis=0) / np.sqrt(150)
    assert (np.abs(np.mean(values, axis=0) - exact) < 4 * spread).all()


@pytest.mark.usefixtures("few_rows")
def test_what_a_sample_cannot_tell_apart_is_said():
    X, truth = data(n=400)
    almost = truth.copy()
    almost[:20:10] = (almost[:20:10] + 1) % 4
    labelings = {"right": truth, "almost": almost, "coarse": np.minimum(truth, 1)}
    comparison = compare_labelings(X, labelings, silhouette="estimate", random_state=0)
    exact = compare_labelings(X, labelings)
    assert "told_apart" not in exact.notes
    assert "does not tell the silhouette of almost (K = 4) from that of right" in comparison.notes["told_apart"]
    assert "coarse" not in comparison.notes["told_apart"]


def test_auto_is_exact_for_small_work_and_closed_forms(monkeypatch):
    X, truth = data()
    assert_equal(compare_labelings(X, [truth]).silhouette_mode, "exact")
    monkeypatch.setattr(silhouettes, "LONGEST_EXACT", -1.0)
    assert_equal(compare_labelings(X, [truth]).silhouette_mode, "estimate")
    assert_equal(compare_labelings(X, [truth], metric="cosine").silhouette_mode, "exact")
    assert_equal(compare_labelings(X, [truth], silhouette="exact").silhouette_mode, "exact")


def test_a_sample_of_all_rows_is_exact():
    X, truth = data()
    comparison = compare_labelings(X, [truth], silhouette="estimate")
    assert_allclose(comparison.rows["silhouette"], gm.silhouette_score(X, truth), rtol=1e-12)
    assert_allclose(comparison.rows["silhouette_standard_error"], 0, atol=1e-15)
    pairs = compare_labelings(X, [np.arange(120) // 2], silhouette="estimate").rows["silhouette_macro"]
    assert_allclose(pairs, gm.silhouette_score(X, np.arange(120) // 2), rtol=1e-12)


def test_the_work_is_expected_as_it_is_shared():
    X, truth = data(n=2000)
    labelings = {k: np.minimum(np.arange(2000) % 31, k - 1) for k in range(2, 32)}  # cuts of one tree
    metric, _ = check_metric("euclidean", {}, "test")
    every = check_labelings(X, labelings, -1, metric=metric)
    assert expected_seconds(every, metric) < 6 * expected_seconds(check_labelings(X, [truth], metric=metric), metric)


def test_the_number_of_rows_of_an_estimate_depends_little_on_the_speed():
    seconds_of_a_thousand = (1e-9, 1.9, 2.1, 3.5, 7.9, 8.1, 19.0, 1e9)
    numbers = [silhouette_part.affordable_queries(seconds) for seconds in seconds_of_a_thousand]
    assert_equal(numbers, [10_000, 10_000, 8_000, 4_000, 2_000, 2_000, 1_000, 1_000])


@pytest.mark.usefixtures("few_rows")
def test_many_clusters_have_no_macro_mean_in_an_estimate():
    X, _ = data(n=300)
    labels = np.arange(300) // 3
    comparison = compare_labelings(X, {"many": labels}, silhouette="estimate", random_state=0)
    assert np.isnan(comparison.rows["silhouette_macro"][0])
    assert "too many clusters" in comparison.rows["reason"][0]
    assert np.isfinite(comparison.rows["silhouette"][0])


def test_skip_leaves_the_silhouette_out():
    X, truth = data()
    comparison = compare_labelings(X, [truth, truth % 2], silhouette="skip")
    assert np.isnan(comparison.rows["silhouette"]).all()
    assert_equal(comparison.silhouette_mode, "skip")
    assert "left out, as asked" in comparison.rows["reason"][0]


def test_narrow_asks_only_the_best_by_calinski_harabasz():
    X, truth = data()
    labelings = nested(truth)
    whole, narrow = compare_labelings(X, labelings), compare_labelings(X, labelings, narrow=2)
    best = whole.ranking("calinski_harabasz")[:2]
    asked = ~np.isnan(narrow.rows["silhouette"])
    assert_equal(asked.tolist(), [name in best for name in narrow.names])
    assert_allclose(narrow.rows["silhouette"][asked], whole.rows["silhouette"][asked], rtol=1e-12)
    assert "not among the 2 best by Calinski-Harabasz" in narrow.rows["reason"][~asked][0]
    assert "Only the 2 labelings that are best by Calinski-Harabasz have a silhouette" in narrow.notes["narrow"]
    assert "narrow" not in compare_labelings(X, labelings, narrow=True).notes  # there are only five


# Joining --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("backend")
def test_comparisons_of_the_same_data_join():
    X, truth = data()
    labelings = nested(truth)
    whole = compare_labelings(X, labelings, labels_true=truth)
    first = compare_labelings(X, {k: labelings[k] for k in (2, 3)}, labels_true=truth)
    second = compare_labelings(X.tolist(), {k: labelings[k] for k in (4, 7, "noisy")}, labels_true=truth.tolist())
    joined = first.join(second)
    assert_equal((joined.names, joined.best, joined.agreement), (whole.names, whole.best, whole.agreement))
    assert_equal(joined.question, whole.question)
    for name, column in whole.rows.items():
        if column.dtype.kind == "f":
            assert_allclose(joined.rows[name], column, rtol=1e-10, err_msg=name)
    backwards = compare_labelings(X, {"again": truth}, scores=NAMES[::-1], labels_true=truth)
    assert_equal(joined.join(backwards).best["silhouette"], whole.best["silhouette"])
    with pytest.raises(TypeError, match="other must be a Comparison, got None"):
        joined.join(None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: {"X": X * 2}, "the data are not the same"),
        (lambda X, y: {"X": X[:, ::-1]}, "the data are not the same"),
        (lambda X, y: {"X": np.r_[X[1:], X[:1]]}, "the data are not the same"),
        (lambda X, y: {"X": X + np.eye(*X.shape) * 1e-9}, "the data are not the same"),
        (lambda X, y: {"X": X[:-1], "labelings": {"b": y[:-1]}}, "the data"),
        (lambda X, y: {"metric": "cosine"}, "other metrics"),
        (lambda X, y: {"metric": "minkowski", "p": 3}, "other metrics"),
        (lambda X, y: {"metric": lambda a, b: abs(a - b).sum()}, "other metrics"),
        (lambda X, y: {"noise_label": None}, "the noise labels differ"),
        (lambda X, y: {"scores": "silhouette"}, "do not have the same scores"),
        (lambda X, y: {"labels_true": y}, "labels_true is not the same"),
        (lambda X, y: {"silhouette": "estimate"}, "exact and of the other estimated"),
        (lambda X, y: {"labelings": {"a": y}}, "'a' names a labeling in both"),
    ],
)
def test_other_data_do_not_join(change, message):
    X, truth = data()
    first = compare_labelings(X, {"a": truth})
    keywords = {"X": X, "labelings": {"b": truth % 2}} | change(X, truth)
    second = compare_labelings(**keywords)
    with pytest.raises(ValueError, match=message):
        first.join(second)


@pytest.mark.usefixtures("few_rows")
def test_estimates_join_if_their_rows_are_the_same():
    X, truth = data()
    one, same, other = (
        compare_labelings(X, {name: truth % k}, silhouette="estimate", random_state=seed)
        for name, k, seed in (("a", 4, 0), ("b", 3, 0), ("c", 2, 1))
    )
    assert_equal(len(one.join(same)), 2)
    with pytest.raises(ValueError, match=r"estimated from other rows .the same random_state"):
        one.join(other)


def test_renaming():
    X, truth = data()
    comparison = compare_labelings(X, nested(truth))
    renamed = comparison.renamed(lambda name: f"ward {name}")
    assert_equal(renamed.names, [f"ward {name}" for name in comparison.names])
    assert_equal(renamed.best, {score: f"ward {name}" for score, name in comparison.best.items()})
    assert renamed.labels("ward 4") is comparison.labels(4)
    both = comparison.join(renamed)
    assert_equal(len(both), 2 * len(comparison))
    assert_equal(both.best, comparison.best)  # of equally good ones the first
    assert_equal(comparison.renamed({4: "four"}).names, [2, 3, "four", 7, "noisy"])
    with pytest.raises(ValueError, match="stay different"):
        comparison.renamed({4: 3})


# The result -----------------------------------------------------------------------------------


def test_labels_and_rankings_by_name():
    X, truth = data()
    comparison = compare_labelings(X, {"a": truth, "b": np.zeros(120)})
    with pytest.raises(KeyError, match="the names are 'a', 'b'"):
        comparison.labels("c")
    with pytest.raises(ValueError, match="score must be one of"):
        comparison.ranking("adjusted_rand")
    assert_equal(comparison.ranking("silhouette"), ["a"])
    with pytest.raises(AttributeError):
        comparison.agreed = False
    assert_equal(repr(comparison)[:46], "<Comparison of 2 labelings of 120 rows: best b")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_to_frame(library):
    pytest.importorskip(library)
    X, truth = data()
    comparison = compare_labelings(X, nested(truth))
    frame = comparison.to_frame(library)
    assert type(frame).__module__.startswith(library)
    assert_equal(list(frame.columns), list(comparison.rows))
    assert_allclose(frame["silhouette"].to_numpy(), comparison.rows["silhouette"])
    assert_equal(len(frame), len(comparison))
    with pytest.raises(ValueError, match="library must be one of"):
        comparison.to_frame("duckdb")


def test_dates_and_mixed_names_in_every_library():
    columns = {"when": np.array(["2024-05-01"] * 2, dtype="M8[s]"), "name": as_objects([(1, 2), "x"])}
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        assert_equal(str(frame_of(columns, library)["when"][1])[:10], "2024-05-01")
    assert_equal(frame_of({"name": as_objects([(1, 2), (3,)])}, "polars")["name"].to_list(), ["(1, 2)", "(3,)"])


def test_names_are_needed():
    X, truth = data()
    with pytest.raises(ValueError, match="labelings must have names, got None"):
        compare_labelings(X, {"a": truth, None: truth})
    with pytest.raises(ValueError, match="labelings must have names, got nan"):
        compare_labelings(X, {"a": truth}).renamed({"a": math.nan})


def test_to_frame_without_a_library(monkeypatch):
    import sys

    comparison = compare_labelings(*data()[:1], [data()[1]])
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="pip install pandas; to_dict"):
        comparison.to_frame()


def test_to_dict_survives_json():
    X, truth = data()
    labelings = nested(truth) | {"none": np.zeros(120, dtype=int)}
    comparison = compare_labelings(X, labelings, labels_true=truth)
    found = json.loads(strict_json(comparison.to_dict()), parse_constant=pytest.fail)
    assert_equal([line["name"] for line in found["labelings"]], [2, 3, 4, 7, "noisy", "none"])
    assert_allclose([line["silhouette"] for line in found["labelings"][:5]], comparison.rows["silhouette"][:5])
    assert "one cluster" in found["labelings"][5]["silhouette_reason"]
    assert_equal(found["better"]["davies_bouldin"], "lower")
    assert_equal(found["best"]["davies_bouldin"], comparison.best["davies_bouldin"])
    assert_equal((found["agreed"], found["agreement"]), (comparison.agreed, str(comparison.agreement)))


def test_printed_values():
    values = [("silhouette", -0.0004), ("calinski_harabasz", 1234567.8), ("calinski_harabasz", 3.14159)]
    values += [("davies_bouldin", math.inf), ("calinski_harabasz", 1e12), ("davies_bouldin", 123456.0)]
    assert_equal([printed(*value) for value in values], ["0.000", "1,234,568", "3.142", "inf", "1e+12", "1.23e+05"])


def test_no_warning_escapes():
    X = np.zeros((6, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        comparison = compare_labelings(X, {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 0, 0, 0, 0]})
    assert np.isnan(comparison.rows["calinski_harabasz"]).all()
    assert "all rows are equal" in comparison.rows["reason"][0]
