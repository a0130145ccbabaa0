// SPDX-License-Identifier: BSD-3-Clause
// Sparse product C = A B on the device.
#include "lib/storage/spgemm.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include "cl/storage/spgemm.cl.h"

#include <string.h>

// State of the symbolic phase.
struct search {
    struct lcl_spgemm *S;
    lcl_context *ctx;
    const struct lcl_device_matrix *A, *B;
    struct lcl_device_matrix *C;
    lcl_kernel *count, *count_long, *fill, *fill_long, *sum, *row_pointers;
    lcl_buffer *length;         // of the rows of C
    lcl_buffer *list, *longest; // rows, with space for all
    lcl_buffer *counts;         // uint64: SPGEMM_COUNTS in one, then sums
    int width, sums;
    bool serial;
};

// ------------------------------------------------------------------- geometry

static int exponent(int64_t number)
{
    int e = 0;
    while (INT64_C(2) << e <= number)
        ++e;
    return e;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int largest(int a, int b)
{
    return a > b ? a : b;
}

static int64_t mean(int64_t entries, int64_t rows)
{
    return rows > 0 ? (entries + rows - 1) / rows : 0;
}

// The team for rows of average length: four to eight products per lane, and at
// least half as many slots as products, since most products share their column
// with others. Longer rows are left to the second pass.
static struct lcl_spgemm_team first_team(const struct search *s)
{
    const int width = exponent(s->width);
    const int pool = exponent(SPGEMM_SLOTS((unsigned)s->width));
    const int64_t a = mean(s->A->blocks, s->A->block_rows);
    const int64_t b = mean(s->B->blocks, s->B->block_rows);
    const int products = exponent(a * b);
    struct lcl_spgemm_team t;
    t.shift = least(width, largest(0, products - 2));
    t.along = least(t.shift, largest(0, exponent(b) - 1));
    t.bits = least(pool - width + t.shift, largest(t.shift + 3, products));
    t.multiply = least(width, exponent(2 * b - 1));
    while (SPGEMM_LIMIT(t.bits) << (width - t.multiply) >
           SPGEMM_KEYS((unsigned)s->width))
        ++t.multiply;
    return t;
}

// One wave per row.
static struct lcl_spgemm_team second_team(const struct search *s)
{
    const int width = exponent(s->width);
    const int64_t b = mean(s->B->blocks, s->B->block_rows);
    return (struct lcl_spgemm_team){
        .shift = width,
        .along = least(width, largest(0, exponent(b) - 1)),
        .bits = exponent(SPGEMM_SLOTS((unsigned)s->width)),
        .multiply = width,
    };
}

// Number of groups of the serial form.
static int64_t count_groups(const struct search *s)
{
    const int64_t cols = s->B->block_cols > 0 ? s->B->block_cols : 1;
    const int64_t fit = (s->A->blocks + s->B->blocks) / cols;
    const int64_t most = lcl_vector_groups(lcl_context_caps(s->ctx));
    return fit < 1 ? 1 : fit < most ? fit : most;
}

static int64_t team_groups(lcl_context *ctx, int64_t rows, int shift)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int64_t waves =
        (int64_t)lcl_vector_groups(caps) * lcl_vector_group(caps) / caps->width;
    const int64_t groups =
        lcl_launch_groups(rows, (int64_t)caps->width >> shift, caps->width);
    return groups < waves ? groups : waves;
}

// ------------------------------------------------------------------- kernels

static struct lcl_spec spec_of(const struct search *s, const char *source,
                               int group)
{
    return (struct lcl_spec){
        .source = source,
        .group = group,
        .wide = s->A->wide,
        .defines = {{"WIDE_B", s->B->wide}, {"WIDE_C", s->C->wide}},
    };
}

// Gets the kernels of the symbolic and the numeric phase. Called twice: C may
// turn out to be wide.
static enum lcl_status get_kernels(struct search *s)
{
    const struct lcl_kernel_plan teams[] = {
        {&s->count, "count_rows"},
        {&s->fill, "fill_rows"},
        {&s->S->multiply, "multiply_rows"},
    };
    const struct lcl_kernel_plan groups[] = {
        {&s->sum, "sum_lengths"},
        {&s->row_pointers, "row_pointers"},
        {&s->count_long, "count_long"},
        {&s->fill_long, "fill_long"},
        {&s->S->multiply_long, "multiply_long"},
    };
    const int used = s->serial ? 2 : sizeof groups / sizeof *groups;
    const struct lcl_spec wave =
        spec_of(s, s->serial ? "spgemm_serial.cl" : "spgemm.cl", s->width);
    const struct lcl_spec group = spec_of(
        s, "spgemm_long.cl", lcl_vector_group(lcl_context_caps(s->ctx)));
    const enum lcl_status st =
        lcl_kernels_get(s->ctx, &wave, teams, sizeof teams / sizeof *teams);
    return st < 0 ? st : lcl_kernels_get(s->ctx, &group, groups, used);
}

// ------------------------------------------------------------------- counting

static enum lcl_status count_pass(struct search *s, int pass)
{
    const struct lcl_device_matrix *A = s->A, *B = s->B;
    const struct lcl_spgemm_team *t = &s->S->team[pass];
    return LCL_LAUNCH(s->count, team_groups(s->ctx, A->block_rows, t->shift),
                      lcl_arg_long(A->block_rows), lcl_arg_int(pass),
                      lcl_arg_int(t->shift), lcl_arg_int(t->along),
                      lcl_arg_int(t->bits), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(s->list),
                      lcl_arg_buffer(pass == 0 ? s->list : s->longest),
                      lcl_arg_buffer(s->counts), lcl_arg_buffer(s->length));
}

static enum lcl_status count_by_marks(struct search *s)
{
    const struct lcl_device_matrix *A = s->A, *B = s->B;
    struct lcl_spgemm *S = s->S;
    const int64_t marks = S->groups * B->block_cols;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&S->marks, s->ctx, marks, sizeof(uint32_t),
                                "marks of columns")) < 0 ||
        (st = lcl_buffer_fill(S->marks, 0xff)) < 0)
        return st;
    return LCL_LAUNCH(s->count, S->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_long(B->block_cols), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(S->marks),
                      lcl_arg_buffer(s->length));
}

static enum lcl_status count_by_teams(struct search *s)
{
    const struct lcl_device_matrix *A = s->A, *B = s->B;
    const int64_t n = A->block_rows;
    enum lcl_status st;
    if ((st = count_pass(s, 0)) < 0 || (st = count_pass(s, 1)) < 0)
        return st;
    return LCL_LAUNCH(s->count_long, n < s->sums ? n : s->sums,
                      lcl_arg_int(s->S->team[1].along),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(s->longest), lcl_arg_buffer(s->counts),
                      lcl_arg_buffer(s->length));
}

static enum lcl_status count_entries(struct search *s)
{
    enum lcl_status st = lcl_buffer_fill(s->counts, 0);
    if (st < 0 || (st = s->serial ? count_by_marks(s) : count_by_teams(s)) < 0)
        return st;
    return LCL_LAUNCH(s->sum, s->sums, lcl_arg_long(s->A->block_rows),
                      lcl_arg_buffer(s->length), lcl_arg_buffer(s->counts));
}

static enum lcl_status check_counts(const struct search *s, uint64_t entries)
{
    const struct lcl_caps *caps = lcl_context_caps(s->ctx);
    const struct lcl_log *log = lcl_context_log(s->ctx);
    const int64_t rows = s->A->block_rows, cols = s->B->block_cols;
    const uint64_t each = sizeof(int32_t) + sizeof(double);
    if (s->S->long_count > rows || s->S->longest_count > s->S->long_count ||
        (rows > 0 ? (entries + (uint64_t)rows - 1) / (uint64_t)rows : entries) >
            (uint64_t)cols)
        return lcl_fail(log, LCL_ESELFTEST,
                        "%s counts an impossible number of entries: it "
                        "computes wrong results",
                        caps->name);
    if (entries > caps->global_bytes / each)
        return lcl_fail(log, LCL_EDEVMEM,
                        "the product of two matrices with %lld and %lld "
                        "entries has %llu: they need %.1f GiB, and the device "
                        "has %.1f GiB",
                        (long long)s->A->blocks, (long long)s->B->blocks,
                        (unsigned long long)entries,
                        (double)entries * (double)each / 0x1p30,
                        (double)caps->global_bytes / 0x1p30);
    return LCL_OK;
}

// Waits for the counts.
static enum lcl_status read_counts(struct search *s)
{
    const size_t words = 1 + (size_t)s->sums;
    uint64_t entries = 0, *all = lcl_malloc(words, sizeof *all);
    uint32_t counts[SPGEMM_COUNTS];
    if (!all)
        return lcl_fail_memory(lcl_context_log(s->ctx), "a sparse product");
    const enum lcl_status st =
        lcl_buffer_read(s->counts, all, words * sizeof *all);
    if (st == LCL_OK) {
        memcpy(counts, all, sizeof counts);
        s->S->long_count = counts[SPGEMM_LONG];
        s->S->longest_count = counts[SPGEMM_LONGEST];
        for (size_t g = 1; g < words; ++g)
            entries += all[g];
        s->C->blocks = (int64_t)entries;
        s->C->wide = lcl_needs_wide(s->C->blocks);
    }
    lcl_free(all);
    return st < 0 ? st : check_counts(s, entries);
}

static enum lcl_status count(struct search *s)
{
    const int64_t n = s->A->block_rows;
    const struct lcl_buffer_plan all[] = {
        {&s->length, n, sizeof(uint32_t), "lengths of rows"},
        {&s->list, n, sizeof(int32_t), "lists of rows"},
        {&s->longest, n, sizeof(int32_t), "lists of rows"},
        {&s->counts, 1 + s->sums, sizeof(uint64_t), "counts of entries"},
    };
    enum lcl_status st;
    if ((st = lcl_buffers_create(s->ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = get_kernels(s)) < 0 || (st = count_entries(s)) < 0)
        return st;
    return read_counts(s);
}

// ------------------------------------------------------------------- filling

static enum lcl_status fill_pass(const struct search *s, int pass)
{
    const struct lcl_device_matrix *A = s->A, *B = s->B, *C = s->C;
    const struct lcl_spgemm_team *t = &s->S->team[pass];
    const int64_t rows = pass == 0 ? A->block_rows : s->S->long_count;
    return LCL_LAUNCH(s->fill, team_groups(s->ctx, rows, t->shift),
                      lcl_arg_long(rows), lcl_arg_int(pass),
                      lcl_arg_int(t->shift), lcl_arg_int(t->along),
                      lcl_arg_int(t->bits), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(s->S->long_rows),
                      lcl_arg_buffer(C->row_ptr), lcl_arg_buffer(C->col));
}

static enum lcl_status fill_by_marks(const struct search *s)
{
    const struct lcl_device_matrix *A = s->A, *B = s->B, *C = s->C;
    const struct lcl_spgemm *S = s->S;
    return LCL_LAUNCH(s->fill, S->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_long(B->block_cols), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(S->marks),
                      lcl_arg_buffer(C->row_ptr), lcl_arg_buffer(C->col));
}

static enum lcl_status fill_by_teams(const struct search *s)
{
    const struct lcl_device_matrix *A = s->A, *B = s->B, *C = s->C;
    const int64_t rows = s->S->longest_count;
    enum lcl_status st;
    if ((st = fill_pass(s, 0)) < 0 || (st = fill_pass(s, 1)) < 0)
        return st;
    return LCL_LAUNCH(s->fill_long, rows < s->sums ? rows : s->sums,
                      lcl_arg_long(rows), lcl_arg_int(s->S->team[1].along),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(s->S->longest_rows),
                      lcl_arg_buffer(C->row_ptr), lcl_arg_buffer(C->col));
}

static enum lcl_status fill_columns(const struct search *s)
{
    const enum lcl_status st =
        LCL_LAUNCH(s->row_pointers, s->sums, lcl_arg_long(s->A->block_rows),
                   lcl_arg_buffer(s->length), lcl_arg_buffer(s->counts),
                   lcl_arg_buffer(s->C->row_ptr));
    return st < 0 ? st : s->serial ? fill_by_marks(s) : fill_by_teams(s);
}

static enum lcl_status fill(struct search *s)
{
    struct lcl_spgemm *S = s->S;
    struct lcl_device_matrix *C = s->C;
    const struct lcl_buffer_plan all[] = {
        {&C->row_ptr, C->block_rows + 1,
         C->wide ? sizeof(uint64_t) : sizeof(uint32_t), "row pointers"},
        {&C->col, C->blocks, sizeof(int32_t), "columns"},
        {&C->val, C->blocks, sizeof(double), "values"},
        {&S->long_rows, S->long_count, sizeof(int32_t), "lists of rows"},
        {&S->longest_rows, S->longest_count, sizeof(int32_t), "lists of rows"},
    };
    enum lcl_status st;
    if ((C->wide && (st = get_kernels(s)) < 0) ||
        (st = lcl_buffers_create(s->ctx, all, sizeof all / sizeof *all)) < 0)
        return st;
    if ((S->long_count > 0 &&
         (st = lcl_buffer_copy(S->long_rows, s->list)) < 0) ||
        (S->longest_count > 0 &&
         (st = lcl_buffer_copy(S->longest_rows, s->longest)) < 0))
        return st;
    return fill_columns(s);
}

// ------------------------------------------------------------------- product

static enum lcl_status check_shapes(lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_device_matrix *B)
{
    return A->block == 1 && B->block == 1 && A->block_cols == B->block_rows
               ? LCL_OK
               : lcl_fail(lcl_context_log(ctx), LCL_EINVAL,
                          "a matrix with %lld columns in blocks of %d cannot "
                          "be multiplied by one with %lld rows in blocks of "
                          "%d",
                          (long long)A->block_cols, A->block,
                          (long long)B->block_rows, B->block);
}

enum lcl_status lcl_spgemm_init_most(struct lcl_spgemm *S,
                                     struct lcl_device_matrix *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_device_matrix *B,
                                     int64_t most)
{
    struct search s = {.S = S,
                       .ctx = ctx,
                       .A = A,
                       .B = B,
                       .C = C,
                       .width = lcl_context_caps(ctx)->width,
                       .sums = lcl_vector_groups(lcl_context_caps(ctx))};
    enum lcl_status st;
    s.serial = s.width == 1;
    *S = (struct lcl_spgemm){.ctx = ctx,
                             .team = {first_team(&s), second_team(&s)},
                             .groups = count_groups(&s)};
    *C = (struct lcl_device_matrix){
        .n = A->n,
        .block = 1,
        .block_rows = A->block_rows,
        .block_cols = B->block_cols,
        .groups = A->groups,
    };
    if ((st = check_shapes(ctx, A, B)) == LCL_OK &&
        (st = count(&s)) == LCL_OK && C->blocks <= most)
        st = fill(&s);
    lcl_buffer_destroy(&s.counts);
    lcl_buffer_destroy(&s.longest);
    lcl_buffer_destroy(&s.list);
    lcl_buffer_destroy(&s.length);
    if (st < 0) {
        lcl_device_matrix_finish(C);
        lcl_spgemm_finish(S);
    }
    return st;
}

enum lcl_status lcl_spgemm_init(struct lcl_spgemm *S,
                                struct lcl_device_matrix *C, lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                const struct lcl_device_matrix *B)
{
    return lcl_spgemm_init_most(S, C, ctx, A, B, INT64_MAX);
}

void lcl_spgemm_finish(struct lcl_spgemm *S)
{
    lcl_buffer_destroy(&S->longest_rows);
    lcl_buffer_destroy(&S->long_rows);
    lcl_buffer_destroy(&S->marks);
    *S = (struct lcl_spgemm){.ctx = NULL};
}

// ------------------------------------------------------------------- values

static enum lcl_status multiply_pass(const struct lcl_spgemm *S, int pass,
                                     const struct lcl_device_matrix *C,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_device_matrix *B)
{
    const struct lcl_spgemm_team *t = &S->team[pass];
    const int64_t rows = pass == 0 ? A->block_rows : S->long_count;
    return LCL_LAUNCH(S->multiply, team_groups(S->ctx, rows, t->multiply),
                      lcl_arg_long(rows), lcl_arg_int(pass),
                      lcl_arg_int(t->multiply),
                      lcl_arg_int((int32_t)SPGEMM_LIMIT(t->bits)),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(B->val),
                      lcl_arg_buffer(S->long_rows), lcl_arg_buffer(C->row_ptr),
                      lcl_arg_buffer(C->col), lcl_arg_buffer(C->val));
}

static enum lcl_status multiply_by_marks(const struct lcl_spgemm *S,
                                         const struct lcl_device_matrix *C,
                                         const struct lcl_device_matrix *A,
                                         const struct lcl_device_matrix *B)
{
    return LCL_LAUNCH(S->multiply, S->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_long(B->block_cols), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(B->val), lcl_arg_buffer(S->marks),
                      lcl_arg_buffer(C->row_ptr), lcl_arg_buffer(C->col),
                      lcl_arg_buffer(C->val));
}

enum lcl_status lcl_spgemm_update(const struct lcl_spgemm *S,
                                  const struct lcl_device_matrix *C,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_device_matrix *B)
{
    const int groups = lcl_vector_groups(lcl_context_caps(S->ctx));
    const int64_t rows = S->longest_count;
    enum lcl_status st;
    if (S->marks)
        return multiply_by_marks(S, C, A, B);
    if ((st = multiply_pass(S, 0, C, A, B)) < 0 ||
        (st = multiply_pass(S, 1, C, A, B)) < 0)
        return st;
    return LCL_LAUNCH(S->multiply_long, rows < groups ? rows : groups,
                      lcl_arg_long(rows), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(B->val), lcl_arg_buffer(S->longest_rows),
                      lcl_arg_buffer(C->row_ptr), lcl_arg_buffer(C->col),
                      lcl_arg_buffer(C->val));
}
