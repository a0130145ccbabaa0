// SPDX-License-Identifier: BSD-3-Clause
// Where vectors live.
#include "lib/vector/space.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/limit.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/comm/relay.h"
#include "lib/vector/segments.h"

#include <string.h>

struct lcl_space lcl_space_of(lcl_context *ctx, int64_t n)
{
    return (struct lcl_space){
        .ctx = ctx,
        .n = n,
        .total = n,
        .groups = lcl_vector_groups(lcl_context_caps(ctx)),
    };
}

struct lcl_space lcl_space_of_rank(lcl_context *ctx, struct lcl_comm *comm,
                                   int64_t n, int64_t total)
{
    struct lcl_space V = lcl_space_of(ctx, n);
    V.total = total;
    V.comm = comm;
    return V;
}

enum lcl_status lcl_space_vector(lcl_buffer **out, const struct lcl_space *V)
{
    return lcl_buffer_create(out, V->ctx, V->n, sizeof(double), "vector");
}

enum lcl_status lcl_space_sums(lcl_buffer **out, const struct lcl_space *V)
{
    return lcl_buffer_create(out, V->ctx, 2 * (int64_t)V->groups,
                             sizeof(double), "partial sums");
}

// ------------------------------------------------------------------- ranks

// At most this many rows are reduced at once.
enum { ROWS_MOST = 32 };

void lcl_space_add_up(double *sum, const double *partial, int rows, int groups)
{
    for (int q = 0; q < rows; ++q) {
        sum[q] = 0;
        for (int g = 0; g < groups; ++g)
            sum[q] += partial[(size_t)q * (size_t)groups + (size_t)g];
    }
}

enum lcl_status lcl_read_sums(double *sum, const lcl_buffer *partial, int rows,
                              int groups, const struct lcl_log *log)
{
    const size_t count = (size_t)rows * (size_t)groups;
    double *host = lcl_malloc(count, sizeof *host);
    if (!host)
        return lcl_fail_memory(log, "partial sums");
    const enum lcl_status st =
        lcl_buffer_read(partial, host, count * sizeof *host);
    if (st == LCL_OK)
        lcl_space_add_up(sum, host, rows, groups);
    lcl_free(host);
    return st;
}

// Rows of partial sums from byte `at` on become sums and zeros.
static enum lcl_status write_rows(struct lcl_comm *C, lcl_buffer *sums,
                                  size_t at, const double *sum, int rows,
                                  int groups)
{
    const size_t bytes = (size_t)rows * (size_t)groups * sizeof *sum;
    double *room = lcl_comm_room(C, bytes);
    if (!room)
        return lcl_fail_memory(&C->log, "partial sums");
    memset(room, 0, bytes);
    for (int q = 0; q < rows; ++q)
        room[(size_t)q * (size_t)groups] = sum[q];
    return lcl_buffer_write_at(sums, at, room, bytes);
}

// The same, each its sum over all ranks.
static enum lcl_status reduce_rows(struct lcl_comm *C, lcl_buffer *sums,
                                   size_t at, int rows, int groups)
{
    double sum[ROWS_MOST];
    const size_t bytes = (size_t)rows * (size_t)groups * sizeof *sum;
    double *partial = lcl_comm_room(C, bytes);
    enum lcl_status st;
    if (!partial)
        return lcl_fail_memory(&C->log, "partial sums");
    if ((st = lcl_buffer_read_at(sums, at, partial, bytes)) < 0)
        return st;
    lcl_space_add_up(sum, partial, rows, groups);
    return (st = lcl_comm_sum(C, sum, rows)) < 0
               ? st
               : write_rows(C, sums, at, sum, rows, groups);
}

enum lcl_status lcl_space_reduce(const struct lcl_space *V, lcl_buffer *sums,
                                 int first, int rows, int groups)
{
    const size_t row = (size_t)groups * sizeof(double);
    if (V->comm && V->comm->relay)
        return lcl_relay_sum(V->comm->relay, sums, first, rows, groups);
    const bool alone = !V->comm || V->comm->size == 1;
    enum lcl_status st = LCL_OK;
    for (int q = 0; q < rows && !alone && st == LCL_OK; q += ROWS_MOST)
        st = reduce_rows(V->comm, sums, (size_t)(first + q) * row,
                         rows - q < ROWS_MOST ? rows - q : ROWS_MOST, groups);
    return st;
}

static enum lcl_status reduce_segments(const struct lcl_space *V,
                                       lcl_buffer *sums, size_t at,
                                       const struct lcl_dots *d, int groups)
{
    double sum[LCL_SEGMENT_SUMS];
    const size_t row = (size_t)groups * sizeof *sum;
    enum lcl_status st = LCL_OK;
    for (int q = 0, now; q < d->count && st == LCL_OK; q += now) {
        const int left = d->count - q;
        now = left < LCL_SEGMENT_SUMS ? left : LCL_SEGMENT_SUMS;
        if ((st = lcl_segments_sum(V->segments, sum, d, q, now)) == LCL_OK)
            st = write_rows(V->comm, sums, at + (size_t)q * row, sum, now,
                            groups);
    }
    return st;
}

enum lcl_status lcl_space_reduce_dots(const struct lcl_space *V,
                                      lcl_buffer *sums, int first,
                                      const struct lcl_dots *dots, int count,
                                      int groups)
{
    const size_t row = (size_t)groups * sizeof(double);
    enum lcl_status st = LCL_OK;
    int rows = 0;
    for (int k = 0; k < count && st == LCL_OK; ++k) {
        if (V->segments)
            st = reduce_segments(V, sums, (size_t)(first + rows) * row,
                                 &dots[k], groups);
        rows += dots[k].count;
    }
    return V->segments ? st : lcl_space_reduce(V, sums, first, rows, groups);
}

enum lcl_status lcl_space_sum(const struct lcl_space *V, double *sum, int count)
{
    return V->comm ? lcl_comm_sum(V->comm, sum, count) : LCL_OK;
}

enum lcl_status lcl_space_max(const struct lcl_space *V, int64_t *largest)
{
    return V->comm ? lcl_comm_max(V->comm, largest) : LCL_OK;
}

enum lcl_status lcl_space_first(const struct lcl_space *V, const void **data,
                                size_t bytes)
{
    return V->comm ? lcl_comm_first(V->comm, data, bytes) : LCL_OK;
}

enum lcl_status lcl_space_all(const struct lcl_space *V, bool *all)
{
    int64_t lacking = !*all;
    const enum lcl_status st = lcl_space_max(V, &lacking);
    *all = lacking == 0;
    return st;
}

enum lcl_status lcl_space_agree(const struct lcl_space *V, enum lcl_status own,
                                const char *what)
{
    if (!V->comm)
        return own;
    const struct lcl_limit *limit = lcl_context_limit(V->ctx);
    const enum lcl_status late = lcl_limit_look(limit, &V->comm->log);
    return lcl_comm_agree(V->comm, own >= 0 && late < 0 ? late : own, what);
}

enum lcl_status lcl_space_expect_equal(const struct lcl_space *V,
                                       const char *what,
                                       const struct lcl_common *all, int count)
{
    return V->comm ? lcl_comm_expect_equal(V->comm, what, all, count) : LCL_OK;
}

enum lcl_status lcl_space_end(const struct lcl_space *V, enum lcl_status st)
{
    if (V->comm && st < 0)
        lcl_comm_fail(V->comm);
    return st;
}
