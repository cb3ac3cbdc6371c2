#!/usr/bin/env python3
"""Runs a short form of every mini-app that has a bench.py: one page of pictures, a table in text, and one JSON file.

bench.py --build build/release                # every app on one node; what measures communication between nodes also on 2 hosts
bench.py --build build/release --apps sparse  # one of them

An app is a folder here with a bench.py that has the options of common/runs.py. It is called with --short. An app that cannot run is left
out with its reason. The hosts are namespaces of this machine (docs/hosts.md). Results go to RESULTS/apps.json, .txt and .png.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "common"), str(HERE.parent / "tests" / "bench" / "library")]
import drop_in_tables  # noqa: E402
import runs  # noqa: E402
import summary  # noqa: E402

HOSTS = 2
MOST_SECONDS = 600
BUSY = 0.1  # of the cores in use by other programs: the machine is not quiet


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--apps", help="some of " + ",".join(summary.names()))
    parser.add_argument("--no-hosts", action="store_true", help="on one node only")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    return parser.parse_args()


def share_of_others(seconds=2):
    """The part of this machine's cores that is in use while this program sleeps."""
    def times():
        user, nice, system, idle, wait, *rest = map(int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:])
        return user + nice + system + sum(rest[:3]), idle + wait

    busy, idle = times()
    time.sleep(seconds)
    busy, idle = (now - before for now, before in zip(times(), (busy, idle)))
    return busy / max(busy + idle, 1)


def run(options, name, hosts):
    """Runs an app's bench. Returns its sweep, or the reason why there is none."""
    place = options.results / "apps" / (name if hosts == 1 else f"{name}_hosts")
    command = [sys.executable, summary.APPS / name / "bench.py", "--build", options.build, "--ranks", options.ranks, "--short",
               "--hosts", hosts, "--json", place.with_suffix(".json"), "--picture", place.with_suffix(".png")]
    place.with_suffix(".json").unlink(missing_ok=True)
    done = runs.run_to_the_end(list(map(str, command)), None, MOST_SECONDS)
    if done is None:
        return None, f"no end within {MOST_SECONDS} s"
    if done.returncode != 0 or not place.with_suffix(".json").exists():
        return None, ((done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    sweep = json.loads(place.with_suffix(".json").read_text())["sweep"]
    return [report | {"hosts": hosts} for report in sweep], None


def chosen(options):
    """The apps, each with the hosts that it runs on."""
    wanted = options.apps.split(",") if options.apps else summary.names()
    unknown = sorted(set(wanted) - set(summary.names()))
    if unknown:
        sys.exit(f"no app is called {', '.join(unknown)}; available: {', '.join(summary.names())}")
    cases = [(name, 1) for name in wanted]
    if not options.no_hosts:
        cases += [(name, HOSTS) for name in wanted if getattr(summary.bench_of(name), "RUNS_ON_HOSTS", False)]
    return cases


def in_text(found):
    """The tables of all apps."""
    lines = [summary.machine_of(found["environment"]) + ("" if found["quiet"] else "; OTHER PROGRAMS RAN ON THIS MACHINE"), ""]
    for case in found["cases"]:
        for report in summary.shown(case["app"], case["sweep"]):
            head, rows = summary.table_of(case["app"], report)
            lines += [f"{case['app']}, {summary.title_of(report)}", drop_in_tables.as_text(head, rows), ""]
    lines += [f"{name} was left out: {reason}" for name, reason in found["left_out"].items()]
    return "\n".join(lines)


def draw(options, found):
    """The page; returns the reason why there is none."""
    pictures = [options.results / "apps" / f"{case['app']}{'_hosts' if case['hosts'] > 1 else ''}.png" for case in found["cases"]]
    page = options.results / "apps.png"
    page.unlink(missing_ok=True)
    command = [runs.python(), HERE / "common" / "plots.py", page, *(picture for picture in pictures if picture.exists())]
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    return page if done.returncode == 0 else "no page: " + (done.stderr.strip().splitlines() or ["failed"])[-1]


def main():
    options = arguments()
    (options.results / "apps").mkdir(parents=True, exist_ok=True)
    found = {"format": 1, "quiet": True, "others": 0, "environment": None, "cases": [], "left_out": {}}
    for name, hosts in chosen(options):
        # Other programs may begin at any time: the most before any app counts.
        found["others"] = max(found["others"], share_of_others())
        found["quiet"] = found["others"] < BUSY
        began = time.monotonic()
        where = f"{name} on {hosts} hosts" if hosts > 1 else name
        print(f"{where} ... ", end="", flush=True)
        sweep, reason = run(options, name, hosts)
        if reason:
            found["left_out"][where] = reason
        else:
            found["cases"].append({"app": name, "hosts": hosts, "sweep": sweep})
            found["environment"] = found["environment"] or sweep[0]["environment"]
        print(reason or f"{time.monotonic() - began:.0f} s", flush=True)
    if not found["cases"]:
        sys.exit("no app could run")
    text = in_text(found)
    (options.results / "apps.json").write_text(json.dumps(found))
    (options.results / "apps.txt").write_text(text + "\n")
    print(f"\n{text}\nwritten: {options.results / 'apps.json'}, {options.results / 'apps.txt'}, {draw(options, found)}")


if __name__ == "__main__":
    main()
