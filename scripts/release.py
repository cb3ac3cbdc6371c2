#!/usr/bin/env python3
"""Keeps the version in one place, CMakeLists.txt, and all others equal to it; checks the files that describe the project to others.

Usage: release.py check                  every other place names the version, and the day of the release, of CMakeLists.txt
       release.py set VERSION DAY        writes both into CMakeLists.txt and the places that are no prose; changelogs are written by hand
       release.py schemas                CITATION.cff, the workflows and the issue forms fit their schemas; Spack's recipe fits CMake, and
                                         Spack, if it is on the PATH, can read it. A tree of `git archive` has neither workflows nor forms

check-jsonschema is taken from the private .venv; without it `schemas` ends with status 77. Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import ast
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
VERSION = re.compile(r"^project\(halocline VERSION (\d+\.\d+\.\d+)", re.MULTILINE)
SOVERSION = re.compile(r"^set\(HALOCLINE_SOVERSION (\d+)\)", re.MULTILINE)
DAY = re.compile(r"^set\(HALOCLINE_RELEASED (\S+)\)", re.MULTILINE)
REPOSITORY = ROOT / "packaging" / "spack" / "spack_repo" / "halocline" / "repo.yaml"
RECIPE = ROOT / "packaging" / "spack" / "spack_repo" / "halocline" / "packages" / "halocline" / "package.py"

# Per file, what stands before a version or a day there. Of changelogs the first entry counts, which is written by hand.
PLACES = [
    ("include/halocline/halocline.h", r"#define HLC_VERSION_MAJOR ", "major"),
    ("include/halocline/halocline.h", r"#define HLC_VERSION_MINOR ", "minor"),
    ("include/halocline/halocline.h", r"#define HLC_VERSION_PATCH ", "patch"),
    ("tests/errors/arguments_test.cpp", r"EXPECT_STREQ\(hlc_version\(\), \"", "version"),
    ("tools/trace/trace_reader/__init__.py", r"\n__version__ = \"", "version"),
    ("CITATION.cff", r"\nversion: ", "version"),
    ("CITATION.cff", r"\ndate-released: ", "day"),
    ("docs/packages.md", r"--prefix=halocline-", "version"),
    ("docs/packages.md", r" -o halocline-", "version"),
    ("docs/packages.md", r"dev-build halocline@", "version"),
    ("SECURITY.md", r"\n\|---\|---\|\n\| ", "minor version"),
    (str(RECIPE.relative_to(ROOT)), r"dev-build halocline@", "version"),
]
WRITTEN_BY_HAND = [
    ("CHANGELOG.md", r"\n## \[", "version"),
    ("CHANGELOG.md", r"\n## \[[^]]*\] - ", "day"),
    ("packaging/debian/changelog", r"^halocline \(", "version"),
    (str(RECIPE.relative_to(ROOT)), r"\n    version\(\"", "version"),
    ("packaging/debian/control", r"\nPackage: libhalocline", "soversion"),
]
# Where it exists, its version is this one, or it has none of its own.
PYTHON = ("bindings/python/pyproject.toml", r"\nversion = \"", "version")
VALUE = r"(\d+(?:\.\d+)*(?:-\d\d-\d\d)?)"

FORGE = ".github"
SCHEMAS = {
    "citation-file-format": ["CITATION.cff"],
    "github-workflows": [".github/workflows/*.yml"],
    "github-issue-forms": [".github/ISSUE_TEMPLATE/[!c]*.yml"],
    "github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
}


def wanted(text):
    """What CMakeLists.txt says, by the names that PLACES uses."""
    version = VERSION.search(text)[1]
    major, minor, patch = version.split(".")
    parts = {"major": major, "minor": minor, "patch": patch, "minor version": f"{major}.{minor}", "soversion": SOVERSION.search(text)[1]}
    return {"version": version, "day": DAY.search(text)[1], **parts}


def fault_of(place, values):
    """A sentence if the place does not have its value."""
    name, before, kind = place
    found = re.search(before + VALUE, (ROOT / name).read_text())
    if not found:
        return f"{name}: no {kind} behind {before!r}"
    return "" if found[1] == values[kind] else f"{name}: {kind} {found[1]}, not {values[kind]} as in CMakeLists.txt"


def end(faults, passed, skipped=0):
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{passed} passed, {len(faults)} failed, {skipped} skipped")
    return 1 if faults or not passed else 0


def check():
    values = wanted((ROOT / "CMakeLists.txt").read_text())
    places = PLACES + WRITTEN_BY_HAND
    python = ROOT / PYTHON[0]
    if python.exists() and re.search(PYTHON[1], python.read_text()):
        places.append(PYTHON)
    faults = [fault for fault in (fault_of(place, values) for place in places) if fault]
    return end(faults, len(places) - len(faults))


def set_version(version, day):
    cmake = ROOT / "CMakeLists.txt"
    text = VERSION.sub(f"project(halocline VERSION {version}", cmake.read_text())
    cmake.write_text(DAY.sub(f"set(HALOCLINE_RELEASED {day})", text))
    values = wanted(cmake.read_text())
    for name, before, kind in PLACES:
        path = ROOT / name
        path.write_text(re.sub(f"({before}){VALUE}", rf"\g<1>{values[kind]}", path.read_text(), count=1))
    return check()


def options_of_cmake():
    lists = [path.read_text() for path in [ROOT / "CMakeLists.txt", *ROOT.glob("src/*.cmake"), *ROOT.glob("cmake/*.cmake")]]
    return set(re.findall(r"^option\((HALOCLINE_\w+)", "\n".join(lists), re.MULTILINE))


def faults_of_recipe():
    """Spack's recipe: valid Python, and each variant and define of it an option of the build."""
    text = RECIPE.read_text()
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    named = {call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "") for call in calls}
    variants = set(re.findall(r'^    variant\(\s*"(\w+)"', text, re.MULTILINE))
    defined = dict(re.findall(r'define_from_variant\("(HALOCLINE_\w+)", "(\w+)"\)', text))
    fixed = set(re.findall(r'self\.define\("(HALOCLINE_\w+)"', text))
    faults = [f"spack: {name} is not an option of CMake" for name in sorted((set(defined) | fixed) - options_of_cmake())]
    faults += [f"spack: the variant {name} sets no option" for name in sorted(variants - set(defined.values()))]
    faults += [f"spack: {name} is not a variant" for name in sorted(set(defined.values()) - variants)]
    faults += [f"spack: nothing calls {name}" for name in ("version", "depends_on", "variant") if name not in named]
    return faults + faults_of_repository()


def faults_of_repository():
    """From Spack 1.0 on a repository of recipes is the folder spack_repo/NAMESPACE with repo.yaml and packages/NAME/package.py."""
    text = REPOSITORY.read_text()
    wanted = {"namespace": RECIPE.parents[2].name, "api": "v2.0"}
    found = dict(re.findall(r"^  (\w+): (\S+)$", text, re.MULTILINE))
    faults = [] if RECIPE.parents[3].name == "spack_repo" else [f"spack: {RECIPE.parents[2]} is not in a folder spack_repo"]
    return faults + [f"spack: {REPOSITORY.name} does not say '{key}: {value}'" for key, value in wanted.items() if found.get(key) != value]


def faults_of_spack():
    """What Spack itself says of its recipe."""
    command = ["spack", "-c", f"repos:halocline:{REPOSITORY.parent}", "info", "halocline"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [f"spack: {result.stdout}"] if result.returncode else []


def schemas():
    tool = ROOT / ".venv" / "bin" / "check-jsonschema"
    if not tool.exists():
        print("skipped: check-jsonschema is not in .venv; ./go test --all puts it there")
        return SKIPPED
    faults, passed, skipped = faults_of_recipe(), 1, 0
    if shutil.which("spack"):
        faults, passed = faults + faults_of_spack(), 2
    else:
        print("skipped: there is no spack on the PATH, which would read its recipe")
        skipped += 1
    for schema, patterns in SCHEMAS.items():
        if patterns[0].startswith(FORGE) and not (ROOT / FORGE).is_dir():
            print(f"skipped: {schema}: this tree has no {FORGE}, as that of git archive has none")
            skipped += 1
            continue
        files = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        command = [tool, "--builtin-schema", f"vendor.{schema}", *files]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        passed += not result.returncode and bool(files)
        faults += [] if files else [f"{patterns}: there is no such file"]
        faults += [result.stdout] if result.returncode else []
    return end(faults, passed, skipped)


def main():
    commands = {("check", 0): check, ("set", 2): set_version, ("schemas", 0): schemas}
    command = commands.get((sys.argv[1] if len(sys.argv) > 1 else "", len(sys.argv) - 2))
    return command(*sys.argv[2:]) if command else sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
