// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the couplings of a matrix on the device.
#include "lib/multilevel/couplings.h"

#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/strength.h"

#include "cl/multilevel/couplings.cl.h"

#include <assert.h>
#include <math.h>

struct result {
    double opposite, all;
    uint32_t bins[COUPLINGS_BINS];
};

static_assert(sizeof(struct result) == COUPLINGS_WORDS * sizeof(uint32_t),
              "shared with kernels");

struct work {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    lcl_kernel *survey, *add;
    int64_t groups;
    lcl_buffer *weight[3]; // pairs: of the rows, then of sums of them
    lcl_buffer *result;
};

static int64_t sums_of(int64_t count)
{
    return (count + COUPLINGS_EACH - 1) / COUPLINGS_EACH;
}

static enum lcl_status work_init(struct work *w)
{
    const int64_t n = w->A->n, sums = sums_of(n);
    const size_t pair = 2 * sizeof(double);
    const char *what = "statistics of couplings";
    const struct lcl_buffer_plan buffers[] = {
        {&w->weight[0], n, pair, what},
        {&w->weight[1], sums, pair, what},
        {&w->weight[2], sums_of(sums), pair, what},
        {&w->result, 1, sizeof(struct result), what},
    };
    const struct lcl_kernel_plan kernels[] = {
        {&w->survey, "survey_rows"},
        {&w->add, "add_weights"},
    };
    const struct lcl_spec spec =
        lcl_row_team_spec(w->ctx, w->A, "couplings.cl");
    enum lcl_status st;
    if (w->A->block != 1)
        return lcl_fail(lcl_context_log(w->ctx), LCL_EUNSUPPORTED,
                        "statistics of %d x %d blocks", w->A->block,
                        w->A->block);
    w->groups = lcl_row_team_groups(&spec, w->A);
    if ((st = lcl_kernels_get(w->ctx, &spec, kernels,
                              sizeof kernels / sizeof *kernels)) < 0)
        return st;
    return lcl_buffers_create(w->ctx, buffers,
                              sizeof buffers / sizeof *buffers);
}

static void work_finish(struct work *w)
{
    for (int k = 0; k < 3; ++k)
        lcl_buffer_destroy(&w->weight[k]);
    lcl_buffer_destroy(&w->result);
}

static enum lcl_status survey(const struct work *w)
{
    const enum lcl_status st = lcl_buffer_fill(w->result, 0);
    return st < 0 ? st
                  : LCL_LAUNCH(w->survey, w->groups, lcl_arg_long(w->A->n),
                               lcl_arg_buffer(w->A->row_ptr),
                               lcl_arg_buffer(w->A->col),
                               lcl_arg_buffer(w->A->val),
                               lcl_arg_buffer(w->weight[0]),
                               lcl_arg_buffer(w->result));
}

// The last sums go to the result.
static enum lcl_status add_up(const struct work *w)
{
    enum lcl_status st = LCL_OK;
    const lcl_buffer *in = w->weight[0];
    int64_t count = w->A->n;
    for (int to = 1; count > 0 && st == LCL_OK; to = 3 - to) {
        const int64_t sums = sums_of(count);
        lcl_buffer *out = sums == 1 ? w->result : w->weight[to];
        st = LCL_LAUNCH(w->add, w->groups, lcl_arg_long(count),
                        lcl_arg_buffer(in), lcl_arg_buffer(out));
        in = out;
        count = sums == 1 ? 0 : sums;
    }
    return st;
}

static double bound(int bin)
{
    return ldexp(1 + (double)(bin % COUPLINGS_OCTAVE) / COUPLINGS_OCTAVE,
                 bin / COUPLINGS_OCTAVE);
}

static enum lcl_status read_result(const struct work *w,
                                   struct lcl_couplings *out)
{
    struct result r;
    int64_t rows = 0, below = 0;
    const enum lcl_status st = lcl_buffer_read(w->result, &r, sizeof r);
    if (st < 0)
        return st;
    for (int b = 0; b < COUPLINGS_BINS; ++b)
        rows += r.bins[b];
    if (rows > w->A->n)
        return lcl_fail(lcl_context_log(w->ctx), LCL_ESELFTEST,
                        "%s computes wrong results: impossible statistics of "
                        "couplings",
                        lcl_context_caps(w->ctx)->name);
    out->rows = rows;
    if (r.all > 0 && isfinite(r.all))
        out->opposite = r.opposite / r.all;
    for (int b = 0; b < COUPLINGS_BINS && 2 * below < rows; ++b) {
        below += r.bins[b];
        out->median_low = bound(b);
        out->median_high = bound(b + 1);
    }
    return LCL_OK;
}

enum lcl_status lcl_survey_couplings(struct lcl_couplings *out,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A)
{
    struct work w = {.ctx = ctx, .A = A};
    enum lcl_status st;
    *out = (struct lcl_couplings){.rows = 0};
    if ((st = work_init(&w)) == LCL_OK && (st = survey(&w)) == LCL_OK &&
        (st = add_up(&w)) == LCL_OK)
        st = read_result(&w, out);
    work_finish(&w);
    return st;
}
