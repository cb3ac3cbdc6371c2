"""The names of the library's modes, for an option that is read before any program is started.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import difflib
from collections.abc import Sequence

MODES = ("p2p", "neighbor", "fence", "pscw", "passive", "passive_naive", "notify", "direct", "view", "notify_node", "auto")


def nearest(name: str, known: Sequence[str] = MODES) -> str:
    """The mode that was probably meant."""
    return max(known, key=lambda mode: difflib.SequenceMatcher(None, name, mode).ratio())


def mode(text: str) -> str:
    if text not in MODES:
        raise argparse.ArgumentTypeError(f"unknown mode '{text}'; the nearest is '{nearest(text)}'")
    return text
