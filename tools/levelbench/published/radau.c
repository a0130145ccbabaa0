// SPDX-License-Identifier: BSD-3-Clause
// levelbench kron radau:S,N and stokes:S,N: solves of the stages of a time step
// by each product, without and with each preconditioner of Kronecker systems,
// and their residuals, as in Figure 16 of Ma, Zhao, Le, Yuan, "A multi-GPU
// enabled solver in Kronecker product form for multiphysics problems" (2025).
#include "tools/levelbench/published/kron.h"
#include "tools/levelbench/table.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const enum lcl_precond_type types[] = {
    LCL_PRECOND_NONE, LCL_PRECOND_BLOCK_JACOBI, LCL_PRECOND_ILDU0};
enum { TYPES = sizeof types / sizeof *types };

static const enum lcl_kron_type products[] = {LCL_KRON_CU, LCL_KRON_OKP,
                                              LCL_KRON_ONE_PASS};
enum { PRODUCTS = sizeof products / sizeof *products };

static const char *const heads[] = {
    "product", "preconditioner", "set-up ms", "solve ms", "iterations",
    "ms each", "residual",       "end",       NULL};

static void print_row(const struct bench *B, const char *name, double setup,
                      const struct lcl_report *r)
{
    const char *const *head = heads;
    printf("%s", B->problem->name);
    bench_table_cell(*head++, "%s", lcl_kron_name(B->options.op.kron));
    bench_table_cell(*head++, "%s", name);
    bench_table_cell(*head++, "%.3f", 1e3 * setup);
    bench_table_cell(*head++, "%.3f", 1e3 * r->seconds);
    bench_table_cell(*head++, "%d", r->iterations);
    bench_table_cell(*head++, "%.4f",
                     1e3 * r->seconds / fmax(r->iterations, 1));
    bench_table_cell(*head++, "%.2e", r->true_residual);
    bench_table_cell(*head, "%s", lcl_stop_name(r->stop));
    putchar('\n');
    fflush(stdout);
}

static void print_line(const struct bench *B, const char *name, double setup,
                       const struct lcl_report *r)
{
    cJSON *line = bench_line(B, "kron-history", name);
    cJSON_AddStringToObject(line, "product", lcl_kron_name(B->options.op.kron));
    cJSON_AddStringToObject(line, "solver",
                            lcl_solver_name(B->options.solver.type));
    cJSON_AddNumberToObject(line, "setup_ms", 1e3 * setup);
    cJSON_AddNumberToObject(line, "ms", 1e3 * r->seconds);
    cJSON_AddNumberToObject(line, "iters", r->iterations);
    cJSON_AddNumberToObject(line, "ms_per_iter",
                            1e3 * r->seconds / fmax(r->iterations, 1));
    cJSON_AddNumberToObject(line, "relres", r->true_residual);
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(r->stop));
    cJSON_AddItemToObject(
        line, "history", cJSON_CreateDoubleArray(r->history, r->history_count));
    bench_print(B, line);
}

static enum lcl_status solve(struct bench *B, const struct work *w,
                             const char *name, double setup)
{
    struct lcl_report report = {.stop = LCL_STOP_NONE};
    lcl_solver *S = NULL;
    enum lcl_status st = lcl_solver_create(&S, w->A, w->M, &B->options.solver);
    if (st == LCL_OK)
        st = bench_solve_twice(B->problem, S, &report);
    if (st == LCL_OK && B->tables)
        print_row(B, name, setup, &report);
    else if (st == LCL_OK)
        print_line(B, name, setup, &report);
    lcl_solver_destroy(&S);
    return st;
}

// Omits unsupported products and preconditioners; the library has logged the
// reason.
static enum lcl_status run(struct bench *B, enum lcl_precond_type type)
{
    const char *name = lcl_precond_name(type);
    struct lcl_precond_params params = B->options.precond;
    struct work w;
    struct setup setup;
    params.type = type;
    enum lcl_status st = bench_set_up_again(B, &w, &params, &setup);
    if (st >= 0)
        st = solve(B, &w, name, setup.seconds);
    else if (st == LCL_EUNSUPPORTED && B->tables)
        printf("%s  %s, %s is unsupported\n", B->problem->name,
               lcl_kron_name(B->options.op.kron), name);
    bench_finish(&w);
    return st == LCL_EUNSUPPORTED ? LCL_OK : st;
}

enum lcl_status bench_radau(struct bench *B)
{
    const enum lcl_kron_type given = B->options.op.kron;
    char title[64];
    enum lcl_status st = LCL_OK;
    snprintf(title, sizeof title, "Figure 16: solves by %s",
             lcl_solver_name(B->options.solver.type));
    if (B->tables)
        bench_table_head((int)strlen(B->problem->name), title, heads);
    for (int k = 0; k < PRODUCTS * TYPES && st >= 0; ++k) {
        B->options.op.kron = products[k % PRODUCTS];
        st = run(B, types[k / PRODUCTS]);
    }
    B->options.op.kron = given;
    return st;
}
