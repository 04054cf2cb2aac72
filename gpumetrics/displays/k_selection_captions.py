"""The words on a `KSelectionDisplay`: its title, each panel's name and best value, what the marks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.entries import MOSTLY_NOISE
from gpumetrics.choosing.facts import FACTS, percent, printed
from gpumetrics.displays.drawing.canvas import letter_size, points
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.texts import length, wrapped, write_label
from gpumetrics.evaluation.remarks import MUCH_NOISE

if TYPE_CHECKING:
    from gpumetrics.displays.k_selection import KSelectionDisplay
    from gpumetrics.displays.k_selection_panels import Places
    from gpumetrics.types import Array

__all__ = ["ERRORS", "noisy", "tick_texts", "write"]

ERRORS = 2  # standard errors that a bar has up and down
SECOND_WORDS = {
    "silhouette_macro": "in the silhouette's panel: macro silhouette, where each cluster counts the same",
    "adjusted_mutual_info": "in the last panel: adjusted mutual information (higher is better)",
}


def noisy(display: KSelectionDisplay, at: Any) -> bool:
    """Return whether so many rows are noise in a labeling that its scores are to be doubted."""
    return bool(display.noise_fraction[at] > MUCH_NOISE)


def tick_texts(display: KSelectionDisplay, places: Places) -> list[str]:
    """Return the name of each labeling drawn, with its number of clusters."""
    clusters = [display.n_clusters[at] for at in places.shown]
    names = [display.word(int(at)) for at in places.shown]
    return [name if np.isnan(k) else f"{name}  K = {int(k)}" for name, k in zip(names, clusters, strict=True)]


def write(display: KSelectionDisplay, panels: Array, names: list[str], places: Places) -> None:
    """Write the title, each panel's name with its direction and best value, and what the marks mean."""
    heads = [_head(display, ax, name, sideways=places.sideways) for ax, name in zip(panels, names, strict=True)]
    size = _head_size(panels, heads) if places.sideways else letter_size("axes.labelsize")
    for ax, head in zip(panels, heads, strict=True):
        texts, options = drawable([head])
        ax.set_title(texts[0], loc="left", fontsize=size, **options)
    room = _room(display, panels, places)
    # Stands above the panels' own titles, which the empty lines leave room for.
    lines = wrapped(str(display.statement), room, "axes.titlesize") + "\n" * (1 + max(h.count("\n") for h in heads))
    texts, options = drawable([lines])
    middle, where, side = _middle(panels, sideways=places.sideways)
    options |= {"ha": side, "multialignment": "left", "fontsize": letter_size("axes.titlesize")}
    display.title_ = middle.set_title(texts[0], loc="center", x=where, **options)
    caption = [] if places.sideways else ["Number of clusters K"]
    caption += [wrapped("; ".join(_legend(display, names, places)), room, "axes.labelsize")]
    last = middle if places.sideways else panels[-1]
    write_label(last, "x", "\n".join(caption), x=where, ha=side, multialignment="left")


def _middle(panels: Array, *, sideways: bool) -> tuple[Any, float, str]:
    """Return the panel over which a text for all stands, where, and how it is aligned.

    A layout takes a text's middle for its place, which therefore has to lie within the panel.
    """
    if not sideways:
        return panels[0], 0.0, "left"
    return panels[len(panels) // 2], 0.5 * (len(panels) % 2), "center"


def _head_size(panels: Array, heads: list[str]) -> float:
    """Return the size of letters for which panels side by side do not lie on each other's names."""
    longest = max(length(line, "axes.labelsize") for head in heads for line in head.split("\n"))
    size = letter_size("axes.labelsize")
    return min(size, max(4.0, size * points(panels[0], "width") / longest))


def _head(display: KSelectionDisplay, ax: Any, name: str, *, sideways: bool) -> str:
    facts, at = FACTS[name], display.best[name]
    arrow = {"higher": "\N{UPWARDS ARROW}", "lower": "\N{DOWNWARDS ARROW}"}[facts.better]
    title = f"{facts.title[0].upper()}{facts.title[1:]}"
    value = "no value" if at is None else f"best {printed(name, float(display.values[name][at]))}"
    if sideways:
        return f"{title}\n{arrow} {facts.better} is better\n{value}"
    where = "" if at is None else f" at {display.word(at)}"
    text = f"{title} ({arrow} {facts.better} is better): {value}{where}"
    return wrapped(text, points(ax, "width"), "axes.labelsize")


def _has_points(line: Any) -> bool:
    return line is not None and not np.isnan(np.asarray(line.get_data(), dtype=np.float64)).any(axis=0).all()


def _legend(display: KSelectionDisplay, names: list[str], places: Places) -> list[str]:
    """Say what each sort of mark that is drawn means."""
    values = np.array([display.values[name][places.shown] for name in names])
    words = ["star: best by that score"] if display.best_ else []
    words += [f"whiskers: {ERRORS} standard errors"] if display.error_bars_ is not None else []
    if np.isnan(values).any():
        words.append("cross: no value")
    if np.isinf(values).any():
        words.append("triangle: infinite")
    noise = display.noise_fraction[places.shown]
    if (noise > MUCH_NOISE).any():
        set_aside = f" (over {percent(MOSTLY_NOISE)}: not taken for the best)" if (noise > MOSTLY_NOISE).any() else ""
        words.append(f"open: over {percent(MUCH_NOISE)} of the rows are noise{set_aside}")
    kind = "diamonds" if places.sideways else "thin line"
    words += [f"{kind} {text}" for name, text in SECOND_WORDS.items() if _has_points(display.second_.get(name))]
    left = len(display.names) - len(places.shown)
    if left:
        words.append(f"{left:,} more labelings are not drawn: the best come first")
    return words


def _room(display: KSelectionDisplay, panels: Array, places: Places) -> float:
    """Return about how wide all panels together will be, in points, when names have taken their room beside them."""
    left = points(panels[0], "x0")
    whole = points(panels[-1], "x1") - left
    if not places.sideways:
        return whole
    return whole - max(0.0, max(length(text, "ytick.labelsize") for text in tick_texts(display, places)) - left)
