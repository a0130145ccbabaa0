// SPDX-License-Identifier: BSD-3-Clause
// hec.cl compared with the reference of the format and with the plain product.
#include "tests/support/device.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/hec.h"
#include "lib/spmv/autotune.h"
#include "lib/spmv/hec.h"

#include <levelcl/published.h>

#include <stdlib.h>

// ------------------------------------------------------------------ layout

// A matrix on the device and in the reference's format, and results of kernels.
struct layout {
    struct test_product p;
    struct lcl_ref_hec ref;
    struct lcl_hec_split split;
    lcl_buffer *csr_ptr;
};

static lcl_buffer *upload_csr_ptr(const struct layout *L, lcl_context *ctx)
{
    const int64_t count = L->split.rows + 1;
    if (L->p.D.wide)
        return test_upload(ctx, L->split.csr_ptr, count, sizeof(int64_t));
    uint32_t *narrow = calloc((size_t)count, sizeof *narrow);
    assert_non_null(narrow);
    for (int64_t i = 0; i < count; ++i)
        narrow[i] = (uint32_t)L->split.csr_ptr[i];
    lcl_buffer *buffer = test_upload(ctx, narrow, count, sizeof *narrow);
    free(narrow);
    return buffer;
}

static struct lcl_csr as_csr(const struct lcl_bsr *A)
{
    return (struct lcl_csr){A->rows,    A->cols,    A->nnz,
                            A->row_ptr, A->col_ind, A->val};
}

static lcl_kernel *get_kernel(const struct layout *L, const char *name)
{
    const struct lcl_spec spec = {
        .source = "hec.cl",
        .kernel = name,
        .group = test_group(L->p.ctx, 2),
        .wide = L->p.D.wide,
    };
    return test_kernel(L->p.ctx, &spec);
}

// Compares the slots of rows; those that only align the columns stay poisoned.
static void expect_slots(const struct layout *L, const lcl_buffer *col,
                         const lcl_buffer *val)
{
    const int64_t stride = L->ref.stride, slots = L->ref.width * stride;
    int32_t *got_col = calloc((size_t)slots + 1, sizeof *got_col);
    double *got_val = test_vector(slots);
    assert_non_null(got_col);
    test_download(col, got_col, slots, sizeof *got_col);
    test_download(val, got_val, slots, sizeof *got_val);
    for (int64_t s = 0; s < slots; ++s) {
        if (s % stride >= L->ref.rows) {
            assert_int_equal(got_col[s], -1);
            continue;
        }
        assert_int_equal(got_col[s], L->ref.ell_col[s]);
        assert_true(got_val[s] == L->ref.ell_val[s]);
    }
    free(got_col);
    free(got_val);
}

static void expect_rest(const struct layout *L, const lcl_buffer *col,
                        const lcl_buffer *val)
{
    const struct lcl_csr *rest = &L->ref.rest;
    double *got = test_vector(rest->nnz);
    test_expect_words("columns", col, rest->col_ind, rest->nnz);
    test_download(val, got, rest->nnz, sizeof *got);
    test_expect_same("values", got, rest->val, rest->nnz);
    free(got);
}

static void convert(const struct layout *L, int32_t spare)
{
    const struct lcl_device_matrix *D = &L->p.D;
    const int64_t slots = L->ref.width * L->ref.stride;
    const int64_t rest = L->ref.rest.nnz;
    const struct lcl_arg n = lcl_arg_long(D->n);
    const struct lcl_arg width = lcl_arg_int((int32_t)L->ref.width);
    const struct lcl_arg stride = lcl_arg_long(L->ref.stride);
    lcl_context *ctx = L->p.ctx;
    lcl_buffer *ell_col = test_poisoned(ctx, slots, sizeof(int32_t));
    lcl_buffer *ell_val = test_poisoned(ctx, slots, sizeof(double));
    lcl_buffer *csr_col = test_poisoned(ctx, rest, sizeof(int32_t));
    lcl_buffer *csr_val = test_poisoned(ctx, rest, sizeof(double));
    assert_int_equal(
        LCL_LAUNCH(get_kernel(L, "hec_columns"), 3, n, width, stride,
                   lcl_arg_int(spare), lcl_arg_buffer(D->row_ptr),
                   lcl_arg_buffer(D->col), lcl_arg_buffer(L->csr_ptr),
                   lcl_arg_buffer(ell_col), lcl_arg_buffer(csr_col)),
        LCL_OK);
    assert_int_equal(
        LCL_LAUNCH(get_kernel(L, "hec_values"), 3, n, width, stride,
                   lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->val),
                   lcl_arg_buffer(L->csr_ptr), lcl_arg_buffer(ell_val),
                   lcl_arg_buffer(csr_val)),
        LCL_OK);
    expect_slots(L, ell_col, ell_val);
    expect_rest(L, csr_col, csr_val);
    lcl_buffer_destroy(&ell_col);
    lcl_buffer_destroy(&ell_val);
    lcl_buffer_destroy(&csr_col);
    lcl_buffer_destroy(&csr_val);
}

static void expect_layout(lcl_context *ctx, const struct lcl_csr *pattern,
                          int64_t width, int kept, bool wide)
{
    struct lcl_bsr A = test_random_blocks(pattern, 1, 5);
    const struct lcl_csr csr = as_csr(&A);
    const int32_t spare = kept ? (int32_t)A.rows : 0;
    struct layout L;
    test_product_init(&L.p, ctx, &A);
    test_product_upload(&L.p, wide);
    assert_int_equal(
        lcl_hec_split_init(&L.split, A.row_ptr, A.rows, kept, width, NULL),
        LCL_OK);
    assert_int_equal(
        lcl_ref_hec_create(&L.ref, &csr, L.split.width, kept, spare, NULL),
        LCL_OK);
    for (int64_t i = 0; i <= A.rows; ++i)
        assert_int_equal(L.split.csr_ptr[i], L.ref.rest.row_ptr[i]);
    L.csr_ptr = upload_csr_ptr(&L, ctx);
    convert(&L, spare);
    lcl_buffer_destroy(&L.csr_ptr);
    lcl_hec_split_finish(&L.split);
    lcl_ref_hec_finish(&L.ref);
    test_product_finish(&L.p);
    test_bsr_finish(&A);
}

static void test_hec__parts_are_those_of_the_reference(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_layout(*state, &S.A, 0, 0, i % 2);
        expect_layout(*state, &S.A, 0, 1, i % 2 == 0);
        test_system_finish(&S);
    }
}

// Lengths below, at and above the width, also with a kept entry; empty rows.
static void test_hec__a_given_width_divides_the_rows(void **state)
{
    static const int64_t length[] = {3, 0, 5, 1, 4, 0, 90, 2, 3};
    static const int64_t width[] = {1, 3, 4, 89};
    struct lcl_csr A = test_rows_of_lengths(9, 90, length);
    for (size_t i = 0; i < sizeof width / sizeof *width; ++i)
        for (int kept = 0; kept < 2; ++kept)
            expect_layout(*state, &A, width[i], kept, kept);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ products

static void test_hec__every_matrix_matches(void **state)
{
    test_product_expect_systems(*state, LCL_SPMV_HEC, false);
}

static void test_hec__rows_of_any_length_match(void **state)
{
    static const int64_t uneven[] = {16, 17, 0, 1, 70, 15, 33, 2, 0, 18};
    static const int64_t empty[] = {0, 0, 0};
    static const int64_t equal[] = {90, 90};
    test_product_expect_lengths(*state, LCL_SPMV_HEC, 10, 90, uneven, true);
    test_product_expect_lengths(*state, LCL_SPMV_HEC, 3, 90, empty, false);
    test_product_expect_lengths(*state, LCL_SPMV_HEC, 2, 90, equal, false);
}

static void expect_width(lcl_context *ctx, const struct lcl_bsr *A, int width,
                         const char *expected)
{
    struct test_product p;
    test_product_init(&p, ctx, A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_hec_study(&p.S, ctx, &p.D, width), LCL_OK);
    assert_int_equal(lcl_spmv_create(&p.S), LCL_OK);
    assert_string_equal(p.S.traits, expected);
    test_product_expect_all(&p);
    test_product_expect_many(&p, 3);
    test_product_finish(&p);
}

// One dense row, its width chosen or given.
static void test_hec__any_width_gives_the_product(void **state)
{
    const int n = (int)test_size(41, 4001);
    struct lcl_csr pattern = test_dense_row(n, 7);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    expect_width(*state, &A, 0, "width 1");
    expect_width(*state, &A, 1, "width 1");
    expect_width(*state, &A, 2, "width 2");
    expect_width(*state, &A, 41, "width 41");
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_hec__new_values_are_taken(void **state)
{
    struct lcl_csr pattern = test_stretched_csr(70, 50, 3);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    struct lcl_bsr B = test_random_blocks(&pattern, 1, 6);
    struct test_product p;
    test_product_init(&p, *state, &B);
    p.A = &A;
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_HEC, *state, &p.D), LCL_OK);
    assert_int_equal(
        lcl_buffer_write(p.D.val, B.val, (size_t)B.nnz * sizeof *B.val),
        LCL_OK);
    assert_int_equal(lcl_spmv_update(&p.S), LCL_OK);
    test_product_expect_all(&p);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_bsr_finish(&B);
    test_csr_finish(&pattern);
}

static void test_hec__sizes_beyond_the_device_are_refused(void **state)
{
    int64_t rest[] = {0, 0, 0, 0};
    const struct lcl_hec_split wide = {
        .rows = 3, .width = INT32_MAX, .csr_ptr = rest};
    struct lcl_csr pattern = test_identity(3);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    struct test_product p;
    struct lcl_hec H;
    test_product_init(&p, *state, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_hec_init(&H, *state, &p.D, &wide, 0), LCL_EDEVMEM);
    lcl_hec_finish(&H);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_hec__blocks_are_refused(void **state)
{
    (void)state;
    test_product_expect_no_blocks(
        LCL_SPMV_HEC, "the HEC product requires block size 1, but the "
                      "matrix is stored in blocks of 2 rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hec__parts_are_those_of_the_reference),
        cmocka_unit_test(test_hec__a_given_width_divides_the_rows),
        cmocka_unit_test(test_hec__every_matrix_matches),
        cmocka_unit_test(test_hec__rows_of_any_length_match),
        cmocka_unit_test(test_hec__any_width_gives_the_product),
        cmocka_unit_test(test_hec__new_values_are_taken),
        cmocka_unit_test(test_hec__sizes_beyond_the_device_are_refused),
        cmocka_unit_test(test_hec__blocks_are_refused),
    };
    return test_device_run(tests);
}
