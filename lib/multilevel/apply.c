// SPDX-License-Identifier: BSD-3-Clause
// Application of the coarse correction.
#include "lib/multilevel/coarse.h"

#include "host/launch.h"
#include "lib/multilevel/pattern.h"

// ------------------------------------------------------------------- steps

enum lcl_status lcl_coarse_restrict(const struct lcl_coarse_space *C,
                                    const lcl_buffer *r, const lcl_buffer *stop,
                                    int at)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_RESTRICT], C->aggregates,
                      lcl_arg_buffer(P->agg_ptr), lcl_arg_buffer(P->agg_parts),
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(r),
                      lcl_arg_buffer(C->t), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}

// t = Z^T r - W^T z
static enum lcl_status deflate(const struct lcl_coarse_space *C,
                               const lcl_buffer *r, const lcl_buffer *z,
                               const lcl_buffer *stop, int at)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_DEFLATE], C->aggregates,
                      lcl_arg_buffer(P->agg_ptr), lcl_arg_buffer(P->agg_parts),
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(P->col_ptr),
                      lcl_arg_buffer(P->order), lcl_arg_buffer(P->run_row),
                      lcl_arg_buffer(C->w), lcl_arg_buffer(r),
                      lcl_arg_buffer(z), lcl_arg_buffer(C->t),
                      lcl_arg_buffer(stop), lcl_arg_int(at));
}

// e = E^-1 t
static enum lcl_status solve(const struct lcl_coarse_space *C,
                             const lcl_buffer *stop, int at)
{
    return lcl_gemv_apply(&C->gemv, C->t, C->e, stop, at);
}

enum lcl_status lcl_coarse_residual(const struct lcl_coarse_space *C,
                                    const lcl_buffer *r, const lcl_buffer *stop,
                                    int at)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_RESIDUAL], C->row_groups,
                      lcl_arg_long(C->n), lcl_arg_buffer(P->run_ptr),
                      lcl_arg_buffer(P->run_agg), lcl_arg_buffer(C->w),
                      lcl_arg_buffer(C->e), lcl_arg_buffer(r),
                      lcl_arg_buffer(C->y), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}

// x = x + Z e
static enum lcl_status prolong(const struct lcl_coarse_space *C, lcl_buffer *x,
                               const lcl_buffer *stop, int at)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_PROLONG], C->parts,
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(P->part_agg),
                      lcl_arg_buffer(C->e), lcl_arg_buffer(x),
                      lcl_arg_buffer(stop), lcl_arg_int(at));
}

// x = x + Z e, and partial sums of <r, x>.
static enum lcl_status prolong_dot(const struct lcl_coarse_space *C,
                                   const lcl_buffer *r, lcl_buffer *x,
                                   lcl_buffer *sums, const lcl_buffer *stop,
                                   int at)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_PROLONG_DOT], C->groups,
                      lcl_arg_long(C->parts), lcl_arg_buffer(P->part_ptr),
                      lcl_arg_buffer(P->part_agg), lcl_arg_buffer(C->e),
                      lcl_arg_buffer(r), lcl_arg_buffer(x),
                      lcl_arg_buffer(sums), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}

// ------------------------------------------------------------------- apply

static enum lcl_status apply_inner(const struct lcl_coarse_space *C,
                                   const struct lcl_inner *M,
                                   const lcl_buffer *r, lcl_buffer *x,
                                   const lcl_buffer *stop, int at)
{
    const enum lcl_status st = M->apply(M->user, r, x, stop, at);
    return st < 0 || M->prolongs ? st : prolong(C, x, stop, at);
}

static enum lcl_status apply_add(const struct lcl_coarse_space *C,
                                 const struct lcl_inner *M, const lcl_buffer *r,
                                 lcl_buffer *x, const lcl_buffer *stop, int at)
{
    enum lcl_status st;
    if ((st = lcl_coarse_restrict(C, r, stop, at)) < 0 ||
        (st = solve(C, stop, at)) < 0)
        return st;
    return apply_inner(C, M, r, x, stop, at);
}

static enum lcl_status apply_mult(const struct lcl_coarse_space *C,
                                  const struct lcl_inner *M,
                                  const lcl_buffer *r, lcl_buffer *x,
                                  const lcl_buffer *stop, int at)
{
    enum lcl_status st;
    if ((st = lcl_coarse_restrict(C, r, stop, at)) < 0 ||
        (st = solve(C, stop, at)) < 0 ||
        (st = lcl_coarse_residual(C, r, stop, at)) < 0)
        return st;
    return apply_inner(C, M, C->y, x, stop, at);
}

enum lcl_status lcl_coarse_apply(const struct lcl_coarse_space *C,
                                 const struct lcl_inner *M, const lcl_buffer *r,
                                 lcl_buffer *x, const lcl_buffer *stop, int at)
{
    if (C->off)
        return M->apply(M->user, r, x, stop, at);
    switch (C->form) {
    case LCL_CORRECT_ADD:
        return apply_add(C, M, r, x, stop, at);
    case LCL_CORRECT_MULT:
        return apply_mult(C, M, r, x, stop, at);
    }
    return LCL_EINVAL;
}

// ------------------------------------------------------------------- A-DEF2

enum lcl_status lcl_coarse_prepare_deflated(struct lcl_coarse_space *C)
{
    return lcl_coarse_pattern_find_rows(&C->pattern, C->ctx);
}

enum lcl_status lcl_coarse_apply_deflated(const struct lcl_coarse_space *C,
                                          const struct lcl_inner *M,
                                          const lcl_buffer *r, lcl_buffer *x,
                                          lcl_buffer *sums,
                                          const lcl_buffer *stop, int at)
{
    enum lcl_status st;
    if ((st = M->apply(M->user, r, x, stop, at)) < 0 ||
        (st = deflate(C, r, x, stop, at)) < 0 || (st = solve(C, stop, at)) < 0)
        return st;
    return prolong_dot(C, r, x, sums, stop, at);
}

enum lcl_status lcl_coarse_start(const struct lcl_coarse_space *C,
                                 const lcl_buffer *r, lcl_buffer *x)
{
    enum lcl_status st;
    if (C->off)
        return LCL_OK;
    if ((st = lcl_coarse_restrict(C, r, C->never, 0)) < 0 ||
        (st = solve(C, C->never, 0)) < 0)
        return st;
    return prolong(C, x, C->never, 0);
}
