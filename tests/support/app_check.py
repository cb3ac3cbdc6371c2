"""Runs a mini-app with --check in all its variants, and expects each to be right.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import subprocess
import sys

TIMEOUT_S = 200


def arguments(description, few):
    """PROGRAM [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...: `few` problems with --few."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=1, help="emulated nodes")
    parser.add_argument("--preload", help="library that carries MPI's one-sided calls; only what makes these runs")
    parser.add_argument("--few", action="store_const", const=few, help=f"the first {few} problems")
    parser.add_argument("launcher", nargs="+")
    return parser.parse_args()


def wrong_with(run, right, variants):
    """What is wrong with a run; nothing if all variants have a line `check NAME RIGHT`."""
    found = re.findall(rf"^check (\S+) +{right}$", run.stdout, re.MULTILINE)
    if run.returncode != 0:
        return f"exit status {run.returncode}"
    return "" if found == variants else f"right were: {', '.join(found)}"


def try_all(options, problems, variants, words):
    """Runs the problems, each in these variants. `words`: the option that chooses variants, and what a check line says. Returns what each
    run printed."""
    option, right = words
    outputs = []
    program = [options.program]
    if options.preload:
        program = ["/usr/bin/env", f"LD_PRELOAD={options.preload}", "HALOCLINE_MPI_STRICT=1", options.program]
    environment = os.environ | {"HALOCLINE_FAKE_NODES": str(options.nodes)}
    for problem in problems[:options.few]:
        command = [*options.launcher, "-n", options.ranks, *program, "--repeats", 1, "--check", option, ",".join(variants), *problem]
        run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                             timeout=TIMEOUT_S, env=environment)
        if wrong := wrong_with(run, right, variants):
            sys.exit(f"{wrong}: {' '.join(map(str, command))}\n{run.stdout}")
        print("right:", *problem)
        outputs.append(run.stdout)
    return outputs
