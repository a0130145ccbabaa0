// SPDX-License-Identifier: BSD-3-Clause
// slices.cl compared bitwise with the reference, and sliced.cl with the plain
// product.
#include "tests/support/device.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/sliced.h"
#include "lib/spmv/autotune.h"

#include <math.h>
#include <stdlib.h>

enum { FAR = 100000 }; // columns, beyond the reach of 16 bits

static int slice_rows(lcl_context *ctx)
{
    return test_width(ctx) > 1 ? test_width(ctx) : 8;
}

// ------------------------------------------------------------------ layout

// A matrix on the device, as slices.cl expects it.
struct source {
    lcl_context *ctx;
    const struct lcl_bsr *A;
    lcl_buffer *row_ptr, *col, *val;
    bool wide;
};

static void source_init(struct source *src, lcl_context *ctx,
                        const struct lcl_bsr *A, bool wide)
{
    *src = (struct source){.ctx = ctx, .A = A, .wide = wide};
    uint32_t *narrow = calloc((size_t)A->rows + 1, sizeof *narrow);
    assert_non_null(narrow);
    for (int64_t i = 0; i <= A->rows; ++i)
        narrow[i] = (uint32_t)A->row_ptr[i];
    src->row_ptr =
        wide ? test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t))
             : test_upload(ctx, narrow, A->rows + 1, sizeof *narrow);
    src->col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    src->val =
        test_upload(ctx, A->val, A->nnz * lcl_block_values(A), sizeof *A->val);
    free(narrow);
}

static void source_finish(struct source *src)
{
    lcl_buffer_destroy(&src->row_ptr);
    lcl_buffer_destroy(&src->col);
    lcl_buffer_destroy(&src->val);
}

static lcl_kernel *get_kernel(const struct source *src, const char *name)
{
    const struct lcl_spec spec = {
        .source = "slices.cl",
        .kernel = name,
        .group = test_group(src->ctx, 2),
        .block = src->A->block_size > 1 ? src->A->block_size : 0,
        .wide = src->wide,
    };
    return test_kernel(src->ctx, &spec);
}

static int32_t last_col(const struct source *src)
{
    return src->A->cols > 0 ? (int32_t)(src->A->cols - 1) : 0;
}

static void expect_counts(const struct source *src,
                          const struct lcl_ref_sliced *L)
{
    uint32_t *got = calloc(2 * (size_t)L->slices + 1, sizeof *got);
    lcl_buffer *count = test_poisoned(src->ctx, L->slices, 2 * sizeof *got);
    assert_non_null(got);
    assert_int_equal(
        LCL_LAUNCH(get_kernel(src, "count_slots"), 3,
                   lcl_arg_long(src->A->rows), lcl_arg_int(last_col(src)),
                   lcl_arg_buffer(src->row_ptr), lcl_arg_buffer(src->col),
                   lcl_arg_buffer(count)),
        LCL_OK);
    test_download(count, got, L->slices, 2 * sizeof *got);
    for (int64_t k = 0; k < 2 * L->slices; ++k)
        assert_int_equal(got[k], L->start[k + 2] - L->start[k]);
    lcl_buffer_destroy(&count);
    free(got);
}

// Compares `count` elements written by a kernel with the expected ones, byte by
// byte.
static void expect_bytes(const lcl_buffer *buffer, const void *expected,
                         int64_t count, size_t size)
{
    void *got = malloc((size_t)count * size + 1);
    assert_non_null(got);
    test_download(buffer, got, count, size);
    assert_memory_equal(got, expected, (size_t)count * size);
    free(got);
}

static void expect_places(const struct source *src,
                          const struct lcl_ref_sliced *L)
{
    lcl_context *ctx = src->ctx;
    const int rows = slice_rows(ctx), values = lcl_block_values(src->A);
    const int64_t near = (int64_t)L->start[2 * L->slices] * rows;
    const int64_t far = (int64_t)L->start[2 * L->slices + 1] * rows;
    const int64_t count = (near + far) * values;
    lcl_buffer *start =
        test_upload(ctx, L->start, L->slices + 1, 2 * sizeof *L->start);
    lcl_buffer *near_col = test_poisoned(ctx, near, sizeof *L->near_col);
    lcl_buffer *far_col = test_poisoned(ctx, far, sizeof *L->far_col);
    lcl_buffer *val = test_poisoned(ctx, count, sizeof *L->val);
    assert_int_equal(
        LCL_LAUNCH(get_kernel(src, "place_columns"), 3,
                   lcl_arg_long(src->A->rows), lcl_arg_int(last_col(src)),
                   lcl_arg_buffer(src->row_ptr), lcl_arg_buffer(src->col),
                   lcl_arg_buffer(start), lcl_arg_buffer(near_col),
                   lcl_arg_buffer(far_col)),
        LCL_OK);
    assert_int_equal(
        LCL_LAUNCH(get_kernel(src, "place_values"), 3,
                   lcl_arg_long(src->A->rows), lcl_arg_int(last_col(src)),
                   lcl_arg_buffer(src->row_ptr), lcl_arg_buffer(src->col),
                   lcl_arg_buffer(src->val), lcl_arg_buffer(start),
                   lcl_arg_buffer(val)),
        LCL_OK);
    expect_bytes(near_col, L->near_col, near, sizeof *L->near_col);
    expect_bytes(far_col, L->far_col, far, sizeof *L->far_col);
    expect_bytes(val, L->val, count, sizeof *L->val);
    lcl_buffer_destroy(&start);
    lcl_buffer_destroy(&near_col);
    lcl_buffer_destroy(&far_col);
    lcl_buffer_destroy(&val);
}

// New values from behind two others, in the order of `map`, or in that of A
// without it; `one` of them is odd.
static void expect_taken(const struct source *src,
                         const struct lcl_ref_sliced *L, const int32_t *map,
                         const double *one)
{
    lcl_context *ctx = src->ctx;
    const struct lcl_bsr *A = src->A;
    const int values = lcl_block_values(A);
    const int64_t count = A->nnz * values;
    const int64_t slots =
        (int64_t)(L->start[2 * L->slices] + L->start[2 * L->slices + 1]) *
        slice_rows(ctx) * values;
    const int32_t none = 0;
    int32_t flag;
    double *given = test_vector(2 + count);
    for (int64_t k = 0; k < count; ++k)
        given[2 + (map ? map[k / values] : k / values) * values + k % values] =
            A->val[k];
    if (one)
        given[2 + count / 2] = *one;
    lcl_buffer *from = test_upload(ctx, given, 2 + count, sizeof *given);
    lcl_buffer *places = map ? test_upload(ctx, map, A->nnz, 4) : NULL;
    lcl_buffer *bad = test_upload(ctx, &none, 1, sizeof none);
    lcl_buffer *start =
        test_upload(ctx, L->start, L->slices + 1, 2 * sizeof *L->start);
    lcl_buffer *to = test_poisoned(ctx, count, sizeof *given);
    lcl_buffer *sliced = test_poisoned(ctx, slots, sizeof *L->val);
    assert_int_equal(
        LCL_LAUNCH(get_kernel(src, "take_values"), 3, lcl_arg_long(A->rows),
                   lcl_arg_int(last_col(src)), lcl_arg_buffer(src->row_ptr),
                   lcl_arg_buffer(src->col), lcl_arg_buffer(start),
                   lcl_arg_buffer(sliced), lcl_arg_buffer(places),
                   lcl_arg_long(2), lcl_arg_buffer(from), lcl_arg_buffer(to),
                   lcl_arg_buffer(bad)),
        LCL_OK);
    test_download(bad, &flag, 1, sizeof flag);
    assert_int_equal(flag != 0, one && !isfinite(*one));
    if (!one) {
        expect_bytes(to, A->val, count, sizeof *given);
        expect_bytes(sliced, L->val, slots, sizeof *L->val);
    }
    lcl_buffer *const all[] = {from, places, bad, start, to, sliced};
    for (int i = 0; i < 6; ++i)
        lcl_buffer_destroy(&(lcl_buffer *){all[i]});
    free(given);
}

static void expect_all_taken(const struct source *src,
                             const struct lcl_ref_sliced *L)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, 5e-324};
    int32_t *map = test_random_permutation(src->A->nnz, 4);
    expect_taken(src, L, NULL, NULL);
    expect_taken(src, L, map, NULL);
    for (size_t b = 0; src->A->nnz > 0 && b < sizeof odd / sizeof *odd; ++b)
        expect_taken(src, L, map, &odd[b]);
    free(map);
}

static void expect_layout(lcl_context *ctx, const struct lcl_bsr *A, bool wide)
{
    struct source src;
    struct lcl_ref_sliced L;
    source_init(&src, ctx, A, wide);
    assert_int_equal(lcl_ref_sliced_create(&L, A, slice_rows(ctx), NULL),
                     LCL_OK);
    expect_counts(&src, &L);
    expect_places(&src, &L);
    expect_all_taken(&src, &L);
    lcl_ref_sliced_finish(&L);
    source_finish(&src);
}

static void test_sliced__slices_are_those_of_the_reference(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        struct lcl_bsr A = test_random_blocks(&S.A, 1 + i % 3, 5);
        expect_layout(*state, &A, i % 2);
        test_bsr_finish(&A);
        test_system_finish(&S);
    }
}

static void test_sliced__far_columns_are_those_of_the_reference(void **state)
{
    const int64_t tall = test_size(50, 40000);
    const int64_t sizes[][2] = {{67, FAR}, {tall, 9}, {tall, tall}, {9, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct lcl_csr pattern =
            test_stretched_csr(sizes[i][0], sizes[i][1], 3);
        struct lcl_bsr A = test_random_blocks(&pattern, 1 + (i == 0), 5);
        expect_layout(*state, &A, false);
        test_bsr_finish(&A);
        test_csr_finish(&pattern);
    }
}

// ------------------------------------------------------------------ products

static void open_product(struct test_product *p, lcl_context *ctx,
                         const struct lcl_bsr *A)
{
    test_product_init(p, ctx, A);
    assert_int_equal(lcl_device_matrix_init(&p->D, ctx, A), LCL_OK);
    assert_int_equal(lcl_spmv_init(&p->S, LCL_SPMV_SLICED, ctx, &p->D), LCL_OK);
    assert_int_equal(p->S.type, LCL_SPMV_SLICED);
    assert_true(p->S.bytes >= (uint64_t)A->nnz * 10);
    p->S.groups = TEST_PRODUCT_GROUPS;
}

static void expect_products(lcl_context *ctx, const struct lcl_csr *pattern,
                            int block)
{
    struct lcl_bsr A = test_random_blocks(pattern, block, 5);
    struct test_product p;
    open_product(&p, ctx, &A);
    test_product_expect_all(&p);
    test_product_finish(&p);
    test_bsr_finish(&A);
}

static void test_sliced__products_of_a_grid_match(void **state)
{
    struct lcl_csr A = test_laplacian(test_size(5, 17), 4, 3);
    expect_products(*state, &A, 1);
    test_csr_finish(&A);
}

static void test_sliced__products_with_far_columns_match(void **state)
{
    const int64_t tall = test_size(50, 40000);
    const int64_t sizes[][2] = {
        {67, FAR}, {tall, tall * 3 / 4}, {5, 1}, {1, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct lcl_csr A = test_stretched_csr(sizes[i][0], sizes[i][1], 4);
        expect_products(*state, &A, 1);
        test_csr_finish(&A);
    }
}

static void test_sliced__products_of_blocks_match(void **state)
{
    struct lcl_csr pattern = test_stretched_csr(test_size(21, 131), FAR, 6);
    // several lanes take long to compile
    const int step = test_width(*state) > 1 ? 3 : (int)test_size(3, 1);
    for (int b = 2; b <= LCL_BLOCK_MAX; b += step)
        expect_products(*state, &pattern, b);
    test_csr_finish(&pattern);
}

static void test_sliced__a_matrix_without_entries_gives_zero(void **state)
{
    const double none[9] = {0};
    struct lcl_csr A = test_csr_from_dense(3, none);
    expect_products(*state, &A, 1);
    test_csr_finish(&A);
}

static void test_sliced__as_many_slots_at_once_as_asked_for_match(void **state)
{
    static const int lengths[] = {1, 4, 6, 8, 15};
    const int64_t n = test_size(20, 50);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        struct lcl_csr A = test_random_csr(n, lengths[i], 2);
        struct lcl_bsr blocks = lcl_bsr_of_csr(&A);
        struct test_product p;
        open_product(&p, *state, &blocks);
        test_product_expect(&p, LCL_RESIDUAL);
        test_product_finish(&p);
        test_csr_finish(&A);
    }
}

static void test_sliced__several_columns_match(void **state)
{
    struct lcl_csr pattern = test_stretched_csr(test_size(21, 131), FAR, 6);
    for (int b = 1; b <= 3; b += 2) {
        struct lcl_bsr A = test_random_blocks(&pattern, b, 5);
        struct test_product p;
        open_product(&p, *state, &A);
        test_product_expect_many(&p, b == 1 ? 15 : 3);
        test_product_finish(&p);
        test_bsr_finish(&A);
    }
    test_csr_finish(&pattern);
}

static void test_sliced__new_values_are_taken(void **state)
{
    struct lcl_csr pattern = test_stretched_csr(test_size(21, 131), FAR, 6);
    struct lcl_bsr A = test_random_blocks(&pattern, 2, 5);
    struct test_product p;
    open_product(&p, *state, &A);
    for (int64_t k = 0; k < 4 * A.nnz; ++k)
        A.val[k] = 1 - A.val[k] * 3;
    lcl_bsr_multiply(&A, p.x, p.ax);
    assert_int_equal(
        lcl_buffer_write(p.D.val, A.val, 4 * (size_t)A.nnz * sizeof *A.val),
        LCL_OK);
    assert_int_equal(lcl_spmv_update(&p.S), LCL_OK);
    test_product_expect(&p, LCL_APPLY_DOT);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_sliced__rows_of_unequal_length_are_refused(void **state)
{
    struct lcl_csr pattern = test_dense_row(40, 7);
    const struct lcl_bsr A = lcl_bsr_of_csr(&pattern);
    struct lcl_device_matrix D;
    struct lcl_spmv S;
    const enum lcl_log_level level =
        lcl_context_set_log_level(*state, LCL_LOG_NONE);
    assert_int_equal(lcl_device_matrix_init(&D, *state, &A), LCL_OK);
    assert_int_equal(lcl_spmv_init(&S, LCL_SPMV_SLICED, *state, &D),
                     LCL_EUNSUPPORTED);
    lcl_spmv_finish(&S);
    lcl_device_matrix_finish(&D);
    lcl_context_set_log_level(*state, level);
    test_csr_finish(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliced__slices_are_those_of_the_reference),
        cmocka_unit_test(test_sliced__far_columns_are_those_of_the_reference),
        cmocka_unit_test(test_sliced__products_of_a_grid_match),
        cmocka_unit_test(test_sliced__products_with_far_columns_match),
        cmocka_unit_test(test_sliced__products_of_blocks_match),
        cmocka_unit_test(test_sliced__a_matrix_without_entries_gives_zero),
        cmocka_unit_test(test_sliced__as_many_slots_at_once_as_asked_for_match),
        cmocka_unit_test(test_sliced__several_columns_match),
        cmocka_unit_test(test_sliced__new_values_are_taken),
        cmocka_unit_test(test_sliced__rows_of_unequal_length_are_refused),
    };
    return test_device_run(tests);
}
