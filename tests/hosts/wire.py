#!/usr/bin/env python3
"""A long and lossy wire between two network interfaces, for machines whose kernel has no netem.

Usage: wire.py NEAR FAR WORD...

Carries frames between the interfaces until it is ended. Those that come in at NEAR meet what the words say, which are netem's: `delay TIME
[JITTER]` (each frame is late by TIME, more or less JITTER), `loss PERCENT`, `reorder PERCENT` (so many frames skip the delay and overtake
others). Times end in ms or us.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import heapq
import itertools
import random
import select
import socket
import sys
import time

# From linux/if_packet.h. With PACKET_VNET_HDR a frame may be larger than the interface's, as the kernel hands it over before it is cut up.
SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23
ETH_P_ALL = 3
LARGEST = 70_000


def seconds(text):
    units = {"ms": 1e-3, "us": 1e-6}
    if text[-2:] not in units:
        sys.exit(f"wire.py: '{text}' is no time, which ends in ms or us")
    return float(text[:-2]) * units[text[-2:]]


def share(text):
    return float(text.rstrip("%")) / 100


class Weather:
    """What may happen to a frame."""

    def __init__(self, words):
        self.delay = self.jitter = self.loss = self.reorder = 0.0
        words = list(words)
        while words:
            word = words.pop(0)
            if word == "delay":
                self.delay = seconds(words.pop(0))
                if words and words[0][:1].isdigit():
                    self.jitter = seconds(words.pop(0))
            elif word in ("loss", "reorder"):
                setattr(self, word, share(words.pop(0)))
            else:
                sys.exit(f"wire.py: knows delay, loss and reorder, not '{word}'")

    def lateness(self):
        """By how much a frame is late; None: it is lost."""
        if random.random() < self.loss:
            return None
        if random.random() < self.reorder:
            return 0.0
        return self.delay + random.uniform(-self.jitter, self.jitter)


def tap(interface):
    """A socket that sees what comes in at an interface, and sends what is to go out there."""
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    frames.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    frames.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    frames.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    frames.bind((interface, ETH_P_ALL))
    frames.setblocking(False)
    return frames


def received(frames):
    """The frames that are there now."""
    while True:
        try:
            yield frames.recv(LARGEST)
        except OSError:  # none left, or the interface is down
            return


def send(frames, frame):
    try:
        frames.send(frame)
    except OSError:
        pass  # the other end is down or full: a lost frame, as on any wire


def carry(near, far, weather):
    late, order = [], itertools.count()
    while True:
        wait = max(0.0, late[0][0] - time.monotonic()) if late else None
        select.select([near, far], [], [], wait)
        for frame in received(far):
            send(near, frame)
        now = time.monotonic()
        for frame in received(near):
            lateness = weather.lateness()
            if lateness is not None:
                heapq.heappush(late, (now + lateness, next(order), frame))
        while late and late[0][0] <= time.monotonic():
            send(far, heapq.heappop(late)[2])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("near")
    parser.add_argument("far")
    parser.add_argument("words", nargs="*")
    wanted = parser.parse_args()
    weather = Weather(wanted.words)
    taps = tap(wanted.near), tap(wanted.far)
    print("ready", flush=True)
    sys.stdout.close()
    carry(*taps, weather)


if __name__ == "__main__":
    main()
