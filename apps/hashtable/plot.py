#!/usr/bin/env python3
"""Draws what bench.py wrote, with the axes of Gerstenberger et al., SC13, figure 7a: inserts per second over the number of ranks.

plot.py JSON PICTURE

A line goes through the medians, its band is the 95% interval of the median. Dashed is what the processor's atomic instructions do.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

LOOKS = {"messages_one": {"color": "#333333", "linestyle": ":"}, "messages": {"color": "#333333"}, "rma": {"color": "#8fb8c6"},
         "rma_batched": {"color": "#0b6e8a"}, "engine": {"color": "#c9a46b"}, "engine_batched": {"color": "#b3402e"},
         "rma, preloaded": {"color": "#8fb8c6", "linestyle": "-."}, "rma_batched, preloaded": {"color": "#0b6e8a", "linestyle": "-."},
         "instructions": {"color": "#888888", "linestyle": "--"}}


def rates(result, name, part):
    problem = result["problem"]
    return [problem["inserts"] * problem["ranks"] / sample[part] for sample in result["variants"][name]["samples"]]


def draw_panel(axes, sweep, part, title):
    """One kind of keys."""
    at = [result["problem"]["ranks"] for result in sweep]
    for name in sweep[0]["order"]:
        plots.draw_band(axes, at, [rates(result, name, part) for result in sweep], label=name, **LOOKS.get(name, {}))
    plots.decorate_over_ranks(axes, at, "per second, all ranks", title)


def heading(result):
    problem = result["problem"]
    return f"hashtable: {problem['inserts']} operations per rank, {plots.machine_of(result['environment'])}"


def main():
    sweep, picture = plots.arguments(__doc__.splitlines()[0])
    keys = list(dict.fromkeys(result["problem"]["keys"] for result in sweep))
    figure, rows = plots.plt.subplots(len(keys), 2, figsize=(11, 1 + 4 * len(keys)), squeeze=False)
    for kind, (inserts, finds) in zip(keys, rows):
        some = [result for result in sweep if result["problem"]["keys"] == kind]
        draw_panel(inserts, some, "insert_s", f"Inserts, keys {kind} (as figure 7a)")
        draw_panel(finds, some, "find_s", f"Look-ups, keys {kind}")
    figure.suptitle(heading(sweep[0]), fontsize=9, color=plots.FAINT, x=0.01, ha="left")
    handles, labels = rows[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=4, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
