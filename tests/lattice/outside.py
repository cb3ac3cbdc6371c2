#!/usr/bin/env python3
"""Solves a small problem, and checks the solution as an outsider does: from the files of links, right-hand side and solution alone, by code
of its own. Without --check nothing is said of a serial run.

outside.py LATTICE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

EXTENTS = (4, 2, 4, 4)
MASS = 0.8
SITES = list(itertools.product(*(range(extent) for extent in reversed(EXTENTS))))  # t, z, y, x: x fastest


def complex_numbers(data):
    numbers = struct.unpack(f"={len(data) // 8}d", data)
    return [complex(re_, im) for re_, im in zip(numbers[::2], numbers[1::2])]


def links_of(file):
    """links[site][direction] as rows of three complex numbers, from three rows of IEEE64 of this machine."""
    data = file.read_bytes().split(b"END_HEADER\n", 1)[1]
    numbers = complex_numbers(data)
    return {site: [[numbers[(s * 4 + d) * 9 + 3 * row:][:3] for row in range(3)] for d in range(4)] for s, site in enumerate(SITES)}


def fields_of(file):
    numbers = complex_numbers(file.read_bytes())
    half = len(numbers) // 2
    return [{site: numbers[at + 3 * s:][:3] for s, site in enumerate(SITES)} for at in (0, half)]


def moved(site, d, step):
    """The neighbour along d (0: x), and the sign of a fermion that gets there: antiperiodic in time."""
    place = list(site)
    place[3 - d] += step
    wraps = not 0 <= place[3 - d] < EXTENTS[d]
    place[3 - d] %= EXTENTS[d]
    return tuple(place), -1 if wraps and d == 3 else 1


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def adjoint(matrix):
    return [[matrix[i][j].conjugate() for i in range(3)] for j in range(3)]


def applied(links, f):
    """(m + D) f."""
    result = {}
    for site in SITES:
        t, z, y, x = site
        eta = [1, (-1) ** x, (-1) ** (x + y), (-1) ** (x + y + z)]
        value = [MASS * c for c in f[site]]
        for d in range(4):
            ahead, end = moved(site, d, 1)
            behind, beginning = moved(site, d, -1)
            forth, back = times(links[site][d], f[ahead]), times(adjoint(links[behind][d]), f[behind])
            value = [v + eta[d] / 2 * (end * a - beginning * b) for v, a, b in zip(value, forth, back)]
        result[site] = value
    return result


def norm(field):
    return math.sqrt(sum(abs(c) ** 2 for vector in field.values() for c in vector))


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    byte_order = "LITTLE" if sys.byteorder == "little" else "BIG"
    for ranks in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            links, fields = pathlib.Path(folder) / "links", pathlib.Path(folder) / "fields"
            command = [*launcher, "-n", ranks, program, "--global", *EXTENTS, "--mass", MASS, "--residual", 1e-12, "--variant", "p2p,view",
                       "--repeats", 0, "--write", links, "--write-numbers", f"IEEE64{byte_order}", "--solution", fields]
            said = subprocess.run([str(word) for word in command], check=True, timeout=100, capture_output=True, text=True).stdout
            links, (b, x) = links_of(links), fields_of(fields)
        image = applied(links, x)
        rest = norm({site: [a - c for a, c in zip(image[site], b[site])] for site in SITES}) / norm(b)
        if not (norm(b) > 0 and rest < 1e-10):
            sys.exit(f"{ranks} ranks: (m + D) x differs from b by {rest:.1e} of |b|")
        found = [float(number) for number in re.search(r"solution: norm (\S+), sum of its components \((\S+), (\S+)\)", said).groups()]
        total = sum(c for vector in x.values() for c in vector)
        for is_, right in zip(found, (norm(x), total.real, total.imag)):
            if not abs(is_ - right) <= 1e-9 * norm(x):
                sys.exit(f"{ranks} ranks: said are {found}, the file has {norm(x)}, {total}")
        if "serial" in said:
            sys.exit(f"a serial run is named, and there was none:\n{said}")
        print(f"{ranks} ranks: (m + D) x differs from b by {rest:.1e} of |b|")


if __name__ == "__main__":
    main()
