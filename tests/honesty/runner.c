// SPDX-License-Identifier: BSD-3-Clause
// Solves a trial with the library.
#include "tests/honesty/runner.h"

#include "tests/honesty/check.h"
#include "tests/honesty/memory.h"

#include <levelcl/chain.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- contexts

static void keep_message(void *user, enum lcl_log_level level, const char *text)
{
    (void)level;
    struct runner *R = user;
    snprintf(R->message, sizeof R->message, "%s", text);
}

enum lcl_status runner_start(struct runner *R)
{
    *R = (struct runner){0};
    const struct lcl_context_params params = {
        .log = {keep_message, R, LCL_LOG_ERROR}};
    for (int k = 0; k < TRIAL_DEVICES; ++k) {
        const enum lcl_status st = lcl_context_create(&R->ctx[k], &params);
        if (st != LCL_OK)
            return st;
    }
    return LCL_OK;
}

void runner_finish(struct runner *R)
{
    for (int k = 0; k < TRIAL_DEVICES; ++k)
        lcl_context_destroy(&R->ctx[k]);
}

// --------------------------------------------------------------------- objects

struct run {
    struct runner *R;
    const struct trial *T;
    struct lcl_csr A; // with the values of the step
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    lcl_chain *C;
};

static enum lcl_status product(void *user, const double *x, double *y)
{
    lcl_csr_multiply(user, x, y);
    return LCL_OK;
}

static enum lcl_status create_operator(struct run *run,
                                       const struct lcl_options *options)
{
    const struct trial *T = run->T;
    lcl_context **ctx = run->R->ctx;
    const bool kron = T->form == FORM_KRON;
    if (T->form == FORM_CALLBACK)
        return lcl_operator_create_callback(&run->op, ctx[0], T->n, T->n,
                                            product, &run->A);
    if (T->devices > 1 && kron)
        return lcl_operator_create_kron_distributed(&run->op, ctx, T->devices,
                                                    &T->K, &options->op);
    if (T->devices > 1)
        return lcl_operator_create_distributed(&run->op, ctx, T->devices,
                                               &run->A, &options->op);
    if (kron)
        return lcl_operator_create_kron(&run->op, ctx[0], &T->K, &options->op);
    return lcl_operator_create(&run->op, ctx[0], &run->A, &options->op);
}

static bool continue_to(void *user, const struct lcl_progress_info *info)
{
    const struct trial *T = user;
    return info->iteration < T->give_up;
}

static enum lcl_status create_method(struct run *run,
                                     struct lcl_options *options)
{
    if (run->T->give_up) {
        options->solver.monitor = continue_to;
        options->solver.monitor_user = (void *)(uintptr_t)run->T;
    }
    if (run->T->chain)
        return lcl_chain_create(&run->C, run->op, &options->precond,
                                &options->solver);
    const enum lcl_status st =
        lcl_precond_create(&run->M, run->op, &options->precond);
    return st < 0
               ? st
               : lcl_solver_create(&run->S, run->op, run->M, &options->solver);
}

static enum lcl_status create(struct run *run)
{
    struct lcl_options options = trial_options(run->T);
    const struct lcl_nullspace constants = LCL_NULLSPACE_INIT;
    enum lcl_status st = create_operator(run, &options);
    if (st >= 0 && run->T->constants)
        st = lcl_operator_set_nullspace(run->op, &constants);
    return st < 0 ? st : create_method(run, &options);
}

static void destroy(struct run *run)
{
    lcl_chain_destroy(&run->C);
    lcl_solver_destroy(&run->S);
    lcl_precond_destroy(&run->M);
    lcl_operator_destroy(&run->op);
}

// ----------------------------------------------------------------------- steps

// Columns are apart by more than their length.
struct columns {
    int count;
    int64_t ld;
    double *b, *x, *start;
    struct lcl_report *report;
    enum lcl_status *status;
};

static enum lcl_status solve_chain(lcl_chain *C, struct columns *V)
{
    if (V->count == 1)
        return *V->status = lcl_chain_solve(C, V->b, V->x, V->report);
    const enum lcl_status st =
        lcl_chain_solve_many(C, V->b, V->ld, V->x, V->ld, V->count, V->report);
    for (int j = 0; j < V->count; ++j)
        V->status[j] = lcl_stop_status(V->report[j].stop);
    return st;
}

static enum lcl_status solve(struct run *run, struct columns *V)
{
    if (run->C)
        return solve_chain(run->C, V);
    if (V->count == 1)
        return *V->status = lcl_solver_solve(run->S, V->b, V->x, V->report);
    const enum lcl_status st = lcl_solver_solve_many(
        run->S, V->b, V->ld, V->x, V->ld, V->count, V->report);
    for (int j = 0; j < V->count; ++j)
        V->status[j] = V->report[j].stop == LCL_STOP_NONE
                           ? LCL_ITERATION_LIMIT
                           : lcl_stop_status(V->report[j].stop);
    return st;
}

static enum lcl_status update(struct run *run, int step)
{
    const struct trial *T = run->T;
    if (T->form == FORM_KRON)
        return LCL_OK;
    run->A.val = T->val + step * run->A.nnz;
    if (T->form == FORM_CALLBACK || step == 0)
        return LCL_OK;
    const enum lcl_status st = lcl_operator_update(run->op, run->A.val);
    if (st < 0 || T->stale)
        return st;
    return run->C ? lcl_chain_update(run->C) : lcl_precond_update(run->M);
}

static struct columns columns_start(const struct trial *T)
{
    const size_t count = (size_t)T->columns, ld = (size_t)T->n + 3;
    struct columns V = {.count = T->columns, .ld = T->n + 3};
    V.b = zeroed(count * ld, sizeof *V.b);
    V.x = zeroed(count * ld, sizeof *V.x);
    V.start = zeroed(count * ld, sizeof *V.start);
    V.report = zeroed(count, sizeof *V.report);
    V.status = zeroed(count, sizeof *V.status);
    return V;
}

static void columns_finish(struct columns *V)
{
    free(V->b);
    free(V->x);
    free(V->start);
    free(V->report);
    free(V->status);
}

static void load(struct columns *V, const struct trial *T, int step)
{
    const size_t bytes = (size_t)T->n * sizeof *V->b;
    for (int j = 0; j < V->count; ++j) {
        memcpy(V->b + j * V->ld, T->b + (step * V->count + j) * T->n, bytes);
        if (step == 0 || !T->warm)
            memcpy(V->x + j * V->ld, T->x0 + j * T->n, bytes);
        V->report[j] = (struct lcl_report){0};
        V->status[j] = LCL_ITERATION_LIMIT;
    }
    memcpy(V->start, V->x, (size_t)(V->count * V->ld) * sizeof *V->x);
}

static void count(struct outcome *out, enum lcl_status st)
{
    if (st == LCL_OK)
        ++out->solved;
    else if (st > 0)
        ++out->failed;
    else
        ++out->refused;
}

static void check_columns(struct outcome *out, const struct run *run,
                          const struct columns *V, enum lcl_status st)
{
    const struct trial *T = run->T;
    struct exact E = T->form == FORM_KRON ? exact_of_kron(&T->K)
                                          : exact_of_csr(&run->A, run->A.val);
    for (int j = 0; j < V->count && !out->fault; ++j) {
        const struct answer answer = {.T = T,
                                      .E = &E,
                                      .A = &run->A,
                                      .status = st < 0 ? st : V->status[j],
                                      .report = &V->report[j],
                                      .b = V->b + j * V->ld,
                                      .start = V->start + j * V->ld,
                                      .x = V->x + j * V->ld};
        count(out, answer.status);
        check_answer(out, &answer, run->R->message);
        if (!out->fault)
            continue;
        out->column = j;
        out->x = duplicate(answer.start, (size_t)T->n, sizeof *out->x);
    }
    exact_finish(&E);
}

static bool run_step(struct outcome *out, struct run *run, struct columns *V,
                     int step)
{
    out->step = step;
    run->R->message[0] = '\0';
    load(V, run->T, step);
    enum lcl_status st = update(run, step);
    if (st >= 0)
        st = solve(run, V);
    check_columns(out, run, V, st);
    return !out->fault && st >= 0;
}

struct outcome runner_try(struct runner *R, const struct trial *T)
{
    struct outcome out = {0};
    struct run run = {.R = R, .T = T, .A = T->A};
    struct columns V = columns_start(T);
    R->message[0] = '\0';
    update(&run, 0);
    const enum lcl_status st = create(&run);
    if (st < 0) {
        load(&V, T, 0);
        check_columns(&out, &run, &V, st);
    }
    for (int step = 0; st >= 0 && step < T->steps; ++step)
        if (!run_step(&out, &run, &V, step))
            break;
    destroy(&run);
    columns_finish(&V);
    return out;
}
