// SPDX-License-Identifier: BSD-3-Clause
// Properties of a square matrix on the device.
#include "lib/storage/properties.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/storage/lone.h"
#include "lib/vector/space.h"

#include "cl/storage/properties.cl.h"

#include <math.h>

// A CPU takes longer to load a program than for a pass over most matrices.
static bool is_for_host(const lcl_context *ctx)
{
    return lcl_context_caps(ctx)->width == 1;
}

// The arrays of A in the memory of the host.
struct mapped {
    const void *row_ptr, *col, *val;
};

static enum lcl_status map(struct mapped *m, const struct lcl_device_matrix *A)
{
    enum lcl_status st;
    *m = (struct mapped){.row_ptr = NULL};
    if ((st = lcl_buffer_map(&m->val, A->val, false)) == LCL_OK &&
        (st = lcl_buffer_map(&m->col, A->col, false)) == LCL_OK)
        st = lcl_buffer_map(&m->row_ptr, A->row_ptr, true);
    return st;
}

static enum lcl_status unmap(const struct mapped *m,
                             const struct lcl_device_matrix *A)
{
    const enum lcl_status a = lcl_buffer_unmap(A->val, m->val);
    const enum lcl_status b = lcl_buffer_unmap(A->col, m->col);
    const enum lcl_status c = lcl_buffer_unmap(A->row_ptr, m->row_ptr);
    return a < 0 ? a : b < 0 ? b : c;
}

// By `host`, one of the functions of properties_host.c.
static enum lcl_status sum_on_host(
    double *sum, lcl_context *ctx, const struct lcl_device_matrix *A,
    enum lcl_status (*host)(double *sum, const struct lcl_properties_matrix *M,
                            const struct lcl_log *log))
{
    struct mapped m;
    enum lcl_status st = map(&m, A);
    if (st == LCL_OK) {
        const struct lcl_properties_matrix M = {
            .rows = A->block_rows,
            .cols = A->block_cols,
            .block = A->block,
            .row_ptr = A->wide ? m.row_ptr : NULL,
            .narrow = A->wide ? NULL : m.row_ptr,
            .col_ind = m.col,
            .val = m.val};
        st = host(sum, &M, lcl_context_log(ctx));
    }
    const enum lcl_status end = unmap(&m, A);
    return st < 0 ? st : end;
}

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *A)
{
    struct lcl_spec spec = {.source = "properties.cl",
                            .kernel = "properties",
                            .group = lcl_vector_group(lcl_context_caps(ctx)),
                            .block = A->block > 1 ? A->block : 0,
                            .wide = A->wide};
    lcl_spec_set(&spec, "LANES_PER_ROW",
                 1 << lcl_row_shift(ctx, lcl_row_values(A)));
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status sum_on_device(double *sum, lcl_context *ctx,
                                     const struct lcl_device_matrix *A)
{
    lcl_kernel *kernel;
    lcl_buffer *sums = NULL;
    enum lcl_status st;
    if ((st = get_kernel(&kernel, ctx, A)) == LCL_OK &&
        (st =
             lcl_buffer_create(&sums, ctx, (int64_t)PROPERTIES_SUMS * A->groups,
                               sizeof *sum, "partial sums")) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->block_rows),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(A->val), lcl_arg_buffer(sums))) ==
            LCL_OK)
        st = lcl_read_sums(sum, sums, PROPERTIES_SUMS, A->groups,
                           lcl_context_log(ctx));
    lcl_buffer_destroy(&sums);
    return st;
}

enum lcl_status lcl_properties_sums(double *sum, lcl_context *ctx,
                                    const struct lcl_device_matrix *A)
{
    const enum lcl_status st =
        is_for_host(ctx) ? sum_on_host(sum, ctx, A, lcl_properties_host_sums)
                         : sum_on_device(sum, ctx, A);
    for (int q = 0; q < PROPERTIES_COUNTS && st == LCL_OK; ++q)
        if (!(sum[q] >= 0 && sum[q] <= (double)A->n))
            return lcl_fail(lcl_context_log(ctx), LCL_ESELFTEST,
                            "%s computes wrong results: %g of %lld rows",
                            lcl_context_caps(ctx)->name, sum[q],
                            (long long)A->n);
    return st;
}

// Whether rows without notable couplings have far larger diagonal entries than
// the other rows: compares mean exponents, of the former weighted by size.
static bool is_penalised(const double *size)
{
    return size[1] > 0 && size[3] > 0 && isfinite(size[2]) &&
           size[2] / size[3] - size[0] / size[1] >= log2(PROPERTIES_PENALTY);
}

static double asymmetry_of(const double sum[2])
{
    return sum[1] == 0 ? 0 : fabs(sum[0]) / sum[1];
}

void lcl_properties_from_sums(struct lcl_properties *properties,
                              const double *sum)
{
    properties->asymmetry = asymmetry_of(sum + PROPERTIES_ASYMMETRY);
    properties->symmetric = properties->asymmetry <= LCL_SYMMETRY_TOLERANCE;
    properties->aside = false;
    properties->positive = (int64_t)sum[0];
    properties->negative = (int64_t)sum[1];
    properties->close = (int64_t)sum[2];
    properties->loose = (int64_t)sum[3];
    properties->couplings = sum[6];
    properties->squares = sum[7];
    properties->penalty = is_penalised(sum + PROPERTIES_SIZES);
    properties->opposite = sum[5] > 0 && isfinite(sum[5]) ? sum[4] / sum[5] : 0;
}

bool lcl_properties_may_set_aside(const struct lcl_properties *P, int64_t n)
{
    return !P->symmetric && lcl_properties_has_one_sign(P, n) && P->close != n;
}

void lcl_properties_set_aside(struct lcl_properties *P, const double sum[2])
{
    const double asymmetry = asymmetry_of(sum);
    if (asymmetry > LCL_SYMMETRY_TOLERANCE)
        return;
    P->asymmetry = asymmetry;
    P->symmetric = P->aside = true;
}

enum lcl_status lcl_properties_aside(struct lcl_properties *P, lcl_context *ctx,
                                     const struct lcl_device_matrix *A)
{
    double sum[2];
    if (!lcl_properties_may_set_aside(P, A->n))
        return LCL_OK;
    const enum lcl_status st =
        is_for_host(ctx) ? sum_on_host(sum, ctx, A, lcl_properties_host_aside)
                         : lcl_lone_asymmetry(sum, ctx, A);
    if (st == LCL_OK)
        lcl_properties_set_aside(P, sum);
    return st;
}
