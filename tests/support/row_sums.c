// SPDX-License-Identifier: BSD-3-Clause
// Kernels that sum over the rows of a matrix.
#include "tests/support/row_sums.h"

#include "host/launch.h"
#include "lib/matrix/bsr.h"
#include "tests/support/device.h"

enum { GROUPS = 3, MOST = 14 };

void test_row_sums(double *sum, int count, lcl_context *ctx,
                   struct lcl_spec spec, const struct lcl_bsr *A, bool wide,
                   int lanes)
{
    double all[MOST * GROUPS];
    lcl_buffer *row_ptr = test_upload_row_ptr(ctx, A->row_ptr, A->rows, wide);
    lcl_buffer *col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    lcl_buffer *val =
        test_upload(ctx, A->val, A->nnz * lcl_block_values(A), sizeof *A->val);
    lcl_buffer *out = test_poisoned(ctx, count * GROUPS, sizeof *all);
    assert_true(count <= MOST);
    spec.group = test_group(ctx, 2);
    spec.block = A->block_size > 1 ? A->block_size : 0;
    spec.wide = wide;
    lcl_spec_set(&spec, "LANES_PER_ROW", lanes);
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), GROUPS,
                                lcl_arg_long(A->rows), lcl_arg_buffer(row_ptr),
                                lcl_arg_buffer(col), lcl_arg_buffer(val),
                                lcl_arg_buffer(out)),
                     LCL_OK);
    test_download(out, all, count * GROUPS, sizeof *all);
    for (int q = 0; q < count; ++q)
        sum[q] = 0;
    for (int k = 0; k < count * GROUPS; ++k)
        sum[k / GROUPS] += all[k];
    lcl_buffer_destroy(&row_ptr);
    lcl_buffer_destroy(&col);
    lcl_buffer_destroy(&val);
    lcl_buffer_destroy(&out);
}
