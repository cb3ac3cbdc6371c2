"""Pictures of measurements, drawn by Matplotlib. Each module has figure(...), which returns a figure to save or to put into a page.

SPDX-License-Identifier: BSD-3-Clause
"""
