// SPDX-License-Identifier: BSD-3-Clause
// A program outside the project that uses the installed library.
#include <levelcl/levelcl.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("levelcl %s: %s\n", lcl_version(), lcl_status_str(LCL_OK));
    return strcmp(lcl_version(), LCL_VERSION) != 0;
}
