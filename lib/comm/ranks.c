// SPDX-License-Identifier: BSD-3-Clause
// Ranks as an object of the application: agreement, gathers of bytes, and rows
// between rank 0 and all ranks.
#include "lib/comm/ranks.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/comm/mpi.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 20 }; // numbers per message
// Seconds that a rank waits for the others after an error, without and with a
// text. With a text, each later rank waits longer than the one before.
#define GRACE       4.0
#define GRACE_TEXT  1.0
#define GRACE_RANK  0.1
#define GRACE_RANKS 1.0

struct lcl_ranks {
    struct lcl_comm *comm;
    double patience; // default of `timeout`
    double timeout;  // in use
    int local;
    bool started; // this object has started MPI
    bool lost;
};

// Keeps whether the ranks are lost.
static enum lcl_status ended(lcl_ranks *R, enum lcl_status st)
{
    R->lost = R->lost || st == LCL_EDEVICE || st == LCL_ENOMEM;
    return st;
}

// ---------------------------------------------------------------- life

static enum lcl_status connect(lcl_ranks *R, const void *mpi_comm,
                               const struct lcl_log *log)
{
    enum lcl_status st = LCL_OK;
    if (!mpi_comm)
        st = lcl_mpi_start(&R->started, log);
    if (st == LCL_OK)
        st = lcl_mpi_comm_create(&R->comm, mpi_comm, log);
    if (st == LCL_OK)
        st = lcl_mpi_local_rank(R->comm, &R->local);
    if (st < 0)
        return st;
    R->patience = lcl_mpi_set_patience(R->comm, INFINITY);
    lcl_ranks_set_timeout(R, 0);
    return LCL_OK;
}

enum lcl_status lcl_ranks_create(lcl_ranks **out, const void *mpi_comm,
                                 const struct lcl_log *log)
{
    if (!out)
        return lcl_misuse(log, "lcl_ranks_create: out is NULL");
    lcl_ranks *R = *out = lcl_calloc(1, sizeof *R);
    if (!R)
        return lcl_fail_memory(log, "the ranks");
    const enum lcl_status st = connect(R, mpi_comm, log);
    if (st < 0) {
        lcl_mpi_comm_destroy(&R->comm);
        lcl_free(R);
        *out = NULL;
    }
    return st;
}

void lcl_ranks_destroy(lcl_ranks **ranks)
{
    lcl_ranks *R = ranks ? *ranks : NULL;
    if (!R)
        return;
    *ranks = NULL;
    lcl_mpi_comm_destroy(&R->comm);
    if (R->started && !R->lost)
        lcl_mpi_end();
    lcl_free(R);
}

void lcl_ranks_abort(const lcl_ranks *ranks, int code)
{
    lcl_mpi_abort(ranks ? ranks->comm : NULL, code);
}

// ---------------------------------------------------------------- queries

int lcl_ranks_rank(const lcl_ranks *ranks)
{
    return ranks ? ranks->comm->rank : 0;
}

int lcl_ranks_count(const lcl_ranks *ranks)
{
    return ranks ? ranks->comm->size : 1;
}

int lcl_ranks_local(const lcl_ranks *ranks)
{
    return ranks ? ranks->local : 0;
}

void lcl_ranks_set_timeout(lcl_ranks *ranks, double seconds)
{
    if (!ranks || !(seconds >= 0))
        return;
    ranks->timeout = seconds > 0 ? seconds : ranks->patience;
    lcl_mpi_set_patience(ranks->comm, ranks->timeout);
}

const void *lcl_ranks_mpi(const lcl_ranks *R)
{
    return lcl_mpi_of(R->comm);
}

// ---------------------------------------------------------------- agreement

struct outcome {
    int32_t status, has_text;
};

// The rank whose outcome becomes the outcome of all: an error with a text
// before an error without one before the largest status.
static int find_outcome(const struct outcome *all, int size)
{
    int found = 0;
    for (int r = 1; r < size; ++r) {
        const struct outcome *a = &all[found], *b = &all[r];
        if (a->status < 0 ? b->status < 0 && b->has_text && !a->has_text
                          : b->status < 0 || b->status > a->status)
            found = r;
    }
    return found;
}

// After an error with a text this rank logs nothing more, so that the text
// remains the last message.
static enum lcl_status gather_outcomes(lcl_ranks *R, const struct outcome *own,
                                       const void **all)
{
    struct lcl_comm *C = R->comm;
    const struct lcl_log log = C->log;
    if (own->status < 0 && own->has_text) {
        lcl_mpi_set_patience(C, GRACE_TEXT +
                                    fmin(GRACE_RANK * C->rank, GRACE_RANKS));
        C->log = (struct lcl_log){0};
    } else if (own->status < 0) {
        lcl_mpi_set_patience(C, GRACE);
    }
    const enum lcl_status st = ended(R, lcl_comm_all(C, own, sizeof *own, all));
    lcl_mpi_set_patience(C, R->timeout);
    C->log = log;
    return st;
}

// Replaces the failure by that of rank r, whose status is `agreed`.
static enum lcl_status spread(lcl_ranks *R, int r, enum lcl_status agreed,
                              struct lcl_ranks_failure *failure)
{
    const void *room;
    const enum lcl_status st =
        ended(R, lcl_comm_all(R->comm, failure, sizeof *failure, &room));
    if (st < 0)
        return st;
    memcpy(failure, (const struct lcl_ranks_failure *)room + r,
           sizeof *failure);
    failure->rank = r;
    if (!*failure->text)
        snprintf(failure->text, sizeof failure->text, "%s",
                 lcl_status_str(agreed));
    return agreed;
}

static enum lcl_status agree(lcl_ranks *R, enum lcl_status own,
                             struct lcl_ranks_failure *failure)
{
    const struct outcome mine = {own, *failure->text != 0};
    const void *room;
    enum lcl_status st = gather_outcomes(R, &mine, &room);
    if (st == LCL_OK) {
        const struct outcome *all = room;
        const int r = find_outcome(all, R->comm->size);
        const enum lcl_status agreed = (enum lcl_status)all[r].status;
        if (agreed >= 0)
            return agreed;
        st = spread(R, r, agreed, failure);
    }
    return R->lost && own < 0 ? own : st;
}

enum lcl_status lcl_ranks_agree(lcl_ranks *ranks, enum lcl_status own,
                                struct lcl_ranks_failure *failure)
{
    struct lcl_ranks_failure none = {.code = 0};
    if (!ranks)
        return lcl_misuse(NULL, "lcl_ranks_agree: ranks is NULL");
    if (!failure) {
        const enum lcl_status st =
            lcl_misuse(&ranks->comm->log, "lcl_ranks_agree: failure is "
                                          "NULL");
        const enum lcl_status all = agree(ranks, st, &none);
        return all < 0 ? st : all;
    }
    if (own >= 0)
        *failure = none;
    failure->text[LCL_RANKS_TEXT - 1] = '\0';
    failure->rank = -1;
    return agree(ranks, own, failure);
}

// ---------------------------------------------------------------- bytes

// A rank with wrong arguments announces a length that no other rank can have,
// so that the call fails on all.
enum lcl_status lcl_ranks_gather(lcl_ranks *ranks, const void *own,
                                 size_t bytes, void *all)
{
    if (!ranks)
        return lcl_misuse(NULL, "lcl_ranks_gather: ranks is NULL");
    struct lcl_comm *C = ranks->comm;
    if (bytes > 0 && (!own || !all)) {
        ended(ranks, lcl_comm_gather(C, NULL, SIZE_MAX, NULL));
        return lcl_misuse(&C->log, "lcl_ranks_gather: an argument is NULL");
    }
    return ended(ranks, lcl_comm_gather(C, own, bytes, all));
}

// ---------------------------------------------------------------- rows

struct shape {
    int64_t first, rows, total;
    int32_t columns, has_arrays;
};

static struct shape shape_of(const lcl_ranks *R,
                             const struct lcl_ranks_rows *rows,
                             const void *part, const void *whole)
{
    if (!rows)
        return (struct shape){0};
    const bool needs_part = rows->rows > 0 && rows->columns > 0;
    const bool needs_whole =
        R->comm->rank == 0 && rows->total > 0 && rows->columns > 0;
    return (struct shape){.first = rows->first,
                          .rows = rows->rows,
                          .total = rows->total,
                          .columns = rows->columns,
                          .has_arrays =
                              (part || !needs_part) && (whole || !needs_whole)};
}

static bool fits(const struct shape *s)
{
    const int64_t most = PTRDIFF_MAX / (int64_t)sizeof(double);
    return s->columns >= 0 && s->total >= 0 && s->rows >= 0 && s->first >= 0 &&
           s->rows <= s->total && s->first <= s->total - s->rows &&
           (s->columns == 0 || s->total <= most / s->columns);
}

// The shapes of all ranks are known, so that all find the same error.
static enum lcl_status check_shapes(const struct lcl_comm *C,
                                    const struct shape *all)
{
    for (int r = 0; r < C->size; ++r) {
        const struct shape *s = &all[r];
        if (!s->has_arrays)
            return lcl_fail(&C->log, LCL_EINVAL, "rank %d: an argument is NULL",
                            r);
        if (!fits(s))
            return lcl_fail(&C->log, LCL_EINVAL,
                            "rank %d: %" PRId64 " rows from row %" PRId64
                            " on of %d vectors of %" PRId64 " rows",
                            r, s->rows, s->first, s->columns, s->total);
        if (s->total != all->total || s->columns != all->columns)
            return lcl_fail(&C->log, LCL_EINVAL,
                            "rank %d has rows of %d vectors of %" PRId64
                            " rows, rank 0 of %d of %" PRId64,
                            r, s->columns, s->total, all->columns, all->total);
    }
    return LCL_OK;
}

// Sends `count` numbers from `from`, or receives them if `from` is NULL.
static enum lcl_status pass(struct lcl_comm *C, int peer, const double *from,
                            double *to, int64_t count)
{
    enum lcl_status st = LCL_OK;
    for (int64_t at = 0; st == LCL_OK && at < count; at += PIECE) {
        const int64_t piece = count - at < PIECE ? count - at : PIECE;
        struct lcl_message m = {peer, from ? from + at : NULL,
                                (size_t)piece * sizeof *to};
        struct lcl_exchange_plan P = {
            .out = &m, .in = &m, .outs = from != NULL, .ins = !from};
        if ((st = lcl_comm_begin(C, &P)) == LCL_OK &&
            (st = lcl_comm_end(C, &P)) == LCL_OK && !from)
            memcpy(to + at, m.data, m.bytes);
    }
    return st;
}

// On rank 0, with one other rank: sends a part of the whole vector if
// `spreads`, else receives it.
static enum lcl_status pass_whole(struct lcl_comm *C, int peer,
                                  const struct shape *s, const double *from,
                                  double *to, bool spreads)
{
    enum lcl_status st = LCL_OK;
    for (int j = 0; st == LCL_OK && s->rows > 0 && j < s->columns; ++j) {
        const int64_t at = j * s->total + s->first;
        st = spreads ? pass(C, peer, from + at, NULL, s->rows)
                     : pass(C, peer, NULL, to + at, s->rows);
    }
    return st;
}

static enum lcl_status pass_part(struct lcl_comm *C, const struct shape *s,
                                 const double *from, double *to, bool spreads)
{
    enum lcl_status st = LCL_OK;
    for (int j = 0; st == LCL_OK && s->rows > 0 && j < s->columns; ++j) {
        const int64_t at = j * s->rows;
        st = spreads ? pass(C, 0, NULL, to + at, s->rows)
                     : pass(C, 0, from + at, NULL, s->rows);
    }
    return st;
}

static void copy_own(const struct shape *s, const double *from, double *to,
                     bool spreads)
{
    const size_t bytes = (size_t)s->rows * sizeof *to;
    for (int j = 0; bytes > 0 && j < s->columns; ++j) {
        const int64_t whole = j * s->total + s->first, part = j * s->rows;
        memmove(to + (spreads ? part : whole), from + (spreads ? whole : part),
                bytes);
    }
}

// Copies the whole vectors on rank 0 to the parts of all ranks if `spreads`,
// else back.
static enum lcl_status move(lcl_ranks *R, const struct shape *own,
                            const double *from, double *to, bool spreads)
{
    struct lcl_comm *C = R->comm;
    const void *room;
    enum lcl_status st = ended(R, lcl_comm_all(C, own, sizeof *own, &room));
    if (st < 0 || (st = check_shapes(C, room)) < 0)
        return st;
    if (C->rank > 0)
        return ended(R, pass_part(C, own, from, to, spreads));
    copy_own(own, from, to, spreads);
    for (int r = 1; st == LCL_OK && r < C->size; ++r)
        st =
            pass_whole(C, r, (const struct shape *)room + r, from, to, spreads);
    return ended(R, st);
}

enum lcl_status lcl_ranks_scatter_rows(lcl_ranks *ranks,
                                       const struct lcl_ranks_rows *rows,
                                       const double *whole, double *part)
{
    if (!ranks)
        return lcl_misuse(NULL, "lcl_ranks_scatter_rows: ranks is NULL");
    const struct shape own = shape_of(ranks, rows, part, whole);
    return move(ranks, &own, whole, part, true);
}

enum lcl_status lcl_ranks_gather_rows(lcl_ranks *ranks,
                                      const struct lcl_ranks_rows *rows,
                                      const double *part, double *whole)
{
    if (!ranks)
        return lcl_misuse(NULL, "lcl_ranks_gather_rows: ranks is NULL");
    const struct shape own = shape_of(ranks, rows, part, whole);
    return move(ranks, &own, part, whole, false);
}
