// SPDX-License-Identifier: BSD-3-Clause
// Kernels, launches and prefix sums of the matching.
#include "lib/partition/matcher.h"

#include "host/geometry.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>

enum {
    FEW = 4, // lanes per row, for up to MEAN_FEW entries per row
    MANY = 32,
    MEAN_FEW = 24,
    ARGUMENTS = 16, // of a kernel at most
};

// Kernels that exchange values between the lanes of a wave have groups of one
// wave, other kernels have the groups of vector kernels.
static const struct {
    const char *source, *name;
    bool by_waves;
} kernels[LCL_MATCH_KERNELS] = {
    [LCL_MATCH_LIST_LONG] = {"match.cl", "list_long", false},
    [LCL_MATCH_ROOTS] = {"match.cl", "roots", false},
    [LCL_MATCH_WEIGH] = {"match.cl", "weigh", false},
    [LCL_MATCH_COUNT_BOTH] = {"match.cl", "count_both", false},
    [LCL_MATCH_LIST_BOTH] = {"match.cl", "list_both", false},
    [LCL_MATCH_START] = {"match.cl", "start", false},
    [LCL_MATCH_PICK] = {"match.cl", "pick", false},
    [LCL_MATCH_JOIN] = {"match.cl", "join", false},
    [LCL_MATCH_FIND_HUBS] = {"match.cl", "find_hubs", false},
    [LCL_MATCH_DRAW] = {"match.cl", "draw", false},
    [LCL_MATCH_JOIN_DRAWN] = {"match.cl", "join_drawn", false},
    [LCL_MATCH_RATE_PAIRS] = {"match.cl", "rate_pairs", false},
    [LCL_MATCH_CUT_PAIRS] = {"match.cl", "cut_pairs", false},
    [LCL_MATCH_LABEL] = {"contract.cl", "label", true},
    [LCL_MATCH_SINGLES] = {"contract.cl", "singles", true},
    [LCL_MATCH_MERGE] = {"contract.cl", "merge", true},
    [LCL_MATCH_MERGE_HASHED] = {"contract.cl", "merge_hashed", true},
    [LCL_MATCH_PACK] = {"contract.cl", "pack", true},
    [LCL_MATCH_PROJECT] = {"contract.cl", "project", true},
    [LCL_MATCH_CHOOSE] = {"contract.cl", "choose", true},
    [LCL_MATCH_MOVE] = {"contract.cl", "move", true},
    [LCL_MATCH_COUNT_UP] = {"number.cl", "count_up", false},
    [LCL_MATCH_COPY] = {"number.cl", "copy_words", false},
    [LCL_MATCH_RENUMBER] = {"number.cl", "renumber", false},
    [LCL_MATCH_GATHER] = {"number.cl", "gather_words", false},
    [LCL_MATCH_SCATTER_ROWS] = {"number.cl", "scatter_rows", false},
    [LCL_MATCH_SORT_ROWS] = {"number.cl", "sort_rows", false},
    [LCL_MATCH_MOVE_PARTS] = {"number.cl", "move_parts", false},
};

// ------------------------------------------------------------------- scratch

enum lcl_status lcl_matcher_init(struct lcl_matcher *m, lcl_context *ctx,
                                 const struct lcl_device_matrix *A)
{
    struct lcl_match_scratch *s = &m->scratch;
    const int64_t n = A->block_rows;
    *m = (struct lcl_matcher){.ctx = ctx,
                              .caps = lcl_context_caps(ctx),
                              .log = lcl_context_log(ctx),
                              .A = A};
    const struct lcl_buffer_plan all[] = {
        {&s->counts, MATCH_WORDS, 4, "matching"},
        {&s->mate, n, 4, "matching"},
        {&s->picked, n, 4, "matching"},
        {&s->open, n, 4, "matching"},
        {&s->number, n + 1, 4, "matching"},
        {&s->members, n, 8, "matching"},
        {&s->coarse_size, n, 4, "matching"},
        {&s->length, n, 4, "matching"},
        {&s->row_ptr, n + 1, 4, "matching"},
    };
    const enum lcl_status st = lcl_prefix_sum_init(&m->sum, ctx);
    return st < 0 ? st : lcl_buffers_create(ctx, all, sizeof all / sizeof *all);
}

void lcl_matcher_finish(struct lcl_matcher *m)
{
    struct lcl_match_scratch *s = &m->scratch;
    lcl_buffer **const all[] = {
        &s->counts,  &s->mate,    &s->picked,      &s->open,
        &s->number,  &s->members, &s->coarse_size, &s->length,
        &s->row_ptr, &s->list,    &s->slot_adj,    &s->slot_weight,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(all[i]);
    lcl_prefix_sum_finish(&m->sum);
}

// ------------------------------------------------------------------- launches

static bool has_teams(enum lcl_match_kernel which)
{
    return which < LCL_MATCH_COUNT_UP;
}

// Whether the kernel is in match.cl and may read the values of the matrix.
static bool reads_blocks(enum lcl_match_kernel which)
{
    return which < LCL_MATCH_LABEL;
}

static int group_of(const struct lcl_matcher *m, enum lcl_match_kernel which,
                    enum lcl_match_variant variant)
{
    return kernels[which].by_waves && variant != LCL_MATCH_LISTED
               ? lcl_wave_group(m->caps, 1)
               : lcl_vector_group(m->caps);
}

static enum lcl_status get_kernel(struct lcl_matcher *m,
                                  enum lcl_match_kernel which,
                                  enum lcl_match_variant variant)
{
    const int width = m->caps->width;
    const int lanes = variant == LCL_MATCH_MANY ? MANY : FEW;
    struct lcl_spec spec = {
        .source = kernels[which].source,
        .kernel = kernels[which].name,
        .group = group_of(m, which, variant),
        .block = reads_blocks(which) && m->A->block > 1 ? m->A->block : 0,
    };
    if (has_teams(which)) {
        lcl_spec_set(&spec, "LANES_PER_ROW", lanes < width ? lanes : width);
        lcl_spec_set(&spec, "LONG_ROWS", variant == LCL_MATCH_LISTED);
    }
    return lcl_kernel_get(&m->kernel[which][variant], m->ctx, &spec);
}

static int64_t groups_of(const struct lcl_matcher *m,
                         enum lcl_match_kernel which,
                         enum lcl_match_variant variant)
{
    return which == LCL_MATCH_CUT_PAIRS
               ? 1
               : (int64_t)lcl_vector_groups(m->caps) *
                     lcl_vector_group(m->caps) / group_of(m, which, variant);
}

enum lcl_status lcl_match_launch(struct lcl_matcher *m,
                                 enum lcl_match_kernel which,
                                 enum lcl_match_variant variant,
                                 const struct lcl_arg *args, int count)
{
    lcl_kernel **kernel = &m->kernel[which][variant];
    const enum lcl_status st = *kernel ? LCL_OK : get_kernel(m, which, variant);
    if (st < 0)
        return st;
    ++m->launches;
    return lcl_launch(*kernel, groups_of(m, which, variant), args, count);
}

enum lcl_match_variant lcl_match_variant_of(const struct lcl_match_graph *G)
{
    return G->entries > MEAN_FEW * G->n ? LCL_MATCH_MANY : LCL_MATCH_FEW;
}

enum lcl_status lcl_match_rows(struct lcl_matcher *m,
                               enum lcl_match_kernel which,
                               const struct lcl_match_graph *G,
                               const struct lcl_arg *args, int count)
{
    struct lcl_arg all[ARGUMENTS] = {
        lcl_arg_long(G->n), lcl_arg_buffer(G->list ? G->list : G->row_ptr)};
    memcpy(all + 2, args, (size_t)count * sizeof *args);
    const enum lcl_status st =
        lcl_match_launch(m, which, lcl_match_variant_of(G), all, count + 2);
    if (st < 0 || G->longs == 0)
        return st;
    all[0] = lcl_arg_long(G->longs);
    return lcl_match_launch(m, which, LCL_MATCH_LISTED, all, count + 2);
}

enum lcl_status lcl_match_buffer(struct lcl_matcher *m, lcl_buffer **out,
                                 int64_t count)
{
    return lcl_buffer_create(out, m->ctx, count, sizeof(uint32_t), "matching");
}

// ------------------------------------------------------------------- scan

enum lcl_status lcl_match_scan(struct lcl_matcher *m,
                               const struct lcl_match_scan *scan)
{
    const struct lcl_summands what = {
        .n = scan->n,
        .in = scan->in,
        .kind = scan->kind,
        .counts = m->scratch.counts,
        .n_of = scan->n_of,
        .total = scan->total,
    };
    m->launches += 2;
    return lcl_prefix_sum(&m->sum, &what, scan->out);
}
