// SPDX-License-Identifier: BSD-3-Clause
// diagonal.cl against a search and the reference of Jacobi on the host.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/matrix/csr.h"
#include "lib/ref/jacobi.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS = 3 };

static void expect_places(lcl_context *ctx, const struct lcl_csr *A, int block,
                          bool wide)
{
    const struct lcl_spec spec = {
        .source = "diagonal.cl",
        .kernel = "diagonal_places",
        .group = test_group(ctx, 2),
        .block = block > 1 ? block : 0,
        .wide = wide,
    };
    const int64_t n = A->rows * block;
    int64_t *got = calloc((size_t)n, sizeof *got);
    lcl_buffer *row_ptr, *col, *place = test_poisoned(ctx, n, sizeof *got);
    assert_non_null(got);
    if (wide)
        row_ptr = test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t));
    else
        assert_int_equal(lcl_buffer_create_narrow(&row_ptr, ctx, A->row_ptr,
                                                  A->rows + 1, "row pointers"),
                         LCL_OK);
    col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), GROUPS,
                                lcl_arg_long(A->rows), lcl_arg_buffer(row_ptr),
                                lcl_arg_buffer(col), lcl_arg_buffer(place)),
                     LCL_OK);
    test_download(place, got, n, sizeof *got);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t k = lcl_csr_find(A, i / block, i / block);
        const int64_t r = i % block;
        assert_int_equal(got[i], k < 0 ? -1 : (k * block + r) * block + r);
    }
    lcl_buffer_destroy(&row_ptr);
    lcl_buffer_destroy(&col);
    lcl_buffer_destroy(&place);
    free(got);
}

static void test_diagonal__places_are_found(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_places(*state, &S.A, 1, false);
        expect_places(*state, &S.A, 3, true);
        test_system_finish(&S);
    }
}

static void test_diagonal__missing_entries_are_marked(void **state)
{
    const double dense[] = {0, 1, 0, 1, 2, 0, 0, 0, 0};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    struct lcl_csr wide = test_stretched_csr(31, 31, 4);
    expect_places(*state, &A, 1, false);
    expect_places(*state, &A, 2, false);
    expect_places(*state, &wide, 1, true);
    test_csr_finish(&A);
    test_csr_finish(&wide);
}

// ------------------------------------------------------------------ absolute

// Runs the kernel on a matrix in blocks of `block`; wide row pointers.
static void invert(lcl_context *ctx, int block, int64_t block_rows,
                   const int64_t *row_ptr, const int32_t *col,
                   const double *val, const int64_t *place, double *inv_d)
{
    const struct lcl_spec spec = {
        .source = "diagonal.cl",
        .kernel = "invert_absolute",
        .group = test_group(ctx, 2),
        .block = block > 1 ? block : 0,
        .wide = true,
    };
    const int64_t n = block_rows * block, blocks = row_ptr[block_rows];
    lcl_buffer *all[] = {
        test_upload(ctx, row_ptr, block_rows + 1, sizeof *row_ptr),
        test_upload(ctx, col, blocks, sizeof *col),
        test_upload(ctx, val, blocks * block * block, sizeof *val),
        test_upload(ctx, place, n, sizeof *place),
        test_poisoned(ctx, n, sizeof *inv_d),
    };
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), GROUPS,
                                lcl_arg_long(n), lcl_arg_buffer(all[0]),
                                lcl_arg_buffer(all[1]), lcl_arg_buffer(all[2]),
                                lcl_arg_buffer(all[3]), lcl_arg_buffer(all[4])),
                     LCL_OK);
    test_download(all[4], inv_d, n, sizeof *inv_d);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(&all[i]);
}

// Compares with the reference; *last receives the last element.
static void expect_absolute(lcl_context *ctx, const struct lcl_csr *A,
                            double *last)
{
    const int64_t n = A->rows;
    double *expected = test_vector(n), *inv_d = test_vector(n);
    int64_t *place = calloc((size_t)n, sizeof *place);
    assert_non_null(place);
    for (int64_t i = 0; i < n; ++i)
        place[i] = lcl_csr_find(A, i, i);
    lcl_ref_jacobi_absolute(A, expected);
    invert(ctx, 1, n, A->row_ptr, A->col_ind, A->val, place, inv_d);
    test_expect_near("1/d", inv_d, expected, n, 1e-14);
    *last = inv_d[n - 1];
    free(expected);
    free(inv_d);
    free(place);
}

static void test_diagonal__small_entries_are_replaced(void **state)
{
    // 1 / |a_22|, or 1 / (2^2 / 4 + 3^2 / 2) if a_22 is small; nothing but
    // zeros; a neighbour that is too small; a number without an inverse
    const struct {
        double dense[9], last;
    } cases[] = {
        {{4, 0, 2, 0, -2, 3, 2, 3, -0.5}, 2},
        {{4, 0, 2, 0, -2, 3, 2, 3, 0.02}, 1 / 5.5},
        {{4, 0, 2, 0, -2, 3, 2, 3, 0}, 1 / 5.5},
        {{0, 0, 1, 0, 0, 1, 1, 1, 0}, 1},
        {{4, 0, 2, 0, 1e-9, 3, 2, 3, 0}, 1},
        {{1, 0, 0, 0, 1, 0, 0, 0, 1e-310}, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        struct lcl_csr A = test_csr_from_dense(3, cases[k].dense);
        double last;
        expect_absolute(*state, &A, &last);
        assert_true(fabs(last - cases[k].last) <= 1e-15);
        test_csr_finish(&A);
    }
}

static void test_diagonal__absolute_form_matches_the_reference(void **state)
{
    double last;
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        for (int64_t row = 0; row < S.A.rows; row += 3) {
            const int64_t k = lcl_csr_find(&S.A, row, row);
            if (k >= 0)
                S.A.val[k] *= row % 2 ? -1e-3 : 0;
        }
        expect_absolute(*state, &S.A, &last);
        test_system_finish(&S);
    }
}

// Entries of the other rows of a block count, too.
static void test_diagonal__absolute_form_of_blocks(void **state)
{
    // rows [2 1 0 0], [1 0 3 8], [0 0 0 0] and [0 0 0 -4], blocks by rows
    const int64_t row_ptr[] = {0, 2, 3}, place[] = {0, 3, 8, 11};
    const int32_t col[] = {0, 1, 1};
    const double val[] = {2, 1, 1, 0, 0, 0, 3, 8, 0, 0, 0, -4};
    const double expected[] = {0.5, 1 / (1 / 2.0 + 64 / 4.0), 1, 0.25};
    double inv_d[4];
    invert(*state, 2, 2, row_ptr, col, val, place, inv_d);
    test_expect_near("1/d", inv_d, expected, 4, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagonal__places_are_found),
        cmocka_unit_test(test_diagonal__missing_entries_are_marked),
        cmocka_unit_test(test_diagonal__small_entries_are_replaced),
        cmocka_unit_test(test_diagonal__absolute_form_matches_the_reference),
        cmocka_unit_test(test_diagonal__absolute_form_of_blocks),
    };
    return test_device_run(tests);
}
