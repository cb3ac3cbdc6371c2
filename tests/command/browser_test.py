"""Opens the report in a real browser: pictures, console, width, dark, print.

SPDX-License-Identifier: BSD-3-Clause
"""
import re

import browser
import pytest
from halocline.command import report
from results import copy_to

PROGRAM = browser.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no chromium (Debian package chromium)")
PHONE, DESK = 375, 1280
WIDER = """[...document.querySelectorAll('body *')].filter(one => !one.closest('svg, thead') &&
  one.getBoundingClientRect().right > screen.width + 1).length"""


@pytest.fixture(name="tab", scope="module")
def open_tab():
    with browser.Browser(PROGRAM) as tab:
        yield tab


@pytest.fixture(name="page", scope="module")
def report_page(tmp_path_factory):
    return report.write(copy_to(tmp_path_factory.mktemp("results")))[0]


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_it_shows_all_pictures_and_never_scrolls_sideways(tab, page, width, scheme):
    tab.complaints.clear()
    tab.requests.clear()
    tab.show(width, scheme=scheme)
    tab.open(page)
    tab.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    pictures = page.read_text().count("<figure")
    assert tab.value("innerWidth") == width
    assert tab.value(browser.SHOWN) == pictures >= 9
    assert tab.value(browser.OVERHANG) <= 0 and tab.value(WIDER) == 0
    assert tab.complaints == [] and tab.requests == []


def colours(tab):
    """Background of the page, and ink of the text of a picture."""
    return tab.value("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('figure svg text')).fill]")


def test_dark_and_light_differ_in_the_pictures_too(tab, page):
    seen = []
    for scheme in ("light", "dark"):
        tab.show(DESK, scheme=scheme)
        tab.open(page)
        seen.append(colours(tab))
    assert seen[0][0] != seen[1][0] and seen[0][1] != seen[1][1]


def test_it_prints_dark_on_white(tab, page, tmp_path):
    tab.show(DESK, scheme="dark", media="print")
    tab.open(page)
    paper, ink = colours(tab)
    assert paper == "rgb(255, 255, 255)" and max(map(int, re.findall("[0-9]+", ink))) < 80
    tab.print(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


HEIGHTS = "[...document.querySelectorAll('details')].map(one => one.getBoundingClientRect().height)"


def pages(tab, path):
    """How many pages it prints."""
    tab.print(path)
    return int(re.search(rb"/Type\s*/Pages\s[^>]*?/Count (\d+)", path.read_bytes(), re.DOTALL)[1])


def test_it_prints_what_is_closed(tab, page, tmp_path):
    tab.show(DESK)
    tab.open(page)
    closed, printed = tab.value(HEIGHTS), pages(tab, tmp_path / "closed.pdf")
    tab.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    opened = tab.value(HEIGHTS)
    assert len(closed) >= 4 and all(below < 100 < above for below, above in zip(closed, opened))
    assert printed == pages(tab, tmp_path / "open.pdf")
    tab.value("document.querySelectorAll('details').forEach(one => one.open = false)")
    tab.show(DESK, media="print")
    assert all(height > 100 for height in tab.value(HEIGHTS))


def test_a_page_that_is_wrong_is_noticed(tab, tmp_path):
    wrong = tmp_path / "wrong.html"
    wrong.write_text("<!doctype html><meta name=viewport content='width=device-width'>"
                     "<figure><img src='data:image/png;base64,AAAA'></figure>"
                     "<div style='width: 900px; height: 9px'></div><script>console.error('oh'); nothing()</script>")
    tab.complaints.clear()
    tab.show(PHONE)
    tab.open(wrong)
    assert tab.value(browser.SHOWN) == 0 and tab.value(WIDER) == 1
    assert len(tab.complaints) >= 2
