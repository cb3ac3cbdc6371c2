#!/usr/bin/env python3
"""Compares pic with linear theory: light waves, the two-stream instability; with --landau a Langmuir wave. Energy must be conserved.

physics.py PIC [--landau] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import pathlib
import re
import sys
import tempfile

import cases

FAR = 0.05  # from theory


def frequency(times, values):
    """Of an oscillation, from its zeros."""
    zeros = [a + (b - a) * u / (u - v) for a, b, u, v in zip(times, times[1:], values, values[1:]) if u * v < 0]
    if len(zeros) < 3:
        sys.exit(f"only {len(zeros)} zeros in {len(times)} values: no oscillation")
    return math.pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])


def slope(points):
    """Of the line through points of a logarithm, by least squares."""
    x = sum(a for a, _ in points) / len(points)
    y = sum(math.log(b) for _, b in points) / len(points)
    return sum((a - x) * (math.log(b) - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def expect(what, found, theory, far=FAR):
    """Prints a comparison; ends this script where they differ by more than a part `far` of the theory."""
    off = abs(found - theory) / abs(theory)
    print(f"{what}: {found:.5f}, theory {theory:.5f}, off by {off:.2%}")
    if not off <= far:
        sys.exit(f"{what} is off by {off:.2%}, which is more than {far:.2%}")


def run(folder, ranks, case, *words):
    file = pathlib.Path(folder) / f"{case}.csv"
    cases.run(ranks, case, "--history", file, *words)
    lines = cases.history(file)
    energies = [line["energy"] for line in lines]
    off = max(abs(energy - energies[0]) for energy in energies) / energies[0]
    print(f"{case}: energy differs by {off:.1e}")
    if not off < 1e-9:
        sys.exit(f"{case}: energy is not conserved: it differs by {off:.1e} of itself")
    return lines


def discrete_light(cells, length, mode, step):
    """Frequency of a light wave of the discrete equations."""
    half = [math.pi * m / n for m, n in zip(mode, cells)]
    spacing = [a / n for a, n in zip(length, cells)]
    numbers = []
    for d in range(3):
        others = [math.cos(half[e]) for e in range(3) if e != d]
        numbers.append(2 / spacing[d] * math.sin(half[d]) * others[0] * others[1])
    return 2 / step * math.atan(step / 2 * math.hypot(*numbers))


def check_light(folder):
    lines = run(folder, 2, "light_wave")
    found = frequency([line["time"] for line in lines], [line["cos_ez"] for line in lines])
    expect("light wave, the discrete equations", found, discrete_light((16, 12, 4), (1, 1, 1), (1, 1, 0), 0.02), 1e-4)
    expect("light wave", found, 2 * math.pi * math.sqrt(2))
    lines = run(folder, 1, "light_in_plasma")
    found = frequency([line["time"] for line in lines], [line["cos_ez"] for line in lines])
    expect("light wave in a cold plasma", found, math.sqrt(2), 0.01)


def check_gem():
    """The energy of reconnection stays within what the scheme leaves open, which is little."""
    (line,) = (line for line in cases.run(2, "gem", "--steps", 3).splitlines() if line.startswith("check energy right: "))
    print(f"gem: {line}")
    drift, allowed = (float(number) for number in re.findall(r"\d\.\d+e-\d+", line))
    if not drift <= allowed < 1e-10:
        sys.exit("gem: the check of energy allows more than 1e-10 in 3 steps")


def check_two_stream(folder):
    lines = run(folder, 1, "two_stream", "--history-every", 5)
    growing = [(line["time"], math.hypot(line["cos_ex"], line["sin_ex"])) for line in lines if line["time"] >= 12]
    expect("growth of the two-stream instability", slope(growing), 1 / math.sqrt(8))
    if not max(line["gauss_error"] for line in lines) < 1e-3:
        sys.exit("two-stream instability: the charge has moved away from that of the field")


def check_landau(folder):
    lines = run(folder, 2, "landau")
    times, values = [line["time"] for line in lines], [line["sin_ex"] for line in lines]
    peaks = [(b, abs(v)) for b, u, v, w in zip(times[1:], values, values[1:], values[2:]) if abs(u) < abs(v) >= abs(w)]
    expect("frequency of a Langmuir wave", frequency(times, values), 1.41566)
    expect("damping of a Langmuir wave", slope(peaks[1:]), -0.15336)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if "--landau" in sys.argv:
            check_landau(folder)
        else:
            check_light(folder)
            check_two_stream(folder)
            check_gem()


if __name__ == "__main__":
    main()
