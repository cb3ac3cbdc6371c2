#!/usr/bin/env python3
"""Gives the scripts that draw what the mini-apps wrote files that are missing, are no such files, or lack what is drawn. Each must say so
in one line. Ends with 77 where NumPy, netCDF4 or matplotlib is not there.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import matplotlib  # noqa: F401
    import netCDF4
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

APPS = pathlib.Path(__file__).resolve().parents[2] / "apps"
CLOUD, MEANS, PIC, FLUID = (APPS / name for name in ("cloud/slice.py", "cloud/profiles.py", "pic/slice.py", "boltzmann/slices.py"))


def write(path, *names):
    """A NetCDF file of two records of 4 x 4 x 2 cells."""
    with netCDF4.Dataset(path, "w") as data:
        for name, size in (("time", 2), ("x", 4), ("y", 4), ("z", 2)):
            data.createDimension(name, size)
            data.createVariable(name, "f8", (name,))[:] = range(size)
        for name in names:
            data.createVariable(name, "f8", ("time", "x", "y", "z"))[:] = 1
    return path


def cases(folder):
    """Words of a command, and the line that it has to say."""
    text = folder / "text"
    text.write_text("no numbers\n")
    empty, plasma = write(folder / "empty.nc"), write(folder / "plasma.nc", "magnetic_x", "magnetic_y", "magnetic_z")
    means = folder / "means"
    means.write_text("{}\n")
    yield (CLOUD, "/nonexistent.nc"), "/nonexistent.nc: cannot be read: No such file or directory; give what cloud --output wrote"
    yield (PIC, text), f"{text}: cannot be read: NetCDF: Unknown file format; give what pic --output wrote"
    yield (FLUID, empty), f"{empty}: it has no density; give what boltzmann --output wrote"
    yield (CLOUD, empty), f"{empty}: it has no theta_l, q_t, w; give what cloud --output wrote"
    yield (PIC, plasma, "--record", 2), f"{plasma}: --record 2: it has 2 records, 0 to 1"
    yield (PIC, plasma, "--z", 2), f"{plasma}: --z 2: it has 2 cells along z, 0 to 1"
    yield (PIC, plasma), f"{plasma}: it has no charge_density_..., so there are no particles whose current could be drawn"
    yield (MEANS, "/nonexistent"), "/nonexistent: cannot be read: No such file or directory; give what cloud --statistics wrote"
    yield (MEANS, means), f"{means}: it has no means of a run; give what cloud --statistics wrote"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for words, expected in cases(pathlib.Path(folder)):
            done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)
            right = done.returncode == 1 and done.stderr.strip() == expected
            failed += not right
            print(f"{'passed' if right else 'FAILED'}: {words[0].parent.name}/{words[0].name}: {done.stderr.strip()}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
