// SPDX-License-Identifier: BSD-3-Clause
// A matrix on the device.
#include "lib/spmv/spmv.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/format/bsr.h"

// Lanes of a row: the power of two below the mean length, so that most lanes
// of most rows have work.
static int lanes_of_row(const struct lcl_caps *caps, const struct lcl_bsr *A)
{
    const int64_t mean = A->rows ? A->nnz / A->rows : 0;
    int lanes = 1;
    while (2 * lanes <= mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

// Lanes of a block row: one an entry of a block where a wave has so many, so
// that a block is read in one piece; else one a row.
static int lanes_of_block_row(const struct lcl_caps *caps,
                              const struct lcl_bsr *A)
{
    if (caps->width == 1)
        return 1;
    if (lcl_block_values(A) <= caps->width)
        return lcl_block_values(A);
    return A->block_size <= lcl_vector_group(caps) ? A->block_size : 1;
}

// Row pointers of 64 bits: 32 would do for the last few numbers, too, but lanes
// step past the end of a row.
static bool is_wide(const struct lcl_bsr *A)
{
    return A->nnz > UINT32_MAX - 1024;
}

static struct lcl_spec spec_of(const struct lcl_caps *caps,
                               const struct lcl_bsr *A)
{
    const bool scalar = A->block_size == 1;
    return (struct lcl_spec){
        .source = scalar ? "csr.cl" : "bsr.cl",
        .group = lcl_vector_group(caps),
        .lanes = scalar ? lanes_of_row(caps, A) : lanes_of_block_row(caps, A),
        .block = scalar ? 0 : A->block_size,
        .wide = is_wide(A),
    };
}

static enum lcl_status get_kernels(struct lcl_device_matrix *D,
                                   lcl_context *ctx, const struct lcl_bsr *A)
{
    static const char *const names[2][LCL_SPMV_COUNT] = {
        {
            [LCL_SPMV_PLAIN] = "csr_plain",
            [LCL_SPMV_DOT] = "csr_dot",
            [LCL_SPMV_DOT_NORM] = "csr_dot_norm",
            [LCL_SPMV_RESIDUAL] = "csr_residual",
        },
        {
            [LCL_SPMV_PLAIN] = "bsr_plain",
            [LCL_SPMV_DOT] = "bsr_dot",
            [LCL_SPMV_DOT_NORM] = "bsr_dot_norm",
            [LCL_SPMV_RESIDUAL] = "bsr_residual",
        },
    };
    struct lcl_spec spec = spec_of(lcl_context_caps(ctx), A);
    enum lcl_status st = LCL_OK;
    for (int m = 0; m < LCL_SPMV_COUNT && st == LCL_OK; ++m) {
        spec.kernel = names[A->block_size > 1][m];
        st = lcl_kernel_get(&D->kernels[m], ctx, &spec);
    }
    return st;
}

static enum lcl_status upload_row_ptr(struct lcl_device_matrix *D,
                                      lcl_context *ctx, const struct lcl_bsr *A)
{
    const char *what = "row pointers";
    if (is_wide(A))
        return lcl_buffer_create_from(&D->row_ptr, ctx, A->row_ptr, A->rows + 1,
                                      sizeof(int64_t), what);
    uint32_t *narrow = lcl_malloc((size_t)A->rows + 1, sizeof *narrow);
    if (!narrow)
        return lcl_fail_memory(lcl_context_log(ctx), what);
    for (int64_t i = 0; i <= A->rows; ++i)
        narrow[i] = (uint32_t)A->row_ptr[i];
    const enum lcl_status st = lcl_buffer_create_from(
        &D->row_ptr, ctx, narrow, A->rows + 1, sizeof *narrow, what);
    lcl_free(narrow);
    return st;
}

enum lcl_status lcl_device_matrix_init(struct lcl_device_matrix *D,
                                       lcl_context *ctx,
                                       const struct lcl_bsr *A)
{
    enum lcl_status st;
    *D = (struct lcl_device_matrix){
        .n = A->rows * A->block_size,
        .block = A->block_size,
        .block_rows = A->rows,
        .blocks = A->nnz,
        .groups = lcl_vector_groups(lcl_context_caps(ctx)),
    };
    if ((st = get_kernels(D, ctx, A)) < 0 ||
        (st = upload_row_ptr(D, ctx, A)) < 0 ||
        (st = lcl_buffer_create_from(&D->col, ctx, A->col_ind, A->nnz,
                                     sizeof(int32_t), "columns")) < 0 ||
        (st = lcl_buffer_create_from(&D->val, ctx, A->val,
                                     A->nnz * lcl_block_values(A),
                                     sizeof(double), "values")) < 0)
        lcl_device_matrix_finish(D);
    return st;
}

void lcl_device_matrix_finish(struct lcl_device_matrix *D)
{
    lcl_buffer_destroy(&D->val);
    lcl_buffer_destroy(&D->col);
    lcl_buffer_destroy(&D->row_ptr);
}

enum lcl_status lcl_spmv(const struct lcl_device_matrix *D,
                         enum lcl_spmv_mode mode, const lcl_buffer *x,
                         const lcl_buffer *w, lcl_buffer *y, lcl_buffer *sums,
                         const lcl_buffer *stop, int at)
{
    return LCL_LAUNCH(D->kernels[mode], D->groups, lcl_arg_long(D->block_rows),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->val), lcl_arg_buffer(x),
                      lcl_arg_buffer(w), lcl_arg_buffer(y),
                      lcl_arg_buffer(sums), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}
