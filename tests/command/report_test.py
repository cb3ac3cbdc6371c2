"""Tests of the verdict and of the report on recorded results.

SPDX-License-Identifier: BSD-3-Clause
"""
import html.parser
import json
import re

import pytest
from halocline.command import report, verdict
from halocline.command.status import Exit
from results import call, copy_to, read

PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000003000100"
                      "5c0b8ecb0000000049454e44ae426082")
VOID = {"meta", "link", "br", "img", "hr"}


class Page(html.parser.HTMLParser):
    """Counts elements, and looks for tags that do not match, names that stand twice and addresses outside the file."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.counts, self.names, self.addresses, self.headings, self.text = [], {}, [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.names += [value for name, value in attrs if name == "id"]
        self.addresses += [value for name, value in attrs if name in ("src", "href") and not value.startswith(("data:", "#"))]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)


@pytest.fixture(name="built", scope="module")
def built_report(tmp_path_factory):
    folder = copy_to(tmp_path_factory.mktemp("results"))
    (folder / "cloud.json").write_text(json.dumps({"fields": 29, "swaps_ms": {"direct": 2.5, "p2p": 8.0},
                                                   "swaps_p10_p90_ms": {"direct": [2.2, 3.5], "p2p": [7.0, 9.0]}}))
    (folder / "cloud.png").write_bytes(PIXEL)
    return report.write(folder)[0].read_text()


def test_the_page_is_well_formed_and_needs_no_other_file(built):
    page = Page(built)
    assert page.open == [] and page.addresses == []
    assert len(page.names) == len(set(page.names))
    assert "@import" not in built and not re.search(r"url\((?!#)", built)


def test_the_verdict_stands_first(built):
    said = verdict.of(read("halo"), read("doctor"), read("model"))
    assert built.index("<h1>") < built.index("<section>")
    assert f"<h1>{said.headline}</h1>" in built


def test_the_figures_beside_the_verdict_have_their_spread(built):
    halo = read("halo")
    best, usual = halo["modes"][verdict.of(halo).mode], halo["modes"]["p2p"]
    low, high = usual["p10_us"] / best["p90_us"], usual["p90_us"] / best["p10_us"]
    assert low <= best["ratio_to_p2p"] <= high and f"{low:.1f} to {high:.1f} × from p10 to p90" in built
    assert len(re.findall(r"× from p10 to p90", built)) == 2


def test_each_part_has_its_section(built):
    assert Page(built).headings == ["Halo swaps by mode", "The cloud model", "What the model predicts", "One-sided operations",
                                    "Who communicates with whom", "The MPI, tried", "The machine"]


def test_each_picture_says_its_spread_or_that_it_has_none(built):
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", built)
    assert len(captions) == built.count("<figure") >= 10
    known = ("percentile", "spread", "Typical error", "upper limits", "slice")
    assert all(any(word in caption for word in known) for caption in captions), captions
    assert sum("limit" in caption for caption in captions) >= 6


def test_each_mode_has_its_spread_and_its_distance_to_the_limit(built):
    for name, row in read("halo")["modes"].items():
        line = re.search(rf'data-label="mode">{name}</td>(.*?)</tr>', built)[1]
        assert "data-label=\"p10 – p90\"" in line and f"{row['median_us'] / read('halo')['limit']['limit_us']:.2f} ×" in line


def test_swaps_of_the_cloud_have_their_spread(built):
    assert "2.5 ms (2.2 – 3.5)" in built and "10th to 90th percentile over the steps" in built


def test_what_was_not_measured_is_left_out(tmp_path):
    folder = copy_to(tmp_path, "halo.json")
    assert Page(report.write(folder)[0].read_text()).headings == ["Halo swaps by mode"]


def test_without_matplotlib_there_are_the_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "has_matplotlib", lambda: False)
    page = Page(report.write(copy_to(tmp_path))[0].read_text())
    assert "figure" not in page.counts and page.counts["table"] >= 5


def test_a_folder_without_results_is_refused(capsys, tmp_path):
    status, _, said = call(capsys, "report", tmp_path)
    assert status == Exit.USAGE and "halo.json" in said


def test_names_from_outside_cannot_break_the_page(tmp_path):
    folder = copy_to(tmp_path, "halo.json")
    halo = read("halo")
    halo["environment"]["host"] = "<script>alert(1)</script>"
    (folder / "halo.json").write_text(json.dumps(halo))
    assert "script" not in Page(report.write(folder)[0].read_text()).counts


def with_times(**medians):
    """A result whose modes have these medians and no spread."""
    halo = read("halo")
    halo["modes"] = {name: {**halo["modes"]["p2p"], "median_us": median, "p10_us": median, "p90_us": median,
                            "ratio_to_p2p": medians["p2p"] / median} for name, median in medians.items()}
    halo["limit"]["limit_us"] = 1.0
    return halo


def test_the_fastest_mode_of_the_library_is_recommended():
    said = verdict.of(with_times(p2p=8.0, hand_p2p=1.0, notify=2.0, fence_late=1.5))
    assert said.mode == "notify" and "4.0 times as fast" in said.headline
    assert said.advice == ["The default, auto, finds a mode by itself. HALOCLINE_MODE=notify fixes this one, or name it in the plan."]
    assert "2.0 times the physical limit" in said.reasons[0]


def test_auto_is_reported_beside_the_mode_that_is_recommended():
    halo = with_times(p2p=8.0, notify=2.0, auto=1.9)
    halo["modes"]["auto"]["mode"] = "notify"
    said = verdict.of(halo)
    assert said.mode == "notify" and "Within" not in " ".join(said.reasons)
    assert "Mode auto, the default, had chosen notify: 1.90 µs." in said.reasons


def test_point_to_point_is_kept_where_it_wins():
    assert verdict.of(with_times(p2p=1.0, direct=2.0)).headline.startswith("Keep MPI point-to-point")


def test_a_mode_that_the_doctor_found_wrong_is_not_recommended():
    doctor = read("doctor")
    doctor["modes"]["notify"] = {"verdict": "wrong", "reason": "a put was lost"}
    said = verdict.of(with_times(p2p=8.0, notify=1.0, direct=2.0), doctor)
    assert said.mode == "direct" and "Do not use mode notify with this MPI: a put was lost." in said.advice


def test_noise_and_a_bad_model_are_doubts():
    halo, model = with_times(p2p=8.0, direct=2.0), read("model")
    model["predicted_half"]["median"] = 0.1
    assert verdict.of(halo, None, model).doubts == []
    halo["modes"]["direct"]["p90_us"], halo["modes"]["p2p"]["p10_us"] = 5.5, 5.0
    model["predicted_half"]["median"] = 0.9
    assert len(verdict.of(halo, None, model).doubts) == 2
    assert "Within the spread as fast: p2p." in verdict.of(halo).reasons


def test_what_the_spread_hides_is_not_recommended():
    halo = with_times(p2p=8.0, direct=2.0)
    halo["modes"]["p2p"]["p10_us"] = 1.5
    said = verdict.of(halo)
    assert said.headline == "Mode direct had the lowest median, but leads MPI point-to-point by no more than the spread."
    assert said.advice == []
    halo["modes"]["direct"]["p90_us"] = 9.0
    assert verdict.of(halo).headline.startswith("The machine was too busy")


def test_a_busy_machine_has_no_winner(tmp_path):
    folder, halo = copy_to(tmp_path), read("halo")
    best = verdict.of(halo).mode
    halo["modes"][best]["p90_us"] = 9 * halo["modes"][best]["median_us"]
    (folder / "halo.json").write_text(json.dumps(halo))
    said = verdict.of(halo, read("doctor"), read("model"))
    assert not said.decided and not any(f"mode {best}" in reason or "the fastest" in reason for reason in said.reasons)
    page = report.write(folder)[0].read_text()
    assert "too busy to compare" in page and "against point-to-point" not in page and "class=marked" not in page
    assert "Which mode the model predicts to be the fastest" not in page and f": mode {best}" not in page


def test_errors_that_were_not_tested_are_not_0(tmp_path):
    folder, model = copy_to(tmp_path), read("model")
    model["predicted_half"] = {"median": None, "worst": None, "points": 0}
    for curve in model["curves"]:
        curve.pop("predicted_half", None)
    (folder / "model.json").write_text(json.dumps(model))
    page = report.write(folder)[0].read_text()
    assert "not tested" in page and "too few points to leave some out of a fit" in page and "0.0 %" not in page
    assert any("not tested" in doubt for doubt in verdict.of(read("halo"), None, model).doubts)
    # Files of before have zeros there.
    (folder / "model.json").write_text(json.dumps(model | {"predicted_half": {"median": 0.0, "worst": 0.0, "points": 0}}))
    assert report.write(folder)[0].read_text() == page
