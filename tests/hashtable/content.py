#!/usr/bin/env python3
"""Computes the keys of round 0 by code of its own, and expects every variant to hold them: their number and the digests of README.md.

content.py HASHTABLE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ALL = 2**64 - 1
RANKS = 2
# --inserts, --universe, --seed. With few keys ranks insert the same ones, and the first of them decides on the value.
PROBLEMS = [(500, 0, 1), (300, 0, 2**63 + 5), (200, 90, 7)]


def mixed(word):
    """The finaliser of splitmix64."""
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9 & ALL
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb & ALL
    return word ^ (word >> 31)


def random_words(seed, count):
    """MT19937-64, as Matsumoto and Nishimura define it."""
    n, m, upper, lower = 312, 156, ALL ^ (2**31 - 1), 2**31 - 1
    state = [seed]
    for i in range(1, n):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & ALL)
    words = []
    for i in range(count):
        if i % n == 0:
            for k in range(n):
                x = (state[k] & upper) | (state[(k + 1) % n] & lower)
                state[k] = state[(k + m) % n] ^ (x >> 1) ^ (0xb5026f5aa96619e9 if x & 1 else 0)
        x = state[i % n]
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71d67fffeda60000
        x ^= (x << 37) & 0xfff7eee000000000
        words.append(x ^ (x >> 43))
    return words


def content(inserts, universe, seed):
    """Number, digest of the keys, digest of the pairs; the last is None where a rank's luck decides."""
    values, is_certain = {}, True
    for rank in range(RANKS):
        for i, word in enumerate(random_words(mixed(seed ^ (rank << 20)), inserts)):
            key = mixed(1 + word % (universe or 2**63 - 1))
            is_certain = is_certain and (key not in values or values[key] >> 32 == rank)
            values.setdefault(key, (rank << 32) + i)
    pairs = sum(mixed((key + mixed(value + 1)) & ALL) for key, value in values.items()) & ALL
    return len(values), sum(map(mixed, values)) & ALL, pairs if is_certain else None


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for inserts, universe, seed in PROBLEMS:
        right = content(inserts, universe, seed)
        for words in (["--repeats", 1], ["--repeats", 0, "--check"]):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "report.json"
                command = [*launcher, "-n", RANKS, program, "--inserts", inserts, "--universe", universe, "--seed", seed, "--variant",
                           "messages,rma_batched,engine,engine_batched,instructions", *words, "--json", file]
                said = subprocess.run([str(word) for word in command], check=True, timeout=100, capture_output=True, text=True).stdout
                variants = json.loads(file.read_text())["variants"]
            if f"{right[0]} keys, digest {right[1]:016x}" not in said or len(variants) != 5:
                sys.exit(f"{command}: expected were {right[0]} keys, digest {right[1]:016x}\n{said}")
            for name, found in variants.items():
                pairs = right[2] if right[2] is not None else found["digest_of_pairs"]
                if (found["keys"], found["digest_of_keys"], found["digest_of_pairs"]) != (*right[:2], pairs):
                    sys.exit(f"{name} holds {found}, expected were {right}")
        print(f"{inserts} inserts, universe {universe}: {right}")


if __name__ == "__main__":
    main()
