// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of strongly coupled rows on the device.
#include "lib/multilevel/aggregates.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/prefix_sum.h"

#include "cl/multilevel/aggregate.cl.h"

#include <assert.h>

enum {
    FIRST_ROUNDS = 10, // before the first read of the counter
    NEXT_ROUNDS = 4,   // before each further one
    TOTAL = AGGREGATE_BATCH,
    WORDS,
};

static_assert((int)FIRST_ROUNDS <= (int)AGGREGATE_BATCH, "one word per round");

enum kernel {
    START_ROWS,
    NEAR_KEYS,
    CHOOSE_ROOTS,
    TAKE_ROWS,
    START_SECOND,
    COUNT_SIZES,
    JOIN_ROWS,
    MARK_ROOTS,
    NUMBER_ROWS,
    KERNELS,
};

static const char *const kernel_names[KERNELS] = {
    [START_ROWS] = "start_rows",     [NEAR_KEYS] = "near_keys",
    [CHOOSE_ROOTS] = "choose_roots", [TAKE_ROWS] = "take_rows",
    [START_SECOND] = "start_second", [COUNT_SIZES] = "count_sizes",
    [JOIN_ROWS] = "join_rows",       [MARK_ROOTS] = "mark_roots",
    [NUMBER_ROWS] = "number_rows",
};

// Buffers of n elements, but the words: left[], see the kernels, and the total.
struct work {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    const struct lcl_strength *S;
    lcl_kernel *kernels[KERNELS];
    int64_t groups;
    struct lcl_prefix_sum sum;
    lcl_buffer *words, *state, *near, *label, *new_label, *size, *number;
    struct lcl_arg n, row_ptr, col, strong; // of most launches
};

static enum lcl_status allocate(struct work *w, struct lcl_aggregates *G)
{
    const int64_t n = w->A->n;
    const char *what = "aggregates";
    const struct lcl_buffer_plan all[] = {
        {&G->aggregate, n, sizeof(int32_t), what},
        {&w->words, WORDS, sizeof(uint32_t), what},
        {&w->state, n, 1, what},
        {&w->near, n, sizeof(uint64_t), what},
        {&w->label, n, sizeof(int32_t), what},
        {&w->new_label, n, sizeof(int32_t), what},
        {&w->size, n, sizeof(int32_t), what},
        {&w->number, n + 1, sizeof(uint32_t), what},
    };
    return lcl_buffers_create(w->ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status get_kernels(struct work *w)
{
    struct lcl_kernel_plan all[KERNELS];
    const struct lcl_spec spec =
        lcl_row_team_spec(w->ctx, w->A, "aggregate.cl");
    for (int k = 0; k < KERNELS; ++k)
        all[k] = (struct lcl_kernel_plan){&w->kernels[k], kernel_names[k]};
    w->groups = lcl_row_team_groups(&spec, w->A);
    return lcl_kernels_get(w->ctx, &spec, all, KERNELS);
}

static enum lcl_status work_init(struct work *w, struct lcl_aggregates *G)
{
    enum lcl_status st = lcl_prefix_sum_init(&w->sum, w->ctx);
    if (st < 0 || (st = get_kernels(w)) < 0)
        return st;
    w->n = lcl_arg_long(w->A->n);
    w->row_ptr = lcl_arg_buffer(w->A->row_ptr);
    w->col = lcl_arg_buffer(w->A->col);
    w->strong = lcl_arg_buffer(w->S->strong);
    return allocate(w, G);
}

static void work_finish(struct work *w)
{
    lcl_buffer **const all[] = {&w->words,     &w->state, &w->near,  &w->label,
                                &w->new_label, &w->size,  &w->number};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(all[i]);
    lcl_prefix_sum_finish(&w->sum);
}

// ------------------------------------------------------------------- rounds

static enum lcl_status launch_round(const struct work *w, int64_t round,
                                    int slot)
{
    const struct lcl_arg number = lcl_arg_int((int32_t)round);
    const struct lcl_arg state = lcl_arg_buffer(w->state);
    const struct lcl_arg near = lcl_arg_buffer(w->near);
    const struct lcl_arg left = lcl_arg_buffer(w->words);
    const enum lcl_status st = LCL_LAUNCH(
        w->kernels[NEAR_KEYS], w->groups, w->n, number, lcl_arg_int(slot),
        w->row_ptr, w->col, w->strong, state, near, left);
    if (st < 0)
        return st;
    return LCL_LAUNCH(w->kernels[CHOOSE_ROOTS], w->groups, w->n, number,
                      lcl_arg_int(slot), w->row_ptr, w->col, w->strong, near,
                      state, left);
}

// Every round decides at least the row of the highest key.
static enum lcl_status choose_roots(const struct work *w)
{
    enum lcl_status st = LCL_OK;
    int32_t left = 1;
    int64_t round = 0;
    while (left != 0 && round <= w->A->n && st == LCL_OK) {
        const int batch = round == 0 ? FIRST_ROUNDS : NEXT_ROUNDS;
        for (int slot = 0; slot < batch && st == LCL_OK; ++slot)
            st = launch_round(w, round + slot, slot);
        if (st == LCL_OK)
            st = lcl_buffer_read_at(w->words, (size_t)(batch - 1) * sizeof left,
                                    &left, sizeof left);
        round += batch;
    }
    if (st == LCL_OK && left != 0)
        return lcl_fail(lcl_context_log(w->ctx), LCL_ESELFTEST,
                        "%s computes wrong results: endless search for "
                        "aggregates",
                        lcl_context_caps(w->ctx)->name);
    return st;
}

static enum lcl_status find_set(const struct work *w)
{
    const enum lcl_status st = choose_roots(w);
    return st < 0
               ? st
               : LCL_LAUNCH(w->kernels[TAKE_ROWS], w->groups, w->n, w->row_ptr,
                            w->col, w->strong, lcl_arg_buffer(w->state),
                            lcl_arg_buffer(w->label));
}

static enum lcl_status find_sets(const struct work *w, int second)
{
    const struct lcl_arg state = lcl_arg_buffer(w->state);
    const struct lcl_arg near = lcl_arg_buffer(w->near);
    const struct lcl_arg label = lcl_arg_buffer(w->label);
    enum lcl_status st;
    if ((st = LCL_LAUNCH(w->kernels[START_ROWS], w->groups, w->n,
                         lcl_arg_buffer(w->S->strong_count), state, near, label,
                         lcl_arg_buffer(w->size))) < 0 ||
        (st = find_set(w)) < 0 || second <= 0)
        return st;
    st = LCL_LAUNCH(w->kernels[START_SECOND], w->groups, w->n,
                    lcl_arg_int(second), w->row_ptr, w->col, w->strong, label,
                    state, near);
    return st < 0 ? st : find_set(w);
}

// ------------------------------------------------------------------- join

// The result is in new_label.
static enum lcl_status join(const struct work *w)
{
    const struct lcl_arg labels[] = {lcl_arg_buffer(w->label),
                                     lcl_arg_buffer(w->new_label)};
    const struct lcl_arg size = lcl_arg_buffer(w->size);
    const struct lcl_arg left = lcl_arg_buffer(w->words);
    enum lcl_status st = LCL_LAUNCH(w->kernels[COUNT_SIZES], w->groups, w->n,
                                    labels[0], size, left);
    static_assert(AGGREGATE_JOINS % 2 == 1, "the last sweep fills new_label");
    for (int s = 0; s < AGGREGATE_JOINS && st == LCL_OK; ++s)
        st = LCL_LAUNCH(w->kernels[JOIN_ROWS], w->groups, w->n, lcl_arg_int(s),
                        w->row_ptr, w->col, lcl_arg_buffer(w->A->val),
                        w->strong, lcl_arg_buffer(w->S->strong_count), size,
                        labels[s % 2], labels[(s + 1) % 2], left);
    return st;
}

static enum lcl_status number(const struct work *w, struct lcl_aggregates *G)
{
    const struct lcl_arg label = lcl_arg_buffer(w->new_label);
    const struct lcl_summands marks = {
        .n = w->A->n,
        .in = w->size,
        .kind = LCL_SUM_NUMBERS,
        .counts = w->words,
        .n_of = -1,
        .total = TOTAL,
    };
    uint32_t total = 0;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(w->kernels[MARK_ROOTS], w->groups, w->n, label,
                         lcl_arg_buffer(w->size))) < 0 ||
        (st = lcl_prefix_sum(&w->sum, &marks, w->number)) < 0 ||
        (st = LCL_LAUNCH(w->kernels[NUMBER_ROWS], w->groups, w->n, label,
                         lcl_arg_buffer(w->number),
                         lcl_arg_buffer(G->aggregate))) < 0 ||
        (st = lcl_buffer_read_at(w->words, TOTAL * sizeof total, &total,
                                 sizeof total)) < 0)
        return st;
    G->aggregates = total;
    if (total > w->A->n)
        return lcl_fail(lcl_context_log(w->ctx), LCL_ESELFTEST,
                        "%s computes wrong results: impossible number of "
                        "aggregates",
                        lcl_context_caps(w->ctx)->name);
    return LCL_OK;
}

enum lcl_status lcl_aggregates_init(struct lcl_aggregates *G, lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_strength *S,
                                    const struct lcl_aggregates_params *params)
{
    struct work w = {.ctx = ctx, .A = A, .S = S};
    enum lcl_status st;
    *G = (struct lcl_aggregates){.n = A->n};
    if ((st = work_init(&w, G)) == LCL_OK &&
        (st = find_sets(&w, params->second)) == LCL_OK &&
        (st = join(&w)) == LCL_OK)
        st = number(&w, G);
    work_finish(&w);
    if (st < 0)
        lcl_aggregates_finish(G);
    return st;
}

void lcl_aggregates_finish(struct lcl_aggregates *G)
{
    lcl_buffer_destroy(&G->aggregate);
    *G = (struct lcl_aggregates){.n = 0};
}
