// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a distributed Kronecker operator.
#include "lib/kron/distributed.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/comm/consistency.h"
#include "lib/distributed/distributed.h"
#include "lib/kron/judge.h"
#include "lib/kron/kron.h"
#include "lib/kron/off_diagonal.h"
#include "lib/kron/rows.h"
#include "lib/vector/segments.h"

#include <levelcl/published.h>

#include <assert.h>

static_assert((int)LCL_HALO_ROUNDS >= LCL_KRON_STAGES_MAX,
              "an exchange for each stage");

struct part {
    uint64_t pattern; // lcl_kron_rows_pattern()
    struct lcl_own_blocks M, L;
    struct lcl_halo halo;
    struct lcl_kron_boundary boundary;
    struct lcl_off_diagonal far[2]; // of M and L, with ops->apply_rank
    struct lcl_segments segments;   // LCL_COMMUNICATION_REPRODUCIBLE
};

// ------------------------------------------------------------------- products

static bool is_published(const lcl_operator *A)
{
    return lcl_kron_is_published(A->part->info.kron);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct part *D = A->state;
    const bool apart = !A->range.segments; // else all rows are boundary rows
    enum lcl_status st;
    if (is_published(A))
        return lcl_kron_of(A->part)->ops->apply_rank(A->part, D->far, v);
    if ((st = lcl_halo_begin(&D->halo, v->x)) < 0)
        return st;
    if (apart && (st = lcl_apply(A->part, mode, v)) < 0) {
        lcl_halo_cancel(&D->halo);
        return st;
    }
    if ((st = lcl_halo_receive(&D->halo)) < 0)
        return st;
    return lcl_kron_boundary_apply(&D->boundary, &D->halo,
                                   lcl_kron_of(A->part)->coef, v);
}

static enum lcl_status judge(lcl_operator *A, const struct lcl_judged *v)
{
    struct part *D = A->state;
    const bool apart = !A->range.segments;
    enum lcl_status st;
    if (v && (st = lcl_halo_begin(&D->halo, v->x)) < 0)
        return st;
    if (apart && (st = lcl_judge(A->part, v)) < 0) {
        lcl_halo_cancel(&D->halo);
        return st;
    }
    return v && (st = lcl_halo_receive(&D->halo)) < 0
               ? st
               : lcl_kron_judge_boundary(&D->boundary, &D->halo,
                                         lcl_kron_of(A->part)->coef, v);
}

static void destroy(lcl_operator *A)
{
    struct part *D = A->state;
    if (D) {
        lcl_own_blocks_finish(&D->M);
        lcl_own_blocks_finish(&D->L);
        lcl_segments_finish(&D->segments);
        lcl_kron_boundary_finish(&D->boundary);
        lcl_off_diagonal_finish(&D->far[0]);
        lcl_off_diagonal_finish(&D->far[1]);
        lcl_halo_finish(&D->halo);
    }
    lcl_free(D);
    lcl_operator_destroy(&A->part);
}

const struct lcl_halo *lcl_kron_distributed_halo(const lcl_operator *A)
{
    const struct part *D = A->state;
    return &D->halo;
}

static const struct lcl_operator_ops ops = {
    .apply = apply,
    .judge = judge,
    .destroy = destroy,
};

// ------------------------------------------------------------------- agreement

// Compares A, B and tau on all ranks, which have the same number of stages.
static enum lcl_status expect_coefficients(const struct lcl_kron_rows *K,
                                           struct lcl_comm *C)
{
    enum { MOST = LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX };
    struct lcl_common all[1 + 2 * MOST] = {{"tau", K->tau}};
    int count = 1;
    for (int k = 0; k < K->stages * K->stages; ++k) {
        all[count++] = (struct lcl_common){"an entry of A", K->A[k]};
        all[count++] = (struct lcl_common){"an entry of B", K->B[k]};
    }
    return lcl_comm_expect_equal(C, "a Kronecker system", all, count);
}

enum lcl_status lcl_kron_check_ranks(const struct lcl_operator_params *params,
                                     const struct lcl_log *log)
{
    const char *name = lcl_kron_name(params->kron);
    if (lcl_kron_is_published(params->kron) && lcl_is_reproducible(params))
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "communication 'reproducible' needs the product "
                        "'one_pass' of a Kronecker system, not '%s'",
                        name);
    if (params->kron == LCL_KRON_CU &&
        params->kron_exchange == LCL_KRON_EXCHANGE_BATCHED)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "product '%s' of a Kronecker system exchanges each "
                        "stage by itself, not 'batched'",
                        name);
    return LCL_OK;
}

// Checks K on all ranks; collective.
static enum lcl_status check(const struct lcl_kron_rows *K, struct lcl_comm *C)
{
    enum lcl_status st = lcl_kron_rows_check(K, &C->log);
    if ((st = lcl_comm_agree(C, st, "the rows of a Kronecker system")) < 0)
        return st;
    const struct lcl_common sizes[] = {{"stages", K->stages},
                                       {"block_size", K->block_size}};
    st = lcl_comm_expect_equal(C, "a Kronecker system", sizes, 2);
    return st < 0 ? st : expect_coefficients(K, C);
}

// ------------------------------------------------------------------- values

static struct lcl_kron own_system(const struct part *D,
                                  const struct lcl_kron_rows *K)
{
    struct lcl_kron own = lcl_kron_rows_coefficients(K);
    own.M = &D->M.A;
    own.L = &D->L.A;
    return own;
}

static void fill_own(struct part *D, const struct lcl_kron_rows *K)
{
    lcl_own_blocks_fill(&D->M, K->M->val);
    lcl_own_blocks_fill(&D->L, K->L->val);
}

static enum lcl_status fill_far(lcl_operator *A, const struct lcl_kron_rows *K)
{
    struct part *D = A->state;
    if (!is_published(A))
        return LCL_OK;
    const enum lcl_status st = lcl_off_diagonal_update(&D->far[0], K->M->val);
    return st < 0 ? st : lcl_off_diagonal_update(&D->far[1], K->L->val);
}

static enum lcl_status update_values(lcl_operator *A,
                                     const struct lcl_kron_rows *K)
{
    struct part *D = A->state;
    fill_own(D, K);
    const struct lcl_kron own = own_system(D, K);
    enum lcl_status st = lcl_operator_update_kron(A->part, &own);
    ++A->version;
    if (st < 0 || (st = lcl_kron_boundary_update(&D->boundary, K)) < 0)
        return st;
    return fill_far(A, K);
}

static enum lcl_status check_pattern(const lcl_operator *A,
                                     const struct lcl_kron_rows *K,
                                     const struct lcl_log *log)
{
    const struct part *D = A->state;
    const enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_operator_update_kron_rows");
    if (st < 0)
        return st;
    return lcl_kron_rows_pattern(K) == D->pattern
               ? LCL_OK
               : lcl_kron_refuse_pattern(log);
}

enum lcl_status lcl_kron_distributed_update(lcl_operator *A,
                                            const struct lcl_kron_rows *K)
{
    struct lcl_comm *C = A->range.comm;
    enum lcl_status st = check(K, C);
    if (st < 0)
        return st;
    st = check_pattern(A, K, &C->log);
    if ((st = lcl_comm_agree(C, st, "the pattern of new values")) < 0)
        return st;
    return lcl_comm_agree(C, update_values(A, K), "new values");
}

enum lcl_status lcl_operator_update_kron_rows(lcl_operator *A,
                                              const struct lcl_kron_rows *K)
{
    if (!A || !K || A->ops != &ops)
        return lcl_misuse(A ? lcl_context_log(A->range.ctx) : NULL,
                          "lcl_operator_update_kron_rows: %s",
                          A && K ? "the operator was not created from a "
                                   "lcl_kron_rows"
                                 : "an argument is NULL");
    return lcl_kron_distributed_update(A, K);
}

// ------------------------------------------------------------------- creation

static void describe(lcl_operator *A, const struct lcl_kron_rows *K)
{
    const struct part *D = A->state;
    const struct lcl_rows *M = K->M, *L = K->L;
    const int64_t blocks = M->row_ptr[M->rows] + L->row_ptr[L->rows];
    A->info = A->part->info;
    A->info.devices = A->range.comm->size;
    A->info.communication = A->range.segments
                                ? LCL_COMMUNICATION_REPRODUCIBLE
                                : lcl_halo_communication(&D->halo);
    A->info.nnz = blocks * K->block_size * K->block_size;
    A->info.bytes +=
        lcl_halo_bytes(&D->halo) + lcl_kron_boundary_bytes(&D->boundary);
    A->numbering = A->part->numbering;
    A->launches = A->part->launches;
    if (!is_published(A))
        A->launches += lcl_halo_launches(&D->halo);
    for (int t = 0; t < 2 && is_published(A); ++t) {
        A->info.bytes += lcl_off_diagonal_bytes(&D->far[t]);
        A->launches += lcl_off_diagonal_launches(&D->far[t]);
    }
}

static struct lcl_halo_layout layout_of(const lcl_operator *part,
                                        const struct lcl_kron_rows *K)
{
    const bool together = lcl_kron_of(part)->ops->stages_innermost;
    return (struct lcl_halo_layout){
        .block = K->block_size,
        .stages = K->stages,
        .by_row = together ? K->stages : 1,
        .by_stage = together ? 1 : K->M->rows * K->block_size,
    };
}

static enum lcl_status add_segments(lcl_operator *A,
                                    const struct lcl_kron_rows *K,
                                    const struct lcl_halo_layout *L)
{
    struct part *D = A->state;
    const int b = K->block_size;
    const struct lcl_segment_rows all = {.block = b,
                                         .first = K->M->first * b,
                                         .rows = K->M->rows * b,
                                         .total = K->M->total * b,
                                         .stages = L->stages,
                                         .by_row = L->by_row,
                                         .by_stage = L->by_stage};
    A->range.segments = A->domain.segments = &D->segments;
    return lcl_segments_init(&D->segments, A->range.ctx, A->range.comm, &all);
}

static enum lcl_status create_part(lcl_operator *A,
                                   const struct lcl_kron_rows *K,
                                   const struct lcl_operator_params *params)
{
    struct part *D = A->state;
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const int b = K->block_size;
    enum lcl_status st;
    if ((st = lcl_own_blocks_init(&D->M, K->M, b, log)) < 0 ||
        (st = lcl_own_blocks_init(&D->L, K->L, b, log)) < 0)
        return st;
    fill_own(D, K);
    const struct lcl_kron own = own_system(D, K);
    return lcl_operator_create_kron(&A->part, A->range.ctx, &own, params);
}

// The exchanges of a rank: of x, for the columns of both matrices, and those of
// lib/kron/off_diagonal.h.
struct plans {
    struct lcl_halo_plan both, each[2];
};

static enum lcl_status create_far(lcl_operator *A, struct plans *P,
                                  const struct lcl_kron_rows *K,
                                  const struct lcl_operator_params *params)
{
    struct part *D = A->state;
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < 2 && is_published(A) && st == LCL_OK; ++t)
        st = lcl_off_diagonal_init(&D->far[t], &A->range, &P->each[t], K,
                                   params);
    return st < 0 ? st : fill_far(A, K);
}

static enum lcl_status create(lcl_operator *A, struct plans *P,
                              const struct lcl_kron_rows *K,
                              const struct lcl_rows *both,
                              const struct lcl_operator_params *params)
{
    const bool staged = params->kron_exchange == LCL_KRON_EXCHANGE_STAGED;
    struct part *D = A->state = lcl_calloc(1, sizeof *D);
    enum lcl_status st;
    if (!D)
        return lcl_fail_memory(lcl_context_log(A->range.ctx), "an operator");
    D->pattern = lcl_kron_rows_pattern(K);
    if ((st = create_part(A, K, params)) < 0)
        return st;
    const struct lcl_halo_layout layout = layout_of(A->part, K);
    if ((lcl_is_reproducible(params) &&
         (st = add_segments(A, K, &layout)) < 0) ||
        (st = lcl_halo_init(&D->halo, &A->range, &P->both, &layout,
                            staged ? LCL_HALO_STAGED : LCL_HALO_ROWS)) < 0 ||
        (st = lcl_kron_boundary_init(&D->boundary, &D->halo, K, both)) < 0 ||
        (st = lcl_kron_boundary_update(&D->boundary, K)) < 0 ||
        (st = create_far(A, P, K, params)) < 0)
        return st;
    D->halo.beside = !A->range.segments;
    A->part->share = (struct lcl_share){
        .first = K->M->first, .rows = K->M->rows, .total = K->M->total};
    describe(A, K);
    return LCL_OK;
}

// Allocates the operator of a rank with its space.
static enum lcl_status allocate(lcl_operator **out, lcl_context *ctx,
                                struct lcl_comm *comm,
                                const struct lcl_kron_rows *K)
{
    const int64_t each = (int64_t)K->stages * K->block_size;
    const int64_t n = K->M->rows * each;
    const enum lcl_status st = lcl_operator_allocate(out, ctx, &ops, n, n, 1);
    if (st < 0)
        return st;
    (*out)->range.total = K->M->total * each;
    (*out)->range.comm = comm;
    (*out)->domain = (*out)->range;
    return LCL_OK;
}

static enum lcl_status make_plans(struct plans *P, struct lcl_comm *comm,
                                  const struct lcl_kron_rows *K,
                                  const struct lcl_rows *both,
                                  const struct lcl_operator_params *params)
{
    struct lcl_view pattern = lcl_view_of_rows(both, 0);
    *P = (struct plans){.both = {.rows = 0}};
    pattern.sound = LCL_VIEW_ALL;
    const enum lcl_status st = lcl_halo_plan_init(&P->both, comm, &pattern,
                                                  lcl_is_reproducible(params));
    return st < 0 || !lcl_kron_is_published(params->kron)
               ? st
               : lcl_off_diagonal_plans(P->each, comm, K);
}

// Creates the operator from K and the union of the patterns of M and L.
static enum lcl_status create_from(lcl_operator **out, lcl_context *ctx,
                                   struct lcl_comm *comm,
                                   const struct lcl_kron_rows *K,
                                   const struct lcl_rows *both,
                                   const struct lcl_operator_params *params)
{
    struct plans P;
    enum lcl_status st = make_plans(&P, comm, K, both, params);
    lcl_task_enter(ctx, LCL_TASK_UPLOAD);
    if (st == LCL_OK && (st = allocate(out, ctx, comm, K)) == LCL_OK)
        st = create(*out, &P, K, both, params);
    lcl_task_leave(ctx);
    lcl_halo_plan_finish(&P.both);
    lcl_halo_plan_finish(&P.each[0]);
    lcl_halo_plan_finish(&P.each[1]);
    return lcl_comm_agree(comm, st, "a distributed operator");
}

enum lcl_status lcl_kron_distributed_create(
    lcl_operator **out, lcl_context *ctx, struct lcl_comm *comm,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params)
{
    struct lcl_rows both = LCL_ROWS_INIT;
    enum lcl_status st = check(K, comm);
    *out = NULL;
    if (st < 0)
        return st;
    st = lcl_kron_rows_union(&both, K, &comm->log);
    if ((st = lcl_comm_agree(comm, st, "the union of two patterns")) == LCL_OK)
        st = create_from(out, ctx, comm, K, &both, params);
    lcl_rows_finish(&both);
    if (st < 0)
        lcl_operator_destroy(out);
    return st;
}
