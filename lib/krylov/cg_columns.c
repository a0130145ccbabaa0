// SPDX-License-Identifier: BSD-3-Clause
// CG for several columns at once.
#include "lib/krylov/cg_columns.h"

#include "cl/krylov/cg_columns.cl.h"
#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"

#include <math.h>

static const enum lcl_stop reasons[] = {
    [KRYLOV_CONVERGED] = LCL_STOP_RTOL,
    [KRYLOV_NOT_FINITE] = LCL_STOP_NOT_FINITE,
    [KRYLOV_INDEFINITE_A] = LCL_STOP_INDEFINITE_MATRIX,
    [KRYLOV_INDEFINITE_M] = LCL_STOP_INDEFINITE_PRECOND,
    [CG_COLUMNS_STAGNATION] = LCL_STOP_STAGNATION,
    [CG_COLUMNS_DIVERGED] = LCL_STOP_DIVERGED,
};

// ------------------------------------------------------------------- steps

// Z = M^-1 R and partial sums of <r, z>.
static enum lcl_status enqueue_z(struct lcl_cg_columns *K)
{
    const struct lcl_solver *J = &K->joint;
    const bool dots = lcl_operator_has(&K->M, LCL_APPLY_DOT);
    const struct lcl_operands v = {.x = J->r,
                                   .w = J->r,
                                   .y = K->z,
                                   .sums = K->rz,
                                   .stop = K->pipeline.stop,
                                   .at = CG_COLUMNS_STOP_R};
    const enum lcl_status st =
        lcl_apply(&K->M, dots ? LCL_APPLY_DOT : LCL_APPLY, &v);
    return st < 0 || dots ? st : lcl_interleaved_dot(&K->vectors, &v);
}

static enum lcl_status enqueue_p(struct lcl_cg_columns *K, int it, bool plain)
{
    const struct lcl_solver *J = &K->joint;
    const int groups = J->A->range.groups;
    const enum lcl_status st = LCL_LAUNCH(
        K->beta, 1, lcl_arg_int(it), lcl_arg_int(groups),
        lcl_arg_int(K->rz_groups), lcl_arg_int(plain),
        lcl_arg_int(J->params.stagnation), lcl_arg_buffer(K->limits),
        lcl_arg_buffer(K->rz), lcl_arg_buffer(J->sums),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        K->p_kernel, groups, lcl_arg_int(it), lcl_arg_long(K->S->A->range.n),
        lcl_arg_buffer(plain ? J->r : K->z),
        lcl_arg_buffer(plain ? NULL : K->M.late.e),
        lcl_arg_buffer(plain ? NULL : K->M.late.owner), lcl_arg_buffer(K->p),
        lcl_arg_buffer(J->x), lcl_arg_buffer(K->pipeline.state),
        lcl_arg_buffer(K->pipeline.stop));
}

static enum lcl_status enqueue_r(struct lcl_cg_columns *K, int it)
{
    const struct lcl_solver *J = &K->joint;
    const int groups = J->A->range.groups;
    const enum lcl_status st =
        LCL_LAUNCH(K->alpha, 1, lcl_arg_int(it), lcl_arg_int(groups),
                   lcl_arg_buffer(K->dots), lcl_arg_buffer(K->pipeline.state),
                   lcl_arg_buffer(K->pipeline.stop));
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        K->r_kernel, groups, lcl_arg_long(K->S->A->range.n),
        lcl_arg_buffer(K->v), lcl_arg_buffer(J->r), lcl_arg_buffer(J->sums),
        lcl_arg_buffer(K->pipeline.state), lcl_arg_buffer(K->pipeline.stop));
}

// lcl_solver_cancel() knows the caller's solver only.
static void pass_on_cancel(struct lcl_cg_columns *K)
{
    if (lcl_krylov_consume_cancel(K->S))
        atomic_store(&K->joint.cancelled, true);
}

static enum lcl_status enqueue_step(struct lcl_solver *J, int it)
{
    struct lcl_cg_columns *K = J->state;
    const struct lcl_operands v = {.x = K->p,
                                   .w = K->p,
                                   .y = K->v,
                                   .sums = K->dots,
                                   .stop = K->pipeline.stop,
                                   .at = CG_COLUMNS_STOP_P};
    enum lcl_status st;
    pass_on_cancel(K);
    if ((K->z && (st = enqueue_z(K)) < 0) ||
        (st = enqueue_p(K, it, !K->z)) < 0 ||
        (st = lcl_best_checkpoint(J, it, K->pipeline.state, K->pipeline.stop,
                                  CG_COLUMNS_STOP_P)) < 0 ||
        (st = lcl_apply(&K->A, LCL_APPLY_DOT, &v)) < 0)
        return st;
    return enqueue_r(K, it);
}

// Computes the last residuals and their X; the directions after that are
// unused.
static enum lcl_status enqueue_last(struct lcl_solver *J, int it)
{
    return enqueue_p(J->state, it, true);
}

// ------------------------------------------------------------------- looking

// Appends the residuals of column q to its history, up to its last step.
static enum lcl_status note_column(struct lcl_cg_columns *K, int q,
                                   const double *own, int last)
{
    struct lcl_solver *C = &K->column[q];
    const int columns = K->columns;
    const int reason = (int)own[CG_COLUMNS_REASON * columns + q];
    const int step = (int)own[CG_COLUMNS_STEP * columns + q];
    const double *ring =
        own + CG_COLUMNS_RINGS * columns + (size_t)q * KRYLOV_RING_SIZE;
    const int first = K->before[q];
    enum lcl_status st = LCL_OK;
    if (reason > 0 && step < last)
        last = step;
    int it = C->history_count - first;
    for (it = it < 0 ? 0 : it; it <= last && st == LCL_OK; ++it)
        st = lcl_krylov_note(C, first + it, ring[it % KRYLOV_RING_SIZE]);
    C->stop = reasons[reason];
    return st;
}

// A faulty device may write any values.
static bool is_sound(const struct lcl_cg_columns *K, const double *own, int q,
                     int last)
{
    const int known = sizeof reasons / sizeof *reasons;
    const double reason = own[CG_COLUMNS_REASON * K->columns + q];
    const double step = own[CG_COLUMNS_STEP * K->columns + q];
    return reason >= 0 && reason < known && step >= 0 && step <= last;
}

static enum lcl_status look(struct lcl_solver *J, const double *state)
{
    struct lcl_cg_columns *K = J->state;
    const double *own = state + KRYLOV_OWN;
    const int last = (int)state[KRYLOV_STEPS];
    enum lcl_status st = LCL_OK;
    for (int q = 0; q < K->columns && st == LCL_OK; ++q) {
        if (K->open[q] && is_sound(K, own, q, last))
            st = note_column(K, q, own, last);
    }
    return st;
}

static const struct lcl_pipeline_ops pipeline_ops[] = {
    [2] = {CG_COLUMNS_STOPS, 2 * CG_COLUMNS_WORDS, enqueue_step, enqueue_last,
           look},
    [4] = {CG_COLUMNS_STOPS, 4 * CG_COLUMNS_WORDS, enqueue_step, enqueue_last,
           look},
    [8] = {CG_COLUMNS_STOPS, 8 * CG_COLUMNS_WORDS, enqueue_step, enqueue_last,
           look},
};

// ------------------------------------------------------------------- set-up

bool lcl_cg_columns_suit(const lcl_solver *S)
{
    return !S->member && S->method->columns && S->norm.type == LCL_NORM_2 &&
           S->right_null.count == 0 && S->left_null.count == 0 &&
           !S->A->range.comm;
}

static enum lcl_status interleave(struct lcl_cg_columns *K)
{
    lcl_solver *S = K->S;
    enum lcl_status st;
    if ((st = lcl_operator_interleave(&K->A, S->A, K->columns)) < 0 ||
        (st = lcl_operator_interleave(&K->M, S->M, K->columns)) < 0)
        return st;
    return S->corrects
               ? lcl_operator_interleave(&K->start, S->start, K->columns)
               : LCL_OK;
}

static enum lcl_status get_kernels(struct lcl_cg_columns *K)
{
    lcl_context *ctx = K->S->ctx;
    const struct lcl_kernel_plan all[] = {
        {&K->beta, "cg_columns_beta"},
        {&K->p_kernel, "cg_columns_p"},
        {&K->alpha, "cg_columns_alpha"},
        {&K->r_kernel, "cg_columns_r"},
    };
    struct lcl_spec spec = {.source = "cg_columns.cl"};
    return lcl_interleaved_spec(&spec, lcl_context_caps(ctx), K->columns)
               ? lcl_kernels_get(ctx, &spec, all, 4)
               : LCL_EUNSUPPORTED;
}

// Kernels add up partial sums that nothing may have written yet; a host may
// trap numbers that are not finite.
static enum lcl_status allocate(struct lcl_cg_columns *K)
{
    struct lcl_solver *J = &K->joint;
    const int64_t sums = (int64_t)J->A->range.groups * K->columns;
    const bool dots = lcl_operator_has(&K->M, LCL_APPLY_DOT);
    K->rz_groups = dots ? K->M.range.groups : J->A->range.groups;
    lcl_buffer **const vectors[] = {&J->b, &J->x, &J->r, &K->p, &K->v, &K->z};
    const struct lcl_buffer_plan others[] = {
        {&J->sums, 2 * sums, sizeof(double), "partial sums"},
        {&K->dots, sums, sizeof(double), "partial sums"},
        {&K->rz, 2 * K->columns * (int64_t)K->rz_groups, sizeof(double),
         "partial sums"},
        {&K->limits, 2 * K->columns, sizeof(double), "targets of columns"},
    };
    enum lcl_status st;
    if ((st = lcl_krylov_vectors(J, vectors, K->M.identity ? 5 : 6)) < 0 ||
        (st = lcl_buffers_create(J->ctx, others, 4)) < 0 ||
        (st = lcl_buffer_fill(J->sums, 0)) < 0 ||
        (st = lcl_buffer_fill(K->dots, 0)) < 0 ||
        (st = lcl_buffer_fill(K->rz, 0)) < 0 ||
        (st = lcl_best_init(&J->kept, J)) < 0)
        return st;
    K->host_sums = lcl_malloc((size_t)sums, sizeof *K->host_sums);
    return K->host_sums
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(J->ctx), "partial sums");
}

enum lcl_status lcl_cg_columns_init(struct lcl_cg_columns *K, lcl_solver *S,
                                    int columns)
{
    struct lcl_solver *J = &K->joint;
    enum lcl_status st;
    *K = (struct lcl_cg_columns){.S = S, .columns = columns};
    *J = (struct lcl_solver){.ctx = S->ctx,
                             .A = &K->A,
                             .method = S->method,
                             .column = S->column,
                             .params = S->params,
                             .norm_b = 1,
                             .best = INFINITY,
                             .state = K};
    if ((st = interleave(K)) < 0 || (st = get_kernels(K)) < 0 ||
        (st = lcl_interleaved_init(&K->vectors, &S->A->range, columns)) < 0 ||
        (st = allocate(K)) < 0)
        return st;
    J->launches = 4 + K->A.launches + K->M.launches;
    if (K->z && !lcl_operator_has(&K->M, LCL_APPLY_DOT))
        ++J->launches;
    return lcl_pipeline_init(&K->pipeline, J->ctx, &pipeline_ops[columns]);
}

void lcl_cg_columns_finish(struct lcl_cg_columns *K)
{
    struct lcl_solver *J = &K->joint;
    lcl_buffer **const buffers[] = {&J->b,  &J->x,     &J->r, &J->sums,
                                    &K->p,  &K->v,     &K->z, &K->dots,
                                    &K->rz, &K->limits};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_pipeline_finish(&K->pipeline);
    lcl_best_finish(&J->kept);
    lcl_operator_finish(&K->start);
    lcl_operator_finish(&K->M);
    lcl_operator_finish(&K->A);
    lcl_free(K->host_sums);
    lcl_free(J->history);
}

// ------------------------------------------------------------------- cycle

enum lcl_status lcl_cg_columns_residual(struct lcl_cg_columns *K,
                                        const lcl_buffer *X, double *rr)
{
    const struct lcl_solver *J = &K->joint;
    const int groups = J->A->range.groups;
    const size_t bytes =
        (size_t)groups * (size_t)K->columns * sizeof *K->host_sums;
    const struct lcl_operands v = {.x = X,
                                   .w = J->b,
                                   .y = J->r,
                                   .sums = J->sums,
                                   .stop = lcl_context_no_stop(J->ctx)};
    enum lcl_status st;
    if ((st = lcl_apply(&K->A, LCL_RESIDUAL, &v)) < 0 ||
        (st = lcl_buffer_read_at(J->sums, bytes, K->host_sums, bytes)) < 0)
        return st;
    lcl_space_add_up(rr, K->host_sums, K->columns, groups);
    return LCL_OK;
}

// Columns that are not open have reached any target.
static enum lcl_status write_limits(struct lcl_cg_columns *K)
{
    double limits[2 * LCL_COLUMNS_MOST];
    for (int q = 0; q < K->columns; ++q) {
        const struct lcl_solver *C = &K->column[q];
        limits[q] = K->open[q] ? C->target : INFINITY;
        limits[K->columns + q] = K->open[q] ? 1 / C->norm_b / C->norm_b : 0;
    }
    return lcl_buffer_write(K->limits, limits,
                            2 * (size_t)K->columns * sizeof *limits);
}

enum lcl_status lcl_cg_columns_correct(struct lcl_cg_columns *K)
{
    const struct lcl_solver *J = &K->joint;
    const struct lcl_operands v = {
        .x = J->r, .y = K->z, .stop = lcl_context_no_stop(J->ctx)};
    bool open[LCL_COLUMNS_MOST];
    enum lcl_status st;
    if (!K->S->corrects)
        return LCL_OK;
    for (int q = 0; q < K->columns; ++q) {
        open[q] = K->open[q];
        K->open[q] = open[q] && K->column[q].rr > K->column[q].target;
    }
    st = write_limits(K);
    for (int q = 0; q < K->columns; ++q)
        K->open[q] = open[q];
    if (st < 0 || (st = lcl_apply(&K->start, LCL_APPLY, &v)) < 0)
        return st;
    return lcl_interleaved_add(&K->vectors, K->limits, K->z, J->x);
}

static double largest_residual(const struct lcl_cg_columns *K)
{
    double largest = 0;
    for (int q = 0; q < K->columns; ++q) {
        const struct lcl_solver *C = &K->column[q];
        if (K->open[q])
            largest = fmax(largest, C->rr / C->norm_b / C->norm_b);
    }
    return largest;
}

enum lcl_status lcl_cg_columns_cycle(struct lcl_cg_columns *K)
{
    struct lcl_solver *J = &K->joint;
    enum lcl_status st;
    J->rr = largest_residual(K);
    for (int q = 0; q < K->columns; ++q) {
        K->before[q] = K->column[q].iterations;
        if (K->open[q])
            K->column[q].stop = LCL_STOP_NONE;
    }
    if ((st = write_limits(K)) < 0 ||
        (st = lcl_krylov_note(J, J->iterations, J->rr)) < 0 ||
        (st = lcl_best_begin(J)) < 0)
        return st;
    st = lcl_pipeline_run(&K->pipeline, J);
    for (int q = 0; q < K->columns; ++q)
        if (K->open[q] && K->column[q].stop == LCL_STOP_NONE)
            K->column[q].stop = J->stop;
    return st;
}
