"""What halocline-trace consists of. Only Python's own library is needed.

SPDX-License-Identifier: BSD-3-Clause
"""
__version__ = "0.2.0"
