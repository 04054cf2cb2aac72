"""The import's time and a silhouette's memory."""

import pytest

from benchmarks import budgets


def test_the_memory_is_that_of_a_checked_silhouette(monkeypatch, capsys):
    monkeypatch.setattr(budgets, "N", 500)
    budgets.one_silhouette(5)
    assert 0 <= float(capsys.readouterr().out) < 500


def test_wrong_silhouettes_have_no_memory(monkeypatch):
    import gpumetrics as gm

    right = gm.silhouette_samples
    monkeypatch.setattr(budgets, "N", 500)
    monkeypatch.setattr(gm, "silhouette_samples", lambda *args: right(*args) + 0.01)
    with pytest.raises(ArithmeticError, match="the silhouettes of k = 5 are wrong"):
        budgets.one_silhouette(5)


def test_an_import_of_something_heavy_is_an_error(monkeypatch):
    monkeypatch.setattr(budgets, "HEAVY", ("numpy",))
    with pytest.raises(ImportError, match=r"import gpumetrics loads \['numpy'\]"):
        budgets.import_seconds()


def test_seconds_of_the_import(monkeypatch):
    monkeypatch.setattr(budgets, "TIMES", 1)
    assert 0 <= budgets.import_seconds() < 5


def test_used_and_allowed(monkeypatch):
    monkeypatch.setitem(budgets.BUDGETS, "memory", ("memory", "MiB", 600.0, lambda: 12.5))
    found = budgets.kept("memory")
    assert (found["used"], found["allowed"], found["unit"]) == (12.5, 600.0, "MiB")
