// SPDX-License-Identifier: BSD-3-Clause
// The packages with which the library was built.
#include <levelcl/version.h>

const char *lcl_packages(void)
{
    return LCL_PACKAGES;
}
