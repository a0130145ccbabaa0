/* SPDX-License-Identifier: BSD-3-Clause */
/* Release and ABI numbers, which the build reads from this file. */
#ifndef LEVELCL_VERSION_H
#define LEVELCL_VERSION_H

#include <levelcl/export.h>

#define LCL_VERSION_MAJOR 0
#define LCL_VERSION_MINOR 2
#define LCL_VERSION_PATCH 0
#define LCL_VERSION       "0.2.0"

/* Raised by every release that is not binary compatible with the one before
 * (while the major version is 0, every release that changes a struct). */
#define LCL_SOVERSION 1

LCL_BEGIN_DECLS

/* The version of the linked library, which may differ from LCL_VERSION of the
 * header used to compile. Static storage. */
LCL_API const char *lcl_version(void);

/* The packages with which the linked library was built, in alphabetical order
 * with a blank between, such as "liblzma METIS MPI SuiteSparse zlib zstd";
 * bzip2, CLBlast, MPI, SuiteSparse and zstd are there or not. Static storage.
 */
LCL_API const char *lcl_packages(void);

LCL_END_DECLS

#endif
