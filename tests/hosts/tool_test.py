#!/usr/bin/env python3
"""Tries tests/hosts/hosts itself: what a host has of its own, what it reaches, and that nothing is left however an opening ends.

Usage: tool_test.py

The last line is `N passed, N failed, N skipped`; ends with status 77 where there can be no hosts.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HOSTS = str(pathlib.Path(__file__).resolve().with_name("hosts"))
SKIPPED = 77
# A listener on h0 and a caller on a host: prints what the caller got.
TALK = """import socket, sys
if sys.argv[1] == "listen":
    listener = socket.create_server(("h0", 7000))
    print("ready", flush=True)
    caller, address = listener.accept()
    caller.sendall(address[0].encode())
else:
    caller = socket.create_connection(("h0", 7000), timeout=float(sys.argv[2]))
    print(caller.recv(100).decode())
"""


def on_hosts(script, *options):
    """What a shell script prints beside two hosts; $PYTHON and $TALK are at hand."""
    environment = dict(os.environ, PYTHON=sys.executable, TALK=TALK)
    command = [HOSTS, *options, "bash", "-c", script]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=100)
    return done.stdout.strip() if done.returncode == 0 else f"status {done.returncode}: {done.stdout}{done.stderr}"


def expect(wanted, found):
    if found != wanted:
        raise AssertionError(f"expected {wanted!r}, found {found!r}")


def a_host_has_a_name_processes_and_shared_memory_of_its_own():
    expect("h1", on_hosts("hosts on h1 hostname"))
    expect("", on_hosts("hosts on h0 touch /dev/shm/mine /run/tmp/mine; hosts on h1 ls /dev/shm /run/tmp | grep mine; true"))
    expect("1", on_hosts("hosts on h0 sleep 50 & hosts on h1 ls /proc | grep -c '^1$'"))
    expect("text", on_hosts("hosts on h0 sh -c 'echo text >/run/shared/ours'; hosts on h1 cat /run/shared/ours"))


def hosts_reach_each_other_but_for_a_cut_cable():
    talk = """exec {ready}< <(hosts on h0 "$PYTHON" -c "$TALK" listen); read -r -u $ready _; """
    expect("10.77.0.11", on_hosts(talk + 'hosts on h1 "$PYTHON" -c "$TALK" call 30'))
    expect("10.77.0.11", on_hosts(talk + 'hosts on h1 "$PYTHON" -c "$TALK" call 90', "--netem", "delay 2ms 1ms loss 5% reorder 20%"))
    expect("cut", on_hosts(talk + 'hosts cut h1; hosts on h1 "$PYTHON" -c "$TALK" call 1 2>/dev/null || echo cut'))
    expect("10.77.0.11", on_hosts(talk + 'hosts cut h1; hosts mend h1; hosts on h1 "$PYTHON" -c "$TALK" call 30'))


def a_slow_wire_is_slow():
    """A round trip takes at least what was asked for; how much more is the machine's affair."""
    ask = """exec {ready}< <(hosts on h0 "$PYTHON" -c "$TALK" listen); read -r -u $ready _; before=$(date +%s%N)
    hosts on h1 "$PYTHON" -c "$TALK" call 60 >/dev/null; echo $((($(date +%s%N) - before) / 1000000))"""
    for name in ("all", "h0", "h1"):
        milliseconds = int(on_hosts(f"hosts netem {name} delay 300ms; {ask}"))
        if milliseconds < 300:
            raise AssertionError(f"netem {name} delay 300ms: a connection and its answer took {milliseconds} ms")


def the_commands_status_is_the_openings():
    expect("status 3: ", on_hosts("exit 3"))
    expect("status 2: hosts: there is no host 'h2'; there are h0 to h1\n", on_hosts("hosts on h2 true"))


def openings_do_not_see_each_other():
    first = subprocess.Popen([HOSTS, "bash", "-c", "hosts on h1 touch /dev/shm/first; echo; read -r _; hosts on h1 ls /dev/shm"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    first.stdout.readline()
    expect("0", on_hosts("hosts on h1 ls /dev/shm | grep -c first; true"))
    expect("first\n", first.communicate("\n")[0])


def alive(marks):
    """Processes of this machine that have one of these marks among their arguments."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        found += [(path.parent.name, arguments) for mark in marks if mark in arguments]
    return found


def nothing_is_left_after(number):
    mark = f"{86000 + os.getpid() % 1000 + int(number)}.{os.getpid()}"
    script = f"hosts on h1 sleep {mark} & echo up; sleep {mark}"
    opening = subprocess.Popen([HOSTS, "bash", "-c", script], stdout=subprocess.PIPE, text=True)
    opening.stdout.readline()
    os.kill(opening.pid, number)
    opening.wait(timeout=60)
    end = time.monotonic() + 60
    while alive([mark]):
        if time.monotonic() > end:
            raise AssertionError(f"signal {number}: 60 s later there are {alive([mark])}")
        time.sleep(0.05)


def nothing_is_left_however_it_ends():
    before = {path.name for folder in ("/run", "/tmp", "/dev/shm") for path in pathlib.Path(folder).glob("*hosts*")}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        nothing_is_left_after(number)
    after = {path.name for folder in ("/run", "/tmp", "/dev/shm") for path in pathlib.Path(folder).glob("*hosts*")}
    expect(set(), after - before)


def the_usage_is_told():
    text = subprocess.run([HOSTS, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if not re.search("netem.*cut HOST", text, re.S):
        raise AssertionError(text)


TESTS = [the_usage_is_told, a_host_has_a_name_processes_and_shared_memory_of_its_own, the_commands_status_is_the_openings,
         hosts_reach_each_other_but_for_a_cut_cable, a_slow_wire_is_slow, openings_do_not_see_each_other, nothing_is_left_however_it_ends]


def main():
    tried = subprocess.run([HOSTS, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if tried.returncode == SKIPPED:
        print(tried.stdout.strip())
        return SKIPPED
    failed = 0
    for test in TESTS:
        try:
            test()
            print(f"ok   {test.__name__}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired, ValueError) as wrong:
            failed += 1
            print(f"FAIL {test.__name__}: {wrong}", flush=True)
    print(f"{len(TESTS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
