"""Parts of arrays that are not stored: they read as a fill value, which is told."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_equal
from stored_files import annotated, chunk_files, write_rows

from gpumetrics.sources import open_rows
from gpumetrics.sources.files import read_labels

X = np.random.default_rng(0).normal(size=(400, 5)).astype(np.float32)


def test_absent_chunks_of_zarr_are_told(tmp_path):
    spec = write_rows(tmp_path, X, "zarr")
    chunk_files(spec)[5].unlink()
    told = r"1 of 42 chunks are not stored, and read as its fill value .*0\.0.*; if they should be there"
    with pytest.warns(UserWarning, match=told):
        open_rows(spec)


@pytest.mark.parametrize("chunks", [(50,), None])
@pytest.mark.parametrize("kind", ["h5", "zarr"])
def test_labels_that_were_not_all_written_are_told(tmp_path, kind, chunks):
    """They would read as zeros: a file whose writer has ended too early, or a copy that is not complete."""
    spec, stored = f"{tmp_path}/x.{kind}:y", 1 + np.arange(200)
    if kind == "h5":
        import h5py

        with h5py.File(tmp_path / "x.h5", "w") as file:
            rows = file.create_dataset("y", shape=400, dtype=int, chunks=chunks)
            if chunks:
                rows[:200] = stored
    else:
        import zarr

        rows = zarr.open_group(spec.partition(":")[0], mode="w").create_array(
            "y", shape=400, dtype=int, chunks=chunks or (400,)
        )
        if chunks:
            rows[:200] = stored
    lost = "4 of 8" if chunks else "1 of 1"
    with pytest.warns(UserWarning, match=rf"y: {lost} chunks are not stored, and read as its fill value 0; if"):
        labels = read_labels(spec)
    assert_equal(labels[200:], np.zeros(200))


def test_rows_of_hdf5_that_were_not_all_written_are_told(tmp_path):
    import h5py

    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("x", shape=X.shape, dtype=X.dtype, chunks=(50, 5))[:120] = X[:120]
    with pytest.warns(UserWarning, match=r"x: 5 of 8 chunks are not stored, and read as its fill value 0\.0; if"):
        open_rows(tmp_path / "x.h5")


def test_masks_of_which_nothing_is_stored_are_no_damage(tmp_path):
    import pandas as pd

    table = annotated(X, np.arange(400).astype(str))
    table.obs["whole"] = pd.array(1 + np.arange(400), dtype="Int64")  # none is missing: a mask of nothing but False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table.write_zarr(tmp_path / "x.zarr")
    assert_equal(read_labels(f"{tmp_path}/x.zarr:obs/whole"), 1 + np.arange(400))
