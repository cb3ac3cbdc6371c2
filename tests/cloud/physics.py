#!/usr/bin/env python3
"""Checks runs of cloud with all of its physics: a restart comes to the same bits as a run without one, on other ranks and in another mode;
rain that comes and goes is balanced; the case begins with the cloud that it is known for; the start of ./go has one, on any layers; files
of other grids are refused.

physics.py CLOUD [--progress | --case] -- LAUNCHER FLAG...

With --progress: only that a long run whose output is no terminal says on stderr how far it is. With --case: four hours of the case on its
coarse grid, which take an hour or more, beside the published runs.

Standard library only. Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib
import importlib.util
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import small_disk  # noqa: E402

sys.path.insert(0, str(TESTS.parent / "apps" / "cloud"))
import published  # noqa: E402

APP = TESTS.parent / "apps" / "cloud"
QUICK, CASE, START = APP / "quick_cloud.nml", APP / "dycoms_rf01.nml", APP / "dycoms_rf01.start"


# Few drops, which become rain at once, below air that warms as it sinks.
GONE = """&case_parameters
  cells = 2, 2, 30
  spacing = 50.0, 50.0
  time_step = 1.0
  steps = 130
  wind = 0.0, 0.0
  water_below = 8.6e-3
  pressure_tolerance = 1.0e-8
/
&physics_parameters
  geostrophic = 0.0, 0.0
  divergence = 5.0e-3
  rain = .true.
  drops = 1.0
  flux_above = 0.0
  flux_below = 0.0
  clear_cooling = 0.0
  latent_heat = 0.0
  sensible_heat = 0.0
  statistics_interval = 1.0
/
"""


class Runs:
    def __init__(self, program, launcher, folder):
        self.program, self.launcher, self.folder = program, launcher, pathlib.Path(folder)

    def command(self, ranks, *arguments):
        return [str(word) for word in (*self.launcher, "-n", ranks, self.program, *arguments, "--quiet")]

    def __call__(self, ranks, *arguments):
        return subprocess.run(self.command(ranks, *arguments), capture_output=True, text=True, check=False, timeout=200)

    def records(self, *arguments):
        """The lines of the statistics of a run on 2 ranks."""
        file = self.folder / "statistics"
        done = self(2, *arguments, "--statistics", file)
        return [json.loads(line) for line in file.read_text().splitlines()] if done.returncode == 0 else []


def prints(done):
    return re.findall(r"^fingerprint (\S+) ([0-9A-F]{16})$", done.stdout, re.M) if done.returncode == 0 else []


def restarts(runs):
    file = runs.folder / "restart"
    whole = runs(2, QUICK, "--steps", 5)
    part = runs(2, QUICK, "--steps", 2, "--save", file)
    rest = runs(3, QUICK, "--restart", file, "--steps", 3, "--mode", "p2p")
    yield "all runs end well", whole.returncode == part.returncode == rest.returncode == 0
    yield "there are 29 fingerprints", len(prints(whole)) == 29
    yield "a step changes them", prints(whole) != prints(part)
    yield "rain forms", dict(prints(whole)).get("q_r", "0" * 16) != "0" * 16
    yield "a run that goes on comes to the same bits", prints(whole) == prints(rest)
    yield "its checks hold", "beyond sources" in rest.stdout and "BROKEN" not in rest.stdout
    other = runs(2, QUICK, "--global", "14,13,41", "--restart", file, "--steps", 1)
    yield "another grid is refused", other.returncode == 2 and "it has 14 x 13 x 40 cells, but the case 14 x 13 x 41" in other.stderr
    yield from not_finite_in(runs, file.read_bytes())
    state = runs.folder / "dry"
    runs(1, case_with(runs, "dry", ""), "--steps", 1, "--save", state)
    moist = runs(1, case_with(runs, "moist", "&physics_parameters\n  rain = .true.\n/"), "--restart", state, "--steps", 1)
    yield "a state of other physics is refused", moist.returncode == 2 and "it has no field q_r" in moist.stderr
    for key, value in (("theta_below", 288.0), ("surface_pressure", 1.0e5)):
        rest = runs.folder / "rest.nml"
        rest.write_text(QUICK.read_text().replace("&case_parameters\n", f"&case_parameters\n  {key} = {value}\n"))
        refused = runs(1, rest, "--restart", file, "--steps", 0)
        yield f"another {key} is refused", refused.returncode == 2 and f"its {key} is " in refused.stderr
    low = runs.folder / "low.nml"
    low.write_text(CASE.read_text().replace("top = 1500.0", "top = 1400.0"))
    top = runs(1, low, "--global", "32,16,256", "--restart", START, "--steps", 0)
    yield "a start of another height is refused", top.returncode == 2 and "its top is" in top.stderr
    thin = runs(1, CASE, "--global", "32,16,60", "--restart", START, "--steps", 0)
    yield "a start that is interpolated is told", "interpolated from 96 layers of the file to the 60 of the case" in thin.stdout
    yield from starts(runs)
    file.write_bytes(file.read_bytes()[:-8])
    yield "a file that lacks its end is refused", runs(2, QUICK, "--restart", file, "--steps", 1).returncode == 2
    file.write_bytes(b"x" * 200)
    garbage = runs(1, QUICK, "--restart", file, "--steps", 1)
    yield "another file is refused", garbage.returncode == 2 and "not a restart file of cloud" in garbage.stderr
    dry = runs(1, APP / "quick.nml", "--statistics", file, "--steps", 0)
    yield "a case without physics has no statistics", dry.returncode == 2 and "physics_parameters" in dry.stderr


def not_finite_in(runs, state):
    """Numbers of a state that are no fields."""
    damaged = runs.folder / "not_finite"
    for place, said in ((36, "its time is not a number"), (44, "its time_step is not a number"),
                        (state.index(b"potential".ljust(16)) + 16, "its potential in cell (1, 1, 1) is NaN")):
        damaged.write_bytes(state[:place] + struct.pack("=d", math.nan) + state[place + 8:])
        refused = runs(2, QUICK, "--restart", damaged, "--steps", 1)
        yield f"a state is refused: {said}", refused.returncode == 2 and f"{said}, but must be a finite number" in refused.stderr


def starts(runs):
    """A start of 32-bit numbers is of a case, and of air."""
    other, damaged, small = runs.folder / "other.nml", runs.folder / "damaged", ("--global", "32,16,20", "--steps", 0)
    other.write_text(CASE.read_text().replace("theta_below = 289.0", "theta_below = 288.0"))
    refused = runs(1, other, *small, "--restart", START)
    yield "a start of another theta_below is refused", refused.returncode == 2 and "its theta_below is " in refused.stderr
    start = START.read_bytes()
    damaged.write_bytes(start[:-32])
    old = runs(1, CASE, *small, "--restart", damaged)
    yield "and one that does not say its own", old.returncode == 2 and "it does not say its theta_below" in old.stderr
    # The last column of a field, which the last rank has.
    for name, value, printed in ((b"theta_l", 200.0, "200.0"), (b"q_t", -1e-3, "-0.1"), (b"w", 300.0, "300.0"), (b"u", math.nan, "NaN")):
        end = start.index(name.ljust(16)) + 16 + 4 * 32 * 16 * 96
        damaged.write_bytes(start[:end - 4 * 96] + struct.pack("=96f", *[value] * 96) + start[end:])
        refused = runs(2, CASE, *small, "--restart", damaged)
        said = f"its {name.decode()} in cell (32, 16, 1) is {printed}"
        yield f"{name.decode()} of {value} is refused", refused.returncode == 2 and said in refused.stderr


def case_with(runs, name, group):
    """A small case of dry air, and a group behind it."""
    path = runs.folder / f"{name}.nml"
    path.write_text(f"&case_parameters\n  cells = 8, 8, 20\n/\n{group}\n")
    return path


# Numbers of both groups: those that nothing else would refuse, and the first and the last.
REALS = [("case_parameters", "spacing refinement_width inversion pressure_tolerance"),
         ("physics_parameters", "frame cloud_top_water prandtl damping_height drops statistics_interval")]


def not_finite(runs):
    path = runs.folder / "not_finite.nml"
    for n, (group, key) in enumerate((group, key) for group, keys in REALS for key in keys.split()):
        value, word = (("NaN", "not a number"), ("Infinity", "infinite"), ("-Infinity", "infinite"))[n % 3]
        others = "" if group == "case_parameters" else "&case_parameters\n/\n"
        path.write_text(f"{others}&{group}\n {key} = {value}\n/\n")
        done = runs(1, path, "--steps", 1)
        said = f'case "{path}": {key} is {word}, but must be a finite number' in done.stderr
        yield f"{key} = {value} is refused by its name", done.returncode == 2 and said


def too_fast(runs):
    for key in ("sensible_heat", "geostrophic"):
        done = runs(2, case_with(runs, "fast", f"&physics_parameters\n  {key} = 1e300\n/"), "--steps", 2)
        yield f"{key} = 1e300 ends with the Courant number", done.returncode == 1 and "the Courant number is " in done.stderr


def output(runs):
    """A disk that gets full ends the run with a message; a run that is stopped leaves the records that it has written."""
    disk, old, states = runs.folder / "small", runs.folder / "old", runs.folder / "states.nc"
    disk.mkdir()
    old.write_bytes(b"old")
    probe = runs(1, QUICK, "--steps", 0, "--output", states)
    if "this build has no NetCDF" in probe.stderr:
        yield "output", None
        return
    for ranks in (1, 2):
        words = runs.command(ranks, QUICK, "--steps", 3, "--output", disk / "c.nc", "--output-every", 1)
        full = small_disk.run(300 * 1024, old, disk, words)
        said = full is not None and f'cloud: --output "{disk / "c.nc"}": ' in full.stderr and "; the disk is full" in full.stderr
        yield f"output of {ranks} ranks to a full disk is told", None if full is None else full.returncode == 2 and said
    with subprocess.Popen(runs.command(1, QUICK, "--steps", 1000000, "--output", states, "--output-every", 1),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        end = time.monotonic() + 60
        while states.stat().st_size < 600000 and time.monotonic() < end:
            time.sleep(0.01)
        run.terminate()
    yield "a run that is stopped leaves its records", records_in(states)


def records_in(states):
    """Whether NetCDF finds several states of a file; None where Python has no NetCDF."""
    if importlib.util.find_spec("netCDF4") is None:
        return None
    netcdf = importlib.import_module("netCDF4")
    with netcdf.Dataset(states) as file:
        times = list(file["time"][:])
        return len(times) >= 3 and times == sorted(set(times)) and all(abs(file["theta_l"][n]).max() > 0 for n in range(len(times) - 1))


def wrong_input(runs):
    large = runs(2, case_with(runs, "large", "\t&PHYSICS_Parameters rain = .true. /"), "--steps", 1)
    yield "a group in large letters is read", "q_r" in dict(prints(large))
    other = runs(2, case_with(runs, "other", "&physics_parameter\n  rain = .true.\n/"), "--steps", 1)
    yield "a group of another name is refused", other.returncode == 2 and '"&physics_parameter"' in other.stderr
    for option in ("--save", "--statistics"):
        full = runs(2, QUICK, option, "/dev/full", "--steps", 1)
        yield f"{option} to a full disk is told", full.returncode == 2 and f'{option} "/dev/full": only 0 of ' in full.stderr
    nowhere = runs(2, QUICK, "--save", "/nonexistent/state", "--steps", 1000000)
    yield "a file that can't be saved is named at the start", nowhere.returncode == 2 and '--save "/nonexistent/state"' in nowhere.stderr


def full_disk(runs):
    """A state is replaced as a whole, or not at all."""
    file, disk = runs.folder / "kept", runs.folder / "disk"
    disk.mkdir()
    first = runs(2, QUICK, "--steps", 1, "--save", file)
    before = file.read_bytes()
    second = runs(2, QUICK, "--steps", 2, "--save", file)
    yield "an old state is replaced", first.returncode == second.returncode == 0 and file.read_bytes() != before
    yield "nothing is left beside it", [path.name for path in runs.folder.glob("kept*")] == ["kept"]
    full = small_disk.run(small_disk.room_of(file), file, disk, runs.command(2, QUICK, "--steps", 1, "--save", disk / "kept"))
    yield "where the disk is full the old one stays", None if full is None else small_disk.kept(full)
    yield "and it is told", None if full is None else f'--save "{disk / "kept"}": ' in full.stderr


def too_large(runs):
    done = runs(2, QUICK, "--global", "40000,40000,1000", "--steps", 1)
    said = "a grid of 40000 x 40000 x 1000 cells is too large for 2 ranks: " in done.stderr and "use fewer cells" in done.stderr
    yield "a grid that is too large is named, with the rank and the remedy", done.returncode == 2 and said and "rank 0" in done.stderr


def tracers(runs):
    done = dict(prints(runs(2, CASE, "--global", "4,4,64", "--steps", 2)))
    names = [f"aerosol_{n:02}" for n in range(1, 23)]
    yield "25 fields of moisture and aerosol", list(done) == ["u", "v", "w", "theta_l", "q_t", *names, "q_r", "n_r"]
    yield "none is nothing", all(digits != "0" * 16 for digits in done.values())


def rain_that_is_gone(runs):
    """Rain that has formed evaporates in air that sinks fast, until next to nothing is left: checks hold, and the statistics are JSON."""
    case, file = runs.folder / "gone.nml", runs.folder / "statistics"
    case.write_text(GONE)
    done = runs(1, case, "--statistics", file)
    yield "what has formed and is gone is balanced", done.returncode == 0 and "BROKEN" not in done.stdout
    rain = [json.loads(line)["rain_water_path"] for line in file.read_text().splitlines()]
    yield "there was rain, and it is gone", max(rain) > 1e-3 and rain[-1] < 1e-5 * max(rain)


def clouds(runs):
    first = runs.records(CASE, "--global", "4,4,256", "--steps", 0)
    yield "the first state has statistics", len(first) == 1
    if first:
        cloudy = [z for z, water in zip(first[0]["z"], first[0]["q_l"]) if water > 1e-5]
        yield "a cloud from 600 m to 840 m", abs(min(cloudy) - 600) < 20 and abs(max(cloudy) - 840) < 6
        yield "its water, of well-mixed air", abs(first[0]["liquid_water_path"] - 0.060) < 0.004
    for layers in (256, 60):
        start = runs.records(CASE, "--global", f"32,16,{layers}", "--restart", START, "--steps", 0)
        yield f"the start on {layers} layers: an hour old, a closed cloud in a turbulent layer", bool(start) and (
            start[0]["time"] >= 3600 and start[0]["cloud_cover"] > 0.95 and 0.030 < start[0]["liquid_water_path"] < 0.060
            and 0.1 < max(start[0]["w_variance"]) < 1.0)
        yield f"the start on {layers} layers is inside the published range", bool(start) and inside_published(runs.folder / "statistics")


def inside_published(statistics):
    """Whether a run has records that can be compared, and all of them are inside."""
    run, ranges = published.read_run([statistics]), published.read_range()
    compared = [published.outside(ranges[name], run[name]) for name, *_ in published.QUANTITIES]
    for (name, *_), (_, found) in zip(published.QUANTITIES, compared):
        for hours, value, least, most in found:
            print(f"{name} at {hours:.2f} h is {value:.4g}, in the published runs {least:.4g} to {most:.4g}")
    return all(count and not found for count, found in compared)


def whole_case(runs):
    file = runs.folder / "means"
    command = runs.command(2, APP / "dycoms_rf01_coarse.nml", "--until", 14400, "--statistics", file)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    yield "four hours of the case end well", done.returncode == 0 and "BROKEN" not in done.stdout
    yield "they have a record every five minutes", len(file.read_text().splitlines()) == 49
    yield "and are inside the published range", inside_published(file)


def progress(runs):
    command = [word for word in runs.command(2, QUICK, "--steps", 1000000) if word != "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        line = run.stderr.readline()
        run.terminate()
        run.stderr.read()
    said = re.fullmatch(r"cloud: step (\d+), (\d*\.\d) s simulated, pressure in \d+ iterations, (\d+) s to go\n", line)
    yield f"a run that is logged says how far it is: {line.strip()}", bool(said) and int(said[1]) > 0 and int(said[3]) > 0


def main():
    split = sys.argv.index("--")
    short = [restarts, wrong_input, not_finite, too_fast, output, full_disk, too_large, tracers, rain_that_is_gone, clouds]
    parts = {"--progress": [progress], "--case": [whole_case]}.get(sys.argv[2], short)
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(sys.argv[1], sys.argv[split + 1:], folder)
        for part in parts:
            for what, right in part(runs):
                passed, failed, skipped = passed + (right is True), failed + (right is False), skipped + (right is None)
                if not right:
                    print("skipped, no small file system or no NetCDF here: " if right is None else "FAILED ", what)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
