// SPDX-License-Identifier: BSD-3-Clause
// Kronecker operators on several devices of one process.
#include "lib/kron/team.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/kron/distributed.h"
#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

// A pattern in the order of the distribution: block k is the caller's map[k].
struct order {
    struct lcl_csr pattern;
    int64_t *map;
};

struct kron_team {
    uint64_t pattern;  // lcl_kron_pattern()
    struct order M, L; // with `perm` of the distribution, else empty
};

static void order_finish(struct order *o)
{
    lcl_csr_finish(&o->pattern);
    lcl_free(o->map);
}

// ------------------------------------------------------------------- rows

// The block rows of a rank in M or L.
struct rank_rows {
    struct lcl_rows R;
    double *val; // copy in the order of the distribution; or NULL
};

static void rank_rows_finish(struct rank_rows *rows)
{
    lcl_free(rows->R.row_ptr);
    lcl_free(rows->R.col);
    lcl_free(rows->val);
}

static void copy_blocks(double *out, const double *val, const int64_t *map,
                        int64_t blocks, int64_t values)
{
    for (int64_t k = 0; k < blocks; ++k)
        for (int64_t v = 0; v < values; ++v)
            out[k * values + v] = val[map[k] * values + v];
}

// Extracts the rows of `rank` from A, whose pattern is `o->pattern` after
// reordering if there is an order. On error *rows is fit for finish.
static enum lcl_status extract_rows(struct rank_rows *rows,
                                    const struct lcl_distribution *D, int rank,
                                    const struct lcl_bsr *A,
                                    const struct order *o,
                                    const struct lcl_log *log)
{
    const int64_t first = D->first[rank], count = D->first[rank + 1] - first;
    const struct lcl_csr pattern = o->map ? o->pattern : lcl_bsr_pattern(A);
    const int64_t start = pattern.row_ptr[first];
    const int64_t blocks = pattern.row_ptr[first + count] - start;
    const int64_t values = lcl_block_values(A);
    struct lcl_rows *R = &rows->R;
    *rows = (struct rank_rows){
        {.first = first, .rows = count, .total = A->rows}, NULL};
    R->row_ptr = lcl_malloc((size_t)count + 1, sizeof *R->row_ptr);
    R->col = lcl_malloc((size_t)blocks, sizeof *R->col);
    if (o->map)
        rows->val = lcl_malloc((size_t)(blocks * values), sizeof *rows->val);
    if (!R->row_ptr || !R->col || (o->map && !rows->val))
        return lcl_fail_memory(log, "the rows of a device");
    for (int64_t i = 0; i <= count; ++i)
        R->row_ptr[i] = pattern.row_ptr[first + i] - start;
    for (int64_t k = 0; k < blocks; ++k)
        R->col[k] = pattern.col_ind[start + k];
    if (o->map)
        copy_blocks(rows->val, A->val, o->map + start, blocks, values);
    R->val = o->map ? rows->val : A->val + start * values;
    return LCL_OK;
}

// ------------------------------------------------------------------- parts

// The work on each rank: its part is created or updated.
struct work {
    lcl_operator *A;
    const struct lcl_kron *K;
    lcl_context *const *ctx; // of a creation
    const struct lcl_operator_params *params;
};

static enum lcl_status run_part(const struct work *w, int rank,
                                const struct lcl_kron_rows *rows)
{
    const struct lcl_team_operator *T = w->A->team;
    return w->params ? lcl_kron_distributed_create(&T->part[rank], w->ctx[rank],
                                                   lcl_team_comm(T->team, rank),
                                                   rows, w->params)
                     : lcl_kron_distributed_update(T->part[rank], rows);
}

static enum lcl_status run_rank(void *arg, int rank)
{
    const struct work *w = arg;
    const struct kron_team *S = w->A->state;
    const struct lcl_team_operator *T = w->A->team;
    const struct lcl_distribution *D = &T->distribution;
    const struct lcl_log *log = &lcl_team_comm(T->team, rank)->log;
    const struct lcl_kron *K = w->K;
    struct rank_rows M, L = {.val = NULL};
    enum lcl_status st = extract_rows(&M, D, rank, K->M, &S->M, log);
    if (st == LCL_OK)
        st = extract_rows(&L, D, rank, K->L, &S->L, log);
    const struct lcl_kron_rows rows = {K->stages,        K->A, K->B, K->tau,
                                       K->M->block_size, &M.R, &L.R};
    if (st == LCL_OK)
        st = run_part(w, rank, &rows);
    rank_rows_finish(&L);
    rank_rows_finish(&M);
    return st;
}

// ------------------------------------------------------------------- operator

static enum lcl_status update_kron(lcl_operator *A, const struct lcl_kron *K)
{
    const struct kron_team *S = A->state;
    struct work w = {.A = A, .K = K};
    const enum lcl_status st =
        lcl_kron_check_same(K, S->pattern, lcl_context_log(A->range.ctx));
    if (st < 0)
        return st;
    ++A->version;
    return lcl_team_run(A->team->team, run_rank, &w);
}

static void destroy(lcl_operator *A)
{
    struct kron_team *S = A->state;
    lcl_team_finish(A);
    if (!S)
        return;
    order_finish(&S->M);
    order_finish(&S->L);
    lcl_free(S);
}

static const struct lcl_operator_ops ops = {
    .apply = lcl_team_refuse,
    .apply_host = lcl_team_apply_host,
    .update_kron = update_kron,
    .destroy = destroy,
};

// ------------------------------------------------------------------- creation

static enum lcl_status reorder(struct order *o, const struct lcl_bsr *A,
                               const int32_t *perm, const struct lcl_log *log)
{
    struct lcl_csr pattern = lcl_bsr_pattern(A);
    pattern.val = NULL;
    return lcl_csr_reorder(&o->pattern, &o->map, &pattern, perm, log);
}

static enum lcl_status create(lcl_operator *A, lcl_context *const *ctx,
                              const struct lcl_kron *K,
                              struct lcl_distribution *D,
                              const struct lcl_operator_params *params)
{
    struct kron_team *S = A->state = lcl_calloc(1, sizeof *S);
    const struct lcl_log *log = lcl_context_log(ctx[0]);
    struct work w = {A, K, ctx, params};
    enum lcl_status st;
    if (!S)
        return lcl_fail_memory(log, "an operator on several devices");
    S->pattern = lcl_kron_pattern(K);
    if (D->perm && ((st = reorder(&S->M, K->M, D->perm, log)) < 0 ||
                    (st = reorder(&S->L, K->L, D->perm, log)) < 0))
        return st;
    if ((st = lcl_team_init(A, ctx, D, params)) < 0 ||
        (st = lcl_team_run(A->team->team, run_rank, &w)) < 0)
        return st;
    lcl_team_describe(A, lcl_kron_entries(K));
    return LCL_OK;
}

enum lcl_status lcl_kron_team_create(lcl_operator **out,
                                     lcl_context *const *ctx,
                                     const struct lcl_kron *K,
                                     struct lcl_distribution *D,
                                     const struct lcl_operator_params *params)
{
    const int64_t n = lcl_kron_rows(K);
    enum lcl_status st = lcl_kron_check_ranks(params, lcl_context_log(ctx[0]));
    *out = NULL;
    if (st == LCL_OK)
        st = lcl_operator_allocate(out, ctx[0], &ops, n, n, 1);
    if (st == LCL_OK)
        st = create(*out, ctx, K, D, params);
    lcl_distribution_finish(D);
    if (st < 0)
        lcl_operator_destroy(out);
    return st;
}
