// SPDX-License-Identifier: BSD-3-Clause
// levelbench cg: the tables of Gogusdere, "MMI713 Term Project - Phase 3
// Report" (METU 2025), for this device: bins, the CG loop compared with a
// sequential one on the CPU, with both kernels of the product together and with
// each alone.
#include "tools/bench_cg.h"
#include "tools/bench.h"
#include "tools/bench_table.h"

#include "host/alloc.h"
#include "lib/operator/autotune.h"
#include "lib/operator/binned.h"
#include "lib/precond/precond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Products that are timed.
enum product { BOTH, BIN0, BIN1, ADAPTIVE, PRODUCTS };

static const char *const product_names[PRODUCTS] = {
    [BOTH] = "binned",
    [BIN0] = "spmv_bin0",
    [BIN1] = "spmv_bin1",
    [ADAPTIVE] = "adaptive",
};

struct loop {
    double seconds;
    int iterations;
    const char *stop;
    const char *product;
};

struct row {
    char *problem;
    int64_t rows, cols, nnz, bin[2];
    double condition; // estimated; 0: unknown
    struct loop cpu, fp32, published, merged;
    struct loop by_bin[2]; // cg_published, all rows by one of the kernels
    struct times product[PRODUCTS];
};

struct tables {
    struct row *rows;
    size_t count;
};

// ------------------------------------------------------------------- CPU

static double norm(int64_t n, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += b[i] * b[i];
    return sqrt(sum);
}

static struct loop take(const struct cpu_loop *cpu)
{
    return (struct loop){
        .seconds = cpu->seconds,
        .iterations = cpu->iterations,
        .product = "csr",
        .stop = cpu->iterations < cpu->max_iters ? "atol" : "max-iters"};
}

// Uses the larger of both requested tolerances, as the solvers do.
static enum lcl_status run_cpu(const struct bench *B, struct row *row)
{
    const struct problem *P = B->problem;
    const struct lcl_solver_params *p = &B->options.solver;
    struct cpu_loop cpu = {.tolerance =
                               fmax(p->atol, p->rtol * norm(P->A.rows, P->b)),
                           .max_iters = p->max_iters};
    enum lcl_status st = cpu_loop_fp64(&cpu, &P->A, P->b);
    row->cpu = take(&cpu);
    row->condition = cpu.condition;
    if (st < 0)
        return st;
    st = cpu_loop_fp32(&cpu, &P->A, P->b);
    row->fp32 = take(&cpu);
    return st;
}

// ------------------------------------------------------------------- device

struct operation {
    const struct lcl_spmv *S;
    const struct work *w;
};

static enum lcl_status launch_product(void *arg)
{
    const struct operation *op = arg;
    const struct lcl_operands v = {
        .x = op->w->b, .y = op->w->x, .stop = lcl_context_no_stop(op->S->ctx)};
    return lcl_multiply(op->S, LCL_APPLY, &v);
}

static enum lcl_status init_product(struct lcl_spmv *S, const struct bench *B,
                                    const struct lcl_device_matrix *A,
                                    enum product product)
{
    static const enum lcl_binned_rows rows[] = {
        [BOTH] = LCL_BINNED_BOTH,
        [BIN0] = LCL_BINNED_ONLY_BIN0,
        [BIN1] = LCL_BINNED_ONLY_BIN1,
    };
    return product == ADAPTIVE ? lcl_spmv_init(S, LCL_SPMV_ADAPTIVE, B->ctx, A)
                               : lcl_binned_init(S, B->ctx, A, rows[product]);
}

static enum lcl_status time_products(struct bench *B, const struct work *w,
                                     struct row *row)
{
    enum lcl_status st = LCL_OK;
    for (int p = 0; p < PRODUCTS && st == LCL_OK; ++p) {
        struct lcl_spmv S = {.ops = NULL};
        struct operation op = {&S, w};
        st = init_product(&S, B, w->A->matrix, (enum product)p);
        if (st == LCL_OK)
            st = bench_measure(B, launch_product, &op, &row->product[p]);
        for (int b = 0; p == BOTH && b < 2 && st == LCL_OK; ++b)
            row->bin[b] = lcl_binned_rows(&S, b);
        lcl_spmv_finish(&S);
    }
    return st;
}

static enum lcl_status run_solver(struct bench *B, const struct work *w,
                                  enum lcl_solver_type type, struct loop *loop)
{
    struct lcl_report report;
    const enum lcl_solver_type before = B->options.solver.type;
    B->options.solver.type = type;
    const enum lcl_status st = bench_run_solver(B, w, &report, NULL);
    B->options.solver.type = before;
    *loop = (struct loop){
        .seconds = report.seconds,
        .iterations = report.iterations,
        .stop = lcl_stop_name(report.stop),
        .product = lcl_spmv_name(lcl_operator_info(w->A)->spmv),
    };
    return st;
}

// An operator with another product; its table of functions comes first, so that
// the operator leads to the product.
struct other_product {
    struct lcl_operator_ops ops;
    const struct lcl_spmv *S;
};

static enum lcl_status apply_other(lcl_operator *A, enum lcl_mode mode,
                                   const struct lcl_operands *v)
{
    const struct other_product *other = (const void *)A->ops;
    return lcl_multiply(other->S, mode, v);
}

// The published loop, with one kernel for all rows.
static enum lcl_status run_bin(struct bench *B, const struct work *w,
                               enum product bin, struct loop *loop)
{
    const struct lcl_operator_ops *own = w->A->ops;
    struct lcl_spmv S = {.ops = NULL};
    struct other_product other = {.ops = *own, .S = &S};
    other.ops.apply = apply_other;
    enum lcl_status st = init_product(&S, B, w->A->matrix, bin);
    if (st == LCL_OK) {
        w->A->ops = &other.ops;
        st = run_solver(B, w, LCL_SOLVER_CG_PUBLISHED, loop);
        w->A->ops = own;
        loop->product = product_names[bin];
    }
    lcl_spmv_finish(&S);
    return st;
}

// Measures with the given product; for the published product, also stores the
// times of products, and of loops with each of its kernels, in `row`.
static enum lcl_status run_device(struct bench *B, enum lcl_spmv_type spmv,
                                  enum lcl_solver_type type, struct loop *loop,
                                  struct row *row)
{
    struct work w;
    struct setup setup;
    struct lcl_precond_params params = B->options.precond;
    const struct lcl_operator_params before = B->options.op;
    params.type = LCL_PRECOND_NONE;
    B->options.op.block_size = 1;
    B->options.op.spmv = spmv;
    enum lcl_status st = bench_set_up(B, &w, &params, &setup);
    B->options.op = before;
    if (st == LCL_OK && row)
        st = time_products(B, &w, row);
    if (st == LCL_OK)
        st = run_solver(B, &w, type, loop);
    for (int b = 0; b < 2 && row && st == LCL_OK; ++b)
        st = run_bin(B, &w, b == 0 ? BIN0 : BIN1, &row->by_bin[b]);
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- lines

static void print_loop(const struct bench *B, const char *variant,
                       const struct loop *loop)
{
    cJSON *line = bench_line(B, "cg", variant);
    cJSON_AddStringToObject(line, "spmv", loop->product);
    cJSON_AddNumberToObject(line, "ms", 1e3 * loop->seconds);
    cJSON_AddNumberToObject(line, "iters", loop->iterations);
    cJSON_AddStringToObject(line, "stop", loop->stop);
    bench_print(B, line);
}

static void print_lines(const struct bench *B, const struct row *row)
{
    cJSON *line = bench_line(B, "bins", "binned");
    cJSON_AddNumberToObject(line, "bin0", (double)row->bin[0]);
    cJSON_AddNumberToObject(line, "bin1", (double)row->bin[1]);
    cJSON_AddNumberToObject(line, "condition", row->condition);
    bench_print(B, line);
    print_loop(B, "cpu", &row->cpu);
    print_loop(B, "cpu fp32", &row->fp32);
    print_loop(B, "cg_published", &row->published);
    for (int b = 0; b < 2; ++b)
        print_loop(B, "cg_published", &row->by_bin[b]);
    print_loop(B, "cg", &row->merged);
    for (int p = 0; p < PRODUCTS; ++p) {
        line = bench_line(B, "spmv", product_names[p]);
        bench_add_times(line, B, &row->product[p],
                        12 * (double)row->nnz + 20 * (double)row->rows);
        bench_print(B, line);
    }
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct tables *cg = state;
    const struct problem *P = B->problem;
    struct row row = {.rows = P->A.rows, .cols = P->A.cols, .nnz = P->A.nnz};
    struct row *rows = lcl_realloc(cg->rows, cg->count + 1, sizeof *rows);
    enum lcl_status st;
    if (!rows)
        return LCL_ENOMEM;
    cg->rows = rows;
    if (!P->has_rhs)
        bench_random_rhs(P, 1);
    if ((st = run_cpu(B, &row)) < 0 ||
        (st = run_device(B, LCL_SPMV_BINNED, LCL_SOLVER_CG_PUBLISHED,
                         &row.published, &row)) < 0 ||
        (st = run_device(B, B->options.op.spmv, LCL_SOLVER_CG, &row.merged,
                         NULL)) < 0)
        return st;
    print_lines(B, &row);
    row.problem = lcl_strdup(P->name);
    if (!row.problem)
        return LCL_ENOMEM;
    rows[cg->count++] = row;
    return LCL_OK;
}

// ------------------------------------------------------------------- tables

static int problem_width(const struct tables *cg)
{
    int width = bench_table_wider(0, "problem");
    for (size_t r = 0; r < cg->count; ++r)
        width = bench_table_wider(width, cg->rows[r].problem);
    return width;
}

static void print_matrices(const struct tables *cg, int width)
{
    static const char *const heads[] = {
        "rows", "columns", "nonzeros", "cond. num.", "bin0", "bin1", NULL};
    bench_table_head(width,
                     "Table I: the condition number as CG estimates it; rows "
                     "of up to 16 nonzeros (bin0) and longer rows (bin1)",
                     heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        printf("%-*s", width, row->problem);
        bench_table_cell(heads[0], "%lld", (long long)row->rows);
        bench_table_cell(heads[1], "%lld", (long long)row->cols);
        bench_table_cell(heads[2], "%lld", (long long)row->nnz);
        if (row->condition > 0)
            bench_table_cell(heads[3], "%.2e", row->condition);
        else
            bench_table_cell(heads[3], "-");
        bench_table_cell(heads[4], "%lld", (long long)row->bin[0]);
        bench_table_cell(heads[5], "%lld", (long long)row->bin[1]);
        putchar('\n');
    }
}

static void print_cells(const char *const *heads, const struct loop *loop,
                        const struct loop *cpu)
{
    bench_table_cell(heads[0], "%d", loop->iterations);
    bench_table_cell(heads[1], "%.3f", 1e3 * loop->seconds);
    if (cpu)
        bench_table_cell(heads[2], "%.3g", cpu->seconds / loop->seconds);
}

static void print_loops(const struct tables *cg, int width)
{
    static const char *const heads[] = {"CPU iters",    "CPU ms",    "iters",
                                        "published ms", "speed-up",  "stop",
                                        "iters",        "merged ms", "speed-up",
                                        "product",      "stop",      NULL};
    bench_table_head(width,
                     "Table II: the CG loop compared with one thread of the "
                     "CPU: cg_published with binned products, and cg",
                     heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        printf("%-*s", width, row->problem);
        print_cells(heads, &row->cpu, NULL);
        print_cells(heads + 2, &row->published, &row->cpu);
        bench_table_cell(heads[5], "%s", row->published.stop);
        print_cells(heads + 6, &row->merged, &row->cpu);
        bench_table_cell(heads[9], "%s", row->merged.product);
        bench_table_cell(heads[10], "%s", row->merged.stop);
        putchar('\n');
    }
}

static void print_times(const struct tables *cg, int width)
{
    static const char *const heads[] = {"iteration",   "CPU ms",    "GPU 1 ms",
                                        "GPU 2 ms",    "GPU 3 ms",  "CPU its",
                                        "GPU 2 its",   "GPU 3 its", "fp32 its",
                                        "fp32 CPU ms", NULL};
    bench_table_head(width,
                     "Table III: the CG loop, ms: with both kernels on two "
                     "queues (GPU 1), with spmv_bin0 (GPU 2) or spmv_bin1 "
                     "(GPU 3) for all rows",
                     heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        printf("%-*s", width, row->problem);
        bench_table_cell(heads[0], "%d", row->published.iterations);
        bench_table_cell(heads[1], "%.3f", 1e3 * row->cpu.seconds);
        bench_table_cell(heads[2], "%.3f", 1e3 * row->published.seconds);
        bench_table_cell(heads[3], "%.3f", 1e3 * row->by_bin[0].seconds);
        bench_table_cell(heads[4], "%.3f", 1e3 * row->by_bin[1].seconds);
        bench_table_cell(heads[5], "%d", row->cpu.iterations);
        bench_table_cell(heads[6], "%d", row->by_bin[0].iterations);
        bench_table_cell(heads[7], "%d", row->by_bin[1].iterations);
        bench_table_cell(heads[8], "%d", row->fp32.iterations);
        bench_table_cell(heads[9], "%.3f", 1e3 * row->fp32.seconds);
        putchar('\n');
    }
}

static void print_products(const struct tables *cg, int width)
{
    static const char *const heads[] = {"both", "only bin0", "only bin1",
                                        "adaptive", NULL};
    bench_table_head(width,
                     "One product, us: both kernels on two queues, or one "
                     "kernel for all rows",
                     heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        printf("%-*s", width, row->problem);
        for (int p = 0; p < PRODUCTS; ++p)
            bench_table_cell(heads[p], "%.2f", 1e6 * row->product[p].median);
        putchar('\n');
    }
}

static void print_all(const struct tables *cg)
{
    const int width = problem_width(cg);
    print_matrices(cg, width);
    print_loops(cg, width);
    print_times(cg, width);
    print_products(cg, width);
}

// ------------------------------------------------------------------- life

static enum lcl_status create(void **out, struct lcl_options *options)
{
    options->solver.rtol = 1e-300;
    options->solver.atol = 1e-11;
    options->solver.max_iters = options->solver.stagnation = 10000;
    *out = lcl_calloc(1, sizeof(struct tables));
    return *out ? LCL_OK : LCL_ENOMEM;
}

static void destroy(void *state)
{
    struct tables *cg = state;
    if (!cg)
        return;
    for (size_t r = 0; r < cg->count; ++r)
        lcl_free(cg->rows[r].problem);
    lcl_free(cg->rows);
    lcl_free(state);
}

static enum lcl_status finish(void *state, struct bench *B)
{
    if (B->tables)
        print_all(state);
    return LCL_OK;
}

const struct bench_tables bench_cg = {
    .name = "cg",
    .needs_problem = true,
    .create = create,
    .problem = add_problem,
    .finish = finish,
    .destroy = destroy,
};
