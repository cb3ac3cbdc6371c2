#!/usr/bin/env python3
"""Compares a run of DYCOMS-II RF01 with the range of the sixteen published ones (dycoms_rf01_range.csv): liquid water path, cloud cover and
the moist layer's height, from half an hour on.

published.py FILE... [--picture PICTURE]

A file is what cloud --statistics wrote, or a table of such numbers as docs/results/cloud-2026-11-29.txt. Several are one run that
continued. Prints how many records are inside the range, and ends with 1 if one is outside. Only a picture needs matplotlib.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import bisect
import csv
import json
import pathlib
import re
import sys

RANGE = pathlib.Path(__file__).resolve().with_name("dycoms_rf01_range.csv")
TABLE_ROW = re.compile(r"\s*(\d+\.\d)\s+\d+\.\d+\s+(\d+\.\d+)\s+(\d\.\d+)\s+(\d+\.\d)\s")
# Name, title, factor from the file's unit, unit as printed.
QUANTITIES = [("liquid_water_path", "Liquid water path", 1000.0, "g m⁻²"), ("cloud_cover", "Cloud cover", 1.0, "1"),
              ("inversion_height", "Height of 8 g/kg total water", 1.0, "m")]
SECONDS = 3600.0


def read_range():
    """For each quantity its columns, as lists of numbers; None where nothing was read."""
    columns = {}
    with RANGE.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            of_one = columns.setdefault(row.pop("name"), {name: [] for name in row})
            for name, text in row.items():
                of_one[name].append(float(text) if text else None)
    return columns


def bounds(columns, hours):
    """Least and most at a time, between the times of the file by straight lines; None before the first."""
    times = columns["hours"]
    if hours < times[0]:
        return None
    after = min(bisect.bisect_left(times, hours), len(times) - 1)
    before = max(after - 1, 0)
    share = min((hours - times[before]) / (times[after] - times[before]), 1.0) if after > before else 0.0
    return tuple(values[before] + share * (values[after] - values[before]) for values in (columns["least"], columns["most"]))


def outside(columns, records):
    """How many records there are with a range, and those outside: their time, value and bounds."""
    found, count = [], 0
    for hours, value in records:
        limits = bounds(columns, hours)
        if limits:
            count += 1
            if not limits[0] <= value <= limits[1]:
                found.append((hours, value, *limits))
    return count, found


def records_of_table(text):
    rows = [[float(word) for word in match.groups()] for match in map(TABLE_ROW.match, text.splitlines()) if match]
    return {name: [(row[0] / SECONDS, row[column]) for row in rows] for column, (name, *_) in enumerate(QUANTITIES, 1)}


def records_of_statistics(text):
    lines = [json.loads(line) for line in text.splitlines()]
    return {name: [(line["time"] / SECONDS, factor * line[name]) for line in lines] for name, _, factor, _ in QUANTITIES}


def read_run(files):
    """For each quantity pairs of hours and values. Ends the script where a file has none."""
    run = {name: [] for name, *_ in QUANTITIES}
    for file in files:
        try:
            text = file.read_text()
            read = records_of_statistics(text) if text.startswith("{") else records_of_table(text)
        except (OSError, ValueError, KeyError, TypeError) as why:
            sys.exit(f"{file}: cannot be read: {getattr(why, 'strerror', None) or why}; take what cloud --statistics wrote")
        if not read["cloud_cover"]:
            sys.exit(f"{file}: it has no means of a run; take what cloud --statistics wrote")
        for name, records in read.items():
            run[name] += records
    return run


def draw_range(axes, columns, color="#c9b37e"):
    """The range, its inner half and its mean, as far as they were read."""
    hours = columns["hours"]
    axes.fill_between(hours, columns["least"], columns["most"], color=color, alpha=0.3, linewidth=0, label="published runs")
    inner = [(at, low, high) for at, low, high in zip(hours, columns["lower_quartile"], columns["upper_quartile"]) if low is not None]
    if inner:
        axes.fill_between(*zip(*inner), color=color, alpha=0.5, linewidth=0, label="half of them")
    if columns["mean"][0] is not None:
        axes.plot(hours, columns["mean"], color="#7d6a36", linewidth=1, label="their mean")


def draw(run, published, picture):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
    import plots

    figure, places = plots.plt.subplots(1, len(QUANTITIES), figsize=(11, 3.2), layout="constrained")
    for axes, (name, title, _, unit) in zip(places, QUANTITIES):
        draw_range(axes, published[name])
        axes.plot(*zip(*run[name]), color="#0b6e8a", linewidth=1.6, label="this run")
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_ylabel(unit, fontsize=8)
        axes.set_xlabel("time / h", fontsize=8)
        if name != "inversion_height":
            axes.set_ylim(bottom=0)
        plots.decorate(axes)
    places[0].legend(fontsize=7, frameon=False, loc="lower left")
    plots.save(figure, picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="what cloud --statistics wrote, or such a table")
    parser.add_argument("--picture", type=pathlib.Path, help="file to write: .svg, .png or .pdf")
    options = parser.parse_args()
    run, published = read_run(options.files), read_range()
    failed = False
    for name, title, _, unit in QUANTITIES:
        count, found = outside(published[name], run[name])
        print(f"{title:<30} {count - len(found):4} of {count} records inside the published range")
        for hours, value, least, most in found:
            print(f"  {hours:.2f} h: {value:.4g} {unit}, published {least:.4g} to {most:.4g}")
        failed = failed or bool(found) or count == 0
    if options.picture:
        draw(run, published, options.picture)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
