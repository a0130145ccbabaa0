// SPDX-License-Identifier: BSD-3-Clause
// Operators from matrices in layouts of the caller, and their new values.
#include "host/cl_arguments.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/view.h"
#include "lib/spmv/matrix_operator.h"
#include "lib/storage/device_csr.h"

#include <levelcl/opencl.h>

static const char *const names[LCL_LAYOUT_PARTS] = {"diagonal", "upper",
                                                    "lower"};

enum lcl_status lcl_operator_create_layout(
    lcl_operator **out, lcl_context *ctx, const struct lcl_layout *L,
    const struct lcl_operator_params *params)
{
    struct lcl_blocked B;
    enum lcl_status st;
    if ((st = lcl_operator_begin(out, ctx, L, "lcl_operator_create_layout",
                                 &params)) < 0 ||
        (st = lcl_layout_check(L, lcl_context_log(ctx))) < 0)
        return st;
    const int block = lcl_layout_real_block(L) > 1
                          ? params->block_size
                          : lcl_entries_block_size(params);
    if ((st = lcl_blocked_from_layout(&B, ctx, L, block)) == LCL_OK)
        st = lcl_matrix_operator_create(out, ctx, &B, params);
    lcl_blocked_finish(&B);
    return st;
}

// given[p]: whether the caller has passed array p. The arrays must be those of
// the creation; a matrix without off-diagonal entries accepts any.
static enum lcl_status check_arrays(const lcl_operator *A,
                                    const bool given[LCL_LAYOUT_PARTS],
                                    const char *function)
{
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    const int64_t *part = A ? lcl_operator_parts(A) : NULL;
    if (!A || !given[0])
        return lcl_misuse(log, "%s: an argument is NULL", function);
    if (!part)
        return lcl_misuse(log, "%s: the operator has no layout of type LDU",
                          function);
    for (int p = 1; p < LCL_LAYOUT_PARTS; ++p)
        if (given[p] ? part[1] > 0 && part[p] == 0 : part[p] > 0)
            return lcl_misuse(log, "%s: `%s` is %s, and was not at creation",
                              function, names[p], given[p] ? "there" : "NULL");
    return lcl_context_expect_free(A->range.ctx, function);
}

enum lcl_status lcl_operator_update_ldu(lcl_operator *A, const double *diagonal,
                                        const double *upper,
                                        const double *lower)
{
    const double *const val[] = {diagonal, upper, lower};
    const bool given[] = {diagonal, upper, lower};
    enum lcl_status st;
    if ((st = check_arrays(A, given, "lcl_operator_update_ldu")) < 0)
        return st;
    const int64_t *part = lcl_operator_parts(A);
    for (int p = 0; p < LCL_LAYOUT_PARTS; ++p) {
        const int64_t k = part[p] ? lcl_find_not_finite(val[p], part[p]) : -1;
        if (k >= 0)
            return lcl_fail(lcl_context_log(A->range.ctx), LCL_EFORMAT,
                            "lcl_operator_update_ldu: %s[%lld] is not finite",
                            names[p], (long long)k);
    }
    return lcl_operator_update_parts(A, val);
}

static enum lcl_status update_arrays(lcl_operator *A,
                                     const struct lcl_array_cl *const *val)
{
    const int64_t *part = lcl_operator_parts(A);
    lcl_buffer *wrapped[LCL_LAYOUT_PARTS] = {NULL};
    lcl_context *ctx = A->range.ctx;
    enum lcl_status st = LCL_OK;
    for (int p = 0; p < LCL_LAYOUT_PARTS && st == LCL_OK; ++p)
        if (part[p] > 0)
            st = lcl_array_wrap(&wrapped[p], ctx, val[p], part[p],
                                sizeof(double), LCL_ACCESS_READ, names[p]);
    if (st == LCL_OK)
        st = lcl_operator_update_part_buffers(A, wrapped);
    for (int p = 0; p < LCL_LAYOUT_PARTS; ++p)
        lcl_buffer_destroy(&wrapped[p]);
    return st == LCL_EFORMAT ? lcl_operator_refuse_values(A) : st;
}

enum lcl_status lcl_operator_update_ldu_cl(lcl_operator *A,
                                           const struct lcl_array_cl *diagonal,
                                           const struct lcl_array_cl *upper,
                                           const struct lcl_array_cl *lower,
                                           const struct lcl_events_cl *events)
{
    static const char name[] = "lcl_operator_update_ldu_cl";
    const struct lcl_array_cl *const val[] = {diagonal, upper, lower};
    const bool given[] = {!lcl_array_is_missing(diagonal),
                          !lcl_array_is_missing(upper),
                          !lcl_array_is_missing(lower)};
    enum lcl_status st;
    events = lcl_events_begin(events);
    if ((st = check_arrays(A, given, name)) < 0)
        return st;
    lcl_context *ctx = A->range.ctx;
    if ((st = lcl_events_enter(ctx, events)) < 0 ||
        (st = update_arrays(A, val)) < 0)
        return st;
    return lcl_events_mark(ctx, events->done);
}
