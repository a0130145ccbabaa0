// SPDX-License-Identifier: BSD-3-Clause
// Applications of a preconditioner to OpenCL buffers of the caller.
#include "host/interop.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/transposed.h"
#include "lib/precond/precond.h"

#include <levelcl/opencl.h>

typedef enum lcl_status apply_fn(lcl_precond *M, const lcl_buffer *b,
                                 lcl_buffer *x);

// b and x may be the same: b is then copied.
static enum lcl_status apply_buffers(lcl_precond *M, lcl_buffer *b,
                                     lcl_buffer *x, bool same, apply_fn *apply)
{
    const size_t bytes = (size_t)M->op.range.n * sizeof(double);
    lcl_buffer *copy = NULL;
    enum lcl_status st;
    if (lcl_buffer_bytes(b) != bytes || lcl_buffer_bytes(x) != bytes)
        return lcl_fail(lcl_context_log(M->op.range.ctx), LCL_EINVAL,
                        "buffers of %zu and %zu bytes, expected %zu bytes each",
                        lcl_buffer_bytes(b), lcl_buffer_bytes(x), bytes);
    if (!same)
        return apply(M, b, x);
    if ((st = lcl_space_vector(&copy, &M->op.domain)) == LCL_OK &&
        (st = lcl_buffer_copy(copy, b)) == LCL_OK)
        st = apply(M, copy, x);
    lcl_buffer_destroy(&copy);
    return st;
}

typedef enum lcl_status expect_fn(const lcl_context *ctx, const char *function);

static enum lcl_status apply_mem(lcl_precond *M, cl_mem b, cl_mem x,
                                 apply_fn *apply, expect_fn *expect,
                                 const char *function)
{
    lcl_buffer *in = NULL, *result = NULL;
    enum lcl_status st;
    if (!M || !b || !x)
        return lcl_misuse(M ? lcl_context_log(M->op.range.ctx) : NULL,
                          "%s: an argument is NULL", function);
    lcl_context *ctx = M->op.range.ctx;
    if ((st = expect(ctx, function)) == LCL_OK &&
        (st = lcl_buffer_wrap(&in, ctx, b, LCL_ACCESS_READ, "b")) == LCL_OK &&
        (st = lcl_buffer_wrap(&result, ctx, x, LCL_ACCESS_WRITE, "x")) ==
            LCL_OK)
        st = lcl_space_end(&M->op.range,
                           apply_buffers(M, in, result, b == x, apply));
    lcl_buffer_destroy(&result);
    lcl_buffer_destroy(&in);
    return st;
}

static enum lcl_status apply_plain(lcl_precond *M, const lcl_buffer *b,
                                   lcl_buffer *x)
{
    return lcl_apply_buffers(&M->op, b, x);
}

static enum lcl_status apply_transpose(lcl_precond *M, const lcl_buffer *b,
                                       lcl_buffer *x)
{
    if (lcl_precond_is_symmetric(M))
        return apply_plain(M, b, x);
    const enum lcl_status st = lcl_precond_transpose(M);
    return st < 0 ? st
                  : lcl_apply_numbered_buffers(&M->transposed->op,
                                               M->matrix->numbering, b, x);
}

enum lcl_status lcl_precond_apply_cl(lcl_precond *M, cl_mem b, cl_mem x)
{
    return apply_mem(M, b, x, apply_plain, lcl_context_expect_product,
                     "lcl_precond_apply_cl");
}

enum lcl_status lcl_precond_apply_transpose_cl(lcl_precond *M, cl_mem b,
                                               cl_mem x)
{
    return apply_mem(M, b, x, apply_transpose, lcl_context_expect_free,
                     "lcl_precond_apply_transpose_cl");
}
