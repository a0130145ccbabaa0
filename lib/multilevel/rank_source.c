// SPDX-License-Identifier: BSD-3-Clause
// The rank's rows of a distributed operator on the device.
#include "lib/multilevel/rank_source.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/distributed/distributed.h"
#include "lib/matrix/bsr.h"
#include "lib/storage/to_entries.h"

static const char what[] = "rows at the boundary of a rank";

static const struct lcl_log *log_of(const struct lcl_rank_source *S)
{
    return lcl_context_log(S->whole->range.ctx);
}

// ------------------------------------------------------------------- own part

static enum lcl_status take_part(struct lcl_rank_source *S)
{
    return S->part->block == 1
               ? LCL_OK
               : lcl_to_entries(&S->entries, S->whole->range.ctx, S->part);
}

static struct lcl_composition composition_of(const struct lcl_rank_source *S)
{
    return (struct lcl_composition){.A = S->part->block == 1 ? S->part
                                                             : &S->entries,
                                    .limit = S->whole->range.n,
                                    .B = &S->ghosts,
                                    .place = S->place};
}

// ------------------------------------------------------------------- ghosts

// The values of boundary rows in ghosts.
static void list_values(double *val, const struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    for (int64_t k = 0; k < P->entries; ++k)
        if (P->col[k] >= P->rows)
            *val++ = H->host[k];
}

static void list_entries(struct lcl_bsr *B, const struct lcl_halo *H,
                         const int32_t *number)
{
    const struct lcl_halo_plan *P = &H->plan;
    const int32_t rows = (int32_t)P->rows;
    B->row_ptr[0] = 0;
    for (int64_t r = 0; r < P->boundary; ++r) {
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k)
            if (P->col[k] >= rows)
                B->col_ind[B->nnz++] = rows + number[P->col[k] - rows];
        B->row_ptr[r + 1] = B->nnz;
    }
    list_values(B->val, H);
}

static enum lcl_status upload_ghosts(struct lcl_rank_source *S,
                                     const struct lcl_halo_plan *columns)
{
    const struct lcl_halo *H = lcl_distributed_halo(S->whole);
    const struct lcl_halo_plan *P = &H->plan;
    const size_t entries = (size_t)P->entries;
    struct lcl_bsr B = {.rows = P->boundary,
                        .cols = columns->rows + columns->ghosts,
                        .block_size = 1};
    int32_t *number = lcl_malloc((size_t)P->ghosts, sizeof *number);
    enum lcl_status st = LCL_ENOMEM;
    B.row_ptr = lcl_malloc((size_t)P->boundary + 1, sizeof *B.row_ptr);
    B.col_ind = lcl_malloc(entries, sizeof *B.col_ind);
    B.val = lcl_malloc(entries, sizeof *B.val);
    if (number && B.row_ptr && B.col_ind && B.val) {
        lcl_ghosts_number(number, columns, P);
        list_entries(&B, H, number);
        st = lcl_device_matrix_init(&S->ghosts, S->whole->range.ctx, &B);
    } else {
        st = lcl_fail_memory(log_of(S), what);
    }
    lcl_free(number);
    lcl_bsr_finish(&B);
    return st;
}

static enum lcl_status make_matrix(struct lcl_rank_source *S,
                                   struct lcl_device_matrix *A,
                                   const struct lcl_halo_plan *columns)
{
    const struct lcl_halo_plan *P = &lcl_distributed_halo(S->whole)->plan;
    lcl_context *ctx = S->whole->range.ctx;
    enum lcl_status st;
    if ((st = take_part(S)) < 0 || (st = upload_ghosts(S, columns)) < 0 ||
        (st = lcl_place_rows(&S->place, ctx, P->rows, P->row, P->boundary)) < 0)
        return st;
    const struct lcl_composition both = composition_of(S);
    return lcl_compose(A, ctx, P->rows, S->ghosts.block_cols, &both);
}

enum lcl_status lcl_rank_source_init(struct lcl_rank_source *S,
                                     struct lcl_device_matrix *A,
                                     struct lcl_halo_plan *columns,
                                     const lcl_operator *whole,
                                     const struct lcl_device_matrix *part,
                                     const struct lcl_ownership *O, int block)
{
    enum lcl_status st;
    *S = (struct lcl_rank_source){.whole = whole, .part = part};
    *A = (struct lcl_device_matrix){.n = 0};
    lcl_task_enter(whole->range.ctx, LCL_TASK_GHOSTS);
    if ((st = lcl_ghosts_of(columns, &lcl_distributed_halo(whole)->plan, block,
                            log_of(S))) == LCL_OK &&
        (st = lcl_halo_plan_connect(columns, O->comm, O->first)) == LCL_OK)
        st = make_matrix(S, A, columns);
    lcl_task_leave(whole->range.ctx);
    return st;
}

void lcl_rank_source_finish(struct lcl_rank_source *S)
{
    lcl_device_matrix_finish(&S->entries);
    lcl_device_matrix_finish(&S->ghosts);
    lcl_buffer_destroy(&S->place);
}

uint64_t lcl_rank_source_bytes(const struct lcl_rank_source *S)
{
    return lcl_device_matrix_bytes(&S->entries) +
           lcl_device_matrix_bytes(&S->ghosts) + lcl_buffer_bytes(S->place);
}

// ------------------------------------------------------------------- values

enum lcl_status lcl_rank_source_update(const struct lcl_rank_source *S,
                                       const struct lcl_device_matrix *A)
{
    double *val = lcl_malloc((size_t)S->ghosts.blocks, sizeof *val);
    enum lcl_status st = LCL_OK;
    if (!val)
        return lcl_fail_memory(log_of(S), what);
    list_values(val, lcl_distributed_halo(S->whole));
    if (S->part->block > 1)
        st = lcl_to_entries_update(&S->entries, S->whole->range.ctx, S->part);
    if (st == LCL_OK)
        st = lcl_buffer_write(S->ghosts.val, val,
                              (size_t)S->ghosts.blocks * sizeof *val);
    lcl_free(val);
    if (st < 0)
        return st;
    const struct lcl_composition both = composition_of(S);
    return lcl_compose_values(A, S->whole->range.ctx, &both);
}
