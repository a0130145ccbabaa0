// SPDX-License-Identifier: BSD-3-Clause
// Triangle-free patterns: their factorisation changes the diagonal only.
#include "lib/factor/triangle_free.h"

#include "host/launch.h"

enum lcl_status lcl_find_mirrors(struct lcl_schedule *D, lcl_context *ctx,
                                 lcl_kernel *kernel)
{
    int32_t triangles = 0;
    lcl_buffer *flag = NULL;
    enum lcl_status st;
    if (D->planes_max > LCL_TRIANGLE_FREE_PLANES)
        return LCL_OK;
    if ((st = lcl_buffer_create_from(&flag, ctx, &triangles, 1,
                                     sizeof triangles, "triangles")) < 0 ||
        (st = lcl_buffer_create(&D->mirror, ctx, D->slots, sizeof(int32_t),
                                "mirrored entries")) < 0 ||
        (st = LCL_LAUNCH(kernel, D->parts, lcl_arg_buffer(D->part),
                         lcl_arg_buffer(D->step), lcl_arg_buffer(D->step_of),
                         lcl_arg_buffer(D->col), lcl_arg_buffer(D->source),
                         lcl_arg_buffer(D->mirror), lcl_arg_buffer(flag))) < 0)
        goto out;
    st = lcl_buffer_read(flag, &triangles, sizeof triangles);
out:
    if (st < 0 || triangles)
        lcl_buffer_destroy(&D->mirror);
    lcl_buffer_destroy(&flag);
    return st;
}
