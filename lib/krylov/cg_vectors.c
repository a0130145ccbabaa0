// SPDX-License-Identifier: BSD-3-Clause
// The vector kernels of the report on row-binned CG.
#include "lib/krylov/cg_vectors.h"

#include "host/geometry.h"
#include "host/runtime.h"

static size_t bytes_of(const struct lcl_cg_vectors *V)
{
    return V->single ? sizeof(float) : sizeof(double);
}

enum lcl_atomic_add lcl_cg_vectors_add(const struct lcl_caps *caps, bool single)
{
    return caps->local_add == LCL_ATOMIC_ADD_NV_PTX ? LCL_ATOMIC_ADD_NV_PTX
           : single || caps->int64_atomics          ? LCL_ATOMIC_ADD_CAS
                                                    : LCL_ATOMIC_ADD_NONE;
}

enum lcl_status lcl_cg_vectors_init(struct lcl_cg_vectors *V, lcl_context *ctx,
                                    int64_t n, bool single)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int group = lcl_vector_group(caps);
    *V = (struct lcl_cg_vectors){.n = n, .single = single};
    V->groups = group == 1 ? lcl_vector_groups(caps) : (n + group - 1) / group;
    const struct lcl_kernel_plan kernels[] = {
        {&V->dot_kernel, "vector_dot"},
        {&V->axpy, "vector_axpy"},
        {&V->scale_add, "vector_scale_add"},
    };
    const struct lcl_spec spec = {.source = "cg_published.cl",
                                  .group = group,
                                  .add = lcl_cg_vectors_add(caps, single),
                                  .single = single};
    const enum lcl_status st =
        lcl_kernels_get(ctx, &spec, kernels, sizeof kernels / sizeof *kernels);
    return st < 0 ? st
                  : lcl_buffer_create(&V->result, ctx, 1, bytes_of(V),
                                      "a dot product");
}

void lcl_cg_vectors_finish(struct lcl_cg_vectors *V)
{
    lcl_buffer_destroy(&V->result);
}

enum lcl_status lcl_cg_dot(const struct lcl_cg_vectors *V, const lcl_buffer *a,
                           const lcl_buffer *b, void *result)
{
    enum lcl_status st;
    if ((st = lcl_buffer_fill(V->result, 0)) < 0 ||
        (st = LCL_LAUNCH(V->dot_kernel, V->groups, lcl_arg_long(V->n),
                         lcl_arg_buffer(a), lcl_arg_buffer(b),
                         lcl_arg_buffer(V->result))) < 0)
        return st;
    return lcl_buffer_read(V->result, result, bytes_of(V));
}

enum lcl_status lcl_cg_combine(const struct lcl_cg_vectors *V,
                               lcl_kernel *kernel, struct lcl_arg alpha,
                               const lcl_buffer *x, lcl_buffer *y)
{
    return LCL_LAUNCH(kernel, V->groups, lcl_arg_long(V->n), alpha,
                      lcl_arg_buffer(x), lcl_arg_buffer(y));
}
