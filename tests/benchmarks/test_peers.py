"""Peers that are wrong, that cannot, that are not there; and the adapters of those that are."""

import numpy as np
import pytest

from benchmarks import measuring, ours, peers
from benchmarks.case import Job, Shape
from benchmarks.cases import CASES, named
from benchmarks.peers.peer import CannotError, Peer
from benchmarks.words import ratio


def peer(function, name="other", **facts):
    return Peer(name, ("numpy",), lambda _case, _shape: function, **facts)


@pytest.fixture
def beside(monkeypatch, measured):
    """Measure a case beside a peer that computes with a function."""

    def record(function, case="ari", **facts):
        monkeypatch.setattr(measuring, "for_backend", lambda _backend: [peer(function)])
        return measured(case, peers=(), **facts)

    return record


def test_a_right_peer_has_a_ratio(beside):
    record = beside(named_function("ari"))
    assert record["sides"]["other"]["state"] == "ok"
    assert ratio(record, "other") > 0


def named_function(name):
    return ours.peer("numpy").call(named(name), named(name).toy)


def test_a_wrong_peer_is_told_and_has_no_ratio(beside):
    record = beside(lambda true, pred: 1.01 * named_function("ari")(true, pred))
    assert record["sides"]["other"]["state"] == "wrong"
    assert "is right" in record["sides"]["other"]["reason"]
    assert ratio(record, "other") is None


def test_an_overflow_is_wrong(beside):
    """An adjusted Rand index whose products of pairs leave 64 bits."""

    def overflowing(true, pred):
        table = np.histogram2d(true, pred, bins=int(true.max()) + 1)[0].astype(np.int64)
        n = len(true)
        squares = [np.sum(counts**2) - n for counts in (table, table.sum(0), table.sum(1))]
        expected = squares[1] * squares[2] // (n * n - n)
        return (squares[0] - expected) / ((squares[1] + squares[2]) / 2 - expected)

    with np.errstate(over="ignore"):
        assert beside(overflowing)["sides"]["other"]["state"] in {"ok", "off"}
        assert beside(overflowing, shape=Shape(300_000, 3))["sides"]["other"]["state"] == "wrong"


def test_a_peer_without_memory_is_told(beside):
    def greedy(*_):
        raise MemoryError("Unable to allocate 80 GiB")

    record = beside(greedy)
    assert record["sides"]["other"]["state"] == "cannot"
    assert "needs more memory than" in record["sides"]["other"]["reason"]


def test_a_peer_that_lacks_a_metric_is_left_out(monkeypatch, measured):
    def lacks(_case, _shape):
        raise CannotError("it has no such metric")

    monkeypatch.setattr(measuring, "for_backend", lambda _backend: [Peer("other", ("numpy",), lacks)])
    assert measured("ari", peers=())["sides"]["other"] == {"state": "lacks", "reason": "it has no such metric"}


def test_a_peer_that_takes_too_long_is_not_asked_again(beside):
    slow = {("ari", "numpy", "other"): (100, 1.0)}
    record = beside(named_function("ari"), slow=slow, patience=1.5)  # for 200 rows
    assert record["sides"]["other"] == {"state": "cannot", "reason": "took 1 s for 100 rows already"}
    assert beside(named_function("ari"), slow=slow, patience=3.0)["sides"]["other"]["state"] == "ok"
    pairs = {("sil-f32-64", "numpy", "other"): (60, 1.0)}
    record = beside(named_function("sil-f32-64"), "sil-f32-64", slow=pairs, patience=3.0)  # for 120 rows: 4 times
    assert record["sides"]["other"]["state"] == "cannot"


def test_an_error_of_ours_is_not_hidden(monkeypatch, measured):
    monkeypatch.setattr("gpumetrics.adjusted_rand_score", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        measured("ari")


def test_one_thread_is_another_form(beside):
    assert beside(named_function("ch"), "ch")["sides"]["other"]["form"] in {"", "one thread"}
    assert beside(named_function("ari"))["sides"]["other"]["form"] == ""


def test_a_peer_that_is_not_installed():
    version, why = Peer("x", ("no_such_library",), None).version()
    assert version is None
    assert why.startswith("not installed")


def test_a_peer_without_its_device():
    assert Peer("x", ("numpy",), None, usable=lambda: "no device").version() == (None, "no device")
    assert peer(None).version() == (np.__version__, "")


@pytest.mark.parametrize("name", [p.name for p in peers.PEERS.values() if p.name != "scikit-learn"])
def test_adapters_of_installed_peers(measured, name):
    found = peers.PEERS[name]
    if found.version()[0] is None:
        pytest.skip(found.version()[1])
    backend = "numpy" if found.device == "cpu" else "cupy"
    states = {}
    for case in CASES:
        try:
            found.call(case, case.toy)
        except CannotError:
            continue
        states[case.name] = measured(case.name, "toy", peers=(name,), backend=backend)["sides"][name]["state"]
    assert states
    assert set(states.values()) <= {"ok", "off"}


def test_backends_have_their_peers():
    assert {p.device for p in peers.for_backend("numpy")} == {"cpu"}
    assert [p.name for p in peers.for_backend("cupy") if p.device == "cpu"] == ["scikit-learn"]


@pytest.mark.emulated
@pytest.mark.parametrize("name", ["sil-f32-64", "sil-cosine", "ch", "ari", "f1-macro", "many-labelings"])
def test_ours_on_a_device(emulated, measured, name):
    record = measured(name, backend="cupy", peers=("none",))
    assert record["sides"]["gpumetrics"]["state"] == "ok"
    assert record["limit"]["seconds"] > 0


def test_data_are_the_same_on_every_call():
    for case in CASES:
        job = Job(case, "toy", case.toy, "numpy")
        for one, two in zip(job.data(), job.data(), strict=True):
            as_array = [x.toarray() if hasattr(x, "toarray") else np.asarray(x) for x in (one, two)]
            np.testing.assert_array_equal(*as_array)
