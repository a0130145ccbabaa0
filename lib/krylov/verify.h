// SPDX-License-Identifier: BSD-3-Clause
// Verdicts: the true residual of x in three times the working precision, so
// that success does not depend on rounding. The kernels are
// cl/operator/judge.cl and cl/krylov/verify.cl.
#pragma once

#include "lib/krylov/krylov.h"
#include "lib/operator/judge.h"

// *V is fit for lcl_verify_finish() in any case.
enum lcl_status lcl_verify_init(struct lcl_verify *V,
                                const struct lcl_solver *S);
void lcl_verify_finish(struct lcl_verify *V);

// All functions below block and are collective. Statuses as lcl_judge(),
// lcl_buffer_read() and lcl_comm_gather().

// S->r = S->b - A S->x; S->rr, infinite if x or r is not finite, S->backward
// and S->r_dot_r; the second half of S->sums keeps the partial sums of <r, r>.
// A warning names an entry of x that is not finite. If S->unit is not 0, x is
// first rounded as the caller will get it.
enum lcl_status lcl_verify(struct lcl_solver *S);

// C->rr and C->backward from the column `v->column` of interleaved v->x and
// v->b, in S's vectors.
enum lcl_status lcl_verify_column(struct lcl_solver *S, struct lcl_solver *C,
                                  const struct lcl_judged *v);

// v = 2^exponent v
enum lcl_status lcl_verify_scale(const struct lcl_solver *S, lcl_buffer *v,
                                 int exponent);

// S->r = S->b, the residual of x = 0, with S->rr, S->r_dot_r and S->sums.
enum lcl_status lcl_verify_at_zero(struct lcl_solver *S);

// The same for a new S->b, which first gets a unit, S->unit, in which squares
// neither overflow nor vanish.
enum lcl_status lcl_verify_read_b(struct lcl_solver *S);
