"""What comparisons, sweeps and stabilities say is said in Korean too, in whatever situation."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_equal

from gpumetrics.choosing import compare, silhouettes
from gpumetrics.choosing.comparison_text import change_text
from gpumetrics.choosing.stability import stability, stability_of
from gpumetrics.choosing.sweep import sweep
from gpumetrics.commands.spelling import in_options
from gpumetrics.text.messages import Message, translated

# Names stay as they are: of scores, options, functions, metrics, errors; the labelings here are called Ada and Bob.
NAMES = """
Calinski-Harabasz Davies-Bouldin Rand Adjusted Normalized mutual information Homogeneity Completeness ARI AMI NMI
Jaccard Hennig DBSCAN eps nan inf narrow --narrow False silhouette exact --silhouette noise_label None none
--noise-label labels_true --labels-true density_validity labels --scores scikit-learn Differences manhattan resample
Ada Bob bootstrap random_state predict RuntimeError from
"""
NAMES = set(NAMES.split())
WORD = re.compile(r"-{0,2}[A-Za-z_]{2,}(?:-[A-Za-z_]+)*")
rng = np.random.default_rng(0)
TRUTH = np.repeat(np.arange(4), 15)
X = rng.normal(size=(60, 2)) + 6 * np.array([[0, 0], [0, 1.2], [3, 0], [3, 3]])[TRUTH]
NOISY, MOSTLY = np.where(np.arange(60) % 5 == 0, -1, TRUTH), np.where(np.arange(60) % 5 > 0, -1, TRUTH)
COARSE, MIXED = np.minimum(TRUTH, 2), np.arange(60) % 4
POINTS = np.repeat(np.eye(3), 20, axis=0)
SCORES = ("silhouette", "calinski_harabasz", "davies_bouldin", "density_validity")
ANGLES = np.linspace(0, 3.1, 40)
MOONS = np.r_[np.c_[np.cos(ANGLES), np.sin(ANGLES)], np.c_[1 - np.cos(ANGLES), 0.5 - np.sin(ANGLES)]]
HALVES = {"Ada": (MOONS[:, 0] > 0.5) * 1, "Bob": np.repeat([0, 1], 40)}


def by_k(*ks):
    return {k: np.minimum(TRUTH, k - 1) if k < 5 else np.arange(60) % k for k in ks}


def compared(labelings, data=X, **options):
    return lambda: compare.compare_labelings(data, labelings, random_state=0, **options)


def words_of(comparison):
    """Return all that a comparison says: notes also as the command says them."""
    notes = list(comparison.notes.values())
    names = [name for name in comparison.names if name in comparison.entries.labelings][:4]
    changes = [change_text(comparison, comparison.change(a, b)) for a in names for b in names]
    reasons = [reason for notes in comparison.entries.reasons.values() for reason in notes.values()]
    spoken = [comparison.agreement, comparison.question, *comparison.rows["reason"]]
    return [text for text in [*spoken, *notes, *map(in_options, notes), *changes, *reasons] if text]


def untranslated(texts):
    """Return texts that are no messages, or whose Korean has no Hangul, or English words that are no names."""
    korean = {str(text): translated(text, "ko") for text in texts}
    rest = {text: sorted(set(WORD.findall(said)) - NAMES) for text, said in korean.items()}
    plain = [text for text in texts if not isinstance(text, Message)]
    return plain + [(text, rest[text]) for text, said in korean.items() if rest[text] or not re.search("[가-힣]", said)]


COMPARISONS = {
    "All three scores agree on K = 4:": compared(by_k(2, 3, 4, 5, 6)),
    "All four scores agree on": compared({"Ada": TRUTH, "Bob": MIXED}, scores=SCORES),
    "Both scores agree on": compared({"Ada": TRUTH, "Bob": MIXED}, scores=SCORES[:2]),
    "the only score here, Ada (K = 4) is the best.": compared({"Ada": TRUTH, "Bob": MIXED}, scores="silhouette"),
    "is the best, but it calls 80 %": compared({"Ada": MOSTLY, "Bob": MOSTLY}, scores="silhouette"),
    "another is as good": compared({"Ada": TRUTH, "Bob": TRUTH}),
    "2 others are as good": compared({"Ada": TRUTH, "Bob": TRUTH, 3: TRUTH}),
    "agree on Ada (K = 3), but its Calinski-Harabasz is infinite": compared(
        {"Ada": np.repeat([0, 1, 2], 20), "Bob": np.repeat([0, 1], 30)}, POINTS
    ),
    "has scores, so that there is nothing to choose from:": compared({"Ada": TRUTH, "Bob": np.zeros(60)}),
    "nothing to choose from, and it calls": compared({"Ada": MOSTLY, "Bob": np.zeros(60)}),
    "No score is defined": compared({"Ada": np.zeros(60), "Bob": np.arange(60), 3: np.full(60, -1)}),
    "is a single row, which has no density": compared({"Ada": np.arange(60)}, scores="density_validity"),
    "the rows themselves": compared({"Ada": TRUTH}, np.abs(X[:, :1] - X[:, 0]), metric="precomputed"),
    "Do the two close groups 0 and 2": compared(
        {2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 2, 2, 1, 1]}, [[0.0], [1.0], [4.0], [5.0], [30.0], [31.0]]
    ),
    "The scores disagree": compared(by_k(2, 4, 5), X + 6 * rng.normal(size=X.shape)),
    "Are the groups that you look for compact": compared(HALVES, MOONS, scores=SCORES),
    "favours compact, round clusters, the": compared(HALVES, MOONS, scores=["silhouette", "density_validity"]),
    "Of Bob (K = 4, 20 % noise) (density-based": compared({"Ada": TRUTH, "Bob": NOISY}),
    "no fair judge: the density": compared({"Ada": TRUTH, "Bob": NOISY}, scores=SCORES, labels_true=TRUTH),
    "Of these labelings (density": compared({f"DBSCAN {at}": NOISY for at in range(5)}),
    "Of 5 of these labelings (dens": compared({"Ada": TRUTH} | {f"DBSCAN {at}": NOISY for at in range(5)}),
    "the best are chosen among the others": compared({"Ada": TRUTH, "Bob": MOSTLY}),
    "All scores, also those against": compared({"Ada": TRUTH, "Bob": NOISY}, labels_true=MIXED),
    "Silhouette leaves noise out.": compared({"Ada": NOISY}, scores=["silhouette", "density_validity"]),
    "Silhouette leaves noise out, and so": compared(
        {"Ada": NOISY, "Bob": TRUTH}, scores=["silhouette", "density_validity"]
    ),
    "Silhouette and Davies-Bouldin leave noise out, and so": compared(
        {"Ada": NOISY, "Bob": TRUTH}, scores=["silhouette", "davies_bouldin", "density_validity"]
    ),
    "The scores against known classes leave noise out.": compared(
        {"Ada": NOISY}, scores="density_validity", labels_true=TRUTH
    ),
    "The scores of the data alone prefer": compared({"Ada": TRUTH, "Bob": MIXED}, labels_true=MIXED),
    "The numbers of clusters differ much": compared(by_k(2, 3, 4, 5, 6), labels_true=MIXED),
    "is best at the largest K": compared(by_k(2, 3, 4), scores="davies_bouldin"),
    "are best at the smallest K": compared(by_k(4, 5, 6)),
    "only the 2 labelings that are best": compared(by_k(2, 3, 4, 5, 6), narrow=2),
    "only the labeling that is best": compared(by_k(2, 3, 4, 5, 6), narrow=1),
    "are Euclidean": compared({"Ada": TRUTH}, metric="manhattan"),
    "left out, as asked": compared({"Ada": TRUTH}, silhouette="skip"),
    "Davies-Bouldin is nan: two centroids coincide": compared(
        {"Ada": np.arange(60) // 30}, np.repeat([[-1.0], [1.0], [-1.0], [1.0]], 15, axis=0)[[0] * 30 + [30] * 30]
    ),
    "row becomes noise": compared({"Ada": TRUTH, "Bob": np.where(np.arange(60) == 3, -1, COARSE)}),
    "more part": compared({"Ada": np.arange(60) // 10, "Bob": np.arange(60) // 2}),
}


@pytest.mark.parametrize("words", COMPARISONS)
def test_comparisons(words):
    texts = words_of(COMPARISONS[words]())
    assert words.lower() in " ".join(texts).lower()
    assert not untranslated(texts)


@pytest.mark.parametrize(("few", "words"), [(3, "too many clusters for a sample"), (40, "standard errors")])
def test_estimates(few, words, monkeypatch):
    monkeypatch.setattr(silhouettes, "affordable_queries", lambda _: few)
    labelings = by_k(2, 3, 4) | {30: np.arange(60) % 30, 31: np.where(np.arange(60) < 58, -1, 0) + np.arange(60) // 59}
    texts = words_of(compare.compare_labelings(X, labelings, silhouette="estimate", random_state=1))
    assert words in " ".join(texts)
    assert not untranslated(texts)


def test_numbers_of_the_command_are_those_of_python():
    note = compare.compare_labelings(X, by_k(2, 3, 4), narrow=1, labels_true=TRUTH).notes
    assert "Without --narrow all are evaluated" in in_options(note["narrow"])
    assert "--narrow 없이" in translated(in_options(note["narrow"]), "ko")
    assert "--labels-true" in translated(in_options(note["truth"]), "ko")
    assert_equal(in_options("narrow=False evaluates all"), "Without --narrow all are evaluated")


def test_joined_notes_are_translated_one_by_one():
    joined = compare.compare_labelings(X, {"Ada": NOISY}).join(compare.compare_labelings(X, {"Bob": MOSTLY}))
    assert not untranslated(words_of(joined))


class Cuts:
    """A clusterer that fails, warns, or is interrupted, as it is told."""

    def __init__(self, n_clusters=2, kind=""):
        self.n_clusters, self.kind = n_clusters, kind

    def get_params(self, deep=True):
        return {"n_clusters": self.n_clusters, "kind": self.kind}

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self

    def fit_predict(self, X):
        if self.kind == "warns":
            for at in range(7):
                warnings.warn(f"{at}, {self.n_clusters % 2}", stacklevel=1)
        if self.n_clusters == 4:
            if self.kind == "fails":
                raise RuntimeError(404)
            if self.kind == "is interrupted":
                raise KeyboardInterrupt
        return np.arange(len(X)) % self.n_clusters


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("fails", "the clusterer failed: RuntimeError: 404"),
        ("warns", "more warnings"),
        ("is interrupted", "2 of 14 settings were fitted and are compared; missing from K = 4 on."),
    ],
)
def test_sweeps(kind, words):
    texts = words_of(sweep(X, Cuts(kind=kind)))
    assert words in " ".join(texts)
    assert not untranslated(texts)


def test_a_setting_that_varies_is_a_name():
    found = sweep(X, Cuts(), {"n_clusters": [2, 3], "kind": ["", "fails"]}, labels_true=TRUTH)
    assert "n_clusters=3" in found.notes["truth"]
    assert "n_clusters=3" in translated(found.notes["truth"], "ko")


def test_scores_that_an_interrupt_leaves_out(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "add_silhouettes", interrupt)
    texts = words_of(sweep(X, Cuts(kind="is interrupted")))
    assert "Scores are missing: silhouette, macro silhouette." in " ".join(texts)
    assert not untranslated(texts)


def test_an_interrupt_once_labelings_are_narrowed_keeps_what_is_done(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(silhouettes, "_draw", interrupt)
    found = sweep(X, Cuts(), n_clusters=range(2, 8), narrow=2)
    assert "Scores are missing: silhouette" in found.notes["interrupted"]
    assert "narrow_end" not in found.notes
    assert not untranslated(words_of(found))


class Draws:
    """A clusterer of two halves, with a share of the rows drawn at random."""

    def __init__(self, share=0.0, kind="", random_state=None):
        self.share, self.kind, self.random_state = share, kind, random_state

    def get_params(self, deep=True):
        return {"share": self.share, "kind": self.kind, "random_state": self.random_state}

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self

    def fit_predict(self, X):
        source = np.random.default_rng(self.random_state)
        if self.kind == "warns":
            warnings.warn("404", stacklevel=1)
        if self.kind == "fails" and self.random_state % 2:
            raise RuntimeError(404)
        labels = {"one": np.zeros(len(X)), "each": np.arange(len(X))}.get(self.kind, np.arange(len(X)) % 2)
        drawn = source.random(len(X)) < self.share
        other = -1 if self.kind == "noise" else source.integers(0, 3, len(X))
        return np.where(drawn, other, labels)


class Predicts(Draws):
    def fit(self, X):
        return self

    def predict(self, X):
        return np.arange(len(X)) % 2


def said_of(found):
    spoken = [found.reading, found.resample, *found.notes.values()]
    return spoken + ([found.reference] if isinstance(found.reference, str) else [])


@pytest.mark.parametrize("resample", [None, "bootstrap", "subsample"])
@pytest.mark.parametrize(
    ("share", "kind", "band"),
    [
        (0.0, "", "structure"),
        (0.07, "", "between"),
        (0.22, "noise", "wavering"),
        (0.9, "", "low"),
        (0.0, "one", "trivial"),
        (0.0, "each", "trivial"),
        (0.0, "warns", "structure"),
        (0.0, "fails", "structure"),
    ],
)
def test_stability(share, kind, band, resample):
    clusterer, seeds = Draws(share, kind), list(range(6))
    reference = np.arange(60) % 2 if kind == "fails" else None
    found = stability(X, clusterer, n_runs=6, resample=resample, random_state=seeds, reference=reference)
    assert resample or found.band == band
    assert not untranslated(said_of(found))


def test_stability_by_prediction_and_of_labelings():
    found = stability(X, Predicts(), n_runs=3, resample="bootstrap", random_state=0)
    assert "labelled by predict" in found.resample
    of_labelings = stability_of([[0, 0, 1, 1], [5, 5, 3, 5]])
    apart = stability_of([[0, 1], [5, 5]], rows=[[0, 1], [2, 3]])
    assert not untranslated(said_of(found) + said_of(of_labelings) + said_of(apart))


@pytest.mark.parametrize("value", [0.9, 0.8, 0.7, 0.1, np.nan])
def test_words_for_jaccard_indices(value):
    from gpumetrics.choosing.stability_result import jaccard_word

    assert re.fullmatch("[가-힣 ]+", translated(jaccard_word(value), "ko"))


def test_interrupted_runs():
    class Interrupted(Draws):
        def fit_predict(self, X):
            if self.random_state == 3:
                raise KeyboardInterrupt
            return super().fit_predict(X)

    found = stability(X, Interrupted(), n_runs=6, random_state=list(range(6)))
    assert not untranslated([found.notes["interrupted"]])
