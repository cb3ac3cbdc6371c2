#!/usr/bin/env python3
"""Checks that halocline-bench leaves out the modes that halocline-doctor has found wrong, and says why; and that the doctor says which of
its files it could not write.

Usage: bench_test.py BENCH DOCTOR -- LAUNCHER [FLAG...]

The reports are a real one of one probe, with verdicts put in.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SMALL = ["--fields", "1", "--local", "4,4,4", "--repetitions", "2", "--sample-ms", "0.1", "--modes", "pscw,fence"]


class Bench:
    def __init__(self, bench, doctor, launcher, folder):
        self.command = [*launcher, "-n", "2", bench, "halo", *SMALL]
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
        self.json = folder / "halo.json"
        self.file = folder / "report.json"
        self.run([*launcher, "-n", "2", doctor, "--only", "properties/threads", "--json", str(self.file)])
        self.report = json.loads(self.file.read_text())

    def run(self, command, **variables):
        done = subprocess.run(command, env=self.environment | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=200, check=False)
        return done.returncode, done.stdout

    def race(self, *options):
        """Returns exit status, output, the modes raced and those left out."""
        self.json.unlink(missing_ok=True)
        status, output = self.run([*self.command, "--json", str(self.json), *options])
        found = json.loads(self.json.read_text()) if self.json.exists() else {"modes": {}, "skipped": {}}
        return status, output, set(found["modes"]), found["skipped"]

    def write(self, path, mode, verdict, **changes):
        """A report in which one mode has a verdict and all others are right."""
        modes = {name: {"verdict": "right"} for name in self.report["modes"]}
        modes[mode] = {"verdict": verdict, "reason": "epochs/some_probe: some finding"}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**self.report, "modes": modes, **changes}))


def kept_path(bench, doctor, launcher):
    """Where the doctor keeps its report: told by a run of probes that are all there are."""
    status, output = bench.run([*launcher, "-n", "2", doctor, "--no-drop-in"])
    lines = [line for line in output.splitlines() if line.startswith("kept for halocline-bench: ")]
    assert lines, f"status {status}: {output}"
    return pathlib.Path(lines[0].split(": ", 1)[1])


def checks(bench, doctor, launcher):
    """Pairs of a sentence and whether it is so."""
    bench.write(bench.file, "pscw", "hangs")
    status, output, raced, skipped = bench.race("--doctor", str(bench.file))
    yield "a mode that hangs is left out", status == 0 and "pscw" not in raced and {"p2p", "fence"} <= raced, output
    told = output.count("epochs/some_probe: some finding")
    yield "it is said once, with the reason", told == 1 and "hangs" in skipped.get("pscw", ""), output

    status, output, raced, _ = bench.race("--doctor", "none")
    yield "without a report every mode is raced", status == 0 and {"pscw", "fence", "p2p"} <= raced, output

    bench.write(bench.file, "p2p", "wrong")
    status, output, raced, _ = bench.race("--doctor", str(bench.file))
    yield "without p2p there is nothing to measure against", status != 0 and not raced and "p2p" in output, output

    bench.write(bench.file, "pscw", "wrong", mpi="another MPI")
    status, output, raced, _ = bench.race("--doctor", str(bench.file))
    yield "a report of another MPI is refused", status != 0 and not raced and "is not a report" in output, output

    status, output, raced, _ = bench.race()
    told = output.count("no report on this MPI and host")
    so = status == 0 and told == 1 and "-n 2 halocline-doctor" in output
    yield "that there is no report is said once, with what makes one", so, output

    path = kept_path(bench, doctor, launcher)
    bench.write(path, "fence", "wrong")
    status, output, raced, skipped = bench.race()
    left_out = "fence" not in raced and "fence" in skipped and "pscw" in raced
    yield "the report that the doctor keeps is found", status == 0 and left_out, output


def unwritten_checks(bench, doctor, launcher):
    """What was found is printed, whatever becomes of the files."""
    command = [*launcher, "-n", "2", doctor]
    status, output = bench.run([*command, "--only", "properties/threads", "--json", "/dev/full"])
    so = status == 2 and "right" in output and "can't write /dev/full" in output
    yield "results that can't be written are said, and printed", so, f"status {status}: {output}"
    good, _ = bench.run([*command, "--no-drop-in"])
    plain = bench.file.with_name("plain")
    plain.write_text("no folder")
    status, output = bench.run([*command, "--no-drop-in"], XDG_CACHE_HOME=str(plain))
    so = status == good and output.count("the report is not kept") == 1 and "XDG_CACHE_HOME" in output and "right" in output
    yield "a report that can't be kept leaves the status as it is", so, f"status {status}: {output}"
    link, file = bench.file.with_name("link.json"), bench.file.with_name("linked.json")
    link.symlink_to(file)
    status, output = bench.run([*command, "--only", "properties/threads", "--json", str(link)])
    so = status == 0 and link.is_symlink() and file.exists()
    yield "through a link, as to a device, is written: it is not replaced", so, f"status {status}: {output}"


def main():
    divider = sys.argv.index("--")
    program, doctor = sys.argv[1:divider]
    launcher = sys.argv[divider + 1:]
    counts = {"passed": 0, "failed": 0}
    with tempfile.TemporaryDirectory(prefix="halocline-bench-test-") as path:
        bench = Bench(program, doctor, launcher, pathlib.Path(path))
        for sentence, so, output in [*checks(bench, doctor, launcher), *unwritten_checks(bench, doctor, launcher)]:
            counts["passed" if so else "failed"] += 1
            print(f"{'passed' if so else 'failed'}: {sentence}{'' if so else chr(10) + output}", flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
