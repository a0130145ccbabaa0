// SPDX-License-Identifier: BSD-3-Clause
// Set-up by phase, and the solve.
#include "tools/levelbench/bench.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "lib/precond/precond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------- set-up

// The sign of block pivots is not checked, but IC(0) requires positive pivots.
static struct lcl_operator_params operator_params(const struct bench *B,
                                                  enum lcl_precond_type type)
{
    struct lcl_operator_params params = B->options.op;
    if (type == LCL_PRECOND_IC0 && params.block_size == 0)
        params.block_size = 1;
    return params;
}

static enum lcl_status create(struct bench *B, struct work *w,
                              const struct lcl_precond_params *params)
{
    const struct problem *P = B->problem;
    const struct lcl_operator_params op = operator_params(B, params->type);
    const enum lcl_status st =
        P->K ? lcl_operator_create_kron(&w->A, B->ctx, P->K, &op)
             : lcl_operator_create(&w->A, B->ctx, &P->A, &op);
    return st < 0 ? st : lcl_precond_create(&w->M, w->A, params);
}

static enum lcl_status time_create(struct bench *B, struct work *w,
                                   const struct lcl_precond_params *params,
                                   struct setup *setup)
{
    double before[LCL_PHASE_COUNT];
    profile_begin(&setup->profile, B->ctx, lcl_now());
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        before[p] = lcl_context_seconds(B->ctx, (enum lcl_phase)p);
    const double start = lcl_now();
    enum lcl_status st = create(B, w, params);
    if (st >= 0)
        st = lcl_operator_prepare(w->A, LCL_APPLY);
    setup->seconds = lcl_now() - start;
    profile_end(&setup->profile, B->ctx, lcl_now());
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        setup->phase[p] =
            lcl_context_seconds(B->ctx, (enum lcl_phase)p) - before[p];
    return st;
}

enum lcl_status bench_set_up(struct bench *B, struct work *w,
                             const struct lcl_precond_params *params,
                             struct setup *setup)
{
    enum lcl_status st;
    *w = (struct work){.A = NULL};
    if ((st = time_create(B, w, params, setup)) < 0 ||
        (st = lcl_space_vector(&w->b, &w->A->range)) < 0 ||
        (st = lcl_space_vector(&w->x, &w->A->range)) < 0)
        return st;
    return lcl_numbering_write(w->A->numbering, B->problem->b, w->b);
}

bool bench_is_refusal(enum lcl_status st)
{
    return st == LCL_ERANGE || st == LCL_EUNSUPPORTED;
}

enum lcl_status bench_try_set_up(struct bench *B, struct work *w,
                                 const struct lcl_precond_params *params,
                                 struct setup *setup)
{
    struct bench_messages *m = B->messages;
    *m->first = '\0';
    m->kept = true;
    const enum lcl_status st = bench_set_up(B, w, params, setup);
    m->kept = false;
    if (st < 0 && !bench_is_refusal(st) && *m->first) {
        fprintf(stderr, "levelbench: %s\n", m->first);
        m->explained = true;
    }
    return st;
}

enum lcl_status bench_set_up_again(struct bench *B, struct work *w,
                                   const struct lcl_precond_params *params,
                                   struct setup *setup)
{
    enum lcl_status st = bench_set_up(B, w, params, setup);
    if (st < 0)
        return st;
    bench_finish(w);
    return bench_set_up(B, w, params, setup);
}

void bench_finish(struct work *w)
{
    lcl_buffer_destroy(&w->x);
    lcl_buffer_destroy(&w->b);
    lcl_precond_destroy(&w->M);
    lcl_operator_destroy(&w->A);
}

void bench_print_setup(const struct bench *B, const char *variant,
                       const struct setup *setup)
{
    cJSON *line = bench_line(B, "setup", variant);
    cJSON_AddNumberToObject(line, "ms", 1e3 * setup->seconds);
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        cJSON_AddNumberToObject(line, lcl_phase_name((enum lcl_phase)p),
                                1e3 * setup->phase[p]);
    bench_print(B, line);
}

// ------------------------------------------------------------------- solve

enum lcl_status bench_solve_twice(const struct problem *P, lcl_solver *S,
                                  struct lcl_report *report)
{
    enum lcl_status st = LCL_OK;
    for (int pass = 0; pass < 2 && st == LCL_OK; ++pass) {
        memset(P->x, 0, (size_t)P->A.rows * sizeof *P->x);
        st = lcl_solver_solve(S, P->b, P->x, report);
    }
    return st < 0 ? st : LCL_OK;
}

// Copies the residuals of the report to memory of the caller.
static enum lcl_status keep_history(struct lcl_report *report, double **out)
{
    const size_t count = (size_t)report->history_count;
    *out = lcl_malloc(count, sizeof **out);
    if (!*out)
        return LCL_ENOMEM;
    if (count > 0)
        memcpy(*out, report->history, count * sizeof **out);
    return LCL_OK;
}

enum lcl_status bench_run_solver(struct bench *B, const struct work *w,
                                 struct lcl_report *report, double **history)
{
    lcl_solver *S = NULL;
    enum lcl_status st = lcl_solver_create(&S, w->A, w->M, &B->options.solver);
    *report = (struct lcl_report){.stop = LCL_STOP_NONE};
    if (st == LCL_OK)
        st = bench_solve_twice(B->problem, S, report);
    if (st == LCL_OK && history)
        st = keep_history(report, history);
    report->history = NULL; // belongs to the solver
    lcl_solver_destroy(&S);
    return st;
}

// Launches, not memory traffic, determine the time of an iteration of a small
// problem.
enum { SMALL_ROWS = 65536 };

static void print_iteration(const struct bench *B, const char *variant,
                            const struct lcl_report *r)
{
    const double us = 1e6 * r->seconds / r->iterations;
    cJSON *line = bench_line(B, "iteration", variant);
    cJSON_AddStringToObject(line, "solver",
                            lcl_solver_name(B->options.solver.type));
    cJSON_AddNumberToObject(line, "us", us);
    cJSON_AddNumberToObject(line, "launches", r->launches);
    cJSON_AddNumberToObject(line, "us_per_launch", us / r->launches);
    bench_print(B, line);
}

cJSON *bench_solve_line(const struct bench *B, const char *variant,
                        const struct lcl_report *r)
{
    const char *solver = lcl_solver_name(B->options.solver.type);
    cJSON *line = bench_line(B, solver, variant);
    cJSON_AddNumberToObject(line, "ms", 1e3 * r->seconds);
    cJSON_AddNumberToObject(line, "iters", r->iterations);
    cJSON_AddNumberToObject(line, "relres", r->true_residual);
    cJSON_AddNumberToObject(line, "ms_per_iter",
                            1e3 * r->seconds / fmax(r->iterations, 1));
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(r->stop));
    return line;
}

void bench_print_solve(const struct bench *B, const char *variant,
                       const struct lcl_report *r)
{
    cJSON *line = bench_solve_line(B, variant, r);
    if (B->seed > 0)
        cJSON_AddNumberToObject(line, "random_rhs", B->seed);
    bench_print(B, line);
    if (B->problem->A.rows <= SMALL_ROWS && r->iterations > 0 &&
        r->launches > 0)
        print_iteration(B, variant, r);
}
