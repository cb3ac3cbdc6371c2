"""The command `halocline`. It drives the native programs, and needs neither the compiled extension nor an MPI of its own.

SPDX-License-Identifier: BSD-3-Clause
"""
