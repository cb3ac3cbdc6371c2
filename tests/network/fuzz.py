#!/usr/bin/env python3
"""Throws a stranger's bytes at the endpoints of a running job: every swap stays right, nobody ends, hangs or loses descriptors.

Usage: fuzz.py PROGRAM [--times N] [--attacks A,...] -- LAUNCHER [FLAG...]

PROGRAM (swaps.cpp) swaps between 2 ranks on pretended nodes, over libfabric's tcp on loopback, and checks every byte. Meanwhile each attack
of the list below is made again and again; the headers are those of libfabric's tcp provider. What that provider does not withstand is left
out here and stands in docs/network.md. The last line is `N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

RANKS = 2
LOOPBACK = "0100007F"  # 127.0.0.1 in /proc/net/tcp
CONTROL_VERSION, CONNECT, PROTOCOL_VERSION = 3, 0, 3
MESSAGE, READ, READ_ANSWER, WRITE = 0, 2, 3, 4
HAS_WORD = 1
SPARE_FILES = 2  # that may be opened and closed without any attack
RANKS_PORTS = set()  # a process that claims to be at one of these takes the place of that rank's connection (docs/network.md)


def request(data=b"", kind=CONNECT, version=CONTROL_VERSION, said_bytes=None):
    """How the tcp provider asks for a connection."""
    length = len(data) if said_bytes is None else said_bytes
    return struct.pack("<BB", version, kind) + struct.pack(">H", length) + struct.pack("<IQQQ", 0, 0, 0, 1) + data


def introduction(dice):
    """What its reliable endpoints say of themselves in that request: port and process."""
    port = dice.randrange(1024, 65536)
    while port in RANKS_PORTS:
        port = dice.randrange(1024, 65536)
    return struct.pack(">BBHI", 0, 0, port, dice.randrange(1, 1 << 22))


def operation(kind, places=(), word=None, body=b""):
    """One operation on a connection: places are triples of address, length and key."""
    tail = (struct.pack("<Q", word) if word is not None else b"") + b"".join(struct.pack("<QQQ", *place) for place in places)
    flags, length = HAS_WORD if word is not None else 0, 16 + len(tail)
    return struct.pack("<BBHBBBBQ", PROTOCOL_VERSION, kind, flags, 0, len(places), length, 0, length + len(body)) + tail + body


def random_place(dice, length):
    return dice.choice((0, dice.randrange(1 << 20), dice.getrandbits(64))), length, dice.choice((0, 1, dice.getrandbits(64)))


def random_bytes(dice):
    return [dice.randbytes(dice.choice((1, 7, 31, 32, 33, 40, 300, 5000)))]


def truncated(dice):
    whole = request(introduction(dice))
    return [whole[:dice.randrange(1, len(whole))]]


def oversized(dice):
    return [request(dice.randbytes(dice.choice((8, 256, 257, 4000))), said_bytes=dice.choice((255, 256, 257, 65535)))]


def other_versions(dice):
    return [request(introduction(dice), kind=dice.randrange(256), version=dice.randrange(256))]


def half_open(dice):
    return []


def writes(dice):
    length = dice.choice((0, 1, 8, 4096, 1 << 20, 1 << 63, (1 << 64) - 1))
    word = dice.choice((None, dice.getrandbits(64)))
    return [request(introduction(dice)), operation(WRITE, [random_place(dice, length)], word, dice.randbytes(min(length, 4096)))]


def many_places(dice):
    places = [random_place(dice, 8) for _ in range(dice.choice((2, 4, 5, 9)))]
    return [request(introduction(dice)), operation(WRITE, places, body=bytes(64))]


def announcements(dice):
    """Words without data need no key."""
    words = [dice.randrange(64) for _ in range(50)] + [dice.getrandbits(64) for _ in range(200)]
    return [request(introduction(dice)), b"".join(operation(WRITE, word=word) for word in words)]


def reads(dice):
    return [request(introduction(dice)), operation(READ, [random_place(dice, dice.choice((1, 8, 100_000)))])]


def nonsense(dice):
    """A connection like a peer's, then anything but what would be a message of its own, which nobody waits for."""
    body = bytearray(dice.randbytes(dice.choice((16, 24, 48, 400))))
    body[1] = dice.choice((READ_ANSWER, *range(5, 256)))
    return [request(introduction(dice)), bytes(body)]


def zeros(dice):
    """After a handshake that is all zeros but for its version, messages that are less long than their own head."""
    return [bytes([CONTROL_VERSION]) + bytes(dice.choice((7, 15, 31, 255, 4000)))]


def messages(dice):
    return [request(introduction(dice)), operation(MESSAGE, body=dice.randbytes(dice.choice((0, 1, 64, 104, 2048, 2049, 5000))))]


# Where no process waits for messages, the provider keeps the descriptor (docs/network.md).
ON_REQUESTS = [random_bytes, announcements, zeros, messages]
ATTACKS = [random_bytes, truncated, oversized, other_versions, half_open, writes, many_places, announcements, reads, nonsense]


def addresses_of_children(process):
    """Where the children of a process listen, as /proc/net/tcp has it."""
    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    files = [file for child in children for file in pathlib.Path(f"/proc/{child}/fd").iterdir()]
    sockets = {os.readlink(file) for file in files if file.is_symlink()}
    lines = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets]


class Swaps:
    """A job that swaps until it is told to stop."""

    def __init__(self, program, launcher, *words):
        self.folder = tempfile.TemporaryDirectory(prefix="halocline-test-")
        self.path = pathlib.Path(self.folder.name)
        command = [*launcher, "-n", str(RANKS), program, f"folder={self.path}", *words]
        environment = dict(os.environ, HALOCLINE_FAKE_NODES=str(RANKS), HALOCLINE_TIMEOUT="60", HALOCLINE_INTERFACE="lo",
                           HALOCLINE_PROVIDER="tcp")
        self.launch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        self.processes, self.addresses = [], []
        for rank in range(RANKS):
            process, *addresses = self.wait_for(self.path / str(rank)).split()
            self.processes.append(int(process))
            self.addresses.append(addresses)

    def wait_for(self, path):
        end = time.monotonic() + 60
        while not path.exists():
            if time.monotonic() > end or self.launch.poll() is not None:
                self.launch.kill()
                sys.exit(f"the job does not start: {self.launch.communicate()[0]}")
            time.sleep(0.02)
        return path.read_text()

    def ports(self):
        """Of each rank, those at which it listens, or its helper process."""
        helpers = [addresses_of_children(process) for process in self.processes]
        return [[int(address.split(":")[1], 16) for address in mine + more] for mine, more in zip(self.addresses, helpers)]

    def files(self):
        return [len(os.listdir(f"/proc/{process}/fd")) for process in self.processes]

    def runs(self):
        return self.launch.poll() is None

    def stop(self):
        """What the ranks have said in the end."""
        (self.path / "stop").touch()
        try:
            output = self.launch.communicate(timeout=100)[0]
        except subprocess.TimeoutExpired:
            self.launch.kill()
            output = f"{self.launch.communicate()[0]}\nhangs"
        self.folder.cleanup()
        return output


def fault_of(output):
    """What is wrong with the end of a job; '' if nothing is."""
    for rank in range(RANKS):
        mine = "\n".join(line for line in output.splitlines() if line.startswith(f"rank {rank}: "))
        if not re.fullmatch(rf"rank {rank}: ok\nrank {rank}: via network 1, mpi 0: .*\nrank {rank}: \d+ swaps, 0 wrong", mine):
            return f"rank {rank} did not end well: {output}"
    return ""


def come_in(port):
    """A connection to a port."""
    stranger = socket.socket()
    stranger.settimeout(5)
    stranger.connect(("127.0.0.1", port))
    return stranger


def attack_once(port, attack, dice):
    """Sends the parts of an attack, and takes what answer there is to each."""
    with come_in(port) as stranger:
        stranger.settimeout(dice.choice((0.001, 0.05)))
        for part in attack(dice):
            try:
                stranger.sendall(part)
                stranger.recv(4096)
            except OSError:
                pass
        if attack is half_open:
            time.sleep(dice.choice((0, 0, 0, 0.05)))


def attack_often(job, attack, times):
    """The same on all ports at once; how often it was made."""
    made = [0] * RANKS

    def keep_on(rank):
        dice = random.Random(rank)
        ports = job.ports()[rank]
        while made[rank] < times and job.runs():
            attack_once(dice.choice(ports), attack, dice)
            made[rank] += 1

    threads = [threading.Thread(target=keep_on, args=(rank,)) for rank in range(RANKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(made)


def growth(job, files):
    """How many descriptors a rank has got since, once those of closed connections had time to go."""
    end = time.monotonic() + 10
    while job.runs():
        most = max(now - before for now, before in zip(job.files(), files))
        if most <= SPARE_FILES or time.monotonic() > end:
            return most
        time.sleep(0.1)
    return 0


def try_attack(job, attack, times):
    """What is wrong after an attack; '' if nothing is, and how often it was made."""
    files = job.files()
    try:
        made = attack_often(job, attack, times)
    except OSError as error:
        return f"no connection to the job: {error}", 0
    if not job.runs() or made < RANKS * times:
        return f"the job ended after {made} connections", made
    left = growth(job, files)
    return f"descriptors left: {left}" if left > SPARE_FILES else "", made


def say(fault, what):
    print(f"{'FAIL' if fault else 'ok  '} {what}{': ' if fault else ''}{fault}", flush=True)
    return bool(fault)


def fuzz(job, names, times):
    """Makes attacks on a job; how many checks failed, of one per attack and two more."""
    listens = [[address.split(":")[0] for address in addresses] for addresses in job.addresses]
    helpers = {address.split(":")[0] for process in job.processes for address in addresses_of_children(process)}
    right = listens == [[LOOPBACK]] * RANKS and helpers <= {LOOPBACK}
    RANKS_PORTS.update(port for ports in job.ports() for port in ports)
    failed = say("" if right else f"{listens}, {helpers}", "the job listens at the address of the chosen interface alone")
    for name in names if not failed else []:
        fault, made = try_attack(job, globals()[name], times * (20 if name == "half_open" else 1))
        failed += say(fault, f"{name.replace('_', ' ')}, {made} times")
        if not job.runs():
            break
    return failed + say(fault_of(job.stop()), "every byte was right to the end")


def main():
    divider = sys.argv.index("--")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=60, help="each attack, on each rank")
    parser.add_argument("--attacks", default=",".join(attack.__name__ for attack in ATTACKS))
    wanted = parser.parse_args(sys.argv[1:divider])
    start = [wanted.program, sys.argv[divider + 1:]]
    names = wanted.attacks.split(",")
    failed = fuzz(Swaps(*start, "rounds=50"), names, wanted.times)
    tests = len(names)
    for progress in ("caller", "helper"):
        print(f"a job that makes requests, HALOCLINE_PROGRESS={progress}")
        job = Swaps(*start, "rounds=50", "requests=yes", f"on=-1:HALOCLINE_PROGRESS={progress}")
        failed += fuzz(job, [attack.__name__ for attack in ON_REQUESTS], wanted.times)
        tests += len(ON_REQUESTS)
    print(f"{tests + 3 * 2 - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
