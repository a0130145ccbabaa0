// SPDX-License-Identifier: BSD-3-Clause
// levelbench hec: one application of block ILU(0) by hec_level (Chen, Liu,
// Yang, "Parallel triangular solvers on GPU"), by hec_wait and by packed; then
// their tables.
#include "tools/levelbench/bench.h"
#include "tools/levelbench/table.h"

#include <levelcl/published.h>

#include <stdio.h>
#include <string.h>

static const enum lcl_trisolve methods[] = {
    LCL_TRISOLVE_PACKED, LCL_TRISOLVE_HEC_WAIT, LCL_TRISOLVE_HEC_LEVEL};
enum { METHODS = sizeof methods / sizeof *methods };

struct row {
    const char *problem;
    struct lcl_precond_info info; // of the last method
    struct times apply[METHODS];
};

// ------------------------------------------------------------------- figures

static enum lcl_status measure(struct bench *B, int method, struct row *row)
{
    struct lcl_precond_params params = B->options.precond;
    struct work w;
    struct setup setup;
    struct times *t = &row->apply[method];
    params.type = LCL_PRECOND_ILU0;
    params.trisolve = methods[method];
    params.storage = LCL_FACTOR_STORAGE_FP64;
    params.coarse = LCL_COARSE_NONE;
    enum lcl_status st = bench_set_up(B, &w, &params, &setup);
    if (st == LCL_OK && (st = bench_time_apply(B, &w, t)) == LCL_OK) {
        bench_print_setup(B, lcl_trisolve_name(methods[method]), &setup);
        bench_print_apply(B, &w, t);
        row->info = *lcl_precond_info(w.M);
    }
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- table

static void print_row(const struct row *row)
{
    static const char *const heads[] = {"rows",      "subdomains", "levels",
                                        "launches",  "packed",     "hec_wait",
                                        "hec_level", NULL};
    const struct lcl_precond_info *info = &row->info;
    const int width = bench_table_wider((int)strlen("problem"), row->problem);
    bench_table_head(width,
                     "One application of block ILU(0), ms; launches of "
                     "hec_level",
                     heads);
    printf("%-*s", width, row->problem);
    bench_table_cell(heads[0], "%lld", (long long)info->rows);
    bench_table_cell(heads[1], "%lld", (long long)info->factors.parts);
    bench_table_cell(heads[2], "%lld", (long long)info->factors.levels_max);
    bench_table_cell(heads[3], "%d", info->launches);
    for (int m = 0; m < METHODS; ++m)
        bench_table_cell(heads[4 + m], "%.4f", 1e3 * row->apply[m].median);
    putchar('\n');
}

// Prints each table as soon as it is measured: a solve on one core may take
// minutes.
static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct row row = {.problem = B->problem->name};
    enum lcl_status st = LCL_OK;
    (void)state;
    for (int m = 0; m < METHODS && st == LCL_OK; ++m)
        st = measure(B, m, &row);
    if (st < 0)
        return st;
    if (B->tables)
        print_row(&row);
    return bench_blocks(B);
}

// ------------------------------------------------------------------- life

static void create(void *state, struct lcl_options *options)
{
    (void)state;
    options->op.block_size = 1;
    options->solver.rtol = 1e-6; // the publication states no tolerance
    options->solver.restart = 20;
    options->solver.max_iters = 10000;
}

const struct bench_tables bench_hec = {
    .name = "hec",
    .needs_problem = true,
    .create = create,
    .problem = add_problem,
};
