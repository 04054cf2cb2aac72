"""What a plan says in words: which way to take, what holds X, where the limit is, and what the figures rest on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpumetrics.planning.result import DAY
from gpumetrics.planning.seconds import fits, seconds_of
from gpumetrics.planning.words import amount_text, bytes_text, time_text
from gpumetrics.planning.work import works_of
from gpumetrics.text.messages import Message, counted, enumerated, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.planning.result import Place, Plan

__all__ = ["advice_of", "notes_of"]

MOST_GPUS = 10_000  # that are worth a mention
SOON = 60  # seconds


def advice_of(found: Plan) -> list[Message]:
    """Return what to do, the most important first."""
    return [*_way(found), _holding(found), _limit(found)]


def _way(found: Plan) -> list[Message]:
    problem = found.problem
    if problem.closed_form:
        template = "Take silhouette_score with metric {metric}, exact in closed form. {times}"
        return [said(template, metric=problem.metric, times=_times(found, "silhouette_closed_form"))]
    exact = _times(found, "silhouette_pairs")
    if _shortest(found, "silhouette_pairs") <= DAY:
        template = "Take silhouette_score with metric {metric}: comparing all pairs of rows is within reach. {times}"
        within = said(template, metric=problem.metric, times=exact)
        return [within] if _soonest_here(found) else [within, _query(found)]
    template = "The exact {metric} silhouette is out of reach, since it compares all pairs of rows. {times}"
    out = said(template, metric=problem.metric, times=exact)
    gpus = _gpus_within_a_day(found)
    many = [said("About {n:,} such GPUs would do it within a day.", n=gpus)] if gpus else []
    other = said("Where the cosine or the squared Euclidean distance serves, its silhouette is exact, in closed form.")
    return [out, *many, _query(found), other]


def _soonest_here(found: Plan) -> bool:
    """Whether an estimate would save nobody's time."""
    return _shortest(found, "silhouette_pairs", found.places[:1]) <= SOON


def _query(found: Plan) -> Message:
    usual, most = found.stderr
    return said(
        "silhouette_estimate, with {n:,} rows asked, has a standard error of about {usual:.2g}, and of {most:.2g} at "
        "most. {times}",
        n=found.problem.n_queries,
        usual=usual,
        most=most,
        times=_times(found, "silhouette_estimate"),
    )


def _times(found: Plan, work: str) -> Message:
    parts = []
    for place in found.places:
        line = found.line(work, str(place.title))
        if line["fits"] == "no":
            parts.append(said("more memory than there is on {place}", place=place.title))
        else:
            parts.append(said("{time} on {place}", time=time_text(line["seconds"]), place=place.title))
    return said("It takes {times}.", times=enumerated(parts))


def _shortest(found: Plan, work: str, places: Sequence[Place] | None = None) -> float:
    lines = (found.line(work, str(place.title)) for place in places or found.places)
    return min((line["seconds"] for line in lines if line["fits"] != "no"), default=math.inf)


def _gpus_within_a_day(found: Plan) -> int | None:
    """Return a number of GPUs, of two figures, that compare all pairs within a day, if they are not too many."""
    gpu = found.places[-1].machine
    for n in (round(10 ** (at / 20)) for at in range(20 * round(math.log10(MOST_GPUS)) + 1)):
        work = works_of(found.problem, n, on_gpu=True)[0]
        possible = fits(work, found.problem, gpu, n) != "no"
        if possible and seconds_of(work, found.problem, gpu, n) <= DAY:
            return int(float(f"{n:.2g}"))
    return None


def _holding(found: Plan) -> Message:
    here = found.places[0]
    parts = []
    for machine, n in ((here.machine, found.workers_to_hold), (found.places[-1].machine, found.gpus_to_hold)):
        if n is not None:
            memory = bytes_text(machine.memory)
            one, more = ("{n:,} GPU of {memory}", "{n:,} GPUs of {memory}")
            if not machine.gpu:
                one, more = ("{n:,} machine of {memory}", "{n:,} machines of {memory}")
            parts.append(counted(n, one, more, memory=memory))
    X = bytes_text(found.data_bytes)
    if not parts:
        return said("X takes {X}, and the tables of the clusters alone are more than any of these holds.", X=X)
    return said("X takes {X}. It is held by {who}; fewer read it piece by piece.", X=X, who=enumerated(parts))


def _limit(found: Plan) -> Message:
    if found.problem.closed_form:
        template = "The limit of a day, all else being the same: the closed form gets through {rows}."
        return said(template, rows=_rows(found, "silhouette_closed_form"))
    return said(
        "The limit of a day, all else being the same: all pairs of {pairs}; for the estimate {rows}.",
        pairs=_rows(found, "silhouette_pairs"),
        rows=_rows(found, "silhouette_estimate"),
    )


def _rows(found: Plan, work: str) -> Message:
    lines = ((place, found.line(work, str(place.title))) for place in found.places)
    return enumerated(
        said("{n} rows on {place}", n=amount_text(line["rows_in_a_day"]), place=place.title) for place, line in lines
    )


def notes_of(found: Plan) -> list[Message]:
    """Return what the figures rest on."""
    here, gpu = found.places[0].machine, found.places[-1].machine
    notes = [
        said(
            "Nothing was measured on a GPU. Assumed of each: {memory} of memory, {single:.3g} TFLOP/s in float32 and "
            "{double:.3g} in float64, {bandwidth:,.4g} GB/s from its memory, {feed:.3g} GB/s from the host, "
            "{link:.3g} GB/s to others; {reached:.0f} % of it is counted on.",
            memory=bytes_text(gpu.memory),
            single=gpu.float32 / 1e12,
            double=gpu.float64 / 1e12,
            bandwidth=gpu.bandwidth / 1e9,
            feed=gpu.feed / 1e9,
            link=gpu.link / 1e9,
            reached=100 * gpu.reached,
        ),
        said(
            "This machine: {speed:.3g} GFLOP/s in a float32 product and {memory} of memory; assumed are {feed:.3g} "
            "GB/s from storage and {link:.3g} GB/s between machines. Times are right within a factor of about two.",
            speed=here.float32 / 1e9,
            memory=bytes_text(here.memory),
            feed=here.feed / 1e9,
            link=here.link / 1e9,
        ),
    ]
    if found.problem.name == "manhattan":
        notes.append(said("One machine sorts features for Manhattan where that is faster; more compare all pairs."))
    return notes
