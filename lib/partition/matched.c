// SPDX-License-Identifier: BSD-3-Clause
// Matching as a method of partitioning.
#include "lib/partition/match.h"
#include "lib/partition/partition.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"

#include <inttypes.h>

// Takes ownership of the results of M.
static void move_parts(struct lcl_subdomains *P, struct lcl_match *M)
{
    P->n = M->n;
    P->parts = M->parts;
    P->part_ptr = M->part_ptr;
    P->device = M->perm;
    P->aggregates = M->aggregates;
    P->aggregate = M->aggregate;
    *M = (struct lcl_match){.n = 0};
}

static enum lcl_status match(struct lcl_subdomains *P, lcl_context *ctx,
                             const struct lcl_device_matrix *D,
                             const struct lcl_match_params *params)
{
    struct lcl_match M;
    enum lcl_status st = lcl_match_init(&M, ctx, D, params);
    if (st < 0)
        return st;
    P->weighted = D->val && params->weights != LCL_WEIGHTS_OFF;
    move_parts(P, &M);
    lcl_info(lcl_context_log(ctx),
             "partition: %" PRId64 " subdomains of at most %" PRId64
             " rows, by matching%s",
             P->parts, params->limit, P->weighted ? " with edge weights" : "");
    return LCL_OK;
}

static enum lcl_status upload(struct lcl_device_matrix *D, lcl_context *ctx,
                              const struct lcl_csr *A)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    return A->val ? lcl_device_matrix_init(D, ctx, &B)
                  : lcl_device_pattern_init(D, ctx, &B);
}

enum lcl_status lcl_partition_match(struct lcl_subdomains *P, lcl_context *ctx,
                                    const struct lcl_device_matrix *D,
                                    const struct lcl_csr *A,
                                    const struct lcl_partition_params *params,
                                    int64_t max_rows, int64_t aggregates)
{
    const int64_t rows = params->rows;
    const struct lcl_match_params own = {
        .limit = rows > 0 && rows < max_rows ? rows : max_rows,
        .most = aggregates,
        .weights = params->weights,
    };
    struct lcl_device_matrix copy;
    enum lcl_status st;
    *P = (struct lcl_subdomains){0};
    if ((st = lcl_partition_check(A, params, max_rows, lcl_context_log(ctx))) <
        0)
        return st;
    if (D)
        return match(P, ctx, D, &own);
    if ((st = upload(&copy, ctx, A)) < 0)
        return st;
    st = match(P, ctx, &copy, &own);
    lcl_device_matrix_finish(&copy);
    return st;
}
