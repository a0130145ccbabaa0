# SPDX-License-Identifier: BSD-3-Clause
# In the clone:
#   spack repo add packaging/spack
#   spack dev-build levelcl@0.2.0
from spack.package import *


class Levelcl(MesonPackage):
    """Large sparse linear systems on any OpenCL device."""

    license("BSD-3-Clause")

    version("0.2.0")

    variant("bzip2", default=True, description="files compressed by bzip2")
    variant("mpi", default=False, description="ranks that MPI connects")
    variant("suitesparse", default=True, description="LU factors by KLU")
    variant("tools", default=True, description="clsolve and levelbench")
    variant("zstd", default=True, description="files compressed by zstd")

    depends_on("c", type="build")
    depends_on("meson@1.0.1:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python", type="build")
    depends_on("opencl")
    depends_on("metis@5:")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("bzip2", when="+bzip2")
    depends_on("cjson", when="+tools")
    depends_on("mpi", when="+mpi")
    depends_on("suite-sparse", when="+suitesparse")
    depends_on("zstd", when="+zstd")

    def meson_args(self):
        features = "bzip2", "mpi", "suitesparse", "zstd"
        return [
            "-Dtests=false",
            "-Dclblast=disabled",
            "-Dpetsc=disabled",
            f"-Dtools={'true' if '+tools' in self.spec else 'false'}",
            *(f"-D{name}={'enabled' if '+' + name in self.spec else 'disabled'}"
              for name in features),
        ]
