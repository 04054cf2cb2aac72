"""One table, and one labeling, written in every kind of file that is read."""

from pathlib import Path

import numpy as np

KINDS = ("npy", "npz", "csv", "parquet", "parquet columns", "arrow", "stream", "feather", "zarr", "h5", "h5ad", "csr")
LABEL_KINDS = ("npy", "npz", "csv", "parquet", "arrow", "zarr", "h5", "h5ad", "zarr anndata")


def table_of(X, lists=True, **more):
    import pyarrow as pa

    if lists:
        flat = pa.array(np.ascontiguousarray(X).ravel())
        return pa.table({"x": pa.FixedSizeListArray.from_arrays(flat, X.shape[1]), **more})
    return pa.table({f"c{at}": X[:, at] for at in range(X.shape[1])} | more)


def write_parquet(path, table, **options):
    import pyarrow.parquet as pq

    pq.write_table(table, path, **{"row_group_size": 37, "compression": "zstd"} | options)


def write_arrow(path, table, *, stream=False, compression=None, rows=41):
    import pyarrow as pa

    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with new(str(path), table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)


def annotated(X, labels):
    import anndata
    import pandas as pd

    obs = pd.DataFrame({"leiden": pd.Categorical(labels)}, index=[f"cell{at}" for at in range(X.shape[0])])
    return anndata.AnnData(X=X, obs=obs, obsm={"X_pca": X})


def write_rows(folder, X, kind):
    """Write a table as a file of this kind; return how it is asked for."""
    folder.mkdir(exist_ok=True)
    if kind in {"zarr", "h5", "h5ad", "csr"}:
        return _write_store(folder, X, kind)
    if kind.startswith("parquet"):
        write_parquet(folder / "x.parquet", table_of(X, lists=kind == "parquet"))
        return f"{folder}/x.parquet"
    if kind in {"arrow", "stream", "feather"}:
        path = folder / f"x.{'arrow' if kind == 'stream' else kind}"
        write_arrow(path, table_of(X), stream=kind == "stream", compression="zstd" if kind == "feather" else None)
        return str(path)
    if kind == "npz":
        np.savez(folder / "x.npz", X=X, y=X[:, 0])
        return f"{folder}/x.npz:X"
    if kind == "csv":
        np.savetxt(folder / "x.csv", X, delimiter=",", fmt="%.17g")
    else:
        np.save(folder / "x.npy", X)
    return f"{folder}/x.{kind}"


def _write_store(folder, X, kind):
    if kind == "zarr":
        import zarr

        group = zarr.open_group(str(folder / "x.zarr"), mode="w")
        group.create_array("deep/rows", shape=X.shape, dtype=X.dtype, chunks=(29, 2))[...] = X
        return f"{folder}/x.zarr:deep/rows"
    if kind == "h5":
        import h5py

        with h5py.File(folder / "x.h5", "w") as file:
            file.create_dataset("deep/rows", data=X, chunks=(29, 2), compression="gzip")
        return f"{folder}/x.h5:/deep/rows"
    labels = np.zeros(len(X), dtype=int).astype(str)
    if kind == "csr":
        from scipy.sparse import csr_array

        annotated(csr_array(X), labels).write_h5ad(folder / "s.h5ad")
        return f"{folder}/s.h5ad:X"
    annotated(X, labels).write_h5ad(folder / "x.h5ad")
    return f"{folder}/x.h5ad:obsm/X_pca"


def chunk_files(spec):
    """The files of the chunks of a Zarr store."""
    store = Path(spec.partition(":")[0])
    return sorted(path for path in store.rglob("*") if path.is_file() and path.name != "zarr.json")


def write_labels(folder, labels, kind):
    """Write a labeling as a file of this kind; return how it is asked for."""
    folder.mkdir(exist_ok=True)
    if kind in {"npy", "npz"}:
        np.save(folder / "y.npy", labels) if kind == "npy" else np.savez(folder / "y.npz", labels)
        return f"{folder}/y.{kind}"
    if kind == "csv":
        (folder / "y.csv").write_text("\n".join(["label", *map(str, labels.tolist()), ""]))
        return f"{folder}/y.csv"
    if kind in {"parquet", "arrow"}:
        import pyarrow as pa

        table = pa.table({"other": np.arange(len(labels)), "label": labels})
        (write_parquet if kind == "parquet" else write_arrow)(folder / f"y.{kind}", table)
        return f"{folder}/y.{kind}:label"
    if kind == "zarr":
        import zarr

        zarr.save(str(folder / "y.zarr"), labels)
        return f"{folder}/y.zarr"
    if kind == "h5":
        import h5py

        with h5py.File(folder / "y.h5", "w") as file:
            file["labels"] = labels.astype(object) if labels.dtype.kind == "U" else labels
        return f"{folder}/y.h5:labels"
    data = annotated(np.zeros((len(labels), 1)), labels)
    if kind == "h5ad":
        data.write_h5ad(folder / "y.h5ad")
        return f"{folder}/y.h5ad:obs/leiden"
    data.write_zarr(str(folder / "y.zarr"))
    return f"{folder}/y.zarr:obs/leiden"
