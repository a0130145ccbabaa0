// SPDX-License-Identifier: BSD-3-Clause
// Splitting of the rows of a matrix into coarse and fine ones on the device.
#include "lib/multilevel/splitting.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/prefix_sum.h"

#include "cl/multilevel/splitting.cl.h"

#include <assert.h>

enum {
    FIRST_ROUNDS = 8, // before the first read of the counter
    NEXT_ROUNDS = 4,  // before each further one
    TOTAL = SPLITTING_BATCH,
    WORDS,
};

static_assert((int)FIRST_ROUNDS <= (int)SPLITTING_BATCH, "one word per round");

enum kernel {
    FIND_DEPENDENCES,
    START_STATES,
    MARK_SMALLER,
    CHOOSE_COARSE,
    MARK_COARSE,
    NUMBER_COARSE,
    KERNELS,
};

static const char *const kernel_names[KERNELS] = {
    [FIND_DEPENDENCES] = "find_dependences", [START_STATES] = "start_states",
    [MARK_SMALLER] = "mark_smaller",         [CHOOSE_COARSE] = "choose_coarse",
    [MARK_COARSE] = "mark_coarse",           [NUMBER_COARSE] = "number_coarse",
};

// Buffers of n elements, but the words: left[], see the kernels, and the total.
struct work {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    struct lcl_splitting *S;
    lcl_kernel *kernels[KERNELS];
    int64_t groups;
    struct lcl_prefix_sum sum;
    lcl_buffer *words, *counts, *state, *mark, *number;
    struct lcl_arg n, row_ptr, col; // of most launches
};

static enum lcl_status allocate(struct work *w)
{
    const int64_t n = w->A->n;
    const char *what = "a splitting";
    const struct lcl_buffer_plan all[] = {
        {&w->S->strong, w->A->blocks, 1, what},
        {&w->S->negative, n, 1, what},
        {&w->S->coarse, n, sizeof(int32_t), what},
        {&w->words, WORDS, sizeof(uint32_t), what},
        {&w->counts, n, sizeof(uint32_t), what},
        {&w->state, n, 1, what},
        {&w->mark, n, sizeof(int32_t), what},
        {&w->number, n + 1, sizeof(uint32_t), what},
    };
    return lcl_buffers_create(w->ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status get_kernels(struct work *w)
{
    struct lcl_kernel_plan all[KERNELS];
    const struct lcl_spec spec =
        lcl_row_team_spec(w->ctx, w->A, "splitting.cl");
    for (int k = 0; k < KERNELS; ++k)
        all[k] = (struct lcl_kernel_plan){&w->kernels[k], kernel_names[k]};
    w->groups = lcl_row_team_groups(&spec, w->A);
    return lcl_kernels_get(w->ctx, &spec, all, KERNELS);
}

static enum lcl_status work_init(struct work *w)
{
    enum lcl_status st;
    if (w->A->block != 1)
        return lcl_fail(lcl_context_log(w->ctx), LCL_EUNSUPPORTED,
                        "a splitting of %d x %d blocks", w->A->block,
                        w->A->block);
    if ((st = lcl_prefix_sum_init(&w->sum, w->ctx)) < 0 ||
        (st = get_kernels(w)) < 0)
        return st;
    w->n = lcl_arg_long(w->A->n);
    w->row_ptr = lcl_arg_buffer(w->A->row_ptr);
    w->col = lcl_arg_buffer(w->A->col);
    return allocate(w);
}

static void work_finish(struct work *w)
{
    lcl_buffer **const all[] = {&w->words, &w->counts, &w->state, &w->mark,
                                &w->number};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(all[i]);
    lcl_prefix_sum_finish(&w->sum);
}

static enum lcl_status start(const struct work *w, double theta)
{
    const struct lcl_arg counts = lcl_arg_buffer(w->counts);
    enum lcl_status st;
    if ((st = lcl_buffer_fill(w->counts, 0)) < 0 ||
        (st =
             LCL_LAUNCH(w->kernels[FIND_DEPENDENCES], w->groups, w->n,
                        lcl_arg_double(theta), w->row_ptr, w->col,
                        lcl_arg_buffer(w->A->val), lcl_arg_buffer(w->S->strong),
                        lcl_arg_buffer(w->S->negative), counts)) < 0)
        return st;
    return LCL_LAUNCH(w->kernels[START_STATES], w->groups, w->n, counts,
                      lcl_arg_buffer(w->state), lcl_arg_buffer(w->mark));
}

static enum lcl_status launch_round(const struct work *w, int64_t round,
                                    int slot)
{
    const struct lcl_arg number = lcl_arg_int((int32_t)round);
    const struct lcl_arg strong = lcl_arg_buffer(w->S->strong);
    const struct lcl_arg state = lcl_arg_buffer(w->state);
    const struct lcl_arg mark = lcl_arg_buffer(w->mark);
    const struct lcl_arg left = lcl_arg_buffer(w->words);
    const enum lcl_status st =
        LCL_LAUNCH(w->kernels[MARK_SMALLER], w->groups, w->n, number,
                   lcl_arg_int(slot), w->row_ptr, w->col, strong,
                   lcl_arg_buffer(w->counts), state, mark, left);
    if (st < 0)
        return st;
    return LCL_LAUNCH(w->kernels[CHOOSE_COARSE], w->groups, w->n, number,
                      lcl_arg_int(slot), w->row_ptr, w->col, strong, mark,
                      state, left);
}

// Every round decides at least the row of the largest measure.
static enum lcl_status choose(const struct work *w)
{
    enum lcl_status st = LCL_OK;
    int32_t left = 1;
    int64_t round = 0;
    while (left != 0 && round <= w->A->n && st == LCL_OK) {
        const int batch = round == 0 ? FIRST_ROUNDS : NEXT_ROUNDS;
        for (int slot = 0; slot < batch && st == LCL_OK; ++slot)
            st = launch_round(w, round + slot + 1, slot);
        if (st == LCL_OK)
            st = lcl_buffer_read_at(w->words, (size_t)(batch - 1) * sizeof left,
                                    &left, sizeof left);
        round += batch;
    }
    if (st == LCL_OK && left != 0)
        return lcl_fail(lcl_context_log(w->ctx), LCL_ESELFTEST,
                        "%s computes wrong results: endless search for coarse "
                        "rows",
                        lcl_context_caps(w->ctx)->name);
    return st;
}

static enum lcl_status number(const struct work *w)
{
    const struct lcl_arg state = lcl_arg_buffer(w->state);
    const struct lcl_summands marks = {
        .n = w->A->n,
        .in = w->mark,
        .kind = LCL_SUM_NUMBERS,
        .counts = w->words,
        .n_of = -1,
        .total = TOTAL,
    };
    uint32_t total = 0;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(w->kernels[MARK_COARSE], w->groups, w->n, state,
                         lcl_arg_buffer(w->mark))) < 0 ||
        (st = lcl_prefix_sum(&w->sum, &marks, w->number)) < 0 ||
        (st = LCL_LAUNCH(w->kernels[NUMBER_COARSE], w->groups, w->n, state,
                         lcl_arg_buffer(w->number),
                         lcl_arg_buffer(w->S->coarse))) < 0 ||
        (st = lcl_buffer_read_at(w->words, TOTAL * sizeof total, &total,
                                 sizeof total)) < 0)
        return st;
    w->S->count = total;
    if (total > w->A->n)
        return lcl_fail(lcl_context_log(w->ctx), LCL_ESELFTEST,
                        "%s computes wrong results: impossible number of "
                        "coarse rows",
                        lcl_context_caps(w->ctx)->name);
    return LCL_OK;
}

enum lcl_status lcl_splitting_init(struct lcl_splitting *S, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_splitting_params *params)
{
    const double theta = params && params->theta > 0 ? params->theta : 0.25;
    struct work w = {.ctx = ctx, .A = A, .S = S};
    enum lcl_status st;
    *S = (struct lcl_splitting){.n = A->n, .nnz = A->blocks};
    if ((st = work_init(&w)) == LCL_OK && (st = start(&w, theta)) == LCL_OK &&
        (st = choose(&w)) == LCL_OK)
        st = number(&w);
    work_finish(&w);
    if (st < 0)
        lcl_splitting_finish(S);
    return st;
}

void lcl_splitting_finish(struct lcl_splitting *S)
{
    lcl_buffer_destroy(&S->coarse);
    lcl_buffer_destroy(&S->negative);
    lcl_buffer_destroy(&S->strong);
    *S = (struct lcl_splitting){.n = 0};
}
