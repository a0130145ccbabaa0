// SPDX-License-Identifier: BSD-3-Clause
// levelbench cg: the tables of Gogusdere, "MMI713 Term Project - Phase 3
// Report" (METU 2025), for this device: bins, the CG loop compared with a
// sequential one on the CPU, with both kernels of the product together and with
// each alone.
#include "tools/levelbench/published/cg.h"
#include "tools/levelbench/bench.h"
#include "tools/levelbench/table.h"

#include "host/alloc.h"
#include "lib/precond/precond.h"
#include "lib/spmv/autotune.h"

#include <levelcl/published.h>

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

// The precisions of the published loop, that of the report last.
enum precision { FP64, FP32, PRECISIONS };

struct row {
    char *problem;
    int64_t rows, cols, nnz, bin[2];
    double condition; // estimated; 0: unknown
    struct loop merged;
    struct loop cpu[PRECISIONS];
    struct loop published[PRECISIONS][ADAPTIVE]; // by product
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

static struct loop loop_of(const struct cg_loop *loop, const char *product)
{
    return (struct loop){
        .seconds = loop->seconds,
        .iterations = loop->iterations,
        .product = product,
        .stop = loop->iterations < loop->max_iters ? "atol" : "max-iters"};
}

// Uses the larger of both requested tolerances, as the solvers do.
static struct cg_loop loop_params(const struct bench *B)
{
    const struct problem *P = B->problem;
    const struct lcl_solver_params *p = &B->options.solver;
    return (struct cg_loop){.tolerance =
                                fmax(p->atol, p->rtol * norm(P->A.rows, P->b)),
                            .max_iters = p->max_iters};
}

static enum lcl_status run_cpu(const struct bench *B, struct row *row)
{
    const struct problem *P = B->problem;
    struct cg_loop cpu = loop_params(B);
    enum lcl_status st = cpu_loop_fp64(&cpu, &P->A, P->b);
    row->cpu[FP64] = loop_of(&cpu, "csr");
    row->condition = cpu.condition;
    if (st < 0)
        return st;
    st = cpu_loop_fp32(&cpu, &P->A, P->b);
    row->cpu[FP32] = loop_of(&cpu, "csr");
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

static const enum lcl_binned_rows rows_of[] = {
    [BOTH] = LCL_BINNED_BOTH,
    [BIN0] = LCL_BINNED_ONLY_BIN0,
    [BIN1] = LCL_BINNED_ONLY_BIN1,
};

static enum lcl_status init_product(struct lcl_spmv *S, const struct bench *B,
                                    const struct lcl_device_matrix *A,
                                    enum product product)
{
    return product == ADAPTIVE
               ? lcl_spmv_init(S, LCL_SPMV_ADAPTIVE, B->ctx, A)
               : lcl_binned_init(S, B->ctx, A, rows_of[product]);
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
    for (int p = BIN0; p <= BIN1 && row && st == LCL_OK; ++p)
        st = run_bin(B, &w, (enum product)p, &row->published[FP64][p]);
    bench_finish(&w);
    return st;
}

static enum lcl_status run_fp32(const struct bench *B, struct row *row)
{
    const struct problem *P = B->problem;
    enum lcl_status st = LCL_OK;
    for (int p = BOTH; p <= BIN1 && st == LCL_OK; ++p) {
        struct cg_loop loop = loop_params(B);
        st = cg_loop_fp32(&loop, B->ctx, &P->A, P->b, rows_of[p]);
        row->published[FP32][p] = loop_of(&loop, product_names[p]);
    }
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
    for (int f = 0; f < PRECISIONS; ++f) {
        print_loop(B, f == FP32 ? "cpu fp32" : "cpu", &row->cpu[f]);
        for (int p = BOTH; p <= BIN1; ++p)
            print_loop(B, f == FP32 ? "cg_published fp32" : "cg_published",
                       &row->published[f][p]);
    }
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
                         &row.published[FP64][BOTH], &row)) < 0 ||
        (st = run_fp32(B, &row)) < 0 ||
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
                     "CPU: cg_published in fp32 with binned products, and cg "
                     "in fp64",
                     heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        printf("%-*s", width, row->problem);
        const struct loop *published = &row->published[FP32][BOTH];
        print_cells(heads, &row->cpu[FP32], NULL);
        print_cells(heads + 2, published, &row->cpu[FP32]);
        bench_table_cell(heads[5], "%s", published->stop);
        print_cells(heads + 6, &row->merged, &row->cpu[FP64]);
        bench_table_cell(heads[9], "%s", row->merged.product);
        bench_table_cell(heads[10], "%s", row->merged.stop);
        putchar('\n');
    }
}

static void print_times(const struct tables *cg, int width,
                        enum precision precision)
{
    static const char *const heads[] = {"iteration", "CPU ms",    "GPU 1 ms",
                                        "GPU 2 ms",  "GPU 3 ms",  "CPU its",
                                        "GPU 2 its", "GPU 3 its", NULL};
    static const char *const titles[] = {
        [FP64] = "Table III in fp64: the same loops",
        [FP32] = "Table III: the CG loop in fp32, ms: with both kernels on two "
                 "queues (GPU 1), with spmv_bin0 (GPU 2) or spmv_bin1 (GPU 3) "
                 "for all rows"};
    bench_table_head(width, titles[precision], heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        const struct loop *cpu = &row->cpu[precision];
        const struct loop *gpu = row->published[precision];
        printf("%-*s", width, row->problem);
        bench_table_cell(heads[0], "%d", gpu[BOTH].iterations);
        bench_table_cell(heads[1], "%.3f", 1e3 * cpu->seconds);
        for (int p = BOTH; p <= BIN1; ++p)
            bench_table_cell(heads[2 + p], "%.3f", 1e3 * gpu[p].seconds);
        bench_table_cell(heads[5], "%d", cpu->iterations);
        bench_table_cell(heads[6], "%d", gpu[BIN0].iterations);
        bench_table_cell(heads[7], "%d", gpu[BIN1].iterations);
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
    print_times(cg, width, FP32);
    print_times(cg, width, FP64);
    print_products(cg, width);
}

// ------------------------------------------------------------------- life

static void create(void *state, struct lcl_options *options)
{
    (void)state;
    options->solver.rtol = 1e-300;
    options->solver.atol = 1e-11;
    options->solver.max_iters = options->solver.stagnation = 10000;
}

static void destroy(void *state)
{
    struct tables *cg = state;
    for (size_t r = 0; r < cg->count; ++r)
        lcl_free(cg->rows[r].problem);
    lcl_free(cg->rows);
}

static enum lcl_status finish(void *state, struct bench *B)
{
    if (B->tables)
        print_all(state);
    return LCL_OK;
}

const struct bench_tables bench_cg = {
    .name = "cg",
    .state_bytes = sizeof(struct tables),
    .needs_problem = true,
    .create = create,
    .problem = add_problem,
    .finish = finish,
    .destroy = destroy,
};
