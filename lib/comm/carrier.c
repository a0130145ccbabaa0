// SPDX-License-Identifier: BSD-3-Clause
// The thread of a relay. It answers a request of its own device once the
// matching requests of all ranks have arrived. A device requests message t + 1
// only after it has received the answer to message t: the slots of message t -
// 1 are then free.
#include "lib/comm/carrier.h"

#include "cl/comm/relay.cl.h"
#include "host/clock.h"

#include <math.h>
#include <sched.h>
#include <string.h>

enum { SPINS = 4000, CLOCK_SPINS = 1024 };

// ------------------------------------------------------------------- words

static uint64_t load(const volatile uint64_t *word)
{
    const uint64_t value = *word;
    atomic_thread_fence(memory_order_acquire);
    return value;
}

static void store(volatile uint64_t *word, uint64_t value)
{
    atomic_thread_fence(memory_order_release);
    *word = value;
}

static bool has_arrived(const volatile uint64_t *word, uint32_t tag)
{
    return relay_is(load(word), tag);
}

static double value_of(uint64_t low, uint64_t high)
{
    const uint64_t bits = high << 32 | (uint32_t)low;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put(volatile uint64_t *low, volatile uint64_t *high, uint32_t tag,
                double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store(low, relay_word(tag, (uint32_t)bits));
    store(high, relay_word(tag, (uint32_t)(bits >> 32)));
}

// ------------------------------------------------------------------- waiting

static bool has_failed(const struct lcl_relay *R)
{
    return atomic_load(R->all->failed) != 0 || atomic_load(&R->lost) != 0;
}

struct patience {
    int spins;
    double until;
};

// Whether to keep polling for data of rank `peer`.
static bool waits_on(struct lcl_relay *R, struct patience *p, int peer)
{
    if (has_failed(R))
        return false;
    if (++p->spins < SPINS)
        return true;
    sched_yield();
    if (p->spins % CLOCK_SPINS != 0)
        return true;
    const double now = lcl_now();
    if (p->until == 0)
        p->until = now + R->patience;
    if (now < p->until)
        return true;
    atomic_store(&R->lost, peer + 1);
    return false;
}

static bool await(struct lcl_relay *R, int peer, const volatile uint64_t *word,
                  uint32_t tag)
{
    struct patience p = {0, 0};
    while (!has_arrived(word, tag))
        if (!waits_on(R, &p, peer))
            return false;
    return true;
}

// ------------------------------------------------------------------- sums

// The sum over all ranks, in the order of the ranks; NaN if a rank has failed.
static double total(struct lcl_relay *R, uint32_t tag, int row)
{
    double sum = 0;
    for (int r = 0; r < R->all->size; ++r) {
        const volatile uint64_t *own =
            R->all->rank[r]->ask.words + RELAY_ASK(tag, row);
        if (!await(R, r, own, tag) || !await(R, r, own + 1, tag))
            return NAN;
        sum += value_of(own[0], own[1]);
    }
    return sum;
}

// Returns whether there was a request.
static bool serve_sum(struct lcl_relay *R)
{
    const uint32_t tag = (uint32_t)(R->summed + 1);
    const volatile uint64_t *rows = R->ask.words + RELAY_ASK(tag, 0) + 2;
    if (!has_arrived(rows, tag))
        return false;
    const double start = lcl_now();
    const int count = (int)(uint32_t)*rows;
    for (int q = 0; q < count && q < RELAY_ROWS; ++q) {
        volatile uint64_t *answer = R->reply.words + RELAY_REPLY(tag, q);
        put(answer, answer + 1, tag, total(R, tag, q));
    }
    ++R->summed;
    R->exchanged.sum_seconds += lcl_now() - start;
    ++R->exchanged.sums;
    return true;
}

// ------------------------------------------------------------------- messages

// Whether message `tag` of rank `peer` is packed.
static bool await_packed(struct lcl_relay *R, int peer,
                         const volatile uint64_t *there, uint32_t tag)
{
    if (!await(R, peer, there, tag))
        return false;
    const int groups = (int)(uint32_t)*there;
    for (int g = 1; g < groups && g < RELAY_GROUPS; ++g)
        if (!await(R, peer, there + g * RELAY_APART, tag))
            return false;
    return true;
}

static const struct lcl_halo_peer *part_for(const struct lcl_relay_exchange *X,
                                            int rank)
{
    for (int k = 0; k < X->tos; ++k)
        if (X->to[k].rank == rank)
            return &X->to[k];
    return NULL;
}

static bool receive(struct lcl_relay_exchange *X,
                    const struct lcl_halo_peer *from, uint32_t tag)
{
    struct lcl_relay *R = X->relay;
    const struct lcl_relay_exchange *Y =
        atomic_load(&R->all->rank[from->rank]->exchange[X->place]);
    const struct lcl_halo_peer *sent = Y ? part_for(Y, R->rank) : NULL;
    if (!sent || sent->count != from->count) {
        atomic_store(&R->lost, from->rank + 1);
        return false;
    }
    volatile uint64_t *to =
        X->in.words + RELAY_DATA(tag, X->ghosts) + from->start;
    const volatile uint64_t *own =
        Y->out.words + RELAY_DATA(tag, Y->sends) + sent->start;
    if (!await_packed(R, from->rank,
                      Y->out.words + RELAY_MESSAGE(tag, Y->sends), tag))
        return false;
    memcpy((void *)to, (const void *)own, (size_t)from->count * sizeof *to);
    return true;
}

// Waits until rank `peer` has copied the message before this one; the next
// message overwrites its slot.
static bool await_copied(struct lcl_relay_exchange *X, int peer,
                         long long before)
{
    struct lcl_relay *R = X->relay;
    struct lcl_relay_exchange *Y =
        atomic_load(&R->all->rank[peer]->exchange[X->place]);
    struct patience p = {0, 0};
    while (!Y || atomic_load(&Y->served) < before)
        if (!waits_on(R, &p, peer))
            return false;
    return true;
}

static bool carry(struct lcl_relay_exchange *X, long long message)
{
    bool there = true;
    for (int k = 0; k < X->tos && there; ++k)
        there = await_copied(X, X->to[k].rank, message - 1);
    for (int k = 0; k < X->froms && there; ++k)
        there = receive(X, &X->from[k], (uint32_t)message);
    return there;
}

static void spoil(struct lcl_relay_exchange *X, uint32_t tag)
{
    double *data = (double *)(X->in.words + RELAY_DATA(tag, X->ghosts));
    for (int64_t k = 0; k < X->ghosts; ++k)
        data[k] = NAN;
}

static void count(const struct lcl_relay_exchange *X, double start)
{
    struct lcl_exchange_info *to = &X->relay->exchanged;
    to->halo_seconds += lcl_now() - start;
    ++to->exchanges;
    to->sent_bytes += (uint64_t)X->sends * sizeof(double);
    to->taken_bytes += (uint64_t)X->ghosts * sizeof(double);
}

static bool serve_exchange(struct lcl_relay_exchange *X)
{
    const long long message = atomic_load(&X->served) + 1;
    const uint32_t tag = (uint32_t)message;
    if (!has_arrived(X->out.words + RELAY_MESSAGE(tag, X->sends), tag))
        return false;
    const double start = lcl_now();
    if (!carry(X, message))
        spoil(X, tag);
    volatile uint64_t *there = X->in.words + RELAY_MESSAGE(tag, X->ghosts);
    for (int g = 0; g < RELAY_GROUPS; ++g)
        store(there + g * RELAY_APART, relay_word(tag, 0));
    count(X, start);
    atomic_store(&X->served, message);
    return true;
}

// ------------------------------------------------------------------- thread

static bool serve(struct lcl_relay *R)
{
    bool any = serve_sum(R);
    pthread_mutex_lock(&R->lock);
    for (int k = 0; k < R->places; ++k) {
        struct lcl_relay_exchange *X = atomic_load(&R->exchange[k]);
        any |= X && serve_exchange(X);
    }
    pthread_mutex_unlock(&R->lock);
    return any;
}

void *lcl_carrier_run(void *arg)
{
    struct lcl_relay *R = arg;
    for (int spins = 0; !atomic_load(&R->ends);)
        if (serve(R))
            spins = 0;
        else if (++spins > SPINS)
            sched_yield();
    return NULL;
}
