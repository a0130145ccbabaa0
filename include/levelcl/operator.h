/* SPDX-License-Identifier: BSD-3-Clause */
/* Products y = A x on the device. */
#ifndef LEVELCL_OPERATOR_H
#define LEVELCL_OPERATOR_H

#include <levelcl/context.h>

LCL_BEGIN_DECLS

/* How a matrix is multiplied by a vector. */
enum lcl_spmv_type {
    LCL_SPMV_DEFAULT = 0, /* the fastest for the device and the pattern:
                             measured once, then remembered on disk; CSR below
                             10,000 rows or 100,000 entries */
    LCL_SPMV_CSR,         /* as stored, CSR or BSR: so many lanes share a row as
                             fit its mean length */
    LCL_SPMV_SLICED,      /* slices of as many rows as run together, in ELL with
                             16-bit columns near the diagonal: a second copy of
                             the matrix; not for rows of very unequal length */
    LCL_SPMV_COUNT,
};

/* The name as it is printed and parsed: "auto", "csr", "sliced". */
LCL_API const char *lcl_spmv_name(enum lcl_spmv_type type);

LCL_END_DECLS

#endif
