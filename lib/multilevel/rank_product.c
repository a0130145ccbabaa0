// SPDX-License-Identifier: BSD-3-Clause
// The next matrix of a level of several ranks.
#include "lib/multilevel/rank_product.h"

#include "lib/multilevel/growth.h"
#include "lib/multilevel/nodes.h"

static lcl_context *context_of(const struct lcl_rank_factors *F)
{
    return F->A_halo->halo.space.ctx;
}

// The pattern of C = A B, unless those of all ranks have more than `most`
// entries.
static enum lcl_status make_pattern(struct lcl_spgemm *S,
                                    struct lcl_device_matrix *C,
                                    const struct lcl_rank_factors *F,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_device_matrix *B,
                                    int64_t most, bool *fits)
{
    enum lcl_status st = lcl_spgemm_init_most(S, C, context_of(F), A, B, most);
    double entries = (double)C->blocks;
    *fits = st == LCL_OK;
    if (st == LCL_OK && most < INT64_MAX) {
        st = lcl_space_sum(&F->A_halo->halo.space, &entries, 1);
        *fits = st == LCL_OK && entries <= (double)most;
    }
    return st;
}

// P with the rows of the ghosts, and the rank's rows of A P.
static enum lcl_status make_AP(struct lcl_rank_product *W,
                               struct lcl_halo_plan *columns,
                               const struct lcl_rank_factors *F, int64_t most,
                               bool *fits)
{
    struct lcl_ghost_rows ghosts;
    enum lcl_status st = lcl_ghost_rows_init(&ghosts, &W->P, columns, F->P,
                                             &F->P_halo->halo.plan, F->A_halo);
    lcl_ghost_rows_finish(&ghosts);
    if (st == LCL_OK)
        st = make_pattern(&W->times_P, &W->AP, F, F->A, &W->P, most, fits);
    return *fits ? lcl_spgemm_update(&W->times_P, &W->AP, F->A, &W->P) : st;
}

enum lcl_status lcl_rank_product_init(struct lcl_rank_product *W,
                                      const struct lcl_rank_factors *F,
                                      int64_t most, bool *fits)
{
    struct lcl_halo_plan columns = {.rows = 0};
    enum lcl_status st;
    *W = (struct lcl_rank_product){.columns = {.rows = 0}};
    *fits = false;
    if ((st = make_AP(W, &columns, F, most, fits)) == LCL_OK && *fits &&
        (st = lcl_ghost_rows_init(&W->ghosts, &W->all, &W->columns, &W->AP,
                                  &columns, F->R_halo)) == LCL_OK)
        st = make_pattern(&W->times_AP, &W->C, F, F->R, &W->all, most, fits);
    lcl_halo_plan_finish(&columns);
    return st;
}

void lcl_rank_product_finish(struct lcl_rank_product *W)
{
    lcl_spgemm_finish(&W->times_AP);
    lcl_spgemm_finish(&W->times_P);
    lcl_ghost_rows_finish(&W->ghosts);
    lcl_halo_plan_finish(&W->columns);
    lcl_device_matrix_finish(&W->C);
    lcl_device_matrix_finish(&W->all);
    lcl_device_matrix_finish(&W->AP);
    lcl_device_matrix_finish(&W->P);
    *W = (struct lcl_rank_product){.columns = {.rows = 0}};
}

enum lcl_status lcl_rank_product_update(const struct lcl_rank_product *W,
                                        const struct lcl_rank_factors *F)
{
    const enum lcl_status st =
        lcl_spgemm_update(&W->times_P, &W->AP, F->A, &W->P);
    return st < 0 ? st : lcl_ghost_rows_update(&W->ghosts, &W->all, &W->AP);
}

enum lcl_status lcl_rank_product_multiply(const struct lcl_rank_product *W,
                                          const struct lcl_rank_factors *F,
                                          lcl_buffer *val)
{
    struct lcl_device_matrix C = W->C;
    C.val = val;
    enum lcl_status st = lcl_spgemm_update(&W->times_AP, &C, F->R, &W->all);
    if (st == LCL_OK && F->plain)
        st = lcl_growth_scale(context_of(F), &C);
    return st < 0 ? st : lcl_unit_diagonal(context_of(F), &C);
}

uint64_t lcl_rank_product_bytes(const struct lcl_rank_product *W)
{
    return lcl_device_matrix_bytes(&W->P) + lcl_device_matrix_bytes(&W->AP) +
           lcl_device_matrix_bytes(&W->all) + lcl_device_matrix_bytes(&W->C) +
           lcl_row_exchange_bytes(&W->ghosts.rows);
}
