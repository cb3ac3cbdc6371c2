"""What apps/ranking.py makes of its reports: the best variant of each column, ratios to p2p, the verdict, and the table.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import statistics
import sys

import summary
from contests import COLUMNS, LIBRARY

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "bench" / "library"))
import drop_in_tables as tables  # noqa: E402

AIM = 2  # how many times shorter than with p2p communication should be


def medians_of(contest, report, name, part):
    """The median of a launch's samples of a variant: seconds of one step, or whatever the unit is."""
    entry = (report.get("variants") or report["protocols"])[name]
    samples = summary.parts_of(entry)[part]
    count = entry.get(contest.per) or report["problem"].get(contest.per) or 1
    # What an app says of its communication may be per step already: lattice and fft do, with totals that are not.
    per_step = part == "communication_s" and part in entry
    return statistics.median(samples) / (1 if per_step else count)


def column_of(contest, reports, names):
    """The variant of a column whose communication is the shortest, and its times in each launch."""
    def times(name, part):
        return [medians_of(contest, report, name, part) for report in reports]

    best = min(names, key=lambda name: statistics.median(times(name, contest.communication)))
    return {"variant": best, "total_s": times(best, contest.total), "communication_s": times(best, contest.communication)}


def ratios(slower, faster):
    """Launch by launch; nothing where a time may be none, as the communication of a variant that hides it."""
    return [a / b for a, b in zip(slower, faster)] if min(*slower, *faster) > 0 else []


def row_of(contest, reports):
    """Everything about an app that the table and the picture show."""
    columns = {column: column_of(contest, reports, names) for column, names in contest.columns.items()}
    for one in columns.values():
        for part in ("total_s", "communication_s"):
            one[part.replace("_s", "_gain")] = ratios(columns["p2p"][part], one[part])
    return {"app": contest.app, "problem": contest.problem, "unit": contest.unit, "gain": contest.gain, "columns": columns}


def played(row):
    return {column: one["variant"] for column, one in row["columns"].items()}


def add_waits(row, waits):
    for column, (share, mode) in waits.items():
        row["columns"][column] |= {"waiting": share, "mode": mode}


def best_of(row):
    """The library's column with the shortest communication."""
    return min((column for column in LIBRARY if column in row["columns"]),
               key=lambda column: statistics.median(row["columns"][column]["communication_s"]))


def judged(slower, faster, aim):
    """"yes" if most launches reach the aim, with "in every launch" if all do; "no" likewise."""
    reached = [aim * one <= other for other, one in zip(slower, faster)]
    met = 2 * sum(reached) > len(reached)
    every = all(one == met for one in reached)
    return ("yes" if met else "no") + (", in every launch" if every else ", not in every launch")


def verdicts_of(row):
    """Both aims: whether communication is half that of p2p, and whether what auto would choose is slower in all."""
    best = best_of(row)
    chosen = "auto" if "auto" in row["columns"] else best
    p2p = row["columns"]["p2p"]
    return {"best": best, "half": judged(p2p["communication_s"], row["columns"][best]["communication_s"], AIM), "chosen": chosen,
            "not_slower": judged(p2p["total_s"], row["columns"][chosen]["total_s"], 1)}


def in_unit(seconds):
    return [f"{value * 1e6:.3g}" if value * 1e6 < 1000 else f"{value * 1e6:,.0f}" for value in seconds]


def spread(seconds):
    """Microseconds: the median, and the least and the most of the launches."""
    middle, least, most = in_unit([statistics.median(seconds), min(seconds), max(seconds)])
    return middle if len(seconds) == 1 else f"{middle} ({least} - {most})"


def gain_of(one, part="communication"):
    """The ratios to p2p; without them "hidden" where nothing is left, and "-" where that is so in some launches."""
    if one[f"{part}_gain"]:
        return tables.spread(one[f"{part}_gain"])
    return "hidden" if statistics.median(one[f"{part}_s"]) <= 0 else "-"


def share_of(one):
    return f"{one['waiting']:.0%}" if one.get("waiting") is not None else "-"


def name_of(column, one):
    """The variant, and the mode that auto has used most."""
    mode = f" ({one['mode']})" if column == "auto" and one.get("mode") else ""
    return one["variant"] + mode


def table_of(row):
    head = ["", "variant", "total, us", "p2p / this", "communication, us", "p2p / this", "waiting"]
    lines = []
    for column in COLUMNS:
        if column in row["columns"]:
            one = row["columns"][column]
            lines.append([column, name_of(column, one), spread(one["total_s"]), gain_of(one, "total"), spread(one["communication_s"]),
                          gain_of(one), share_of(one)])
    return head, lines


def tables_of(row):
    """The table of an app as performance.py writes them: title, head, rows, notes."""
    verdict = verdicts_of(row)
    notes = [f"the paper: {row['gain']}", f"communication {AIM} times shorter than with p2p, by {verdict['best']}: {verdict['half']}",
             f"the whole by {verdict['chosen']} is not slower than by p2p: {verdict['not_slower']}"]
    head, lines = table_of(row)
    return f"{row['app']}, {row['problem']} per rank, {row['unit']}", ["column", *head[1:]], lines, notes


def short_table(found):
    """A line per app: how many times shorter communication is than with p2p, by column."""
    head = ["app", *(column for column in COLUMNS[1:]), "whole, best", "the paper"]
    lines = []
    for row in found["rows"]:
        cells = [gain_of(row["columns"][column]) if column in row["columns"] else "" for column in COLUMNS[1:]]
        lines.append([row["app"], *cells, gain_of(row["columns"][best_of(row)], "total"), row["gain"]])
    return head, lines


def in_markdown(found):
    """The short table for a page, and the verdict."""
    head, lines = short_table(found)
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + f"\n\n{verdict_of(found)}\n"


def verdict_of(found):
    """In how many apps each aim is reached, and which miss it."""
    def missed(aim):
        names = [row["app"] for row in found["rows"] if not verdicts_of(row)[aim].startswith("yes")]
        return f"{len(found['rows']) - len(names)} of {len(found['rows'])} apps" + (f" (not in {', '.join(names)})" if names else "")

    return (f"Communication is at least {AIM} times shorter than with p2p in {missed('half')}. What auto would choose is not slower in "
            f"all than p2p in {missed('not_slower')}.")


def conditions_of(found):
    """Ranks, launches, and whether other programs ran."""
    words = f"{found['ranks']} ranks, {found['launches']} launches"
    if found["quiet"]:
        return words
    if found["realtime"]:
        return f"{words}, with real-time priority, because other programs used up to {found['others']:.0%} of the machine"
    return f"{words}; OTHER PROGRAMS USED UP TO {found['others']:.0%} OF THIS MACHINE"


def text_of(found):
    parts = [f"{summary.machine_of(found['environment'])}; {conditions_of(found)}"]
    parts.append("Communication with p2p / this, the median of the launches (least - most):\n\n" + tables.as_text(*short_table(found)))
    for row in found["rows"]:
        title, head, lines, notes = tables_of(row)
        parts.append("\n".join([f"{title}:", *notes, "", tables.as_text(head, lines)]))
    parts += [f"{app} was left out: {reason}" for app, reason in found.get("left_out", {}).items()]
    parts.append(verdict_of(found))
    return "\n\n".join(parts)
