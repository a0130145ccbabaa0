/* SPDX-License-Identifier: BSD-3-Clause */
/* Products y = A x on the device. */
#ifndef LEVELCL_OPERATOR_H
#define LEVELCL_OPERATOR_H

#include <levelcl/context.h>

LCL_BEGIN_DECLS

/* How a matrix is multiplied by a vector. */
enum lcl_spmv_type {
    LCL_SPMV_DEFAULT = 0, /* CSR */
    LCL_SPMV_CSR,         /* as stored, CSR or BSR: so many lanes share a row as
                             fit its mean length */
    LCL_SPMV_BINNED,      /* rows of up to 16 entries one work-item each, others
                             one wave each, side by side on two queues; single
                             entries only. Source: Gogusdere, "MMI713 Term
                             Project - Phase 3 Report" (METU 2025), IV.C */
    LCL_SPMV_ADAPTIVE,    /* as many lanes a row as fit its own length, in one
                             launch, and several groups for very long rows;
                             single entries only */
    LCL_SPMV_COUNT,
};

/* The name as it is printed and parsed: "csr". */
LCL_API const char *lcl_spmv_name(enum lcl_spmv_type type);

LCL_END_DECLS

#endif
