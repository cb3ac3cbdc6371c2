#!/bin/bash
# What scripts/test_packages.sh does in the root that uses the wheel in /root/in: Debian's Python and Open MPI, a fresh environment, a swap on two
# ranks, the command. The argument is the version. Last line: N passed, N failed, N skipped. SPDX-License-Identifier: BSD-3-Clause
set -u
version=$1
# shellcheck source=/dev/null
. /root/check.sh
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
[ -e "$PIP_CERT" ] || unset PIP_CERT
cd /root/in || exit 2

installs_python_and_mpi() { apt-get update && apt-get install -y --no-install-recommends python3-venv openmpi-bin; }

installs() { python3 -m venv /root/python && /root/python/bin/pip install --quiet --disable-pip-version-check ./*.whl; }

swaps_on_two_ranks() {
  cat >swap.py <<'PYTHON'
import halocline
with halocline.Context() as context:
    grid = halocline.Grid(context, (8, 8), periodic=True)
    field = halocline.Field(grid)
    field.interior = context.rank + 1
    halocline.Halo(grid, [field]).swap()
    assert field.array.min() == 1 and field.array.max() == context.size == 2
    print("right", halocline.mpi_library()[0], halocline.__version__)
PYTHON
  mpirun --oversubscribe -n 2 /root/python/bin/python swap.py | tee swapped && [ "$(grep -cx "right openmpi $version" swapped)" -eq 2 ]
}

# Without the native programs the command says what is missing.
has_the_command() {
  /root/python/bin/halocline --version | grep -qx "halocline $version" || return 1
  /root/python/bin/halocline doctor 2>said
  [ $? -eq 3 ] && grep -q 'no halocline-doctor in' said
}

leaves_nothing() { /root/python/bin/pip uninstall -y halocline && ! find /root/python -name '*halocline*' | grep . && [ -z "$(ls -A /dev/shm)" ]; }

check "Debian's Python and Open MPI" installs_python_and_mpi
check 'the wheel can be installed' installs
check 'it swaps on two ranks' swaps_on_two_ranks
check 'it has the command' has_the_command
check 'it can be removed without a trace' leaves_nothing
echo "${passed:?} passed, ${failed:?} failed, 0 skipped"
[ "${failed:?}" -eq 0 ]
