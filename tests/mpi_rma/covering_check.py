#!/usr/bin/env python3
"""Checks the covering array of MPI RMA: the search of covering.py against all rows of small systems, written out; and the rows of FILE.

    covering_check.py FILE

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import random
import sys
from pathlib import Path

import covering


def small_system(seed):
    """Five factors with up to four values, and random rules on two or three of them."""
    rng = random.Random(seed)
    factors = {name: tuple(f"{name}{i}" for i in range(rng.randint(1, 4))) for name in "abcde"}
    rules = []
    for _ in range(rng.randint(0, 5)):
        names = tuple(sorted(rng.sample("abcde", rng.randint(2, 3))))
        values = list(itertools.product(*(factors[name] for name in names)))
        forbidden = set(rng.sample(values, rng.randint(1, len(values))))
        rules.append((names, lambda *found, forbidden=forbidden: found not in forbidden))
    return factors, rules


def possible(factors, rules, group):
    """What the factors of the group can have together, by looking at every row."""
    found = set()
    for values in itertools.product(*factors.values()):
        row = dict(zip(factors, values))
        if all(holds(*(row[name] for name in names)) for names, holds in rules):
            found.add(tuple(row[name] for name in group))
    return found


def complaint(seed):
    factors, rules = small_system(seed)
    groups = list(itertools.combinations(factors, 2 + seed % 2))
    rows = list(covering.Search(factors, rules, groups).rows())
    for row in rows:
        if not all(holds(*(row[name] for name in names)) for names, holds in rules):
            return f"system {seed}: a row breaks a rule: {row}"
    for group in groups:
        met = {tuple(row[factor] for factor in group) for row in rows}
        if met != possible(factors, rules, group):
            return f"system {seed}: {group} has {sorted(met)}"
    wrong, _, _ = covering.check(covering.Search(factors, rules, groups), rows[:-1])
    return f"system {seed}: a missing row is not noticed" if rows and not wrong else None


def main():
    complaints = [found for seed in range(40) if (found := complaint(seed))]
    rows = covering.read_rows(Path(sys.argv[1]))
    wrong, covered, impossible = covering.check(covering.search_for("pairs"), rows)
    for line in complaints + wrong:
        print(f"FAIL: {line}")
    print(f"40 small systems; {len(rows)} rows, {covered} combinations covered, {impossible} impossible by the rules")
    return 1 if complaints or wrong or not covered else 0


if __name__ == "__main__":
    sys.exit(main())
