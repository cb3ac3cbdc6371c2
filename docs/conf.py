"""The site: Sphinx reads the pages where they stand in the repository. `scripts/docs.py site` builds it.

The source folder is the root of the repository, so that a link between two pages is the same path in the repository and on the site.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))


def version_of(header):
    """major.minor.patch, as the C header has it."""
    return ".".join(re.findall(r"#define HLC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text()))


project = "Halocline"
author = "the authors of Halocline"
release = version = version_of(ROOT / "include" / "halocline" / "halocline.h")

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx_copybutton", "headers", "source_pages",
              "fortran_reference", "redirect"]
root_doc = "docs/index"
include_patterns = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/**.md", "examples/README.md",
                    "examples/*/README.md", "apps/*/README.md", "apps/*/details.md"]
# Each header of the C++ API declares the namespace.
suppress_warnings = ["duplicate_declaration.cpp"]

# Developers' pages: users' pages link to them, and no table of contents lists them. The notes are in that of their index.
DEVELOPERS = ("ARCHITECTURE", "CONTRIBUTING", "docs/design/index", "docs/design/papers")

# Anchors of headings as forges make them.
myst_heading_anchors = 4

breathe_default_project = "headers"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
breathe_default_members = ("members",)

# The Python package as its sources are, without the compiled extension.
autodoc_mock_imports = ["halocline._core"]
autodoc_default_options = {"members": True, "member-order": "bysource", "inherited-members": "tuple, BaseException, OSError"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100

highlight_language = "none"
html_theme = "furo"
html_title = f"Halocline {release}"
html_static_path = ["static"]
html_css_files = ["halocline.css"]
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
copybutton_exclude = ".linenos, .gp, .go"
pygments_style = "friendly"
pygments_dark_style = "github-dark"


# Types of NumPy by the names that the sources have, not as the unions and generics that these stand for.
NUMPY_TYPES = (
    (re.compile(r"~?type\[~?\w*\.?Any\] \| .*?_DTypeDict \| ~?str"), "DTypeLike"),
    (re.compile(r"~?(?:\w+\.)*ndarray\[tuple\[.*?, \.\.\.\], ~?(?:\w+\.)*dtype\[(.*?)\]\]"), r"NDArray[\1]"),
)


def name_numpy_types(_app, _what, _name, _object, _options, arguments, returned):
    for pattern, name in NUMPY_TYPES:
        arguments, returned = (pattern.sub(name, words) if words else words for words in (arguments, returned))
    return arguments, returned


def permit_without_contents(app, _doctree):
    """Else Sphinx warns of a page that no table of contents lists."""
    if app.env.docname in DEVELOPERS:
        app.env.metadata[app.env.docname]["orphan"] = True


def setup(app):
    app.connect("autodoc-process-signature", name_numpy_types)
    app.connect("doctree-read", permit_without_contents)
