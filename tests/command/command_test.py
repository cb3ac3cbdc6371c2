"""Tests of the command on recorded results: predictions, explanations, pictures, completion, exit codes.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest
from halocline.command import card as cards
from halocline.command import info, modes, shape, words
from halocline.command.main import make_parser
from halocline.command.status import EXIT_CODES, Exit
from results import RECORDED, ROOT, call, copy_to, read


def case_of(row):
    keys = ("bytes", "local_bytes", "ranks", "ranks_per_core", "neighbours", "blocks", "messages", "far_bytes", "far_messages")
    return cards.Case(**{key: row.get(key, 0) for key in keys})


def test_a_prediction_is_what_the_bench_has_fitted():
    """The same sum of terms as in the library, for every point."""
    report = read("model")
    rows = {}
    for row in report["rows"]:
        rows.setdefault((row["operation"], row["by"], row["ranks"], row["bytes"]), []).append(row)
    checked = 0
    for json_curve, curve in zip(report["curves"], cards.card_of(report, "recorded").curves):
        for point in json_curve["fit"]:
            some = rows.get((curve.operation, curve.by, point["ranks"], point["bytes"]), [])
            if len(some) == 1:
                assert curve.predict(case_of(some[0])) == pytest.approx(point["fitted_us"], rel=1e-5), curve
                checked += 1
    assert checked >= 80


def test_a_shape_moves_what_the_bench_counts():
    report = read("halo")
    problem, row = report["problem"], report["rows"][0]
    swap = shape.Swap(tuple(problem["local"]), problem["depth"], problem["fields"], 8, row["ranks"], problem["split"], True)
    assert case_of(row) == shape.case_of(swap, report["environment"]["cores"])


@pytest.mark.parametrize(("ranks", "dims", "grid"), [(1, 2, (1, 1)), (6, 2, (3, 2)), (8, 3, (2, 2, 2)), (7, 2, (7, 1)), (12, 3, (3, 2, 2))])
def test_ranks_are_split_as_evenly_as_can_be(ranks, dims, grid):
    assert shape.process_grid(ranks, dims) == grid


def test_explain_ranks_all_modes_and_names_the_parts_of_the_cost(capsys):
    status, said, _ = call(capsys, "explain", "--card", RECORDED / "model.json", "--local", "8,8,32", "--fields", 3, "--split", "xy")
    assert status == 0
    assert "A swap of 3 fields of 8 × 8 × 32 cells" in said
    status, text, _ = call(capsys, "explain", "--card", RECORDED / "model.json", "--bytes", "4KiB", "--json")
    found = json.loads(text)
    times = [one["us"] for one in found["predictions"]]
    assert status == 0 and times == sorted(times) and len(times) > 5
    assert all(sum(one["parts_us"].values()) == pytest.approx(one["us"]) for one in found["predictions"])
    assert f"Mode {cards.read(RECORDED / 'model.json').swaps()[0].by}" in said


def test_explain_says_what_is_beyond_the_measured_sizes(capsys):
    _, said, _ = call(capsys, "explain", "--card", ROOT / "share/halocline/default_card.json", "--bytes", "1GiB")
    assert "beyond what was measured" in said
    _, said, _ = call(capsys, "explain", "--card", ROOT / "share/halocline/default_card.json", "--bytes", "64KiB", "--cores", 2)
    assert "beyond what was measured" not in said


DEFAULT_CARD = ROOT / "share/halocline/default_card.json"


def card_of(path, **members):
    """A card of one curve of swaps, by bytes alone."""
    curve = {"operation": "halo", "by": "direct", "least_bytes": 24576, "most_bytes": 2**20, "least_ranks": 2, "most_ranks": 2,
             "terms": [{"quantity": "bytes", "us": 0.0001}], **members}
    path.write_text(json.dumps({"schema": "halocline-card/1", "curves": [curve]}))
    return path


def test_explain_has_nothing_below_what_was_measured(capsys, tmp_path):
    """A sum without a constant goes to 0 with the bytes."""
    card = card_of(tmp_path / "card.json", least_us=2.1)
    _, said, _ = call(capsys, "explain", "--card", card, "--bytes", 8)
    assert "predicted to be the fastest: 2.10 µs, of which 2.10 µs for the difference to the least that was measured" in said
    _, said, _ = call(capsys, "explain", "--card", card, "--bytes", 8, "--json")
    found = json.loads(said)["predictions"][0]
    assert found["us"] == 2.1 == pytest.approx(sum(found["parts_us"].values())) and found["beyond_measured"]


@pytest.mark.parametrize("words_", [("--bytes", 8), ("--local", "4,4,4"), ("-n", 1)])
def test_no_mode_of_the_default_card_takes_less_than_a_small_swap(capsys, words_):
    _, said, _ = call(capsys, "explain", "--card", DEFAULT_CARD, *words_, "--json")
    times = {one["mode"]: one["us"] for one in json.loads(said)["predictions"]}
    assert len(times) == 9 and min(times.values()) >= 0.25 and times["fence"] > 1.5


def test_explain_says_that_an_error_was_not_tested(capsys, tmp_path):
    card = card_of(tmp_path / "card.json", typical_error=0.0, residuals={"median": 0.0, "worst": 0.0, "points": 2})
    _, said, _ = call(capsys, "explain", "--card", card, "--bytes", "64KiB")
    assert "not tested: no point was left out of a fit" in said and "0.0 %" not in said
    _, said, _ = call(capsys, "model", "--show", card)
    assert "not tested" in said and "0.0 %" not in said
    card_of(card, typical_error=0.25, predicted_half={"median": 0.25, "worst": 0.3, "points": 4})
    _, said, _ = call(capsys, "explain", "--card", card, "--bytes", "64KiB")
    assert "Half of such predictions are within 25 %." in said


@pytest.mark.parametrize("words_", [("-n", 1), ("--bytes", 0)])
def test_explain_has_no_multiples_of_a_prediction_of_0(capsys, words_, tmp_path):
    status, said, _ = call(capsys, "explain", "--card", card_of(tmp_path / "card.json"), *words_)
    assert status == 0 and "the card predicts no time for this" in said and "times as long" not in said


def test_explain_counts_runs_of_messages_and_of_copies_together(capsys):
    _, said, _ = call(capsys, "explain", "--card", DEFAULT_CARD, "--local", "64,64,128")
    assert "gets 134 KiB from 1 other rank, and copies" in said
    assert "8972 contiguous runs in all, those of the copies included." in said
    _, said, _ = call(capsys, "explain", "--card", DEFAULT_CARD, "--bytes", "64KiB", "--neighbours", 1)
    assert "A rank gets 64 KiB from 1 other rank, in 1 contiguous run.\n" in said


def test_explain_takes_a_shape_of_two_dimensions(capsys):
    """The last one is contiguous: a rank gets rows of the other dimension, and both corners."""
    status, said, _ = call(capsys, "explain", "--card", DEFAULT_CARD, "--local", "512,256")
    assert status == 0 and "A swap of 1 field of 512 × 256 cells per rank (float64), depth 1, box stencil, on 2 × 1 ranks.\n" in said
    assert f"A rank gets {words.bytes_of(2 * (256 + 2) * 8)} from 1 other rank" in said
    _, flat, _ = call(capsys, "explain", "--card", DEFAULT_CARD, "--local", "512,256,1", "--split", "xy")
    assert flat.splitlines()[1:] == said.splitlines()[1:]
    status, _, said = call(capsys, "explain", "--card", DEFAULT_CARD, "--local", "512,256", "--split", "xyz")
    assert status == Exit.USAGE and "--split xyz needs three dimensions, and --local has two: 512,256" in said


def test_explain_tells_neighbours_on_other_nodes_from_those_on_this_one():
    # 4 ranks along x and y, 2 of each node: the one along y and the diagonal are on the other node.
    swap = shape.Swap((8, 4, 2), ranks=4)
    near, apart = shape.case_of(swap, 4), shape.case_of(swap, 4, nodes=2)
    assert (near.messages, near.far_messages, near.far_bytes) == (8, 0, 0)
    assert (apart.messages, apart.far_messages) == (8, 6)
    assert apart.far_bytes == 2 * 8 * (8 + 1 + 1) * 2 and apart.bytes == apart.far_bytes + 2 * 4 * 2 * 8
    lone = cards.one_message_each(64, 3, ranks=8, nodes=4)
    assert (lone.messages, lone.far_messages, lone.far_bytes) == (3, 3, 64)


@pytest.mark.parametrize(("words_", "named"), [
    (("explain", "--bytes", "64KiB", "--local", "3,3,3", "--depth", 2), "leave it out, or --local and --depth"),
    (("explain", "--neighbours", 3), "--neighbours needs --bytes"),
    (("plot", "matrix", RECORDED, "--bandwidth"), "--bandwidth has no effect on matrix"),
    (("plot", "modes", RECORDED / "halo.json", "--last-swaps", 3), "--last-swaps has no effect on modes"),
    (("plot", "curves", RECORDED / "model.json", "--bandwidth"), "name it by --operation")])
def test_an_option_without_effect_is_refused(capsys, words_, named):
    status, said, errors = call(capsys, *words_)
    assert status == Exit.USAGE and said == "" and named in errors and errors.count("\n") == 1


def test_explain_finds_where_another_mode_takes_over():
    from halocline.command import explain

    def curve(name, *terms):
        return cards.Curve("halo", name, 1, "", 0.1, (8, 2**20), (2, 2), terms)

    quick = curve("quick", {"quantity": "latency", "us": 1.0}, {"quantity": "bytes", "us": 0.001})
    wide = curve("wide", {"quantity": "latency", "us": 5.0}, {"quantity": "bytes", "us": 0.0005})
    assert explain.crossover(wide, quick, cards.Case(bytes=64)) == "It would be the faster one from 8 KiB on."
    assert explain.crossover(quick, wide, cards.Case(bytes=2**19)) == "It would be the faster one at 4 KiB and below."


def test_a_depth_that_exceeds_the_block_is_refused(capsys):
    status, _, said = call(capsys, "explain", "--card", RECORDED / "model.json", "--local", "2,2,2", "--depth", 3)
    assert status == Exit.USAGE and "--depth 3" in said


DRAWN = {"modes": "halo.json", "curves": "model.json", "winners": "model.json", "scaling": "model.json"}


@pytest.mark.parametrize(("what", "file"), DRAWN.items())
def test_a_picture_is_drawn_and_shown_in_the_terminal(capsys, tmp_path, what, file):
    picture = tmp_path / "picture.svg"
    status, said, _ = call(capsys, "plot", what, RECORDED / file, "-o", picture)
    assert status == 0 and str(picture) in said
    assert len(list(xml.etree.ElementTree.parse(picture).getroot().iter())) > 50
    status, said, _ = call(capsys, "plot", what, RECORDED / file)
    assert status == 0 and len(said.splitlines()) > 8


def test_curves_say_their_switch_points_and_spreads(capsys, tmp_path):
    report = read("model")
    curve = next(one for one in report["curves"] if one["operation"] == "put + flush" and len(one["fit"]) > 2)
    curve["terms"].append({"quantity": "latency", "us": 1.0, "from": 65536.0})
    (tmp_path / "model.json").write_text(json.dumps(report))
    status, said, _ = call(capsys, "plot", "curves", tmp_path / "model.json")
    assert status == 0 and re.search(rf"× {re.escape(curve['by'])} \(switches at (\S+ \S+, )*64 KiB", said)
    status, said, _ = call(capsys, "plot", "curves", tmp_path / "model.json", "--operation", "put + flush", "--bandwidth")
    assert status == 0 and said.count("GB/s") == 2


def with_a_slow_mode(times_as_slow):
    halo = read("halo")
    slow = dict(halo["modes"]["p2p"])
    least = min(row["median_us"] for row in halo["modes"].values())
    slow.update(dict.fromkeys(("median_us", "p10_us", "p90_us"), times_as_slow * least))
    return halo | {"modes": {name: row for name, row in halo["modes"].items() if row["median_us"] < 10 * least} | {"passive_naive": slow}}


@pytest.mark.parametrize(("times_as_slow", "scale"), [(10, "linear"), (500, "log")])
def test_one_slow_mode_does_not_flatten_the_others(times_as_slow, scale):
    from halocline.command import terminal
    from halocline.command.pictures import modes as picture

    halo = with_a_slow_mode(times_as_slow)
    axes = picture.figure([halo]).axes[0]
    bars = [bar.get_window_extent().width / axes.bbox.width for bar in axes.patches]
    assert axes.get_xscale() == scale and min(bars) > 0.03 and ("logarithmic" in axes.get_xlabel()) == (scale == "log")
    assert all(text.get_position()[0] < axes.get_xlim()[1] for text in axes.texts)
    screen = terminal.console(record=True)
    screen.print(terminal.modes(halo))
    said = screen.export_text()
    assert ("bars logarithmic" in said) == (scale == "log")
    assert all(line.count("█") >= 1 for line in said.splitlines() if line.startswith(tuple(halo["modes"]))), said


def test_crosses_of_curves_have_whiskers():
    from halocline.command.pictures import curves

    report = read("model")
    axes = curves.single(report, "put + flush").axes[0]
    rows = {row["median"]: row for row in report["rows"] if row["operation"] == "put + flush"}
    ends = [segment for container in axes.containers for segment in container.lines[2][0].get_segments()]
    assert len(ends) > 5
    for container in axes.containers:
        middles = container.lines[0].get_ydata()
        for middle, ((_, low), (_, high)) in zip(middles, container.lines[2][0].get_segments()):
            assert low <= middle <= high
            assert (low, high) == pytest.approx((min(middle, rows[middle]["p10"]), max(middle, rows[middle]["p90"])))


def event(rank, name, begin, category="swap", **args):
    return {"name": name, "cat": category, "ph": "X", "pid": rank, "tid": 0, "ts": begin, "dur": 10,
            "args": {"plan": 1, "round": 1, "of": "u"} | args}


@pytest.fixture(name="traces")
def made_up_traces(tmp_path):
    """Rank 1 copies 640 bytes from rank 0, and puts 64 to it."""
    for rank in (0, 1):
        about = {"name": "halocline_rank", "ph": "M", "pid": rank, "tid": 0,
                 "args": {"format": 1, "rank": rank, "ranks": 2, "clock": "1", "host": "a"}}
        events = [event(rank, "start", 0), event(rank, "finish", 100)]
        events += [event(1, "copy", 20, peer=0, bytes=640), event(1, "hlc_put", 40, "segment", target=0, bytes=64)] if rank else []
        (tmp_path / f"rank-{rank}.json").write_text(json.dumps([about, *events]))
    return tmp_path


def test_the_matrix_has_the_bytes_from_origin_to_target(capsys, traces):
    from halocline.command import native, plot
    from halocline.command.pictures import matrix

    options = make_parser().parse_args(["plot", "matrix", str(traces)])
    if native.find_program("halocline-trace") is None:
        options.build = pathlib.Path(__file__)  # no build is at hand: the script of the sources
        pytest.skip("halocline-trace is not there")
    assert matrix.matrix_of(plot.traced(options, "--no-files")) == [[0, 640], [64, 0]]
    status, said, _ = call(capsys, "plot", "matrix", traces)
    assert status == 0 and "640 B" in said
    status, said, _ = call(capsys, "plot", "timeline", traces)
    assert status == 0 and "rank 1" in said
    assert call(capsys, "plot", "timeline", traces, "-o", traces / "t.svg")[0] == 0
    assert "rank 0" in (traces / "t.svg").read_text()


@pytest.mark.parametrize("words_", [("trace",), ("plot", "matrix"), ("plot", "timeline")])
def test_a_folder_without_a_trace_is_named(capsys, tmp_path, words_):
    wrong = {tmp_path / "absent": "no such file", tmp_path: "has no rank-*.json", RECORDED / "halo.json": "is not a folder"}
    for folder, why in wrong.items():
        status, said, errors = call(capsys, *words_, folder)
        assert status == Exit.USAGE and said == "" and errors.startswith(f"halocline: {folder}") and why in errors


def test_a_file_that_is_no_trace_is_named(capfd, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "halocline-trace").symlink_to(ROOT / "tools" / "trace" / "halocline-trace")
    (tmp_path / "rank-0.json").write_text("[]")
    for words_ in ("plot", "matrix"), ("plot", "timeline", "-o", tmp_path / "a.svg"), ("trace",):
        status, _, said = call(capfd, *words_[:2], tmp_path, *words_[2:], "--build", tmp_path)
        assert status == Exit.USAGE and "no files rank-*.json" in said and said.count("\n") == 1


@pytest.mark.parametrize(("what", "file", "known"), [("modes", "halo.json", "png"), ("timeline", "", ": svg\n")])
def test_a_suffix_that_is_no_picture_is_named(capsys, tmp_path, what, file, known):
    for name, has in ("b.txt", "ends in .txt"), ("b", "has no suffix"):
        status, _, said = call(capsys, "plot", what, RECORDED / file, "-o", tmp_path / name)
        assert status == Exit.USAGE and has in said and known in said and not list(tmp_path.iterdir())


def test_a_file_that_is_no_card_is_named_in_words(capsys, tmp_path):
    status, _, said = call(capsys, "model", "--show", RECORDED / "halo.json")
    assert status == Exit.USAGE and "is not a machine card: it has no curves" in said
    (tmp_path / "card.json").write_text('{"schema": "halocline-card/1", "curves": [{"operation": "halo"}]}')
    status, _, said = call(capsys, "model", "--show", tmp_path / "card.json")
    assert status == Exit.USAGE and "a curve has no terms" in said
    strange = {"operation": "halo", "by": "direct", "terms": [{"quantity": "luck", "us": 1}]}
    (tmp_path / "card.json").write_text(json.dumps({"schema": "halocline-card/1", "curves": [strange]}))
    status, _, said = call(capsys, "model", "--show", tmp_path / "card.json")
    assert status == Exit.USAGE and "quantity luck" in said


def test_the_modes_are_those_of_the_library():
    table = (ROOT / "src" / "exchange" / "modes" / "modes.cpp").read_text()
    assert list(modes.MODES) == re.findall(r'^    \{HLC_MODE_\w+, "(\w+)"', table, re.M)


def test_info_names_the_network_library_whichever_it_is():
    found = read("info")
    for library in ("libfabric 2.5 (/opt/libfabric.so.1)", "UCX 1.20.1 (/opt/libucp.so.0)"):
        found["transports"]["network"]["library"] = library
        assert ("network library", library) in info.rows_of(found)["Transports"]


def test_info_tells_which_ranks_use_another_device():
    found = read("info")
    here = found["transports"]["between_nodes"]
    found["transports"]["between_nodes_by_rank"] = [{"line": here, "ranks": [0, 2]}, {"line": "verbs on mlx5_1", "ranks": [1]},
                                                    {"line": "verbs on mlx5_2", "ranks": [3, 4, 5]}]
    rows = info.rows_of(found)["Transports"]
    assert rows[:3] == [("between nodes", here), ("", "rank 1: verbs on mlx5_1"), ("", "rank 3 and 2 more: verbs on mlx5_2")]
    found["transports"]["between_nodes_by_rank"] = [{"line": here, "ranks": [0, 1]}]
    assert "" not in [name for name, _ in info.rows_of(found)["Transports"]]


def test_info_marks_a_mode_that_does_not_exist():
    def shown(value, origin):
        about = {"name": "HALOCLINE_MODE", "value": value, "origin": origin, "default": "auto", "meaning": "mode"}
        return info.variable_in_words(about, list(modes.MODES))

    assert shown("p2pp", "environment") == "p2pp  is not a mode; the nearest is p2p (environment; default: auto; mode)"
    assert info.is_wrong(shown("p2pp", "environment")) and not info.is_wrong(shown("notify", "environment"))
    assert shown(None, "default") == "–  (default; mode)"


def test_info_has_value_default_and_origin_of_a_variable_that_is_set():
    about = {"name": "HALOCLINE_TIMEOUT", "value": "7", "origin": "environment", "default": "300", "meaning": "seconds"}
    assert info.variable_in_words(about, []) == "7  (environment; default: 300; seconds)"
    assert info.variable_in_words({**about, "default": None}, []) == "7  (environment; default: none; seconds)"


def test_what_is_no_result_is_named(capsys, tmp_path):
    (tmp_path / "cut.json").write_text('{"modes": ')
    status, _, said = call(capsys, "plot", "modes", tmp_path / "cut.json")
    assert status == Exit.USAGE and "is not JSON" in said
    status, _, said = call(capsys, "plot", "modes", RECORDED / "model.json")
    assert status == Exit.USAGE and "it has no modes" in said
    status, _, said = call(capsys, "plot", "winners", RECORDED / "doctor.json")
    assert status == Exit.USAGE and "schema" in said
    assert call(capsys, "plot", "modes", tmp_path / "absent.json")[0] == Exit.USAGE
    assert call(capsys, "plot", "nothing", RECORDED / "model.json")[0] == Exit.USAGE


def test_a_file_with_members_of_other_types_is_named(capsys, tmp_path):
    (tmp_path / "halo.json").write_text('{"modes": 3, "limit": 1, "problem": 2, "rows": 4}')
    for words_ in (("plot", "modes", tmp_path / "halo.json"), ("report", tmp_path)):
        status, _, said = call(capsys, *words_)
        assert status == Exit.USAGE and "other members" in said and str(tmp_path) in said


def test_what_cannot_be_written_is_named(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    for words_ in (("tune", "-o", tmp_path / "file" / "a"), ("plot", "modes", RECORDED / "halo.json", "-o", tmp_path / "no" / "a.svg")):
        status, _, said = call(capsys, *words_)
        assert status == Exit.USAGE and str(words_[-1]) in said and "Traceback" not in said


def test_tune_ends_with_1_where_a_step_fails_or_a_mode_is_distrusted(capsys, tmp_path):
    folder = copy_to(tmp_path)
    words_ = ("tune", "--reuse", "-o", folder, "--build", tmp_path / "nowhere")
    status, said, errors = call(capsys, *words_)
    assert status == 0 and "Report: " in said and errors.count("exit code") == 0
    doctor = read("doctor")
    doctor["modes"]["notify"] = {"verdict": "wrong", "reason": "a put was lost"}
    (folder / "doctor.json").write_text(json.dumps(doctor))
    status, said, _ = call(capsys, *words_)
    assert status == Exit.WRONG and "Do not use mode notify" in said
    shutil.copy(RECORDED / "doctor.json", folder)
    (folder / "trace.json").unlink()
    status, said, errors = call(capsys, *words_)
    assert status == Exit.WRONG and "Note: Tracing a few swaps: no halocline-bench" in errors and "Report: " in said


@pytest.mark.parametrize(("words_", "said"), [
    (("explain", "--local", "4"), "three numbers"), (("explain", "--local", "4,4,x"), "'x' is not a whole number"),
    (("explain", "--bytes", "q"), "'q' is not a number of bytes"), (("tune", "--local", "0,4,4"), "0 is less than 1"),
    (("info", "-n", "many"), "'many' is not a whole number"), (("run", "--hosts", "", "true"), "has a host without a name"),
    (("info", "--hosts", "a,,b"), "'a,,b' has a host without a name"), (("run", "--mode", "p2pp", "true"), "the nearest is 'p2p'")])
def test_a_wrong_value_of_an_option_is_named(capsys, words_, said):
    status, _, errors = call(capsys, *words_)
    assert status == Exit.USAGE and said in errors


def test_the_version_is_that_of_the_library(capsys):
    version = re.search(r"^project\(halocline VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    status, said, _ = call(capsys, "--version")
    assert status == 0 and said == f"halocline {version}\n"


def commands():
    help_text = make_parser().format_help()
    return re.findall(r"^    ([a-z]+) ", help_text, re.M)


def test_completion_knows_every_command_and_its_options(capsys):
    status, script, _ = call(capsys, "completion", "bash")
    assert status == 0 and len(commands()) >= 11
    lines = script + '\nCOMP_WORDS=(halocline plot --); COMP_CWORD=2; _halocline; echo "${COMPREPLY[@]}"' + \
        '\nCOMP_WORDS=(halocline ""); COMP_CWORD=1; _halocline; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True)
    options, names = done.stdout.splitlines()
    assert "--output" in options and set(commands()) <= set(names.split())
    assert "bashcompinit" in call(capsys, "completion", "zsh")[1]


def test_completion_in_fish_knows_them_too(capsys):
    status, script, _ = call(capsys, "completion", "fish")
    assert status == 0
    for name in commands():
        assert f"'__fish_use_subcommand' -f -a {name} -d '" in script
        assert f"'__fish_seen_subcommand_from {name}' -s h -l help -d '" in script
    assert re.search(r"from plot' .*-l output .*-r -d '.+'$", script, re.M)
    assert re.search(r"from completion' -x -a 'bash zsh fish' -d '.+'$", script, re.M)
    if not shutil.which("fish"):
        return
    asked = 'complete -C "halocline pl"; complete -C "halocline plot --out"; complete -C "halocline completion z"'
    done = subprocess.run(["fish", "--no-config", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["plot", "--output", "zsh"], done.stderr


def test_docs_and_help_name_each_exit_code_and_command():
    page = (ROOT / "docs" / "command.md").read_text()
    for code in Exit:
        assert f"| {code.value} |" in page and f"\n  {code.value} " in EXIT_CODES
    for name in commands():
        assert f"`halocline {name}" in page, name


def test_it_needs_neither_the_extension_nor_other_packages_to_help():
    done = subprocess.run([sys.executable, "-S", "-m", "halocline.command", "run", "--help"], capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": str(ROOT / "bindings" / "python" / "src"), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "--launcher" in done.stdout and "exit codes" in done.stdout


def test_a_missing_package_is_named(capsys, monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("rich", "halocline.command.terminal"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    import halocline.command as package

    monkeypatch.delattr(package, "terminal", raising=False)
    status, _, said = call(capsys, "plot", "modes", RECORDED / "halo.json")
    assert status == Exit.MISSING and "pip install" in said
    for words_ in ("plot", "modes"), ("model", "--show"):
        status, _, said = call(capsys, *words_, "/nonexistent")
        assert status == Exit.USAGE and "/nonexistent" in said


def test_times_have_the_unit_that_suits():
    assert [words.time_of(us) for us in (0.0123, 1, 123.4, 1500, 2e6)] == ["12.3 ns", "1.00 µs", "123 µs", "1.50 ms", "2.00 s"]


def test_sizes_are_read_with_their_units():
    assert [words.parse_bytes(text) for text in ("8", "64k", "64KiB", "1.5MiB", "2G")] == [8, 64000, 65536, 1.5 * 2**20, 2e9]
    for text in ("a lot", "1.2.3", "."):
        with pytest.raises(argparse.ArgumentTypeError, match="not a number of bytes"):
            words.parse_bytes(text)
