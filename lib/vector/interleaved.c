// SPDX-License-Identifier: BSD-3-Clause
// Vectors of interleaved columns.
#include "lib/vector/interleaved.h"

#include "host/geometry.h"
#include "host/launch.h"

bool lcl_interleaved_spec(struct lcl_spec *spec, const struct lcl_caps *caps,
                          int columns)
{
    spec->group = lcl_vector_group(caps);
    lcl_spec_set(spec, "COLUMNS", columns);
    return caps->width == 1 || spec->group % columns == 0;
}

enum lcl_status lcl_interleaved_kernel(lcl_kernel **out, lcl_context *ctx,
                                       int columns, const char *name)
{
    struct lcl_spec spec = {.source = "columns.cl", .kernel = name};
    return lcl_interleaved_spec(&spec, lcl_context_caps(ctx), columns)
               ? lcl_kernel_get(out, ctx, &spec)
               : LCL_EUNSUPPORTED;
}

enum lcl_status lcl_interleaved_init(struct lcl_interleaved *K,
                                     const struct lcl_space *column,
                                     int columns)
{
    const struct lcl_kernel_plan all[] = {
        {&K->put, "put_column"},
        {&K->get, "get_column"},
        {&K->dot, "columns_dot"},
        {&K->add, "columns_add"},
    };
    enum lcl_status st = LCL_OK;
    K->column = *column;
    for (size_t k = 0; k < sizeof all / sizeof *all && st == LCL_OK; ++k)
        st = lcl_interleaved_kernel(all[k].out, column->ctx, columns,
                                    all[k].name);
    return st;
}

enum lcl_status lcl_interleaved_put(const struct lcl_interleaved *K, int q,
                                    const lcl_buffer *x, lcl_buffer *Y)
{
    return LCL_LAUNCH(K->put, K->column.groups, lcl_arg_long(K->column.n),
                      lcl_arg_int(q), lcl_arg_buffer(x), lcl_arg_buffer(Y));
}

enum lcl_status lcl_interleaved_get(const struct lcl_interleaved *K, int q,
                                    const lcl_buffer *X, lcl_buffer *y)
{
    return LCL_LAUNCH(K->get, K->column.groups, lcl_arg_long(K->column.n),
                      lcl_arg_int(q), lcl_arg_buffer(X), lcl_arg_buffer(y));
}

enum lcl_status lcl_interleaved_dot(const struct lcl_interleaved *K,
                                    const struct lcl_operands *v)
{
    return LCL_LAUNCH(K->dot, K->column.groups, lcl_arg_long(K->column.n),
                      lcl_arg_buffer(v->w), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

enum lcl_status lcl_interleaved_add(const struct lcl_interleaved *K,
                                    const lcl_buffer *limit,
                                    const lcl_buffer *C, lcl_buffer *X)
{
    return LCL_LAUNCH(K->add, K->column.groups, lcl_arg_long(K->column.n),
                      lcl_arg_buffer(limit), lcl_arg_buffer(C),
                      lcl_arg_buffer(X));
}
