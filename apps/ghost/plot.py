#!/usr/bin/env python3
"""Draws what bench.py wrote, as figures 12 to 14 of Simmendinger et al.: performance per rank over the cells per rank.

plot.py JSON PICTURE

A line goes through the medians, its band is the 95% interval of the median; dashed is what a plain copy does in the same run.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

COLORS = {"mpi_only": "#333333", "mpi_shared_1copy": "#8fb8c6", "mpi_shared_1copy_blocking": "#c9a46b", "notified_shared_1copy": "#5a8f3c",
          "notified_shared_1copy_nobarrier": "#9bc36b", "mpi_0copy": "#0b6e8a", "notified_0copy": "#b3402e"}
LIMIT = "#888888"


def cells(result):
    x, y, z = result["problem"]["local"]
    return x * y * z


def faces_bytes(result):
    """6 N^2 x 8: what figure 14 takes for the bytes of an exchange, whatever the variant moves."""
    x, y, z = result["problem"]["local"]
    return 2 * (x * y + y * z + x * z) * 8


def exchanges(result):
    return result["problem"]["variables"] * result["problem"]["steps"]


def rates(result, name, part, work):
    return [work(result) * exchanges(result) / 1e6 / sample[part] for sample in result["variants"][name]["samples"]]


def limit(result, *parts):
    return statistics.median([sum(sample[part] for part in parts) for sample in result["limits"]])


def draw_panel(axes, sweep, part, work):
    at = [cells(result) for result in sweep]
    for name in sweep[0]["order"]:
        plots.draw_band(axes, at, [rates(result, name, part, work) for result in sweep], label=name, color=COLORS.get(name))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("cells per rank, N³", fontsize=9)
    plots.decorate(axes)


def name_panel(axes, title, unit):
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_ylabel(unit, fontsize=9)


def draw_limit(axes, sweep, work, parts, label):
    found = [work(result) / 1e6 / limit(result, *parts) for result in sweep]
    axes.plot([cells(result) for result in sweep], found, color=LIMIT, linestyle="--", linewidth=1.3, label=label)
    axes.legend(handles=axes.get_lines()[-1:], fontsize=8, frameon=False, loc="lower right")


def heading(result):
    environment, problem = result["environment"], result["problem"]
    nodes = f", {environment['nodes']} pretended or real nodes" if environment["nodes"] > 1 else ""
    sides = "periodic" if problem["periodic"] else "open"
    return (f"ghost: {problem['stencil']} points, {problem['variables']} variables, {sides}; {environment['ranks']} ranks{nodes}, "
            f"{environment['cores']} cores, {environment['cpu']}, {plots.mpi_of(environment)}")


def main():
    sweep, picture = plots.arguments(__doc__.splitlines()[0])
    figure, (whole, computation, exchange) = plots.plt.subplots(1, 3, figsize=(15, 5.2))
    draw_panel(whole, sweep, "total_s", cells)
    draw_panel(computation, sweep, "computation_s", cells)
    draw_panel(exchange, sweep, "communication_s", faces_bytes)
    name_panel(whole, "Full application (figure 12)", "Melements/s per rank")
    name_panel(computation, "Computation (figure 13)", "Melements/s per rank")
    name_panel(exchange, "Communication (figure 14)", "6 N² × 8 B per exchange, MB/s per rank")
    draw_limit(computation, sweep, cells, ["cells_s"], "a plain copy of all cells")
    draw_limit(exchange, sweep, faces_bytes, ["faces_s", "handover_s"], "a plain copy of the faces' bytes, a cache line handed over")
    figure.suptitle(heading(sweep[0]), fontsize=9, color=plots.FAINT, x=0.01, ha="left")
    handles, labels = whole.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=4, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
