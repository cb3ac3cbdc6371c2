"""The site: Sphinx reads the pages where they stand in the repository. `scripts/docs.py site` builds it.

The source folder is the root of the repository, so that a link between two pages is the same path in the repository and on the site.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "extensions"))


def version_of(header):
    """major.minor.patch, as the C header has it."""
    return ".".join(re.findall(r"#define HLC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text()))


project = "Halocline"
author = "the authors of Halocline"
release = version = version_of(ROOT / "include" / "halocline" / "halocline.h")

extensions = ["myst_parser", "breathe", "sphinx_copybutton", "headers", "source_pages", "fortran_reference", "redirect"]
root_doc = "docs/index"
include_patterns = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/**.md", "examples/README.md",
                    "examples/*/README.md", "apps/*/README.md"]
# Each header of the C++ API declares the namespace.
suppress_warnings = ["duplicate_declaration.cpp"]

# Anchors of headings as forges make them.
myst_heading_anchors = 4

breathe_default_project = "headers"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
breathe_default_members = ("members",)

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
