"""The libraries that ours is measured beside: a small adapter for each; those that are installed are run."""

from __future__ import annotations

from . import cuml_scores, intelex, permetrics_scores, scikit_learn, torch_silhouettes, torchmetrics_scores

PEERS = {
    peer.name: peer
    for peer in (
        scikit_learn.PEER,
        intelex.PEER,
        torch_silhouettes.peer("cpu"),
        torchmetrics_scores.peer("cpu"),
        permetrics_scores.PEER,
        cuml_scores.PEER,
        torch_silhouettes.peer("cuda"),
        torchmetrics_scores.peer("cuda"),
    )
}


def for_backend(backend):
    """Peers for a backend of ours: those on its device, and scikit-learn besides."""
    device = "cpu" if backend == "numpy" else "cuda"
    return [peer for peer in PEERS.values() if peer.device == device or peer.name == scikit_learn.PEER.name]


def found():
    """Version of each peer, or why it cannot be used: {name: (version or None, why)}."""
    return {name: peer.version() for name, peer in PEERS.items()}
