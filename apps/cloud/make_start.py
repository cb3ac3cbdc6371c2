#!/usr/bin/env python3
"""Makes dycoms_rf01.start, from which ./go shows a cloud: it runs the case on a coarse grid for a while, and keeps wind, heat and water in
32-bit numbers. `cloud --restart` puts them on the layers of the case that it runs.

make_start.py --cloud build/release/bin/cloud [--launcher "mpiexec -n 2"] [--until 3600] [--case CASE.nml] [--output FILE]
make_start.py --from RESTART [--output FILE]       what cloud --save has left of such a run

Standard library only. The hour took 14 minutes on one core that other programs used, too.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import array
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEPT = ("u", "v", "w", "theta_l", "q_t")
MAGIC = b"halocline cloud1"
REFERENCE = b"reference state "   # before theta_below and surface_pressure
NAME = 16
NUMBERS = struct.Struct("=5i")     # bytes per number, cells in x, y and z, fields


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--cloud", help="the program")
    source.add_argument("--from", dest="restart", type=pathlib.Path, help="a file that cloud --save wrote")
    parser.add_argument("--launcher", default="mpiexec -n 1")
    parser.add_argument("--until", default="3600", help="seconds to simulate")
    parser.add_argument("--case", default=str(HERE / "dycoms_rf01_coarse.nml"))
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "dycoms_rf01.start")
    return parser.parse_args()


def start_of(restart):
    """The bytes of a start, from those of a restart file."""
    if restart[:len(MAGIC)] != MAGIC:
        raise SystemExit("make_start.py: this is not a restart file of cloud")
    width, nx, ny, nz, fields = NUMBERS.unpack_from(restart, len(MAGIC))
    if width != 8:
        raise SystemExit(f"make_start.py: a restart has numbers of 8 bytes, this one of {width}")
    cells, place = nx * ny * nz, len(MAGIC) + NUMBERS.size
    head = restart[place:place + 8 * (4 + nz + 1)]
    place += len(head)
    made = [MAGIC, NUMBERS.pack(4, nx, ny, nz, len(KEPT)), head]
    for _ in range(fields):
        name = restart[place:place + NAME]
        place += NAME
        if name.decode().strip() in KEPT:
            made += [name, array.array("f", array.array("d", restart[place:place + 8 * cells])).tobytes()]
        place += 8 * cells
    reference = restart[place:]
    if len(reference) != NAME + 16 or reference[:NAME] != REFERENCE:
        raise SystemExit("make_start.py: the restart does not say its theta_below and surface_pressure; write it again")
    made.append(reference)
    if len(made) != 4 + 2 * len(KEPT):
        raise SystemExit(f"make_start.py: the restart lacks one of {', '.join(KEPT)}")
    return b"".join(made)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        restart = options.restart or pathlib.Path(folder) / "restart"
        if options.cloud:
            command = [*shlex.split(options.launcher), options.cloud, options.case, "--until", options.until, "--save", restart]
            subprocess.run([str(word) for word in command], check=True)
        start = start_of(restart.read_bytes())
    options.output.write_bytes(start)
    print(f"wrote {options.output}: {len(start):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
