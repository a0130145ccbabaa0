// SPDX-License-Identifier: BSD-3-Clause
// Lists the couplings of each subdomain on the device.
#include "lib/multilevel/survey.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

enum { WAVES = 4 }; // a few rows of a subdomain per work-item

enum kernel {
    LABEL_ROWS,
    COUNT_RUNS,
    FILL_RUNS,
    SORT_LEAVING,
    LIST_PAIRS,
    ORDER_RUNS,
};

static const char *const kernel_names[LCL_SURVEY_KERNELS] = {
    [LABEL_ROWS] = "label_rows", [COUNT_RUNS] = "count_runs",
    [FILL_RUNS] = "fill_runs",   [SORT_LEAVING] = "sort_leaving",
    [LIST_PAIRS] = "list_pairs", [ORDER_RUNS] = "order_runs",
};

static enum lcl_status fail_device(const struct lcl_coarse_survey *s,
                                   const char *what)
{
    return lcl_fail(
        lcl_context_log(s->ctx), LCL_ESELFTEST,
        "%s computes wrong results: impossible %s in the coarse pattern",
        lcl_context_caps(s->ctx)->name, what);
}

static enum lcl_status fail_memory(const struct lcl_coarse_survey *s)
{
    return lcl_fail_memory(lcl_context_log(s->ctx), "the coarse pattern");
}

static enum lcl_status create(const struct lcl_coarse_survey *s,
                              lcl_buffer **out, int64_t count, size_t size)
{
    return lcl_buffer_create(out, s->ctx, count, size, "coarse pattern");
}

// ------------------------------------------------------------------- start

static enum lcl_status check_size(const struct lcl_coarse_survey *s)
{
    return s->B->wide ? lcl_refuse_wide(s->B->blocks, "coarse correction",
                                        lcl_context_log(s->ctx))
                      : LCL_OK;
}

struct lcl_spec lcl_coarse_spec(lcl_context *ctx, const char *source,
                                const char *kernel)
{
    return (struct lcl_spec){
        .source = source,
        .kernel = kernel,
        .group = lcl_wave_group(lcl_context_caps(ctx), WAVES),
    };
}

int64_t lcl_coarse_row_groups(const lcl_context *ctx, int64_t rows)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int group = lcl_wave_group(caps, WAVES);
    return caps->width == 1 ? lcl_vector_groups(caps)
                            : lcl_launch_groups(rows, group, group);
}

static enum lcl_status get_kernels(struct lcl_coarse_survey *s)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < LCL_SURVEY_KERNELS && st == LCL_OK; ++k) {
        const struct lcl_spec spec =
            lcl_coarse_spec(s->ctx, "coarse_pattern.cl", kernel_names[k]);
        st = lcl_kernel_get(&s->kernels[k], s->ctx, &spec);
    }
    return st;
}

static enum lcl_status allocate(struct lcl_coarse_survey *s,
                                const int64_t *part_ptr)
{
    const int64_t n = s->C->n, parts = s->C->parts;
    enum lcl_status st;
    s->part_agg = lcl_malloc((size_t)parts, sizeof *s->part_agg);
    s->part = lcl_malloc((size_t)parts, sizeof *s->part);
    if (!s->part_agg || !s->part)
        return fail_memory(s);
    for (int64_t p = 0; p < parts; ++p)
        s->part_agg[p] = (int32_t)p;
    if ((st = lcl_buffer_create_narrow(&s->C->part_ptr, s->ctx, part_ptr,
                                       parts + 1, "coarse pattern")) < 0 ||
        (st = create(s, &s->C->part_agg, parts, sizeof(int32_t))) < 0 ||
        (st = create(s, &s->C->run_ptr, n + 1, sizeof(uint32_t))) < 0 ||
        (st = create(s, &s->label, n, sizeof(int32_t))) < 0 ||
        (st = create(s, &s->leave_ptr, n, sizeof(uint32_t))) < 0)
        return st;
    return create(s, &s->parts, parts, sizeof *s->part);
}

// ------------------------------------------------------------------- runs

static enum lcl_status count_runs(const struct lcl_coarse_survey *s)
{
    const struct lcl_coarse_pattern *C = s->C;
    enum lcl_status st;
    if ((st = lcl_buffer_write(C->part_agg, s->part_agg,
                               (size_t)C->parts * sizeof *s->part_agg)) < 0 ||
        (st = LCL_LAUNCH(
             s->kernels[LABEL_ROWS], C->parts, lcl_arg_buffer(C->part_ptr),
             lcl_arg_buffer(C->part_agg), lcl_arg_buffer(s->label))) < 0)
        return st;
    return LCL_LAUNCH(s->kernels[COUNT_RUNS], C->parts,
                      lcl_arg_buffer(C->part_ptr), lcl_arg_buffer(C->part_agg),
                      lcl_arg_buffer(s->label), lcl_arg_buffer(s->B->row_ptr),
                      lcl_arg_buffer(s->B->col), lcl_arg_buffer(C->run_ptr),
                      lcl_arg_buffer(s->leave_ptr), lcl_arg_buffer(s->parts));
}

static size_t part_bytes(const struct lcl_coarse_survey *s)
{
    return (size_t)s->C->parts * sizeof *s->part;
}

static enum lcl_status place_runs(struct lcl_coarse_survey *s)
{
    struct lcl_coarse_pattern *C = s->C;
    const enum lcl_status st =
        lcl_buffer_read(s->parts, s->part, part_bytes(s));
    if (st < 0)
        return st;
    C->runs = s->leaving = 0;
    for (int64_t p = 0; p < C->parts; ++p) {
        struct lcl_coarse_part *part = &s->part[p];
        part->run = (uint32_t)C->runs;
        part->leave = (uint32_t)s->leaving;
        C->runs += part->runs;
        s->leaving += part->leaving;
        if (part->leaving > part->runs || C->runs > s->B->blocks)
            return fail_device(s, "runs of columns");
    }
    return lcl_buffer_write(s->parts, s->part, part_bytes(s));
}

static enum lcl_status fill_runs(struct lcl_coarse_survey *s)
{
    struct lcl_coarse_pattern *C = s->C;
    enum lcl_status st;
    if ((st = create(s, &C->run_first, C->runs + 1, sizeof(uint32_t))) < 0 ||
        (st = create(s, &C->run_agg, C->runs, sizeof(int32_t))) < 0 ||
        (st = create(s, &s->keys, s->leaving, sizeof(uint64_t))) < 0 ||
        (st = LCL_LAUNCH(
             s->kernels[FILL_RUNS], C->parts, lcl_arg_buffer(C->part_ptr),
             lcl_arg_buffer(C->part_agg), lcl_arg_buffer(s->label),
             lcl_arg_buffer(s->B->row_ptr), lcl_arg_buffer(s->B->col),
             lcl_arg_buffer(s->parts), lcl_arg_buffer(C->run_ptr),
             lcl_arg_buffer(s->leave_ptr), lcl_arg_buffer(C->run_first),
             lcl_arg_buffer(C->run_agg), lcl_arg_buffer(s->keys))) < 0)
        return st;
    return LCL_LAUNCH(s->kernels[SORT_LEAVING], C->parts,
                      lcl_arg_buffer(s->parts), lcl_arg_buffer(s->keys));
}

// ------------------------------------------------------------------- pairs

static enum lcl_status place_pairs(struct lcl_coarse_survey *s)
{
    const enum lcl_status st =
        lcl_buffer_read(s->parts, s->part, part_bytes(s));
    int64_t runs = 0, leaving = 0;
    if (st < 0)
        return st;
    s->pair_count = 0;
    for (int64_t p = 0; p < s->C->parts; ++p) {
        struct lcl_coarse_part *part = &s->part[p];
        if (part->run != runs || part->leave != leaving || part->pairs < 1 ||
            part->leaving > part->runs || part->pairs - 1 > part->leaving)
            return fail_device(s, "pairs of subdomains");
        part->pair = (uint32_t)s->pair_count;
        s->pair_count += part->pairs;
        runs += part->runs;
        leaving += part->leaving;
    }
    if (runs != s->C->runs || leaving != s->leaving ||
        s->pair_count > UINT32_MAX)
        return fail_device(s, "pairs of subdomains");
    return lcl_buffer_write(s->parts, s->part, part_bytes(s));
}

static bool pairs_are_sound(const struct lcl_coarse_survey *s, int64_t p)
{
    const struct lcl_coarse_part *part = &s->part[p];
    const struct lcl_coarse_pair *pair = s->pair + part->pair;
    uint64_t first = 0;
    if (pair[0].label != (uint32_t)s->part_agg[p] ||
        pair[0].runs != part->runs - part->leaving)
        return false;
    for (uint32_t e = 1; e < part->pairs; ++e) {
        if (pair[e].label >= (uint64_t)s->C->aggregates || pair[e].runs < 1 ||
            pair[e].entries < pair[e].runs || pair[e].first != first)
            return false;
        first += pair[e].runs;
    }
    return first == part->leaving;
}

static enum lcl_status list_pairs(struct lcl_coarse_survey *s)
{
    enum lcl_status st;
    const size_t size = sizeof *s->pair;
    s->pair = lcl_malloc((size_t)s->pair_count, size);
    if (!s->pair)
        return fail_memory(s);
    if ((st = create(s, &s->pairs, s->pair_count, size)) < 0 ||
        (st = LCL_LAUNCH(s->kernels[LIST_PAIRS], s->C->parts,
                         lcl_arg_buffer(s->C->part_agg),
                         lcl_arg_buffer(s->parts), lcl_arg_buffer(s->keys),
                         lcl_arg_buffer(s->C->run_first),
                         lcl_arg_buffer(s->pairs))) < 0 ||
        (st = lcl_buffer_read(s->pairs, s->pair,
                              (size_t)s->pair_count * size)) < 0)
        return st;
    for (int64_t p = 0; p < s->C->parts; ++p)
        if (!pairs_are_sound(s, p))
            return fail_device(s, "pairs of subdomains");
    return LCL_OK;
}

// ------------------------------------------------------------------- survey

static void forget(struct lcl_coarse_survey *s)
{
    lcl_buffer_destroy(&s->C->run_first);
    lcl_buffer_destroy(&s->C->run_agg);
    lcl_buffer_destroy(&s->keys);
    lcl_buffer_destroy(&s->pairs);
    lcl_free(s->pair);
    s->pair = NULL;
}

enum lcl_status lcl_coarse_survey_init(struct lcl_coarse_survey *s,
                                       const int64_t *part_ptr)
{
    enum lcl_status st;
    if ((st = check_size(s)) < 0 || (st = get_kernels(s)) < 0)
        return st;
    return allocate(s, part_ptr);
}

enum lcl_status lcl_coarse_survey_run(struct lcl_coarse_survey *s)
{
    enum lcl_status st;
    forget(s);
    if ((st = count_runs(s)) < 0 || (st = place_runs(s)) < 0 ||
        (st = fill_runs(s)) < 0 || (st = place_pairs(s)) < 0)
        return st;
    return list_pairs(s);
}

enum lcl_status lcl_coarse_survey_order(const struct lcl_coarse_survey *s,
                                        const lcl_buffer *place)
{
    struct lcl_coarse_pattern *C = s->C;
    const enum lcl_status st = create(s, &C->order, C->runs, sizeof(uint32_t));
    if (st < 0)
        return st;
    return LCL_LAUNCH(s->kernels[ORDER_RUNS], C->parts,
                      lcl_arg_buffer(C->part_ptr), lcl_arg_buffer(C->part_agg),
                      lcl_arg_buffer(s->parts), lcl_arg_buffer(C->run_ptr),
                      lcl_arg_buffer(s->leave_ptr), lcl_arg_buffer(C->run_agg),
                      lcl_arg_buffer(s->keys), lcl_arg_buffer(s->pairs),
                      lcl_arg_buffer(place), lcl_arg_buffer(C->order));
}

void lcl_coarse_survey_finish(struct lcl_coarse_survey *s)
{
    lcl_buffer **const buffers[] = {&s->label, &s->leave_ptr, &s->parts,
                                    &s->keys, &s->pairs};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(s->pair);
    lcl_free(s->part);
    lcl_free(s->part_agg);
}
