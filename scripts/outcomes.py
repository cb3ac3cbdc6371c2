"""How scripts end that check sentences about the project: a line for each, the totals, and the status.

SPDX-License-Identifier: BSD-3-Clause
"""
import sys


def report(outcomes):
    """Prints pairs of a sentence and whether it is true, and `N passed, N failed, N skipped`; ends with status 1 if one is not."""
    outcomes = list(outcomes)
    for sentence, right in outcomes:
        print("passed " if right else "FAILED ", sentence)
    failed = sum(not right for _, right in outcomes)
    print(f"{len(outcomes) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)
