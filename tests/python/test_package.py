# SPDX-License-Identifier: BSD-3-Clause
"""`pip install .` into a virtual environment, where the module finds the
library. Skipped without pip, setuptools, wheel and venv.
usage: test_package.py SOURCE_ROOT"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import levelcl, need_device

ROOT = pathlib.Path(sys.argv[1])

SOLVE = """
import importlib.metadata, sys, levelcl
assert importlib.metadata.version("levelcl") == levelcl.__version__
assert levelcl.__file__.startswith(sys.prefix), levelcl.__file__
assert next(levelcl._places()).startswith(sys.prefix)
A = levelcl.problem("lap3d:6")
print(levelcl.solve(A, [1.0] * A.shape[0], solver="cg").report.message)
"""


def copy_of_the_tree(folder):
    """What the package is made of, and files in build/lib as Meson has them."""
    for name in "LICENSE", "README.md", "pyproject.toml":
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "tools/python", folder / "tools/python")
    (folder / "build/lib").mkdir(parents=True)
    (folder / "build/lib/liblevelcl.so").touch()


class Package(unittest.TestCase):
    def run_in(self, folder, *command):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LEVELCL_LIBRARY", "PYTHONPATH")}
        done = subprocess.run(command, cwd=folder, text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_package__is_installed_by_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder).resolve()
            copy_of_the_tree(folder)
            self.run_in(folder, sys.executable, "-m", "venv", "--without-pip",
                        "--system-site-packages", "venv")
            python = folder / "venv/bin/python"
            self.run_in(folder, python, "-m", "pip", "install", "--no-index",
                        "--no-build-isolation", ".")
            library = folder / "venv/lib/mips64-linux-gnu" / levelcl._SONAME
            library.parent.mkdir()
            library.symlink_to(os.environ["LEVELCL_LIBRARY"])
            self.assertIn("rtol", self.run_in("/", python, "-c", SOLVE))
            packages = next(folder.glob("venv/lib/python*/site-packages"))
            installed = {path.relative_to(packages).parts[0]
                         for path in packages.iterdir()} - {"__pycache__"}
            self.assertEqual(installed, {
                "levelcl.py", "levelcl-stubs",
                f"levelcl-{levelcl.__version__}.dist-info"})
            self.assertTrue((packages / "levelcl-stubs/__init__.pyi").exists())


for module in "pip", "setuptools", "venv", "wheel":
    if importlib.util.find_spec(module) is None:
        print(f"no {module}")
        sys.exit(77)
need_device()
unittest.main(argv=sys.argv[:1])
