// SPDX-License-Identifier: BSD-3-Clause
// The natural block size of a matrix on the device.
#include "lib/storage/natural_block.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"

// The host inspects the first rows if they have at most this many entries.
enum { HEAD_MOST = 1 << 16 };

// Elements per group: few, so that most groups start after the first mismatch
// is known.
enum { GROUP_SHARE = 4096 };

// The sizes that the counts allow, as bits.
static uint32_t allowed_by_counts(const struct lcl_device_matrix *A)
{
    uint32_t sizes = 0;
    for (int b = 2; b <= LCL_BLOCK_MAX; ++b)
        if (A->block_rows % b == 0 && A->block_cols % b == 0 &&
            A->blocks % (b * b) == 0)
            sizes |= 1u << b;
    return A->blocks > 0 && A->blocks <= UINT32_MAX ? sizes : 0;
}

// The pattern of A's first rows; only row pointers if they have too many
// entries.
static enum lcl_status read_head(struct lcl_bsr *H, lcl_context *ctx,
                                 const struct lcl_device_matrix *A)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_device_matrix head = *A;
    if (head.block_rows > LCL_BLOCK_MAX)
        head.block_rows = LCL_BLOCK_MAX;
    head.blocks = 0;
    const enum lcl_status st = lcl_device_matrix_read(H, &head, false, log);
    if (st < 0)
        return st;
    head.blocks = H->row_ptr[head.block_rows];
    if (head.blocks > HEAD_MOST)
        return LCL_OK;
    lcl_bsr_finish(H);
    return lcl_device_matrix_read(H, &head, false, log);
}

// Removes the sizes that the first rows rule out from *sizes. Most matrices
// without blocks have no size left and need no kernel.
static enum lcl_status inspect_head(uint32_t *sizes, lcl_context *ctx,
                                    const struct lcl_device_matrix *A)
{
    struct lcl_bsr H;
    const enum lcl_status st = read_head(&H, ctx, A);
    const bool complete = st == LCL_OK && H.nnz == H.row_ptr[H.rows];
    for (int b = 2; b <= LCL_BLOCK_MAX && complete; ++b) {
        struct lcl_csr rows = lcl_bsr_pattern(&H);
        rows.rows = b;
        if (*sizes >> b & 1 && !lcl_csr_has_blocks(&rows, b))
            *sizes &= ~(1u << b);
    }
    lcl_bsr_finish(&H);
    return st;
}

static enum lcl_status refuse(lcl_buffer *refused, uint32_t candidates,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A)
{
    const struct lcl_spec spec = {
        .source = "natural_block.cl",
        .kernel = "natural_block",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .wide = A->wide,
    };
    const int shift = lcl_row_shift(ctx, A->blocks / A->block_rows);
    const int64_t groups =
        lcl_launch_groups(A->block_rows << shift, GROUP_SHARE, spec.group);
    lcl_kernel *kernel;
    enum lcl_status st = lcl_kernel_get(&kernel, ctx, &spec);
    for (int b = LCL_BLOCK_MAX; b > 1 && st == LCL_OK; --b)
        if (candidates >> b & 1)
            st = LCL_LAUNCH(kernel, groups, lcl_arg_long(A->block_rows),
                            lcl_arg_int(shift), lcl_arg_int(b),
                            lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                            lcl_arg_buffer(refused));
    return st;
}

// Reduces *sizes, not 0, to the natural block size.
static enum lcl_status inspect_all(uint32_t *sizes, lcl_context *ctx,
                                   const struct lcl_device_matrix *A)
{
    uint32_t bits = ~*sizes;
    lcl_buffer *refused;
    enum lcl_status st = lcl_buffer_create_from(&refused, ctx, &bits, 1,
                                                sizeof bits, "block sizes");
    if (st < 0)
        return st;
    if ((st = refuse(refused, *sizes, ctx, A)) == LCL_OK)
        st = lcl_buffer_read(refused, &bits, sizeof bits);
    lcl_buffer_destroy(&refused);
    *sizes = ~bits;
    return st;
}

enum lcl_status lcl_natural_block(int *block, lcl_context *ctx,
                                  const struct lcl_device_matrix *A)
{
    uint32_t sizes = allowed_by_counts(A);
    enum lcl_status st = LCL_OK;
    *block = 1;
    if ((sizes && (st = inspect_head(&sizes, ctx, A)) < 0) ||
        (sizes && (st = inspect_all(&sizes, ctx, A)) < 0))
        return st;
    for (int b = 2; b <= LCL_BLOCK_MAX; ++b)
        if (sizes >> b & 1)
            *block = b;
    return LCL_OK;
}
