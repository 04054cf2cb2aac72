"""Programs that a test starts, as a user would."""

import os
import subprocess


def run(*command, returncode=0, **options):
    """Run a command away from this source tree, and return what it prints; the test fails if it ends otherwise."""
    settings = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MYPYPATH"}}
    words = [str(word) for word in command]
    done = subprocess.run(words, env=settings, capture_output=True, text=True, check=False, **options)
    assert done.returncode == returncode, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout
