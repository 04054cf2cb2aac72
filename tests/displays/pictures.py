"""Plots as arrays of pixels, without letters: fonts differ from one machine to the next."""

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "data" / "displays"


def bare_axes():
    """Axes that fill a figure of 240 x 160 pixels, so that what is written beside them is outside."""
    figure = Figure(figsize=(2.4, 1.6), dpi=100)
    FigureCanvasAgg(figure)
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def pixels(ax):
    """What is drawn, without the texts on the axes: red, green and blue from 0 to 255."""
    for text in ax.texts:
        text.set_visible(False)
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())[..., :3].astype(float)


def stored(name):
    """The picture that was looked at when it was stored."""
    from PIL import Image

    return np.asarray(Image.open(FOLDER / f"{name}.png").convert("RGB")).astype(float)
