#!/usr/bin/env python3
"""Whether `halocline advise` is right: what it says of each mini-app on messages, beside what the app gains.

advised.py --build build/release                  # every app whose messages are written by hand, 5 launches of each in turn
advised.py --apps lattice,fft --launches 2        # some of them

A launch first records the variant on messages and has its exchanges run again. Then the app runs that variant in turns with the one of the
fastest mode that the app has. Savings are those of a step of the app: of its swaps where the app times them, else of all. Advice is right
where it is within 25 % of what the app gains, the median of the launches. Results go to RESULTS/advised.json and .txt.

Not here: ghost, whose variants by hand have kernels and arrays of their own, and sparse, whose messages go to other ranks in each step.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import dataclasses
import json
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "common"), str(HERE.parent / "bindings" / "python" / "src")]
import contests  # noqa: E402
import placing  # noqa: E402
import runs  # noqa: E402
from bench import share_of_others  # noqa: E402

from halocline.command import advise, main as command  # noqa: E402
from halocline.command.advice import conclusion, replaying  # noqa: E402
from halocline.command.status import Failure  # noqa: E402

RIGHT = 0.25
RMA = ("fence", "pscw", "passive")
# By hand: the variant on messages of each app that has one. Those of cloud and pic are the library's.
MESSAGES = {"boltzmann": "p2p", "lattice": "p2p", "fft": "p2p", "hashtable": "messages"}
# The number of a report that says how many steps a repeat has, of an app whose times are already those of one.
STEPS = {"boltzmann": "steps"}
# The times in a report that the exchanges are part of.
PARTS = {"boltzmann": ("swap_s",), "lattice": ("swap_s",), "hashtable": ("insert_s", "find_s")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.set_defaults(fake_nodes=1, hosts=1, long=False)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=2, help="ranks to start (2)")
    parser.add_argument("--realtime", action="store_true", help="the app's own launches with real-time priority")
    parser.add_argument("--apps", default=",".join(MESSAGES), help="some of " + ",".join(MESSAGES))
    parser.add_argument("--launches", type=int, default=5, help="of each app (5)")
    parser.add_argument("--repeats", type=int, default=0, help="of each variant in a launch (as apps/ranking.py)")
    parser.add_argument("--seconds", type=int, default=3, help="how long each exchange runs again (3)")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    options = parser.parse_args()
    unknown = sorted(set(options.apps.split(",")) - set(MESSAGES))
    if unknown:
        parser.error(f"--apps: no messages by hand in {', '.join(unknown)}; there are {', '.join(MESSAGES)}")
    return options


def port_of(contest, mode):
    """The app's variant in a mode; None if it has none."""
    names = contest.columns.get("MPI RMA" if mode in RMA else mode, ())
    return mode if mode in names else names[0] if names and mode not in RMA else None


def advice_of(contest, options):
    """What is said about a run on messages, and the report of that run."""
    variant = MESSAGES[contest.app]
    program = runs.ROOT / options.build / "bin" / contest.app
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder).resolve() / "report.json"
        words = [*contests.words_of(contest, options), contest.choice, variant, "--repeats", contest.repeats, "--json", report]
        given = command.make_parser().parse_args(list(map(str, (
            "advise", "-n", options.ranks, "--build", options.build, "--seconds", options.seconds, "-o", folder, "--", program, *words))))
        try:
            code, said = advise.conclude(given, pathlib.Path(folder))
        except Failure as why:
            sys.exit(str(why))
        if code:
            sys.exit(f"{contest.app} ended with exit code {code} under the recorder")
        return said, json.loads(report.read_text())


def steps_of(contest, report):
    """Of the recorded run, without those that warm up."""
    entry = report["variants"][MESSAGES[contest.app]]
    name = contest.per or STEPS.get(contest.app)
    return contest.repeats * (entry.get(name) or report["problem"].get(name) or 1)


def per_step(exchanges, steps):
    """Exchanges of one step of the app, or of several steps, which may pass for one exchange. The run has some more, which warm up."""
    ratio = exchanges / steps
    whole = round(ratio) if ratio >= 1 else 1 / round(1 / ratio)
    return whole if abs(ratio - whole) < 0.25 * ratio else ratio


def launch_of(contest, options, launch):
    """Seconds per step: what advice says, at least and at most, and what the app gains in that mode."""
    said, recorded = advice_of(contest, options)
    tried = [one for one in said.advice if one.replay]
    if not tried:
        return {"why": said.headline}
    ports = {mode: port_of(contest, mode) for mode in tried[0].replay.times if mode not in replaying.TWO_SIDED}
    times = tried[0].replay.times
    mode = min((mode for mode, port in ports.items() if port and mode != replaying.AUTO), key=lambda mode: times[mode].median)
    port = ports[mode]
    steps = steps_of(contest, recorded)
    counts = [per_step(one.steps, steps) / one.steps for one in tried]
    for one in tried:
        conclusion.add_saving(one, dataclasses.replace(one.replay, best=mode))
    advised = [sum(max(0.0, one.saved[part]) * count for one, count in zip(tried, counts)) for part in range(3)]
    found = {"mode": mode, "port": port, "advised": advised, "at_limit": any(one.at_limit for one in tried), "headline": said.headline,
             "noisy": any(one.replay.is_noisy for one in tried),
             "exchanges": [{"times": {name: time.median for name, time in one.replay.times.items()}, "cost_us": one.cost_us,
                            "late_us": one.late_us, "per_step": count * one.steps} for one, count in zip(tried, counts)]}
    names = [MESSAGES[contest.app], port][::1 if launch % 2 else -1]
    settings = argparse.Namespace(**vars(options) | {"repeats": contest.repeats})
    report = runs.report_of(settings, contest.app, *contests.words_of(contest, options), contest.choice, ",".join(names),
                            timeout=contests.MOST_SECONDS)
    parts = PARTS.get(contest.app, (contest.total,))
    found["messages"], found["ported"] = (sum(placing.medians_of(contest, report, name, part) for part in parts)
                                          for name in (MESSAGES[contest.app], port))
    return found


def us(seconds):
    values = [1e6 * statistics.median(seconds), 1e6 * min(seconds), 1e6 * max(seconds)]
    return "{:.4g} ({:.4g} - {:.4g})".format(*values)


def row_of(contest, launches):
    """A line of the table."""
    done = [one for one in launches if "ported" in one]
    if not done:
        return [contest.app, "-", "-", "-", "-", launches[-1].get("why", "-")]
    advised = [one["advised"][0] for one in done]
    gained = [one["messages"] - one["ported"] for one in done]
    ratio = statistics.median(advised) / statistics.median(gained) if statistics.median(gained) > 0 else float("inf")
    noisy = ", too busy for an answer" if any(one["noisy"] for one in done) else ""
    at_most = "at most " if all(one["at_limit"] for one in done) else ""
    modes = ", ".join(dict.fromkeys(f"{one['mode']} ({one['port']})" if one["mode"] != one["port"] else one["mode"] for one in done))
    return [contest.app, modes, us([one["messages"] for one in done]), at_most + us(advised), us(gained),
            f"{ratio:.2f}, {'yes' if abs(ratio - 1) <= RIGHT else 'no'}{noisy}"]


def text_of(rows, others):
    heads = ["app", "mode", "on messages, us per step", "advised saving, us", "gained, us", "ratio, within 25 %"]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [heads, *rows]]
    return "\n".join([*lines, "", f"Medians of the launches, least and most. Other programs used up to {others:.0%} of the machine."])


def main():
    options = arguments()
    options.results.mkdir(parents=True, exist_ok=True)
    some = [dataclasses.replace(contest, repeats=options.repeats or contest.repeats) for contest in contests.ALL
            if contest.app in options.apps.split(",")]
    found, others = {contest.app: [] for contest in some}, 0
    for launch in range(options.launches):
        for contest in some:
            others = max(others, share_of_others(0.5))
            try:
                found[contest.app].append(launch_of(contest, options, launch))
            except SystemExit as why:
                found[contest.app].append({"why": str(why).splitlines()[0]})
            print(f"launch {launch + 1} of {options.launches}: {contest.app}: {json.dumps(found[contest.app][-1])}", flush=True)
    text = text_of([row_of(contest, found[contest.app]) for contest in some], others)
    (options.results / "advised.json").write_text(json.dumps({"others": others, "apps": found}, indent=1))
    (options.results / "advised.txt").write_text(text + "\n")
    print(f"\n{text}")


if __name__ == "__main__":
    main()
