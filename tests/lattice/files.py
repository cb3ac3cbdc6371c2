#!/usr/bin/env python3
"""Writes gauge fields in NERSC's format and reads them on another number of ranks: two and three rows, 32 and 64 bits, both byte orders,
and an order that the file does not name. Damaged files are refused with the reason. So are files that one rank lacks, or has another of.

files.py LATTICE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

GLOBAL = ["--global", 4, 4, 2, 4]
SITES, DIRECTIONS = 4 * 4 * 2 * 4, 4
BOTH_ENDS = re.compile(rb"^BEGIN_HEADER\n(.*)END_HEADER\n(.*)$", re.DOTALL)


class Runs:
    def __init__(self, program, launcher):
        self.program, self.launcher = program, launcher

    def command(self, words):
        return [self.program, *GLOBAL, "--variant", "p2p", "--mass", 1, "--repeats", 0, *words]

    def __call__(self, ranks, *words):
        return self.start("-n", ranks, *self.command(words))

    def in_folders(self, folders, *words):
        """One rank in each folder."""
        ranks = [["-n", 1, "env", "-C", folder, *self.command(words)] for folder in folders]
        return self.start(*ranks[0], ":", *ranks[1])

    def start(self, *words):
        return subprocess.run([str(word) for word in [*self.launcher, *words]], capture_output=True, text=True, check=False, timeout=100)

    def plaquette(self, ranks, *words):
        run = self(ranks, *words)
        if run.returncode != 0:
            sys.exit(f"{words}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
        return re.search(r"plaquette \S+, link trace \S+", run.stdout).group()


def parts(file):
    """Header lines as a dictionary, and the data."""
    header, data = BOTH_ENDS.match(file.read_bytes()).groups()
    return dict(line.split(" = ", 1) for line in header.decode().splitlines()), data


def check_form(file, rows, numbers):
    """The size and the checksum of a file, computed here once more."""
    header, data = parts(file)
    bits = int(numbers[4:6])
    if len(data) != SITES * DIRECTIONS * rows * 3 * 2 * bits // 8:
        sys.exit(f"{rows} rows, {numbers}: {len(data)} bytes of data")
    order = ">" if numbers.endswith("BIG") else "<"
    words = sum(struct.unpack(f"{order}{len(data) // 4}I", data)) % 2**32
    if int(header["CHECKSUM"], 16) != words:
        sys.exit(f"{rows} rows, {numbers}: the checksum is {header['CHECKSUM']}, not {words:x}")


def expect_refusal(runs, file, wrong, reason):
    damaged = file.with_suffix(".damaged")
    damaged.write_bytes(wrong)
    expect_failure(runs(2, "--read", damaged), reason)


def expect_failure(run, reason):
    if run.returncode == 0 or reason not in run.stderr:
        sys.exit(f"exit status {run.returncode}, expected were a failure and '{reason}'\n{run.stdout}{run.stderr}")
    print(run.stderr.strip())


def main():
    split = sys.argv.index("--")
    runs = Runs(sys.argv[1], sys.argv[split + 1:])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "links"
        for rows, numbers in [(2, "IEEE32BIG"), (3, "IEEE64LITTLE"), (2, "IEEE64BIG"), (3, "IEEE32LITTLE")]:
            written = runs.plaquette(2, "--write", file, "--write-rows", rows, "--write-numbers", numbers)
            check_form(file, rows, numbers)
            if numbers.startswith("IEEE32"):
                file.write_bytes(file.read_bytes().replace(numbers.encode(), b"IEEE32"))
            read = runs.plaquette(1, "--read", file, "--check")
            digits = 7 if numbers.startswith("IEEE32") else 12
            for a, b in zip(re.findall(r"-?\d\.\d+", written), re.findall(r"-?\d\.\d+", read), strict=True):
                if abs(float(a) - float(b)) > 10**-digits:
                    sys.exit(f"{rows} rows, {numbers}: written {written}, read {read}")
            print(f"{rows} rows, {numbers}: {read}")
        right = file.read_bytes()
        damaged_data = right[:-5] + bytes([right[-5] ^ 1]) + right[-4:]
        expect_refusal(runs, file, damaged_data, "checksum")
        expect_refusal(runs, file, right[:-1], "ends too early")
        expect_refusal(runs, file, right.replace(b"PLAQUETTE = ", b"PLAQUETTE = 1"), "plaquette")
        expect_refusal(runs, file, right.replace(b"DIMENSION_3 = 2", b"DIMENSION_3 = 4"), "another one")
        expect_refusal(runs, file, right.replace(b"BEGIN", b"begin"), "BEGIN_HEADER")
        elsewhere = file.parent / "elsewhere"
        elsewhere.mkdir()
        folders = file.parent, elsewhere
        expect_failure(runs.in_folders(folders, "--read", file.name), "links: it cannot be read, on rank 1")
        (elsewhere / file.name).write_bytes(right.replace(b"PLAQUETTE = ", b"PLAQUETTE = 1"))
        expect_failure(runs.in_folders(folders, "--read", file.name), "links: it has another header on rank 1 than on rank 0")


if __name__ == "__main__":
    main()
