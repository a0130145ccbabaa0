// SPDX-License-Identifier: BSD-3-Clause
// halo.cl, boundary rows of a distributed operator, compared with the plain
// reference.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/halo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3 };

// Some of n rows, in any order, with entries in n columns and in ghosts.
struct boundary {
    lcl_context *ctx;
    int64_t n, ghosts;
    struct lcl_csr A;
    int32_t *row;
    double *x, *ghost, *w, *y;
    double sums[GROUPS];
    lcl_buffer *device_row, *row_ptr, *col, *val;
    lcl_buffer *device_x, *device_ghost, *device_w;
};

static void fill_at_random(struct lcl_csr *A)
{
    double *val = test_random_vector(A->nnz, 5);
    if (A->nnz > 0)
        memcpy(A->val, val, (size_t)A->nnz * sizeof *val);
    free(val);
}

// Makes what no entry of A reads NaN.
static void spoil_unread(struct boundary *B)
{
    const struct lcl_csr *A = &B->A;
    bool *read = calloc((size_t)A->cols, sizeof *read);
    assert_non_null(read);
    for (int64_t k = 0; k < A->nnz; ++k)
        read[A->col_ind[k]] = true;
    for (int64_t j = 0; j < A->cols; ++j)
        if (!read[j])
            *(j < B->n ? &B->x[j] : &B->ghost[j - B->n]) = NAN;
    free(read);
}

// Takes A, of n own columns and the ghosts behind them.
static void boundary_init(struct boundary *B, lcl_context *ctx,
                          struct lcl_csr A, int64_t n)
{
    fill_at_random(&A);
    *B = (struct boundary){
        .ctx = ctx,
        .n = n,
        .ghosts = A.cols - n,
        .A = A,
        .row = test_random_permutation(n, 9),
        .x = test_random_vector(n, 1),
        .ghost = test_random_vector(A.cols - n, 2),
        .w = test_random_vector(n, 3),
        .y = test_random_vector(n, 4),
        .sums = {0.5, -2, 1},
    };
    spoil_unread(B);
    B->device_row = test_upload(ctx, B->row, A.rows, sizeof *B->row);
    B->row_ptr = test_upload_row_ptr(ctx, A.row_ptr, A.rows, false);
    B->col = test_upload(ctx, A.col_ind, A.nnz, sizeof *A.col_ind);
    B->val = test_upload(ctx, A.val, A.nnz, sizeof *A.val);
    B->device_x = test_upload(ctx, B->x, n, sizeof *B->x);
    B->device_ghost = test_upload(ctx, B->ghost, B->ghosts, sizeof *B->ghost);
    B->device_w = test_upload(ctx, B->w, n, sizeof *B->w);
}

static void boundary_finish(struct boundary *B)
{
    lcl_buffer **const all[] = {&B->device_row,  &B->row_ptr,  &B->col,
                                &B->val,         &B->device_x, &B->device_w,
                                &B->device_ghost};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    free(B->row);
    free(B->x);
    free(B->ghost);
    free(B->w);
    free(B->y);
    test_csr_finish(&B->A);
}

static void launch(const struct boundary *B, const char *kernel, int lanes,
                   const lcl_buffer *w, const lcl_buffer *y,
                   const lcl_buffer *sums, int at)
{
    static const int32_t flags[] = {0, 7};
    lcl_buffer *stop = test_upload(B->ctx, flags, 2, sizeof *flags);
    const struct lcl_spec spec = {
        .source = "halo.cl",
        .kernel = kernel,
        .group = test_group(B->ctx, 2),
        .defines = {{"LANES_PER_ROW", lanes}},
    };
    assert_int_equal(
        LCL_LAUNCH(test_kernel(B->ctx, &spec), GROUPS, lcl_arg_long(B->A.rows),
                   lcl_arg_buffer(B->device_row), lcl_arg_buffer(B->row_ptr),
                   lcl_arg_buffer(B->col), lcl_arg_buffer(B->val),
                   lcl_arg_long(B->n), lcl_arg_buffer(B->device_x),
                   lcl_arg_buffer(B->device_ghost), lcl_arg_buffer(w),
                   lcl_arg_buffer(y), lcl_arg_buffer(sums),
                   lcl_arg_buffer(stop), lcl_arg_int(at)),
        LCL_OK);
    lcl_buffer_destroy(&stop);
}

// Rows of the list start as NaN, and neither w nor the sums are touched.
static void expect_plain(const struct boundary *B, int lanes)
{
    double *y = test_vector(B->n), *expected = test_vector(B->n);
    memcpy(expected, B->y, (size_t)B->n * sizeof *y);
    for (int64_t r = 0; r < B->A.rows; ++r)
        expected[B->row[r]] = NAN;
    lcl_buffer *out = test_upload(B->ctx, expected, B->n, sizeof *y);
    lcl_buffer *poison = test_poisoned(B->ctx, B->n, sizeof *y);
    launch(B, "halo_plain", lanes, poison, out, poison, 0);
    lcl_ref_halo(&B->A, B->row, B->n, B->x, B->ghost, NULL, expected);
    test_download(out, y, B->n, sizeof *y);
    test_expect_near("y", y, expected, B->n, 1e-12);
    test_untouched(poison);
    lcl_buffer_destroy(&poison);
    lcl_buffer_destroy(&out);
    free(expected);
    free(y);
}

static double sum_of(const double sums[GROUPS])
{
    double sum = 0;
    for (int g = 0; g < GROUPS; ++g)
        sum += sums[g];
    return sum;
}

static void expect_dot(const struct boundary *B, int lanes)
{
    double *y = test_vector(B->n), *expected = test_vector(B->n);
    double sums[GROUPS];
    memcpy(expected, B->y, (size_t)B->n * sizeof *y);
    lcl_buffer *out = test_upload(B->ctx, B->y, B->n, sizeof *y);
    lcl_buffer *partial = test_upload(B->ctx, B->sums, GROUPS, sizeof *sums);
    launch(B, "halo_dot", lanes, B->device_w, out, partial, 0);
    const double sum = sum_of(B->sums) + lcl_ref_halo(&B->A, B->row, B->n, B->x,
                                                      B->ghost, B->w, expected);
    test_download(out, y, B->n, sizeof *y);
    test_download(partial, sums, GROUPS, sizeof *sums);
    test_expect_near("y", y, expected, B->n, 1e-12);
    test_expect_near("<w, y>", &(double){sum_of(sums)}, &sum, 1, 1e-11);
    lcl_buffer_destroy(&partial);
    lcl_buffer_destroy(&out);
    free(expected);
    free(y);
}

static void expect_stopped(const struct boundary *B, const char *kernel)
{
    lcl_buffer *y = test_poisoned(B->ctx, B->n, sizeof(double));
    lcl_buffer *sums = test_poisoned(B->ctx, GROUPS, sizeof(double));
    launch(B, kernel, 1, B->device_w, y, sums, 1);
    test_untouched(y);
    test_untouched(sums);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&y);
}

// Both kernels with all numbers of lanes. Frees A.
static void expect_boundary(lcl_context *ctx, struct lcl_csr A, int64_t n)
{
    struct boundary B;
    boundary_init(&B, ctx, A, n);
    for (int lanes = 1; lanes <= test_width(ctx); lanes *= 2) {
        expect_plain(&B, lanes);
        expect_dot(&B, lanes);
    }
    expect_stopped(&B, "halo_plain");
    expect_stopped(&B, "halo_dot");
    boundary_finish(&B);
}

// ------------------------------------------------------------------- cases

static void test_halo__random_rows_are_the_reference_s(void **state)
{
    const int64_t n = test_size(60, 3000);
    expect_boundary(*state, test_stretched_csr(n / 2, n + n / 3, 1), n);
    expect_boundary(*state, test_stretched_csr(n, 3 * n, 2), n);
    expect_boundary(*state, test_stretched_csr(n - 1, n + 1, 3), n);
}

static void test_halo__an_empty_list_changes_nothing(void **state)
{
    expect_boundary(*state, test_rows_of_lengths(0, 20, NULL), 20);
    expect_boundary(*state, test_rows_of_lengths(0, 25, NULL), 20);
}

static void test_halo__one_row(void **state)
{
    static const int64_t full[] = {9};
    expect_boundary(*state, test_rows_of_lengths(1, 9, full), 1);
    expect_boundary(*state, test_rows_of_lengths(1, 9, full), 8);
}

// Rows without entries become 0.
static void test_halo__rows_of_very_different_lengths(void **state)
{
    const int64_t cols = test_size(150, 4000);
    const int64_t length[] = {0, cols, 1, 0, 3, 70, cols / 2, 0};
    expect_boundary(*state, test_rows_of_lengths(8, cols, length), cols / 3);
    expect_boundary(*state, test_rows_of_lengths(8, cols, length), 8);
    expect_boundary(*state, test_rows_of_lengths(1, cols, length), 5);
}

static void test_halo__columns_may_be_ghosts_only(void **state)
{
    const int64_t n = test_size(40, 1000);
    struct lcl_csr A = test_stretched_csr(n, n, 6);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.col_ind[k] += (int32_t)n;
    A.cols += n;
    expect_boundary(*state, A, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halo__random_rows_are_the_reference_s),
        cmocka_unit_test(test_halo__an_empty_list_changes_nothing),
        cmocka_unit_test(test_halo__one_row),
        cmocka_unit_test(test_halo__rows_of_very_different_lengths),
        cmocka_unit_test(test_halo__columns_may_be_ghosts_only),
    };
    return test_device_run(tests);
}
