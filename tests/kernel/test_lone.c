// SPDX-License-Identifier: BSD-3-Clause
// lone.cl and the host's look without columns of lone rows, compared with the
// references.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/ref/lone.h"
#include "lib/ref/symmetry.h"
#include "lib/storage/lone.h"
#include "lib/storage/properties.h"

#include "cl/storage/properties.cl.h"

#include <stdlib.h>

// Zero couplings in every third row, zero entries in all of row 6.
static struct lcl_csr with_lone_rows(struct lcl_csr A)
{
    for (int64_t i = 0; i < A.rows; i += 3)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] != i || i == 6)
                A.val[k] = 0;
    return A;
}

// The device and the host; a sample of the latter may refute symmetry.
static void expect_asymmetry(lcl_context *ctx, const struct lcl_csr *A,
                             const struct lcl_device_matrix *D)
{
    double device[2], host[2], expected[2];
    struct lcl_csr aside = *A;
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    const struct lcl_properties_matrix M = lcl_properties_matrix_of(&B);
    aside.val = test_vector(A->nnz);
    lcl_ref_set_aside(aside.val, A);
    lcl_ref_symmetry(&aside, &expected[0], &expected[1]);
    assert_int_equal(lcl_lone_asymmetry(device, ctx, D), LCL_OK);
    test_expect_near("device", device, expected, 2, 1e-13 * expected[1]);
    assert_int_equal(lcl_properties_host_aside(host, &M, NULL), LCL_OK);
    if (host[0] != host[1])
        test_expect_near("host", host, expected, 1, 1e-13 * expected[1]);
    free(aside.val);
}

static void expect_solution(lcl_context *ctx, const struct lcl_csr *A,
                            const struct lcl_device_matrix *D)
{
    double *b = test_vector(A->rows), *x = test_vector(A->rows);
    double *got = test_vector(A->rows);
    for (int64_t i = 0; i < A->rows; ++i)
        b[i] = (double)(i % 7) - 3, x[i] = 100 + (double)i;
    lcl_buffer *from = test_upload(ctx, b, A->rows, sizeof *b);
    lcl_buffer *to = test_upload(ctx, x, A->rows, sizeof *x);
    assert_int_equal(lcl_lone_solve(ctx, D, from, to), LCL_OK);
    test_download(to, got, A->rows, sizeof *got);
    lcl_ref_solve_lone(x, A, b);
    test_expect_same("x", got, x, A->rows);
    lcl_buffer_destroy(&from);
    lcl_buffer_destroy(&to);
    free(b);
    free(x);
    free(got);
}

static void expect_reference(lcl_context *ctx, struct lcl_csr A)
{
    struct lcl_device_matrix D;
    test_upload_csr(&D, ctx, &A);
    expect_asymmetry(ctx, &A, &D);
    expect_solution(ctx, &A, &D);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

static void test_lone__kernels_are_the_reference(void **state)
{
    const int64_t n = test_size(48, 2400);
    expect_reference(*state, with_lone_rows(test_random_csr(n, 5, 1)));
    expect_reference(*state, with_lone_rows(test_laplacian(6, 5, 4)));
    expect_reference(*state, test_laplacian(4, 3, 2));
    expect_reference(*state, test_identity(1));
    expect_reference(*state, test_identity(9));
}

static struct lcl_properties look_at(lcl_context *ctx, struct lcl_csr A)
{
    struct lcl_device_matrix D;
    struct lcl_properties look;
    double sum[PROPERTIES_SUMS];
    test_upload_csr(&D, ctx, &A);
    assert_int_equal(lcl_properties_sums(sum, ctx, &D), LCL_OK);
    lcl_properties_from_sums(&look, sum);
    assert_false(look.aside);
    assert_int_equal(lcl_properties_aside(&look, ctx, &D), LCL_OK);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
    return look;
}

// Row 6 must not be empty: its diagonal entry is missing then.
static void test_lone__rows_are_set_aside(void **state)
{
    struct lcl_csr A = with_lone_rows(test_laplacian(2, 3, 1));
    struct lcl_properties look = look_at(*state, A);
    assert_true(look.symmetric && look.aside);
    assert_true(look.asymmetry <= LCL_SYMMETRY_TOLERANCE);
    look = look_at(*state, with_lone_rows(test_laplacian(6, 5, 4)));
    assert_false(look.symmetric || look.aside);
    A = with_lone_rows(test_laplacian(2, 3, 1));
    A.val[A.row_ptr[1]] *= 3; // to row 0, which is lone: of no account
    A.val[A.row_ptr[0]] = 1;
    look = look_at(*state, A);
    assert_true(look.symmetric && look.aside);
    A = with_lone_rows(test_laplacian(2, 3, 1));
    A.val[A.row_ptr[4]] *= 3; // to row 2, which is not
    look = look_at(*state, A);
    assert_false(look.symmetric || look.aside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lone__kernels_are_the_reference),
        cmocka_unit_test(test_lone__rows_are_set_aside),
    };
    return test_device_run(tests);
}
