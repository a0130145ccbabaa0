# SPDX-License-Identifier: BSD-3-Clause
"""The tour of levelcl.py runs, with matplotlib and without.
usage: test_example.py example.py"""
import importlib.util
import pathlib
import runpy
import sys
import tempfile
import unittest
import unittest.mock

from support import need_device

EXAMPLE = sys.argv[1]


class Example(unittest.TestCase):
    def run_with(self, modules):
        """The plot that the example makes, or None; checks its residuals."""
        with tempfile.TemporaryDirectory() as folder:
            plot = pathlib.Path(folder, "plot.png")
            arguments = [EXAMPLE, str(plot)]
            with unittest.mock.patch.object(sys, "argv", arguments), \
                    unittest.mock.patch.dict(sys.modules, modules):
                names = runpy.run_path(EXAMPLE)
            self.assertTrue(names["report"].converged)
            self.assertEqual(len(names["histories"]), 4)
            for history in names["histories"].values():
                self.assertEqual(history[0], 1)
                self.assertLess(history[-1], 1e-5)
            return plot.read_bytes() if plot.exists() else None

    def test_example__prints_without_matplotlib(self):
        self.assertIsNone(self.run_with({"matplotlib": None}))

    def test_example__plots_with_matplotlib(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib")
        self.assertEqual(self.run_with({})[:4], b"\x89PNG")


need_device()
unittest.main(argv=sys.argv[:1])
