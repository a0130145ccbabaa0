// SPDX-License-Identifier: BSD-3-Clause
// levelbench fill: cost of more entries in the factors, by fill or overlap, in
// set-up and memory, and their gain in the solve.
#include "tools/levelbench/bench.h"
#include "tools/levelbench/table.h"

#include <stdio.h>
#include <string.h>

static const struct setting {
    const char *name;
    enum lcl_precond_type type;
    int ilu_level, ilut_p, overlap;
} settings[] = {
    {"ildu0", LCL_PRECOND_ILDU0, 0, 0, 0},
    {"iluk 1", LCL_PRECOND_ILUK, 1, 0, 0},
    {"iluk 2", LCL_PRECOND_ILUK, 2, 0, 0},
    {"ilut", LCL_PRECOND_ILUT, 0, 0, 0},
    {"ras 1", LCL_PRECOND_RAS, 0, 0, 1},
    {"ras 2", LCL_PRECOND_RAS, 0, 0, 2},
    {"ras 1 ilut", LCL_PRECOND_RAS, 0, 10, 1},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

struct row {
    const struct setting *setting;
    struct lcl_precond_info info;
    double setup; // seconds
    struct times apply;
    struct lcl_report report;
};

// ------------------------------------------------------------------- output

static const char *const heads[] = {
    "precond", "iters", "set-up ms", "apply ms", "solve ms", "sum ms",
    "entries", "MB",    "levels",    "stop",     NULL};
enum { STOP = 9 };

static int width_of(const struct bench *B)
{
    return bench_table_wider((int)strlen("problem"), B->problem->name);
}

static void print_head(const struct bench *B)
{
    char title[160];
    const double rtol = B->options.solver.rtol;
    snprintf(
        title, sizeof title,
        "Solves by %s to rtol %g; entries of the factors for each of the matrix",
        lcl_solver_name(B->options.solver.type), rtol > 0 ? rtol : 1e-8);
    if (B->tables)
        bench_table_head(width_of(B), title, heads);
}

static void print_row(const struct bench *B, const struct row *row)
{
    const struct lcl_precond_info *info = &row->info;
    const double solve = row->report.seconds;
    printf("%-*s", width_of(B), B->problem->name);
    bench_table_cell(heads[0], "%s", row->setting->name);
    bench_table_cell(heads[1], "%d", row->report.iterations);
    bench_table_cell(heads[2], "%.3f", 1e3 * row->setup);
    bench_table_cell(heads[3], "%.4f", 1e3 * row->apply.median);
    bench_table_cell(heads[4], "%.3f", 1e3 * solve);
    bench_table_cell(heads[5], "%.3f", 1e3 * (row->setup + solve));
    bench_table_cell(heads[6], "%.2f",
                     (double)info->factors.nnz / (double)info->nnz);
    bench_table_cell(heads[7], "%.2f", 1e-6 * (double)info->bytes);
    bench_table_cell(heads[8], "%lld", (long long)info->factors.levels_max);
    bench_table_cell(heads[STOP], "%s", lcl_stop_name(row->report.stop));
    putchar('\n');
}

static void print_line(const struct bench *B, const struct row *row)
{
    const struct lcl_precond_info *info = &row->info;
    cJSON *line = bench_line(B, "fill", row->setting->name);
    cJSON_AddNumberToObject(line, "iters", row->report.iterations);
    cJSON_AddNumberToObject(line, "setup_ms", 1e3 * row->setup);
    cJSON_AddNumberToObject(line, "apply_ms", 1e3 * row->apply.median);
    cJSON_AddNumberToObject(line, "ms", 1e3 * row->report.seconds);
    cJSON_AddNumberToObject(line, "factor_nnz", (double)info->factors.nnz);
    cJSON_AddNumberToObject(line, "factor_bytes", (double)info->bytes);
    cJSON_AddNumberToObject(line, "parts", (double)info->factors.parts);
    cJSON_AddNumberToObject(line, "levels_max",
                            (double)info->factors.levels_max);
    cJSON_AddNumberToObject(line, "relres", row->report.true_residual);
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(row->report.stop));
    bench_print(B, line);
}

static void print_refusal(const struct bench *B, const struct setting *setting)
{
    const char *reason = B->messages->first;
    if (!B->tables) {
        cJSON *line = bench_line(B, "fill", setting->name);
        cJSON_AddStringToObject(line, "refused", reason);
        bench_print(B, line);
        return;
    }
    printf("%-*s", width_of(B), B->problem->name);
    bench_table_cell(heads[0], "%s", setting->name);
    for (int h = 1; h < STOP; ++h)
        bench_table_cell(heads[h], "-");
    printf("  %s\n", reason);
}

// ------------------------------------------------------------------- figures

static enum lcl_status measure(struct bench *B, struct work *w, struct row *row)
{
    enum lcl_status st = bench_time_apply(B, w, &row->apply);
    if (st < 0 || (st = bench_run_solver(B, w, &row->report, NULL)) < 0)
        return st;
    row->info = *lcl_precond_info(w->M);
    if (B->tables)
        print_row(B, row);
    else
        print_line(B, row);
    fflush(stdout);
    return LCL_OK;
}

// The second set-up counts; the first one compiles.
static enum lcl_status run_setting(struct bench *B,
                                   const struct setting *setting)
{
    struct lcl_precond_params params = B->options.precond;
    struct row row = {.setting = setting};
    struct setup setup;
    struct work w;
    params.type = setting->type;
    params.ilu_level = setting->ilu_level;
    params.ilut_p = setting->ilut_p;
    params.overlap = setting->overlap;
    params.coarse = LCL_COARSE_NONE;
    enum lcl_status st = bench_try_set_up(B, &w, &params, &setup);
    bench_finish(&w);
    if (bench_is_refusal(st)) {
        print_refusal(B, setting);
        return LCL_OK;
    }
    if (st < 0)
        return st;
    st = bench_set_up(B, &w, &params, &setup);
    row.setup = setup.seconds;
    if (st >= 0)
        st = measure(B, &w, &row);
    bench_finish(&w);
    return st;
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    enum lcl_status st = LCL_OK;
    (void)state;
    if (!B->problem->has_rhs)
        bench_random_rhs(B->problem, 1);
    print_head(B);
    for (int s = 0; s < SETTINGS && st >= 0; ++s)
        st = run_setting(B, &settings[s]);
    return st;
}

// ------------------------------------------------------------------- life

const struct bench_tables bench_fill = {
    .name = "fill",
    .needs_problem = true,
    .problem = add_problem,
};
