#!/usr/bin/env python3
"""Draws what bench.py wrote: GFlop/s as in Gerstenberger et al., SC13, figure 7c, and the time of communication, over the number of ranks.

plot.py JSON PICTURE

A line goes through the medians, its band is the 95% interval of the median. Dashed are the transforms alone, without transposes.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

LOOKS = {"alltoall": {"color": "#333333"}, "p2p": {"color": "#8fb8c6"}, "rma": {"color": "#c9a46b"}, "notify": {"color": "#b3402e"},
         "rma, preloaded": {"color": "#c9a46b", "linestyle": "-."}, "local": {"color": "#888888", "linestyle": "--"}}


def rates(result, name):
    return [result["operations"] / total * 1e-9 for total in result["variants"][name]["total_s"]]


def milliseconds(result, name):
    return [time * 1e3 for time in result["variants"][name]["communication_s"]]


def draw_panel(axes, sweep, names, samples_of):
    at = [result["problem"]["ranks"] for result in sweep]
    for name in names:
        plots.draw_band(axes, at, [samples_of(result, name) for result in sweep], label=name, **LOOKS.get(name, {}))
    return at


def heading(result):
    problem = result["problem"]
    return f"fft: class {problem['class']}, {problem['decomposition']}s, {plots.machine_of(result['environment'])}"


def main():
    sweep, picture = plots.arguments(__doc__.splitlines()[0])
    figure, (speed, communication) = plots.plt.subplots(1, 2, figsize=(11, 5))
    order = sweep[0]["order"]
    plots.decorate_over_ranks(speed, draw_panel(speed, sweep, order, rates), "GFlop/s, all ranks", "Speed (as figure 7c)")
    at = draw_panel(communication, sweep, [name for name in order if name != "local"], milliseconds)
    plots.decorate_over_ranks(communication, at, "milliseconds per iteration", "Communication")
    # It is a difference of two times, which may be less than nothing.
    communication.set_yscale("linear")
    figure.suptitle(heading(sweep[0]), fontsize=9, color=plots.FAINT, x=0.01, ha="left")
    handles, labels = speed.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=5, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
