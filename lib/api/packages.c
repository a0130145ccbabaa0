// SPDX-License-Identifier: BSD-3-Clause
// The packages with which the library was built.
#include "host/blas.h"
#include "lib/comm/mpi.h"
#include "lib/factor/direct.h"

#include <levelcl/version.h>

const char *lcl_packages(void)
{
    static const char *const names[2][2][2] = {
        {{"liblzma METIS zlib", "liblzma METIS MPI zlib"},
         {"CLBlast liblzma METIS zlib", "CLBlast liblzma METIS MPI zlib"}},
        {{"liblzma METIS SuiteSparse zlib",
          "liblzma METIS MPI SuiteSparse zlib"},
         {"CLBlast liblzma METIS SuiteSparse zlib",
          "CLBlast liblzma METIS MPI SuiteSparse zlib"}},
    };
    return names[lcl_direct_there()][lcl_blas_there()][lcl_mpi_there()];
}
