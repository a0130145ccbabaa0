// SPDX-License-Identifier: BSD-3-Clause
// The grid of a matrix whose rows are distributed among ranks.
#include "lib/partition/grid.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/distributed/distributed.h"
#include "lib/kron/distributed.h"
#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/spmv/matrix_operator.h"

static const char what[] = "a grid";

// The patterns of a rank: one or two in its own columns, and whole boundary
// rows.
struct search {
    const lcl_operator *part;
    const struct lcl_halo_plan *plan;
    int64_t block; // rows of the plan per cell
    struct lcl_bsr own[2];
    int64_t *own_cell; // NULL: consecutive cells
    int64_t *cell;     // of the rows of the plan and of the ghosts
    struct lcl_grid_rows rows[3];
    int count;
};

static void search_finish(struct search *s)
{
    for (int k = 0; k < 2; ++k)
        lcl_bsr_finish(&s->own[k]);
    lcl_free(s->own_cell);
    lcl_free(s->cell);
}

static struct search search_of(const lcl_operator *A)
{
    const bool kron = A->info.kron;
    const struct lcl_halo *H =
        kron ? lcl_kron_distributed_halo(A) : lcl_distributed_halo(A);
    return (struct search){.part = A->part,
                           .plan = &H->plan,
                           .block = kron ? 1 : A->part->matrix->block};
}

// ------------------------------------------------------------------- patterns

static enum lcl_status download(struct search *s)
{
    const struct lcl_kron_operator *K = lcl_kron_of(s->part);
    const struct lcl_log *log = lcl_context_log(s->part->range.ctx);
    enum lcl_status st;
    if (!K)
        return lcl_operator_download(s->part, &s->own[0], false);
    st = lcl_device_matrix_read(&s->own[0], &K->term[0], false, log);
    return st < 0 || K->paired
               ? st
               : lcl_device_matrix_read(&s->own[1], &K->term[1], false, log);
}

static int64_t cell_of(const struct search *s, int64_t row)
{
    return lcl_share_row(&s->part->share, row) / s->block;
}

// Finds the cells of the rows of own patterns, which may be renumbered.
static enum lcl_status number_own(struct search *s)
{
    const struct lcl_share *share = &s->part->share;
    const bool reordered = s->part->matrix && s->part->own.perm;
    const int64_t n = s->own[0].rows;
    int32_t *row = NULL;
    enum lcl_status st = LCL_OK;
    if (!reordered && !share->perm)
        return LCL_OK;
    if (reordered)
        st = lcl_numbering_rows(s->part->numbering, &row);
    s->own_cell = lcl_malloc((size_t)n, sizeof *s->own_cell);
    if (st == LCL_OK && !s->own_cell)
        st = lcl_fail_memory(lcl_context_log(s->part->range.ctx), what);
    for (int64_t i = 0; i < n && st == LCL_OK; ++i) {
        const int64_t of_rank = i * s->block;
        s->own_cell[i] =
            cell_of(s, share->first + (row ? row[of_rank] : of_rank));
    }
    lcl_free(row);
    return st;
}

// Finds the cells of the columns of boundary rows.
static enum lcl_status number_ghosts(struct search *s)
{
    const struct lcl_halo_plan *P = s->plan;
    s->cell = lcl_malloc((size_t)(P->rows + P->ghosts), sizeof *s->cell);
    if (!s->cell)
        return lcl_fail_memory(lcl_context_log(s->part->range.ctx), what);
    for (int64_t i = 0; i < P->rows; ++i)
        s->cell[i] = cell_of(s, P->first + i);
    for (int64_t g = 0; g < P->ghosts; ++g)
        s->cell[P->rows + g] = cell_of(s, P->ghost[g]);
    return LCL_OK;
}

static enum lcl_status list_patterns(struct search *s)
{
    const struct lcl_halo_plan *P = s->plan;
    enum lcl_status st;
    if ((st = download(s)) < 0 || (st = number_own(s)) < 0 ||
        (st = number_ghosts(s)) < 0)
        return st;
    for (int k = 0; k < 2 && s->own[k].row_ptr; ++k)
        s->rows[s->count++] = (struct lcl_grid_rows){
            .rows = s->own[k].rows,
            .row_ptr = s->own[k].row_ptr,
            .col = s->own[k].col_ind,
            .cell = s->own_cell,
            .first = s->part->share.first / s->block,
        };
    s->rows[s->count++] = (struct lcl_grid_rows){.rows = P->boundary,
                                                 .row_ptr = P->ptr,
                                                 .col = P->col,
                                                 .row = P->row,
                                                 .cell = s->cell};
    return LCL_OK;
}

// ------------------------------------------------------------------- agreement

// All ranks must have the same cells: blocks of one size, which start at the
// first row of each rank.
static enum lcl_status expect_equal_blocks(const struct search *s,
                                           const struct lcl_space *V)
{
    int64_t largest = s->block;
    enum lcl_status st = lcl_space_max(V, &largest);
    bool same = s->block == largest;
    if (st < 0 || (st = lcl_space_all(V, &same)) < 0)
        return st;
    return same ? LCL_OK
                : lcl_fail(lcl_context_log(V->ctx), LCL_EINVAL,
                           "geometric partition: the blocks of the ranks "
                           "differ in size; give the block size or the grid "
                           "sizes");
}

static enum lcl_status find_distances(struct lcl_distances *D,
                                      const struct search *s,
                                      const struct lcl_space *V)
{
    struct lcl_distances own = {.count = 0};
    const void *all;
    for (int k = 0; k < s->count; ++k)
        lcl_distances_add(&own, &s->rows[k]);
    const enum lcl_status st = lcl_comm_all(V->comm, &own, sizeof own, &all);
    const struct lcl_distances *of_rank = all;
    for (int r = 0; r < V->comm->size && st == LCL_OK; ++r)
        lcl_distances_merge(D, &of_rank[r]);
    return st;
}

static enum lcl_status find(int64_t grid[3], const struct search *s,
                            const struct lcl_space *V)
{
    struct lcl_distances D = {.count = 0};
    enum lcl_status st = find_distances(&D, s, V);
    if (st < 0)
        return st;
    bool fits =
        lcl_grid_of_distances(grid, &D, s->part->share.total / s->block);
    for (int k = 0; k < s->count && fits; ++k)
        fits = lcl_grid_fits(&s->rows[k], grid);
    st = lcl_space_all(V, &fits);
    return st < 0 || fits ? st : lcl_grid_refuse(lcl_context_log(V->ctx));
}

enum lcl_status lcl_grid_find_on_ranks(int64_t grid[3], lcl_operator *A)
{
    const struct lcl_space *V = &A->range;
    struct search s = search_of(A);
    enum lcl_status st;
    lcl_task_enter(V->ctx, LCL_TASK_PARTITION);
    if ((st = expect_equal_blocks(&s, V)) == LCL_OK &&
        (st = lcl_space_agree(V, list_patterns(&s), what)) == LCL_OK)
        st = find(grid, &s, V);
    search_finish(&s);
    lcl_task_leave(V->ctx);
    return st;
}
