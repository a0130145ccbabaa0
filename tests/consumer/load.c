// SPDX-License-Identifier: BSD-3-Clause
// Loads a shared library with all that it needs, as PETSc does.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc == 2 && dlopen(argv[1], RTLD_NOW))
        return 0;
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "expected a file");
    return 1;
}
