"""Runs a program where the disk is full: in a mount namespace whose folder is a file system with little room.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess

REFUSED = "small_disk: no file system"
SCRIPT = f"""
mount -t tmpfs -o "size=$1" none "$2" && cp "$3" "$2/" || {{ echo "{REFUSED}"; exit 77; }}
old=$3 copy="$2/${{3##*/}}"
shift 3
"$@"
status=$?
cmp -s "$old" "$copy" && echo "small_disk: the old file is as it was"
echo "small_disk: $(ls "${{copy%/*}}" | wc -l) files"
exit $status
"""


def run(room, old, folder, command, timeout=100):
    """Runs a command where `folder` has `room` bytes and a copy of the file `old`. None where this machine allows no such file system."""
    namespace = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    words = [*namespace, "sh", "-c", SCRIPT, "sh", room, folder, old, *command]
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=timeout)
    except FileNotFoundError:
        return None
    return None if REFUSED in done.stdout or "unshare failed" in done.stderr else done


def kept(done):
    """Whether the program failed, the old file is as it was, and there is no other."""
    return done.returncode not in (0, 77) and "the old file is as it was" in done.stdout and "small_disk: 1 files" in done.stdout


def room_of(file):
    """Room for a file and half of another one."""
    return pathlib.Path(file).stat().st_size * 3 // 2
