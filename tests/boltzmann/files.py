#!/usr/bin/env python3
"""A run that is continued from a checkpoint, on another number of ranks, has the bits of one that was not interrupted. Files that do not
fit are refused.

files.py BOLTZMANN -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import small_disk  # noqa: E402

PROBLEMS = [
    ["--problem", "taylor_green", "--global", "8", "6", "8", "--force", "1e-4", "0", "0"],
    ["--problem", "spinodal", "--global", "8", "6", "8", "--order-parameter", "lb", "--walls", "0", "0", "1"],
    ["--problem", "spinodal", "--global", "8", "6", "8", "--order-parameter", "fd"],
]


def command_of(program, launcher, ranks, *words):
    return [*launcher, "-n", str(ranks), program, "--variant", "view", *words]


def run(*words):
    return subprocess.run(command_of(*words), check=False, capture_output=True, text=True, timeout=100)


def fingerprint(done):
    """That of the last line about a state, with its step."""
    found = re.findall(r"^step (\d+): .* fingerprint (\w+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return found[-1]


def expect_refusal(done, named):
    if done.returncode != 2 or named not in done.stderr:
        sys.exit(f"exit status {done.returncode}, expected were 2 and {named}\n{done.stdout}{done.stderr}")
    print(done.stderr.splitlines()[0])


def check_physics(program, launcher, file):
    """Other numbers than those that the file was made with."""
    binary = PROBLEMS[2]
    for words, named in ((["--viscosity", "0.1"], "its viscosity is 0.16"), (["--force", "1e-5", "0", "0"], "its force is 0, 0, 0"),
                         (["--walls", "0", "0", "1"], "its walls is 0, 0, 0"), (["--bulk", "0.05"], "its bulk_free_energy is 0.0625"),
                         (["--kappa", "0.05"], "its kappa is 0.04"), (["--mobility", "0.1"], "its mobility is 0.15")):
        expect_refusal(run(program, launcher, 2, *binary, *words, "--restart", file), named)


def check_full_disk(program, launcher, folder, file):
    disk = folder / "disk"
    disk.mkdir()
    command = command_of(program, launcher, 2, *PROBLEMS[2], "--steps", "1", "--checkpoint", str(disk / file.name))
    done = small_disk.run(small_disk.room_of(file), file, disk, command)
    if done is None:
        print("skipped: this machine allows no small file system")
    elif not small_disk.kept(done) or str(disk / file.name) not in done.stderr or "the disk is full" not in done.stderr:
        sys.exit(f"a full disk: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    else:
        print(f"a full disk: {done.stderr.splitlines()[0]}")


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    with tempfile.TemporaryDirectory() as folder:
        file, states = str(pathlib.Path(folder) / "checkpoint.nc"), str(pathlib.Path(folder) / "states.nc")
        for problem in PROBLEMS:
            first = run(program, launcher, 2, *problem, "--steps", "7", "--checkpoint", file, "--output", states, "--output-every", "3")
            if "NetCDF library" in first.stderr:
                print(first.stderr)
                sys.exit(77)
            fingerprint(first)
            right = fingerprint(run(program, launcher, 1, *problem, "--steps", "16"))
            for ranks in (1, 3):
                found = fingerprint(run(program, launcher, ranks, *problem, "--steps", "9", "--restart", file))
                if found != right:
                    sys.exit(f"{' '.join(problem)}, continued on {ranks} ranks: {found}, uninterrupted {right}")
            print("the same bits after a restart:", *problem)
        expect_refusal(run(program, launcher, 2, *PROBLEMS[0], "--restart", file), "components")
        expect_refusal(run(program, launcher, 2, *PROBLEMS[2], "--restart", states), "not a checkpoint")
        expect_refusal(run(program, launcher, 2, *PROBLEMS[2], "--restart", "/nowhere/file.nc"), "/nowhere/file.nc")
        wider = ["9" if word == "6" else word for word in PROBLEMS[2]]
        expect_refusal(run(program, launcher, 2, *wider, "--restart", file), "sites along y")
        check_physics(program, launcher, file)
        check_full_disk(program, launcher, pathlib.Path(folder), pathlib.Path(file))


if __name__ == "__main__":
    main()
