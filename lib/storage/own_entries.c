// SPDX-License-Identifier: BSD-3-Clause
// The entries of a rank's rows in the rank's own columns.
#include "lib/storage/own_entries.h"

#include "host/geometry.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

#include <string.h>

// ------------------------------------------------------------------- rows

// Returns the number of row pointers from `first` on, at most `count`, up to
// the next boundary row. For own entries they are those of the rank's rows
// minus *less.
static int64_t next_run(const struct lcl_own_entries *E, int64_t first,
                        int64_t count, int64_t *less)
{
    const struct lcl_halo_plan *P = E->plan;
    const int64_t r = lcl_seek(P->row, 0, P->boundary, first);
    const int64_t run = r < P->boundary ? P->row[r] + 1 - first : count;
    *less = E->rows.row_ptr[0] + lcl_halo_plan_left_out(P, r);
    return run < count ? run : count;
}

void lcl_fill_own_wide_row_ptr(void *arg, int64_t first, int64_t count,
                               void *to)
{
    const struct lcl_own_entries *E = arg;
    int64_t *out = to, less, run;
    for (; count > 0; first += run, count -= run, out += run) {
        const int64_t *from = E->rows.row_ptr + first;
        run = next_run(E, first, count, &less);
        for (int64_t k = 0; k < run; ++k)
            out[k] = from[k] - less;
    }
}

void lcl_fill_own_row_ptr(void *arg, int64_t first, int64_t count, void *to)
{
    const struct lcl_own_entries *E = arg;
    uint32_t *out = to;
    int64_t less, run;
    for (; count > 0; first += run, count -= run, out += run) {
        const int64_t *from = E->rows.row_ptr + first;
        run = next_run(E, first, count, &less);
        for (int64_t k = 0; k < run; ++k)
            out[k] = (uint32_t)(from[k] - less);
    }
}

// ------------------------------------------------------------------- entries

// Writes `count` consecutive entries of the rows, from entry k on, to place
// `at` of an array.
typedef void copy_fn(const struct lcl_view *V, int64_t k, int64_t count,
                     void *to, int64_t at);

static void copy_columns(const struct lcl_view *V, int64_t k, int64_t count,
                         void *to, int64_t at)
{
    const int64_t first = V->first;
    int32_t *out = (int32_t *)to + at;
    if (V->narrow) {
        const int32_t *narrow = V->narrow + k;
        for (int64_t e = 0; e < count; ++e)
            out[e] = (int32_t)((uint32_t)narrow[e] - (uint32_t)first);
    } else {
        for (int64_t e = 0; e < count; ++e)
            out[e] = (int32_t)(V->wide[k + e] - first);
    }
}

static void copy_values(const struct lcl_view *V, int64_t k, int64_t count,
                        void *to, int64_t at)
{
    memcpy((double *)to + at, V->val + k, (size_t)count * sizeof *V->val);
}

// State of a copy: skips `next` own entries, then copies `left`.
struct piece {
    const struct lcl_own_entries *E;
    copy_fn *copy;
    void *to;
    int64_t next, left, at;
};

// Skips or copies `count` own entries that are consecutive from entry k on.
static void copy_entries(struct piece *p, int64_t k, int64_t count)
{
    const int64_t skipped = p->next < count ? p->next : count;
    const int64_t rest = count - skipped;
    const int64_t taken = rest < p->left ? rest : p->left;
    p->next -= skipped;
    if (taken == 0)
        return;
    p->copy(&p->E->rows, k + skipped, taken, p->to, p->at);
    p->at += taken;
    p->left -= taken;
}

static void copy_boundary_row(struct piece *p, int64_t r)
{
    const struct lcl_halo_plan *P = p->E->plan;
    const int64_t length = P->ptr[r + 1] - P->ptr[r];
    const int32_t *col = P->col + P->ptr[r];
    int64_t end;
    for (int64_t k = 0; k < length; k = end) {
        end = k + 1;
        if (col[k] >= P->rows)
            continue;
        while (end < length && col[end] < P->rows)
            ++end;
        copy_entries(p, P->start[r] + k, end - k);
    }
}

// The last boundary row before which there are at most `e` own entries; -1:
// none.
static int64_t boundary_before(const struct lcl_halo_plan *P, int64_t e)
{
    int64_t low = 0, high = P->boundary;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (P->own_start[middle] <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

// Visits boundary rows and the runs of rows between them in turn.
static void copy_piece(struct piece *p, int64_t first)
{
    const struct lcl_halo_plan *P = p->E->plan;
    int64_t r = boundary_before(P, first);
    p->next = first - (r < 0 ? 0 : P->own_start[r]);
    for (; p->left > 0; ++r) {
        const int64_t from =
            r < 0 ? 0 : P->start[r] + P->ptr[r + 1] - P->ptr[r];
        const int64_t end = r + 1 < P->boundary ? P->start[r + 1] : P->nnz;
        if (r >= 0)
            copy_boundary_row(p, r);
        copy_entries(p, from, end - from);
    }
}

void lcl_fill_own_columns(void *arg, int64_t first, int64_t count, void *to)
{
    struct piece p = {arg, copy_columns, to, 0, count, 0};
    copy_piece(&p, first);
}

void lcl_fill_own_values(void *arg, int64_t first, int64_t count, void *to)
{
    struct piece p = {arg, copy_values, to, 0, count, 0};
    copy_piece(&p, first);
}

// ------------------------------------------------------------------- upload

static enum lcl_status fill(struct lcl_device_matrix *D, lcl_context *ctx,
                            const struct lcl_own_entries *own)
{
    void *arg = (void *)own;
    const size_t pointer = D->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const struct lcl_buffer_plan all[] = {
        {&D->row_ptr, D->n + 1, pointer, "row pointers"},
        {&D->col, D->blocks, sizeof(int32_t), "columns"},
        {&D->val, D->blocks, sizeof(double), "values"},
    };
    enum lcl_status st;
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_fill_by(
             D->row_ptr, pointer,
             D->wide ? lcl_fill_own_wide_row_ptr : lcl_fill_own_row_ptr, arg)) <
            0 ||
        (st = lcl_buffer_fill_by(D->col, sizeof(int32_t), lcl_fill_own_columns,
                                 arg)) < 0)
        return st;
    return lcl_buffer_fill_by(D->val, sizeof(double), lcl_fill_own_values, arg);
}

enum lcl_status lcl_own_matrix_init(struct lcl_device_matrix *D,
                                    lcl_context *ctx,
                                    const struct lcl_own_entries *own)
{
    const struct lcl_halo_plan *P = own->plan;
    const struct lcl_bsr shape = {
        .rows = P->rows, .cols = P->rows, .nnz = P->own, .block_size = 1};
    *D = lcl_device_matrix_shape(&shape);
    D->groups = lcl_vector_groups(lcl_context_caps(ctx));
    const enum lcl_status st = fill(D, ctx, own);
    if (st < 0)
        lcl_device_matrix_finish(D);
    return st;
}
