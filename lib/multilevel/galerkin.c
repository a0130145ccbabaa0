// SPDX-License-Identifier: BSD-3-Clause
// The next matrix of a level.
#include "lib/multilevel/galerkin.h"

#include "lib/multilevel/growth.h"
#include "lib/multilevel/nodes.h"

static bool has_ranks(const struct lcl_galerkin_factors *F)
{
    return F->A_halo;
}

// P and A P with the rows of ghosts.
static const struct lcl_device_matrix *whole_P(
    const struct lcl_galerkin *W, const struct lcl_galerkin_factors *F)
{
    return has_ranks(F) ? &W->P : F->P;
}

static const struct lcl_device_matrix *whole_AP(
    const struct lcl_galerkin *W, const struct lcl_galerkin_factors *F)
{
    return has_ranks(F) ? &W->all : &W->AP;
}

// The pattern of C = A B, unless those of all ranks have more than `most`
// entries.
static enum lcl_status make_pattern(struct lcl_spgemm *S,
                                    struct lcl_device_matrix *C,
                                    const struct lcl_galerkin_factors *F,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_device_matrix *B,
                                    int64_t most, bool *fits)
{
    enum lcl_status st = lcl_spgemm_init_most(S, C, F->ctx, A, B, most);
    double entries = (double)C->blocks;
    if (st == LCL_OK && has_ranks(F) && most < INT64_MAX)
        st = lcl_space_sum(&F->A_halo->halo.space, &entries, 1);
    *fits = st == LCL_OK && entries <= (double)most;
    return st;
}

// P with the rows of ghosts, and A P.
static enum lcl_status make_AP(struct lcl_galerkin *W,
                               struct lcl_halo_plan *columns,
                               const struct lcl_galerkin_factors *F,
                               int64_t most, bool *fits)
{
    struct lcl_ghost_rows ghosts;
    enum lcl_status st = LCL_OK;
    if (has_ranks(F)) {
        st = lcl_ghost_rows_init(&ghosts, &W->P, columns, F->P,
                                 &F->P_halo->plan, F->A_halo);
        lcl_ghost_rows_finish(&ghosts);
    }
    if (st == LCL_OK)
        st = make_pattern(&W->times_P, &W->AP, F, F->A, whole_P(W, F), most,
                          fits);
    return st == LCL_OK && *fits
               ? lcl_spgemm_update(&W->times_P, &W->AP, F->A, whole_P(W, F))
               : st;
}

enum lcl_status lcl_galerkin_init(struct lcl_galerkin *W,
                                  const struct lcl_galerkin_factors *F,
                                  int64_t most, bool *fits)
{
    struct lcl_halo_plan columns = {.rows = 0};
    *W = (struct lcl_galerkin){.columns = {.rows = 0}};
    *fits = false;
    enum lcl_status st = make_AP(W, &columns, F, most, fits);
    if (st == LCL_OK && *fits && has_ranks(F))
        st = lcl_ghost_rows_init(&W->ghosts, &W->all, &W->columns, &W->AP,
                                 &columns, F->R_halo);
    if (st == LCL_OK && *fits)
        st = make_pattern(&W->times_AP, &W->C, F, F->R, whole_AP(W, F), most,
                          fits);
    lcl_halo_plan_finish(&columns);
    return st;
}

// Without ranks the pattern of C is that of the next matrix, and stays.
void lcl_galerkin_release(struct lcl_galerkin *W,
                          const struct lcl_galerkin_factors *F)
{
    lcl_spgemm_finish(&W->times_P);
    lcl_device_matrix_finish(&W->AP);
    if (has_ranks(F))
        lcl_galerkin_finish(W);
}

void lcl_galerkin_finish(struct lcl_galerkin *W)
{
    lcl_spgemm_finish(&W->times_AP);
    lcl_spgemm_finish(&W->times_P);
    lcl_ghost_rows_finish(&W->ghosts);
    lcl_halo_plan_finish(&W->columns);
    lcl_device_matrix_finish(&W->C);
    lcl_device_matrix_finish(&W->all);
    lcl_device_matrix_finish(&W->AP);
    lcl_device_matrix_finish(&W->P);
    *W = (struct lcl_galerkin){.columns = {.rows = 0}};
}

enum lcl_status lcl_galerkin_multiply(const struct lcl_galerkin *W,
                                      const struct lcl_galerkin_factors *F,
                                      const struct lcl_device_matrix *C)
{
    enum lcl_status st =
        lcl_spgemm_update(&W->times_AP, C, F->R, whole_AP(W, F));
    if (st == LCL_OK && F->plain)
        st = lcl_growth_scale(F->ctx, C);
    return st < 0 || !F->system ? st : lcl_unit_diagonal(F->ctx, C);
}

// ------------------------------------------------------------------- values

// On ranks C numbers other columns than the next matrix, which has the values.
static enum lcl_status restore(struct lcl_galerkin *W,
                               const struct lcl_galerkin_factors *F)
{
    bool fits;
    if (!has_ranks(F))
        return make_AP(W, NULL, F, INT64_MAX, &fits);
    const enum lcl_status st = lcl_galerkin_init(W, F, INT64_MAX, &fits);
    lcl_buffer_destroy(&W->C.val);
    if (st < 0)
        lcl_galerkin_finish(W);
    return st;
}

static enum lcl_status update_AP(const struct lcl_galerkin *W,
                                 const struct lcl_galerkin_factors *F)
{
    const enum lcl_status st =
        lcl_spgemm_update(&W->times_P, &W->AP, F->A, whole_P(W, F));
    return st < 0 || !has_ranks(F)
               ? st
               : lcl_ghost_rows_update(&W->ghosts, &W->all, &W->AP);
}

enum lcl_status lcl_galerkin_update(struct lcl_galerkin *W,
                                    const struct lcl_galerkin_factors *F,
                                    const struct lcl_device_matrix *next)
{
    const enum lcl_status st = W->AP.row_ptr ? update_AP(W, F) : restore(W, F);
    struct lcl_device_matrix C = has_ranks(F) ? W->C : *next;
    C.val = next->val;
    return st < 0 ? st : lcl_galerkin_multiply(W, F, &C);
}

uint64_t lcl_galerkin_bytes(const struct lcl_galerkin *W)
{
    return lcl_device_matrix_bytes(&W->P) + lcl_device_matrix_bytes(&W->AP) +
           lcl_device_matrix_bytes(&W->all) + lcl_device_matrix_bytes(&W->C) +
           lcl_row_exchange_bytes(&W->ghosts.rows);
}
