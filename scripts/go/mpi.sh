# Chooses the MPI: the site's, if it works, else a private wheel. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
refused_mpi=

# Sets mpi to "site" or "wheel". The site's MPI is what MPICXX names, else the mpicxx on the PATH. One that cannot be used is refused in a line
# that says why; then refused_mpi names it.
choose_mpi() {
  mpi=wheel
  found=${MPICXX:-$(command -v mpicxx)} || return 0
  case $found in
  "$venv"/*) return 0 ;;
  esac
  wrong=$(wrong_with_mpi "$found")
  if [ -z "$wrong" ]; then
    mpi=site
    return 0
  fi
  refused_mpi=$found
  say "Not using $found: $wrong. Taking the private MPICH instead."
}

# Prints what is wrong with the MPI behind a compiler wrapper, in one line; nothing if it can be used.
wrong_with_mpi() {
  command -v "$1" >/dev/null || {
    printf '%s' 'there is no such program'
    return
  }
  case $(mpi_says "$1" 'MPICH_VERSION') in
  '"4.0.2"')
    printf '%s' 'MPICH 4.0.2, as Debian 12 ships it, puts to wrong addresses without an error (docs/known-mpi-bugs.md)'
    return
    ;;
  esac
  try_mpi "$1"
}

# Prints what a macro of the mpi.h behind a compiler wrapper stands for.
mpi_says() {
  printf '#include <mpi.h>\nthe_macro %s\n' "$2" | "$1" -E -x c++ - 2>/dev/null | sed -n 's/^the_macro //p'
}

# Builds a program with the wrappers for C++ and C, looks at the version, and has the launcher run it. Prints the first thing that does not work.
try_mpi() {
  work=$log_dir/mpi
  mkdir -p "$work"
  cat >"$work/try.cpp" <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int size = 0;
  if (MPI_Init(&argc, &argv) || MPI_Comm_size(MPI_COMM_WORLD, &size) || MPI_Finalize()) return 1;
  if (size != 2) printf("error: 2 ranks were started, and MPI sees %d: this is the launcher of another MPI\n", size);
  return size != 2;
}
EOF
  cp "$work/try.cpp" "$work/try.c"
  c_wrapper=$(beside "$1" mpicc)
  launcher=$(beside "$1" mpiexec mpirun)
  if ! "$1" -o "$work/try" "$work/try.cpp" >"$work/log" 2>&1; then
    printf '%s' "it cannot build a program ($(first_complaint "$work/log"))"
  elif older_than_3_1 "$1"; then
    printf '%s' "it is MPI $(mpi_says "$1" 'MPI_VERSION.MPI_SUBVERSION' | tr -d ' '), but 3.1 or newer is needed"
  elif [ -z "$c_wrapper" ]; then
    printf '%s' 'there is no mpicc beside it or on the PATH'
  elif ! "$c_wrapper" -o "$work/try_c" "$work/try.c" >"$work/log" 2>&1; then
    printf '%s' "its $c_wrapper cannot build a program ($(first_complaint "$work/log"))"
  elif [ -z "$launcher" ]; then
    printf '%s' 'there is no mpiexec beside it or on the PATH'
  elif ! launches "$launcher" "$work/try" >"$work/log" 2>&1; then
    printf '%s' "$launcher cannot run a program ($(first_complaint "$work/log"))"
  fi
}

# Prints the first of these programs that stands beside another, or on the PATH.
beside() {
  folder=$(dirname "$(command -v "$1")")
  shift
  for name in "$@"; do
    if [ -x "$folder/$name" ]; then
      printf '%s' "$folder/$name"
      return
    fi
    command -v "$name" && return
  done
}

older_than_3_1() {
  version=$(mpi_says "$1" 'MPI_VERSION MPI_SUBVERSION')
  [ "${version%% *}" -lt 3 ] 2>/dev/null || [ "$version" = '3 0' ]
}

# Open MPI does not run as root, nor more ranks than cores, unless it is told to.
launches() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe timeout 60 "$1" -n 2 "$2"
}

# The line of a log that says most: the first with "error" or "not found" in it, else the first that is not empty.
first_complaint() {
  { grep -iE 'error|not found|cannot|could not|no such' "$1" || grep . "$1" || echo 'it says nothing'; } | head -n 1 | cut -c 1-200
}
