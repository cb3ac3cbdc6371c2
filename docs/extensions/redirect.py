"""The site's front page is docs/index.html; a browser that opens the folder is led there.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Halocline</title>
<meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">Halocline</a></html>
"""


def write_front(app, error):
    if not error and app.builder.format == "html":
        (pathlib.Path(app.outdir) / "index.html").write_text(PAGE)


def setup(app):
    app.connect("build-finished", write_front)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
