"""The programs in docker/ can be imported; where the tests run without the repository, there is nothing to test."""

import sys
from pathlib import Path

DOCKER = Path(__file__).parents[2] / "docker"
sys.path.append(str(DOCKER))
collect_ignore_glob = [] if DOCKER.is_dir() else ["*"]
