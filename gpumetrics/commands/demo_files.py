"""The data of ``gpumetrics demo`` as files, by the names that the commands of the README take."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NAMES", "check_folder", "save_files"]

NAMES = ("embeddings.npy", "labels.npy", "kmeans.npy", "dbscan.npy", "table.csv", "truth.jsonl", "predicted.jsonl")
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
EPS = 22.0  # of DBSCAN: most of the digits in clusters, the others noise


def check_folder(folder: Path | None) -> None:
    """Make the folder; raise ValueError if the files cannot be written there, or one of them is there already."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"--save {folder}: is a file; name a folder") from None
    except OSError as error:
        raise ValueError(f"--save {folder}: the folder cannot be made ({error.strerror}); name another one") from error
    if not os.access(folder, os.W_OK):
        raise ValueError(f"--save {folder}: the folder cannot be written to; name another one")
    found = [name for name in NAMES if os.path.lexists(folder / name)]
    if found:
        raise ValueError(f"--save {folder}: has a {found[0]} already, which is not overwritten; name another folder")


def save_files(folder: Path, X: np.ndarray, y: np.ndarray, labels: Any) -> None:
    """Write the pictures as rows, clusterings of them, and tags of each picture: true ones, and those of its cluster.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    X : ndarray of shape (n_samples, n_features)
    y, labels : array-like of shape (n_samples,)
        The digits that were meant, and the clusters.
    """
    from sklearn.cluster import DBSCAN

    folder.mkdir(parents=True, exist_ok=True)
    rows, labels = X.astype(np.float32), np.asarray(labels)
    np.save(folder / "embeddings.npy", rows)
    np.save(folder / "labels.npy", y)
    np.save(folder / "kmeans.npy", labels)
    np.save(folder / "dbscan.npy", DBSCAN(eps=EPS).fit_predict(X))
    heading = ",".join([*(f"pixel_{i}" for i in range(X.shape[1])), "label"])
    np.savetxt(folder / "table.csv", np.column_stack([X, labels]), "%g", ",", header=heading, comments="")
    meant = np.array([np.bincount(y[labels == cluster]).argmax() for cluster in range(labels.max() + 1)])
    for name, digits in (("truth", y), ("predicted", meant[labels])):
        lines = [json.dumps({"id": i, "tags": _tags(int(digit))}) for i, digit in enumerate(digits)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _tags(digit: int) -> list[str]:
    return [DIGITS[digit], "odd" if digit % 2 else "even", *(["round"] if digit in {0, 6, 8, 9} else [])]
