// SPDX-License-Identifier: BSD-3-Clause
// symmetry.cl compared with two products with the matrix.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/symmetry.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS = 3 };

static lcl_kernel *kernel_of(lcl_context *ctx, int block, bool wide, int lanes)
{
    const struct lcl_spec spec = {
        .source = "symmetry.cl",
        .kernel = "symmetry",
        .group = test_group(ctx, 2),
        .block = block > 1 ? block : 0,
        .wide = wide,
        .defines = {{"LANES_PER_ROW", lanes}},
    };
    return test_kernel(ctx, &spec);
}

// The difference and its scale, as summed by the device.
static void measure(lcl_context *ctx, const struct lcl_bsr *A, bool wide,
                    int lanes, double *sums)
{
    double all[2 * GROUPS];
    lcl_buffer *row_ptr = test_upload_row_ptr(ctx, A->row_ptr, A->rows, wide);
    lcl_buffer *col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    lcl_buffer *val =
        test_upload(ctx, A->val, A->nnz * lcl_block_values(A), sizeof *A->val);
    lcl_buffer *out = test_poisoned(ctx, 2 * GROUPS, sizeof *all);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, A->block_size, wide, lanes),
                                GROUPS, lcl_arg_long(A->rows),
                                lcl_arg_buffer(row_ptr), lcl_arg_buffer(col),
                                lcl_arg_buffer(val), lcl_arg_buffer(out)),
                     LCL_OK);
    test_download(out, all, 2 * GROUPS, sizeof *all);
    sums[0] = sums[1] = 0;
    for (int g = 0; g < 2 * GROUPS; ++g)
        sums[g / GROUPS] += all[g];
    lcl_buffer_destroy(&row_ptr);
    lcl_buffer_destroy(&col);
    lcl_buffer_destroy(&val);
    lcl_buffer_destroy(&out);
}

static void expect_measure(lcl_context *ctx, struct lcl_csr A, int block,
                           bool wide, int lanes)
{
    double got[2], expected[2];
    int64_t *place;
    struct lcl_bsr B;
    assert_int_equal(lcl_bsr_from_csr_placed(&B, &place, &A, block, NULL),
                     LCL_OK);
    measure(ctx, &B, wide, lanes, got);
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
    measure(*state, &B, false, 1, sums);
    assert_true(fabs(sums[0]) <= 1e-14 * sums[1]);
    A.val[1] *= 1 + 1e-6;
    measure(*state, &B, false, 1, sums);
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
