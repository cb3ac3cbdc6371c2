"""Links from pages to files of the repository that are no pages lead to a page of the site that shows the file, or lists the folder.

SPDX-License-Identifier: BSD-3-Clause
"""
import html
import os
import pathlib

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "files"
LEXERS = {".F90": "x.f90", ".inc": "x.f90", ".h": "x.c", ".map": "x.txt", "": "x.sh"}


def path_of(docname, target):
    """The file or folder of the repository that a link of a page leads to; None if there is none."""
    target = target.split("#")[0]
    if not target or "://" in target:
        return None
    # Of a page the link has lost its suffix.
    paths = [(ROOT / docname).parent.joinpath(name).resolve() for name in (target, f"{target}.md")]
    return next((path for path in paths if path.exists() and path.is_relative_to(ROOT)), None)


def is_text(path):
    return path.is_dir() or b"\0" not in path.read_bytes()[:4096]


def page_of_folder(app, path):
    """The name of the page that describes a folder; None if it has none."""
    names = [str((path / name).relative_to(ROOT)) for name in ("index", "README")]
    return next((name for name in names if name in app.env.found_docs), None)


def link_sources(app, doctree):
    """Marks each link to a file that is no page; on_resolved writes the address, which depends on the page."""
    links = [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]
    for node in [node for node in links if node.get("reftype") == "myst"]:
        docname = app.env.docname
        target = node["reftarget"] if node.get("refdomain") != "doc" else os.path.relpath(node["reftarget"], pathlib.Path(docname).parent)
        path = path_of(docname, target)
        if path is None or not is_text(path) or str(path.relative_to(ROOT).with_suffix("")) in app.env.found_docs:
            continue
        page = page_of_folder(app, path) if path.is_dir() else None
        if page:
            node.replace_self(addnodes.pending_xref("", *node.children, refdomain="doc", reftype="myst", reftarget=page, reftargetid=None,
                                                    refdoc=docname, refexplicit=True))
            continue
        name = str(path.relative_to(ROOT))
        app.env.halocline_files.setdefault(docname, set()).add(name)
        node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri="", source_file=name))


def on_resolved(app, doctree, docname):
    for node in doctree.findall(nodes.reference):
        if "source_file" in node:
            node["refuri"] = app.builder.get_relative_uri(docname, f"{FOLDER}/{node['source_file']}")


def body_of(path):
    """A file with highlighted syntax, or a folder's list of files."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        names = [str(file.relative_to(path)) for file in files]
        return "<ul>" + "".join(f'<li><a href="{path.name}/{name}.html">{html.escape(name)}</a></li>' for name in names) + "</ul>"
    try:
        lexer = get_lexer_for_filename(LEXERS.get(path.suffix, path.name))
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(path.read_text(errors="replace"), lexer, HtmlFormatter(linenos="inline", lineanchors="line"))


def pages(app):
    """What Sphinx writes beside the documents: a page for each file and folder that one of them links to."""
    names = {name for names in app.env.halocline_files.values() for name in names}
    for folder in [ROOT / name for name in names if (ROOT / name).is_dir()]:
        names |= {str(file.relative_to(ROOT)) for file in folder.rglob("*") if file.is_file()}
    for name in sorted(names):
        title = html.escape(name)
        yield f"{FOLDER}/{name}", {"title": title, "body": f"<h1>{title}</h1>{body_of(ROOT / name)}"}, "page.html"


def begin(app):
    if not hasattr(app.env, "halocline_files"):
        app.env.halocline_files = {}


def forget(app, env, docname):
    env.halocline_files.pop(docname, None)


def setup(app):
    app.connect("builder-inited", begin)
    app.connect("env-purge-doc", forget)
    app.connect("doctree-read", link_sources)
    app.connect("doctree-resolved", on_resolved)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
