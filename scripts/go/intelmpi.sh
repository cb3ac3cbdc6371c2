#!/bin/sh
# Stands in .venv/intelmpi/bin as mpicc, mpicxx, mpifort and mpiexec. The programs that Intel's wheels bring lie beside it in wheel/, but have to be
# told so. Their network providers are found by LD_LIBRARY_PATH, which mpiexec sets here; MPI itself meets in shared memory.
# SPDX-License-Identifier: BSD-3-Clause
I_MPI_ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/../wheel" && pwd) || exit 1
I_MPI_FABRICS=${I_MPI_FABRICS:-shm}
export I_MPI_ROOT I_MPI_FABRICS
case ${0##*/} in
mpiexec)
  # What it starts may have been built with another MPI of the same binary interface: this one's library comes first.
  LD_LIBRARY_PATH=$I_MPI_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  exec "$I_MPI_ROOT/bin/mpiexec" "$@"
  ;;
mpifort) exec "$I_MPI_ROOT/bin/mpif90" "$@" ;;
*) exec "$I_MPI_ROOT/bin/${0##*/}" "$@" ;;
esac
