// SPDX-License-Identifier: BSD-3-Clause
// The product that reads a matrix as it is stored: csr.cl and bsr.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/spmv.h"

struct rows {
    lcl_kernel *kernels[LCL_PRODUCT_COUNT];
};

// Lanes of a row: the power of two below the mean length, so that most lanes
// of most rows have work.
static int lanes_of_row(const struct lcl_caps *caps,
                        const struct lcl_device_matrix *A)
{
    const int64_t mean = A->block_rows ? A->blocks / A->block_rows : 0;
    int lanes = 1;
    while (2 * lanes <= mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

// Lanes of a block row: one an entry of a block where a wave has so many, so
// that a block is read in one piece; else one a row.
static int lanes_of_block_row(const struct lcl_caps *caps,
                              const struct lcl_device_matrix *A)
{
    const int values = A->block * A->block;
    if (caps->width == 1)
        return 1;
    if (values <= caps->width)
        return values;
    return A->block <= lcl_vector_group(caps) ? A->block : 1;
}

static struct lcl_spec spec_of(const struct lcl_caps *caps,
                               const struct lcl_device_matrix *A)
{
    const bool scalar = A->block == 1;
    return (struct lcl_spec){
        .source = scalar ? "csr.cl" : "bsr.cl",
        .group = lcl_vector_group(caps),
        .lanes = scalar ? lanes_of_row(caps, A) : lanes_of_block_row(caps, A),
        .block = scalar ? 0 : A->block,
        .wide = A->wide,
    };
}

static enum lcl_status create(struct lcl_spmv *S, lcl_context *ctx)
{
    const struct lcl_spec spec = spec_of(lcl_context_caps(ctx), S->A);
    struct rows *R = S->state = lcl_calloc(1, sizeof *R);
    if (!R)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    return lcl_product_kernels(R->kernels, ctx, &spec,
                               S->A->block > 1 ? "bsr" : "csr");
}

static enum lcl_status multiply(const struct lcl_spmv *S,
                                enum lcl_product product,
                                const struct lcl_operands *v)
{
    const struct rows *R = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(R->kernels[product], S->groups,
                      lcl_arg_long(A->block_rows), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->w),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static void destroy(struct lcl_spmv *S)
{
    lcl_free(S->state);
}

const struct lcl_spmv_ops lcl_spmv_csr = {create, NULL, multiply, destroy};
