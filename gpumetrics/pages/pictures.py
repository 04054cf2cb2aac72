"""Pictures in a page: files that browsers know as they are, small arrays of numbers as PNG."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["kind_of", "picture", "png"]

KINDS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
LARGEST_SIDE = 96  # pixels of an array; larger ones are thinned
SMALLEST_SIDE = 64  # below it each number becomes a square of pixels


def picture(value: Any, low: float, high: float) -> str:
    """Return a picture as a data URI.

    Parameters
    ----------
    value : bytes or ndarray
        A PNG, JPEG, GIF or WebP file, or numbers of shape (height, width) or (height, width, 3).
    low, high : float
        Of numbers: what is black, and what is white.
    """
    content = value if isinstance(value, bytes) else png(np.asarray(value), low, high)
    return f"data:image/{kind_of(content)};base64,{base64.b64encode(content).decode('ascii')}"


def kind_of(content: bytes) -> str:
    """Return "png", "jpeg", "gif" or "webp", told by how a file begins; "" for all else.

    Examples
    --------
    >>> from gpumetrics.pages.pictures import kind_of
    >>> kind_of(b"GIF89a..."), kind_of(b"<svg>")
    ('gif', '')
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for start, kind in KINDS.items() if content.startswith(start)), "")


def png(values: Array, low: float, high: float) -> bytes:
    """Return numbers as a PNG in grey, (height, width), or in colour, (height, width, 3)."""
    longer = max(values.shape[:2])
    step, times = -(-longer // LARGEST_SIDE), max(1, SMALLEST_SIDE // longer)
    values = np.asarray(values[::step, ::step], dtype=np.float64).repeat(times, axis=0).repeat(times, axis=1)
    reach = high / 2 - low / 2 if high > low else 1.0  # halves, since the whole may be beyond float64
    shares = np.nan_to_num(np.clip(values, low, high) / 2 - low / 2) / reach
    pixels = np.clip(shares * 255, 0, 255).round().astype(np.uint8)
    height, width = pixels.shape[:2]
    # Each line begins with the number of its filter: 0 for none.
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
