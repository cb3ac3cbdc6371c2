"""Halo swaps and one-sided communication for stencil codes.

SPDX-License-Identifier: BSD-3-Clause
"""
