"""The parts of a page: tables that a phone can show, pictures inside the file, and the frame around them.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import html
import pathlib
from collections.abc import Sequence
from importlib import resources

KINDS = {".png": "image/png", ".jpg": "image/jpeg"}


def text(words: object) -> str:
    return html.escape(str(words))


def paragraph(words: str, kind: str = "") -> str:
    return f'<p{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{text(words)}</p>'


def listing(sentences: Sequence[str], kind: str = "") -> str:
    if not sentences:
        return ""
    return f'<ul class="{kind}">' + "".join(f"<li>{text(one)}</li>" for one in sentences) + "</ul>"


def table(head: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[int] = (), marked: int | None = None) -> str:
    """A table; on a narrow page each row becomes a block whose cells name their column. numbers: the columns of figures."""
    def cell(index: int, value: object) -> str:
        kind = ' class="number"' if index in numbers else ""
        return f'<td{kind} data-label="{text(head[index])}">{text(value)}</td>'

    columns = "".join(f'<th scope="col"{" class=number" if i in numbers else ""}>{text(name)}</th>' for i, name in enumerate(head))
    lines = "".join(f'<tr{" class=marked" if i == marked else ""}>' + "".join(map(cell, range(len(row)), row)) + "</tr>"
                    for i, row in enumerate(rows))
    kind = " class=pairs" if len(head) == 2 else ""
    return f"<table{kind}><thead><tr>{columns}</tr></thead><tbody>{lines}</tbody></table>"


def picture(svg: str, caption: str, wide: bool = False) -> str:
    """caption: what is drawn, how it spreads, and where its limit is."""
    return f'<figure{" class=wide" if wide else ""}>{svg}<figcaption>{text(caption)}</figcaption></figure>'


def image(path: pathlib.Path, caption: str) -> str:
    """A picture of a file, as part of the page."""
    data = base64.b64encode(path.read_bytes()).decode()
    return picture(f'<img alt="{text(caption)}" src="data:{KINDS[path.suffix]};base64,{data}">', caption, wide=True)


def pictures(drawn: Sequence[str]) -> str:
    return '<div class="pictures">' + "".join(drawn) + "</div>" if drawn else ""


def section(title: str, *parts: str) -> str:
    """Nothing if there is nothing in it."""
    inside = "".join(parts)
    return f"<section><h2>{text(title)}</h2>{inside}</section>" if inside else ""


def details(title: str, *parts: str) -> str:
    return f"<details><summary>{text(title)}</summary>{''.join(parts)}</details>"


def tiles(entries: Sequence[tuple[str, str, str]]) -> str:
    """(name, figure, remark): the few figures that matter."""
    return '<dl class="tiles">' + "".join(f"<div><dt>{text(name)}</dt><dd>{text(figure)}<small>{text(remark)}</small></dd></div>"
                                          for name, figure, remark in entries) + "</dl>"


def page(title: str, header: str, sections: Sequence[str], footer: str) -> str:
    """The whole file, which needs no other and no network."""
    style = resources.files("halocline.command").joinpath("report.css").read_text()
    return ("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
            f'<link rel="icon" href="data:,">\n<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n'
            f"<header>{header}</header>\n<main>\n" + "\n".join(filter(None, sections)) +
            f"\n</main>\n<footer>{footer}</footer>\n</body>\n</html>\n")
