#!/bin/sh
# Fill /opt/venv, inside the build of an image: `install.sh packages LOCK`, then `install.sh project` for the wheel.
set -eu

python=/opt/venv/bin/python3
pip() { /opt/tools/bin/python -m pip --python "$python" "$@"; }

# One process, and files that are never checked against their sources: the same bytes each time, and a quicker start.
compile() { PYTHONDONTWRITEBYTECODE='' "$python" -m compileall -q -j 1 --invalidation-mode unchecked-hash "$@"; }

case $1 in
  packages)
    python3 -m venv --without-pip /opt/venv
    pip install --require-hashes --no-deps -r "$2"
    compile /opt/venv/lib
    ;;
  project)
    pip install --no-deps /wheel/*.whl
    compile /opt/venv/lib/python3*/site-packages/gpumetrics
    pip check
    mkdir -p /opt/venv/share
    /opt/tools/bin/cyclonedx-py environment --output-reproducible --of JSON -o /opt/venv/share/sbom.cdx.json "$python"
    ;;
esac
