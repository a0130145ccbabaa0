// SPDX-License-Identifier: BSD-3-Clause
// symmetry.cl compared with two products with the matrix.
#include "tests/support/device.h"
#include "tests/support/row_sums.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/symmetry.h"

#include <math.h>
#include <stdlib.h>

static const struct lcl_spec spec = {.source = "symmetry.cl",
                                     .kernel = "symmetry"};

static void expect_measure(lcl_context *ctx, struct lcl_csr A, int block,
                           bool wide, int lanes)
{
    double got[2], expected[2];
    int64_t *place;
    struct lcl_bsr B;
    assert_int_equal(lcl_bsr_from_csr_placed(&B, &place, &A, block, NULL),
                     LCL_OK);
    test_row_sums(got, 2, ctx, spec, &B, wide, lanes);
    lcl_ref_symmetry(&A, &expected[0], &expected[1]);
    test_expect_near("difference and scale", got, expected, 2,
                     1e-13 * expected[1]);
    lcl_free(place);
    lcl_bsr_finish(&B);
    test_csr_finish(&A);
}

static void test_symmetry__sums_are_those_of_two_products(void **state)
{
    static const int blocks[] = {1, 2, 3, 8};
    const int64_t n = test_size(48, 2400);
    const int width = lcl_context_caps(*state)->width;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b)
        for (int lanes = 1; lanes <= width; lanes *= 2) {
            expect_measure(*state, test_random_csr(n, 5, 1), blocks[b], false,
                           lanes);
            expect_measure(*state, test_random_csr(n, 5, 2), blocks[b], true,
                           lanes);
        }
    expect_measure(*state, test_identity(1), 1, false, 1);
}

// A diagonal cancels exactly, pairs of entries up to rounding.
static void test_symmetry__symmetric_matrices_leave_rounding(void **state)
{
    double sums[2];
    struct lcl_csr A = test_laplacian(7, 5, 3);
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    test_row_sums(sums, 2, *state, spec, &B, false, 1);
    assert_true(fabs(sums[0]) <= 1e-14 * sums[1]);
    A.val[1] *= 1 + 1e-6;
    test_row_sums(sums, 2, *state, spec, &B, false, 1);
    assert_true(fabs(sums[0]) >= 1e-11 * sums[1]);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetry__sums_are_those_of_two_products),
        cmocka_unit_test(test_symmetry__symmetric_matrices_leave_rounding),
    };
    return test_device_run(tests);
}
