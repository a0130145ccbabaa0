// SPDX-License-Identifier: BSD-3-Clause
// The packages with which clsolve and the library were built.
#include "tools/clsolve/built.h"

#include <levelcl/version.h>

#include <stdio.h>
#include <string.h>

#ifdef CLSOLVE_PETSC
# define PETSC true
#else
# define PETSC false
#endif

static const struct package {
    const char *name, *of_debian;
} packages[] = {
    {"bzip2", "libbz2-dev"},
    {"CLBlast", "libclblast-dev"},
    {"liblzma", "liblzma-dev"},
    {"METIS", "libmetis-dev"},
    {"MPI", "libopenmpi-dev"},
    {"SuiteSparse", "libsuitesparse-dev"},
    {"zlib", "zlib1g-dev"},
    {"zstd", "libzstd-dev"},
    {"PETSc adapter", "libpetsc-real-dev"},
};

enum { ADAPTER = sizeof packages / sizeof *packages - 1 };

bool built_list(char text[BUILT_BYTES], bool missing)
{
    int length = 0;
    *text = '\0';
    for (int i = 0; i <= ADAPTER; ++i) {
        const struct package *p = &packages[i];
        const bool there =
            i == ADAPTER ? PETSC : strstr(lcl_packages(), p->name) != NULL;
        if (there == missing)
            continue;
        length += snprintf(text + length, BUILT_BYTES - (size_t)length,
                           missing ? "%s%s (%s)" : "%s%s", length ? ", " : "",
                           p->name, p->of_debian);
    }
    return length > 0;
}
