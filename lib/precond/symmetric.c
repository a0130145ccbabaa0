// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners for CG.
#include "lib/precond/symmetric.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/symmetry.h"

enum lcl_status lcl_precond_make_symmetric(lcl_precond *M)
{
    const enum lcl_status st = lcl_dot_init(&M->dot, M->ctx);
    M->dot_launches = M->info.launches + 1;
    return st < 0 || !M->ops->make_symmetric ? st : M->ops->make_symmetric(M);
}

enum lcl_status lcl_precond_start(lcl_precond *M, const lcl_buffer *r,
                                  lcl_buffer *x, bool *changed)
{
    *changed = false;
    return M->ops->start ? M->ops->start(M, r, x, changed) : LCL_OK;
}

enum lcl_status lcl_precond_apply_dot(lcl_precond *M, const lcl_buffer *b,
                                      lcl_buffer *x, lcl_buffer *sums,
                                      const lcl_buffer *stop, int at)
{
    return M->ops->apply_dot
               ? M->ops->apply_dot(M, b, x, sums, stop, at)
               : lcl_precond_apply_then_dot(M, b, x, sums, stop, at);
}

enum lcl_status lcl_precond_apply_then_dot(lcl_precond *M, const lcl_buffer *b,
                                           lcl_buffer *x, lcl_buffer *sums,
                                           const lcl_buffer *stop, int at)
{
    const enum lcl_status st = M->ops->apply(M, b, x, stop, at);
    return st < 0 ? st
                  : lcl_dot_run(&M->dot, M->system.n, b, x, sums, stop, at);
}

enum lcl_status lcl_precond_require_symmetric(lcl_precond *M, const char *who)
{
    struct lcl_system *S = &M->system;
    if (M->kron)
        return lcl_fail(lcl_context_log(S->ctx), LCL_EUNSUPPORTED,
                        "%s needs a symmetric matrix, which a system in "
                        "Kronecker form is not known to have",
                        who);
    if (!S->symmetry_known) {
        const enum lcl_status st =
            lcl_symmetry_measure(&S->asymmetry, S->ctx, &S->matrix);
        if (st < 0)
            return st;
        S->symmetry_known = true;
    }
    if (S->asymmetry <= LCL_SYMMETRY_TOLERANCE)
        return LCL_OK;
    return lcl_fail(lcl_context_log(S->ctx), LCL_EUNSUPPORTED,
                    "%s needs a symmetric matrix: <u, A w> and <w, A u> of two "
                    "vectors differ by %.1e of their terms",
                    who, S->asymmetry);
}
