#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in packaging/ are well formed, and their versions, options and
dependencies are those of the Meson files. The modules of Spack and Conan, and
the functions of vcpkg, are stubs here.
usage: recipes.py SOURCE_ROOT"""
import json
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(sys.argv[1]).resolve()
RECIPES = ROOT / "packaging"

# what a recipe calls a dependency of Meson; "": it does not have it
COLUMNS = "docker build", "docker run", "spack", "vcpkg", "conan"
NAMES = {
    "OpenCL": ("ocl-icd-opencl-dev", "ocl-icd-libopencl1", "opencl", "opencl",
               "opencl-icd-loader"),
    "bz2": ("libbz2-dev", "libbz2-1.0", "bzip2", "", ""),
    "clblast": ("", "", "", "", ""),
    "cmocka": ("", "", "", "", ""),
    "klu": ("libsuitesparse-dev", "libklu1", "suite-sparse", "", ""),
    "libcjson": ("libcjson-dev", "libcjson1", "cjson", "", ""),
    "liblzma": ("liblzma-dev", "liblzma5", "xz", "liblzma", "xz_utils"),
    "libzstd": ("libzstd-dev", "libzstd1", "zstd", "zstd", "zstd"),
    "metis": ("libmetis-dev", "libmetis5", "metis", "metis", "metis"),
    "mpi": ("", "", "mpi", "", ""),
    "petsc": ("", "", "", "", ""),
    "zlib": ("zlib1g-dev", "zlib1g", "zlib-api", "zlib", "zlib"),
}
OF_THE_SYSTEM = {"dl", "m", "threads", ""}
TOOLS = {"c", "gcc", "libc6-dev", "meson", "ninja", "ninja-build", "pkg-config",
         "pkgconf", "pkgconfig", "pocl-opencl-icd", "python", "python3",
         "python3-numpy", "python3-scipy"}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


VERSION = re.search(r'LCL_VERSION +"(.*)"', text("include/levelcl/version.h"))[1]
OPTIONS = dict(re.findall(r"option\('([\w-]+)', type: '(\w+)'",
                          text("meson_options.txt")))


def meson_dependencies():
    found = set()
    for path in ("meson.build", "tools/meson.build", "tools/petsc/meson.build",
                 "tests/meson.build"):
        found.update(re.findall(r" (?:dependency|cc\.find_library)\('(\w*)'",
                                text(path)))
    return found - OF_THE_SYSTEM


class Anything:
    def __getattr__(self, _name):
        return lambda *arguments, **keywords: None


def run_with(path, modules):
    """What a Python file defines, with modules of these names and members."""
    made = {}
    for name, members in modules.items():
        made[name] = types.ModuleType(name)
        made[name].__dict__.update(members)
    with unittest.mock.patch.dict(sys.modules, made):
        return runpy.run_path(str(path))


class Recipes(unittest.TestCase):
    def check_names(self, column, found):
        at = COLUMNS.index(column)
        wanted = {names[at] for names in NAMES.values()} - {""}
        self.assertEqual(set(found) - TOOLS, wanted)

    def check_options(self, arguments):
        """-Dname=value of all features, and no unknown names."""
        given = dict(re.fullmatch(r"-D([\w-]+)=(\w+)", argument).groups()
                     for argument in arguments)
        self.assertLessEqual(set(given), set(OPTIONS))
        for name, kind in OPTIONS.items():
            if kind == "feature":
                self.assertIn(given[name], ("enabled", "disabled"), name)
        self.assertEqual(given["tests"], "false")

    def test_recipes__name_each_dependency_of_meson(self):
        self.assertEqual(meson_dependencies(), set(NAMES))

    def test_docker__names_packages_and_options(self):
        recipe = text("packaging/docker/Dockerfile").replace("\\\n", "")
        stages = re.split(r"^FROM ", recipe, flags=re.MULTILINE)[1:]
        self.assertEqual(len(stages), 2)
        for stage, column in zip(stages, COLUMNS):
            names = re.search(r"--no-install-recommends([^&\n]*)", stage)[1]
            self.check_names(column, names.split())
        self.check_options([*re.findall(r"-D\S+", stages[0])])

    def test_spack__names_version_packages_and_options(self):
        found = {"depends_on": [], "version": [], "variant": []}
        members = {name: lambda word, name=name, **_: found[name].append(
            re.match(r"[\w.-]+", word)[0]) for name in found}
        path = RECIPES / "spack/packages/levelcl/package.py"
        recipe = run_with(path, {"spack": {}, "spack.package": {
            **members, "license": str, "MesonPackage": object}})
        self.assertEqual(found["version"], [VERSION])
        self.assertIn(f"levelcl@{VERSION}\n", path.read_text(encoding="utf-8"))
        self.assertIn(f"levelcl@{VERSION}`", text("docs/install.md"))
        self.check_names("spack", found["depends_on"])
        package = recipe["Levelcl"]()
        for spec in ["+" + name for name in found["variant"]], []:
            package.spec = spec
            self.check_options(package.meson_args())
        self.assertIn("-Dtools=false", package.meson_args())

    def test_vcpkg__names_version_packages_and_options(self):
        recipe = json.loads(text("packaging/vcpkg/vcpkg.json"))
        self.assertEqual(recipe["version"], VERSION)
        self.check_names("vcpkg", [name for name in recipe["dependencies"]
                                   if isinstance(name, str)])
        port = text("packaging/vcpkg/portfile.cmake")
        self.check_options(re.findall(r"-D\S+", port))

    def test_vcpkg__the_script_runs(self):
        if shutil.which("cmake") is None:
            self.skipTest("no cmake")
        port = RECIPES / "vcpkg/portfile.cmake"
        names = set(re.findall(r"^(vcpkg_\w+)\(", port.read_text(), re.MULTILINE))
        stubs = [f'function({name})\nmessage("{name} ${{ARGN}}")\nendfunction()'
                 for name in sorted(names)]
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "run.cmake")
            script.write_text("\n".join(
                [*stubs, f'set(CURRENT_PACKAGES_DIR "{folder}")',
                 f'include("{port}")\n']))
            done = subprocess.run(["cmake", "-P", script], text=True,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        source = re.search(r"SOURCE_PATH;([^;]*)", done.stderr)[1]
        self.assertTrue(pathlib.Path(source, "meson.build").samefile(
            ROOT / "meson.build"))

    def test_conan__names_version_packages_and_options(self):
        recipe = run_with(RECIPES / "conan/conanfile.py", {
            "conan": {"ConanFile": Anything}, "conan.tools": {},
            "conan.tools.files": {"copy": None, "load": lambda _, path:
                                  pathlib.Path(path).read_text()},
            "conan.tools.gnu": {"PkgConfigDeps": lambda _: Anything()},
            "conan.tools.layout": {"basic_layout": None},
            "conan.tools.meson": {"Meson": None, "MesonToolchain": None}})
        package = recipe["LevelclConan"]()
        package.recipe_folder = str(RECIPES / "conan")
        package.set_version()
        self.assertEqual(package.version, VERSION)
        self.check_names("conan", [name.split("/")[0] for name in
                                   package.requires + package.tool_requires])
        toolchain = Anything()
        toolchain.project_options = {}
        method = recipe["LevelclConan"].generate
        with unittest.mock.patch.dict(method.__globals__,
                                      MesonToolchain=lambda _: toolchain):
            method(package)
        self.check_options([f"-D{name}={str(value).lower()}" for name, value
                            in toolchain.project_options.items()])


unittest.main(argv=sys.argv[:1])
