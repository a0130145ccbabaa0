// SPDX-License-Identifier: BSD-3-Clause
// Public interface of Kronecker operators.
#include "lib/operator/operator.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/kron.h"

static struct lcl_operator_info describe(const struct lcl_operator *P,
                                         const struct lcl_kron *K,
                                         enum lcl_kron_type type)
{
    return (struct lcl_operator_info){
        .kron = type ? type : LCL_KRON_ONE_PASS,
        .stages = K->stages,
        .rows = P->system.n,
        .cols = P->system.n,
        .nnz = lcl_kron_entries(K),
        .block_size = K->M->block_size,
        .bytes = P->system.product.bytes,
        .traffic = P->system.product.traffic,
    };
}

enum lcl_status lcl_operator_create_kron(
    lcl_operator **out, lcl_context *ctx, const struct lcl_kron *K,
    const struct lcl_operator_params *params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st;
    if ((st = lcl_operator_begin(out, ctx, K, "lcl_operator_create_kron",
                                 &params)) < 0 ||
        (st = lcl_kron_check(K, log)) < 0)
        return st;
    lcl_operator *P = lcl_calloc(1, sizeof *P);
    if (!P)
        return lcl_fail_memory(log, "an operator");
    P->ctx = ctx;
    P->pattern = lcl_kron_pattern(K);
    if ((st = lcl_kron_system_init(&P->system, ctx, K, params->kron)) < 0)
        lcl_operator_destroy(&P);
    else
        P->info = describe(P, K, params->kron);
    *out = P;
    return st;
}

enum lcl_status lcl_operator_update_kron(lcl_operator *P,
                                         const struct lcl_kron *K)
{
    const struct lcl_log *log = P ? lcl_context_log(P->ctx) : NULL;
    if (!P || !K || !P->info.kron)
        return lcl_misuse(log, "lcl_operator_update_kron: %s",
                          P && K ? "it was not made of a lcl_kron"
                                 : "an argument is NULL");
    const enum lcl_status st = lcl_kron_check_same(K, P->pattern, log);
    return st < 0 ? st : lcl_kron_system_update(&P->system, K);
}
