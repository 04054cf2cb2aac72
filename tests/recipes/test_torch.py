"""docs/recipes_torch.md: its code runs on two ranks over gloo, and gives each the scores of all rows."""

import multiprocessing
import os

import numpy as np
import pytest
import recipes_code
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")
pytest.importorskip("torch.distributed")

pytestmark = pytest.mark.slow


def _rank(rank, shares, file, results):
    import torch.distributed as group

    group.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=len(shares))
    X, clusters, topics = (part[shares[rank]] for part in recipes_code.rows())
    found = recipes_code.follow(
        "recipes_torch.md", embeddings=torch.from_numpy(X), clusters=torch.from_numpy(clusters), topics=topics
    )
    results.put((rank, found))
    group.destroy_process_group()


@pytest.mark.parametrize("cut", [300, 17, 0])  # the last leaves a rank without rows
@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_every_rank_has_the_scores_of_all_rows(tmp_path, monkeypatch, cut):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", os.environ.get("GLOO_SOCKET_IFNAME", "lo"))
    spawn = multiprocessing.get_context("spawn")
    results, shares = spawn.Queue(), (slice(cut), slice(cut, None))
    ranks = [spawn.Process(target=_rank, args=(rank, shares, tmp_path / "meet", results)) for rank in range(2)]
    for process in ranks:
        process.start()
    found = dict(results.get(timeout=120) for _ in ranks)
    for process in ranks:
        process.join(30)
        assert process.exitcode == 0
    expected = recipes_code.expected(*recipes_code.rows())
    for rank in range(2):
        assert_allclose(np.array(found[rank]), expected, rtol=1e-12)
