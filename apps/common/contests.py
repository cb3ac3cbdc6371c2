"""What apps/ranking.py runs: of each mini-app the size of its paper per rank, the variants by column, and what the paper gained.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import dataclasses
import os
import re

import runs
import summary

COLUMNS = ("p2p", "MPI RMA", "notify", "direct", "view", "auto")
LIBRARY = COLUMNS[2:]  # what the library adds to the MPI


@dataclasses.dataclass(frozen=True)
class Contest:
    app: str
    problem: str  # its size per rank, in words
    unit: str  # what the times are those of
    words: tuple  # what the program is called with
    columns: dict  # the variants that play for a column; the best one counts
    gain: str  # what the paper gained, and where it says so
    total: str = "total_s"  # the names of the times in a report
    communication: str = "communication_s"
    choice: str = "--variant"  # the option that takes variants
    per: str = ""  # the times are of so many: a number of the problem, or of the variant
    repeats: int = 0  # of a launch; 0: as many steps as `words` say
    silent: tuple = ()  # columns whose variants swap without the library, so that nothing measures their waits


# The modes of a program that lets the library swap.
MODES = {"p2p": ("p2p",), "MPI RMA": ("fence", "pscw", "passive"), "notify": ("notify",), "direct": ("direct",), "view": ("view",),
         "auto": ("auto",)}
PIC = {"p2p": ("p2p:mpi:messages",), "MPI RMA": ("fence:mpi:messages", "pscw:mpi:messages", "passive:mpi:messages"),
       "notify": ("notify:overlapped:notified",), "direct": ("direct+notify:overlapped:notified",), "view": ("view:overlapped:notified",),
       "auto": ("auto:overlapped:notified",)}
MOST_SECONDS = 120  # of a launch; most take some seconds
CLOUD_STEPS, CLOUD_STEPS_AUTO = 30, 130  # the trials of auto take the first 60 swaps of the state

ALL = (
    Contest("cloud", "16 x 16 columns of 256", "a step", ("--local", "16,16"), {key: MODES[key] for key in COLUMNS if key != "view"},
            "5 - 10 % less communication by MPI RMA (Brown et al., abstract)", communication="swaps_s", choice="--mode"),
    Contest("pic", "8 x 8 x 8 cells, 27 particles of 2 species", "a step", (), PIC,
            "1 - 2 % of the whole program (Simmendinger et al., 5.1)", repeats=31),
    Contest("boltzmann", "16 x 12 x 12 sites, one fluid", "a step", ("--local", 16, 12, 12, "--steps", 21, "--viscosity", 0.05), MODES,
            "none: its exchange is slower than with MPI (Simmendinger et al., 5.2)", repeats=21, silent=("p2p",)),
    Contest("ghost", "16^3 cells, 5 variables, 7 points", "a step",
            ("--local", 16, "--vars", 5, "--stencil", 7, "--steps", 195, "--periodic", "--check"),
            {"p2p": ("mpi_only",), "MPI RMA": ("mpi_shared_1copy", "mpi_shared_1copy_blocking", "mpi_0copy"),
             "notify": ("notified_shared_1copy",), "direct": ("notified_shared_1copy_nobarrier",), "view": ("notified_0copy",)},
            "2x the exchange at 0-copy (Simmendinger et al., 5.3)", per="steps", repeats=7, silent=COLUMNS),
    Contest("lattice", "4 x 4 x 4 x 8 sites", "an iteration", ("--local", 4, 4, 4, 8, "--mass", 0.1), MODES,
            "13.8 % of the whole of MILC (Gerstenberger et al., 4.3 and 5)", per="iterations", repeats=21, silent=("p2p",)),
    Contest("fft", "NAS FT, class W, slabs", "an iteration", ("--class", "W"),
            {"p2p": ("alltoall", "p2p"), "MPI RMA": ("rma",), "notify": ("notify",)},
            "2x the whole on 65,536 processes (Gerstenberger et al., 5)", per="iterations", repeats=11, silent=COLUMNS),
    Contest("hashtable", "16384 inserts of random keys", "all inserts", ("--inserts", 16384, "--keys", "random"),
            {"p2p": ("messages_one", "messages"), "MPI RMA": ("rma", "rma_batched"), "direct": ("engine", "engine_batched")},
            "a figure without numbers in the text (Gerstenberger et al., SC13, 7a)", total="insert_s", communication="insert_s", repeats=7,
            silent=COLUMNS),
    Contest("sparse", "8 bytes to 1 other rank", "an exchange", ("--neighbours", 1, "--bytes", 8, "--exchanges", 200),
            {"p2p": ("alltoall", "reduce_scatter", "nbx"), "MPI RMA": ("accumulate",), "notify": ("engine",)},
            "a figure without numbers in the text (Gerstenberger et al., SC13, 7b)", total="exchange_s", communication="exchange_s",
            choice="--protocol", repeats=7, silent=COLUMNS),
)
NAMES = [contest.app for contest in ALL]


def variants_of(contest):
    return [name for column in contest.columns.values() for name in column]


def turned(names, launch):
    """Each launch begins with another variant, but p2p comes first where the program takes turns itself."""
    shift = launch % len(names)
    return names[shift:] + names[:shift]


def words_of(contest, options):
    """What a program is called with that does not depend on the launch."""
    bench = summary.bench_of(contest.app)
    if contest.app == "cloud":
        return (bench.HERE / "dycoms_rf01.nml", *contest.words)
    if contest.app == "pic":
        # As its bench: GEM in three dimensions, 8^3 cells per rank.
        settings = argparse.Namespace(variant="", per_cell=27, with_waiting=True, ranks=options.ranks)
        return tuple(bench.words_of(settings, 8))
    return contest.words


def report_of_cloud(options, words, launch):
    """A launch of each mode."""
    bench = summary.bench_of("cloud")
    samples = {}
    for mode in turned(variants_of(ALL[0]), launch):
        output = runs.output_of(options, "cloud", *words, "--mode", mode, "--steps", CLOUD_STEPS_AUTO if mode == "auto" else CLOUD_STEPS,
                                timeout=MOST_SECONDS)
        samples[mode] = bench.sample_of(output)
    variants = {name: {"samples": [one]} for name, one in samples.items()}
    return {"problem": {}, "environment": runs.environment_of(options), "variants": variants}


def report_of(contest, options, launch):
    """One launch of an app, in the form of its reports."""
    words = words_of(contest, options)
    if contest.app == "cloud":
        return report_of_cloud(options, words, launch)
    settings = argparse.Namespace(**vars(options) | {"repeats": contest.repeats})
    meet = ("--meet",) if contest.app == "pic" else ()
    variants = ",".join(turned(variants_of(contest), launch))
    return runs.report_of(settings, contest.app, *words, *meet, contest.choice, variants, timeout=MOST_SECONDS)


# "halocline:  RANK SWAPS MB-SENT US-LEAST US-MEAN US-MOST WAITS% MS-AWAITED" of HALOCLINE_SUMMARY, and the title of a plan before them.
ROW = re.compile(r"^halocline: +\d+ +(\d+) +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+ +([\d.]+)% ", re.M)
CHOSEN = re.compile(r"^halocline: swaps of .*?, mode (.*?), by \d+ ranks", re.M)


def share_of(text):
    """The share of waiting in the time in swaps, over all plans and ranks, and the modes that most swaps used."""
    rows = [(int(swaps) * float(mean), float(waits) / 100) for swaps, mean, waits in ROW.findall(text)]
    inside = sum(time for time, _ in rows)
    swaps = {}
    for modes in CHOSEN.findall(text):
        for name, count in re.findall(r"(\w+)(?: \((\d+) swaps\))?", modes):
            swaps[name] = swaps.get(name, 0) + int(count or 1)
    return (sum(time * waits for time, waits in rows) / inside if inside else None), max(swaps, key=swaps.get, default=None)


def waits_of(contest, options, played):
    """By column: the share of waiting in its swaps, and the mode that swapped; without the columns that swap without the library."""
    found = {}
    words = words_of(contest, options)
    for column, name in played.items():
        if column in contest.silent:
            continue
        steps = ("--steps", CLOUD_STEPS_AUTO if name == "auto" else CLOUD_STEPS)
        more = steps if contest.app == "cloud" else ("--repeats", contest.repeats)
        command = runs.command_of(options, contest.app, *words, contest.choice, name, *more)
        done = runs.run_to_the_end(command, os.environ | {"HALOCLINE_SUMMARY": "1"}, MOST_SECONDS)
        if done is None or done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr if done else f'no end within {MOST_SECONDS} s'}")
        found[column] = share_of(done.stdout + done.stderr)
    return found
