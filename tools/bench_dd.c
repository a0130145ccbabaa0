// SPDX-License-Identifier: BSD-3-Clause
// levelbench dd: Tables 5.2 to 5.6 of Mehta et al., arXiv 2508.04917, for this
// device. The columns of the vendor's library come from another program.
#include "tools/bench.h"
#include "tools/bench_table.h"

#include "host/alloc.h"
#include "lib/precond/precond.h"
#include "lib/trisolve/trisolve.h"

#include <stdio.h>

enum { LOWER = 1, APPLY = 2, SOLVE = 4 };

enum variant {
    SPIN_LOOP_LDS,
    NONE, // replaces spin_loop_lds as the baseline
    EC_NO_LDS,
    EC_LDS,
    EC_LDS_UD,
    EC_ILD_U0,
    VC_FUSED,
    EC_FUSED,
    PACKED,
    VARIANTS
};

// The measurements of each variant that the tables need.
static const struct {
    enum lcl_precond_type type;
    enum lcl_trisolve trisolve;
    int wanted;
} variants[VARIANTS] = {
    [SPIN_LOOP_LDS] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_SPIN_LOOP_LDS,
                       LOWER | SOLVE},
    [NONE] = {LCL_PRECOND_NONE, LCL_TRISOLVE_DEFAULT, SOLVE},
    [EC_NO_LDS] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_DAG_EC_NO_LDS, LOWER},
    [EC_LDS] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_DAG_EC_LDS, LOWER},
    [EC_LDS_UD] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_DAG_EC_LDS_UD, LOWER},
    [EC_ILD_U0] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_DAG_EC_ILD_U0, APPLY},
    [VC_FUSED] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
                  APPLY | SOLVE},
    [EC_FUSED] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_DAG_EC_ILDU0_FUSED,
                  APPLY | SOLVE},
    [PACKED] = {LCL_PRECOND_ILDU0, LCL_TRISOLVE_PACKED, APPLY | SOLVE},
};

struct figures {
    int known; // LOWER, APPLY, SOLVE
    struct times lower, apply;
    struct setup setup;
    struct lcl_report report;
};

struct row {
    const char *problem, *partition;
    struct lcl_precond_info info;
    double partition_seconds;
    struct figures of[VARIANTS];
};

struct tables {
    struct row *rows;
    size_t count;
};

static const char *name_of(enum variant v)
{
    return variants[v].type == LCL_PRECOND_NONE
               ? lcl_precond_name(LCL_PRECOND_NONE)
               : lcl_trisolve_name(variants[v].trisolve);
}

// ------------------------------------------------------------------- figures

static enum lcl_status launch_lower(void *arg)
{
    struct work *w = arg;
    const struct lcl_trisolve_method *T = lcl_precond_trisolve(w->M);
    const struct lcl_operands v = {
        .x = w->b, .y = w->x, .stop = lcl_context_no_stop(T->op.range.ctx)};
    return T->ops->lower(T, &v);
}

static enum lcl_status bench_lower(struct bench *B, struct work *w,
                                   const char *name, struct times *t)
{
    const enum lcl_status st = bench_measure(B, launch_lower, w, t);
    if (st < 0)
        return st;
    cJSON *line = bench_line(B, "lower", name);
    bench_add_times(line, B, t, 0);
    bench_print(B, line);
    return LCL_OK;
}

static enum lcl_status measure_wanted(struct bench *B, struct work *w,
                                      enum variant v, struct figures *f)
{
    const int wanted = variants[v].wanted;
    enum lcl_status st = LCL_OK;
    if (wanted & LOWER)
        st = bench_lower(B, w, name_of(v), &f->lower);
    if (st == LCL_OK && wanted & APPLY) {
        st = bench_time_apply(B, w, &f->apply);
        if (st == LCL_OK)
            bench_print_apply(B, w, &f->apply);
    }
    if (st == LCL_OK && wanted & SOLVE) {
        st = bench_run_solver(B, w, &f->report);
        if (st == LCL_OK)
            bench_print_solve(B, name_of(v), &f->report);
    }
    f->known = st == LCL_OK ? wanted : 0;
    return st;
}

// All variants have the same subdomains.
static void keep_partition(struct bench *B, struct row *row,
                           const lcl_precond *M, const struct setup *setup)
{
    const struct lcl_precond_info *info = lcl_precond_info(M);
    if (row->info.parts > 0 || info->parts == 0)
        return;
    row->info = *info;
    row->partition = lcl_partition_name(info->partition);
    row->partition_seconds = setup->phase[LCL_PHASE_PARTITION];
    cJSON *line = bench_line(B, "partition", row->partition);
    cJSON_AddNumberToObject(line, "ms", 1e3 * row->partition_seconds);
    cJSON_AddNumberToObject(line, "parts", (double)info->parts);
    cJSON_AddNumberToObject(line, "part_rows", (double)info->part_rows_max);
    cJSON_AddNumberToObject(line, "kept", (double)info->nnz_kept);
    cJSON_AddNumberToObject(line, "dropped", info->dropped_share);
    bench_print(B, line);
}

// The figures of a variant that the device cannot run stay unknown.
static enum lcl_status bench_variant(struct bench *B, enum variant v,
                                     struct row *row)
{
    struct lcl_precond_params params = B->options.precond;
    params.coarse = LCL_COARSE_NONE; // as published
    struct figures *f = &row->of[v];
    struct work w;
    params.type = variants[v].type;
    params.trisolve = variants[v].trisolve;
    enum lcl_status st = bench_set_up(B, &w, &params, &f->setup);
    if (st == LCL_OK) {
        bench_print_setup(B, name_of(v), &f->setup);
        keep_partition(B, row, w.M, &f->setup);
        st = measure_wanted(B, &w, v, f);
    }
    bench_finish(&w);
    return st == LCL_EUNSUPPORTED ? LCL_OK : st;
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct tables *dd = state;
    struct row *rows = lcl_realloc(dd->rows, dd->count + 1, sizeof *rows);
    if (!rows)
        return LCL_ENOMEM;
    dd->rows = rows;
    struct row *row = &rows[dd->count];
    *row = (struct row){
        .problem = B->problem->name,
        .partition = "",
    };
    for (int v = 0; v < VARIANTS; ++v) {
        if (v == NONE && row->of[SPIN_LOOP_LDS].known)
            continue;
        const enum lcl_status st = bench_variant(B, (enum variant)v, row);
        if (st < 0)
            return st;
    }
    ++dd->count;
    return LCL_OK;
}

// ------------------------------------------------------------------- tables

enum { TEXT = 96 };

static int problem_width(const struct tables *dd)
{
    int width = bench_table_wider(0, "problem");
    for (size_t r = 0; r < dd->count; ++r)
        width = bench_table_wider(width, dd->rows[r].problem);
    return width;
}

static void print_head(const struct tables *dd, const char *title,
                       const char *const *heads)
{
    bench_table_head(problem_width(dd), title, heads);
}

static void print_problem(const struct tables *dd, const struct row *row)
{
    printf("%-*s", problem_width(dd), row->problem);
}

// Milliseconds of one launch or application, by variant.
static void print_times(const struct tables *dd, const char *title, int what,
                        const enum variant *columns, int count)
{
    const char *heads[VARIANTS + 1] = {NULL};
    for (int c = 0; c < count; ++c)
        heads[c] = name_of(columns[c]);
    print_head(dd, title, heads);
    for (const struct row *row = dd->rows; row < dd->rows + dd->count; ++row) {
        print_problem(dd, row);
        for (int c = 0; c < count; ++c) {
            const struct figures *f = &row->of[columns[c]];
            const struct times *t = what == LOWER ? &f->lower : &f->apply;
            if (f->known & what)
                bench_table_cell(heads[c], "%.4f", 1e3 * t->median);
            else
                bench_table_cell(heads[c], "-");
        }
        putchar('\n');
    }
}

static void print_partitions(const struct tables *dd)
{
    static const char *const heads[] = {
        "algorithm", "rows per subdomain", "subdomains", "nonzeros",
        "kept",      "dropped %",          "seconds",    NULL};
    print_head(dd, "Table 5.4: impact of partitioning", heads);
    for (const struct row *row = dd->rows; row < dd->rows + dd->count; ++row) {
        const struct lcl_precond_info *info = &row->info;
        const double dropped = (double)(info->nnz - info->nnz_kept);
        print_problem(dd, row);
        bench_table_cell(heads[0], "%s", row->partition);
        bench_table_cell(heads[1], "%lld", (long long)info->part_rows_max);
        bench_table_cell(heads[2], "%lld", (long long)info->parts);
        bench_table_cell(heads[3], "%lld", (long long)info->nnz);
        bench_table_cell(heads[4], "%lld", (long long)info->nnz_kept);
        bench_table_cell(heads[5], "%.2f", 100 * dropped / (double)info->nnz);
        bench_table_cell(heads[6], "%.3f", row->partition_seconds);
        putchar('\n');
    }
}

static enum variant baseline_of(const struct row *row)
{
    return row->of[SPIN_LOOP_LDS].known ? SPIN_LOOP_LDS : NONE;
}

static void print_solve(const char *const *heads, const struct figures *base,
                        const struct figures *f)
{
    bench_table_cell(heads[0], "%d", base->report.iterations);
    bench_table_cell(heads[1], "%.4f", base->report.seconds);
    bench_table_cell(heads[2], "%s", lcl_stop_name(base->report.stop));
    bench_table_cell(heads[3], "%d", f->report.iterations);
    bench_table_cell(heads[4], "%.4f", f->report.seconds);
    bench_table_cell(heads[5], "%s", lcl_stop_name(f->report.stop));
    bench_table_cell(heads[6], "%.2e", f->report.true_residual);
    bench_table_cell(heads[7], "%.3f", f->setup.phase[LCL_PHASE_PARTITION]);
    bench_table_cell(heads[8], "%.3f", f->setup.phase[LCL_PHASE_SYMBOLIC]);
    bench_table_cell(heads[9], "%.3f", f->setup.phase[LCL_PHASE_NUMERIC]);
}

// A solve with the baseline, and a solve with the variant with its set-up
// times.
static void print_solves(const struct tables *dd, const char *number,
                         enum variant v)
{
    static const char *const heads[] = {
        "base iters", "base s",    "base stop", "iterations",
        "solve s",    "stop",      "residual",  "partition s",
        "levels s",   "factors s", NULL};
    char title[TEXT];
    if (dd->count == 0)
        return;
    snprintf(title, sizeof title, "%sBiCGSTAB with %s, base: %s", number,
             name_of(v), name_of(baseline_of(&dd->rows[0])));
    print_head(dd, title, heads);
    for (const struct row *row = dd->rows; row < dd->rows + dd->count; ++row) {
        print_problem(dd, row);
        print_solve(heads, &row->of[baseline_of(row)], &row->of[v]);
        putchar('\n');
    }
}

static void print_all(const struct tables *dd)
{
    static const enum variant lower[] = {SPIN_LOOP_LDS, EC_NO_LDS, EC_LDS,
                                         EC_LDS_UD};
    static const enum variant apply[] = {EC_ILD_U0, VC_FUSED, EC_FUSED, PACKED};
    print_times(dd, "Table 5.2: one lower triangular solve, ms", LOWER, lower,
                4);
    print_times(dd, "Table 5.3: one application of the preconditioner, ms",
                APPLY, apply, 4);
    print_partitions(dd);
    print_solves(dd, "Table 5.5: ", EC_FUSED);
    print_solves(dd, "Table 5.6: ", VC_FUSED);
    print_solves(dd, "", PACKED);
}

// ------------------------------------------------------------------- life

static enum lcl_status create(void **out, struct lcl_options *options)
{
    (void)options;
    *out = lcl_calloc(1, sizeof(struct tables));
    return *out ? LCL_OK : LCL_ENOMEM;
}

static void destroy(void *state)
{
    struct tables *dd = state;
    if (!dd)
        return;
    lcl_free(dd->rows);
    lcl_free(state);
}

static enum lcl_status finish(void *state, struct bench *B)
{
    if (B->tables)
        print_all(state);
    return LCL_OK;
}

const struct bench_tables bench_dd = {
    .name = "dd",
    .needs_problem = true,
    .create = create,
    .problem = add_problem,
    .finish = finish,
    .destroy = destroy,
};
