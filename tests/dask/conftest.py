"""Dask's collections for tests: most run under the synchronous scheduler, those marked `dask` on a cluster."""

import numpy as np
import pytest

N_ROWS, N_CLUSTERS = 900, 5


@pytest.fixture(autouse=True)
def scheduler(request):
    """Compute in this thread, where no cluster is asked for; without Dask the test is skipped."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.array")
    if request.node.get_closest_marker("dask"):
        yield None
        return
    with dask.config.set(scheduler="synchronous"):
        yield "synchronous"


@pytest.fixture
def lazy():
    """A function that makes an array of Dask's: chunks of the rows, all columns in two."""
    import dask.array as da

    def make(array, rows=250):
        array = np.asarray(array)
        columns = () if array.ndim == 1 else (max(1, array.shape[1] // 2),)
        return da.from_array(array, chunks=(rows, *columns))

    return make


@pytest.fixture
def clustered(rng):
    """Rows, their clusters, of which -1 is in one chunk only, and a second labeling."""
    centres = rng.normal(size=(N_CLUSTERS, 6)) * 3
    labels = rng.integers(N_CLUSTERS, size=N_ROWS)
    X = centres[labels] + rng.normal(size=(N_ROWS, 6)) + 100
    labels[300:330] = -1
    other = np.where(rng.random(N_ROWS) < 0.8, labels, rng.integers(N_CLUSTERS, size=N_ROWS))
    return X, labels, other


@pytest.fixture(scope="session")
def cluster():
    """A client of two worker processes."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as running,
        distributed.Client(running) as client,
    ):
        yield client
