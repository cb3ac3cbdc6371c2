"""Runs doxygen over the headers before Sphinx reads the pages, into the build's own folder. Breathe reads what doxygen writes.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_xml(out):
    """Writes the XML of doxygen into a folder, and returns that folder. FileNotFoundError if there is no doxygen."""
    doxygen = shutil.which("doxygen")
    if not doxygen:
        raise FileNotFoundError("there is no doxygen (Debian package doxygen)")
    out.mkdir(parents=True, exist_ok=True)
    options = (ROOT / "docs" / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {out}\n"
    subprocess.run([doxygen, "-"], cwd=ROOT, input=options, text=True, check=True)
    return out / "xml"


def before_reading(app, config):
    config.breathe_projects = {"headers": str(write_xml(pathlib.Path(app.outdir).parent / "doxygen"))}


def setup(app):
    # Before Breathe reads its options.
    app.connect("config-inited", before_reading, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
