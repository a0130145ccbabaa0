// SPDX-License-Identifier: BSD-3-Clause
// levelbench dd: the tables and figures of Mehta et al., arXiv 2508.04917, for
// this device. In place of the vendor's library, the baseline is hec_level with
// the ILU(0) of the whole matrix.
#include "tools/levelbench/published/dd.h"

#include "host/alloc.h"
#include "lib/precond/precond.h"
#include "lib/trisolve/trisolve.h"

#include <levelcl/published.h>

#include <string.h>

// The measurements of each variant that the tables need.
static const struct {
    enum lcl_trisolve trisolve;
    int wanted;
} variants[DD_VARIANTS] = {
    [DD_WHOLE] = {LCL_TRISOLVE_HEC_LEVEL, DD_LOWER | DD_APPLY | DD_SOLVE},
    [DD_SPIN_LOOP_LDS] = {LCL_TRISOLVE_SPIN_LOOP_LDS, DD_LOWER | DD_SOLVE},
    [DD_EC_NO_LDS] = {LCL_TRISOLVE_DAG_EC_NO_LDS, DD_LOWER},
    [DD_EC_LDS] = {LCL_TRISOLVE_DAG_EC_LDS, DD_LOWER},
    [DD_EC_LDS_UD] = {LCL_TRISOLVE_DAG_EC_LDS_UD, DD_LOWER},
    [DD_EC_ILD_U0] = {LCL_TRISOLVE_DAG_EC_ILD_U0, DD_APPLY},
    [DD_VC_FUSED] = {LCL_TRISOLVE_DAG_VC_ILDU0_FUSED, DD_APPLY | DD_SOLVE},
    [DD_EC_FUSED] = {LCL_TRISOLVE_DAG_EC_ILDU0_FUSED, DD_APPLY | DD_SOLVE},
    [DD_PACKED] = {LCL_TRISOLVE_PACKED, DD_APPLY | DD_SOLVE},
};

const char *dd_name(enum dd_variant v)
{
    return v == DD_WHOLE ? "ILU0 whole"
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
                                   enum dd_variant v, struct times *t)
{
    const enum lcl_status st = bench_measure(B, launch_lower, w, t);
    if (st < 0)
        return st;
    cJSON *line = bench_line(B, "lower", dd_name(v));
    bench_add_times(line, B, t, 0);
    bench_print(B, line);
    return LCL_OK;
}

static enum lcl_status bench_apply(struct bench *B, struct work *w,
                                   enum dd_variant v, struct dd_figures *f)
{
    const enum lcl_status st = bench_time_apply(B, w, &f->apply);
    if (st < 0)
        return st;
    const struct dd_traffic traffic = dd_apply_traffic(&f->info);
    bench_print_apply(B, w, &f->apply);
    dd_print_bandwidth(B, dd_name(v), &f->apply, &traffic);
    return LCL_OK;
}

static void print_residuals(const struct bench *B, enum dd_variant v,
                            const struct dd_figures *f)
{
    cJSON *line = bench_line(B, "residuals", dd_name(v));
    cJSON_AddItemToObject(
        line, "residuals",
        cJSON_CreateDoubleArray(f->history, f->report.history_count));
    bench_print(B, line);
}

static enum lcl_status measure_wanted(struct bench *B, struct work *w,
                                      enum dd_variant v, struct dd_figures *f)
{
    const int wanted = variants[v].wanted;
    enum lcl_status st = LCL_OK;
    if (wanted & DD_LOWER)
        st = bench_lower(B, w, v, &f->lower);
    if (st == LCL_OK && wanted & DD_APPLY)
        st = bench_apply(B, w, v, f);
    if (st == LCL_OK && wanted & DD_SOLVE) {
        st = bench_run_solver(B, w, &f->report, &f->history);
        if (st == LCL_OK) {
            bench_print_solve(B, dd_name(v), &f->report);
            print_residuals(B, v, f);
        }
    }
    f->known = st == LCL_OK ? wanted : 0;
    return st;
}

// The phases of a solve with the baseline.
static enum lcl_status trace_solve(struct bench *B, const struct work *w,
                                   struct phases *phases)
{
    struct lcl_report report;
    lcl_solver *S = NULL;
    enum lcl_status st = lcl_solver_create(&S, w->A, w->M, &B->options.solver);
    if (st == LCL_OK)
        st = phases_solve(B, w, S, &report, phases);
    lcl_solver_destroy(&S);
    if (st < 0)
        return st;
    cJSON *line = bench_line(B, "phases", dd_name(DD_WHOLE));
    cJSON_AddNumberToObject(line, "precond_ms", 1e3 * phases->precond);
    cJSON_AddNumberToObject(line, "product_ms", 1e3 * phases->product);
    cJSON_AddNumberToObject(line, "method_ms", 1e3 * phases->method);
    cJSON_AddNumberToObject(line, "other_ms", 1e3 * phases->other);
    bench_print(B, line);
    return LCL_OK;
}

// ------------------------------------------------------------------- parts

static bool is_chosen(const struct lcl_partition_params *p)
{
    return p->type != LCL_PARTITION_DEFAULT || p->rows > 0 || p->box[0] > 0;
}

// The subdomains of section 5.3: for Laplacians boxes of 8192 rows or 2048
// blocks, for other matrices METIS with 8192 rows.
static struct lcl_partition_params published(const struct bench *B, int block)
{
    struct lcl_partition_params p = B->options.precond.partition;
    if (is_chosen(&p))
        return p;
    const bool boxes = strncmp(B->problem->name, "lap", 3) == 0;
    p.type = boxes ? LCL_PARTITION_GEOMETRIC : LCL_PARTITION_METIS;
    if (boxes) {
        p.box[0] = block > 1 ? 16 : 32;
        p.box[1] = 16;
        p.box[2] = block > 1 ? 8 : 16;
    } else {
        p.rows = block > 1 ? 2048 : 8192;
    }
    return p;
}

// Halves the boxes along their longest side. Returns false if they cannot be
// smaller.
static bool shrink(struct lcl_partition_params *p)
{
    int longest = 0;
    if (p->type != LCL_PARTITION_GEOMETRIC)
        return false;
    for (int d = 1; d < 3; ++d)
        longest = p->box[d] >= p->box[longest] ? d : longest;
    p->box[longest] /= 2;
    return p->box[longest] > 0;
}

// ------------------------------------------------------------------- variants

// Sets up the baseline: the whole matrix is one subdomain, of single entries as
// hec_level requires.
static enum lcl_status set_up_whole(struct bench *B, struct work *w,
                                    struct setup *setup)
{
    const struct lcl_operator_params before = B->options.op;
    struct lcl_precond_params params = {
        .type = LCL_PRECOND_ILU0,
        .trisolve = LCL_TRISOLVE_HEC_LEVEL,
        .coarse = LCL_COARSE_NONE,
        .partition = {.type = LCL_PARTITION_NATURAL,
                      .rows = B->problem->A.rows}};
    B->options.op.block_size = 1;
    const enum lcl_status st = bench_try_set_up(B, w, &params, setup);
    B->options.op = before;
    return st;
}

// Sets up variant v with the subdomains of the row, or smaller ones if the
// device or the method does not support these.
static enum lcl_status set_up_parts(struct bench *B, struct work *w,
                                    enum dd_variant v, struct dd_row *row,
                                    struct setup *setup)
{
    const bool chosen = is_chosen(&B->options.precond.partition);
    struct lcl_precond_params params = B->options.precond;
    params.type = LCL_PRECOND_ILDU0;
    params.coarse = LCL_COARSE_NONE; // as published
    params.trisolve = variants[v].trisolve;
    params.partition = row->partition;
    for (;;) {
        const enum lcl_status st = bench_try_set_up(B, w, &params, setup);
        if (st == LCL_ERANGE && !chosen && shrink(&params.partition)) {
            bench_finish(w);
            continue;
        }
        if (st == LCL_OK && row->of[DD_EC_NO_LDS].known == 0)
            row->partition = params.partition;
        if (st < 0 || !(variants[v].wanted & DD_SOLVE))
            return st;
        bench_finish(w); // the overhead is that of a set-up without compiler
        return bench_set_up(B, w, &params, setup);
    }
}

// Whether figures stay unknown: the device cannot run a variant or has too
// little memory for the whole matrix.
static bool is_left_out(enum lcl_status st, enum dd_variant v)
{
    return bench_is_refusal(st) ||
           (v == DD_WHOLE && (st == LCL_EDEVMEM || st == LCL_ENOMEM));
}

static enum lcl_status bench_variant(struct bench *B, enum dd_variant v,
                                     struct dd_row *row)
{
    struct dd_figures *f = &row->of[v];
    struct work w;
    enum lcl_status st = v == DD_WHOLE ? set_up_whole(B, &w, &f->setup)
                                       : set_up_parts(B, &w, v, row, &f->setup);
    if (st == LCL_OK) {
        f->info = *lcl_precond_info(w.M);
        bench_print_setup(B, dd_name(v), &f->setup);
        st = measure_wanted(B, &w, v, f);
    }
    if (st == LCL_OK && v == DD_WHOLE &&
        (st = dd_time_kernels(B, &w, row->kernel)) == LCL_OK)
        st = trace_solve(B, &w, &row->phases);
    bench_finish(&w);
    return is_left_out(st, v) ? LCL_OK : st;
}

static void print_partition(const struct bench *B, const struct dd_figures *f)
{
    const struct lcl_precond_info *info = &f->info;
    cJSON *line =
        bench_line(B, "partition", lcl_partition_name(info->factors.partition));
    cJSON_AddNumberToObject(line, "ms",
                            1e3 * f->setup.phase[LCL_PHASE_PARTITION]);
    cJSON_AddNumberToObject(line, "parts", (double)info->factors.parts);
    cJSON_AddNumberToObject(line, "part_rows",
                            (double)info->factors.part_rows_max);
    cJSON_AddNumberToObject(line, "kept", (double)info->nnz_kept);
    cJSON_AddNumberToObject(line, "dropped", info->factors.dropped_share);
    bench_print(B, line);
}

// The block size of the matrix as the library stores it.
static enum lcl_status find_block(struct bench *B, int *block)
{
    lcl_operator *A = NULL;
    const enum lcl_status st =
        lcl_operator_create(&A, B->ctx, &B->problem->A, &B->options.op);
    *block = st < 0 ? 1 : A->matrix->block;
    lcl_operator_destroy(&A);
    return st;
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct dd_tables *dd = state;
    struct dd_row *rows = lcl_realloc(dd->rows, dd->count + 1, sizeof *rows);
    enum lcl_status st;
    if (!rows)
        return LCL_ENOMEM;
    dd->rows = rows;
    dd->serial = lcl_context_caps(B->ctx)->width == 1;
    struct dd_row *row = &rows[dd->count++];
    *row = (struct dd_row){.problem = B->problem->name};
    if ((st = find_block(B, &row->block)) < 0)
        return st;
    row->partition = published(B, row->block);
    for (int v = 0; v < DD_VARIANTS; ++v)
        if ((st = bench_variant(B, (enum dd_variant)v, row)) < 0)
            return st;
    if (row->of[DD_EC_FUSED].known)
        print_partition(B, &row->of[DD_EC_FUSED]);
    return LCL_OK;
}

// ------------------------------------------------------------------- life

static void destroy(void *state)
{
    struct dd_tables *dd = state;
    for (size_t r = 0; r < dd->count; ++r)
        for (int v = 0; v < DD_VARIANTS; ++v)
            lcl_free(dd->rows[r].of[v].history);
    lcl_free(dd->rows);
}

static enum lcl_status finish(void *state, struct bench *B)
{
    if (B->tables)
        dd_print_tables(state);
    return LCL_OK;
}

const struct bench_tables bench_dd = {
    .name = "dd",
    .state_bytes = sizeof(struct dd_tables),
    .needs_problem = true,
    .problem = add_problem,
    .finish = finish,
    .destroy = destroy,
};
