"""What `halocline advise` makes of a recording: the exchanges of a program, what they cost, and what would be faster.

SPDX-License-Identifier: BSD-3-Clause
"""
