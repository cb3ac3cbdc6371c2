"""What halocline-trace consists of. Only Python's own library is needed.

SPDX-License-Identifier: BSD-3-Clause
"""
