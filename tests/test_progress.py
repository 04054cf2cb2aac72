"""Bars of long work, and interrupts."""

import contextlib
import gc
import io
import sys
import types
import weakref

import numpy as np
import pytest

import gpumetrics as gm
from gpumetrics.backends import numpy_reduce
from gpumetrics.progress import progress


class Kept:
    """Something that a frame holds."""


def work(seen, steps, stop):
    kept = Kept()
    seen.append(weakref.ref(kept))
    with progress(10, "tile", long_work=True) as done:
        hold(seen, done, steps, stop)


def hold(seen, done, steps, stop):
    tile = Kept()
    seen.append(weakref.ref(tile))
    for _ in range(steps):
        done(1)
    if stop:
        raise KeyboardInterrupt


def test_an_interrupt_says_how_far_it_came_and_keeps_no_tile():
    seen = []
    with pytest.raises(KeyboardInterrupt, match=r"interrupted at 3 of 10 tiles; nothing is kept of them") as caught:
        work(seen, 3, stop=True)
    gc.collect()
    assert caught.value.__traceback__ is not None  # as a notebook keeps it
    assert seen[1]() is None


def test_an_interrupt_of_its_own_words_keeps_them():
    with pytest.raises(KeyboardInterrupt, match="mine"), progress(2, "batch", long_work=True):
        raise KeyboardInterrupt("mine")


def test_other_errors_are_left_alone():
    with pytest.raises(ValueError, match=r"^bad$"), progress(2, "batch", long_work=True):
        raise ValueError("bad")


def test_the_bar_tells_units_rate_and_time_left_and_vanishes(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with gm.config_context(progress=True):
        work([], 10, stop=False)
    shown = screen.getvalue()
    assert "0/10" in shown
    assert "tile/s" in shown
    assert shown.endswith("\r")  # the line is blank again
    assert shown.rsplit("\r", 2)[-2].strip() == ""


@pytest.mark.parametrize(("kernel", "bars"), [(object(), 1), (None, 0)])
def test_a_notebook_is_watched_although_it_is_no_terminal(monkeypatch, kernel, bars):
    shell = types.SimpleNamespace(kernel=kernel)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    made = []

    @contextlib.contextmanager
    def tqdm(**options):
        made.append(options)
        yield types.SimpleNamespace(update=lambda _: None)

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=tqdm))
    work([], 1, stop=False)
    assert len(made) == bars
    with progress(10, "tile", long_work=False):
        pass
    assert len(made) == bars


def test_an_interrupted_silhouette_says_so_and_the_next_one_is_right(monkeypatch, rng):
    X, labels = rng.normal(size=(3000, 4)), rng.integers(3, size=3000)
    right = gm.silhouette_score(X, labels)
    calls = []
    original = numpy_reduce.progress

    @contextlib.contextmanager
    def stopped(total, unit, **options):
        with original(total, unit, **options) as done:

            def count(n):
                calls.append(n)
                done(n)
                if len(calls) == 2:
                    raise KeyboardInterrupt

            yield count

    with monkeypatch.context() as patch:
        patch.setattr(numpy_reduce, "progress", stopped)
        with pytest.raises(KeyboardInterrupt, match=r"interrupted at \d+ of [\d,]+ tiles"):
            gm.silhouette_score(X, labels)
    np.testing.assert_equal(gm.silhouette_score(X, labels), right)
