#!/usr/bin/env python3
"""Draws what `halocline-bench model --json` wrote: measured points, fitted curves and switch points, one panel per operation.

plot.py JSON PICTURE [--operations NAME ...]

bindings/python/src/halocline/command/pictures/curves.py says what is drawn.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bindings" / "python" / "src"))
from halocline.command.pictures import curves, look  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", type=pathlib.Path, help="result of halocline-bench model --json")
    parser.add_argument("picture", type=pathlib.Path, help="file to write: .svg, .png or .pdf")
    parser.add_argument("--operations", nargs="*", help="these alone")
    options = parser.parse_args()
    figure = curves.figure(json.loads(options.json.read_text()), options.operations)
    if figure is None:
        sys.exit(f"no curve with several points in {options.json}")
    look.save(figure, options.picture)


if __name__ == "__main__":
    main()
