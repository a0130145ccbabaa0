// SPDX-License-Identifier: BSD-3-Clause
// The residual of a verdict, in three times the working precision; the kernels
// are cl/operator/judge.cl and kron_judge.cl.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/halo.h"

// x and b have `columns` interleaved columns; the residual is that of column
// `column`. r and `backward` have one column.
struct lcl_judged {
    const lcl_buffer *x, *b;
    int columns, column;
    // r = b - A x, rounded away from zero by a bound on its error; `backward`
    // is |r_i| / (|A| |x| + |b|)_i for each row
    lcl_buffer *r, *backward;
    lcl_buffer *sums; // two per group, overwritten
};

// Enqueues the residual; collective. A callback has unknown entries: r then is
// the residual of its own product in working precision, and `backward` is 0.
// Vectors are in A's numbering; only a matrix on one device supports several
// columns. If v is NULL, builds the kernels. Statuses as lcl_apply() and
// lcl_kernel_get().
enum lcl_status lcl_judge(lcl_operator *A, const struct lcl_judged *v);

// Whether the entries of A are known.
static inline bool lcl_judges(const lcl_operator *A)
{
    return A->ops->judge;
}

// The residual in all rows of a matrix on one device, and in the boundary rows
// of a halo whose ghosts have arrived. v NULL: as above.
enum lcl_status lcl_judge_matrix(lcl_context *ctx,
                                 const struct lcl_device_matrix *D,
                                 const struct lcl_judged *v);
enum lcl_status lcl_judge_boundary(const struct lcl_halo *H,
                                   const struct lcl_judged *v);
