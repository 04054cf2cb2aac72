"""Seconds and memory of the other metrics at large sizes, and of rows on the host against rows on the device."""

from __future__ import annotations

from . import made_data
from .clock import CupyClock, in_turn, with_peak

SECONDS = 5  # for the rounds of one case
FEWER = 10  # the first run of a case has so many times fewer rows, and tells how long the whole will take
SHARE = 0.7  # of the device's free memory that a case may take, by a rough count
LABEL_BYTES = 48  # of a row of two labelings: themselves, their codes, the pairs, sorted


def other_timings(check):
    """Closed forms, many clusters, scores of two labelings, CH and DB, rows streamed from the host."""
    gm = check.gm
    cosine, many, moments = check.sizes.cosine, check.sizes.many_clusters, check.sizes.moments
    _of_table(check, "silhouette, cosine", cosine, lambda X, y: gm.silhouette_score(X, y, metric="cosine"))
    _of_table(check, "silhouette, euclidean, many clusters", many, gm.silhouette_score, power=2)
    low_rank = "silhouette, euclidean, rows near a plane"
    _of_table(check, low_rank, check.sizes.low_rank, gm.silhouette_score, power=2, table=made_data.low_rank)
    for name in ("adjusted_rand_score", "normalized_mutual_info_score", "adjusted_mutual_info_score"):
        for k in check.sizes.classes:
            _of_labels(check, name, k)
    _of_table(check, "calinski_harabasz_score", moments, gm.calinski_harabasz_score)
    _of_table(check, "davies_bouldin_score", moments, gm.davies_bouldin_score)
    _streamed(check, "silhouette, euclidean", check.sizes.streamed, gm.silhouette_score, power=2)
    _streamed(check, "davies_bouldin_score", check.sizes.streamed_moments, gm.davies_bouldin_score, power=1)
    check.note(
        "seconds: best of the rounds; MiB: growth of an empty memory pool during a call, X and labels not counted."
    )


def _of_table(check, what, case, score, *, power=1, table=made_data.blobs):
    def make(n):
        X, labels = table(check.cp, case.with_rows(n), "float32")
        return lambda: score(X, labels)

    n = _fitting(check, case.n, 4 * case.d + 64)
    _measured(check, lambda n: f"{what}, {case.with_rows(n)}", make, n, power=power)


def _of_labels(check, name, k):
    def make(n):
        pair = made_data.two_labelings(check.cp, n, k)
        return lambda: getattr(check.gm, name)(*pair)

    n = _fitting(check, check.sizes.labels, LABEL_BYTES)
    _measured(check, lambda n: f"{name}, {_in_words(n)} labels, k = {k}", make, n)


def _in_words(n):
    """A number of labels in words."""
    return f"{n / 1e6:.3g}M" if n >= 1e6 else str(n)


def _fitting(check, n, row_bytes):
    """So many rows, or as many as fit into the device's memory."""
    check.cp.get_default_memory_pool().free_all_blocks()
    most = int(SHARE * check.cp.cuda.Device().mem_info[0] / row_bytes)
    if most < n:
        check.skip(f"{n} rows", f"the device's memory holds {most} of this width: measured with these")
    return min(n, most)


def _measured(check, what, make, n, *, power=1):
    """Add the row of a case, or note why it was left out."""
    with check.guarded(what(n)):
        _row(check, what, make, n, power)


def _row(check, what, make, n, power):
    clock = CupyClock(check.cp)
    few = max(2, n // FEWER)
    call = make(few)
    clock.seconds(call)
    seconds, _ = clock.seconds(call)
    if not check.affords(2 * seconds * (n / few) ** power, what(n)):
        return
    del call
    call = make(n)
    _, value, peak = with_peak(check.cp, clock, call)
    (times,) = in_turn(clock, [call], seconds=min(SECONDS, check.left() / 12))
    check.row(case=what(n), **times.cells(), MiB=peak, value=value)


def _streamed(check, what, case, score, *, power):
    """The same rows on the host and on the device, with the same small working memory."""
    case = case.with_rows(_fitting(check, case.n, 4 * case.d + 64))
    title = f"{what}, {case}, working_memory = {check.sizes.streamed_memory:g}"
    with check.guarded(title):
        _row_of_each_place(check, title, case, score, power)


def _row_of_each_place(check, title, case, score, power):
    clock = CupyClock(check.cp)
    call, _ = _both_places(check, case.with_rows(max(2, case.n // FEWER)), score)
    clock.seconds(call)
    seconds, _ = clock.seconds(call)
    if not check.affords(4 * seconds * FEWER**power, title):
        return
    del call
    calls = _both_places(check, case, score)
    peaks = [with_peak(check.cp, clock, call) for call in calls]
    times = in_turn(clock, calls, seconds=min(SECONDS, check.left() / 12))
    for where, one, (_, value, peak) in zip(("host", "device"), times, peaks, strict=True):
        check.row(case=f"{title}, rows on the {where}", **one.cells(), MiB=peak, value=value)
    check.note(f"{title}: rows on the host take {times[0].best / times[1].best:.2f} times as long.")


def _both_places(check, case, score):
    X, labels = made_data.blobs(check.cp, case, "float32")
    host = check.cp.asnumpy(X), check.cp.asnumpy(labels)
    memory = check.sizes.streamed_memory

    def streamed():
        with check.gm.config_context(backend="cupy", working_memory=memory):
            return score(*host)

    def resident():
        with check.gm.config_context(working_memory=memory):
            return score(X, labels)

    return streamed, resident
