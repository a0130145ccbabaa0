// SPDX-License-Identifier: BSD-3-Clause
// The numbering of vectors on the device.
#include "lib/vector/numbering.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

void lcl_numbering_init(struct lcl_numbering *N, lcl_context *ctx, int64_t n,
                        int block)
{
    *N = (struct lcl_numbering){.ctx = ctx, .n = n, .block = block};
}

// Up to so many rows, one core permutes two vectors in the time of two
// launches.
enum { HOST_ROWS = 16384, ALIGNMENT = 64 };

static size_t room_of(int64_t n)
{
    const size_t line = ALIGNMENT / sizeof(double);
    return ((size_t)n + line - 1) / line * line;
}

struct lcl_numbering_pair lcl_numbering_room(const struct lcl_numbering *N)
{
    const uintptr_t at = (uintptr_t)N->room;
    double *first =
        N->room + (ALIGNMENT - at % ALIGNMENT) % ALIGNMENT / sizeof(double);
    return (struct lcl_numbering_pair){first, first + room_of(N->n)};
}

static enum lcl_status make_room(struct lcl_numbering *N)
{
    if (!lcl_context_is_cpu(N->ctx) || N->n > HOST_ROWS)
        return LCL_OK;
    N->room = lcl_malloc(2 * room_of(N->n) + ALIGNMENT / sizeof(double),
                         sizeof *N->room);
    return N->room ? lcl_numbering_rows(N, &N->rows)
                   : lcl_fail_memory(lcl_context_log(N->ctx), "vectors");
}

enum lcl_status lcl_numbering_adopt(struct lcl_numbering *N, lcl_buffer **perm)
{
    enum lcl_status st;
    if ((st = lcl_vector_ops_init(&N->ops, N->ctx, N->block)) < 0 ||
        (st = lcl_buffer_create(&N->vector, N->ctx, N->n, sizeof(double),
                                "vector")) < 0)
        return st;
    N->perm = *perm;
    *perm = NULL;
    return make_room(N);
}

void lcl_numbering_finish(struct lcl_numbering *N)
{
    lcl_buffer_destroy(&N->vector);
    lcl_buffer_destroy(&N->perm);
    lcl_free(N->rows);
    lcl_free(N->room);
    N->rows = NULL;
    N->room = NULL;
}

bool lcl_numbering_equal(const struct lcl_numbering *a,
                         const struct lcl_numbering *b)
{
    return a == b || (!a->perm && !b->perm);
}

enum lcl_status lcl_numbering_rows(const struct lcl_numbering *N,
                                   int32_t **perm)
{
    const int64_t blocks = N->n / N->block;
    int32_t *of_block = lcl_malloc((size_t)blocks, sizeof *of_block);
    int32_t *rows = lcl_malloc((size_t)N->n, sizeof *rows);
    enum lcl_status st = LCL_OK;
    *perm = NULL;
    if (!of_block || !rows)
        st = lcl_fail_memory(lcl_context_log(N->ctx), "a permutation");
    else if (N->perm)
        st = lcl_buffer_read(N->perm, of_block,
                             (size_t)blocks * sizeof *of_block);
    for (int64_t i = 0; i < blocks && st == LCL_OK; ++i)
        for (int c = 0; c < N->block; ++c)
            rows[i * N->block + c] =
                (int32_t)(N->perm ? of_block[i] : i) * N->block + c;
    lcl_free(of_block);
    if (st < 0)
        lcl_free(rows);
    else
        *perm = rows;
    return st;
}

static enum lcl_status find_places(const struct lcl_numbering *N, int32_t *rows,
                                   int64_t count, lcl_buffer *place)
{
    const size_t size = sizeof *rows;
    lcl_buffer *list;
    enum lcl_status st =
        lcl_buffer_create_from(&list, N->ctx, rows, count, size, "a list");
    if (st < 0)
        return st;
    if ((st = lcl_map_invert(&N->ops, N->n / N->block, N->perm, place)) ==
            LCL_OK &&
        (st = lcl_map_places(&N->ops, count, place, list)) == LCL_OK)
        st = lcl_buffer_read(list, rows, (size_t)count * size);
    lcl_buffer_destroy(&list);
    return st;
}

enum lcl_status lcl_numbering_places(const struct lcl_numbering *N,
                                     int32_t *rows, int64_t count)
{
    lcl_buffer *place;
    if (!N->perm || count == 0)
        return LCL_OK;
    enum lcl_status st = lcl_buffer_create(&place, N->ctx, N->n / N->block,
                                           sizeof(uint32_t), "a permutation");
    if (st < 0)
        return st;
    st = find_places(N, rows, count, place);
    lcl_buffer_destroy(&place);
    return st;
}

enum lcl_status lcl_numbering_gather(const struct lcl_numbering *N,
                                     const lcl_buffer *given,
                                     lcl_buffer *vector)
{
    return N->perm
               ? lcl_gather(&N->ops, N->n / N->block, N->perm, given, vector)
               : lcl_buffer_copy(vector, given);
}

enum lcl_status lcl_numbering_scatter(const struct lcl_numbering *N,
                                      const lcl_buffer *vector,
                                      lcl_buffer *given)
{
    return N->perm
               ? lcl_scatter(&N->ops, N->n / N->block, N->perm, vector, given)
               : lcl_buffer_copy(given, vector);
}

enum lcl_status lcl_numbering_write(const struct lcl_numbering *N,
                                    const double *host, lcl_buffer *vector)
{
    const size_t bytes = (size_t)N->n * sizeof *host;
    if (!N->perm)
        return lcl_buffer_write(vector, host, bytes);
    const enum lcl_status st = lcl_buffer_write(N->vector, host, bytes);
    return st < 0 ? st : lcl_numbering_gather(N, N->vector, vector);
}

enum lcl_status lcl_numbering_read(const struct lcl_numbering *N,
                                   const lcl_buffer *vector, double *host)
{
    const size_t bytes = (size_t)N->n * sizeof *host;
    if (!N->perm)
        return lcl_buffer_read(vector, host, bytes);
    const enum lcl_status st = lcl_numbering_scatter(N, vector, N->vector);
    return st < 0 ? st : lcl_buffer_read(N->vector, host, bytes);
}

uint64_t lcl_numbering_bytes(const struct lcl_numbering *N)
{
    return lcl_buffer_bytes(N->perm) + lcl_buffer_bytes(N->vector);
}
