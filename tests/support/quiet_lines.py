"""What a job has printed, without what Open MPI says of every window of every process.

SPDX-License-Identifier: BSD-3-Clause
"""

NOISE = "OSC UCX component priority set"


def quiet_lines(text):
    """The lines that are not empty, and not that."""
    return [line for line in text.splitlines() if line.strip() and NOISE not in line]
