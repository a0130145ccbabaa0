// SPDX-License-Identifier: BSD-3-Clause
// Projection of vectors along the null space of an operator; the kernels are in
// cl/krylov/projection.cl.
#pragma once

#include "lib/operator/operator.h"

struct lcl_projection {
    struct lcl_space space;
    int count; // basis vectors; 0: the projection changes nothing
    double value;
    lcl_kernel *dots, *take;
    lcl_buffer *basis;  // in A's numbering; NULL: one vector of entries `value`
    lcl_buffer *sums;   // `count` rows of partial sums
    lcl_buffer *zeros;  // `count`
    lcl_buffer *wanted; // `count`, of lcl_projection_keep()
};

// Uploads N, the null vectors of A, in A's numbering, which must not change
// later. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; *P
// is fit for lcl_projection_finish() in any case, and *P = {0} too.
enum lcl_status lcl_projection_init(struct lcl_projection *P,
                                    const lcl_operator *A,
                                    const struct lcl_null_vectors *N);
void lcl_projection_finish(struct lcl_projection *P);

// The functions below are collective on several ranks. Statuses as
// lcl_space_reduce().

// Enqueues z = z - N N^T z.
enum lcl_status lcl_projection_apply(const struct lcl_projection *P,
                                     lcl_buffer *z, const lcl_buffer *stop,
                                     int at);

// *norm = ||N^T z||. Blocking.
enum lcl_status lcl_projection_norm(const struct lcl_projection *P,
                                    const lcl_buffer *z, double *norm);

// Stores N^T x; lcl_projection_restore() gives x that component again.
enum lcl_status lcl_projection_keep(const struct lcl_projection *P,
                                    const lcl_buffer *x);
enum lcl_status lcl_projection_restore(const struct lcl_projection *P,
                                       lcl_buffer *x);

// A preconditioner whose results are projected.
struct lcl_projected {
    lcl_operator op;
    lcl_operator *inner;
    const struct lcl_projection *projection;
};

// Initialises T->op for operators in A's numbering.
void lcl_projected_init(struct lcl_projected *T, const lcl_operator *A,
                        const struct lcl_projection *P);
// Makes T->op project the results of M.
void lcl_projected_attach(struct lcl_projected *T, lcl_operator *M);
