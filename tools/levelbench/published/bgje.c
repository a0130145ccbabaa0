// SPDX-License-Identifier: BSD-3-Clause
// Batched inversion: GFLOP/s by the number of blocks and by their size, as in
// Anzt, Dongarra, Flegar, Quintana-Orti, Parallel Computing 81 (2019), Figures
// 5 and 6.
#include "tools/levelbench/bench.h"
#include "tools/levelbench/published/lu.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "lib/dense/bgje.h"
#include "lib/io/problems/uniform.h"

#include <levelcl/published.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A problem `batch:rows,count`.
struct batch {
    int rows;
    int64_t count;
    enum lcl_batch_precision precision;
    int64_t *block_ptr;
    lcl_buffer *blocks, *inverse, *info;
};

// --------------------------------------------------------------------- batches

static size_t entry_size(const struct batch *b)
{
    return b->precision == LCL_BATCH_PRECISION_FP32 ? sizeof(float)
                                                    : sizeof(double);
}

// Uniform in [-0.5, 0.5), plus 2 on the diagonals.
static void fill(const struct batch *b, void *entries)
{
    const int64_t area = (int64_t)b->rows * b->rows;
    uint64_t state = 99;
    for (int64_t i = 0; i < b->count * area; ++i) {
        const double on = i % area % (b->rows + 1) == 0 ? 2 : 0;
        const double value = lcl_uniform(&state) - 0.5 + on;
        if (b->precision == LCL_BATCH_PRECISION_FP32)
            ((float *)entries)[i] = (float)value;
        else
            ((double *)entries)[i] = value;
    }
}

static enum lcl_status create_buffers(struct batch *b, struct bench *B)
{
    const int64_t n = b->count * b->rows * b->rows;
    const size_t size = entry_size(b);
    void *entries = lcl_malloc((size_t)n, size);
    enum lcl_status st;
    if (!entries)
        return LCL_ENOMEM;
    fill(b, entries);
    st = lcl_buffer_create_from(&b->blocks, B->ctx, entries, n, size, "blocks");
    lcl_free(entries);
    if (st < 0 ||
        (st = lcl_buffer_create(&b->inverse, B->ctx, n, size, "inverses")) < 0)
        return st;
    return lcl_buffer_create(&b->info, B->ctx, b->count, 4, "states");
}

static void batch_finish(struct batch *b)
{
    lcl_buffer_destroy(&b->blocks);
    lcl_buffer_destroy(&b->inverse);
    lcl_buffer_destroy(&b->info);
    lcl_free(b->block_ptr);
}

// Reduces the number of blocks to the limit of the device.
static enum lcl_status batch_init(struct batch *b, struct bench *B, int rows,
                                  int64_t count,
                                  enum lcl_batch_precision precision)
{
    const uint64_t room = lcl_context_caps(B->ctx)->max_buffer_bytes;
    *b = (struct batch){.rows = rows, .count = count, .precision = precision};
    const int64_t most = (int64_t)(room / entry_size(b)) / (rows * rows);
    if (b->count > most)
        b->count = most;
    b->block_ptr = lcl_malloc((size_t)b->count + 1, sizeof *b->block_ptr);
    if (!b->block_ptr)
        return LCL_ENOMEM;
    for (int64_t i = 0; i <= b->count; ++i)
        b->block_ptr[i] = i * rows;
    return create_buffers(b, B);
}

// ---------------------------------------------------------------------- timing

struct job {
    const struct batch *b;
    struct lcl_bgje bgje;
};

static enum lcl_status launch(void *arg)
{
    struct job *j = arg;
    return lcl_bgje_run(&j->bgje, j->b->blocks, j->b->inverse, j->b->info, NULL,
                        false);
}

static void print_line(struct bench *B, const struct job *j,
                       enum lcl_batch_kernel kernel, const struct times *t,
                       double gflops)
{
    char name[64];
    const struct batch *b = j->b;
    cJSON *line = bench_line(B, "bgje", lcl_batch_kernel_name(kernel));
    snprintf(name, sizeof name, "batch:%d,%" PRId64, b->rows, j->bgje.count);
    cJSON_AddStringToObject(line, "problem", name);
    cJSON_AddNumberToObject(line, "block", b->rows);
    cJSON_AddNumberToObject(line, "blocks", (double)j->bgje.count);
    cJSON_AddStringToObject(line, "precision",
                            lcl_batch_precision_name(b->precision));
    bench_add_times(line, B, t,
                    2.0 * (double)entry_size(b) * (double)j->bgje.entries);
    cJSON_AddNumberToObject(line, "gflops", gflops);
    bench_print(B, line);
}

static void print_core_line(struct bench *B, const struct batch *b,
                            const struct times *t, double gflops)
{
    char name[64];
    cJSON *line = bench_line(B, "bgje", "lu core");
    snprintf(name, sizeof name, "batch:%d,%" PRId64, b->rows, b->count);
    cJSON_AddStringToObject(line, "problem", name);
    cJSON_AddNumberToObject(line, "block", b->rows);
    cJSON_AddNumberToObject(line, "blocks", (double)b->count);
    cJSON_AddStringToObject(line, "precision",
                            lcl_batch_precision_name(b->precision));
    bench_add_times(line, B, t, 0);
    cJSON_AddNumberToObject(line, "gflops", gflops);
    bench_print(B, line);
}

// 2 m^3 operations per block, as in the paper.
static enum lcl_status measure(struct bench *B, const struct batch *b,
                               int64_t count, enum lcl_batch_kernel kernel,
                               double *gflops)
{
    const struct lcl_batch_params params = {.kernel = kernel,
                                            .precision = b->precision};
    struct job j = {.b = b};
    struct times t;
    enum lcl_status st =
        lcl_bgje_init(&j.bgje, B->ctx, b->block_ptr, count, &params, false);
    if (st < 0)
        return st;
    if ((st = bench_measure(B, launch, &j, &t)) == LCL_OK) {
        *gflops = 2e-9 * b->rows * (double)j.bgje.entries / t.median;
        print_line(B, &j, kernel, &t, *gflops);
    }
    lcl_bgje_finish(&j.bgje);
    return st;
}

// ------------------------------------------------------------------ baseline

// Inverts `count` blocks one after the other, each from a copy.
static bool invert_all(const struct batch *b, const void *entries, int count)
{
    union {
        double fp64[2][LCL_BATCH_ROWS_MAX * LCL_BATCH_ROWS_MAX];
        float fp32[2][LCL_BATCH_ROWS_MAX * LCL_BATCH_ROWS_MAX];
    } room;
    const size_t area = (size_t)b->rows * (size_t)b->rows;
    const size_t size = area * entry_size(b);
    bool good = true;
    for (int k = 0; k < count && good; ++k) {
        memcpy(&room, (const char *)entries + (size_t)k * size, size);
        good = b->precision == LCL_BATCH_PRECISION_FP32
                   ? lu_invert_fp32(b->rows, room.fp32[0], room.fp32[1])
                   : lu_invert_fp64(b->rows, room.fp64[0], room.fp64[1]);
    }
    return good;
}

// The speed of one core of the host by LU; 0: a block is singular.
static enum lcl_status measure_core(struct bench *B, const struct batch *b,
                                    int64_t count, double *gflops)
{
    enum { MOST = 2000 }; // blocks of a round
    struct batch some = *b;
    double seconds[BATCHES];
    some.count = count < MOST ? count : MOST;
    const double volume = (double)b->rows * b->rows * b->rows;
    void *entries =
        lcl_malloc((size_t)(some.count * b->rows * b->rows), entry_size(b));
    if (!entries)
        return LCL_ENOMEM;
    fill(&some, entries);
    bool good = invert_all(b, entries, (int)some.count);
    for (int i = 0; i < BATCHES && good; ++i) {
        const double start = lcl_now();
        good = invert_all(b, entries, (int)some.count);
        seconds[i] = lcl_now() - start;
    }
    lcl_free(entries);
    *gflops = 0;
    if (!good)
        return LCL_OK;
    const struct times t = bench_summary(seconds);
    *gflops = 2e-9 * volume * (double)some.count / t.median;
    print_core_line(B, &some, &t, *gflops);
    return LCL_OK;
}

// ---------------------------------------------------------------------- tables

static void print_head(const struct bench *B, const char *title,
                       enum lcl_batch_precision precision, const char *column)
{
    if (!B->tables)
        return;
    printf("\n%s, %s: GFLOP/s (2 m^3 per block)\n%9s", title,
           lcl_batch_precision_name(precision), column);
    for (int k = 1; k < LCL_BATCH_KERNEL_COUNT; ++k)
        printf(" %15s", lcl_batch_kernel_name((enum lcl_batch_kernel)k));
    printf(" %9s\n", "lu core");
}

static bool is_unfit(enum lcl_batch_kernel kernel, int rows)
{
    return lcl_bgje_is_published(kernel) && rows > LCL_BATCH_PUBLISHED_ROWS_MAX;
}

// A line of a table: each kernel for the first `count` blocks; NAN: unfit for
// blocks of this size.
static enum lcl_status measure_row(struct bench *B, const struct batch *b,
                                   int64_t count, int64_t label)
{
    double gflops[LCL_BATCH_KERNEL_COUNT], core = 0;
    enum lcl_status st = LCL_OK;
    for (int k = 1; k < LCL_BATCH_KERNEL_COUNT && st == LCL_OK; ++k) {
        gflops[k] = NAN;
        if (!is_unfit((enum lcl_batch_kernel)k, b->rows))
            st = measure(B, b, count, (enum lcl_batch_kernel)k, &gflops[k]);
    }
    if (st == LCL_OK)
        st = measure_core(B, b, count, &core);
    if (st < 0 || !B->tables)
        return st;
    printf("%9" PRId64, label);
    for (int k = 1; k < LCL_BATCH_KERNEL_COUNT; ++k)
        isnan(gflops[k]) ? printf(" %15s", "-") : printf(" %15.1f", gflops[k]);
    printf(" %9.2f\n", core);
    fflush(stdout);
    return LCL_OK;
}

static enum lcl_status table_of_counts(struct bench *B, int rows, int64_t count,
                                       enum lcl_batch_precision precision)
{
    static const int64_t counts[] = {500,   1000,  2000,   5000,  10000,
                                     20000, 50000, 100000, 200000};
    char title[64];
    struct batch b;
    enum lcl_status st = batch_init(&b, B, rows, count, precision);
    snprintf(title, sizeof title, "Figure 5: number of blocks, m = %d", rows);
    print_head(B, title, precision, "blocks");
    for (size_t i = 0; i < sizeof counts / sizeof *counts && st == LCL_OK; ++i)
        if (counts[i] < b.count)
            st = measure_row(B, &b, counts[i], counts[i]);
    if (st == LCL_OK)
        st = measure_row(B, &b, b.count, b.count);
    batch_finish(&b);
    return st;
}

static enum lcl_status table_of_sizes(struct bench *B, int64_t count,
                                      enum lcl_batch_precision precision)
{
    enum lcl_status st = LCL_OK;
    char title[64];
    snprintf(title, sizeof title, "Figure 6: size of %" PRId64 " blocks",
             count);
    print_head(B, title, precision, "m");
    for (int rows = 1; rows <= 32 && st == LCL_OK; ++rows) {
        struct batch b;
        st = batch_init(&b, B, rows, count, precision);
        if (st == LCL_OK)
            st = measure_row(B, &b, b.count, rows);
        batch_finish(&b);
    }
    return st;
}

static enum lcl_status published(struct bench *B, int64_t count)
{
    const bool cpu = lcl_context_caps(B->ctx)->type == LCL_DEVICE_CPU;
    enum lcl_status st = LCL_OK;
    if (count == 0)
        count = cpu ? 20000 : 500000;
    for (int p = LCL_BATCH_PRECISION_FP64;
         p < LCL_BATCH_PRECISION_COUNT && st == LCL_OK; ++p) {
        const enum lcl_batch_precision precision = (enum lcl_batch_precision)p;
        if ((st = table_of_counts(B, 32, count, precision)) == LCL_OK &&
            (st = table_of_counts(B, 16, count, precision)) == LCL_OK)
            st = table_of_sizes(B, count, precision);
    }
    return st;
}

static enum lcl_status batch_by_name(struct bench *B, const char *name)
{
    int rows;
    int64_t count;
    char rest;
    enum lcl_status st = LCL_OK;
    if (sscanf(name, "batch:%d,%" SCNd64 "%c", &rows, &count, &rest) != 2 ||
        rows < 1 || rows > LCL_BATCH_ROWS_MAX || count < 1)
        return LCL_EINVAL;
    for (int p = LCL_BATCH_PRECISION_FP64;
         p < LCL_BATCH_PRECISION_COUNT && st == LCL_OK; ++p) {
        struct batch b;
        st = batch_init(&b, B, rows, count, (enum lcl_batch_precision)p);
        print_head(B, name, b.precision, "m");
        if (st == LCL_OK)
            st = measure_row(B, &b, b.count, rows);
        batch_finish(&b);
    }
    return st;
}

// -------------------------------------------------------------- publication

// Whether a problem was named.
struct tables {
    bool named;
};

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct tables *T = state;
    T->named = true;
    return bench_block_jacobi_problem(B);
}

static bool run_named(void *state, struct bench *B, const char *name,
                      enum lcl_status *st)
{
    struct tables *T = state;
    if (strncmp(name, "batch:", strlen("batch:")) != 0)
        return false;
    T->named = true;
    *st = batch_by_name(B, name);
    return true;
}

static enum lcl_status finish(void *state, struct bench *B)
{
    const struct tables *T = state;
    enum lcl_status st = LCL_OK;
    if (T->named)
        return LCL_OK;
    if (B->batch > 0 || B->rows == 0)
        st = published(B, B->batch);
    if (st == LCL_OK && (B->rows > 0 || B->batch == 0))
        st = bench_block_jacobi(B, B->rows);
    return st;
}

const struct bench_tables bench_bgje = {
    .name = "bgje",
    .state_bytes = sizeof(struct tables),
    .problem = add_problem,
    .run_named = run_named,
    .finish = finish,
};
