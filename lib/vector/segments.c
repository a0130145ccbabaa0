// SPDX-License-Identifier: BSD-3-Clause
// Inner products that do not depend on the number of devices.
#include "lib/vector/segments.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"

#include <inttypes.h>

static const char what[] = "sums of segments of rows";

enum lcl_status lcl_segments_refuse(const char *with, const struct lcl_log *log)
{
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "communication 'reproducible' does not work with %s", with);
}

// ------------------------------------------------------------------- rows

static int first_of_rank(int rank, int size)
{
    return (int)((int64_t)LCL_SEGMENTS * rank / size);
}

static int64_t start_of(int64_t total, int block, int segment)
{
    const int64_t blocks = total / block, whole = blocks / LCL_SEGMENTS;
    const int64_t rest = blocks % LCL_SEGMENTS;
    return (whole * segment + rest * segment / LCL_SEGMENTS) * block;
}

int64_t lcl_segments_cut(int64_t total, int block, int rank, int size)
{
    return rank < size ? start_of(total, block, first_of_rank(rank, size))
                       : total;
}

// ------------------------------------------------------------------- creation

static enum lcl_status check(const struct lcl_comm *C,
                             const struct lcl_segment_rows *R)
{
    const int64_t from = lcl_segments_cut(R->total, R->block, C->rank, C->size);
    const int64_t to =
        lcl_segments_cut(R->total, R->block, C->rank + 1, C->size);
    return R->first == from && R->rows == to - from
               ? LCL_OK
               : lcl_fail(&C->log, LCL_EUNSUPPORTED,
                          "communication 'reproducible': rank %d has %" PRId64
                          " rows from %" PRId64 " on, expected %" PRId64
                          " from %" PRId64 " on",
                          C->rank, R->rows, R->first, to - from, from);
}

static enum lcl_status get_kernel(struct lcl_segments *G, int block)
{
    struct lcl_spec spec = {.source = "segment_dots.cl",
                            .kernel = "segment_dots",
                            .group = lcl_vector_group(lcl_context_caps(G->ctx)),
                            .block = block > 1 ? block : 0};
    lcl_spec_set(&spec, "PLACED", G->place != NULL);
    lcl_spec_set(&spec, "STAGES", G->rows.stages);
    return lcl_kernel_get(&G->kernel, G->ctx, &spec);
}

static enum lcl_status upload_starts(struct lcl_segments *G)
{
    const struct lcl_segment_rows *R = &G->rows;
    int32_t start[LCL_SEGMENTS + 1];
    const int own = first_of_rank(G->comm->rank, G->comm->size);
    for (int s = 0; s < G->count; ++s)
        start[s] = (int32_t)(start_of(R->total, R->block, own + s) - R->first);
    start[G->count] = (int32_t)R->rows;
    return lcl_buffer_create_from(&G->start, G->ctx, start, G->count + 1,
                                  sizeof *start, what);
}

enum lcl_status lcl_segments_init(struct lcl_segments *G, lcl_context *ctx,
                                  struct lcl_comm *comm,
                                  const struct lcl_segment_rows *rows)
{
    const int rank = comm->rank, size = comm->size;
    enum lcl_status st = check(comm, rows);
    *G = (struct lcl_segments){.ctx = ctx, .comm = comm, .rows = *rows};
    G->count = first_of_rank(rank + 1, size) - first_of_rank(rank, size);
    G->most = (LCL_SEGMENTS + size - 1) / size;
    if (st < 0 || (st = upload_starts(G)) < 0 ||
        (st = lcl_buffer_create(&G->sums, ctx,
                                (int64_t)LCL_SEGMENT_SUMS * G->most,
                                sizeof(double), what)) < 0 ||
        (st = lcl_buffer_fill(G->sums, 0)) < 0)
        return st;
    return get_kernel(G, 1);
}

void lcl_segments_finish(struct lcl_segments *G)
{
    lcl_buffer_destroy(&G->start);
    lcl_buffer_destroy(&G->sums);
    lcl_buffer_destroy(&G->place);
}

enum lcl_status lcl_segments_renumber(struct lcl_segments *G,
                                      const struct lcl_vector_ops *ops,
                                      const lcl_buffer *perm, int64_t blocks,
                                      int block)
{
    enum lcl_status st;
    lcl_buffer_destroy(&G->place);
    if ((st = lcl_buffer_create(&G->place, G->ctx, blocks, sizeof(uint32_t),
                                "a permutation")) < 0 ||
        (st = lcl_map_invert(ops, blocks, perm, G->place)) < 0)
        return st;
    return get_kernel(G, block);
}

int64_t lcl_segments_element(const struct lcl_segments *G, int64_t i)
{
    const struct lcl_segment_rows *R = &G->rows;
    const int64_t stage = i / R->rows;
    return stage * R->total + R->first + (i - stage * R->rows);
}

// ------------------------------------------------------------------- sums

// G->sums: <a_j, b> by segments, from sum `to` on.
static enum lcl_status launch(const struct lcl_segments *G,
                              const struct lcl_dots *d, int j, int64_t to)
{
    const lcl_buffer *place = G->place ? G->place : G->start;
    return LCL_LAUNCH(G->kernel, G->count, lcl_arg_int(G->count),
                      lcl_arg_buffer(G->start), lcl_arg_buffer(place),
                      lcl_arg_long(G->rows.by_row),
                      lcl_arg_long(G->rows.by_stage), lcl_arg_long(j * d->ld),
                      lcl_arg_buffer(d->a), lcl_arg_buffer(d->b),
                      lcl_arg_long(to), lcl_arg_buffer(G->sums));
}

// all: of each rank, `most` sums of each of `count` inner products.
static void add_up(const struct lcl_segments *G, double *sum, const double *all,
                   int count)
{
    for (int q = 0; q < count; ++q) {
        sum[q] = 0;
        for (int r = 0; r < G->comm->size; ++r)
            for (int s = 0; s < G->most; ++s)
                sum[q] += all[((int64_t)r * count + q) * G->most + s];
    }
}

enum lcl_status lcl_segments_sum(const struct lcl_segments *G, double *sum,
                                 const struct lcl_dots *dots, int from,
                                 int count)
{
    struct lcl_comm *C = G->comm;
    const size_t each = (size_t)count * (size_t)G->most;
    const size_t bytes = each * sizeof *sum;
    double *own = lcl_comm_room(C, ((size_t)C->size + 1) * bytes);
    enum lcl_status st =
        own ? LCL_OK : lcl_fail_memory(&C->log, "sums of segments");
    for (int q = 0; q < count && st == LCL_OK; ++q)
        st = launch(G, dots, from + q, (int64_t)q * G->most);
    if (st < 0 || (st = lcl_buffer_read(G->sums, own, bytes)) < 0 ||
        (st = lcl_comm_gather(C, own, bytes, own + each)) < 0)
        return st;
    add_up(G, sum, own + each, count);
    return LCL_OK;
}
