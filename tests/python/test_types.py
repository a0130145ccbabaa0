# SPDX-License-Identifier: BSD-3-Clause
"""The stub has the types of levelcl.py, and mypy finds wrong calls by it.
usage: test_types.py FOLDER_OF_STUBS"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support  # skips the test where it cannot run

FOLDER = sys.argv[1]
INTERNAL = r"levelcl\.Layout\.(create|new_values|struct)"

RIGHT = """
import levelcl
import numpy as np
A = levelcl.problem("lap3d:6")
x, report = levelcl.solve(A, np.ones(216), rtol=1e-10, max_iters=None)
with levelcl.Chain(A, solver="cg", subdomain_rows=100) as chain:
    y, one = chain.solve([1.0] * 216, monitor=lambda step: step.residual > 1)
    Y, many = chain.solve_many(np.ones((216, 2)))
count: int = one.iterations + many[1].iterations
text: str = one.attempts[0].solver + levelcl.devices()[0].name
for step in levelcl.Solver(chain.operator, "ic0").iterate(y):
    count += step.iteration
"""

WRONG = {
    "levelcl.Context(device=1.5)": "float",
    "levelcl.Chain(None).solve_many(1)[1].iterations": "iterations",
    "levelcl.Operator(None, context=1)": "context",
    "levelcl.solve(1, 2).residual": "residual",
}


class Types(unittest.TestCase):
    def mypy(self, folder, module, *arguments):
        return subprocess.run(
            [sys.executable, "-m", module, *arguments], text=True, cwd=folder,
            env=dict(os.environ, MYPYPATH=FOLDER, MYPY_CACHE_DIR=folder),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_types__the_stub_is_that_of_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "internal").write_text(INTERNAL + "\n")
            done = self.mypy(folder, "mypy.stubtest", "levelcl", "--allowlist",
                             "internal")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_types__right_calls_pass_and_wrong_ones_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "right.py").write_text(RIGHT)
            pathlib.Path(folder, "wrong.py").write_text(
                "\n".join(["import levelcl", *WRONG, ""]))
            done = self.mypy(folder, "mypy", "right.py", "wrong.py")
        lines = [line for line in done.stdout.splitlines() if "error:" in line]
        self.assertEqual(len(lines), len(WRONG), done.stdout)
        for number, (line, word) in enumerate(zip(lines, WRONG.values()), 2):
            self.assertTrue(line.startswith(f"wrong.py:{number}: "), line)
            self.assertIn(word, line)


if importlib.util.find_spec("mypy") is None:
    print("no mypy")
    sys.exit(77)
unittest.main(argv=sys.argv[:1])
