// SPDX-License-Identifier: BSD-3-Clause
// Ranks that MPI connects. A rank that fails sends a message to all others,
// which answer it; each wait polls for its own completion and for such a
// message, and ends after some seconds. MPI reads and writes only memory of
// this file, except for the data that exchanges send.
//
// A gather of few bytes is one message: the bytes and their number in an
// envelope of fixed size, so that ranks with different numbers still make the
// same MPI call. More bytes follow in a second message.
#include "lib/comm/mpi.h"

#include "host/alloc.h"
#include "host/log.h"

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_MESSAGE = 1, TAG_FAILED = 2, TAG_LIVES = 3 };
enum { ENVELOPE = LCL_COMM_STARTED, ALIGNMENT = 16 };
// Polls between two checks for a failure, and before a rank yields the
// processor
enum { LOOK = 64, SPINS = 1000 };

// In seconds; a rank may compile kernels while others wait for it.
#define PATIENCE 25.0
#define GRACE    1.0 // for answers to a failure
#define BRIEF    0.1 // polling without sleep at the start of a wait

struct envelope {
    uint64_t bytes;
    char data[ENVELOPE];
};

struct area {
    char *data;
    size_t bytes;
};

// State of the start, when ranks cannot report failures to each other yet. MPI
// may write to it until its request has completed.
struct meeting {
    MPI_Comm copy;
    MPI_Request request;
    int ready, all; // whether this rank is ready, whether all are
};

struct endpoint {
    struct lcl_comm comm; // must be the first member
    MPI_Comm mpi;
    struct meeting meeting;
    double patience;   // seconds that a rank waits for the others
    int failed;        // the rank that ended all calls; -1: none
    int open;          // requests that have not completed
    MPI_Request ahead; // of `envelope`, once `started`
    bool started;
    struct envelope *envelope; // one per rank, then the own one
    struct area gathered;      // like `envelope`, for more bytes
    struct area received;      // messages of the last exchange
    struct area requests;
};

static MPI_Request *request_of(const struct endpoint *E)
{
    return (MPI_Request *)(void *)E->requests.data;
}

// ------------------------------------------------------------------- failures

// Marks all calls as failed because of `rank` and sends an empty message to the
// others.
static void end_calls(struct endpoint *E, int rank, int tag)
{
    E->failed = rank;
    for (int r = 0; r < E->comm.size; ++r) {
        MPI_Request request;
        if (r != E->comm.rank && MPI_Isend(NULL, 0, MPI_BYTE, r, tag, E->mpi,
                                           &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
}

static void give_up(struct lcl_comm *C)
{
    struct endpoint *E = (struct endpoint *)C;
    if (E->failed < 0)
        end_calls(E, C->rank, TAG_FAILED);
}

static enum lcl_status fail_mpi(struct endpoint *E, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    give_up(&E->comm);
    return lcl_fail(&E->comm.log, LCL_EDEVICE, "%s: %s", call, text);
}

// Without memory this rank cannot make any later call, so it ends the calls of
// the others.
static enum lcl_status grow(struct endpoint *E, struct area *area, size_t count,
                            size_t size)
{
    if (area->data && count <= area->bytes / size)
        return LCL_OK;
    lcl_free(area->data);
    area->data = lcl_malloc(count, size);
    area->bytes = area->data ? count * size : 0;
    if (area->data)
        return LCL_OK;
    give_up(&E->comm);
    return lcl_fail_memory(&E->comm.log, "messages of all ranks");
}

// Marks the ranks that have sent a message with this tag.
static void mark_answers(const struct endpoint *E, int tag, bool *lives)
{
    MPI_Status status;
    int there = 1;
    while (MPI_Iprobe(MPI_ANY_SOURCE, tag, E->mpi, &there, &status) ==
               MPI_SUCCESS &&
           there &&
           MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, tag, E->mpi,
                    MPI_STATUS_IGNORE) == MPI_SUCCESS)
        lives[status.MPI_SOURCE] = true;
}

// The first rank that does not answer a failure; -1: none, or out of memory.
static int find_silent(const struct endpoint *E)
{
    const double until = lcl_now() + GRACE;
    bool *lives = lcl_calloc((size_t)E->comm.size, sizeof *lives);
    int r = 0;
    while (lives && lcl_now() < until) {
        mark_answers(E, TAG_FAILED, lives);
        mark_answers(E, TAG_LIVES, lives);
        sched_yield();
    }
    while (lives && r < E->comm.size && (lives[r] || r == E->comm.rank))
        ++r;
    const bool is_found = lives && r < E->comm.size;
    lcl_free(lives);
    return is_found ? r : -1;
}

static enum lcl_status refuse_silence(struct endpoint *E)
{
    const struct lcl_log *log = &E->comm.log;
    give_up(&E->comm);
    const int rank = log->fn ? find_silent(E) : -1;
    return rank < 0 ? lcl_fail(log, LCL_EDEVICE,
                               "another rank did not answer for %g seconds",
                               E->patience)
                    : lcl_fail(log, LCL_EDEVICE,
                               "rank %d did not answer for %g seconds", rank,
                               E->patience);
}

// Checks whether a rank has failed; E->failed keeps the result.
static enum lcl_status look(struct endpoint *E)
{
    int there;
    MPI_Status status;
    const int code =
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAILED, E->mpi, &there, &status);
    if (code != MPI_SUCCESS)
        return fail_mpi(E, "MPI_Iprobe", code);
    if (!there)
        return LCL_OK;
    end_calls(E, status.MPI_SOURCE, TAG_LIVES);
    return lcl_comm_refuse_rank(&E->comm, E->failed);
}

static enum lcl_status look_until(struct endpoint *E, double until)
{
    const enum lcl_status st = look(E);
    return st < 0 || lcl_now() < until ? st : refuse_silence(E);
}

// Pauses between two polls of a wait that began at `start`.
static void rest(double start)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    if (lcl_now() - start < BRIEF)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

// Waits for a request; *code receives the MPI error code.
static enum lcl_status await(struct endpoint *E, MPI_Request *request,
                             MPI_Status *status, int *code)
{
    const double start = lcl_now(), until = start + E->patience;
    int done = 0;
    for (int polls = 1; !done; ++polls) {
        *code = MPI_Test(request, &done, status);
        if (*code != MPI_SUCCESS)
            break;
        const enum lcl_status st =
            done || polls % LOOK ? LCL_OK : look_until(E, until);
        if (st < 0)
            return st;
        if (!done && polls >= SPINS)
            rest(start);
    }
    return LCL_OK;
}

static enum lcl_status complete(struct endpoint *E, int index,
                                MPI_Status *status, int *code)
{
    const enum lcl_status st = await(E, request_of(E) + index, status, code);
    E->open -= st == LCL_OK;
    return st;
}

static enum lcl_status check_size(const struct endpoint *E, size_t bytes)
{
    return bytes <= INT_MAX
               ? LCL_OK
               : lcl_fail(&E->comm.log, LCL_ERANGE,
                          "a message of %zu bytes, MPI sends at most %d", bytes,
                          INT_MAX);
}

// -------------------------------------------------------------------- gathers

// all[r] = own of rank r; `bytes` must be equal on all ranks.
static enum lcl_status gather_equal(struct endpoint *E, const void *own,
                                    size_t bytes, void *all)
{
    MPI_Status status;
    int code = MPI_Iallgather(own, (int)bytes, MPI_BYTE, all, (int)bytes,
                              MPI_BYTE, E->mpi, request_of(E));
    if (code != MPI_SUCCESS)
        return fail_mpi(E, "MPI_Iallgather", code);
    E->open = 1;
    const enum lcl_status st = complete(E, 0, &status, &code);
    if (st == LCL_OK && code != MPI_SUCCESS)
        return fail_mpi(E, "MPI_Iallgather", code);
    return st;
}

static enum lcl_status gather_long(struct endpoint *E, const void *own,
                                   size_t bytes, void *all)
{
    const size_t size = (size_t)E->comm.size;
    enum lcl_status st = check_size(E, bytes);
    if (st == LCL_OK)
        st = grow(E, &E->gathered, size + 1, bytes);
    if (st < 0)
        return st;
    char *copy = E->gathered.data + size * bytes;
    memcpy(copy, own, bytes);
    if ((st = gather_equal(E, copy, bytes, E->gathered.data)) == LCL_OK)
        memcpy(all, E->gathered.data, size * bytes);
    return st;
}

static enum lcl_status start(struct lcl_comm *C, const void *own, size_t bytes)
{
    struct endpoint *E = (struct endpoint *)C;
    struct envelope *copy = &E->envelope[C->size];
    if (E->failed >= 0)
        return lcl_comm_refuse_rank(C, E->failed);
    copy->bytes = bytes;
    if (bytes > 0 && bytes <= ENVELOPE)
        memcpy(copy->data, own, bytes);
    const int code = MPI_Iallgather(copy, sizeof *copy, MPI_BYTE, E->envelope,
                                    sizeof *copy, MPI_BYTE, E->mpi, &E->ahead);
    E->started = code == MPI_SUCCESS;
    return E->started ? LCL_OK : fail_mpi(E, "MPI_Iallgather", code);
}

static enum lcl_status finish(struct endpoint *E)
{
    MPI_Status status;
    int code;
    const enum lcl_status st = await(E, &E->ahead, &status, &code);
    if (st < 0)
        return st;
    E->started = false;
    return code == MPI_SUCCESS ? LCL_OK : fail_mpi(E, "MPI_Iallgather", code);
}

static enum lcl_status gather_envelopes(struct endpoint *E, const void *own,
                                        size_t bytes)
{
    enum lcl_status st = E->started ? LCL_OK : start(&E->comm, own, bytes);
    if (st < 0 || (st = finish(E)) < 0)
        return st;
    for (int r = 0; st == LCL_OK && r < E->comm.size; ++r)
        if (E->envelope[r].bytes != bytes)
            st = lcl_comm_refuse_length(&E->comm, r,
                                        (size_t)E->envelope[r].bytes, bytes);
    return st;
}

static enum lcl_status gather(struct lcl_comm *C, const void *own, size_t bytes,
                              void *all)
{
    struct endpoint *E = (struct endpoint *)C;
    if (E->failed >= 0)
        return lcl_comm_refuse_rank(C, E->failed);
    const enum lcl_status st = gather_envelopes(E, own, bytes);
    if (st < 0)
        return st;
    if (bytes > ENVELOPE)
        return gather_long(E, own, bytes, all);
    for (int r = 0; bytes > 0 && r < C->size; ++r)
        memcpy((char *)all + (size_t)r * bytes, E->envelope[r].data, bytes);
    return LCL_OK;
}

// ------------------------------------------------------------------ exchanges

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Refuses messages that are too long and allocates memory for incoming ones.
static enum lcl_status prepare(struct endpoint *E,
                               const struct lcl_exchange_plan *P)
{
    const size_t count = (size_t)P->ins + (size_t)P->outs + 1;
    size_t bytes = ALIGNMENT;
    enum lcl_status st = LCL_OK;
    for (int k = 0; st == LCL_OK && k < P->outs; ++k)
        st = check_size(E, P->out[k].bytes);
    for (int k = 0; st == LCL_OK && k < P->ins; ++k) {
        st = check_size(E, P->in[k].bytes);
        bytes += aligned(P->in[k].bytes);
    }
    if (st == LCL_OK)
        st = grow(E, &E->requests, count, sizeof(MPI_Request));
    return st < 0 ? st : grow(E, &E->received, bytes, 1);
}

static enum lcl_status begin(struct lcl_comm *C, struct lcl_exchange_plan *P)
{
    struct endpoint *E = (struct endpoint *)C;
    if (E->failed >= 0)
        return lcl_comm_refuse_rank(C, E->failed);
    const enum lcl_status st = prepare(E, P);
    if (st < 0)
        return st;
    char *to = E->received.data;
    int code = MPI_SUCCESS;
    for (int k = 0; code == MPI_SUCCESS && k < P->ins; ++k) {
        struct lcl_message *in = &P->in[k];
        code = MPI_Irecv(to, (int)in->bytes, MPI_BYTE, in->peer, TAG_MESSAGE,
                         E->mpi, request_of(E) + E->open);
        E->open += code == MPI_SUCCESS;
        in->data = to;
        to += aligned(in->bytes);
    }
    for (int k = 0; code == MPI_SUCCESS && k < P->outs; ++k) {
        const struct lcl_message *out = &P->out[k];
        code = MPI_Isend(out->data, (int)out->bytes, MPI_BYTE, out->peer,
                         TAG_MESSAGE, E->mpi, request_of(E) + E->open);
        E->open += code == MPI_SUCCESS;
    }
    return code == MPI_SUCCESS ? LCL_OK : fail_mpi(E, "an exchange", code);
}

static bool is_truncated(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_TRUNCATE;
}

static enum lcl_status receive(struct endpoint *E, int index,
                               const struct lcl_message *in)
{
    MPI_Status status;
    int code, bytes;
    const enum lcl_status st = complete(E, index, &status, &code);
    if (st < 0)
        return st;
    if (code == MPI_SUCCESS)
        code = MPI_Get_count(&status, MPI_BYTE, &bytes);
    else if (is_truncated(code))
        return lcl_fail(&E->comm.log, LCL_EINVAL,
                        "a message of more bytes from rank %d, expected %zu",
                        in->peer, in->bytes);
    if (code != MPI_SUCCESS)
        return fail_mpi(E, "MPI_Irecv", code);
    return (size_t)bytes == in->bytes
               ? LCL_OK
               : lcl_comm_refuse_length(&E->comm, in->peer, (size_t)bytes,
                                        in->bytes);
}

// Completes all messages even if one has a wrong length.
static enum lcl_status end(struct lcl_comm *C, struct lcl_exchange_plan *P)
{
    struct endpoint *E = (struct endpoint *)C;
    enum lcl_status st = LCL_OK, wrong = LCL_OK;
    if (E->failed >= 0)
        return lcl_comm_refuse_rank(C, E->failed);
    for (int k = 0; k < P->ins && E->failed < 0; ++k)
        if ((st = receive(E, k, &P->in[k])) < 0)
            wrong = st;
    for (int k = 0; k < P->outs && E->failed < 0; ++k) {
        MPI_Status status;
        int code = MPI_SUCCESS;
        st = complete(E, P->ins + k, &status, &code);
        if (st == LCL_OK && code != MPI_SUCCESS)
            st = fail_mpi(E, "MPI_Isend", code);
        if (st < 0)
            wrong = st;
    }
    return wrong;
}

static const struct lcl_comm_ops ops = {gather, begin, end, give_up, start};

// ----------------------------------------------------------------------- life

static bool is_running(void)
{
    int begun, ended;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

static bool is_intra(MPI_Comm mpi)
{
    int inter = 1;
    return mpi != MPI_COMM_NULL &&
           MPI_Comm_test_inter(mpi, &inter) == MPI_SUCCESS && !inter;
}

static void release(struct endpoint *E)
{
    if (!E)
        return;
    lcl_comm_finish(&E->comm);
    lcl_free(E->envelope);
    lcl_free(E->gathered.data);
    lcl_free(E->received.data);
    lcl_free(E->requests.data);
    lcl_free(E);
}

static enum lcl_status read_patience(struct endpoint *E)
{
    const char *text = getenv("LEVELCL_RANK_TIMEOUT");
    char *end;
    E->patience = PATIENCE;
    if (!text || !*text)
        return LCL_OK;
    const double seconds = strtod(text, &end);
    if (*end || !(seconds >= 0))
        return lcl_fail(&E->comm.log, LCL_EINVAL,
                        "LEVELCL_RANK_TIMEOUT=%s: expected seconds, or 0 for "
                        "no limit",
                        text);
    E->patience = seconds > 0 ? seconds : INFINITY;
    return LCL_OK;
}

static struct endpoint *allocate(MPI_Comm mpi, const struct lcl_log *log)
{
    struct endpoint *E = lcl_calloc(1, sizeof *E);
    if (!E)
        return NULL;
    *E = (struct endpoint){.failed = -1};
    E->comm.ops = &ops;
    E->comm.log = log ? *log : (struct lcl_log){0};
    MPI_Comm_rank(mpi, &E->comm.rank);
    MPI_Comm_size(mpi, &E->comm.size);
    E->envelope = lcl_calloc((size_t)E->comm.size + 1, sizeof *E->envelope);
    E->requests.data = lcl_calloc(1, sizeof(MPI_Request));
    E->requests.bytes = sizeof(MPI_Request);
    if (E->envelope && E->requests.data)
        return E;
    release(E);
    return NULL;
}

static enum lcl_status refuse_meeting(const struct lcl_log *log)
{
    return lcl_fail(log, LCL_EDEVICE,
                    "MPI does not connect the ranks, or one of them has "
                    "failed");
}

static enum lcl_status await_all(struct meeting *m, double patience,
                                 const struct lcl_log *log)
{
    const double start = lcl_now(), until = start + patience;
    int done = 0;
    while (!done) {
        if (MPI_Test(&m->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return refuse_meeting(log);
        if (!done && lcl_now() > until)
            return lcl_fail(log, LCL_EDEVICE,
                            "another rank did not answer for %g seconds",
                            patience);
        if (!done)
            rest(start);
    }
    m->request = MPI_REQUEST_NULL;
    return LCL_OK;
}

// Duplicates the communicator and checks that all ranks are ready.
static enum lcl_status meet(struct meeting *m, MPI_Comm mpi, double patience,
                            const struct lcl_log *log)
{
    enum lcl_status st;
    if (MPI_Comm_idup(mpi, &m->copy, &m->request) != MPI_SUCCESS)
        return refuse_meeting(log);
    if ((st = await_all(m, patience, log)) < 0)
        return st;
    return MPI_Comm_set_errhandler(m->copy, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
                   MPI_Iallreduce(&m->ready, &m->all, 1, MPI_INT, MPI_MIN,
                                  m->copy, &m->request) == MPI_SUCCESS
               ? await_all(m, patience, log)
               : refuse_meeting(log);
}

// A rank without memory for *E waits without a time limit, because MPI may
// write to its stack until the request completes.
static enum lcl_status begin_all(struct endpoint *E, MPI_Comm mpi,
                                 enum lcl_status own, const struct lcl_log *log)
{
    struct meeting spare, *m = E ? &E->meeting : &spare;
    *m = (struct meeting){.request = MPI_REQUEST_NULL, .ready = own == LCL_OK};
    const enum lcl_status st = meet(m, mpi, E ? E->patience : INFINITY, log);
    if (st < 0 || m->all)
        return st;
    MPI_Comm_free(&m->copy);
    return own < 0 ? own : refuse_meeting(log);
}

enum lcl_status lcl_mpi_comm_create(struct lcl_comm **out, const void *mpi_comm,
                                    const struct lcl_log *log)
{
    const MPI_Comm mpi =
        mpi_comm ? *(const MPI_Comm *)mpi_comm : MPI_COMM_WORLD;
    *out = NULL;
    if (!is_running())
        return lcl_fail(log, LCL_EINVAL,
                        "MPI is not running: call MPI_Init() first");
    if (!is_intra(mpi))
        return lcl_fail(log, LCL_EINVAL,
                        "expected an MPI communicator of one group");
    struct endpoint *E = allocate(mpi, log);
    enum lcl_status st =
        E ? read_patience(E) : lcl_fail_memory(log, "the ranks");
    st = begin_all(E, mpi, st, log);
    if (st == LCL_OK) {
        E->mpi = E->meeting.copy;
        *out = &E->comm;
    } else if (E && E->meeting.request == MPI_REQUEST_NULL) {
        release(E);
    }
    return st;
}

void lcl_mpi_comm_destroy(struct lcl_comm **comm)
{
    struct endpoint *E = (struct endpoint *)*comm;
    *comm = NULL;
    if (!E || E->open > 0 || E->started)
        return;
    if (E->failed < 0 && is_running())
        MPI_Comm_free(&E->mpi);
    release(E);
}

// ---------------------------------------------------------------- MPI itself

enum lcl_status lcl_mpi_start(bool *started, const struct lcl_log *log)
{
    int begun, level;
    MPI_Initialized(&begun);
    *started = false;
    if (begun)
        return LCL_OK;
    *started =
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS;
    return *started ? LCL_OK : lcl_fail(log, LCL_EDEVICE, "MPI does not start");
}

void lcl_mpi_end(void)
{
    if (is_running())
        MPI_Finalize();
}

void lcl_mpi_abort(const struct lcl_comm *comm, int code)
{
    const struct endpoint *E = (const struct endpoint *)comm;
    if (is_running())
        MPI_Abort(E ? E->mpi : MPI_COMM_WORLD, code);
}

const void *lcl_mpi_of(const struct lcl_comm *comm)
{
    return &((const struct endpoint *)comm)->mpi;
}

double lcl_mpi_set_patience(struct lcl_comm *comm, double seconds)
{
    struct endpoint *E = (struct endpoint *)comm;
    const double before = E->patience;
    E->patience = seconds;
    return before;
}

enum lcl_status lcl_mpi_local_rank(struct lcl_comm *comm, int *rank)
{
    struct endpoint *E = (struct endpoint *)comm;
    MPI_Comm host;
    const int code = MPI_Comm_split_type(E->mpi, MPI_COMM_TYPE_SHARED, 0,
                                         MPI_INFO_NULL, &host);
    if (code != MPI_SUCCESS)
        return fail_mpi(E, "MPI_Comm_split_type", code);
    MPI_Comm_rank(host, rank);
    MPI_Comm_free(&host);
    return LCL_OK;
}
