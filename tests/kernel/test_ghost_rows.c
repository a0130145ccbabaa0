// SPDX-License-Identifier: BSD-3-Clause
// ghost_rows.cl compared with plain C.
#include "lib/multilevel/row_exchange.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"

#include <stdlib.h>

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    lcl_kernel *kernel;
    assert_int_equal(lcl_ghost_rows_kernel(&kernel, ctx, name), LCL_OK);
    return kernel;
}

static void expect_long(const char *what, const lcl_buffer *buffer,
                        const int32_t *expected, int64_t count)
{
    int64_t *got = calloc((size_t)count + 1, sizeof *got);
    assert_non_null(got);
    test_download(buffer, got, count, sizeof *got);
    for (int64_t k = 0; k < count; ++k)
        if (got[k] != expected[k])
            fail_msg("%s %lld: got %lld, expected %d", what, (long long)k,
                     (long long)got[k], (int)expected[k]);
    free(got);
}

static lcl_buffer *upload_pointers(lcl_context *ctx, const int64_t *ptr,
                                   int64_t count)
{
    lcl_buffer *buffer;
    assert_int_equal(
        lcl_buffer_create_narrow(&buffer, ctx, ptr, count, "row pointers"),
        LCL_OK);
    return buffer;
}

// ------------------------------------------------------------------- leave

// Rows of a whole matrix with ascending columns, of which a rank has the
// columns from `first` on, and how the rank has them.
struct part {
    struct lcl_csr A;
    int32_t own, first, ghosts, lower;
    int64_t *ghost; // all columns that are not own ones
    int32_t *local; // columns of the rank
    double *val;
};

static void part_open(struct part *p, struct lcl_csr A, int32_t first,
                      int32_t own)
{
    const int32_t ghosts = (int32_t)A.cols - own;
    *p = (struct part){.A = A,
                       .own = own,
                       .first = first,
                       .ghosts = ghosts,
                       .lower = first,
                       .ghost = calloc((size_t)ghosts + 1, sizeof *p->ghost),
                       .local = calloc((size_t)A.nnz + 1, sizeof *p->local),
                       .val = calloc((size_t)A.nnz + 1, sizeof *p->val)};
    assert_true(p->ghost && p->local && p->val);
    for (int32_t g = 0; g < ghosts; ++g)
        p->ghost[g] = g < first ? g : own + g;
    int64_t at = 0;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int pass = 0; pass < 2; ++pass) // own columns, then ghosts
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
                const int32_t c = A.col_ind[k];
                const bool is_own = c >= first && c < first + own;
                if (is_own != (pass == 0))
                    continue;
                p->local[at] = is_own ? c - first : c < first ? own + c : c;
                p->val[at++] = A.val[k];
            }
}

static void part_close(struct part *p)
{
    free(p->val);
    free(p->local);
    free(p->ghost);
    test_csr_finish(&p->A);
}

static void expect_order(lcl_context *ctx, struct lcl_csr A, int32_t first,
                         int32_t own, int shift)
{
    struct part p;
    part_open(&p, A, first, own);
    double *got = test_vector(A.nnz);
    lcl_buffer *row_ptr;
    assert_int_equal(lcl_buffer_create_narrow(&row_ptr, ctx, A.row_ptr,
                                              A.rows + 1, "row pointers"),
                     LCL_OK);
    lcl_buffer *ghost = test_upload(ctx, p.ghost, p.ghosts, sizeof *p.ghost);
    lcl_buffer *col = test_upload(ctx, p.local, A.nnz, sizeof *p.local);
    lcl_buffer *val = test_upload(ctx, p.val, A.nnz, sizeof *p.val);
    lcl_buffer *out_col = test_poisoned(ctx, A.nnz, sizeof(int64_t));
    lcl_buffer *out_val = test_poisoned(ctx, A.nnz, sizeof *p.val);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "rows_leave"), 3,
                                lcl_arg_long(A.rows), lcl_arg_int(shift),
                                lcl_arg_int(p.own), lcl_arg_long(p.first),
                                lcl_arg_int(p.lower), lcl_arg_buffer(ghost),
                                lcl_arg_buffer(row_ptr), lcl_arg_buffer(col),
                                lcl_arg_buffer(val), lcl_arg_buffer(out_col),
                                lcl_arg_buffer(out_val)),
                     LCL_OK);
    expect_long("column", out_col, A.col_ind, A.nnz);
    test_download(out_val, got, A.nnz, sizeof *got);
    test_expect_same("value", got, A.val, A.nnz);
    lcl_buffer *const all[] = {row_ptr, ghost, col, val, out_col, out_val};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        lcl_buffer *buffer = all[k];
        lcl_buffer_destroy(&buffer);
    }
    free(got);
    part_close(&p);
}

static void test_ghost_rows__leave_in_order(void **state)
{
    const int32_t n = (int32_t)test_size(60, 3001);
    expect_order(*state, test_identity(1), 0, 1, 0);
    expect_order(*state, test_random_csr(n, 5, 3), 0, n, 2);
    expect_order(*state, test_random_csr(n, 5, 3), n / 3, n / 2, 0);
    expect_order(*state, test_random_csr(n, 9, 3), n / 3, n / 2, 2);
    expect_order(*state, test_random_csr(n, 9, 5), n - 2, 2, 1);
    expect_order(*state, test_dense_row(n, 3), n / 2, n / 4, 3);
}

// ------------------------------------------------------------------- arrive

// Rows that have come to a rank that has own columns from `first` on, and the
// ghosts; and what becomes of them.
struct arrival {
    struct lcl_csr A;
    int32_t own, first, ghosts;
    int64_t *col, *ghost;
    int32_t *place; // NULL: none
    uint32_t *length;
    int64_t *ptr;
    int32_t *local, *map;
    double *val;
    lcl_buffer *d_ptr, *d_col, *d_val, *d_ghost, *d_place;
};

static bool is_own(const struct arrival *a, int64_t column)
{
    return column >= a->first && column < a->first + a->own;
}

static int32_t column_of(const struct arrival *a, int64_t column)
{
    if (is_own(a, column))
        return (int32_t)(column - a->first);
    for (int32_t g = 0; g < a->ghosts; ++g)
        if (a->ghost[g] == column)
            return a->own + g;
    return -1;
}

static int64_t source_of(const struct arrival *a, int64_t i)
{
    return a->place ? a->place[i] : i;
}

static void take_row(struct arrival *a, int64_t i)
{
    const int64_t r = source_of(a, i);
    int64_t at = a->ptr[i];
    for (int pass = 0; pass < 2; ++pass)
        for (int64_t k = a->A.row_ptr[r]; k < a->A.row_ptr[r + 1]; ++k) {
            const int32_t c = column_of(a, a->col[k]);
            if (c < 0 || is_own(a, a->col[k]) != (pass == 0))
                continue;
            a->local[at] = c;
            a->map[at] = (int32_t)k;
            a->val[at++] = a->A.val[k];
        }
    a->length[i] = (uint32_t)(at - a->ptr[i]);
    a->ptr[i + 1] = at;
}

// The rank lacks every `missing`-th of the other columns; 0: none.
static void list_ghosts(struct arrival *a, int missing)
{
    for (int64_t c = 0; c < a->A.cols; ++c)
        if (!is_own(a, c) && (missing == 0 || c % missing != 1))
            a->ghost[a->ghosts++] = c;
}

static void arrival_open(struct arrival *a, lcl_context *ctx, struct lcl_csr A,
                         int32_t first, int32_t own, int missing, bool placed)
{
    const size_t nnz = (size_t)A.nnz + 1, rows = (size_t)A.rows + 1;
    *a = (struct arrival){.A = A,
                          .own = own,
                          .first = first,
                          .col = calloc(nnz, sizeof *a->col),
                          .ghost = calloc((size_t)A.cols + 1, sizeof *a->ghost),
                          .length = calloc(rows, sizeof *a->length),
                          .ptr = calloc(rows, sizeof *a->ptr),
                          .local = calloc(nnz, sizeof *a->local),
                          .map = calloc(nnz, sizeof *a->map),
                          .val = calloc(nnz, sizeof *a->val)};
    assert_true(a->col && a->ghost && a->length && a->ptr && a->local &&
                a->map && a->val);
    for (int64_t k = 0; k < A.nnz; ++k)
        a->col[k] = A.col_ind[k];
    if (placed)
        a->place = test_random_permutation(A.rows, 3);
    list_ghosts(a, missing);
    for (int64_t i = 0; i < A.rows; ++i)
        take_row(a, i);
    a->d_ptr = upload_pointers(ctx, A.row_ptr, A.rows + 1);
    a->d_col = test_upload(ctx, a->col, A.nnz, sizeof *a->col);
    a->d_val = test_upload(ctx, A.val, A.nnz, sizeof *A.val);
    a->d_ghost = test_upload(ctx, a->ghost, a->ghosts, sizeof *a->ghost);
    if (placed)
        a->d_place = test_upload(ctx, a->place, A.rows, sizeof *a->place);
}

static void arrival_close(struct arrival *a)
{
    lcl_buffer **const all[] = {&a->d_ptr, &a->d_col, &a->d_val, &a->d_ghost,
                                &a->d_place};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    free(a->col);
    free(a->ghost);
    free(a->place);
    free(a->length);
    free(a->ptr);
    free(a->local);
    free(a->map);
    free(a->val);
    test_csr_finish(&a->A);
}

static void expect_counted(lcl_context *ctx, const struct arrival *a)
{
    lcl_buffer *length = test_poisoned(ctx, a->A.rows, sizeof *a->length);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "rows_count"), 3, lcl_arg_long(a->A.rows),
                   lcl_arg_long(a->first), lcl_arg_int(a->own),
                   lcl_arg_int(a->ghosts), lcl_arg_buffer(a->d_ghost),
                   lcl_arg_int(a->place != NULL),
                   lcl_arg_buffer(a->place ? a->d_place : a->d_ptr),
                   lcl_arg_buffer(a->d_ptr), lcl_arg_buffer(a->d_col),
                   lcl_arg_buffer(length)),
        LCL_OK);
    test_expect_words("length", length, (const int32_t *)a->length, a->A.rows);
    lcl_buffer_destroy(&length);
}

static void expect_taken(lcl_context *ctx, const struct arrival *a)
{
    const int64_t entries = a->ptr[a->A.rows];
    double *got = test_vector(entries);
    lcl_buffer *ptr = upload_pointers(ctx, a->ptr, a->A.rows + 1);
    lcl_buffer *col = test_poisoned(ctx, entries, sizeof *a->local);
    lcl_buffer *val = test_poisoned(ctx, entries, sizeof *a->val);
    lcl_buffer *map = test_poisoned(ctx, entries, sizeof *a->map);
    assert_int_equal(
        LCL_LAUNCH(
            kernel_of(ctx, "rows_arrive"), 3, lcl_arg_long(a->A.rows),
            lcl_arg_long(a->first), lcl_arg_int(a->own), lcl_arg_int(a->ghosts),
            lcl_arg_buffer(a->d_ghost), lcl_arg_int(a->place != NULL),
            lcl_arg_buffer(a->place ? a->d_place : a->d_ptr),
            lcl_arg_buffer(a->d_ptr), lcl_arg_buffer(a->d_col),
            lcl_arg_buffer(a->d_val), lcl_arg_buffer(ptr), lcl_arg_buffer(col),
            lcl_arg_buffer(val), lcl_arg_buffer(map)),
        LCL_OK);
    test_expect_words("column", col, a->local, entries);
    test_expect_words("entry", map, a->map, entries);
    test_download(val, got, entries, sizeof *got);
    test_expect_same("value", got, a->val, entries);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&val);
    lcl_buffer_destroy(&col);
    lcl_buffer_destroy(&ptr);
    free(got);
}

static void expect_arrival(lcl_context *ctx, struct lcl_csr A, int32_t first,
                           int32_t own, int missing, bool placed)
{
    struct arrival a;
    arrival_open(&a, ctx, A, first, own, missing, placed);
    expect_counted(ctx, &a);
    expect_taken(ctx, &a);
    arrival_close(&a);
}

static void test_ghost_rows__arrive_in_columns_of_the_rank(void **state)
{
    const int32_t n = (int32_t)test_size(60, 1501);
    expect_arrival(*state, test_identity(1), 0, 1, 0, false);
    expect_arrival(*state, test_random_csr(n, 5, 3), 0, n, 0, false);
    expect_arrival(*state, test_random_csr(n, 5, 3), n / 3, n / 2, 0, true);
    expect_arrival(*state, test_random_csr(n, 9, 5), n / 3, n / 2, 3, false);
    expect_arrival(*state, test_random_csr(n, 9, 5), n, 0, 2, true);
    expect_arrival(*state, test_dense_row(n, 3), n / 2, n / 4, 4, true);
}

// ------------------------------------------------------------------- marks

static void expect_reach(lcl_context *ctx, const struct arrival *a,
                         const uint32_t expected[2])
{
    const uint32_t none[2] = {UINT32_MAX, 0};
    lcl_buffer *range = test_upload(ctx, none, 2, sizeof *none);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "rows_reach"), 3,
                                lcl_arg_long(a->A.nnz), lcl_arg_long(a->first),
                                lcl_arg_int(a->own), lcl_arg_buffer(a->d_col),
                                lcl_arg_buffer(range)),
                     LCL_OK);
    test_expect_words("range", range, (const int32_t *)expected, 2);
    lcl_buffer_destroy(&range);
}

static void expect_bits(lcl_context *ctx, const struct arrival *a, int64_t from,
                        int64_t words)
{
    uint32_t *bits = calloc((size_t)(2 * words) + 1, sizeof *bits);
    assert_non_null(bits);
    lcl_buffer *marks = test_upload(ctx, bits, 2 * words, sizeof *bits);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "rows_mark"), 3,
                                lcl_arg_long(a->A.nnz), lcl_arg_long(a->first),
                                lcl_arg_int(a->own), lcl_arg_long(from),
                                lcl_arg_buffer(a->d_col),
                                lcl_arg_buffer(marks)),
                     LCL_OK);
    for (int64_t k = 0; k < a->A.nnz; ++k) {
        const int64_t bit = a->col[k] - from;
        if (!is_own(a, a->col[k]))
            bits[bit / 32] |= UINT32_C(1) << bit % 32;
    }
    test_expect_words("bits", marks, (const int32_t *)bits, 2 * words);
    lcl_buffer_destroy(&marks);
    free(bits);
}

static void expect_marks(lcl_context *ctx, struct lcl_csr A, int32_t first,
                         int32_t own)
{
    struct arrival a;
    uint32_t range[2] = {UINT32_MAX, 0};
    arrival_open(&a, ctx, A, first, own, 0, false);
    for (int64_t k = 0; k < A.nnz; ++k) {
        const uint32_t word = (uint32_t)(a.col[k] / 64);
        if (is_own(&a, a.col[k]))
            continue;
        range[0] = word < range[0] ? word : range[0];
        range[1] = word > range[1] ? word : range[1];
    }
    expect_reach(ctx, &a, range);
    if (range[0] <= range[1])
        expect_bits(ctx, &a, 64 * (int64_t)range[0], range[1] - range[0] + 1);
    arrival_close(&a);
}

static void test_ghost_rows__other_columns_are_marked(void **state)
{
    const int32_t n = (int32_t)test_size(150, 5003);
    expect_marks(*state, test_identity(1), 0, 1); // none
    expect_marks(*state, test_identity(1), 0, 0);
    expect_marks(*state, test_random_csr(n, 5, 3), 0, n - 3);
    expect_marks(*state, test_random_csr(n, 5, 3), n / 3, n / 2);
}

// ------------------------------------------------------------------- append

static void expect_appended(lcl_context *ctx, int64_t n, int64_t start,
                            struct lcl_csr B)
{
    const int64_t entries = start + B.nnz, rows = n + B.rows;
    int32_t *ptr = calloc((size_t)rows + 1, sizeof *ptr);
    int32_t *col = calloc((size_t)entries + 1, sizeof *col);
    double *val = test_vector(entries + 1), *got = test_vector(entries + 1);
    assert_true(ptr && col);
    for (int64_t i = 0; i <= B.rows; ++i)
        ptr[n + i] = (int32_t)(start + B.row_ptr[i]);
    for (int64_t k = 0; k < B.nnz; ++k) {
        col[start + k] = B.col_ind[k];
        val[start + k] = B.val[k];
    }
    lcl_buffer *d_ptr = upload_pointers(ctx, B.row_ptr, B.rows + 1);
    lcl_buffer *d_col = test_upload(ctx, B.col_ind, B.nnz, sizeof *B.col_ind);
    lcl_buffer *d_val = test_upload(ctx, B.val, B.nnz, sizeof *B.val);
    int32_t *zeros = calloc((size_t)(rows + 2 * entries) + 2, sizeof *zeros);
    assert_non_null(zeros);
    lcl_buffer *all_ptr = test_upload(ctx, zeros, rows + 1, sizeof *ptr);
    lcl_buffer *all_col = test_upload(ctx, zeros, entries, sizeof *col);
    lcl_buffer *all_val = test_upload(ctx, zeros, entries, sizeof *val);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "rows_append"), 3,
                                lcl_arg_long(B.rows), lcl_arg_long(B.nnz),
                                lcl_arg_long(n), lcl_arg_int((int32_t)start),
                                lcl_arg_buffer(d_ptr), lcl_arg_buffer(d_col),
                                lcl_arg_buffer(d_val), lcl_arg_buffer(all_ptr),
                                lcl_arg_buffer(all_col),
                                lcl_arg_buffer(all_val)),
                     LCL_OK);
    test_expect_words("row pointer", all_ptr, ptr, rows + 1);
    test_expect_words("column", all_col, col, entries);
    test_download(all_val, got, entries, sizeof *got);
    test_expect_same("value", got, val, entries);
    lcl_buffer *const all[] = {d_ptr, d_col, d_val, all_ptr, all_col, all_val};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        lcl_buffer *buffer = all[k];
        lcl_buffer_destroy(&buffer);
    }
    free(zeros);
    free(got);
    free(val);
    free(col);
    free(ptr);
    test_csr_finish(&B);
}

static void test_ghost_rows__go_behind_the_others(void **state)
{
    const int64_t n = test_size(60, 3001);
    expect_appended(*state, 0, 0, test_identity(1));
    expect_appended(*state, 5, 17, test_identity(1));
    expect_appended(*state, n, 3 * n, test_random_csr(n / 2, 5, 3));
}

static void expect_values(lcl_context *ctx, int64_t entries, int64_t start)
{
    double *from = test_random_vector(entries + 1, 3);
    double *expected = test_vector(start + entries);
    double *got = test_vector(start + entries);
    int32_t *map = test_random_permutation(entries, 7);
    for (int64_t k = 0; k < entries; ++k)
        expected[start + k] = from[map[k]];
    lcl_buffer *d_from = test_upload(ctx, from, entries, sizeof *from);
    lcl_buffer *d_map = test_upload(ctx, map, entries, sizeof *map);
    lcl_buffer *to = test_upload(ctx, got, start + entries, sizeof *got);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "rows_values"), 3, lcl_arg_long(entries),
                   lcl_arg_int((int32_t)start), lcl_arg_buffer(d_map),
                   lcl_arg_buffer(d_from), lcl_arg_buffer(to)),
        LCL_OK);
    test_download(to, got, start + entries, sizeof *got);
    test_expect_same("value", got, expected, start + entries);
    lcl_buffer_destroy(&to);
    lcl_buffer_destroy(&d_map);
    lcl_buffer_destroy(&d_from);
    free(map);
    free(got);
    free(expected);
    free(from);
}

static void test_ghost_rows__take_new_values(void **state)
{
    const int64_t n = test_size(60, 3001);
    expect_values(*state, 0, 4);
    expect_values(*state, 1, 0);
    expect_values(*state, n, n / 3);
}

static void test_ghost_rows__of_one_row_are_joined(void **state)
{
    const int64_t n = test_size(60, 3001), rows = n / 4;
    int32_t *ptr = test_random_permutation(n, 3);
    int32_t *start = test_random_permutation(n, 5);
    int32_t *expected = calloc((size_t)rows + 1, sizeof *expected);
    assert_non_null(expected);
    for (int64_t j = 0; j < rows; ++j)
        expected[j] = ptr[start[j]];
    lcl_buffer *d_ptr = test_upload(*state, ptr, n, sizeof *ptr);
    lcl_buffer *d_start = test_upload(*state, start, rows, sizeof *start);
    lcl_buffer *out = test_poisoned(*state, rows, sizeof *expected);
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "rows_join"), 3,
                                lcl_arg_long(rows), lcl_arg_buffer(d_start),
                                lcl_arg_buffer(d_ptr), lcl_arg_buffer(out)),
                     LCL_OK);
    test_expect_words("row pointer", out, expected, rows);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&d_start);
    lcl_buffer_destroy(&d_ptr);
    free(expected);
    free(start);
    free(ptr);
}

static void test_ghost_rows__of_all_ranks_have_all_columns(void **state)
{
    const int64_t entries = test_size(60, 3001);
    int32_t *expected = test_random_permutation(entries, 3);
    int64_t *col = calloc((size_t)entries + 1, sizeof *col);
    assert_non_null(col);
    for (int64_t k = 0; k < entries; ++k)
        col[k] = expected[k] = INT32_MAX - 7 * expected[k];
    lcl_buffer *d_col = test_upload(*state, col, entries, sizeof *col);
    lcl_buffer *out = test_poisoned(*state, entries, sizeof *expected);
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "rows_gathered"), 3,
                                lcl_arg_long(entries), lcl_arg_buffer(d_col),
                                lcl_arg_buffer(out)),
                     LCL_OK);
    test_expect_words("column", out, expected, entries);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&d_col);
    free(col);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ghost_rows__leave_in_order),
        cmocka_unit_test(test_ghost_rows__arrive_in_columns_of_the_rank),
        cmocka_unit_test(test_ghost_rows__other_columns_are_marked),
        cmocka_unit_test(test_ghost_rows__go_behind_the_others),
        cmocka_unit_test(test_ghost_rows__take_new_values),
        cmocka_unit_test(test_ghost_rows__of_one_row_are_joined),
        cmocka_unit_test(test_ghost_rows__of_all_ranks_have_all_columns),
    };
    return test_device_run(tests);
}
