// SPDX-License-Identifier: BSD-3-Clause
// levelbench gmres: cost of the orthogonalisation in a cycle of GMRES(m), in
// both storage formats and by CLBlast, and whole solves by GMRES and FGMRES.
#include "tools/levelbench/bench.h"

#include "host/blas.h"
#include "lib/krylov/arnoldi.h"
#include "lib/krylov/pipeline.h"

#include <stdio.h>
#include <string.h>

enum { RESTART = 30, NAME = 32 };

// A stopping flag that stays 0.
enum { NEVER = GMRES_STOPS, STOPS };

struct tables {
    int problems;
};

// ------------------------------------------------------------------- passes

// A basis, and w at the start of each cycle.
struct cycle {
    struct lcl_arnoldi A;
    lcl_buffer *state, *stop, *w, *sums;
};

// All steps orthogonalise the same w. Its new component soon is rounding error,
// which does not change the time.
static enum lcl_status run_cycle(void *arg)
{
    struct cycle *c = arg;
    enum lcl_status st = lcl_buffer_copy(c->A.w, c->w);
    for (int j = 0; j < c->A.m && st == LCL_OK; ++j)
        st = lcl_arnoldi_step(&c->A, j, j, 0, c->A.v, NEVER, NEVER);
    return st;
}

// Classical Gram-Schmidt, twice, by matrix-vector products only.
static enum lcl_status run_blas(void *arg)
{
    struct cycle *c = arg;
    const struct lcl_arnoldi *A = &c->A;
    enum lcl_status st = lcl_buffer_copy(A->w, c->w);
    for (int pass = 0; pass < 2 * A->m && st == LCL_OK; ++pass) {
        const int k = pass / 2 + 1;
        const struct lcl_blas_columns V = {A->n, k, A->ld, A->V};
        if ((st = lcl_blas_transposed(A->space.ctx, &V, A->w, A->h)) == LCL_OK)
            st = lcl_blas_subtract(A->space.ctx, &V, A->h, A->w);
    }
    return st;
}

// Traffic of the passes of a cycle. Each step reads V three times; each step
// but the last moves w four times and v and the new column once; the cycle
// starts with a copy of w.
static double bytes_of(const struct lcl_arnoldi *A)
{
    const double value = A->storage == LCL_BASIS_FP32 ? 4 : 8, m = A->m;
    const double reads = 3 * m * (m + 1) / 2 - m;
    return (double)A->n * (value * (reads + m - 1) + 8 * (5 * m - 2) + 2 * 8);
}

// Computes column 0 from the right-hand side, which also is w.
static enum lcl_status open_cycle(struct cycle *c, const struct bench *B, int m,
                                  enum lcl_basis_storage storage)
{
    const int64_t n = B->problem->A.rows;
    const double *b = B->problem->b;
    const int words = KRYLOV_OWN + GMRES_WORDS;
    double sums[2] = {0, 0};
    enum lcl_status st;
    *c = (struct cycle){.sums = NULL};
    for (int64_t i = 0; i < n; ++i)
        sums[1] += b[i] * b[i];
    const struct lcl_space V = lcl_space_of(B->ctx, n);
    if ((st = lcl_arnoldi_init(&c->A, &V, m, storage,
                               LCL_ORTHOGONALISATION_CGS2, false)) < 0 ||
        (st = lcl_buffer_create(&c->state, B->ctx, words, 8, "state")) < 0 ||
        (st = lcl_buffer_create(&c->stop, B->ctx, STOPS, 4, "stop flags")) <
            0 ||
        (st = lcl_buffer_create_from(&c->w, B->ctx, b, n, 8, "vector")) < 0 ||
        (st = lcl_buffer_create_from(&c->sums, B->ctx, sums, 2, 8, "sums")) <
            0 ||
        (st = lcl_buffer_fill(c->state, 0)) < 0 ||
        (st = lcl_buffer_fill(c->stop, 0)) < 0 ||
        (st = lcl_buffer_fill(c->A.h, 0)) < 0)
        return st;
    c->A.state = c->state;
    c->A.stop = c->stop;
    return lcl_arnoldi_begin(&c->A, 0, 0, 1, c->sums, c->w);
}

static void close_cycle(struct cycle *c)
{
    lcl_arnoldi_finish(&c->A);
    lcl_buffer_destroy(&c->state);
    lcl_buffer_destroy(&c->stop);
    lcl_buffer_destroy(&c->w);
    lcl_buffer_destroy(&c->sums);
}

static void print_passes(const struct bench *B, const struct lcl_arnoldi *A,
                         const char *variant, const struct times *t,
                         double bytes, double first)
{
    if (!B->tables) {
        cJSON *line = bench_line(B, "gmres_orthogonalise", variant);
        cJSON_AddNumberToObject(line, "restart", A->m);
        bench_add_times(line, B, t, bytes);
        cJSON_AddNumberToObject(line, "ratio", t->median / first);
        bench_print(B, line);
        return;
    }
    const double gbps = 1e-9 * bytes / t->median;
    printf("  %-12s %10.3f %11.4f", variant, 1e3 * t->median,
           1e3 * t->median / A->m);
    if (bytes > 0)
        printf(" %9.1f %9.2f", gbps, gbps / B->copy_gbps);
    else
        printf(" %9s %9s", "", "");
    printf(" %9.2f\n", t->median / first);
    fflush(stdout);
}

// Times the library's kernels and then, with the basis that they computed,
// CLBlast. *first is the first time of all.
static enum lcl_status measure_storage(struct bench *B, int m,
                                       enum lcl_basis_storage storage,
                                       double *first)
{
    const bool blas = storage == LCL_BASIS_FP64 && lcl_blas_there();
    struct cycle c;
    struct times t;
    enum lcl_status st = open_cycle(&c, B, m, storage);
    if (st == LCL_OK && (st = bench_measure(B, run_cycle, &c, &t)) == LCL_OK) {
        *first = *first > 0 ? *first : t.median;
        print_passes(B, &c.A, lcl_basis_storage_name(storage), &t,
                     bytes_of(&c.A), *first);
    }
    if (st == LCL_OK && blas &&
        (st = bench_measure(B, run_blas, &c, &t)) == LCL_OK)
        print_passes(B, &c.A, "clblast", &t, 0, *first);
    close_cycle(&c);
    return st;
}

static enum lcl_status measure_passes(struct bench *B, int restart)
{
    const int64_t n = B->problem->A.rows;
    const int m = n < restart ? (int)n : restart;
    double first = 0;
    if (B->tables)
        printf("%s: cycles of %d columns of %lld rows\n"
               "  %-12s %10s %11s %9s %9s %9s\n",
               B->problem->name, m, (long long)n, "passes", "ms", "ms per step",
               "GB/s", "of copy", "ratio");
    const enum lcl_status st = measure_storage(B, m, LCL_BASIS_FP64, &first);
    return st < 0 ? st : measure_storage(B, m, LCL_BASIS_FP32, &first);
}

// ------------------------------------------------------------------- solves

static void print_solve(const struct bench *B, const struct lcl_report *report)
{
    const struct lcl_solver_params *solver = &B->options.solver;
    const double ms = 1e3 * report->seconds;
    const double each = report->iterations > 0 ? ms / report->iterations : 0;
    if (!B->tables) {
        cJSON *line = bench_line(B, lcl_solver_name(solver->type),
                                 lcl_basis_storage_name(solver->basis));
        cJSON_AddNumberToObject(line, "restart", solver->restart);
        cJSON_AddNumberToObject(line, "solve_ms", ms);
        cJSON_AddNumberToObject(line, "iteration_ms", each);
        cJSON_AddNumberToObject(line, "iters", report->iterations);
        cJSON_AddNumberToObject(line, "restarts", report->restarts);
        cJSON_AddNumberToObject(line, "relres", report->true_residual);
        cJSON_AddStringToObject(line, "stop", lcl_stop_name(report->stop));
        bench_print(B, line);
        return;
    }
    char name[NAME];
    snprintf(name, NAME, "%s(%d)", lcl_solver_name(solver->type),
             solver->restart);
    printf("%-14s %10d %10.3f %10.4f  %9.2e  %s\n", name, report->iterations,
           ms, each, report->true_residual, lcl_stop_name(report->stop));
    fflush(stdout);
}

static enum lcl_status measure_solves(struct bench *B)
{
    static const enum lcl_solver_type types[] = {LCL_SOLVER_GMRES,
                                                 LCL_SOLVER_FGMRES};
    struct work w;
    struct setup setup;
    enum lcl_status st = bench_set_up(B, &w, &B->options.precond, &setup);
    if (B->tables)
        printf("%-14s %10s %10s %10s  %9s  %s\n", "solves", "iterations", "ms",
               "ms each", "residual", "end");
    for (int i = 0; i < 2 && st == LCL_OK; ++i) {
        struct lcl_report report;
        B->options.solver.type = types[i];
        if ((st = bench_run_solver(B, &w, &report, NULL)) == LCL_OK)
            print_solve(B, &report);
    }
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- life

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct tables *gmres = state;
    const struct lcl_solver_params asked = B->options.solver;
    if (asked.restart == 0)
        B->options.solver.restart = RESTART;
    if (!B->problem->has_rhs)
        bench_random_rhs(B->problem, 1);
    if (B->tables && gmres->problems++ > 0)
        putchar('\n');
    enum lcl_status st = measure_passes(B, B->options.solver.restart);
    if (st == LCL_OK)
        st = measure_solves(B);
    B->options.solver = asked;
    return st;
}

const struct bench_tables bench_gmres = {
    .name = "gmres",
    .state_bytes = sizeof(struct tables),
    .needs_problem = true,
    .problem = add_problem,
};
