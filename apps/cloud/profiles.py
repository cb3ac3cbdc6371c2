#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what cloud --statistics wrote: liquid water path, cloud cover, the moist layer's height and the strongest vertical motion over
time, and profiles averaged over the last part of the run.

profiles.py STATISTICS... [--output PICTURE] [--last SECONDS] [--published]

Several files are one run that went on from restarts. The picture's name is that of the first file with .png. Also prints the averages. With
--published, for a run of DYCOMS-II RF01, what is known of the published runs' range is drawn below the series (published.py).
Needs NumPy and matplotlib.
"""
import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402
import published  # noqa: E402

# Name, title, factor from the file's unit, unit as printed.
SERIES = [("liquid_water_path", "Liquid water path", 1000.0, "g m⁻²"), ("cloud_cover", "Cloud cover", 1.0, "1"),
          ("inversion_height", "Height of 8 g/kg total water", 1.0, "m"), ("w_variance", "Largest variance of upward wind", 1.0, "m² s⁻²")]
PROFILES = [("theta_l", "Liquid water potential temperature", 1.0, "K"), ("q_t", "Total water", 1000.0, "g kg⁻¹"),
            ("q_l", "Liquid water", 1000.0, "g kg⁻¹"), ("w_variance", "Variance of upward wind", 1.0, "m² s⁻²"),
            ("buoyancy_flux", "Buoyancy flux", 1.0e4, "10⁻⁴ m² s⁻³"), ("w_third_moment", "Third moment of upward wind", 1.0, "m³ s⁻³")]
ON_FACES = ("w_variance", "buoyancy_flux", "w_third_moment")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="what cloud --statistics wrote")
    parser.add_argument("--output", type=pathlib.Path, help="the picture")
    parser.add_argument("--last", type=float, default=1800.0, help="seconds over which profiles are averaged (default: 1800)")
    parser.add_argument("--published", action="store_true", help="draw the range of the published runs of DYCOMS-II RF01")
    return parser.parse_args()


def records_of(files):
    """The lines of the files. Ends the script where one is no such file."""
    records = []
    for file in files:
        try:
            records += [json.loads(line) for line in file.read_text().splitlines()]
        except (OSError, ValueError) as why:
            sys.exit(f"{file}: cannot be read: {getattr(why, 'strerror', None) or why}; give what cloud --statistics wrote")
    if not records or not all(isinstance(record, dict) and "liquid_water_path" in record for record in records):
        sys.exit(f"{files[0]}: it has no means of a run; give what cloud --statistics wrote")
    return records


def series_of(records, name):
    """One number per record; of a profile, its largest."""
    return np.array([np.max(record[name]) for record in records])


def draw_series(axes, records, series, ranges):
    name, title, factor, unit = series
    if name in ranges:
        published.draw_range(axes, ranges[name])
    axes.plot(series_of(records, "time") / 3600, factor * series_of(records, name), color="#0b6e8a", linewidth=1.4)
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_ylabel(unit, fontsize=8)
    axes.set_xlabel("time / h", fontsize=8)
    plots.decorate(axes)
    if name in ("liquid_water_path", "cloud_cover", "w_variance"):
        axes.set_ylim(bottom=0)


def draw_profile(axes, records, profile):
    name, title, factor, unit = profile
    z = np.array(records[0]["z_w" if name in ON_FACES else "z"]) / 1000
    axes.plot(factor * np.mean([record[name] for record in records], axis=0), z, color="#0b6e8a", linewidth=1.4)
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xlabel(unit, fontsize=8)
    axes.set_ylabel("height / km", fontsize=8)
    axes.set_ylim(0, 1.1)
    plots.decorate(axes)


def main():
    options = read_arguments()
    records = records_of(options.files)
    last = [record for record in records if record["time"] >= records[-1]["time"] - options.last]
    figure, axes = plots.plt.subplots(2, 5, figsize=(15, 6), layout="constrained")
    ranges = published.read_range() if options.published else {}
    for place, series in zip(axes[:, :2].flat, SERIES):
        draw_series(place, records, series, ranges)
    for place, profile in zip(axes[:, 2:].flat, PROFILES):
        draw_profile(place, last, profile)
    first, end = last[0]["time"], last[-1]["time"]
    figure.suptitle(f"Profiles: mean of {len(last)} records, {first / 3600:.2f} to {end / 3600:.2f} h", fontsize=10)
    plots.save(figure, options.output or options.files[0].with_suffix(".png"))
    for name, title, factor, unit in SERIES:
        print(f"{title:<34} {factor * np.mean(series_of(last, name)):10.4g} {unit}")
    print(f"{'Largest mean buoyancy flux':<34} {np.max(np.mean([r['buoyancy_flux'] for r in last], axis=0)):10.4g} m² s⁻³")
    print(f"{'Largest mean variance':<34} {np.max(np.mean([r['w_variance'] for r in last], axis=0)):10.4g} m² s⁻²")
    return 0


if __name__ == "__main__":
    sys.exit(main())
