// SPDX-License-Identifier: BSD-3-Clause
// The norms 1 and max of residuals.
#include "lib/krylov/norm.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/log.h"
#include "host/runtime.h"

#include <math.h>
#include <string.h>

// norm_share, norm_square
enum { LAUNCHES = 2 };

static bool has_ranks(const struct lcl_space *V)
{
    return V->comm && V->comm->size > 1;
}

static enum lcl_status get_kernels(struct lcl_norm *N, lcl_context *ctx)
{
    const struct lcl_spec spec = {
        .source = "norm.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .defines = {{"NORM_MAX", N->type == LCL_NORM_MAX}},
    };
    const struct lcl_kernel_plan all[] = {{&N->share, "norm_share"},
                                          {&N->square, "norm_square"}};
    return lcl_kernels_get(ctx, &spec, all, 2);
}

enum lcl_status lcl_norm_init(struct lcl_norm *N, const struct lcl_space *V,
                              enum lcl_norm_type type)
{
    lcl_context *ctx = V->ctx;
    enum lcl_status st;
    *N = (struct lcl_norm){.type = type, .space = *V};
    if (N->type == LCL_NORM_2)
        return LCL_OK;
    if ((st = get_kernels(N, ctx)) < 0 ||
        (st = lcl_space_sums(&N->sums, V)) < 0)
        return st;
    N->launches = LAUNCHES;
    N->host = lcl_malloc((size_t)V->groups, sizeof *N->host);
    if (!N->host)
        return lcl_fail_memory(lcl_context_log(ctx), "partial sums");
    if (!has_ranks(V))
        return LCL_OK;
    if ((st = lcl_buffer_create(&N->own, ctx, 1, sizeof(double), "a norm")) <
            0 ||
        (st = lcl_buffer_create(&N->all, ctx, V->comm->size, sizeof(double),
                                "norms of all ranks")) < 0)
        return st;
    return lcl_gathering_init(&N->gathering, V, 1);
}

void lcl_norm_finish(struct lcl_norm *N)
{
    lcl_gathering_finish(&N->gathering);
    lcl_free(N->host);
    lcl_buffer_destroy(&N->sums);
    lcl_buffer_destroy(&N->own);
    lcl_buffer_destroy(&N->all);
}

static enum lcl_status share(const struct lcl_norm *N, int64_t groups,
                             int64_t n, const lcl_buffer *of, lcl_buffer *sums,
                             const lcl_buffer *stop, int at)
{
    return LCL_LAUNCH(N->share, groups, lcl_arg_long(n), lcl_arg_buffer(of),
                      lcl_arg_buffer(sums), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}

enum lcl_status lcl_norm_post(const struct lcl_norm *N, const lcl_buffer *r,
                              lcl_buffer *state, const lcl_buffer *stop, int at)
{
    const struct lcl_space *V = &N->space;
    const lcl_buffer *parts = N->sums;
    int count = V->groups;
    enum lcl_status st;
    if (N->type == LCL_NORM_2)
        return LCL_OK;
    if ((st = share(N, V->groups, V->n, r, N->sums, stop, at)) < 0)
        return st;
    if (has_ranks(V)) {
        // the norm of the shares is that of the rank
        if ((st = share(N, 1, count, N->sums, N->own, stop, at)) < 0 ||
            (st = lcl_gathering_run(&N->gathering, N->own, N->all)) < 0)
            return st;
        parts = N->all;
        count = V->comm->size;
    }
    return LCL_LAUNCH(N->square, 1, lcl_arg_int(count), lcl_arg_buffer(parts),
                      lcl_arg_buffer(state), lcl_arg_buffer(stop),
                      lcl_arg_int(at));
}

// The maximum over the ranks; numbers that are not negative are ordered as
// their bits are.
static enum lcl_status largest_of_ranks(const struct lcl_space *V, double *v)
{
    int64_t bits;
    memcpy(&bits, v, sizeof bits);
    const enum lcl_status st = lcl_space_max(V, &bits);
    memcpy(v, &bits, sizeof bits);
    return st;
}

// As joined() of norm.cl.
static double join(enum lcl_norm_type type, double a, double b)
{
    if (type == LCL_NORM_1)
        return a + b;
    return b > a || isnan(b) ? b : a;
}

enum lcl_status lcl_norm_measure(const struct lcl_norm *N, const lcl_buffer *r,
                                 double *squared)
{
    const struct lcl_space *V = &N->space;
    const bool max = N->type == LCL_NORM_MAX;
    double v = 0;
    enum lcl_status st;
    if (N->type == LCL_NORM_2)
        return LCL_OK;
    if ((st = share(N, V->groups, V->n, r, N->sums, lcl_context_no_stop(V->ctx),
                    0)) < 0 ||
        (st = lcl_buffer_read(N->sums, N->host,
                              (size_t)V->groups * sizeof *N->host)) < 0)
        return st;
    for (int g = 0; g < V->groups; ++g)
        v = join(N->type, v, N->host[g]);
    st = max ? largest_of_ranks(V, &v) : lcl_space_sum(V, &v, 1);
    *squared = v * v;
    return st;
}
