"""docs/recipes_ray.md: its code runs on a local Ray, and gives the scores of all rows."""

import os
import sys

import pytest
import recipes_code
from numpy.testing import assert_allclose

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own, of files it leaves open


@pytest.fixture(name="cluster", scope="module", autouse=True)
def local_ray():
    paths = os.pathsep.join(filter(None, sys.path))
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=100 * 2**20,
        runtime_env={"env_vars": {"PYTHONPATH": paths, "RAY_DATA_DISABLE_PROGRESS_BARS": "1"}},
    )
    yield
    ray.shutdown()


@pytest.mark.parametrize("batch_size", [None, 150])
def test_scores_are_those_of_all_rows(batch_size):
    X, clusters, topics = recipes_code.rows()
    lines = [
        {"embedding": x, "cluster": cluster, "topic": topic}
        for x, cluster, topic in zip(X, clusters.tolist(), topics.tolist(), strict=True)
    ]
    dataset = ray.data.from_items(lines, override_num_blocks=3)
    if batch_size is not None:
        dataset = dataset.repartition(target_num_rows_per_block=batch_size)
    found = recipes_code.follow("recipes_ray.md", dataset=dataset)
    assert_allclose(found, recipes_code.expected(X, clusters, topics), rtol=1e-12)
