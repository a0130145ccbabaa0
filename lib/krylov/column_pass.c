// SPDX-License-Identifier: BSD-3-Clause
// Solves several columns together: as lib/krylov/cycles.c solves one, from one
// true residual of all columns to the next.
#include "lib/krylov/column_pass.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/cg_columns.h"
#include "lib/krylov/cycles.h"
#include "lib/krylov/verify.h"

#include <math.h>

struct pass {
    struct lcl_cg_columns K;
    const struct lcl_given_columns *given;
    bool zero[LCL_COLUMNS_MOST];      // b = 0
    bool at_zero[LCL_COLUMNS_MOST];   // the initial guess is 0
    bool from_kept[LCL_COLUMNS_MOST]; // x is in K.joint.kept
};

// ------------------------------------------------------------------- upload

// Uploads column j of the caller through `room`, a vector of one column.
static enum lcl_status upload(struct pass *P, const double *from, int j,
                              lcl_buffer *room, lcl_buffer *to)
{
    const enum lcl_status st =
        lcl_numbering_write(P->K.S->A->numbering, from, room);
    return st < 0 ? st : lcl_interleaved_put(&P->K.vectors, j, room, to);
}

// B, and ||b|| of each column.
static enum lcl_status read_b(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    const struct lcl_given_columns *g = P->given;
    enum lcl_status st = lcl_buffer_fill(K->joint.b, 0);
    for (int j = 0; j < g->count && st == LCL_OK; ++j) {
        const double *b = g->b + j * g->ldb;
        P->zero[j] = lcl_krylov_is_zero(b, K->S->A->range.n);
        K->column[j].norm_b = 0;
        if (P->zero[j])
            continue;
        if ((st = upload(P, b, j, K->S->b, K->joint.b)) == LCL_OK)
            st = lcl_verify_at_zero(K->S);
        K->column[j].norm_b = sqrt(K->S->rr);
    }
    return st;
}

// X, except where b is 0.
static enum lcl_status read_start(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    const struct lcl_given_columns *g = P->given;
    enum lcl_status st = lcl_buffer_fill(K->joint.x, 0);
    for (int j = 0; j < g->count && st == LCL_OK; ++j) {
        const double *x = g->x + j * g->ldx;
        P->at_zero[j] = P->zero[j] || lcl_krylov_is_zero(x, K->S->A->range.n);
        if (!P->at_zero[j])
            st = upload(P, x, j, K->S->x, K->joint.x);
    }
    return st;
}

// A column with a norm out of this range is solved alone, in another unit.
#define NORM_LEAST 1e-100
#define NORM_MOST  1e100

static bool fits_range(const struct pass *P)
{
    for (int j = 0; j < P->given->count; ++j) {
        const double norm = P->K.column[j].norm_b;
        if (!P->zero[j] && !(norm >= NORM_LEAST && norm <= NORM_MOST))
            return false;
    }
    return true;
}

// ------------------------------------------------------------------- cycles

static void begin(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    const lcl_solver *S = K->S;
    K->joint.started = lcl_now();
    for (int j = 0; j < P->given->count; ++j) {
        struct lcl_solver *C = &K->column[j];
        C->ctx = S->ctx;
        C->A = S->A;
        C->precond = S->precond;
        C->method = S->method;
        C->params = S->params;
        C->launches = K->joint.launches;
        C->eager = S->eager;
        lcl_krylov_begin(C);
        K->open[j] = C->norm_b > 0;
        if (!K->open[j])
            C->stop = LCL_STOP_ZERO_RHS;
    }
}

// The verdict on column j of X.
static enum lcl_status verify(struct pass *P, int j, const lcl_buffer *X)
{
    struct lcl_cg_columns *K = &P->K;
    const struct lcl_judged v = {
        .x = X, .b = K->joint.b, .columns = K->columns, .column = j};
    return lcl_verify_column(K->S, &K->column[j], &v);
}

// Computes the residuals of the open columns, and verdicts on the columns that
// may end.
static enum lcl_status measure(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    double rr[LCL_COLUMNS_MOST];
    enum lcl_status st = lcl_cg_columns_residual(K, K->joint.x, rr);
    for (int j = 0; j < P->given->count && st == LCL_OK; ++j) {
        struct lcl_solver *C = &K->column[j];
        if (!K->open[j])
            continue;
        C->rr = rr[j];
        if (C->stop != LCL_STOP_NONE || !(C->rr > C->target))
            st = verify(P, j, K->joint.x);
    }
    return st;
}

static enum lcl_status correct(struct pass *P)
{
    if (!P->K.S->corrects)
        return LCL_OK;
    const enum lcl_status st = lcl_cg_columns_correct(&P->K);
    return st < 0 ? st : measure(P);
}

// Judges the open columns after a cycle and closes the columns that end.
// Returns whether any column continues.
static bool judge(struct pass *P, const double *before)
{
    struct lcl_cg_columns *K = &P->K;
    const enum lcl_stop all = K->joint.stop;
    const bool asked = lcl_krylov_is_interrupted(all) || all == LCL_STOP_TEST;
    bool any = false;
    for (int j = 0; j < P->given->count; ++j) {
        struct lcl_solver *C = &K->column[j];
        if (!K->open[j])
            continue;
        if (asked && C->rr > C->target)
            C->stop = all;
        C->stop = lcl_krylov_judge(C, before[j]);
        C->x_iteration = C->iterations;
        K->open[j] = C->stop == LCL_STOP_NONE;
        any = any || K->open[j];
        C->restarts += K->open[j];
    }
    return any;
}

// The residual of the initial guess of column j.
static enum lcl_status judge_start(struct pass *P, int j)
{
    struct lcl_cg_columns *K = &P->K;
    struct lcl_solver *C = &K->column[j];
    enum lcl_status st = LCL_OK;
    C->rr = C->norm_b * C->norm_b;
    C->backward = 1;
    if (!P->at_zero[j])
        st = verify(P, j, K->joint.x);
    C->start_rr = C->rr;
    C->start_backward = C->backward;
    if (K->open[j])
        lcl_krylov_set_target(C);
    return st;
}

static enum lcl_status first_residuals(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    double rr[LCL_COLUMNS_MOST];
    enum lcl_status st = lcl_cg_columns_residual(K, K->joint.x, rr);
    for (int j = 0; j < P->given->count && st == LCL_OK; ++j)
        st = judge_start(P, j);
    if (st < 0 || (st = correct(P)) < 0)
        return st;
    for (int j = 0; j < P->given->count && st == LCL_OK; ++j)
        if (K->open[j])
            st = lcl_krylov_note(&K->column[j], 0, K->column[j].rr);
    return st;
}

static enum lcl_status iterate(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    double before[LCL_COLUMNS_MOST];
    enum lcl_status st = first_residuals(P);
    for (bool more = true; more && st == LCL_OK;) {
        for (int j = 0; j < P->given->count; ++j)
            before[j] = K->column[j].rr;
        if ((st = lcl_cg_columns_cycle(K)) < 0 || (st = measure(P)) < 0)
            return st;
        more = judge(P, before);
        if (more)
            st = correct(P);
    }
    return st;
}

// Takes the last checkpoint of a column that failed, if it is better.
static enum lcl_status restore(struct pass *P, int j)
{
    const struct lcl_best *kept = &P->K.joint.kept;
    struct lcl_solver *C = &P->K.column[j];
    const double rr = C->rr, backward = C->backward;
    const enum lcl_status st = verify(P, j, kept->x);
    P->from_kept[j] = C->rr < rr;
    if (!P->from_kept[j]) {
        C->rr = rr;
        C->backward = backward;
    } else if (kept->at < C->iterations) {
        C->x_iteration = kept->at;
    }
    return st;
}

static enum lcl_status restore_best(struct pass *P)
{
    enum lcl_status st = LCL_OK;
    for (int j = 0; j < P->given->count && st == LCL_OK; ++j)
        if (P->K.column[j].stop < 0)
            st = restore(P, j);
    return st;
}

// ------------------------------------------------------------------- results

// Whether x is better than that of the caller.
static bool improved(const struct lcl_solver *C)
{
    return C->stop > 0 || C->rr < C->start_rr;
}

static enum lcl_status download(struct pass *P)
{
    struct lcl_cg_columns *K = &P->K;
    const struct lcl_given_columns *g = P->given;
    const struct lcl_numbering *N = K->S->A->numbering;
    lcl_buffer *room = K->S->x;
    enum lcl_status st = LCL_OK;
    for (int j = 0; j < g->count && st == LCL_OK; ++j) {
        const lcl_buffer *X = P->from_kept[j] ? K->joint.kept.x : K->joint.x;
        if (!improved(&K->column[j]))
            continue;
        if ((st = lcl_interleaved_get(&K->vectors, j, X, room)) == LCL_OK)
            st = lcl_numbering_read(N, room, g->x + j * g->ldx);
    }
    return st;
}

static enum lcl_status solve(struct pass *P)
{
    enum lcl_status st;
    if ((st = read_b(P)) < 0)
        return st;
    if (!fits_range(P))
        return LCL_EUNSUPPORTED;
    if ((st = read_start(P)) < 0)
        return st;
    begin(P);
    if ((st = iterate(P)) < 0)
        return st;
    return restore_best(P);
}

// Each column takes its share of the time.
static void report_column(struct pass *P, int j, struct lcl_report *report,
                          enum lcl_status *result)
{
    struct lcl_solver *C = &P->K.column[j];
    if (!improved(C))
        lcl_krylov_keep_start(C);
    const enum lcl_status st = lcl_krylov_finish(C, report);
    report->seconds /= P->given->count;
    if (*result == LCL_OK)
        *result = st;
}

static enum lcl_status finish(struct pass *P, struct lcl_report *reports,
                              double **histories)
{
    enum lcl_status result = LCL_OK;
    for (int j = 0; j < P->given->count; ++j) {
        report_column(P, j, &reports[j], &result);
        histories[j] = P->K.column[j].history;
        P->K.column[j].history = NULL;
    }
    atomic_store(&P->K.S->cancelled, false); // too late for these columns
    const enum lcl_status got = download(P);
    return got < 0 ? got : result;
}

static void drop_histories(struct pass *P)
{
    for (int j = 0; j < LCL_COLUMNS_MOST; ++j)
        lcl_free(P->K.column[j].history);
}

// The steps of lcl_krylov_run() before its iterations.
static enum lcl_status prepare(lcl_solver *S)
{
    enum lcl_status st = S->precond ? lcl_precond_refresh(S->precond) : LCL_OK;
    if (st < 0 || (st = lcl_operator_require_symmetric(
                       S->A, lcl_solver_name(S->params.type))) < 0)
        return st;
    return lcl_krylov_is_by_rows(S) || S->A->look.aside
               ? LCL_EUNSUPPORTED
               : lcl_krylov_choose_form(S);
}

// Whatever fails here, such as too little memory on the device: a column can
// still be solved alone.
static enum lcl_status set_up(struct pass *P, lcl_solver *S, int columns)
{
    const enum lcl_log_level level =
        lcl_context_set_log_level(S->ctx, LCL_LOG_NONE);
    const enum lcl_status st = lcl_cg_columns_init(&P->K, S, columns);
    lcl_context_set_log_level(S->ctx, level);
    if (st == LCL_OK)
        return LCL_OK;
    lcl_debug(lcl_context_log(S->ctx), "no pass for %d columns: %s", columns,
              lcl_status_str(st));
    return LCL_EUNSUPPORTED;
}

enum lcl_status lcl_column_pass(lcl_solver *S,
                                const struct lcl_given_columns *given,
                                int columns, struct lcl_report *reports,
                                double **histories)
{
    struct pass P = {.given = given};
    enum lcl_status st;
    if (!lcl_cg_columns_suit(S))
        return LCL_EUNSUPPORTED;
    lcl_task_enter(S->ctx, LCL_TASK_SOLVE);
    if ((st = prepare(S)) == LCL_OK) {
        if ((st = set_up(&P, S, columns)) == LCL_OK &&
            (st = solve(&P)) == LCL_OK)
            st = finish(&P, reports, histories);
        drop_histories(&P);
        lcl_cg_columns_finish(&P.K);
    }
    lcl_task_leave(S->ctx);
    return st;
}
