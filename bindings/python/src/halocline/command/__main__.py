"""python3 -m halocline.command

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

from halocline.command.main import main

sys.exit(main())
