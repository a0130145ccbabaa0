# SPDX-License-Identifier: BSD-3-Clause
# Conan 2, the library alone; in the clone:
#   conan create packaging/conan --build=missing
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain


class LevelclConan(ConanFile):
    name = "levelcl"
    description = "Large sparse linear systems on any OpenCL device"
    license = "BSD-3-Clause"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": True, "fPIC": True}
    implements = ["auto_shared_fpic"]
    requires = (
        "metis/[>=5.1 <6]",
        "opencl-icd-loader/[>=2023]",
        "xz_utils/[>=5.2 <6]",
        "zlib/[>=1.2.11 <2]",
        "zstd/[>=1.5 <2]",
    )
    tool_requires = "meson/[>=1.0.1 <2]", "pkgconf/[>=1.9 <3]"

    def set_version(self):
        header = load(self, os.path.join(
            self.recipe_folder, "../../include/levelcl/version.h"))
        self.version = re.search(r'LCL_VERSION +"(.*)"', header)[1]

    def export_sources(self):
        copy(self, "*", os.path.join(self.recipe_folder, "../.."),
             self.export_sources_folder, excludes=("build*", ".git*", "obj-*"))

    def configure(self):
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def layout(self):
        basic_layout(self)

    def generate(self):
        PkgConfigDeps(self).generate()
        toolchain = MesonToolchain(self)
        toolchain.project_options.update({
            "tests": False, "tools": False, "bzip2": "disabled",
            "clblast": "disabled", "mpi": "disabled", "petsc": "disabled",
            "suitesparse": "disabled", "zstd": "enabled"})
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["levelcl"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["m", "pthread"]
