// SPDX-License-Identifier: BSD-3-Clause
// A whole matrix on the device of each rank.
#include "lib/multilevel/gathered_rows.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/outbox.h"
#include "host/runtime.h"

static const char what[] = "rows of all ranks";

// Columns of the whole matrix on their way, and values.
enum { SIZE = sizeof(int64_t) };
_Static_assert(sizeof(double) == SIZE, "one message size for both");

// ------------------------------------------------------------------- parts

struct destination {
    const struct lcl_gathered_rows *G;
    lcl_buffer *to;
    size_t at;
};

static enum lcl_status write_part(void *arg, int rank, const void *part)
{
    struct destination *d = arg;
    const size_t bytes = (size_t)d->G->bytes[rank], at = d->at;
    d->at += bytes;
    return lcl_buffer_write_at(d->to, at, part, bytes);
}

// to = `from` of all ranks, one after the other.
static enum lcl_status gather(const struct lcl_gathered_rows *G,
                              const lcl_buffer *from, lcl_buffer *to)
{
    const size_t bytes = (size_t)G->bytes[G->comm->rank];
    struct destination d = {G, to, 0};
    void *sent;
    enum lcl_status st;
    if ((st = lcl_context_outbox(&sent, G->ctx, bytes)) < 0 ||
        (st = lcl_buffer_read(from, sent, bytes)) < 0)
        return st;
    return lcl_share_parts(sent, G->bytes, G->comm, write_part, &d);
}

// ------------------------------------------------------------------- pattern

static enum lcl_status count(struct lcl_gathered_rows *G,
                             const struct lcl_device_matrix *A)
{
    const int64_t bytes = A->blocks * SIZE;
    G->bytes = lcl_malloc((size_t)G->comm->size, sizeof *G->bytes);
    return G->bytes ? lcl_comm_gather(G->comm, &bytes, sizeof bytes, G->bytes)
                    : lcl_fail_memory(&G->comm->log, what);
}

static enum lcl_status gather_row_ptr(struct lcl_device_matrix *all,
                                      const struct lcl_gathered_rows *G,
                                      const struct lcl_device_matrix *A,
                                      const struct lcl_ownership *O)
{
    int64_t *own = lcl_malloc((size_t)A->n + 1, sizeof *own), *ptr = NULL;
    const struct lcl_log *log = &G->comm->log;
    enum lcl_status st =
        own ? lcl_device_row_ptr_read(own, A, log) : lcl_fail_memory(log, what);
    if (st == LCL_OK && (st = lcl_gather_row_ptr(&ptr, own, O)) == LCL_OK) {
        const struct lcl_bsr shape = {.rows = lcl_owned_by_all(O),
                                      .cols = lcl_owned_by_all(O),
                                      .nnz = ptr[lcl_owned_by_all(O)],
                                      .block_size = 1};
        *all = lcl_device_matrix_shape(&shape);
        all->groups = lcl_vector_groups(lcl_context_caps(G->ctx));
        st = all->wide ? lcl_refuse_wide(shape.nnz, what, log)
                       : lcl_buffer_create_narrow(&all->row_ptr, G->ctx, ptr,
                                                  shape.rows + 1, what);
    }
    lcl_free(ptr);
    lcl_free(own);
    return st;
}

static enum lcl_status gather_columns(const struct lcl_device_matrix *all,
                                      const struct lcl_gathered_rows *G)
{
    lcl_buffer *col = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = lcl_ghost_rows_kernel(&kernel, G->ctx, "rows_gathered")) ==
            LCL_OK &&
        (st = lcl_buffer_create(&col, G->ctx, all->blocks, sizeof(int64_t),
                                what)) == LCL_OK &&
        (st = gather(G, G->own.col, col)) == LCL_OK)
        st = LCL_LAUNCH(kernel, all->groups, lcl_arg_long(all->blocks),
                        lcl_arg_buffer(col), lcl_arg_buffer(all->col));
    lcl_buffer_destroy(&col);
    return st;
}

// ------------------------------------------------------------------- use

enum lcl_status lcl_gathered_rows_init(struct lcl_gathered_rows *G,
                                       struct lcl_device_matrix *all,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_halo_plan *columns,
                                       const struct lcl_ownership *O)
{
    enum lcl_status st;
    *G = (struct lcl_gathered_rows){.ctx = ctx, .comm = O->comm};
    *all = (struct lcl_device_matrix){.n = 0};
    if ((st = count(G, A)) < 0 ||
        (st = lcl_whole_columns_init(&G->own, ctx, A, columns)) < 0 ||
        (st = gather_row_ptr(all, G, A, O)) < 0)
        return st;
    const struct lcl_buffer_plan entries[] = {
        {&all->col, all->blocks, sizeof(int32_t), what},
        {&all->val, all->blocks, sizeof(double), what},
    };
    if ((st = lcl_buffers_create(ctx, entries,
                                 sizeof entries / sizeof *entries)) < 0 ||
        (st = gather_columns(all, G)) < 0)
        return st;
    return gather(G, G->own.val, all->val);
}

enum lcl_status lcl_gathered_rows_update(const struct lcl_gathered_rows *G,
                                         const struct lcl_device_matrix *all,
                                         const struct lcl_device_matrix *A)
{
    const enum lcl_status st = lcl_whole_columns_update(&G->own, G->ctx, A);
    return st < 0 ? st : gather(G, G->own.val, all->val);
}

void lcl_gathered_rows_finish(struct lcl_gathered_rows *G)
{
    lcl_whole_columns_finish(&G->own);
    lcl_free(G->bytes);
    G->bytes = NULL;
}
