#!/usr/bin/env python3
"""Launches an MPI program over the hosts that tests/hosts/hosts has opened, or the virtual machines of tests/verbs/machine.

Usage: mpiexec.py MPIEXEC [FLAG...] -n RANKS PROGRAM [ARGUMENT...]

MPIEXEC is the launcher of MPICH, Open MPI or Intel MPI. It gets whatever follows, and before that the hosts, how to reach them and which
interface to use. The ranks are spread in blocks: the first ones on h0.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess
import sys

RSH = os.environ.get("HOSTS_RSH") or str(pathlib.Path(__file__).resolve().with_name("rsh"))
INTERFACE = os.environ.get("HOSTS_INTERFACE", "eth0")


def spread(ranks, hosts):
    """Pairs of a host and the number of its ranks; with fewer ranks than hosts the last hosts get none."""
    hosts = min(ranks, hosts)
    return [(f"h{host}", (host + 1) * ranks // hosts - host * ranks // hosts) for host in range(hosts)]


def hydra(places):
    """MPICH's launcher, and Intel's, which comes from it."""
    return ["-launcher", "ssh", "-launcher-exec", RSH, "-iface", INTERFACE, "-hosts", ",".join(f"{host}:{ranks}" for host, ranks in places)]


def openmpi(places):
    chosen = [("--prtemca", "plm_ssh_agent", RSH), ("--prtemca", "plm_ssh_no_tree_spawn", "1")]
    chosen += [("--prtemca", "oob_tcp_if_include", INTERFACE)]
    # Each host assumes that all of the machine's cores are for its ranks alone.
    chosen += [("--mca", "btl_tcp_if_include", INTERFACE), ("--mca", "mpi_yield_when_idle", "1")]
    chosen += [("--host", ",".join(f"{host}:{ranks}" for host, ranks in places))]
    return [word for words in chosen for word in words]


def options(mpiexec, places):
    version = subprocess.run([mpiexec, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    if any(name in version for name in ("Open MPI", "OpenRTE", "PRRTE", "prterun")):
        return openmpi(places)
    return hydra(places)


def main():
    mpiexec, *rest = sys.argv[1:]
    ranks = int(rest[rest.index("-n") + 1])
    places = spread(ranks, int(os.environ["HALOCLINE_HOSTS"]))
    # In the namespaces of a user this is root, which Open MPI refuses unless told otherwise.
    allow = {f"{prefix}_ALLOW_RUN_AS_ROOT{suffix}": "1" for prefix in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")}
    os.execvpe(mpiexec, [mpiexec, *options(mpiexec, places), *rest], {**os.environ, **allow})


if __name__ == "__main__":
    main()
