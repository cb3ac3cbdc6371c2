"""Reading what the native programs write.

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import json
import pathlib
from collections.abc import Iterator

from halocline.command.status import Exit, Failure
from halocline.command.words import Json


def there(path: pathlib.Path) -> pathlib.Path:
    """The same path, if there is something."""
    if not path.exists():
        raise Failure(f"{path}: no such file or folder", Exit.USAGE)
    return path


def read(path: pathlib.Path) -> Json:
    """One JSON object of a file."""
    try:
        found = json.loads(path.read_text())
    except OSError as why:
        raise Failure(f"{path}: {why.strerror}", Exit.USAGE) from why
    except ValueError as why:
        raise Failure(f"{path} is not JSON: {why}", Exit.USAGE) from why
    if not isinstance(found, dict):
        raise Failure(f"{path} holds no JSON object", Exit.USAGE)
    return found


@contextlib.contextmanager
def understood(path: pathlib.Path) -> Iterator[None]:
    """What is read or drawn within needs members of a file; where they are absent or of another type, the file is wrong."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as why:
        raise Failure(f"{path} has other members than this needs ({type(why).__name__}: {why})", Exit.USAGE) from why


def need(report: Json, keys: tuple[str, ...], what: str) -> Json:
    """The same report, if it has these keys."""
    absent = [key for key in keys if key not in report]
    if absent:
        raise Failure(f"this is not what {what} writes: it has no {', '.join(absent)}", Exit.USAGE)
    return report
