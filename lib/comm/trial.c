// SPDX-License-Identifier: BSD-3-Clause
// Trial of a relay with sums and messages whose results are known. Messages
// travel round the ranks, upwards and at the same time downwards; each rank
// forwards the message that it has received, rotated by one element. A late
// element, or one of another message, stays wrong until the end.
#include "lib/comm/trial.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#define PATIENCE (1.0 / 60) // of a relay alone on its device

enum { SUMS = 16, LENGTHS = 3, ROUNDS = 64, CPU_ROUNDS = 2 };

// Doubles per message: up to the halo of 256^3 cells on two devices.
static const int64_t length[LENGTHS] = {1, 1000, 65536};

struct course {
    int64_t count; // doubles in each of the messages
    int ways;      // messages at once: upwards; downwards
    lcl_relay_exchange *exchange;
    lcl_buffer *place, *ghost;
};

struct lcl_trial {
    lcl_relay *R;
    struct course course[LENGTHS];
};

// The number of rounds, equal on all ranks.
static int rounds_on(const lcl_relay *R)
{
    for (int r = 0; r < R->all->size; ++r)
        if (lcl_context_is_cpu(R->all->rank[r]->ctx))
            return CPU_ROUNDS;
    return ROUNDS;
}

// The rank `steps` ranks further up.
static int rank_from(const lcl_relay *R, int steps)
{
    const int size = R->all->size;
    return ((R->rank + steps) % size + size) % size;
}

// Element k of the message that starts at a rank.
static double value_at(const struct course *c, int rank, int way, int64_t k)
{
    return (double)(((int64_t)rank * 2 + way) * c->count + k + 1);
}

// ------------------------------------------------------------------- creation

static enum lcl_status open_exchange(lcl_relay *R, struct course *c)
{
    const struct lcl_halo_peer up = {rank_from(R, 1), 0, c->count};
    const struct lcl_halo_peer below = {rank_from(R, -1), 0, c->count};
    const struct lcl_halo_peer to[] = {up, {below.rank, c->count, c->count}};
    const struct lcl_halo_peer from[] = {below, {up.rank, c->count, c->count}};
    const struct lcl_relay_plan plan = {.sends = c->ways * c->count,
                                        .ghosts = c->ways * c->count,
                                        .per_row = 1,
                                        .to = to,
                                        .from = from,
                                        .tos = c->ways,
                                        .froms = c->ways};
    return lcl_relay_open(&c->exchange, R, &plan);
}

static void fill(const lcl_relay *R, const struct course *c, int32_t *place,
                 double *own)
{
    for (int way = 0; way < c->ways; ++way)
        for (int64_t k = 0; k < c->count; ++k) {
            const int64_t at = way * c->count + k;
            place[at] = (int32_t)(way * c->count + (k + 1) % c->count);
            own[at] = value_at(c, R->rank, way, k);
        }
}

static enum lcl_status upload(lcl_relay *R, struct course *c)
{
    const int64_t n = c->ways * c->count;
    int32_t *place = lcl_malloc((size_t)n, sizeof *place);
    double *own = lcl_malloc((size_t)n, sizeof *own);
    enum lcl_status st = LCL_OK;
    if (!place || !own)
        st = lcl_fail_memory(lcl_context_log(R->ctx), "a trial");
    else
        fill(R, c, place, own);
    if (st == LCL_OK)
        st = lcl_buffer_create_from(&c->place, R->ctx, place, n, sizeof *place,
                                    "a trial");
    if (st == LCL_OK)
        st = lcl_buffer_create_from(&c->ghost, R->ctx, own, n, sizeof *own,
                                    "a trial");
    lcl_free(place);
    lcl_free(own);
    return st;
}

enum lcl_status lcl_trial_create(lcl_trial **out, lcl_relay *R)
{
    lcl_trial *T = *out = lcl_calloc(1, sizeof *T);
    enum lcl_status st = LCL_OK;
    if (!T)
        return lcl_fail_memory(lcl_context_log(R->ctx), "a trial");
    T->R = R;
    for (int k = 0; k < LENGTHS && st == LCL_OK; ++k) {
        struct course *c = &T->course[k];
        c->count = length[k];
        c->ways = R->all->size > 2 ? 2 : 1;
        if ((st = open_exchange(R, c)) == LCL_OK)
            st = upload(R, c);
    }
    return st;
}

// The relay's statistics must not include the trial.
void lcl_trial_destroy(lcl_trial **trial)
{
    lcl_trial *T = *trial;
    if (!T)
        return;
    for (int k = 0; k < LENGTHS; ++k) {
        lcl_relay_close(&T->course[k].exchange);
        lcl_buffer_destroy(&T->course[k].place);
        lcl_buffer_destroy(&T->course[k].ghost);
    }
    T->R->exchanged = (struct lcl_exchange_info){0};
    lcl_free(T);
    *trial = NULL;
}

// ------------------------------------------------------------------- sums

// Sums two rows of numbers over all ranks; each sum multiplies them by the
// number of ranks. All sums are exact.
static enum lcl_status sum_once(lcl_relay *R, lcl_buffer *sums, double expected,
                                bool *right)
{
    double got[4];
    enum lcl_status st = lcl_relay_sum(R, sums, 0, 2, 2);
    if (st == LCL_OK)
        st = lcl_buffer_read(sums, got, sizeof got);
    *right = st == LCL_OK && got[0] == expected && got[1] == 0 &&
             got[2] == expected && got[3] == 0;
    if (st == LCL_OK && !*right)
        lcl_debug(lcl_context_log(R->ctx),
                  "trial of rank %d: sums %g %g %g %g, expected %g 0 %g 0",
                  R->rank, got[0], got[1], got[2], got[3], expected, expected);
    return st;
}

static enum lcl_status sum_all(lcl_relay *R, bool *right)
{
    const double own[4] = {R->rank, 1, 1, R->rank};
    double expected = 0.5 * R->all->size * (R->all->size + 1);
    lcl_buffer *sums;
    enum lcl_status st =
        lcl_buffer_create_from(&sums, R->ctx, own, 4, sizeof *own, "sums");
    for (int k = 0; k < SUMS && st == LCL_OK && *right; ++k) {
        st = sum_once(R, sums, expected, right);
        expected *= R->all->size;
    }
    lcl_buffer_destroy(&sums);
    return st;
}

// ------------------------------------------------------------------- messages

static enum lcl_status enqueue_rounds(const lcl_relay *R, struct course *c)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < rounds_on(R) && st == LCL_OK; ++k)
        if ((st = lcl_relay_send(c->exchange, c->place, c->ghost)) == LCL_OK)
            st = lcl_relay_receive(c->exchange, c->ghost, 0, lcl_launch);
    return st;
}

static int64_t count_wrong(const lcl_relay *R, const struct course *c,
                           const double *got)
{
    const int rounds = rounds_on(R);
    int64_t wrong = 0;
    for (int way = 0; way < c->ways; ++way) {
        const int from = rank_from(R, way == 0 ? -rounds : rounds);
        for (int64_t k = 0; k < c->count; ++k)
            if (got[way * c->count + k] !=
                value_at(c, from, way, (k + rounds) % c->count))
                ++wrong;
    }
    return wrong;
}

static enum lcl_status go_round(lcl_relay *R, struct course *c, bool *right)
{
    const size_t bytes = (size_t)(c->ways * c->count) * sizeof(double);
    double *got = lcl_malloc(bytes, 1);
    enum lcl_status st;
    if (!got)
        return lcl_fail_memory(lcl_context_log(R->ctx), "a trial");
    if ((st = enqueue_rounds(R, c)) == LCL_OK &&
        (st = lcl_buffer_read(c->ghost, got, bytes)) == LCL_OK) {
        const int64_t wrong = count_wrong(R, c, got);
        *right = wrong == 0;
        lcl_debug(lcl_context_log(R->ctx),
                  "trial of rank %d, fence '%s': %lld of %lld doubles wrong "
                  "after %d messages",
                  R->rank, lcl_fence_name(lcl_context_caps(R->ctx)->fence),
                  (long long)wrong, (long long)(c->ways * c->count),
                  rounds_on(R));
    }
    lcl_free(got);
    return st;
}

static enum lcl_status run(lcl_trial *T, bool *right)
{
    enum lcl_status st = sum_all(T->R, right);
    for (int k = 0; k < LENGTHS && st == LCL_OK && *right; ++k)
        st = go_round(T->R, &T->course[k], right);
    return st;
}

enum lcl_status lcl_trial_run(lcl_trial *T, bool *right)
{
    const int64_t polls = T->R->polls;
    *right = true;
    if (!lcl_context_is_cpu(T->R->ctx)) // whose cores may be busy
        T->R->polls = (int64_t)((double)polls * PATIENCE);
    const enum lcl_status st = run(T, right);
    T->R->polls = polls;
    return st;
}
