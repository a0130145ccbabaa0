// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads. Each rank counts its collective calls. Call number c
// stores the data for other ranks in slot c % 2 and waits until the others have
// begun call c. A rank that begins call c + 1 has read all slots of call c, so
// that no slot is overwritten while it is in use.
#include "lib/comm/team.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"
#include "lib/comm/trial.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { SPINS = 4000 }; // polls before a thread yields the processor

struct slot {
    char *data;
    size_t bytes, room;
};

struct member {
    struct lcl_comm comm; // must be the first member
    lcl_team *team;
    long long calls;     // calls that this rank has begun
    atomic_llong posted; // calls whose slot this rank has filled
    atomic_bool left;    // this rank no longer reads slots of others
    struct slot slot[2];
    pthread_t thread;
    enum lcl_status status; // of the last run
    lcl_context *ctx;       // NULL: none
    struct lcl_guest guest; // guest of ctx before this run
};

struct lcl_team {
    int size;
    atomic_int failed;        // 1 + the rank that failed first; 0: none
    struct lcl_relays relays; // rank: NULL: none
    // State of the run in progress
    atomic_int gate; // > 0: threads may start; < 0: they end
    lcl_team_fn *fn;
    void *arg;
    struct member member[];
};

// ------------------------------------------------------------------- waiting

static void note_failure(struct member *m)
{
    int none = 0;
    atomic_compare_exchange_strong(&m->team->failed, &none, m->comm.rank + 1);
}

// Returns once no other rank reads messages of this one: each of the others
// fails in its next call, or ends.
static void give_up(struct lcl_comm *C)
{
    struct member *m = (struct member *)C;
    note_failure(m);
    atomic_store(&m->left, true);
    for (int r = 0; r < C->size; ++r)
        while (!atomic_load(&m->team->member[r].left))
            sched_yield();
}

static bool has_posted(const struct member *m, long long call)
{
    return atomic_load_explicit(&m->posted, memory_order_acquire) >= call;
}

// A rank may fail after a call that it has completed: its posted slots remain
// valid.
static enum lcl_status await(struct member *m, int peer, long long call)
{
    const lcl_team *T = m->team;
    int spins = 0;
    while (!has_posted(&T->member[peer], call)) {
        const int failed = atomic_load(&T->failed);
        if (failed && !has_posted(&T->member[peer], call))
            return lcl_comm_refuse_rank(&m->comm, failed - 1);
        if (spins < SPINS)
            ++spins;
        else
            sched_yield();
    }
    return LCL_OK;
}

static enum lcl_status await_all(struct member *m, long long call)
{
    enum lcl_status st = LCL_OK;
    for (int r = 0; r < m->team->size && st == LCL_OK; ++r)
        st = await(m, r, call);
    return st;
}

// Without memory this rank cannot make any later call, so it ends the calls of
// the others.
static enum lcl_status refuse_memory(struct member *m)
{
    const enum lcl_status st = lcl_fail_memory(&m->comm.log, "a message");
    give_up(&m->comm);
    return st;
}

// Begins a call and stores `bytes` bytes of data for the others.
static enum lcl_status post(struct member *m, const void *data, size_t bytes)
{
    const long long call = ++m->calls;
    struct slot *s = &m->slot[call % 2];
    const enum lcl_status st = await_all(m, call - 1);
    if (st < 0)
        return st;
    if (bytes > s->room) {
        lcl_free(s->data);
        s->data = lcl_malloc(bytes, 1);
        s->room = s->data ? bytes : 0;
        if (!s->data)
            return refuse_memory(m);
    }
    if (bytes > 0)
        memcpy(s->data, data, bytes);
    s->bytes = bytes;
    atomic_store_explicit(&m->posted, call, memory_order_release);
    return LCL_OK;
}

// Reads the slot of rank `peer` in the current call.
static enum lcl_status read_slot(const struct slot **s, struct member *m,
                                 int peer)
{
    *s = &m->team->member[peer].slot[m->calls % 2];
    return await(m, peer, m->calls);
}

// ------------------------------------------------------------------- calls

static enum lcl_status gather(struct lcl_comm *C, const void *own, size_t bytes,
                              void *all)
{
    struct member *m = (struct member *)C;
    enum lcl_status st = post(m, own, bytes);
    for (int r = 0; r < C->size && st == LCL_OK; ++r) {
        const struct slot *s;
        if ((st = read_slot(&s, m, r)) < 0)
            return st;
        if (s->bytes != bytes)
            return lcl_comm_refuse_length(C, r, s->bytes, bytes);
        if (bytes > 0)
            memcpy((char *)all + (size_t)r * bytes, s->data, bytes);
    }
    return st;
}

static enum lcl_status begin(struct lcl_comm *C, struct lcl_exchange_plan *P)
{
    return post((struct member *)C, P->out, (size_t)P->outs * sizeof *P->out);
}

static enum lcl_status receive(struct member *m, struct lcl_message *in)
{
    const struct slot *s;
    const enum lcl_status st = read_slot(&s, m, in->peer);
    if (st < 0)
        return st;
    const struct lcl_message *all = (const struct lcl_message *)s->data;
    const size_t count = s->bytes / sizeof *all;
    for (size_t k = 0; k < count; ++k)
        if (all[k].peer == m->comm.rank) {
            in->data = all[k].data;
            return all[k].bytes == in->bytes
                       ? LCL_OK
                       : lcl_comm_refuse_length(&m->comm, in->peer,
                                                all[k].bytes, in->bytes);
        }
    return lcl_comm_refuse_length(&m->comm, in->peer, 0, in->bytes);
}

// Also waits for the receivers of this rank's messages: they have then
// completed the previous exchange.
static enum lcl_status end(struct lcl_comm *C, struct lcl_exchange_plan *P)
{
    struct member *m = (struct member *)C;
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < P->outs && st == LCL_OK; ++k)
        st = await(m, P->out[k].peer, m->calls);
    for (int k = 0; k < P->ins && st == LCL_OK; ++k)
        st = receive(m, &P->in[k]);
    return st;
}

static const struct lcl_comm_ops ops = {gather, begin, end, give_up, NULL};

// ------------------------------------------------------------------- run

// If a rank fails, waiting kernels of all ranks stop waiting.
static enum lcl_status call(struct member *m)
{
    lcl_relay *R = m->comm.relay;
    enum lcl_status st = lcl_relay_start(R);
    if (st < 0)
        return st;
    if ((st = m->team->fn(m->team->arg, m->comm.rank)) < 0)
        note_failure(m);
    const enum lcl_status end = lcl_relay_end(R);
    return st < 0 || end == LCL_OK ? st : end;
}

static void enter(lcl_team *T, int rank)
{
    struct member *m = &T->member[rank];
    m->status = call(m);
    atomic_store(&m->left, true);
    if (m->status < 0)
        give_up(&m->comm);
}

static void *run_member(void *arg)
{
    const struct member *m = arg;
    int gate;
    while ((gate = atomic_load(&m->team->gate)) == 0)
        sched_yield();
    if (gate > 0)
        enter(m->team, m->comm.rank);
    return NULL;
}

// Returns the number of running threads: size - 1, or fewer.
static int start(lcl_team *T)
{
    int r = 1;
    while (r < T->size &&
           lcl_thread_start(&T->member[r].thread, run_member, &T->member[r]))
        ++r;
    return r - 1;
}

static void reset(lcl_team *T, lcl_team_fn *fn, void *arg)
{
    atomic_store(&T->failed, 0);
    atomic_store(&T->gate, 0);
    T->fn = fn;
    T->arg = arg;
    if (T->member[0].comm.relay)
        lcl_relays_reset(&T->relays);
    for (int r = 0; r < T->size; ++r) {
        T->member[r].calls = 0;
        atomic_store(&T->member[r].posted, 0);
        atomic_store(&T->member[r].left, false);
    }
}

static enum lcl_status worst(lcl_team *T)
{
    const int failed = atomic_load(&T->failed);
    enum lcl_status st = LCL_OK;
    if (failed)
        return T->member[failed - 1].status;
    for (int r = 0; r < T->size; ++r)
        if (T->member[r].status > st)
            st = T->member[r].status;
    return st;
}

// Marks functions of the caller that run on rank 0: its thread must not use the
// contexts of the other ranks.
static void set_guests(lcl_team *T, bool on)
{
    for (int r = 1; r < T->size; ++r) {
        struct member *m = &T->member[r];
        if (m->ctx && on)
            m->guest = lcl_guest_begin(m->ctx, LCL_GUEST_LOOKS);
        else if (m->ctx)
            lcl_guest_end(m->ctx, &m->guest);
    }
}

enum lcl_status lcl_team_run(lcl_team *T, lcl_team_fn *fn, void *arg)
{
    reset(T, fn, arg);
    set_guests(T, true);
    const int started = start(T);
    const bool all = started == T->size - 1;
    atomic_store(&T->gate, all ? 1 : -1);
    if (all)
        enter(T, 0);
    for (int r = 1; r <= started; ++r)
        pthread_join(T->member[r].thread, NULL);
    set_guests(T, false);
    return all ? worst(T) : lcl_fail_memory(&T->member[0].comm.log, "a thread");
}

// ------------------------------------------------------------------- relays

static void disconnect(lcl_team *T)
{
    for (int r = 0; T->relays.rank && r < T->size; ++r) {
        T->member[r].comm.relay = NULL;
        lcl_relay_destroy(&T->relays.rank[r]);
    }
    lcl_free(T->relays.rank);
    T->relays.rank = NULL;
}

struct connection {
    lcl_team *T;
    lcl_context *const *ctx;
    lcl_trial **trial; // one per rank
};

// Runs an attempt whose failure is not an error: its messages are logged at
// debug level only.
static enum lcl_status quietly(
    enum lcl_status (*attempt)(const struct connection *c, int rank),
    const struct connection *c, int rank)
{
    lcl_context *ctx = c->ctx[rank];
    const enum lcl_log_level level =
        lcl_context_set_log_level(ctx, LCL_LOG_NONE);
    if (level >= LCL_LOG_DEBUG)
        lcl_context_set_log_level(ctx, level);
    const enum lcl_status st = attempt(c, rank);
    lcl_context_set_log_level(ctx, level);
    return st;
}

static enum lcl_status create_relay(const struct connection *c, int rank)
{
    lcl_team *T = c->T;
    return lcl_relay_create(&T->relays.rank[rank], c->ctx[rank], &T->relays,
                            rank);
}

static enum lcl_status try_relay(const struct connection *c, int rank)
{
    bool right;
    enum lcl_status st =
        lcl_trial_create(&c->trial[rank], c->T->relays.rank[rank]);
    if (st == LCL_OK)
        st = lcl_trial_run(c->trial[rank], &right);
    return st < 0 || right ? st : LCL_EUNSUPPORTED;
}

static enum lcl_status create_on_rank(void *arg, int rank)
{
    return quietly(create_relay, arg, rank);
}

static enum lcl_status try_on_rank(void *arg, int rank)
{
    return quietly(try_relay, arg, rank);
}

// Threads of other ranks may read memory of a trial, so that all trials must
// have ended before one is destroyed.
static bool try_all(struct connection *c)
{
    lcl_team *T = c->T;
    for (int r = 0; r < T->size; ++r)
        T->member[r].comm.relay = T->relays.rank[r];
    const bool works = lcl_team_run(T, try_on_rank, c) == LCL_OK;
    for (int r = 0; r < T->size; ++r)
        lcl_trial_destroy(&c->trial[r]);
    return works;
}

enum lcl_status lcl_team_connect(lcl_team *T, lcl_context *const *ctx,
                                 bool *connected)
{
    struct connection c = {T, ctx, NULL};
    T->relays = (struct lcl_relays){T->size, &T->failed, NULL};
    T->relays.rank = lcl_calloc((size_t)T->size, sizeof *T->relays.rank);
    c.trial = lcl_calloc((size_t)T->size, sizeof *c.trial);
    *connected = T->relays.rank && c.trial &&
                 lcl_team_run(T, create_on_rank, &c) == LCL_OK && try_all(&c);
    const bool memory = T->relays.rank && c.trial;
    if (!*connected)
        disconnect(T);
    lcl_free(c.trial);
    return memory ? LCL_OK : lcl_fail_memory(&T->member[0].comm.log, "a team");
}

// ------------------------------------------------------------------- life

enum lcl_status lcl_team_create(lcl_team **out, int size,
                                const struct lcl_log *log)
{
    const size_t bytes =
        sizeof(lcl_team) + (size_t)size * sizeof(struct member);
    lcl_team *T = *out = lcl_calloc(1, bytes);
    if (!T)
        return lcl_fail_memory(&log[0], "a team");
    T->size = size;
    for (int r = 0; r < size; ++r) {
        T->member[r].team = T;
        atomic_init(&T->member[r].left, true);
        T->member[r].comm = (struct lcl_comm){
            .ops = &ops, .rank = r, .size = size, .log = log[r]};
    }
    return LCL_OK;
}

void lcl_team_set_contexts(lcl_team *T, lcl_context *const *ctx)
{
    for (int r = 0; r < T->size; ++r)
        T->member[r].ctx = ctx[r];
}

void lcl_team_destroy(lcl_team **team)
{
    lcl_team *T = *team;
    if (!T)
        return;
    disconnect(T);
    for (int r = 0; r < T->size; ++r) {
        lcl_comm_finish(&T->member[r].comm);
        lcl_free(T->member[r].slot[0].data);
        lcl_free(T->member[r].slot[1].data);
    }
    lcl_free(T);
    *team = NULL;
}

struct lcl_comm *lcl_team_comm(lcl_team *team, int rank)
{
    return &team->member[rank].comm;
}
