#!/usr/bin/env python3
"""Draws what `halocline-bench halo --json` wrote: time per swap by mode, one panel per file, as an SVG, PNG or PDF picture.

plot.py JSON [JSON ...] PICTURE

A bar is the median, the whisker goes from p10 to p90, the number is how many times as fast as p2p, the dashed line is the physical limit.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bindings" / "python" / "src"))
from halocline.command.pictures import look, modes  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", nargs="+", type=pathlib.Path, help="result of halocline-bench halo --json")
    parser.add_argument("picture", type=pathlib.Path, help="file to write: .svg, .png or .pdf")
    options = parser.parse_args()
    look.save(modes.figure([json.loads(path.read_text()) for path in options.json]), options.picture, dpi=160)


if __name__ == "__main__":
    main()
