"""NetCDF files of the mini-apps, for their pictures: a file that is no such one is named, with what it lacks.

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import netCDF4


def opened(path, program, *needed):
    """What PROGRAM --output has written, open. Ends the script unless it can be read, and has these variables."""
    try:
        data = netCDF4.Dataset(path)
    except OSError as why:
        sys.exit(f"{path}: cannot be read: {why.strerror or why}; give what {program} --output wrote")
    missing = [name for name in needed if name not in data.variables]
    if missing:
        sys.exit(f"{path}: it has no {', '.join(missing)}; give what {program} --output wrote")
    return data


def checked_record(data, record):
    """The number of a record that the file has; from its end where it is negative. Ends the script if it has none such."""
    count = len(data["time"])
    if not -count <= record < count:
        sys.exit(f"{data.filepath()}: --record {record}: it has {count} records, 0 to {count - 1}")
    return record
