#!/usr/bin/env python3
"""Chooses the rows of the covering array of MPI RMA: which call, window, synchronisation, datatype and ranks meet in one run.

    covering.py pairs|triples [--write FILE] [--check FILE] [--list]

`pairs`: every two values of two factors meet in some row, unless the rules below forbid it. So do three values of the factors in
FEW_TRIPLES. `triples`: three values of the factors in TRIPLES. The choice is greedy, and the same each time. A row is a line of FILE, which
covering_test.cpp runs. --check proves the coverage of a file anew: what no row has must be impossible, by exhaustive search. --list names
what is impossible.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import itertools
import random
import sys
from pathlib import Path

MOVES = ("put", "get", "rput", "rget")
SHAPES = ("plain", "contiguous", "vector", "backwards", "indexed", "blocks", "struct", "resized", "nested", "subarray", "dup")

# The factors with their values. Those that most rules name stand first: a search for a row then fails early.
FACTORS = {
    "call": ("put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap", "rput", "rget", "raccumulate",
             "rget_accumulate"),
    "sync": ("fence", "pscw", "pscw_test", "lock_exclusive", "lock_shared", "lock_all"),
    "kind": ("allocate", "create", "alloc_mem", "shared", "dynamic"),
    "basic": ("int8", "uint16", "int32", "int64", "uint64", "float", "double", "long_double", "complex", "bool", "byte", "two_ints",
              "double_int", "short_int", "long_double_int", "mixed"),
    "op": ("-", "sum", "prod", "min", "max", "land", "lor", "lxor", "band", "bor", "bxor", "minloc", "maxloc", "replace", "no_op"),
    "amount": ("zero", "one", "several", "many"),
    "from": SHAPES,  # the datatype at the origin
    "at": SHAPES,  # and at the target
    "target": ("next", "self", "first", "proc_null"),
    "place": ("own", "common"),  # each origin has its bytes of the target, or all change the same
    "done": ("end", "flush", "flush_all", "flush_local", "flush_local_all", "sync"),  # what completes accesses, beside the epoch's end
    "wait": ("-", "wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "get_status"),
    "comm": ("world", "reversed", "halves", "self"),
    "ranks": ("1", "2", "3", "4", "7"),
    "nodes": ("1", "2", "hosts"),  # one node, two emulated nodes, hosts in namespaces
    "unit": ("1", "4", "16", "by_rank"),
    "info": ("-", "no_locks", "any_order", "same_op", "noncontig"),
    "hint": ("-", "hints", "nocheck"),  # assertions
    "windows": ("one", "twin", "other"),  # a second window over the same memory, or another one with an epoch at the same time
    "late": ("none", "some"),  # ranks sleep for random times
    "count": ("int", "large"),  # MPI_Put or MPI_Put_c
}

ARITHMETIC = ("sum", "prod", "replace", "no_op")
ORDERED = (*ARITHMETIC, "min", "max", "land", "lor", "lxor")
INTEGER = (*ORDERED, "band", "bor", "bxor")
PAIR = ("minloc", "maxloc", "replace", "no_op")
OPERATIONS = {  # MPI 4.1, section 6.9.2
    **dict.fromkeys(("int8", "uint16", "int32", "int64", "uint64"), INTEGER),
    **dict.fromkeys(("float", "double", "long_double"), (*ARITHMETIC, "min", "max")),
    "complex": ARITHMETIC,
    "bool": ("land", "lor", "lxor", "replace", "no_op"),
    "byte": ("band", "bor", "bxor", "replace", "no_op"),
    **dict.fromkeys(("two_ints", "double_int", "short_int", "long_double_int"), PAIR),
    "mixed": (),
}
SWAPPED = ("int8", "uint16", "int32", "int64", "uint64", "bool", "byte")
SINGLE = ("fetch_and_op", "compare_and_swap")
ACTIVE = ("fence", "pscw", "pscw_test")


def has_op(call):
    return call not in MOVES and call != "compare_and_swap"


# The rules: the factors of each, and what holds of their values.
RULES = (
    (("call", "wait"), lambda call, wait: (call[0] == "r") == (wait != "-")),
    (("call", "sync"), lambda call, sync: call[0] != "r" or sync not in ACTIVE),
    (("call", "op"), lambda call, op: has_op(call) == (op != "-")),
    (("call", "op"), lambda call, op: op != "no_op" or call in ("get_accumulate", "rget_accumulate", "fetch_and_op")),
    (("basic", "op"), lambda basic, op: op == "-" or op in OPERATIONS[basic]),
    (("call", "basic"), lambda call, basic: basic != "mixed" or call in MOVES),
    (("call", "basic"), lambda call, basic: call != "compare_and_swap" or basic in SWAPPED),
    (("call", "amount"), lambda call, amount: call not in SINGLE or amount == "one"),
    (("amount", "from"), lambda amount, shape: amount != "one" or shape == "plain"),
    (("amount", "at"), lambda amount, shape: amount != "one" or shape == "plain"),
    (("place", "target"), lambda place, target: place == "own" or target == "first"),
    # Puts of several ranks to the same bytes are erroneous, unless a lock excludes the others.
    (("call", "place", "sync"), lambda call, place, sync: place == "own" or call not in ("put", "rput") or sync == "lock_exclusive"),
    (("sync", "done"), lambda sync, done: done == "end" or sync not in ACTIVE),
    (("sync", "done"), lambda sync, done: done != "sync" or sync == "lock_all"),
    (("sync", "hint"), lambda sync, hint: hint != "nocheck" or sync != "fence"),
    (("sync", "hint", "target"), lambda sync, hint, target: sync != "lock_exclusive" or hint == "-" or target in ("next", "self")),
    (("sync", "info"), lambda sync, info: info != "no_locks" or sync in ACTIVE),
    (("kind", "info"), lambda kind, info: info != "noncontig" or kind == "shared"),
    # Ranks of several nodes have no memory in common.
    (("kind", "nodes", "comm"), lambda kind, nodes, comm: kind != "shared" or nodes == "1" or comm == "self"),
    (("ranks", "nodes"), lambda ranks, nodes: nodes == "1" or ranks != "1"),
)
# By default few ranks are on several nodes, where a launch takes longest.
FEW_NODES = (("ranks", "nodes"), lambda ranks, nodes: ranks in {"1": FACTORS["ranks"], "2": ("2", "3"), "hosts": ("3",)}[nodes])
FEW_TRIPLES = (("call", "sync", "kind"), ("sync", "kind", "nodes"))
TRIPLES = (
    ("call", "basic", "op"),
    ("call", "sync", "target"),
    ("call", "sync", "done"),
    ("call", "kind", "at"),
    ("sync", "kind", "ranks"),
    ("kind", "windows", "sync"),
    ("call", "amount", "at"),
)


class Search:
    """Rows of `factors` that keep all `rules`; `combinations` are the groups of factors whose values are to meet."""

    def __init__(self, factors, rules, combinations):
        self.factors = factors
        self.rules = {factor: [rule for rule in rules if factor in rule[0]] for factor in factors}
        self.combinations = [tuple(sorted(group, key=list(factors).index)) for group in combinations]
        self.missing = {group: set(itertools.product(*(factors[factor] for factor in group))) for group in self.combinations}
        self.impossible = []
        self.groups_of = {factor: [group for group in self.combinations if factor in group] for factor in factors}

    def keeps_rules(self, row, factor):
        """Whether the rules hold that name `factor`, as far as the row has values for them."""
        return all(holds(*(row[name] for name in names)) for names, holds in self.rules[factor] if all(name in row for name in names))

    def choices(self, row, factor, rng):
        """The values that the rules allow, those first that complete most groups."""
        row[factor] = None
        rules = [rule for rule in self.rules[factor] if all(name in row for name in rule[0])]
        groups = [group for group in self.groups_of[factor] if all(name in row for name in group)]
        allowed = []
        for value in self.factors[factor]:
            row[factor] = value
            if all(holds(*[row[name] for name in names]) for names, holds in rules):
                gain = sum(tuple([row[name] for name in group]) in self.missing[group] for group in groups)
                allowed.append((-gain, rng.random(), value))
        del row[factor]
        return [value for _, _, value in sorted(allowed)]

    def extend(self, row, rng):
        """Gives the row a value of each factor. False if there is no such row: all have been tried."""
        open_factors = [factor for factor in self.factors if factor not in row]
        if not open_factors:
            return True
        factor = open_factors[0]
        for value in self.choices(row, factor, rng):
            row[factor] = value
            if self.extend(row, rng):
                return True
            del row[factor]
        return False

    def begin(self, group, values):
        """A row with these values alone, or None if they break a rule."""
        row = dict(zip(group, values))
        return row if all(self.keeps_rules(row, factor) for factor in group) else None

    def best_row(self, group, values, tries):
        """The row with these values that gains most, or None."""
        best, most = None, -1
        for seed in range(tries):
            row = self.begin(group, values)
            if row is None or not self.extend(row, random.Random(seed)):
                return None
            gained = sum(tuple(row[name] for name in other) in self.missing[other] for other in self.combinations)
            if gained > most:
                best, most = row, gained
        return best

    def take(self, row):
        for group in self.combinations:
            self.missing[group].discard(tuple(row[factor] for factor in group))

    def rows(self, tries=2):
        """Yields rows until nothing that is possible is missing."""
        while any(self.missing.values()):
            group = max(self.combinations, key=lambda names: len(self.missing[names]))
            values = min(self.missing[group])
            row = self.best_row(group, values, tries)
            if row is None:
                self.missing[group].discard(values)
                self.impossible.append((group, values))
                continue
            self.take(row)
            yield {factor: row[factor] for factor in self.factors}


def search_for(strength):
    pairs = itertools.combinations(FACTORS, 2)
    if strength == "pairs":
        return Search(FACTORS, (*RULES, FEW_NODES), (*pairs, *FEW_TRIPLES))
    return Search(FACTORS, RULES, TRIPLES)


def write_rows(rows, path):
    """Rows of one launch stand together, in the order of their numbers."""
    lines = [f"row={number} " + " ".join(f"{factor}={value}" for factor, value in row.items()) for number, row in enumerate(rows, 1)]
    path.write_text("\n".join(lines) + "\n")


def read_rows(path):
    rows = [dict(word.split("=", 1) for word in line.split()) for line in path.read_text().splitlines()]
    return [{factor: row[factor] for factor in FACTORS} for row in rows]


def check(search, rows):
    """What is wrong with the rows, by an independent count: broken rules, and combinations that no row has though one could."""
    wrong = [f"row {number} breaks a rule" for number, row in enumerate(rows, 1) if not all(search.keeps_rules(row, name) for name in row)]
    covered = impossible = 0
    for group in search.combinations:
        met = {tuple(row[factor] for factor in group) for row in rows}
        for values in itertools.product(*(search.factors[factor] for factor in group)):
            row = None if values in met else search.begin(group, values)
            if values in met:
                covered += 1
            elif row is not None and search.extend(row, random.Random(0)):
                wrong.append("no row has " + ", ".join(f"{factor}={value}" for factor, value in zip(group, values)))
            else:
                impossible += 1
    return wrong, covered, impossible


def launches(rows):
    """How many rows each launch has."""
    counts = {}
    for row in rows:
        place = (row["nodes"], int(row["ranks"]))
        counts[place] = counts.get(place, 0) + 1
    return ", ".join(f"{ranks} ranks on {'hosts' if nodes == 'hosts' else nodes + ' nodes'}: {count}" for (nodes, ranks), count
                     in sorted(counts.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("strength", choices=("pairs", "triples"))
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--check", type=Path, metavar="FILE")
    parser.add_argument("--list", action="store_true", help="print what is impossible")
    options = parser.parse_args()
    search = search_for(options.strength)
    rows = read_rows(options.check) if options.check else list(search.rows())
    if options.write:
        write_rows(rows, options.write)
    wrong, covered, impossible = check(search_for(options.strength), rows)
    print(f"{len(rows)} rows, {covered} combinations covered, {impossible} impossible by the rules, {len(wrong)} wrong")
    print(f"rows of {launches(rows)}")
    for line in wrong:
        print(f"FAIL: {line}")
    for group, values in search.impossible if options.list else ():
        print("impossible: " + ", ".join(f"{factor}={value}" for factor, value in zip(group, values)))
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
