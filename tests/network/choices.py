#!/usr/bin/env python3
"""Which network carries the messages: each choice that can be made, each reason why there is none, and what the ranks are told.

Usage: choices.py PROGRAM OLD_LIBRARY FAULTY_LIBRARY OTHER_UCX [--some] [--no-ucx] -- LAUNCHER [FLAG...]

PROGRAM (swaps.cpp) is launched once per case, with 3 ranks on a pretended node each. It must swap rightly over the network, or over MPI
with a reason that is the same on all ranks and names what was asked for, by whom, and what there is; or fail with such a message. The
libraries stand for a libfabric that is too old, for one of which a call fails, and for a UCX that cannot be used. --some takes one case of
each kind; --no-ucx: the library was built without UCX's headers. The last line is `N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys

RANKS = 3
TCP_ON_LO = r"tcp on lo \(127\.0\.0\.1\), libfabric \d+\.\d+ \(/.*\), " \
    r"progress by the calling thread, or a background thread while no call is active"
FALLS_SHORT = r"rank {rank}: tcp on lo \(127\.0\.0\.1\), .*: {call}: Cannot allocate memory"
TCP_OF_UCX = r"tcp on \w+.*, UCX 1\.\d+\.\d+ \(/.*\), progress by the calling thread, or a background thread while no call is active"
UCX = "on=-1:HALOCLINE_NETWORK=ucx"
# What happens, the words for the program, and what every rank must say. {old}: the library that is too old; {faulty}: one that has a fault.
# before=NAME=VALUE is a variable that the program starts with.
# {ucx}: a UCX that cannot be used.
NETWORK, MPI, ERROR = "network", "mpi", "error"
CASES = [
    ("nothing is asked for", [], NETWORK, TCP_ON_LO),
    ("a provider by name", ["on=-1:HALOCLINE_PROVIDER=tcp"], NETWORK, TCP_ON_LO),
    ("a provider taken only by name", ["on=-1:HALOCLINE_PROVIDER=tcp;ofi_rxm"], NETWORK, r"tcp;ofi_rxm on lo \(127\.0\.0\.1\), .*"),
    ("a refused provider by the first part of its name", ["on=-1:HALOCLINE_PROVIDER=udp"], MPI,
     r"rank 0: HALOCLINE_PROVIDER is 'udp;ofi_rxd', which has the layer ofi_rxd, over which programs hang; available: .*tcp.*"),
    ("a provider that is superseded", ["on=-1:HALOCLINE_PROVIDER=sockets"], NETWORK, r"sockets on lo \(127\.0\.0\.1\), .*"),
    ("no network wanted", ["on=-1:HALOCLINE_PROVIDER=none"], MPI, r"HALOCLINE_PROVIDER is 'none'"),
    ("a provider that does not exist", ["on=-1:HALOCLINE_PROVIDER=pigeon"], MPI,
     r"rank 0: HALOCLINE_PROVIDER is 'pigeon', which libfabric .* does not offer here; available: .*tcp.*"),
    ("an interface by name", ["on=-1:HALOCLINE_INTERFACE=lo"], NETWORK, TCP_ON_LO),
    ("an interface by its address", ["on=-1:HALOCLINE_INTERFACE=127.0.0.1"], NETWORK, TCP_ON_LO),
    ("an interface that does not exist", ["on=-1:HALOCLINE_INTERFACE=wet0"], MPI,
     r"rank 0: HALOCLINE_INTERFACE is 'wet0', not usable by a provider; available: .*lo \(127\.0\.0\.1\).*"),
    ("one rank names an interface that does not exist", ["on=1:HALOCLINE_INTERFACE=wet0"], MPI,
     r"rank 1: HALOCLINE_INTERFACE is 'wet0', not usable by tcp; available: .*lo \(127\.0\.0\.1\).*"),
    ("one rank names another provider", ["on=1:HALOCLINE_PROVIDER=tcp"], ERROR,
     r"HLC_ERR_MISMATCH: ranks disagree on HALOCLINE_PROVIDER: rank 0 has '', rank 1 has 'tcp'"),
    ("one rank wants no network", ["on=2:HALOCLINE_PROVIDER=none"], ERROR,
     r"HLC_ERR_MISMATCH: ranks disagree on HALOCLINE_PROVIDER: rank 0 has '', rank 2 has 'none'"),
    ("no libfabric", ["libfabric=-1:"], MPI, r"rank 0: libfabric not found \(libfabric\.so\.1; Debian package libfabric1\)"),
    ("no libfabric on one rank", ["libfabric=1:"], MPI, r"rank 1: libfabric not found .*"),
    ("a libfabric that is too old", ["libfabric=-1:{old}"], MPI,
     r"rank 0: libfabric 1\.5 \(.*\) is older than the required version 1\.14"),
    ("a libfabric that is too old on one rank", ["libfabric=2:{old}"], MPI, r"rank 2: libfabric 1\.5 \(.*\) is older than .*"),
    ("a libfabric by its file", ["on=-1:HALOCLINE_LIBFABRIC={faulty}"], NETWORK,
     r"tcp on lo \(127\.0\.0\.1\), libfabric \d+\.\d+ \(.*faulty_libfabric.*\), .*"),
    ("a libfabric by its file that is too old", ["on=-1:HALOCLINE_LIBFABRIC={old}"], MPI,
     r"rank 0: libfabric 1\.5 \(.*\) is older than .*"),
    ("a file that does not exist", ["on=1:HALOCLINE_LIBFABRIC=/nowhere/libfabric.so"], MPI,
     r"rank 1: HALOCLINE_LIBFABRIC is '/nowhere/libfabric\.so', which cannot be loaded: .*No such file or directory"),
    ("a file without its folder", ["on=-1:HALOCLINE_LIBFABRIC=libfabric.so.1"], MPI,
     r"rank 0: HALOCLINE_LIBFABRIC is 'libfabric\.so\.1' but must be the absolute path of a file"),
    ("a file that is something else", ["on=-1:HALOCLINE_LIBFABRIC={other}"], MPI,
     r"rank 0: HALOCLINE_LIBFABRIC is '.*', which is not libfabric: it has no fi_getinfo"),
    ("libfabric finds nothing", ["libfabric=-1:{faulty}", "on=1:HALOCLINE_TEST_FAULT=fi_getinfo"], MPI,
     r"rank 1: libfabric .* has no provider that can write to other nodes: Cannot allocate memory"),
    ("only a provider that must be named", ["before=FI_PROVIDER=sockets"], MPI,
     r"rank 0: libfabric .* has only providers that must be selected by name \(HALOCLINE_PROVIDER\): .*sockets.*"),
    ("memory that cannot be registered", ["libfabric=-1:{faulty}", "on=2:HALOCLINE_TEST_FAULT=fi_mr_reg"], ERROR,
     r"HLC_ERR_MEMORY: rank 2: tcp on lo .* cannot register \d+ bytes: Cannot allocate memory"),
    ("an address that is not understood", ["libfabric=-1:{faulty}", "on=0:HALOCLINE_TEST_FAULT=fi_av_insert"], ERROR,
     r"HLC_ERR_UNSUPPORTED: rank 0: tcp on lo .* rejected a peer's address"),
    ("a pretended network that is none", ["on=1:HALOCLINE_FAKE_NETWORK=slow"], ERROR,
     r"HLC_ERR_ARGUMENT: rank 1: HALOCLINE_FAKE_NETWORK is 'slow' but must be crowded, unordered, poor, cxi, efa or opx"),
    ("no more files", ["files=1:0"], MPI, r"rank 1: .*Too many open files"),
]
UCX_CASES = [
    ("UCX", [UCX], NETWORK, TCP_OF_UCX),
    ("UCX, a transport by name", [UCX, "on=-1:HALOCLINE_PROVIDER=tcp"], NETWORK, TCP_OF_UCX),
    ("UCX, a transport that does not exist", [UCX, "on=-1:HALOCLINE_PROVIDER=pigeon"], MPI,
     r"rank 0: UCX 1\..* has no network for HALOCLINE_PROVIDER=pigeon: No such device; available: .*tcp on .*"),
    ("UCX, transports that exclude all networks", [UCX, "on=-1:HALOCLINE_PROVIDER=self"], MPI,
     r"rank 0: UCX 1\..* has no network for HALOCLINE_PROVIDER=self: only transports within a node; available: .*tcp on .*"),
    ("UCX, all networks are excluded", [UCX, "on=-1:HALOCLINE_PROVIDER=^tcp,ib"], MPI,
     r"rank 0: UCX 1\..* has no network for HALOCLINE_PROVIDER=\^tcp,ib: only transports within a node; available: .*tcp on .*"),
    ("UCX, a device that does not exist", [UCX, "on=-1:HALOCLINE_INTERFACE=wet0"], MPI,
     r"rank 0: UCX 1\..* has no network on HALOCLINE_INTERFACE=wet0: No such device; available: .*tcp on .*"),
    ("UCX, one rank names a device that does not exist", [UCX, "on=1:HALOCLINE_INTERFACE=wet0"], MPI,
     r"rank 1: UCX 1\..* has no network on HALOCLINE_INTERFACE=wet0: No such device; available: .*tcp on .*"),
    # The variables of UCX are for the MPI, which has read them before. For these connections they mean nothing.
    ("UCX_TLS excludes all networks", [UCX, "on=-1:UCX_TLS=self"], NETWORK, TCP_OF_UCX),
    ("UCX_NET_DEVICES names no device", [UCX, "on=-1:UCX_NET_DEVICES=wet0"], NETWORK, TCP_OF_UCX),
    # By itself, where libfabric has no device and UCX has one, which a test pretends.
    ("UCX has a device", ["on=-1:HALOCLINE_UCX_PUTS=1"], NETWORK, TCP_OF_UCX),
    ("UCX has a device, but not on another host", ["on=0:HALOCLINE_UCX_PUTS=1"], NETWORK, TCP_ON_LO),
    ("UCX has a device, but one rank has no UCX", ["on=-1:HALOCLINE_UCX_PUTS=1", "libucp=2:"], NETWORK, TCP_ON_LO),
    ("UCX has a device, and there is no libfabric", ["on=-1:HALOCLINE_UCX_PUTS=1", "libfabric=-1:"], NETWORK, TCP_OF_UCX),
    ("UCX has a device, but libfabric is named", ["on=-1:HALOCLINE_UCX_PUTS=1", "on=-1:HALOCLINE_NETWORK=ofi"], NETWORK, TCP_ON_LO),
    ("UCX has a device, but a provider is named", ["on=-1:HALOCLINE_UCX_PUTS=1", "on=-1:HALOCLINE_PROVIDER=tcp"], NETWORK, TCP_ON_LO),
    ("UCX would have a device, but is not there", ["on=-1:HALOCLINE_UCX_PUTS=1", "libucp=-1:"], NETWORK, TCP_ON_LO),
    # An MPI that has loaded UCX keeps its other parts.
    ("no UCX", [UCX, "libucp=-1:"], MPI,
     r"rank 0: UCX not found( \(libucp\.so\.0; Debian package libucx0\)"
     r"|: this process has loaded /.*, and there is no libucp\.so\.0 beside it)"),
    ("no UCX on one rank", [UCX, "libucp=2:"], MPI, r"rank 2: UCX not found.*"),
    ("a UCX that is too old", [UCX, "libucp=-1:{ucx}"], MPI,
     r"rank 0: UCX 1\.9\.0 \(.*libucp-other.*\) is older than the required version 1\.11; put another one first into LD_LIBRARY_PATH"),
    ("a UCX that lacks a function", [UCX, "libucp=1:{ucx}", "on=1:HALOCLINE_TEST_UCX=13"], MPI,
     r"rank 1: UCX 1\.13\.0 \(.*libucp-other.*\) has no ucp_config_read; put another one first into LD_LIBRARY_PATH"),
    ("a library that is not UCX", [UCX, "libucp=1:{other}"], MPI, r"rank 1: libucp\.so\.0 is not UCX"),
    ("a network that does not exist", ["on=-1:HALOCLINE_NETWORK=pigeon"], MPI,
     r"rank 0: HALOCLINE_NETWORK is 'pigeon'; available: ofi \(libfabric\), ucx"),
    ("one rank names another network", ["on=1:HALOCLINE_NETWORK=ucx"], ERROR,
     r"HLC_ERR_MISMATCH: ranks disagree on HALOCLINE_NETWORK: rank 0 has '', rank 1 has 'ucx'"),
]
WITHOUT_UCX = [("no UCX at build time", [UCX], MPI,
                r"rank 0: this Halocline was built without UCX's headers \(Debian package libucx-dev\)")]
for where, step in ((0, "fi_fabric"), (1, "fi_domain"), (2, "fi_cq_open"), (1, "fi_av_open"), (0, "fi_endpoint")):
    CASES.append((f"{step} falls short", ["libfabric=-1:{faulty}", f"on={where}:HALOCLINE_TEST_FAULT={step}"], MPI,
                  FALLS_SHORT.format(rank=where, call=step)))
SOME = ("nothing is asked for", "a refused provider by the first part of its name", "an interface by name",
        "a provider that does not exist",
        "one rank names another provider", "no libfabric on one rank", "a libfabric that is too old", "memory that cannot be registered",
        "fi_endpoint falls short", "a libfabric by its file", "a file that does not exist", "no UCX at build time",
        "UCX, a device that does not exist", "a UCX that lacks a function")
FEW_FILES = range(2, 7)  # that a rank may still open: enough for some steps, not for all


def find_other_library():
    """The file of a library that is not libfabric: the C library of this process."""
    mapped = pathlib.Path("/proc/self/maps").read_text()
    return re.search(r"(/\S*libc\.so\S*|/\S*ld-musl\S*)", mapped)[1]


def launch(command, **more):
    environment = dict(os.environ, HALOCLINE_FAKE_NODES=str(RANKS), **{"HALOCLINE_TIMEOUT": "30"} | more)
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=70, text=True, env=environment).stdout
    except subprocess.TimeoutExpired as expired:
        return f"{(expired.stdout or b'').decode()}\nhangs"


def expectation(rank, route, text):
    """What a rank has to say."""
    if route == ERROR:
        return rf"^rank {rank}: {text}$"
    network, mpi = (RANKS - 1, 0) if route == NETWORK else (0, RANKS - 1)
    return rf"^rank {rank}: ok\nrank {rank}: via network {network}, mpi {mpi}: {text}\nrank {rank}: 3 swaps, 0 wrong$"


def fault_of(output, route, text):
    """What is wrong with a launch; '' if nothing is."""
    said = "\n".join(sorted(line for line in output.splitlines() if line.startswith("rank ")))
    for rank in range(RANKS):
        mine = "\n".join(line for line in output.splitlines() if line.startswith(f"rank {rank}: "))
        if not re.search(expectation(rank, route, text), mine, re.M):
            return f"rank {rank} does not say {expectation(rank, route, text)!r}: {said or output}"
    reported = len(re.findall(rf"^halocline: mode notify: .* go over MPI: {text}$", output, re.M))
    if reported != (1 if route == MPI else 0):
        return f"the reason is reported {reported} times: {output}"
    return ""


def fault_with_files(output):
    """What is wrong where files run out at some step: all ranks have the same status, soon, and if it is an error each says a reason, be it
    its own or that of the rank that it waited for."""
    said = re.findall(r"^rank \d+: (ok$|HLC_ERR_\w+.*)", output, re.M)
    routes = {line.split(": ", 2)[1] for line in output.splitlines() if re.match(r"rank \d+: via ", line)}
    if len(said) != RANKS or len({line.split(":")[0] for line in said}) != 1 or len(routes) != 1 or "hangs" in output:
        return f"the ranks do not have the same status: {output}"
    told = all(line == "ok" or re.search("Too many open files|cannot allocate|out of memory|cannot reach", line) for line in said)
    return "" if told else f"another error: {output}"


def main():
    divider = sys.argv.index("--")
    program, old, faulty, ucx, *options = sys.argv[1:divider]
    cases = CASES + (WITHOUT_UCX if "--no-ucx" in options else UCX_CASES)
    cases = [case for case in cases if "--some" not in options or case[0] in SOME]
    few_files = list(FEW_FILES)[:1 if "--some" in options else None]
    launcher = sys.argv[divider + 1:] + ["-n", str(RANKS)]
    failed = 0
    for name, words, route, text in cases:
        before = dict(word.split("=", 2)[1:] for word in words if word.startswith("before="))
        others = [word.format(old=old, faulty=faulty, ucx=ucx, other=find_other_library()) for word in words if "before=" not in word]
        output = launch([*launcher, program, *others], **before)
        fault = fault_of(output, route, text)
        failed += bool(fault)
        print(f"{'FAIL' if fault else 'ok  '} {name}: {fault or route}", flush=True)
    for files in few_files:
        output = launch([*launcher, program, f"files=1:{files}"], HALOCLINE_TIMEOUT="16")
        fault = fault_with_files(output)
        failed += bool(fault)
        told = next((line for line in output.splitlines() if line.startswith("rank 1: ")), "")
        print(f"{'FAIL' if fault else 'ok  '} {files} more files: {fault or told}", flush=True)
    print(f"{len(cases) + len(few_files) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
