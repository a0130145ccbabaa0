// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a distributed operator.
#include "lib/distributed/distributed.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/judge.h"
#include "lib/spmv/matrix_operator.h"
#include "lib/vector/segments.h"

struct part {
    struct lcl_halo halo;
    struct lcl_segments segments; // LCL_COMMUNICATION_REPRODUCIBLE
    int renumbered;               // count of A->part when the halo last
                                  // followed it
};

// ------------------------------------------------------------------- products

static enum lcl_status follow(lcl_operator *A, const struct lcl_numbering *N)
{
    struct part *D = A->state;
    const enum lcl_status st = lcl_halo_renumber(&D->halo, N);
    return st < 0 || !A->range.segments || !N->perm
               ? st
               : lcl_segments_renumber(&D->segments, &N->ops, N->perm,
                                       N->n / N->block, N->block);
}

// The part creates its product on first use; copies its description then.
static void note_product(lcl_operator *A)
{
    const struct part *D = A->state;
    const struct lcl_operator_info *own = &A->part->info;
    if (A->info.traffic == own->traffic)
        return;
    A->info.spmv = own->spmv;
    A->info.traffic = own->traffic;
    A->info.bytes = own->bytes + lcl_halo_bytes(&D->halo);
}

static enum lcl_status prepare(lcl_operator *A)
{
    struct part *D = A->state;
    const enum lcl_status st =
        A->range.segments ? LCL_OK // then all rows are boundary rows
                          : lcl_operator_prepare(A->part, LCL_APPLY_DOT);
    note_product(A);
    if (st < 0 || D->renumbered == A->part->renumbered)
        return st;
    D->renumbered = A->part->renumbered;
    return follow(A, &A->part->own);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct part *D = A->state;
    enum lcl_status st;
    if ((st = prepare(A)) < 0 || (st = lcl_halo_begin(&D->halo, v->x)) < 0)
        return st;
    if (!A->range.segments)
        st = lcl_apply(A->part, mode, v);
    if (st == LCL_OK)
        return lcl_halo_end(&D->halo, mode, v);
    lcl_halo_cancel(&D->halo);
    return st;
}

static enum lcl_status judge_own(const lcl_operator *A,
                                 const struct lcl_judged *v)
{
    return A->range.segments ? LCL_OK
                             : lcl_judge_matrix(A->range.ctx, A->matrix, v);
}

static enum lcl_status judge(lcl_operator *A, const struct lcl_judged *v)
{
    struct part *D = A->state;
    enum lcl_status st;
    if ((st = prepare(A)) < 0 ||
        (v && (st = lcl_halo_begin(&D->halo, v->x)) < 0))
        return st;
    if ((st = judge_own(A, v)) < 0) {
        lcl_halo_cancel(&D->halo);
        return st;
    }
    return v && (st = lcl_halo_receive(&D->halo)) < 0
               ? st
               : lcl_judge_boundary(&D->halo, v);
}

// ------------------------------------------------------------------- values

static enum lcl_status place_values(lcl_operator *A, const double *val,
                                    bool *changed)
{
    struct part *D = A->state;
    struct lcl_own_entries own = {&D->halo.plan, {.val = val}};
    lcl_buffer *to;
    enum lcl_status st;
    *changed = false;
    if ((st = lcl_operator_place_values(A->part, &to)) < 0 ||
        (st = lcl_buffer_fill_by(to, sizeof *val, lcl_fill_own_values, &own)) <
            0 ||
        (st = lcl_operator_compare_values(A->part, changed)) < 0)
        return st;
    *changed |= lcl_halo_differs(&D->halo, val);
    return LCL_OK;
}

static enum lcl_status commit_values(lcl_operator *A, const double *val)
{
    struct part *D = A->state;
    const enum lcl_status st = lcl_operator_commit_values(A->part);
    A->looked = false;
    ++A->version;
    return st < 0 ? st : lcl_halo_update(&D->halo, val);
}

// If the values of one rank have changed, all ranks update theirs.
static enum lcl_status update(lcl_operator *A, const double *val)
{
    static const char what[] = "new values";
    const struct lcl_space *V = &A->range;
    bool changed;
    enum lcl_status st =
        lcl_space_agree(V, place_values(A, val, &changed), what);
    bool same = !changed;
    if (st < 0 || (st = lcl_space_all(V, &same)) < 0 || same)
        return st;
    return lcl_space_agree(V, commit_values(A, val), what);
}

static void add_asymmetry(const lcl_operator *A, double sum[2])
{
    const struct part *D = A->state;
    lcl_halo_asymmetry(&D->halo, sum);
}

static void destroy(lcl_operator *A)
{
    struct part *D = A->state;
    if (D) {
        lcl_halo_finish(&D->halo);
        lcl_segments_finish(&D->segments);
    }
    lcl_free(D);
    lcl_operator_destroy(&A->part);
}

const struct lcl_halo *lcl_distributed_halo(const lcl_operator *A)
{
    const struct part *D = A->state;
    return &D->halo;
}

static const struct lcl_operator_ops ops = {
    .prepare = prepare,
    .apply = apply,
    .judge = judge,
    .update = update,
    .add_asymmetry = add_asymmetry,
    .destroy = destroy,
};

// ------------------------------------------------------------------- creation

// In the other modes, boundary rows would need a pass of their own.
static unsigned modes_of(const lcl_operator *A)
{
    const struct part *D = A->state;
    const unsigned plain = LCL_MODE_BIT(LCL_APPLY);
    return A->range.segments            ? plain
           : D->halo.plan.boundary == 0 ? A->part->modes
                                        : plain | LCL_MODE_BIT(LCL_APPLY_DOT);
}

static enum lcl_communication communication_of(const lcl_operator *A)
{
    const struct part *D = A->state;
    return A->range.segments ? LCL_COMMUNICATION_REPRODUCIBLE
                             : lcl_halo_communication(&D->halo);
}

static void describe(lcl_operator *A, const struct lcl_view *rows)
{
    const struct part *D = A->state;
    A->info = A->part->info;
    A->info.rows = A->info.cols = rows->rows;
    A->info.devices = A->range.comm->size;
    A->info.communication = communication_of(A);
    A->info.nnz = lcl_view_nnz(rows);
    A->info.bytes += lcl_halo_bytes(&D->halo);
    A->matrix = A->part->matrix;
    A->numbering = A->part->numbering;
    A->modes = modes_of(A);
    A->launches = A->part->launches + lcl_halo_launches(&D->halo);
}

static enum lcl_status add_segments(lcl_operator *A,
                                    const struct lcl_view *rows, int block)
{
    struct part *D = A->state;
    const struct lcl_segment_rows all = {.block = block > 1 ? block : 1,
                                         .first = rows->first,
                                         .rows = rows->rows,
                                         .total = rows->cols,
                                         .stages = 1,
                                         .by_row = 1};
    A->range.segments = A->domain.segments = &D->segments;
    return lcl_segments_init(&D->segments, A->range.ctx, A->range.comm, &all);
}

bool lcl_is_reproducible(const struct lcl_operator_params *params)
{
    return params && params->communication == LCL_COMMUNICATION_REPRODUCIBLE;
}

// Checks the values of boundary rows; the device has checked the others.
static enum lcl_status check_boundary(const struct lcl_halo *H,
                                      const struct lcl_view *rows)
{
    return rows->sound == LCL_VIEW_ALL ||
                   lcl_find_not_finite(H->host, H->plan.entries) < 0
               ? LCL_OK
               : lcl_view_name_fault(rows, &H->space.comm->log);
}

static enum lcl_status create(lcl_operator *A, struct lcl_halo_plan *P,
                              const struct lcl_view *rows,
                              const struct lcl_operator_params *params)
{
    static const struct lcl_halo_layout single = {1, 1, 1, 1};
    const bool reproducible = lcl_is_reproducible(params);
    struct part *D = A->state = lcl_calloc(1, sizeof *D);
    const struct lcl_own_entries own = {P, *rows};
    enum lcl_status st;
    if (!D)
        return lcl_fail_memory(lcl_context_log(A->range.ctx), "an operator");
    if ((st = lcl_matrix_operator_create_own(&A->part, A->range.ctx, &own,
                                             params)) < 0 ||
        (reproducible &&
         (st = add_segments(A, rows, params->block_size)) < 0) ||
        (st = lcl_halo_init(&D->halo, &A->range, P, &single, LCL_HALO_ROWS)) <
            0 ||
        (st = lcl_halo_add_rows(&D->halo)) < 0 ||
        (st = lcl_halo_update(&D->halo, rows->val)) < 0 ||
        (st = check_boundary(&D->halo, rows)) < 0)
        return st;
    D->halo.beside = !A->range.segments;
    A->part->share = (struct lcl_share){
        .first = rows->first, .rows = rows->rows, .total = rows->cols};
    describe(A, rows);
    return LCL_OK;
}

// The block size decides which methods suit A, so that it is the same on all
// ranks; A->part keeps the rank's own.
static enum lcl_status agree_on_block(lcl_operator *A)
{
    int64_t block = A->info.block_size;
    const enum lcl_status st = lcl_space_max(&A->range, &block);
    A->info.block_size = (int)block;
    return st;
}

enum lcl_status lcl_distributed_create(lcl_operator **out, lcl_context *ctx,
                                       struct lcl_comm *comm,
                                       const struct lcl_view *rows,
                                       const struct lcl_operator_params *params)
{
    struct lcl_halo_plan P;
    struct lcl_view checked = *rows;
    lcl_task_enter(ctx, LCL_TASK_GHOSTS);
    enum lcl_status st =
        lcl_halo_plan_init(&P, comm, rows, lcl_is_reproducible(params));
    lcl_task_next(ctx, LCL_TASK_UPLOAD);
    if (rows->sound == LCL_VIEW_UNKNOWN) // the plan has checked all entries
        checked.sound = LCL_VIEW_ALL;
    *out = NULL;
    if (st == LCL_OK && (st = lcl_operator_allocate(out, ctx, &ops, rows->rows,
                                                    rows->rows, 1)) == LCL_OK) {
        (*out)->range = (*out)->domain =
            lcl_space_of_rank(ctx, comm, rows->rows, rows->cols);
        st = create(*out, &P, &checked, params);
    }
    lcl_halo_plan_finish(&P);
    lcl_task_leave(ctx);
    st = lcl_comm_agree(comm, st, "a distributed operator");
    if (st == LCL_OK)
        st = agree_on_block(*out);
    if (st < 0)
        lcl_operator_destroy(out);
    return st;
}
