// SPDX-License-Identifier: BSD-3-Clause
// A program outside the project that uses the installed library.
#include <levelcl/levelcl.h>

#include <stdio.h>
#include <string.h>

// Needs the dependencies of the library if that is an archive.
static enum lcl_status (*volatile create)(
    lcl_operator **, lcl_context *, const struct lcl_csr *,
    const struct lcl_operator_params *) = lcl_operator_create;

int main(void)
{
    if (!create)
        return 1;
    printf("levelcl %s: %s\n", lcl_version(), lcl_status_str(LCL_OK));
    return strcmp(lcl_version(), LCL_VERSION) != 0;
}
