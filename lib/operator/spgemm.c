// SPDX-License-Identifier: BSD-3-Clause
// The product of sparse matrices on the device (cl/operator/spgemm.cl).
#include "lib/operator/spgemm.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/prefix_sum.h"

// Lanes that share a row with `mean` entries to loop over.
static int lanes_for(const struct lcl_caps *caps, int64_t mean)
{
    int lanes = 1;
    while (lanes < mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

static int64_t mean_length(const struct lcl_device_matrix *A)
{
    return A->block_rows > 0 ? A->blocks / A->block_rows : 0;
}

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *name, int group, int lanes)
{
    const struct lcl_spec spec = {.source = "spgemm.cl",
                                  .kernel = name,
                                  .group = group,
                                  .defines = {{"LANES_PER_ROW", lanes}}};
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status check(const struct lcl_device_matrix *A,
                             const struct lcl_device_matrix *B,
                             const struct lcl_log *log)
{
    if (A->block > 1 || B->block > 1)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "a sparse product requires block size 1, not %d",
                        A->block > 1 ? A->block : B->block);
    if (A->block_cols != B->block_rows)
        return lcl_fail(log, LCL_EINVAL,
                        "a sparse product of %lld columns and %lld rows",
                        (long long)A->block_cols, (long long)B->block_rows);
    if (A->wide || B->wide)
        return lcl_refuse_wide(A->wide ? A->blocks : B->blocks,
                               "a sparse product", log);
    return LCL_OK;
}

// ------------------------------------------------------------------- kernels

// Marks of the columns for each group, at width 1.
static enum lcl_status make_marks(lcl_buffer **marks, lcl_context *ctx,
                                  const struct lcl_device_matrix *B,
                                  int64_t groups)
{
    const enum lcl_status st =
        lcl_buffer_create(marks, ctx, groups * B->block_cols, sizeof(int32_t),
                          "marks of columns");
    return st < 0 ? st : lcl_buffer_fill(*marks, 0xff);
}

// One of the kernels over the rows of A; what it does not use may be NULL.
static enum lcl_status launch(const char *name,
                              const struct lcl_device_matrix *C,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A,
                              const struct lcl_device_matrix *B,
                              lcl_buffer *count)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int lanes = lanes_for(caps, mean_length(A)), group = caps->width;
    const bool serial = group == 1;
    const int64_t groups =
        serial ? A->groups
               : lcl_launch_groups(A->block_rows, group / lanes, group);
    lcl_buffer *marks = NULL;
    lcl_kernel *kernel;
    enum lcl_status st = get_kernel(&kernel, ctx, name, group, lanes);
    if (st == LCL_OK && serial)
        st = make_marks(&marks, ctx, B, groups);
    if (st == LCL_OK)
        st = LCL_LAUNCH(kernel, groups, lcl_arg_long(A->block_rows),
                        lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                        lcl_arg_buffer(A->val), lcl_arg_buffer(B->row_ptr),
                        lcl_arg_buffer(B->col), lcl_arg_buffer(B->val),
                        lcl_arg_buffer(count), lcl_arg_buffer(C->row_ptr),
                        lcl_arg_buffer(C->col), lcl_arg_buffer(C->val),
                        lcl_arg_buffer(marks),
                        lcl_arg_long(serial ? B->block_cols : 0));
    lcl_buffer_destroy(&marks);
    return st;
}

// ------------------------------------------------------------------- product

// Row pointers from the numbers of entries of the rows; reads their sum.
static enum lcl_status scan(struct lcl_device_matrix *C, lcl_context *ctx,
                            lcl_buffer *count)
{
    struct lcl_prefix_sum S;
    uint32_t entries = 0;
    enum lcl_status st = lcl_prefix_sum_init(&S, ctx);
    const struct lcl_summands what = {.n = C->block_rows,
                                      .in = count,
                                      .kind = LCL_SUM_NUMBERS,
                                      .n_of = -1,
                                      .total = -1};
    if (st == LCL_OK && (st = lcl_prefix_sum(&S, &what, C->row_ptr)) == LCL_OK)
        st = lcl_buffer_read_at(C->row_ptr,
                                (size_t)C->block_rows * sizeof entries,
                                &entries, sizeof entries);
    lcl_prefix_sum_finish(&S);
    C->blocks = entries;
    return st;
}

static enum lcl_status make_product(struct lcl_device_matrix *C,
                                    lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_device_matrix *B,
                                    lcl_buffer *count)
{
    enum lcl_status st;
    if ((st = launch("spgemm_count", C, ctx, A, B, count)) < 0 ||
        (st = scan(C, ctx, count)) < 0)
        return st;
    const struct lcl_buffer_plan entries[] = {
        {&C->col, C->blocks, sizeof(int32_t), "columns of a product"},
        {&C->val, C->blocks, sizeof(double), "values of a product"},
    };
    st = lcl_buffers_create(ctx, entries, sizeof entries / sizeof *entries);
    return st < 0 ? st : launch("spgemm_fill", C, ctx, A, B, NULL);
}

enum lcl_status lcl_spgemm_products(double *products, lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_device_matrix *B)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int groups = lcl_vector_groups(caps);
    double *host = lcl_malloc((size_t)groups, sizeof *host);
    lcl_buffer *sums = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    *products = 0;
    if (!host)
        return lcl_fail_memory(lcl_context_log(ctx), "partial sums");
    if ((st = get_kernel(&kernel, ctx, "spgemm_products",
                         lcl_vector_group(caps), 1)) == LCL_OK &&
        (st = lcl_buffer_create(&sums, ctx, groups, sizeof *host,
                                "partial sums")) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, groups, lcl_arg_long(A->block_rows),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(sums))) ==
            LCL_OK)
        st = lcl_buffer_read(sums, host, (size_t)groups * sizeof *host);
    for (int g = 0; g < groups && st == LCL_OK; ++g)
        *products += host[g];
    lcl_buffer_destroy(&sums);
    lcl_free(host);
    return st;
}

// The rows of C have at most as many entries as there are products: more than
// 2^32 of them may overflow the row pointers.
static enum lcl_status check_products(lcl_context *ctx,
                                      const struct lcl_device_matrix *A,
                                      const struct lcl_device_matrix *B)
{
    double products;
    const enum lcl_status st = lcl_spgemm_products(&products, ctx, A, B);
    return st == LCL_OK && products > (double)LCL_NARROW_MOST
               ? lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                          "a sparse product takes %.3g multiplications, at "
                          "most %lld are supported",
                          products, (long long)LCL_NARROW_MOST)
               : st;
}

enum lcl_status lcl_spgemm(struct lcl_device_matrix *C, lcl_context *ctx,
                           const struct lcl_device_matrix *A,
                           const struct lcl_device_matrix *B)
{
    const struct lcl_bsr shape = {
        .rows = A->block_rows, .cols = B->block_cols, .block_size = 1};
    lcl_buffer *count = NULL;
    enum lcl_status st;
    *C = (struct lcl_device_matrix){.n = 0};
    if ((st = check(A, B, lcl_context_log(ctx))) < 0 ||
        (st = check_products(ctx, A, B)) < 0)
        return st;
    *C = lcl_device_matrix_shape(&shape);
    C->groups = lcl_vector_groups(lcl_context_caps(ctx));
    if ((st = lcl_buffer_create(&C->row_ptr, ctx, C->block_rows + 1,
                                sizeof(uint32_t), "rows of a product")) ==
            LCL_OK &&
        (st = lcl_buffer_create(&count, ctx, C->block_rows, sizeof(uint32_t),
                                "lengths of rows")) == LCL_OK)
        st = make_product(C, ctx, A, B, count);
    lcl_buffer_destroy(&count);
    if (st < 0)
        lcl_device_matrix_finish(C);
    return st;
}

enum lcl_status lcl_spgemm_update(const struct lcl_device_matrix *C,
                                  lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_device_matrix *B)
{
    return launch("spgemm_values", C, ctx, A, B, NULL);
}
