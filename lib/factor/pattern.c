// SPDX-License-Identifier: BSD-3-Clause
// The pattern that is factored: that of A, or one with rows that repeat and
// with fill.
#include "lib/factor/pattern.h"

#include "host/alloc.h"
#include "host/log.h"

#include "cl/factor/factor.cl.h"

struct lcl_pattern lcl_pattern_of(const struct lcl_device_matrix *A)
{
    return (struct lcl_pattern){.rows = A->block_rows,
                                .nnz = A->blocks,
                                .entries = A->blocks,
                                .row_ptr = A->row_ptr,
                                .col = A->col};
}

static int64_t most_entries(const struct lcl_host_pattern *H)
{
    return H->most > 0 && H->most < LCL_NARROW_MOST ? H->most : LCL_NARROW_MOST;
}

enum lcl_status lcl_host_pattern_refuse(const struct lcl_host_pattern *H,
                                        const struct lcl_log *log)
{
    const int64_t most = most_entries(H);
    const bool narrow = most == LCL_NARROW_MOST;
    return lcl_fail(log, narrow ? LCL_EUNSUPPORTED : LCL_EDEVMEM,
                    "the factors on subdomains have more than %lld entries%s; "
                    "use less fill or less overlap",
                    (long long)most,
                    narrow ? "" : ", the most that fit the device's memory");
}

enum lcl_status lcl_host_pattern_reserve(struct lcl_host_pattern *H,
                                         int64_t more,
                                         const struct lcl_log *log)
{
    if (more > most_entries(H) - H->nnz)
        return lcl_host_pattern_refuse(H, log);
    const int64_t needed = H->nnz + more;
    if (needed <= H->capacity)
        return LCL_OK;
    const int64_t capacity =
        needed > 2 * H->capacity ? needed : 2 * H->capacity;
    int32_t *col = lcl_realloc(H->col, (size_t)capacity, sizeof *col);
    if (col)
        H->col = col;
    uint32_t *source = lcl_realloc(H->source, (size_t)capacity, sizeof *source);
    if (source)
        H->source = source;
    if (!col || !source)
        return lcl_fail_memory(log, "the pattern of the factors");
    H->capacity = capacity;
    return LCL_OK;
}

int64_t lcl_host_pattern_missing(const struct lcl_host_pattern *H)
{
    int64_t missing = H->rows;
    for (int64_t i = 0; i < H->rows; ++i)
        for (int64_t k = H->row_ptr[i]; k < H->row_ptr[i + 1]; ++k)
            missing -= H->col[k] == i;
    return missing;
}

static void put(struct lcl_host_pattern *H, int64_t at, int32_t col,
                uint32_t source)
{
    H->col[at] = col;
    H->source[at] = source;
}

// Moves the entries to their places, from the last one on.
enum lcl_status lcl_host_pattern_add_diagonal(struct lcl_host_pattern *H,
                                              const struct lcl_log *log)
{
    const int64_t missing = lcl_host_pattern_missing(H);
    const enum lcl_status st = lcl_host_pattern_reserve(H, missing, log);
    if (st < 0)
        return st;
    int64_t k = H->nnz, at = H->nnz + missing;
    for (int64_t i = H->rows; i-- > 0 && at > k;) {
        const int64_t end = at;
        for (; k > H->row_ptr[i] && H->col[k - 1] > i; --k)
            put(H, --at, H->col[k - 1], H->source[k - 1]);
        if (k == H->row_ptr[i] || H->col[k - 1] < i)
            put(H, --at, (int32_t)i, LCL_FILL);
        for (; k > H->row_ptr[i]; --k)
            put(H, --at, H->col[k - 1], H->source[k - 1]);
        H->row_ptr[i + 1] = end;
    }
    H->nnz += missing;
    return LCL_OK;
}

void lcl_host_pattern_finish(struct lcl_host_pattern *H)
{
    lcl_free(H->row_ptr);
    lcl_free(H->col);
    lcl_free(H->source);
    *H = (struct lcl_host_pattern){0};
}

enum lcl_status lcl_pattern_upload(struct lcl_pattern *P, lcl_context *ctx,
                                   const struct lcl_host_pattern *H)
{
    enum lcl_status st;
    *P = (struct lcl_pattern){
        .rows = H->rows, .nnz = H->nnz, .entries = H->entries};
    if ((st = lcl_buffer_create_narrow(&P->row_ptr, ctx, H->row_ptr,
                                       H->rows + 1, "row pointers")) < 0 ||
        (st = lcl_buffer_create_from(&P->col, ctx, H->col, H->nnz,
                                     sizeof *H->col, "columns")) < 0 ||
        (st = lcl_buffer_create_from(&P->source, ctx, H->source, H->nnz,
                                     sizeof *H->source, "sources")) < 0)
        lcl_pattern_finish(P);
    return st;
}

void lcl_pattern_finish(struct lcl_pattern *P)
{
    lcl_buffer_destroy(&P->row_ptr);
    lcl_buffer_destroy(&P->col);
    lcl_buffer_destroy(&P->source);
    *P = (struct lcl_pattern){0};
}
