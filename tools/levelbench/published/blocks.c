// SPDX-License-Identifier: BSD-3-Clause
// Tables 1 to 3 of Chen, Liu and Yang, "Parallel triangular solvers on GPU":
// preconditioners by number of subdomains, one application and the whole solve,
// on one core of the CPU and on the device; by their hec_level and by packed,
// or by --trisolve.
#include "tools/levelbench/bench.h"
#include "tools/levelbench/core_system.h"
#include "tools/levelbench/table.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "host/runtime.h"
#include "lib/partition/partition.h"

#include <levelcl/published.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct method {
    const char *name;
    struct lcl_precond_params params;
} methods[] = {
    {"BILU", {.type = LCL_PRECOND_ILDU0}},
    {"BILUT(7,0.1)", {.type = LCL_PRECOND_ILUT, .ilut_p = 7, .ilut_tol = 0.1}},
    {"BILUT(7,0.01)",
     {.type = LCL_PRECOND_ILUT, .ilut_p = 7, .ilut_tol = 0.01}},
    {"BILUT(14,0.01)",
     {.type = LCL_PRECOND_ILUT, .ilut_p = 14, .ilut_tol = 0.01}},
    {"RAS", {.type = LCL_PRECOND_RAS, .overlap = 1}},
};
enum { METHODS = sizeof methods / sizeof *methods, RAS = METHODS - 1 };

// Methods with the same subdomains.
struct share {
    int first, end;
    const int64_t *blocks;
    int count;
};

// As in the tables.
static const int64_t published[] = {16, 128, 512};
static const int64_t published_ras[] = {256, 1024, 2048};

// Unless the user selects one.
static const enum lcl_trisolve trisolves[] = {LCL_TRISOLVE_HEC_LEVEL,
                                              LCL_TRISOLVE_PACKED};
enum { TRISOLVES = sizeof trisolves / sizeof *trisolves };

// The subdomains of all methods.
struct parts {
    struct lcl_subdomains P;
    int32_t *labels;
};

struct run {
    struct times apply;
    double seconds; // of the solve
    double residual;
    int iterations;
    const char *stop;
};

struct row {
    const struct method *method;
    enum lcl_trisolve trisolve; // 0: all were refused
    int64_t blocks;             // requested
    char refused[256];          // the reason; "": measured
    struct lcl_precond_info info;
    struct run core, device;
};

// ------------------------------------------------------------------- progress

// The live line, on a terminal only.
static void show(const struct row *row, const char *what)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r  %s, %" PRId64 " blocks: %s \033[K", row->method->name,
            row->blocks, what);
    fflush(stderr);
}

static void show_cycle(void *user, int iterations, double residual)
{
    char text[64];
    snprintf(text, sizeof text, "one core, iteration %d, residual %.1e",
             iterations, residual);
    show(user, text);
}

static void clear(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

// ------------------------------------------------------------------- parts

static void parts_finish(struct parts *parts)
{
    lcl_free(parts->labels);
    lcl_subdomains_finish(&parts->P);
}

// METIS aims at 98 % of the limit; with this limit it makes `blocks` parts.
static int64_t rows_limit(int64_t n, int64_t blocks, bool metis)
{
    const int64_t rows = (n + blocks - 1) / blocks;
    return metis ? (100 * rows + 97) / 98 : rows;
}

static enum lcl_status parts_init(struct parts *parts, const struct bench *B,
                                  int64_t blocks)
{
    const struct lcl_csr *A = &B->problem->A;
    struct lcl_partition_params params = B->options.precond.partition;
    const bool natural = params.type == LCL_PARTITION_NATURAL;
    *parts = (struct parts){.labels = NULL};
    params.type = natural ? LCL_PARTITION_NATURAL : LCL_PARTITION_METIS;
    params.rows = rows_limit(A->rows, blocks, !natural);
    const enum lcl_status st = lcl_partition_create(
        &parts->P, A, &params, A->rows, lcl_context_log(B->ctx));
    if (st < 0)
        return st;
    parts->labels = lcl_malloc((size_t)A->rows, sizeof *parts->labels);
    if (!parts->labels)
        return LCL_ENOMEM;
    for (int64_t p = 0; p < parts->P.parts; ++p)
        for (int64_t k = parts->P.part_ptr[p]; k < parts->P.part_ptr[p + 1];
             ++k)
            parts->labels[parts->P.row[k]] = (int32_t)p;
    return LCL_OK;
}

// ------------------------------------------------------------------- device

// Sets up the method. If it does not support the subdomains, records the reason
// and returns the status.
static enum lcl_status set_up(struct bench *B, struct work *w,
                              const struct parts *parts, struct row *row)
{
    struct lcl_precond_params params = row->method->params;
    struct setup setup;
    params.partition.type = LCL_PARTITION_LABELS;
    params.partition.labels = parts->labels;
    params.partition.labels_count = parts->P.n;
    params.storage = LCL_FACTOR_STORAGE_FP64;
    params.coarse = LCL_COARSE_NONE;
    params.trisolve = row->trisolve;
    const enum lcl_status st = bench_try_set_up(B, w, &params, &setup);
    if (bench_is_refusal(st))
        memcpy(row->refused, B->messages->first, sizeof row->refused);
    return st;
}

static enum lcl_status measure_device(struct bench *B, struct work *w,
                                      struct row *row)
{
    const struct lcl_solver_params before = B->options.solver;
    struct lcl_report report;
    row->info = *lcl_precond_info(w->M);
    show(row, "device");
    enum lcl_status st = bench_time_apply(B, w, &row->device.apply);
    if (st < 0)
        return st;
    B->options.solver.type = LCL_SOLVER_GMRES;
    st = bench_run_solver(B, w, &report, NULL);
    B->options.solver = before;
    row->device.seconds = report.seconds;
    row->device.residual = report.true_residual;
    row->device.iterations = report.iterations;
    row->device.stop = lcl_stop_name(report.stop);
    return st;
}

// ------------------------------------------------------------------- one core

// Batches of applications as long as those on the device.
static struct times time_core(const struct core_factors *M, const double *b,
                              double *x)
{
    const double batch = 0.01; // seconds
    double seconds[BATCHES];
    double start = lcl_now();
    core_apply(M, b, x);
    core_apply(M, b, x);
    const double once = (lcl_now() - start) / 2;
    const int repeat = once > 1e-6 ? 1 + (int)(batch / once) : 10000;
    for (int i = 0; i < BATCHES; ++i) {
        start = lcl_now();
        for (int k = 0; k < repeat; ++k)
            core_apply(M, b, x);
        seconds[i] = (lcl_now() - start) / repeat;
    }
    return bench_summary(seconds);
}

static enum lcl_status solve_core(const struct bench *B,
                                  const struct core_system *S, const double *b,
                                  double *x, struct row *row)
{
    const struct lcl_solver_params *params = &B->options.solver;
    struct core_gmres K = {.A = &S->A,
                           .M = &S->M,
                           .restart = params->restart,
                           .rtol = params->rtol,
                           .max_iters = params->max_iters,
                           .restarted = show_cycle,
                           .user = row};
    const double start = lcl_now();
    const enum lcl_status st = core_gmres(&K, b, x);
    row->core.seconds = lcl_now() - start;
    row->core.residual = K.residual;
    row->core.iterations = K.iterations;
    row->core.stop = st == LCL_OK                ? "rtol"
                     : st == LCL_ITERATION_LIMIT ? "max-iters"
                                                 : lcl_status_str(st);
    return st;
}

static enum lcl_status measure_core(const struct bench *B,
                                    const struct core_system *S,
                                    struct row *row)
{
    const size_t n = (size_t)S->A.rows;
    double *b = lcl_malloc(2 * n, sizeof *b);
    if (!b)
        return LCL_ENOMEM;
    core_system_gather(S, B->problem->b, b);
    row->core.apply = time_core(&S->M, b, b + n);
    const enum lcl_status st = solve_core(B, S, b, b + n, row);
    lcl_free(b);
    return st < 0 ? st : LCL_OK;
}

static enum lcl_status run_core(const struct bench *B, const struct work *w,
                                const struct parts *parts, struct row *row)
{
    struct core_system S;
    show(row, "factors on one core");
    enum lcl_status st = core_system_init(&S, &B->problem->A, &parts->P, w->M,
                                          lcl_context_log(B->ctx));
    if (st == LCL_OK)
        st = measure_core(B, &S, row);
    core_system_finish(&S);
    return st;
}

// ------------------------------------------------------------------- output

static const char *const heads[] = {
    "preconditioner", "blocks",   "trisolve", "made",     "core iters",
    "iters",          "core ms",  "apply ms", "speed-up", "core s",
    "solve s",        "speed-up", "stop",     NULL};
enum { MADE = 3, CORE_MS = 6, STOP = 12 };

static int width_of(const struct bench *B)
{
    return bench_table_wider((int)strlen("problem"), B->problem->name);
}

static void print_head(const struct bench *B)
{
    char title[192];
    const struct lcl_solver_params *params = &B->options.solver;
    snprintf(title, sizeof title,
             "Tables 1 to 3: one application, and a solve by GMRES(%d) to rtol "
             "%g, on one core of plain C (core) and on the device",
             params->restart, params->rtol);
    if (B->tables)
        bench_table_head(width_of(B), title, heads);
}

static void print_times(const struct row *row)
{
    const struct run *core = &row->core, *device = &row->device;
    const char *const *head = heads + CORE_MS;
    bench_table_cell(head[0], "%.4f", 1e3 * core->apply.median);
    bench_table_cell(head[1], "%.4f", 1e3 * device->apply.median);
    bench_table_cell(head[2], "%.3g",
                     core->apply.median / device->apply.median);
    bench_table_cell(head[3], "%.4f", core->seconds);
    bench_table_cell(head[4], "%.4f", device->seconds);
    bench_table_cell(head[5], "%.3g", core->seconds / device->seconds);
}

static void print_row(const struct bench *B, const struct row *row)
{
    printf("%-*s", width_of(B), B->problem->name);
    bench_table_cell(heads[0], "%s", row->method->name);
    bench_table_cell(heads[1], "%" PRId64, row->blocks);
    bench_table_cell(heads[2], "%s",
                     row->trisolve ? lcl_trisolve_name(row->trisolve) : "-");
    if (*row->refused) {
        for (int h = MADE; h < STOP; ++h)
            bench_table_cell(heads[h], "-");
        printf("  %s\n", row->refused);
        return;
    }
    bench_table_cell(heads[MADE], "%" PRId64, row->info.factors.parts);
    bench_table_cell(heads[4], "%d", row->core.iterations);
    bench_table_cell(heads[5], "%d", row->device.iterations);
    print_times(row);
    bench_table_cell(heads[STOP], "%s", row->device.stop);
    putchar('\n');
}

static void add_run(cJSON *line, const char *name, const struct run *run)
{
    cJSON *object = cJSON_AddObjectToObject(line, name);
    cJSON_AddNumberToObject(object, "apply_ms", 1e3 * run->apply.median);
    cJSON_AddNumberToObject(object, "apply_p10", 1e3 * run->apply.p10);
    cJSON_AddNumberToObject(object, "apply_p90", 1e3 * run->apply.p90);
    cJSON_AddNumberToObject(object, "ms", 1e3 * run->seconds);
    cJSON_AddNumberToObject(object, "iters", run->iterations);
    cJSON_AddNumberToObject(object, "relres", run->residual);
    cJSON_AddStringToObject(object, "stop", run->stop);
}

static void print_line(const struct bench *B, const struct row *row)
{
    cJSON *line = bench_line(B, "blocks", row->method->name);
    cJSON_AddNumberToObject(line, "blocks", (double)row->blocks);
    if (row->trisolve)
        cJSON_AddStringToObject(line, "trisolve",
                                lcl_trisolve_name(row->trisolve));
    if (*row->refused) {
        cJSON_AddStringToObject(line, "refused", row->refused);
        bench_print(B, line);
        return;
    }
    cJSON_AddNumberToObject(line, "made", (double)row->info.factors.parts);
    cJSON_AddNumberToObject(line, "restart", B->options.solver.restart);
    cJSON_AddNumberToObject(line, "rtol", B->options.solver.rtol);
    add_run(line, "core", &row->core);
    add_run(line, "device", &row->device);
    cJSON_AddNumberToObject(line, "apply_speedup",
                            row->core.apply.median / row->device.apply.median);
    cJSON_AddNumberToObject(line, "speedup",
                            row->core.seconds / row->device.seconds);
    bench_print(B, line);
}

static void print(const struct bench *B, const struct row *row)
{
    if (B->tables)
        print_row(B, row);
    else
        print_line(B, row);
    fflush(stdout);
}

// ------------------------------------------------------------------- rows

// The first measured row also measures the figures of one core, which the
// others reuse.
static enum lcl_status run_row(struct bench *B, const struct parts *parts,
                               struct row *row)
{
    struct work w;
    show(row, "set-up");
    enum lcl_status st = set_up(B, &w, parts, row);
    if (st >= 0 && (st = measure_device(B, &w, row)) >= 0 && !row->core.stop)
        st = run_core(B, &w, parts, row);
    bench_finish(&w);
    clear();
    const bool refused = bench_is_refusal(st) && *row->refused;
    if (st >= 0 || refused)
        print(B, row);
    return refused ? LCL_OK : st;
}

// One row for each triangular solve.
static enum lcl_status run_rows(struct bench *B, const struct parts *parts,
                                struct row *row)
{
    const enum lcl_trisolve given = B->options.precond.trisolve;
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < (given ? 1 : TRISOLVES) && st >= 0; ++t) {
        row->trisolve = given ? given : trisolves[t];
        *row->refused = '\0';
        st = run_row(B, parts, row);
    }
    return st;
}

static enum lcl_status run_methods(struct bench *B, const struct share *share,
                                   int64_t blocks, const struct parts *parts)
{
    const int64_t n = B->problem->A.rows;
    enum lcl_status st = LCL_OK;
    for (int m = share->first; m < share->end && st >= 0; ++m) {
        struct row row = {.method = &methods[m], .blocks = blocks};
        if (blocks <= n) {
            st = run_rows(B, parts, &row);
            continue;
        }
        row.trisolve = B->options.precond.trisolve;
        snprintf(row.refused, sizeof row.refused,
                 "the matrix has %" PRId64 " rows", n);
        print(B, &row);
    }
    return st;
}

static enum lcl_status run_share(struct bench *B, const struct share *share)
{
    enum lcl_status st = LCL_OK;
    for (int i = 0; i < share->count && st >= 0; ++i) {
        const int64_t blocks = share->blocks[i];
        struct parts parts = {.labels = NULL};
        if (blocks <= B->problem->A.rows)
            st = parts_init(&parts, B, blocks);
        if (st >= 0)
            st = run_methods(B, share, blocks, &parts);
        parts_finish(&parts);
    }
    return st;
}

enum lcl_status bench_blocks(struct bench *B)
{
    static const struct share tables[] = {
        {0, RAS, published, sizeof published / sizeof *published},
        {RAS, METHODS, published_ras,
         sizeof published_ras / sizeof *published_ras},
    };
    const struct share given = {0, METHODS, B->blocks, B->blocks_count};
    if (!B->problem->has_rhs)
        bench_random_rhs(B->problem, 1);
    print_head(B);
    if (given.count > 0)
        return run_share(B, &given);
    const enum lcl_status st = run_share(B, &tables[0]);
    return st < 0 ? st : run_share(B, &tables[1]);
}
