"""Check the settings of an image: docker/check.sh gives what `buildah inspect` prints, the target and the version."""

from __future__ import annotations

import json
import sys
from typing import Any

ENTRYPOINTS = {"cpu": "gpumetrics", "cuda": "gpumetrics", "notebook": "jupyter"}
NVIDIA = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
LABELS = ("title", "description", "licenses", "version", "revision", "source", "base.name")


def complaints(image: dict[str, Any], target: str, version: str) -> list[str]:
    """Return what is wrong with the settings of an image, a sentence each."""
    config = image["Docker"]["config"]
    environment = dict(each.split("=", 1) for each in config["Env"])
    labels = config["Labels"]
    health = config.get("Healthcheck", {}).get("Test", [])
    nvidia = {name: environment[name] for name in NVIDIA if name in environment}
    found = {
        f"the user is {config['User']!r}, not 10001:10001": config["User"] == "10001:10001",
        f"the entry point is {config['Entrypoint']}": config["Entrypoint"][0] == ENTRYPOINTS[target],
        f"the health check is {health}": health == ["CMD", "gpumetrics", "doctor", "--quiet"],
        f"the working folder is {config['WorkingDir']}": config["WorkingDir"] == "/data",
        f"NVIDIA's variables are {nvidia}": nvidia == ({} if target == "cpu" else NVIDIA),
        f"CuPy's cache is {environment.get('CUPY_CACHE_DIR')}": "CUPY_CACHE_DIR" in environment,
        f"the version is {labels.get('org.opencontainers.image.version')}": (
            labels.get("org.opencontainers.image.version") == version
        ),
    }
    missing = [name for name in LABELS if not labels.get(f"org.opencontainers.image.{name}")]
    return [*(what for what, good in found.items() if not good), *(f"the label {name} is missing" for name in missing)]


def main() -> None:
    """Run the command line."""
    target, version = sys.argv[1:]
    wrong = complaints(json.load(sys.stdin), target, version)
    if wrong:
        sys.exit(f"docker/check_image.py: {target}: {'; '.join(wrong)}")
    print(f"{target}: user, entry point, health check, variables and labels are as they should be")


if __name__ == "__main__":
    main()
