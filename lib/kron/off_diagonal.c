// SPDX-License-Identifier: BSD-3-Clause
// The off-diagonal parts of M and L on a rank.
#include "lib/kron/off_diagonal.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/view.h"

#include <levelcl/published.h>

#include <string.h>

enum lcl_status lcl_off_diagonal_plans(struct lcl_halo_plan plan[2],
                                       struct lcl_comm *comm,
                                       const struct lcl_kron_rows *K)
{
    struct lcl_view M = lcl_view_of_rows(K->M, 0);
    struct lcl_view L = lcl_view_of_rows(K->L, 0);
    M.sound = L.sound = LCL_VIEW_ALL;
    plan[1] = (struct lcl_halo_plan){.rows = 0};
    const enum lcl_status st = lcl_halo_plan_init(&plan[0], comm, &M, false);
    return st < 0 ? st : lcl_halo_plan_init(&plan[1], comm, &L, false);
}

// ------------------------------------------------------------------- pattern

// Boundary rows contain all entries; A and `block` receive the entries in
// ghosts.
static void list_blocks(struct lcl_bsr *A, int64_t *block,
                        const struct lcl_halo_plan *P)
{
    int64_t i = 0;
    for (int64_t r = 0; r < P->boundary; ++r) {
        while (i <= P->row[r])
            A->row_ptr[i++] = A->nnz;
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k) {
            if (P->col[k] < P->rows)
                continue;
            block[A->nnz] = P->start[r] + k - P->ptr[r];
            A->col_ind[A->nnz++] = (int32_t)(P->col[k] - P->rows);
        }
    }
    while (i <= A->rows)
        A->row_ptr[i++] = A->nnz;
}

static enum lcl_status upload(struct lcl_off_diagonal *D, lcl_context *ctx,
                              const struct lcl_bsr *A)
{
    const enum lcl_status st = lcl_device_pattern_init(&D->matrix, ctx, A);
    return st < 0 ? st
                  : lcl_buffer_create(&D->matrix.val, ctx,
                                      A->nnz * lcl_block_values(A),
                                      sizeof(double), "values");
}

static enum lcl_status create_matrix(struct lcl_off_diagonal *D,
                                     const struct lcl_space *V,
                                     const struct lcl_halo_plan *P,
                                     int block_size)
{
    const size_t most = (size_t)(P->nnz - P->own);
    struct lcl_bsr A = {.rows = P->rows,
                        .cols = P->ghosts,
                        .block_size = block_size,
                        .row_ptr =
                            lcl_malloc((size_t)P->rows + 1, sizeof *A.row_ptr),
                        .col_ind = lcl_malloc(most, sizeof *A.col_ind)};
    D->block = lcl_malloc(most, sizeof *D->block);
    enum lcl_status st = LCL_ENOMEM;
    if (A.row_ptr && A.col_ind && D->block) {
        list_blocks(&A, D->block, P);
        st = upload(D, V->ctx, &A);
    } else {
        lcl_fail_memory(&V->comm->log, "the columns of other ranks");
    }
    lcl_bsr_finish(&A);
    return st;
}

// ------------------------------------------------------------------- creation

static enum lcl_status create_exchange(struct lcl_off_diagonal *D,
                                       const struct lcl_space *V,
                                       struct lcl_halo_plan *plan,
                                       const struct lcl_kron_rows *K,
                                       bool staged)
{
    const int64_t rows = K->M->rows * K->block_size;
    const struct lcl_halo_layout stages = {K->block_size, K->stages, 1, rows};
    if (D->through_host)
        return lcl_host_halo_init(&D->copied, V, plan, K->block_size,
                                  K->stages);
    const enum lcl_status st = lcl_halo_init(
        &D->halo, V, plan, &stages, staged ? LCL_HALO_STAGED : LCL_HALO_STAGES);
    D->halo.beside = true;
    return st;
}

enum lcl_status lcl_off_diagonal_init(struct lcl_off_diagonal *D,
                                      const struct lcl_space *V,
                                      struct lcl_halo_plan *plan,
                                      const struct lcl_kron_rows *K,
                                      const struct lcl_operator_params *params)
{
    const bool staged = params->kron_exchange == LCL_KRON_EXCHANGE_STAGED;
    *D = (struct lcl_off_diagonal){.through_host = params->kron == LCL_KRON_CU};
    const enum lcl_status st = create_matrix(D, V, plan, K->block_size);
    if (st == LCL_OK)
        return create_exchange(D, V, plan, K, staged);
    lcl_halo_plan_finish(plan);
    return st;
}

void lcl_off_diagonal_finish(struct lcl_off_diagonal *D)
{
    if (D->through_host)
        lcl_host_halo_finish(&D->copied);
    else
        lcl_halo_finish(&D->halo);
    lcl_device_matrix_finish(&D->matrix);
    lcl_free(D->block);
}

uint64_t lcl_off_diagonal_bytes(const struct lcl_off_diagonal *D)
{
    return lcl_device_matrix_bytes(&D->matrix) +
           (D->through_host ? lcl_buffer_bytes(D->copied.ghost)
                            : lcl_halo_bytes(&D->halo));
}

int lcl_off_diagonal_launches(const struct lcl_off_diagonal *D)
{
    return D->through_host ? (D->matrix.blocks > 0) * D->copied.stages
                           : lcl_halo_launches(&D->halo);
}

const lcl_buffer *lcl_off_diagonal_ghosts(const struct lcl_off_diagonal *D)
{
    return D->through_host ? D->copied.ghost : D->halo.ghost;
}

// ------------------------------------------------------------------- values

struct filling {
    const int64_t *block;
    const double *val; // values of the rank's rows
    size_t values;     // per block
};

// An lcl_fill_fn whose elements are blocks.
static void fill(void *arg, int64_t first, int64_t count, void *to)
{
    const struct filling *f = arg;
    double *out = to;
    for (int64_t k = first; k < first + count; ++k, out += f->values)
        memcpy(out, f->val + (size_t)f->block[k] * f->values,
               f->values * sizeof *out);
}

enum lcl_status lcl_off_diagonal_update(struct lcl_off_diagonal *D,
                                        const double *val)
{
    const size_t values = (size_t)D->matrix.block * (size_t)D->matrix.block;
    struct filling f = {D->block, val, values};
    return lcl_buffer_fill_by(D->matrix.val, values * sizeof *val, fill, &f);
}
