// SPDX-License-Identifier: BSD-3-Clause
// levelbench cg: the tables of Gogusdere, "MMI713 Term Project - Phase 3
// Report" (METU 2025), for this device: bins, the CG loop compared with a
// sequential one on the CPU, both kernels of the product together and each
// alone.
#include "tools/bench.h"
#include "tools/bench_table.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "lib/operator/autotune.h"
#include "lib/operator/binned.h"
#include "lib/precond/precond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Products that are timed.
enum product { BOTH, BIN0, BIN1, ADAPTIVE, PRODUCTS };

struct loop {
    double seconds;
    int iterations;
    const char *stop;
    const char *product;
};

struct row {
    char *problem;
    int64_t rows, nnz, bin[2];
    struct loop cpu, published, merged;
    struct times product[PRODUCTS];
};

struct tables {
    struct row *rows;
    size_t count;
};

// ------------------------------------------------------------------- CPU

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// Solves A x = b from x = 0 by the published loop, in plain sequential C;
// `room` has space for three vectors. Returns the number of iterations.
static int cpu_loop(const struct lcl_csr *A, const double *b, double *x,
                    double *room, double tolerance, int max_iters)
{
    const int64_t n = A->rows;
    double *r = room, *p = room + n, *q = room + 2 * n;
    memcpy(r, b, (size_t)n * sizeof *r);
    memcpy(p, b, (size_t)n * sizeof *p);
    memset(x, 0, (size_t)n * sizeof *x);
    double rr = dot(n, r, r);
    int k = 0;
    while (k < max_iters && sqrt(rr) >= tolerance) {
        lcl_csr_multiply(A, p, q);
        const double alpha = rr / dot(n, p, q);
        for (int64_t i = 0; i < n; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double next = dot(n, r, r), beta = next / rr;
        for (int64_t i = 0; i < n; ++i)
            p[i] = r[i] + beta * p[i];
        rr = next;
        ++k;
    }
    return k;
}

// Uses the larger of both requested tolerances, as the solvers do.
static enum lcl_status run_cpu(const struct bench *B, struct loop *loop)
{
    const struct problem *P = B->problem;
    const struct lcl_solver_params *p = &B->options.solver;
    const int64_t n = P->A.rows;
    const double relative = p->rtol * sqrt(dot(n, P->b, P->b));
    double *room = lcl_malloc(3 * (size_t)n, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    const double start = lcl_now();
    loop->iterations = cpu_loop(&P->A, P->b, P->x, room,
                                fmax(p->atol, relative), p->max_iters);
    loop->seconds = lcl_now() - start;
    loop->product = "csr";
    loop->stop = loop->iterations < p->max_iters ? "atol" : "max-iters";
    lcl_free(room);
    return LCL_OK;
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

// Measures with the given product; for the published product, also stores the
// times of products in `row`.
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

static const char *const product_names[PRODUCTS] = {
    [BOTH] = "binned",
    [BIN0] = "spmv_bin0",
    [BIN1] = "spmv_bin1",
    [ADAPTIVE] = "adaptive",
};

static void print_lines(const struct bench *B, const struct row *row)
{
    cJSON *line = bench_line(B, "bins", "binned");
    cJSON_AddNumberToObject(line, "bin0", (double)row->bin[0]);
    cJSON_AddNumberToObject(line, "bin1", (double)row->bin[1]);
    bench_print(B, line);
    print_loop(B, "cpu", &row->cpu);
    print_loop(B, "cg_published", &row->published);
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
    struct row row = {.rows = P->A.rows, .nnz = P->A.nnz};
    struct row *rows = lcl_realloc(cg->rows, cg->count + 1, sizeof *rows);
    enum lcl_status st;
    if (!rows)
        return LCL_ENOMEM;
    cg->rows = rows;
    if (!P->has_rhs)
        bench_random_rhs(P, 1);
    if ((st = run_cpu(B, &row.cpu)) < 0 ||
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
    static const char *const heads[] = {"rows", "nonzeros", "bin0", "bin1",
                                        NULL};
    bench_table_head(
        width,
        "Table I: rows of up to 16 nonzeros (bin0) and longer rows (bin1)",
        heads);
    for (const struct row *row = cg->rows; row < cg->rows + cg->count; ++row) {
        printf("%-*s", width, row->problem);
        bench_table_cell(heads[0], "%lld", (long long)row->rows);
        bench_table_cell(heads[1], "%lld", (long long)row->nnz);
        bench_table_cell(heads[2], "%lld", (long long)row->bin[0]);
        bench_table_cell(heads[3], "%lld", (long long)row->bin[1]);
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

static void print_products(const struct tables *cg, int width)
{
    static const char *const heads[] = {"both", "only bin0", "only bin1",
                                        "adaptive", NULL};
    bench_table_head(width,
                     "Table III: one product, us: both kernels on two queues, "
                     "or one kernel for all rows",
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
