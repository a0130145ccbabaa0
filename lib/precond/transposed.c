// SPDX-License-Identifier: BSD-3-Clause
// M^-T: the same method for A^T, on the same subdomains or diagonal blocks. The
// incomplete factors of A^T on the transposed pattern are the transposes of
// those of A.
#include "lib/operator/transposed.h"

#include "host/log.h"
#include "lib/precond/precond.h"

static enum lcl_status refuse(const lcl_precond *M, const char *why)
{
    return lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EUNSUPPORTED,
                    "lcl_precond_apply_transpose: %s %s",
                    lcl_precond_name(M->info.type), why);
}

static enum lcl_status check(const lcl_precond *M)
{
    if (M->whole || !M->ops->transposed)
        return refuse(M, "has no transpose here; none, jacobi, block-jacobi, "
                         "ilu0, ildu0 and ic0 on one device have");
    if (M->matrix == M->A && M->version != M->A->version)
        return lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EINVAL,
                        "lcl_precond_apply_transpose: the operator has new "
                        "values; call lcl_precond_update() first");
    return LCL_OK;
}

// A pivot counts as small relative to the largest entry of its row, which here
// is a column of A^T.
static enum lcl_status expect_no_repairs(const lcl_precond *M)
{
    return M->info.pivots_repaired > 0
               ? refuse(M, "has repaired pivots, which may differ from those "
                           "of the transpose")
               : LCL_OK;
}

static enum lcl_status update_values(lcl_precond *M, lcl_operator *T)
{
    enum lcl_status st = LCL_OK;
    if (!M->transposed)
        st = M->ops->transposed(M, &M->transposed, T);
    if (st < 0 || (st = lcl_precond_factor(M->transposed)) < 0 ||
        (st = expect_no_repairs(M->transposed)) < 0)
        return st;
    M->transposed_version = M->version;
    return LCL_OK;
}

bool lcl_precond_is_symmetric(const lcl_precond *M)
{
    return M->ops->symmetric && !M->whole;
}

enum lcl_status lcl_precond_transpose(lcl_precond *M)
{
    lcl_operator *T;
    enum lcl_status st;
    if (M->transposed && M->transposed_version == M->version)
        return LCL_OK;
    if ((st = check(M)) < 0 || (st = expect_no_repairs(M)) < 0 ||
        (st = lcl_operator_transposed(&T, M->matrix)) < 0)
        return st;
    if ((st = update_values(M, T)) < 0)
        lcl_precond_destroy(&M->transposed);
    return st;
}

enum lcl_status lcl_precond_apply_transpose(lcl_precond *M, const double *b,
                                            double *x)
{
    if (!M || !b || !x)
        return lcl_misuse(M ? lcl_context_log(M->op.range.ctx) : NULL,
                          "lcl_precond_apply_transpose: an argument is NULL");
    enum lcl_status st =
        lcl_context_expect_free(M->op.range.ctx, "lcl_precond_apply_transpose");
    if (st < 0)
        return st;
    if (lcl_precond_is_symmetric(M))
        return lcl_precond_apply(M, b, x);
    if ((st = lcl_precond_transpose(M)) < 0)
        return st;
    return lcl_apply_numbered(&M->transposed->op, M->matrix->numbering, b, x);
}
