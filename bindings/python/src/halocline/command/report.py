"""The report on a machine as one HTML file: the verdict first, then tables and pictures, each figure with its spread and its limit.

A folder of results may have info.json, doctor.json, halo.json, model.json, trace.json, timeline.svg, cloud.json and cloud.png; what is
not there is left out.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import pathlib

from halocline.command import card as cards
from halocline.command import files, page, verdict
from halocline.command.status import Exit, Failure
from halocline.command.words import Json, bytes_of, counted, error_of, mpi_of, percent_of, significant, spread_of, time_of

CURVES = ("put + flush", "get + flush", "put + notify", "accumulate + flush", "allreduce")


FEWEST_SIZES = 4  # below which a map of the fastest mode says nothing


@dataclasses.dataclass(frozen=True)
class Results:
    """What a folder has; None: not there."""
    folder: pathlib.Path
    halo: Json
    info: Json | None = None
    doctor: Json | None = None
    model: Json | None = None
    trace: Json | None = None
    cloud: Json | None = None


def load(folder: pathlib.Path) -> Results:
    """The results of a folder. Without halo.json there is nothing to report."""
    if not (folder / "halo.json").is_file():
        raise Failure(f"{folder} has no halo.json, which halocline bench halo --json writes", Exit.USAGE)
    found = {name: files.read(folder / f"{name}.json") for name in ("info", "doctor", "model", "trace", "cloud")
             if (folder / f"{name}.json").is_file()}
    halo = files.need(files.read(folder / "halo.json"), ("modes", "limit", "problem", "rows"), "halocline-bench halo")
    return Results(folder, halo, **found)


# ---- the verdict

def winner_entries(results: Results, said: verdict.Verdict) -> list[tuple[str, str, str]]:
    """The fastest mode beside point-to-point and the limit; nothing where no mode may be called that."""
    if not said.decided:
        return []
    row, limit = results.halo["modes"][said.mode], float(results.halo["limit"]["limit_us"])
    usual = results.halo["modes"].get("p2p", row)
    against_usual = ratios(percentiles_of(usual), percentiles_of(row), 1)
    against_limit = ratios(percentiles_of(row), limit_percentiles(results.halo), 2)
    return [("against point-to-point", f"{row['ratio_to_p2p']:.1f} ×",
             f"{against_usual}; mode {said.mode}, {time_of(row['median_us'])} per swap"),
            ("above the physical limit", f"{row['median_us'] / limit:.2f} ×", f"{against_limit}; the same cells copied: {time_of(limit)}")]


def tile_entries(results: Results, said: verdict.Verdict) -> list[tuple[str, str, str]]:
    cells = sum(one.get("verified_cells", 0) for one in results.halo["modes"].values())
    entries = [*winner_entries(results, said), ("cells verified", f"{cells:,}", "in all modes")]
    if results.doctor:
        right = sum(probe["outcome"] == "right" for probe in results.doctor["probes"])
        entries.append(("probes of the MPI right", f"{right} of {len(results.doctor['probes'])}", "byte by byte"))
    if results.model:
        half = results.model["predicted_half"]
        entries.append(("model's typical error", error_of(cards.typical(half)), f"at {half['points']} points that it was not fitted to"
                        if half["points"] else "too few points to leave some out of a fit"))
    return entries


def percentiles_of(row: Json) -> tuple[float, float]:
    return float(row["p10_us"]), float(row["p90_us"])


def limit_percentiles(halo: Json) -> tuple[float, float]:
    return percentiles(halo["limit"].get("samples_us") or [float(halo["limit"]["limit_us"])])


def ratios(above: tuple[float, float], below: tuple[float, float], places: int) -> str:
    """How far a ratio may spread: from the 10th percentile over the 90th to the 90th over the 10th."""
    return f"{above[0] / below[1]:.{places}f} to {above[1] / below[0]:.{places}f} × from p10 to p90"


def header(results: Results, said: verdict.Verdict) -> str:
    environment = results.halo["environment"]
    where = f"Halocline {environment['halocline']} · {environment['host']} · {mpi_of(environment['mpi'])} · {environment['date'][:10]}"
    return (page.paragraph(where, "eyebrow") + f"<h1>{page.text(said.headline)}</h1>" + page.listing(said.advice, "advice") +
            page.listing(said.reasons) + page.listing(said.doubts, "doubts") + page.tiles(tile_entries(results, said)))


# ---- tables

def modes_table(results: Results, best: str | None) -> str:
    """best: the mode whose row is marked."""
    limit = float(results.halo["limit"]["limit_us"])
    rows = sorted(results.halo["modes"].items(), key=lambda item: float(item[1]["median_us"]))
    swaps = results.cloud["swaps_ms"] if results.cloud else {}
    head = ["mode", "median", "p10 – p90", "against p2p", "against the limit", "GB/s", "cells verified"]
    head += ["cloud: swaps per step"] if swaps else []
    lines = [[name, time_of(row["median_us"]), spread_of(row["p10_us"], row["p90_us"]), f"{row['ratio_to_p2p']:.2f} ×",
              f"{row['median_us'] / limit:.2f} ×", significant(row["gb_per_s"]), f"{row.get('verified_cells', 0):,}"] +
             ([cloud_swaps(results.cloud or {}, name)] if swaps else []) for name, row in rows]
    low, high = limit_percentiles(results.halo)
    lines.append(["physical limit", time_of(limit), spread_of(low, high), "–", "1.00 ×", "–", "–"] + (["–"] if swaps else []))
    marked = [name for name, _ in rows].index(best) if best else None
    return page.table(head, lines, numbers=range(1, len(head)), marked=marked)


def cloud_swaps(cloud: Json, mode: str) -> str:
    """The time of all swaps of a step of the cloud model, with its spread over the steps."""
    if mode not in cloud["swaps_ms"]:
        return "–"
    ends = cloud.get("swaps_p10_p90_ms", {}).get(mode)
    return f"{cloud['swaps_ms'][mode]:.1f} ms" + (f" ({ends[0]:.1f} – {ends[1]:.1f})" if ends else "")


def percentiles(samples: list[float]) -> tuple[float, float]:
    """The 10th and the 90th percentile."""
    ordered = sorted(samples)
    return ordered[round(0.1 * (len(ordered) - 1))], ordered[round(0.9 * (len(ordered) - 1))]


def operations_table(model: Json) -> str:
    """A small and a large size of each operation that has a limit."""
    rows = [row for row in model["rows"] if row["operation"] != "halo" and row["unit"] == "us"]
    fewest = min((row["ranks"] for row in rows), default=0)
    lines = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        some = [row for row in rows if row["operation"] == operation and row["ranks"] == fewest]
        for size in sorted({min(row["bytes"] for row in some), max(row["bytes"] for row in some)} if some else set()):
            lines += [[operation, row["by"], bytes_of(size), time_of(row["median"]), spread_of(row["p10"], row["p90"]),
                       time_of(row["limit"]) if row["limit"] else "–", f"{row['median'] / row['limit']:.1f} ×" if row["limit"] else "–"]
                      for row in some if row["bytes"] == size]
    head = ["operation", "by", "bytes", "median", "p10 – p90", "physical limit", "against the limit"]
    return page.table(head, lines, numbers=(2, 3, 4, 5, 6))


def switches_table(model: Json) -> str:
    card = cards.card_of(model, "this run")
    lines = [[curve.operation, curve.by, "several" if curve.nodes > 1 else "one", curve.formula,
              ", ".join(map(bytes_of, curve.switches())) or "–", error_of(curve.typical_error)] for curve in card.curves]
    return page.table(["operation", "by", "nodes", "cost", "switch points", "typical error"], lines, numbers=(5,))


def probes_table(doctor: Json) -> str:
    lines = [[probe["name"], probe["outcome"], "; ".join(finding["text"] for finding in probe["findings"][:2])]
             for probe in doctor["probes"] if probe["outcome"] != "right"]
    return page.table(["probe", "outcome", "finding"], lines) if lines else ""


def machine_tables(info: Json) -> str:
    mpi, topology, transports = info["mpi"], info["topology"], info["transports"]
    windows = ", ".join(f"{kind} {model}" for kind, model in mpi["window_models"].items())
    about = [["Halocline", f"{info['library']['version']} ({info['library']['revision']}), {info['library']['compiler']}"],
             ["MPI", f"{mpi_of(mpi['version'])}, MPI {mpi['standard']}"], ["file", mpi["file"]],
             ["binary interface", f"{mpi['abi']['library']}, {mpi['abi']['of']}"], ["thread level", mpi["thread_level"]],
             ["window memory model", windows], ["processor", info["machine"]["cpu"]], ["kernel", info["machine"]["kernel"]],
             ["ranks, nodes, cores", f"{topology['ranks']} ranks, {counted(topology['nodes'], 'node')}, {topology['cores_of_node']} cores"],
             ["between nodes", transports["between_nodes"]], ["machine card", info["card"]["source"] or "none"]]
    carriers = [[one["name"], one.get("interface", ""), "used" if one["used"] else "refused", one["refusal"] or ""]
                for one in [*transports["node"], *transports["network"]["providers"]]]
    variables = [[one["name"], one["value"] or "", one["default"] or "none", one["origin"], one["meaning"]]
                 for one in info["variables"]["known"] if one["read_by"] in ("library", "libhalocline_mpi")]
    return (page.table(["what", "found"], about) + page.details("Transports, and why each was refused", page.table(
        ["transport", "interface", "", "reason"], carriers)) + page.details("Environment variables", page.table(
            ["variable", "value", "default", "origin", "meaning"], variables)))


# ---- pictures

def svg_modes(results: Results) -> list[str]:
    from halocline.command.pictures import look, modes

    figure = modes.figure([results.halo], width=5.6)
    return [page.picture(look.inline_svg(figure, "modes", "time of one swap by mode"), "One swap by mode. Bar: median; whisker: 10th to "
                         "90th percentile; dashed: the physical limit, a plain copy of the same cells and one hand-over of a cache line.")]


def svg_curves(model: Json) -> list[str]:
    from halocline.command.pictures import curves, look

    drawn: list[str] = []
    for operation in CURVES:
        for bandwidth in (False, True) if operation == "put + flush" else (False,):
            figure = curves.single(model, operation, bandwidth)
            if figure:
                name = f"curve{len(drawn)}"
                caption = limit_caption(model, operation, bandwidth)
                drawn.append(page.picture(look.inline_svg(figure, name, f"{operation}, measured and fitted"), caption))
    return drawn


def limit_caption(model: Json, operation: str, bandwidth: bool) -> str:
    """What a picture of curves shows, how much its points spread, and their limit."""
    rows = [row for row in model["rows"] if row["operation"] == operation and row["unit"] == "us" and row["median"] > 0]
    spreads = sorted((row["p90"] - row["p10"]) / row["median"] for row in rows)
    caption = "Crosses: medians, with whiskers from the 10th to the 90th percentile; lines: fitted; dotted: switch points."
    if spreads:
        caption += f" Half of the points spread (p10 to p90) by less than {percent_of(spreads[len(spreads) // 2])}."
    limits = [row for row in rows if row["limit"]]
    if limits:
        largest = max(limits, key=lambda row: int(row["bytes"]))
        bound = f"{largest['bytes'] / largest['limit'] / 1000:.1f} GB/s" if bandwidth else time_of(largest["limit"])
        caption += f" Physical limit at {bytes_of(largest['bytes'])}: {bound}."
    return caption


def svg_model(model: Json, best: str | None) -> list[str]:
    """best: the mode that is drawn beside point-to-point. Without one there is no map of the fastest modes either."""
    from halocline.command.pictures import look, scaling, winners

    card = cards.card_of(model, "this run")
    drawn = []
    figure = winners.figure(card) if best and len(winners.sizes_of(card)) >= FEWEST_SIZES else None
    half = error_of(cards.typical(model["predicted_half"]))
    if figure:
        caption = f"Which mode the model predicts to be the fastest, one contiguous run per neighbour. Typical error: {half}."
        drawn.append(page.picture(look.inline_svg(figure, "winners", "fastest mode over bytes and neighbours"), caption))
    for operation, only in (("halo", ("p2p", best) if best else ()), ("barrier", ()), ("allreduce", ())):
        figure = scaling.figure(model, operation, only)
        if figure:
            drawn.append(page.picture(look.inline_svg(figure, f"scaling-{operation}", f"{operation} over ranks"),
                                      "Crosses: medians, with whiskers from the 10th to the 90th percentile; lines: the model. "
                                      "Where ranks share cores they also wait for a core."))
    return drawn


def svg_trace(results: Results) -> list[str]:
    from halocline.command.pictures import look, matrix

    drawn = []
    figure = matrix.figure(results.trace) if results.trace else None
    if figure:
        drawn.append(page.picture(look.inline_svg(figure, "matrix", "bytes between ranks"), "Bytes that each rank sent to each other, "
                                  "all swaps of the traced run together. Counted, not sampled: there is no spread."))
    timeline = results.folder / "timeline.svg"
    if results.trace and timeline.is_file():
        svg = timeline.read_text().replace('fill="#fff"', 'fill="none"').replace("#ececec", look.GRID)
        svg = svg.replace('fill="#222"', f'fill="{look.INK}"').replace('fill="#000"', f'fill="{look.INK}"').replace(
            'stroke="#222"', f'stroke="{look.INK}"').replace('stroke="#ccc"', f'stroke="{look.GRID}"')
        drawn.append(page.picture(look.adapt_svg(svg, "timeline", "what each rank did"), "The last swaps of the traced run. A lane per "
                                  "rank, its epochs below it, arrows to the ends of long waits, the critical path as a line above. One run "
                                  "with tracing on: times are upper limits."))
    return drawn


# ---- the page

def has_matplotlib() -> bool:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def sections(results: Results, said: verdict.Verdict, with_pictures: bool) -> list[str]:
    problem, best = results.halo["problem"], said.mode if said.decided else None
    size = " × ".join(map(str, problem["local"]))
    about = (f"{counted(problem['fields'], 'field')} of {size} cells per rank, depth {problem['depth']}, {problem['stencil']} stencil, "
             f"{results.halo['environment']['ranks']} ranks. All modes take turns in one run, one sample each per round.")
    made = [page.section("Halo swaps by mode", page.paragraph(about), page.pictures(svg_modes(results) if with_pictures else []),
                         modes_table(results, best))]
    if results.cloud:
        made.append(cloud_section(results))
    if results.model:
        drawn = svg_model(results.model, best) if with_pictures else []
        made.append(page.section("What the model predicts", page.paragraph(swaps_in_words(results.model)), page.pictures(drawn),
                                 page.details("Fitted curves and switch points", switches_table(results.model))))
        made.append(page.section("One-sided operations", page.pictures(svg_curves(results.model) if with_pictures else []),
                                 page.details("Times, spreads and limits", operations_table(results.model))))
    made.append(page.section("Who communicates with whom", page.pictures(svg_trace(results) if with_pictures else [])))
    if results.doctor:
        made.append(page.section("The MPI, tried", page.paragraph(verdict.doctor_reason(results.doctor)), probes_table(results.doctor)))
    if results.info:
        made.append(page.section("The machine", machine_tables(results.info)))
    return made


def swaps_in_words(model: Json) -> str:
    """What the curves of swaps rest on."""
    swaps = cards.card_of(model, "this run").swaps()
    if not swaps:
        return "No swaps were measured for the model: there was no time left (halocline tune --seconds)."
    least, most = min(curve.bytes_range[0] for curve in swaps), max(curve.bytes_range[1] for curve in swaps)
    few = "" if most >= 2**(FEWEST_SIZES - 1) * least else " That is too narrow for a map of the fastest mode: there was little time."
    return f"Curves are fitted to swaps of {bytes_of(least)} to {bytes_of(most)} and to operations. {check_in_words(model)}{few}"


def check_in_words(model: Json) -> str:
    error = cards.typical(model["predicted_half"])
    if error is None:
        return "How far predictions are off was not tested: there are too few points to leave some out of a fit."
    return f"The same fit to half of the points predicts the others with a typical error of {percent_of(error)}."


def cloud_section(results: Results) -> str:
    cloud = results.cloud or {}
    words = (f"A cloud model of {cloud['fields']} fields ran in {len(cloud['swaps_ms'])} modes. Its fingerprints are bitwise equal in all "
             "of them. The table above has the median time of all swaps of a step, and its 10th to 90th percentile over the steps where "
             "the run kept them. The physical limit is that of one swap, and does not hold for a step.")
    picture = results.folder / "cloud.png"
    drawn = [page.image(picture, "A slice of the cloud model, as computed in this run.")] if picture.is_file() else []
    return page.section("The cloud model", page.paragraph(words), page.pictures(drawn))


def footer(results: Results) -> str:
    environment = results.halo["environment"]
    rules = results.halo.get("rules", {})
    words = " ".join(f"{rules[key][:1].upper()}{rules[key][1:]}." for key in ("warm_up", "order", "outliers") if key in rules)
    return (page.paragraph(f"How it was measured: {words} Times are those of the slowest rank. Shared machines spread more.") +
            page.paragraph(f"{environment['cpu']}, {environment['cores']} cores, {environment['kernel']}, {environment['compiler']}, "
                           f"Halocline {environment['halocline']} ({environment['revision']}), {environment['date']}. "
                           "halocline tune makes this page again."))


def build(folder: pathlib.Path) -> tuple[str, verdict.Verdict]:
    """The page about the results of a folder, and the verdict that it begins with."""
    results = load(folder)
    said = verdict.of(results.halo, results.doctor, results.model)
    title = f"Halocline on {results.halo['environment']['host']}: {f'mode {said.mode}' if said.decided else 'too busy to compare'}"
    return page.page(title, header(results, said), sections(results, said, has_matplotlib()), footer(results)), said


def write(folder: pathlib.Path) -> tuple[pathlib.Path, verdict.Verdict]:
    """Writes FOLDER/report.html."""
    text, said = build(folder)
    target = folder / "report.html"
    target.write_text(text, encoding="utf-8")
    return target, said
