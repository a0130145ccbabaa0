// SPDX-License-Identifier: BSD-3-Clause
// Sums and exchanges that are enqueued like kernels.
#include "lib/comm/relay.h"

#include "cl/comm/relay.cl.h"
#include "host/alloc.h"
#include "host/clock.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"

#include <math.h>

// A kernel waits for longer than the thread that answers it.
#define DEVICE_PATIENCE 60.0 // seconds

// On a CPU each waiting group occupies a core that the kernel of another rank
// may need.
static int64_t waiting_groups(const lcl_relay *R, int64_t wanted)
{
    const int64_t most = lcl_context_is_cpu(R->ctx) ? 1 : RELAY_GROUPS;
    return wanted < most ? wanted : most;
}

// ------------------------------------------------------------------- creation

static enum lcl_status get_kernels(lcl_relay *R)
{
    const struct lcl_spec spec = {
        .source = "relay.cl",
        .group = lcl_vector_group(lcl_context_caps(R->ctx)),
        .defines = {{"FENCE", (int)lcl_context_caps(R->ctx)->fence}}};
    const struct lcl_kernel_plan all[] = {{&R->sum, "relay_sum"},
                                          {&R->pack, "relay_pack"},
                                          {&R->unpack, "relay_unpack"}};
    return lcl_kernels_get(R->ctx, &spec, all, 3);
}

static enum lcl_status enqueue_sum(lcl_relay *R, lcl_buffer *sums, int first,
                                   int rows, int groups)
{
    return LCL_LAUNCH(
        R->sum, waiting_groups(R, rows), lcl_arg_buffer(sums),
        lcl_arg_int(first), lcl_arg_int(rows), lcl_arg_int(groups),
        lcl_arg_buffer(R->ask.buffer), lcl_arg_buffer(R->reply.buffer),
        lcl_arg_int((int32_t)(uint32_t)++R->sums), lcl_arg_long(R->polls));
}

// Times a kernel that waits without getting an answer.
static enum lcl_status time_wait(lcl_relay *R, lcl_buffer *sums,
                                 double *seconds)
{
    const double start = lcl_now();
    enum lcl_status st = enqueue_sum(R, sums, 0, 1, 1);
    if (st == LCL_OK)
        st = lcl_context_wait(R->ctx);
    *seconds = lcl_now() - start;
    return st;
}

// How often a kernel polls host memory while it waits, measured over three
// launches; the shortest counts. A launch takes tens of milliseconds on a busy
// CPU and is part of the time. One launch before these may compile the kernel.
static enum lcl_status count_polls(lcl_relay *R, lcl_buffer *sums)
{
    double seconds = 0, again;
    R->polls = lcl_context_is_cpu(R->ctx) ? 5000000 : 500;
    enum lcl_status st = time_wait(R, sums, &again);
    while (seconds < 1e-3 && st == LCL_OK) {
        R->polls *= 2;
        st = time_wait(R, sums, &seconds);
    }
    for (int k = 0; k < 2 && st == LCL_OK; ++k) {
        st = time_wait(R, sums, &again);
        seconds = fmin(seconds, again);
    }
    R->polls = (int64_t)(DEVICE_PATIENCE / seconds * (double)R->polls);
    return st;
}

// A kernel that gets no answer reports to the host that it is late. The report
// is missing with Mesa 25.0.7, which copies memory of llvmpipe when it is
// mapped.
static enum lcl_status check_shared(lcl_relay *R)
{
    const bool late = R->ask.words[0] != 0;
    R->ask.words[0] = 0;
    return late ? LCL_OK
                : lcl_fail(lcl_context_log(R->ctx), LCL_EUNSUPPORTED,
                           "the host does not see what the device writes");
}

static enum lcl_status refuse_unfenced(const lcl_relay *R)
{
    return lcl_context_caps(R->ctx)->fence != LCL_FENCE_NONE
               ? LCL_OK
               : lcl_fail(lcl_context_log(R->ctx), LCL_EUNSUPPORTED,
                          "no fence orders what the host sees of the device's "
                          "writes");
}

static enum lcl_status measure(lcl_relay *R)
{
    lcl_buffer *sums;
    const double zero = 0;
    enum lcl_status st =
        lcl_buffer_create_from(&sums, R->ctx, &zero, 1, sizeof zero, "a sum");
    if (st == LCL_OK)
        st = count_polls(R, sums);
    lcl_buffer_destroy(&sums);
    return st < 0 ? st : check_shared(R);
}

enum lcl_status lcl_relay_create(lcl_relay **out, lcl_context *ctx,
                                 const struct lcl_relays *all, int rank)
{
    lcl_relay *R = *out = lcl_calloc(1, sizeof *R);
    enum lcl_status st;
    if (!R)
        return lcl_fail_memory(lcl_context_log(ctx), "sums over devices");
    R->ctx = ctx;
    R->all = all;
    R->rank = rank;
    R->patience = LCL_RELAY_PATIENCE;
    pthread_mutex_init(&R->lock, NULL);
    if ((st = refuse_unfenced(R)) < 0 || (st = get_kernels(R)) < 0 ||
        (st = lcl_shared_init(&R->ask, ctx, RELAY_ASK_WORDS, "sums")) < 0 ||
        (st = lcl_shared_init(&R->reply, ctx, RELAY_REPLY_WORDS, "sums")) < 0 ||
        (st = measure(R)) < 0)
        lcl_relay_destroy(out);
    return st;
}

void lcl_relay_destroy(lcl_relay **relay)
{
    lcl_relay *R = *relay;
    if (!R)
        return;
    lcl_shared_finish(&R->ask);
    lcl_shared_finish(&R->reply);
    pthread_mutex_destroy(&R->lock);
    lcl_free(R);
    *relay = NULL;
}

// ------------------------------------------------------------------- run

// After a failed run, ranks may have begun different numbers of messages.
static void level_exchange(const struct lcl_relays *all, int place)
{
    long long most = 0;
    for (int r = 0; r < all->size; ++r) {
        const lcl_relay_exchange *X =
            atomic_load(&all->rank[r]->exchange[place]);
        if (X && X->begun > most)
            most = X->begun;
    }
    for (int r = 0; r < all->size; ++r) {
        lcl_relay_exchange *X = atomic_load(&all->rank[r]->exchange[place]);
        if (X) {
            X->begun = X->received = most;
            atomic_store(&X->served, most);
        }
    }
}

void lcl_relays_reset(const struct lcl_relays *all)
{
    long long most = 0;
    for (int r = 0; r < all->size; ++r)
        if (all->rank[r]->sums > most)
            most = all->rank[r]->sums;
    for (int r = 0; r < all->size; ++r) {
        all->rank[r]->sums = all->rank[r]->summed = most;
        atomic_store(&all->rank[r]->lost, 0);
    }
    for (int place = 0; place < all->rank[0]->places; ++place)
        level_exchange(all, place);
}

enum lcl_status lcl_relay_start(lcl_relay *R)
{
    if (!R)
        return LCL_OK;
    atomic_store(&R->ends, false);
    return lcl_thread_start(&R->thread, lcl_carrier_run, R)
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(R->ctx), "a thread");
}

static enum lcl_status check(const lcl_relay *R)
{
    const struct lcl_log *log = lcl_context_log(R->ctx);
    const int lost = atomic_load(&R->lost);
    if (lost)
        return lcl_fail(log, LCL_EDEVICE, "rank %d did not answer", lost - 1);
    return R->ask.words[0] == 0
               ? LCL_OK
               : lcl_fail(log, LCL_EDEVICE,
                          "the device did not see what the host wrote");
}

enum lcl_status lcl_relay_end(lcl_relay *R)
{
    if (!R)
        return LCL_OK;
    const enum lcl_status st = lcl_context_wait(R->ctx);
    atomic_store(&R->ends, true);
    pthread_join(R->thread, NULL);
    return st < 0 ? st : check(R);
}

// ------------------------------------------------------------------- sums

enum lcl_status lcl_relay_sum(lcl_relay *R, lcl_buffer *sums, int first,
                              int rows, int groups)
{
    enum lcl_status st = check(R);
    for (int q = 0; q < rows && st == LCL_OK; q += RELAY_ROWS)
        st = enqueue_sum(R, sums, first + q,
                         rows - q < RELAY_ROWS ? rows - q : RELAY_ROWS, groups);
    return st;
}

// ------------------------------------------------------------------- exchanges

// Converts counts of rows to counts of doubles.
static struct lcl_halo_peer *copy_of(const struct lcl_halo_peer *all, int count,
                                     int64_t per_row)
{
    struct lcl_halo_peer *copy = lcl_malloc((size_t)count, sizeof *copy);
    for (int k = 0; k < count && copy; ++k)
        copy[k] = (struct lcl_halo_peer){all[k].rank, all[k].start * per_row,
                                         all[k].count * per_row};
    return copy;
}

static enum lcl_status fill(lcl_relay_exchange *X,
                            const struct lcl_relay_plan *plan)
{
    lcl_context *ctx = X->relay->ctx;
    const char *what = "messages between devices";
    X->sends = plan->sends * plan->per_row;
    X->ghosts = plan->ghosts * plan->per_row;
    X->tos = plan->tos;
    X->froms = plan->froms;
    X->to = copy_of(plan->to, plan->tos, plan->per_row);
    X->from = copy_of(plan->from, plan->froms, plan->per_row);
    if (!X->to || !X->from)
        return lcl_fail_memory(lcl_context_log(ctx), what);
    const enum lcl_status st =
        lcl_shared_init(&X->out, ctx, RELAY_MESSAGE_WORDS(X->sends), what);
    return st < 0 ? st
                  : lcl_shared_init(&X->in, ctx, RELAY_MESSAGE_WORDS(X->ghosts),
                                    what);
}

// Uses the first free entry of the list.
static enum lcl_status list(lcl_relay_exchange *X)
{
    lcl_relay *R = X->relay;
    int place = 0;
    while (place < LCL_RELAY_MOST && atomic_load(&R->exchange[place]))
        ++place;
    if (place == LCL_RELAY_MOST)
        return lcl_fail(lcl_context_log(R->ctx), LCL_ERANGE,
                        "more than %d exchanges between devices at once",
                        LCL_RELAY_MOST);
    pthread_mutex_lock(&R->lock);
    X->place = place;
    atomic_store(&R->exchange[place], X);
    if (place >= R->places)
        R->places = place + 1;
    pthread_mutex_unlock(&R->lock);
    return LCL_OK;
}

enum lcl_status lcl_relay_open(lcl_relay_exchange **out, lcl_relay *R,
                               const struct lcl_relay_plan *plan)
{
    lcl_relay_exchange *X = *out = lcl_calloc(1, sizeof *X);
    enum lcl_status st;
    if (!X)
        return lcl_fail_memory(lcl_context_log(R->ctx), "an exchange");
    X->relay = R;
    X->place = LCL_RELAY_MOST;
    if ((st = fill(X, plan)) < 0 || (st = list(X)) < 0)
        lcl_relay_close(out);
    return st;
}

void lcl_relay_close(lcl_relay_exchange **exchange)
{
    lcl_relay_exchange *X = *exchange;
    if (!X)
        return;
    pthread_mutex_lock(&X->relay->lock);
    if (X->place < LCL_RELAY_MOST)
        atomic_store(&X->relay->exchange[X->place], NULL);
    pthread_mutex_unlock(&X->relay->lock);
    lcl_shared_finish(&X->out);
    lcl_shared_finish(&X->in);
    lcl_free(X->to);
    lcl_free(X->from);
    lcl_free(X);
    *exchange = NULL;
}

static int64_t groups_for(const lcl_relay *R, int64_t count)
{
    const int group = lcl_vector_group(lcl_context_caps(R->ctx));
    return waiting_groups(R, count / group + 1);
}

enum lcl_status lcl_relay_send(lcl_relay_exchange *X, const lcl_buffer *place,
                               const lcl_buffer *x)
{
    const lcl_relay *R = X->relay;
    const enum lcl_status st = check(R);
    return st < 0 ? st
                  : LCL_LAUNCH(R->pack, groups_for(R, X->sends),
                               lcl_arg_long(X->sends), lcl_arg_buffer(place),
                               lcl_arg_buffer(x), lcl_arg_buffer(X->out.buffer),
                               lcl_arg_int((int32_t)(uint32_t)++X->begun));
}

enum lcl_status lcl_relay_receive(lcl_relay_exchange *X, lcl_buffer *ghost,
                                  int64_t at, lcl_launch_fn *launch)
{
    const lcl_relay *R = X->relay;
    return LCL_LAUNCH_BY(launch, R->unpack, groups_for(R, X->ghosts),
                         lcl_arg_long(X->ghosts), lcl_arg_buffer(X->in.buffer),
                         lcl_arg_buffer(ghost), lcl_arg_long(at),
                         lcl_arg_int((int32_t)(uint32_t)++X->received),
                         lcl_arg_long(R->polls), lcl_arg_buffer(R->ask.buffer));
}

uint64_t lcl_relay_bytes(const lcl_relay_exchange *X)
{
    return X ? lcl_buffer_bytes(X->out.buffer) + lcl_buffer_bytes(X->in.buffer)
             : 0;
}

struct lcl_exchange_info lcl_relay_exchanged(const lcl_relay *R)
{
    return R ? R->exchanged : (struct lcl_exchange_info){0};
}
