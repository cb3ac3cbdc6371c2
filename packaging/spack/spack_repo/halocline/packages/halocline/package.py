# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe. `spack repo add packaging/spack/spack_repo/halocline` makes it known; docs/packages.md."""
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import conflicts, depends_on, license, variant, version


class Halocline(CMakePackage):
    """One-sided halo swaps for stencil codes in C, C++ and Fortran, beside the MPI that they already use."""

    license("BSD-3-Clause")

    # No address of a tarball yet: `spack dev-build halocline@0.2.0` builds the clone that this recipe lies in.
    version("0.2.0")

    variant("fortran", default=True, description="Build the Fortran modules")
    variant("tools", default=True, description="Build the command halocline and the programs that it drives")
    variant("apps", default=False, description="Build the mini-app cloud")
    variant("tracing", default=True, description="Let HALOCLINE_TRACE and HALOCLINE_SUMMARY work")
    variant("mpi_abi", default=True, description="Build the drop-in for the MPI-5 ABI, too, if the MPI offers that")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    generator("ninja")

    depends_on("mpi@3.1:")
    # Its headers for the build; the library itself is loaded at run time, so that its folder has to be known then.
    depends_on("libfabric@1.11:", type=("build", "link", "run"))
    depends_on("cli11@2.1:", type="build", when="+tools")
    depends_on("cli11@2.1:", type="build", when="+apps")
    depends_on("nlohmann-json@3.10:", type="build", when="+tools")
    depends_on("nlohmann-json@3.10:", type="build", when="+apps")
    # The command halocline; its tables need py-rich, its pictures py-matplotlib.
    depends_on("python@3.10:", type="run", when="+tools")
    depends_on("py-rich@13:", type="run", when="+tools")
    depends_on("py-matplotlib@3.6:", type="run", when="+tools")
    depends_on("netcdf-fortran", when="+apps+fortran")

    conflicts("%gcc@:11", msg="the library is written in C++20, which g++ 12 compiles")

    def cmake_args(self):
        mpi = self.spec["mpi"]
        return [
            self.define("MPI_C_COMPILER", mpi.mpicc),
            self.define("MPI_CXX_COMPILER", mpi.mpicxx),
            self.define("HALOCLINE_TESTS", False),
            self.define_from_variant("HALOCLINE_FORTRAN", "fortran"),
            self.define_from_variant("HALOCLINE_TOOLS", "tools"),
            self.define_from_variant("HALOCLINE_APPS", "apps"),
            self.define_from_variant("HALOCLINE_TRACING", "tracing"),
            self.define_from_variant("HALOCLINE_MPI_ABI", "mpi_abi"),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.spec["libfabric"].prefix.lib)
