// SPDX-License-Identifier: BSD-3-Clause
// Public interface of preconditioners of Kronecker systems.
#include "lib/precond/kron_precond.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

static const struct lcl_kron_method none = {.ops = &lcl_precond_none};

static const struct lcl_kron_method *const methods[LCL_PRECOND_COUNT] = {
    [LCL_PRECOND_DEFAULT] = &lcl_kron_stages,
    [LCL_PRECOND_NONE] = &none,
    [LCL_PRECOND_ILU0] = &lcl_kron_stages,
    [LCL_PRECOND_ILDU0] = &lcl_kron_stages,
    [LCL_PRECOND_IC0] = &lcl_kron_stages,
    [LCL_PRECOND_BLOCK_JACOBI] = &lcl_kron_block_jacobi,
};

static enum lcl_status check(const struct lcl_kron *K,
                             const struct lcl_precond_params *params,
                             const struct lcl_log *log)
{
    const enum lcl_status st = lcl_kron_check(K, log);
    if (st < 0)
        return st;
    if (!methods[params->type])
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s is not for systems in Kronecker form",
                        lcl_precond_name(params->type));
    return LCL_OK;
}

static struct lcl_precond_info describe(const struct lcl_kron *K,
                                        const struct lcl_precond_params *params)
{
    return (struct lcl_precond_info){
        .type = params->type ? params->type : LCL_PRECOND_ILDU0,
        .rows = lcl_kron_rows(K),
        .nnz = lcl_kron_entries(K),
        .block_size = K->M->block_size,
        .coarse = LCL_COARSE_NONE,
        .form = "",
        .kron = params->kron ? params->kron : LCL_KRON_ONE_PASS,
        .stages = K->stages,
    };
}

static enum lcl_status create_method(lcl_precond *M, const struct lcl_kron *K,
                                     const struct lcl_precond_params *params)
{
    return M->kron->create ? M->kron->create(M, K, params) : LCL_OK;
}

static enum lcl_status take_values(lcl_precond *M, const struct lcl_kron *K)
{
    const enum lcl_status st = M->kron->take ? M->kron->take(M, K) : LCL_OK;
    return st < 0 ? st : lcl_precond_refactor(M);
}

enum lcl_status lcl_precond_create_kron(lcl_precond **out, lcl_context *ctx,
                                        const struct lcl_kron *K,
                                        const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    if ((st = lcl_precond_begin(out, ctx, K, "lcl_precond_create_kron",
                                &params)) < 0 ||
        (st = check(K, params, log)) < 0)
        return st;
    lcl_precond *M = lcl_calloc(1, sizeof *M);
    if (!M)
        return lcl_fail_memory(log, "a preconditioner");
    M->ctx = ctx;
    M->kron = methods[params->type];
    M->kron_pattern = lcl_kron_pattern(K);
    M->ops = M->kron->ops;
    M->info = describe(K, params);
    if ((st = lcl_kron_system_init(&M->system, ctx, K, params->kron)) < 0 ||
        (st = create_method(M, K, params)) < 0 || (st = take_values(M, K)) < 0)
        lcl_precond_destroy(&M);
    else
        M->info.spmv_bytes = M->system.product.bytes;
    *out = M;
    return st;
}

enum lcl_status lcl_precond_update_kron(lcl_precond *M,
                                        const struct lcl_kron *K)
{
    const struct lcl_log *log = M ? lcl_context_log(M->ctx) : NULL;
    enum lcl_status st;
    if (!M || !K || !M->kron)
        return lcl_misuse(log, "lcl_precond_update_kron: %s",
                          M && K ? "it was not made of a lcl_kron"
                                 : "an argument is NULL");
    if ((st = lcl_kron_check_same(K, M->kron_pattern, log)) < 0 ||
        (st = lcl_kron_system_update(&M->system, K)) < 0)
        return st;
    return take_values(M, K);
}
