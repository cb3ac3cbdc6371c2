#!/usr/bin/env python3
"""What apps/advised.py makes of launches: exchanges per step, the variant of a mode, and when advice counts as right. Nothing is launched.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "apps"), str(ROOT / "apps" / "common")]
import advised  # noqa: E402
import contests  # noqa: E402


def contest_of(app):
    return next(one for one in contests.ALL if one.app == app)


def launch(saving, messages, ported, noisy=False):
    return {"mode": "direct", "port": "direct", "advised": [saving, saving, saving], "at_limit": False, "noisy": noisy,
            "total": {"messages": messages, "ported": ported}}


class Advised(unittest.TestCase):
    def test_all_apps_have_their_variant_on_messages(self):
        for app, name in advised.MESSAGES.items():
            self.assertIn(name, contests.variants_of(contest_of(app)), app)

    def test_exchanges_that_warm_up_are_not_counted(self):
        self.assertEqual(advised.per_step(2 * 105, 100), 2)
        self.assertEqual(advised.per_step(30, 100), 0.3)

    def test_a_mode_has_its_variant(self):
        self.assertEqual(advised.port_of(contest_of("lattice"), "pscw"), "pscw")
        self.assertEqual(advised.port_of(contest_of("ghost"), "direct"), "notified_shared_1copy_nobarrier")
        self.assertIsNone(advised.port_of(contest_of("fft"), "direct"))
        self.assertIsNone(advised.port_of(contest_of("fft"), "pscw"))

    def test_advice_is_right_within_a_quarter_of_the_median(self):
        for saving, word in ((4e-6, "yes"), (2.9e-6, "no"), (5e-6, "yes"), (5.2e-6, "no")):
            launches = [launch(saving, 10e-6, 6e-6), launch(saving, 50e-6, 1e-6), launch(saving, 9e-6, 5e-6)]
            row = advised.row_of(contest_of("lattice"), launches)
            self.assertEqual(row[-1].split(", ")[1], word, row)

    def test_a_busy_machine_is_named(self):
        self.assertIn("too busy", advised.row_of(contest_of("lattice"), [launch(4e-6, 10e-6, 6e-6, noisy=True)])[-1])

    def test_an_app_that_did_not_run_has_its_reason(self):
        self.assertEqual(advised.row_of(contest_of("lattice"), [{"why": "no end"}])[-1], "no end")


if __name__ == "__main__":
    unittest.main()
