// SPDX-License-Identifier: BSD-3-Clause
// Public interface of preconditioners.
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/interop.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/blocked.h"
#include "lib/matrix/csr.h"

#include <levelcl/opencl.h>

static const struct lcl_precond_ops *const methods[LCL_PRECOND_COUNT] = {
    [LCL_PRECOND_DEFAULT] = &lcl_precond_ilu,
    [LCL_PRECOND_NONE] = &lcl_precond_none,
    [LCL_PRECOND_JACOBI] = &lcl_precond_jacobi,
    [LCL_PRECOND_ILU0] = &lcl_precond_ilu,
    [LCL_PRECOND_ILDU0] = &lcl_precond_ilu,
    [LCL_PRECOND_IC0] = &lcl_precond_ilu,
    [LCL_PRECOND_BLOCK_JACOBI] = &lcl_precond_block_jacobi,
};

// Whether the method was published for unit L and U with separate D.
static bool is_for_ildu0(enum lcl_trisolve trisolve)
{
    return trisolve == LCL_TRISOLVE_DAG_VC_ILDU0_FUSED ||
           trisolve == LCL_TRISOLVE_DAG_EC_LDS_UD ||
           trisolve == LCL_TRISOLVE_DAG_EC_ILDU0_FUSED;
}

static enum lcl_status check_params(const struct lcl_precond_params *p,
                                    const struct lcl_log *log)
{
    if ((unsigned)p->type >= LCL_PRECOND_COUNT ||
        (unsigned)p->trisolve >= LCL_TRISOLVE_COUNT ||
        (unsigned)p->spmv >= LCL_SPMV_COUNT ||
        (unsigned)p->kron >= LCL_KRON_COUNT ||
        (unsigned)p->pivot >= LCL_PIVOT_COUNT ||
        (unsigned)p->storage >= LCL_FACTOR_STORAGE_COUNT ||
        (unsigned)p->coarse >= LCL_COARSE_COUNT ||
        (unsigned)p->block_jacobi.extraction >= LCL_BLOCK_EXTRACTION_COUNT ||
        (unsigned)p->block_jacobi.apply >= LCL_BLOCK_APPLY_COUNT ||
        (unsigned)p->partition.type >= LCL_PARTITION_COUNT ||
        (unsigned)p->partition.weights >= LCL_WEIGHTS_COUNT)
        return lcl_misuse(log, "lcl_precond_create: an enum is out of range");
    if (!(p->pivot_tol >= 0 && p->pivot_tol < 1))
        return lcl_fail(log, LCL_EINVAL,
                        "pivot_tol %g: expected a number from 0 to 1",
                        p->pivot_tol);
    if (p->block_size < 0 || p->block_size > LCL_BLOCK_MAX)
        return lcl_fail(log, LCL_EINVAL,
                        "block size %d: expected a number from 1 to %d, or 0",
                        p->block_size, LCL_BLOCK_MAX);
    if (p->storage == LCL_FACTOR_STORAGE_ADAPTIVE &&
        p->type != LCL_PRECOND_BLOCK_JACOBI)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "factor storage adaptive is for block-jacobi");
    if (p->type == LCL_PRECOND_ILU0 && is_for_ildu0(p->trisolve))
        return lcl_fail(log, LCL_EINVAL, "%s applies ildu0 factors, not ilu0",
                        lcl_trisolve_name(p->trisolve));
    return LCL_OK;
}

// IC(0) checks the sign of scalar pivots, but not of block pivots; blocks must
// therefore be requested explicitly.
static int block_size(const struct lcl_precond_params *p)
{
    return p->type == LCL_PRECOND_IC0 && p->block_size == 0 ? 1 : p->block_size;
}

// Of scalar or of block rows and columns.
static enum lcl_status check_square(int64_t rows, int64_t cols,
                                    const struct lcl_log *log)
{
    if (rows == cols)
        return LCL_OK;
    return lcl_fail(log, LCL_EFORMAT,
                    "the matrix is %lld x %lld: a square one is needed",
                    (long long)rows, (long long)cols);
}

// Reports a NULL argument; the object itself may be NULL.
static enum lcl_status refuse_null(const lcl_precond *M, const char *function)
{
    return lcl_misuse(M ? lcl_context_log(M->ctx) : NULL,
                      "%s: an argument is NULL", function);
}

enum lcl_status lcl_precond_refactor(lcl_precond *M)
{
    lcl_phase_enter(M->ctx, LCL_PHASE_NUMERIC);
    const enum lcl_status st = M->ops->update(M);
    lcl_phase_leave(M->ctx);
    const struct lcl_precond_info *info = &M->info;
    const bool ic0 = info->type == LCL_PRECOND_IC0;
    if (st == LCL_EPIVOT)
        return lcl_fail(lcl_context_log(M->ctx), st,
                        "row %lld has a zero or tiny%s pivot, and the pivot "
                        "policy is 'fail'",
                        (long long)info->repaired_rows[0] + 1,
                        ic0 ? " or negative" : "");
    if (st < 0 || info->pivots_repaired == 0)
        return st;
    lcl_warn(lcl_context_log(M->ctx),
             "%lld pivots repaired, the first in row %lld%s",
             (long long)info->pivots_repaired,
             (long long)info->repaired_rows[0] + 1,
             ic0 ? ": the incomplete factors are not positive definite" : "");
    return LCL_PIVOTS_REPAIRED;
}

static enum lcl_status make_product(lcl_precond *M, enum lcl_spmv_type type)
{
    const enum lcl_status st = lcl_system_make_product(&M->system, type);
    M->info.spmv = M->system.product.type;
    M->info.spmv_bytes = M->system.product.bytes;
    return st;
}

// Expects well-formed square matrices, checked parameters and *out NULL.
static enum lcl_status create(lcl_precond **out, lcl_context *ctx,
                              const struct lcl_blocked *B,
                              const struct lcl_precond_params *params)
{
    const struct lcl_bsr *A = &B->A;
    lcl_precond *M = lcl_calloc(1, sizeof *M);
    enum lcl_status st;
    if (!M)
        return lcl_fail_memory(lcl_context_log(ctx), "a preconditioner");
    M->ctx = ctx;
    M->ops = methods[params->type];
    M->info = (struct lcl_precond_info){
        .type = params->type ? params->type : LCL_PRECOND_ILDU0,
        .rows = A->rows * A->block_size,
        .nnz = B->entries,
        .block_size = A->block_size,
        .coarse = LCL_COARSE_NONE,
        .stages = 1,
        .form = "",
    };
    if ((st = M->ops->create(M, A, params)) < 0 ||
        (st = lcl_system_take_entries(&M->system, B->place, B->entries)) < 0 ||
        (st = make_product(M, params->spmv)) < 0 ||
        (st = lcl_precond_refactor(M)) < 0)
        lcl_precond_destroy(&M);
    *out = M;
    return st;
}

enum lcl_status lcl_precond_begin(lcl_precond **out, const lcl_context *ctx,
                                  const void *A, const char *function,
                                  const struct lcl_precond_params **params)
{
    static const struct lcl_precond_params defaults = LCL_PRECOND_PARAMS_INIT;
    const struct lcl_log *log = lcl_context_log(ctx);
    if (!*params)
        *params = &defaults;
    if (out)
        *out = NULL;
    return out && ctx && A
               ? check_params(*params, log)
               : lcl_misuse(log, "%s: an argument is NULL", function);
}

enum lcl_status lcl_precond_create(lcl_precond **out, lcl_context *ctx,
                                   const struct lcl_csr *A,
                                   const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_blocked B;
    enum lcl_status st;
    if ((st = lcl_precond_begin(out, ctx, A, "lcl_precond_create", &params)) <
            0 ||
        (st = lcl_csr_check(A, log)) < 0 ||
        (st = check_square(A->rows, A->cols, log)) < 0)
        return st;
    if ((st = lcl_blocked_from_csr(&B, ctx, A, block_size(params))) == LCL_OK)
        st = create(out, ctx, &B, params);
    lcl_blocked_finish(&B);
    return st;
}

enum lcl_status lcl_precond_create_bsr(lcl_precond **out, lcl_context *ctx,
                                       const struct lcl_bsr *A,
                                       const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_blocked B;
    enum lcl_status st;
    if ((st = lcl_precond_begin(out, ctx, A, "lcl_precond_create_bsr",
                                &params)) < 0 ||
        (st = lcl_bsr_check(A, log)) < 0 ||
        (st = check_square(A->rows, A->cols, log)) < 0 ||
        (st = lcl_blocked_from_bsr(&B, ctx, A, params->block_size)) < 0)
        return st;
    return create(out, ctx, &B, params);
}

enum lcl_status lcl_precond_update(lcl_precond *M, const double *val)
{
    if (!M || !val)
        return refuse_null(M, "lcl_precond_update");
    if (M->kron)
        return lcl_misuse(lcl_context_log(M->ctx),
                          "lcl_precond_update: it was made of a lcl_kron");
    const int64_t k = lcl_find_not_finite(val, M->system.entries);
    if (k >= 0)
        return lcl_fail(lcl_context_log(M->ctx), LCL_EFORMAT,
                        "lcl_precond_update: value %lld is not finite",
                        (long long)k);
    const enum lcl_status st = lcl_system_update(&M->system, val);
    return st < 0 ? st : lcl_precond_refactor(M);
}

static enum lcl_status make_vectors(lcl_precond *M)
{
    enum lcl_status st = LCL_OK;
    if (!M->b)
        st = lcl_buffer_create(&M->b, M->ctx, M->system.n, sizeof(double),
                               "vector");
    if (st == LCL_OK && !M->x)
        st = lcl_buffer_create(&M->x, M->ctx, M->system.n, sizeof(double),
                               "vector");
    return st;
}

enum lcl_status lcl_precond_apply(lcl_precond *M, const double *b, double *x)
{
    enum lcl_status st;
    if (!M || !b || !x)
        return refuse_null(M, "lcl_precond_apply");
    if ((st = make_vectors(M)) < 0 ||
        (st = lcl_system_put(&M->system, b, M->b)) < 0 ||
        (st = M->ops->apply(M, M->b, M->x, M->system.never, 0)) < 0)
        return st;
    return lcl_system_get(&M->system, M->x, x);
}

enum lcl_status lcl_precond_apply_cl(lcl_precond *M, cl_mem b, cl_mem x)
{
    lcl_buffer *in = NULL, *result = NULL;
    enum lcl_status st;
    if (!M || !b || !x)
        return refuse_null(M, "lcl_precond_apply_cl");
    const size_t bytes = (size_t)M->system.n * sizeof(double);
    if ((st = make_vectors(M)) < 0 ||
        (st = lcl_buffer_wrap(&in, M->ctx, b, LCL_ACCESS_READ, "b")) < 0 ||
        (st = lcl_buffer_wrap(&result, M->ctx, x, LCL_ACCESS_WRITE, "x")) < 0)
        goto out;
    if (lcl_buffer_bytes(in) != bytes || lcl_buffer_bytes(result) != bytes) {
        st = lcl_fail(lcl_context_log(M->ctx), LCL_EINVAL,
                      "lcl_precond_apply_cl: buffers of %zu bytes expected",
                      bytes);
        goto out;
    }
    if ((st = lcl_system_import(&M->system, in, M->b)) == LCL_OK &&
        (st = M->ops->apply(M, M->b, M->x, M->system.never, 0)) == LCL_OK)
        st = lcl_system_export(&M->system, M->x, result);
out:
    lcl_buffer_destroy(&result);
    lcl_buffer_destroy(&in);
    return st;
}

const struct lcl_precond_info *lcl_precond_info(const lcl_precond *M)
{
    return M ? &M->info : NULL;
}

void lcl_precond_destroy(lcl_precond **precond)
{
    if (!precond || !*precond)
        return;
    lcl_precond *M = *precond;
    M->ops->destroy(M);
    lcl_system_finish(&M->system);
    lcl_buffer_destroy(&M->b);
    lcl_buffer_destroy(&M->x);
    lcl_free(M);
    *precond = NULL;
}
