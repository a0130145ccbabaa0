// SPDX-License-Identifier: BSD-3-Clause
// Set-up by phase, and the solve.
#include "tools/bench.h"

#include "host/clock.h"
#include "lib/precond/precond.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------- set-up

static enum lcl_status create(struct bench *B, lcl_precond **M,
                              const struct lcl_precond_params *params,
                              struct setup *setup)
{
    double before[LCL_PHASE_COUNT];
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        before[p] = lcl_context_seconds(B->ctx, (enum lcl_phase)p);
    const double start = lcl_now();
    const struct problem *P = B->problem;
    const enum lcl_status st =
        P->K ? lcl_precond_create_kron(M, B->ctx, P->K, params)
             : lcl_precond_create(M, B->ctx, &P->A, params);
    setup->seconds = lcl_now() - start;
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        setup->phase[p] =
            lcl_context_seconds(B->ctx, (enum lcl_phase)p) - before[p];
    return st < 0 ? st : LCL_OK;
}

enum lcl_status bench_set_up(struct bench *B, struct work *w,
                             const struct lcl_precond_params *params,
                             struct setup *setup)
{
    const int64_t n = B->problem->A.rows;
    enum lcl_status st;
    *w = (struct work){NULL, NULL, NULL};
    if ((st = create(B, &w->M, params, setup)) < 0 ||
        (st = lcl_buffer_create(&w->b, B->ctx, n, 8, "vector")) < 0 ||
        (st = lcl_buffer_create(&w->x, B->ctx, n, 8, "vector")) < 0)
        return st;
    return lcl_system_put(&w->M->system, B->problem->b, w->b);
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

enum lcl_status bench_run_solver(struct bench *B, lcl_precond *M,
                                 struct lcl_report *report)
{
    lcl_solver *S = NULL;
    enum lcl_status st = lcl_solver_create(&S, M, &B->options.solver);
    *report = (struct lcl_report){.stop = LCL_STOP_NONE};
    if (st == LCL_OK)
        st = bench_solve_twice(B->problem, S, report);
    report->history = NULL; // the solver's
    lcl_solver_destroy(&S);
    return st;
}

// What an iteration of a small problem takes is launches, not memory.
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

void bench_print_solve(const struct bench *B, const char *variant,
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
    if (B->seed > 0)
        cJSON_AddNumberToObject(line, "random_rhs", B->seed);
    bench_print(B, line);
    if (B->problem->A.rows <= SMALL_ROWS && r->iterations > 0 &&
        r->launches > 0)
        print_iteration(B, variant, r);
}
