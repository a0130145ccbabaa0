// SPDX-License-Identifier: BSD-3-Clause
// A level of smoothed aggregation on several ranks.
#include "lib/multilevel/rank_level.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/aggregates.h"
#include "lib/multilevel/nodes.h"
#include "lib/multilevel/prolongator.h"
#include "lib/multilevel/tentative.h"
#include "lib/operator/spgemm.h"

#include <math.h>

struct work {
    lcl_context *ctx;
    struct lcl_comm *comm;
    const struct lcl_log *log;
    const struct lcl_rank_matrix *M;
    const struct lcl_rank_level_params *params;
    struct lcl_rank_matrix *next;
    struct lcl_rank_level *L;
    // The matrix with the rows of its ghosts, and what aggregation makes of it
    struct lcl_device_matrix X;
    struct lcl_nodes nodes;
    struct lcl_strength strength;
    struct lcl_aggregates aggregates;
    // Ghosts of the columns of A, P and R
    struct lcl_halo_plan fine, coarse, down;
    struct lcl_rows P, AP; // the rank's rows
};

static void work_finish(struct work *w)
{
    lcl_device_matrix_finish(&w->X);
    lcl_nodes_finish(&w->nodes);
    lcl_strength_finish(&w->strength);
    lcl_aggregates_finish(&w->aggregates);
    lcl_halo_plan_finish(&w->fine);
    lcl_halo_plan_finish(&w->coarse);
    lcl_halo_plan_finish(&w->down);
    lcl_rows_finish(&w->P);
    lcl_rows_finish(&w->AP);
}

// ------------------------------------------------------------------- matrices

// The first rows of D, which keeps the arrays.
static struct lcl_device_matrix first_rows(const struct lcl_device_matrix *D,
                                           int64_t rows, int64_t entries)
{
    struct lcl_device_matrix part = *D;
    part.n = part.block_rows = rows;
    part.blocks = entries;
    return part;
}

static enum lcl_status connect(struct lcl_halo_plan *P,
                               const struct lcl_ownership *O,
                               const struct lcl_rows *A, int block)
{
    const enum lcl_status st = lcl_ghosts_of(P, O, A, block);
    return st < 0 ? st : lcl_halo_plan_connect(P, O->comm, O->first);
}

// D = the rows of A and those of the ghosts of `rows` on the device; `columns`
// are those that they have in the level of O.
static enum lcl_status extend(struct lcl_device_matrix *D,
                              struct lcl_halo_plan *columns,
                              const struct work *w, const struct lcl_rows *A,
                              const struct lcl_halo_plan *rows,
                              const struct lcl_ownership *O)
{
    struct lcl_rows all;
    enum lcl_status st = lcl_rows_with_ghosts(&all, A, rows, w->comm);
    if (st == LCL_OK && (st = lcl_ghosts_of(columns, O, &all, 1)) == LCL_OK)
        st = lcl_rows_upload(D, w->ctx, &all, columns);
    lcl_rows_finish(&all);
    return st;
}

static enum lcl_status multiply(struct lcl_device_matrix *C,
                                const struct work *w,
                                const struct lcl_device_matrix *A,
                                const struct lcl_device_matrix *B)
{
    struct lcl_spgemm S;
    enum lcl_status st = lcl_spgemm_init(&S, C, w->ctx, A, B);
    if (st == LCL_OK)
        st = lcl_spgemm_update(&S, C, A, B);
    lcl_spgemm_finish(&S);
    return st;
}

// ------------------------------------------------------------------- A

static enum lcl_status take_matrix(struct work *w)
{
    const struct lcl_rank_matrix *M = w->M;
    struct lcl_rows all = LCL_ROWS_INIT;
    enum lcl_status st;
    if ((st = connect(&w->fine, &M->rows, &M->A, M->near_null.block)) ==
            LCL_OK &&
        (st = lcl_rows_with_ghosts(&all, &M->A, &w->fine, w->comm)) == LCL_OK)
        st = lcl_rows_upload(&w->X, w->ctx, &all, &w->fine);
    lcl_rows_finish(&all);
    return st == LCL_OK && w->X.wide
               ? lcl_refuse_wide(w->X.blocks, "multigrid", w->log)
               : st;
}

// The largest of all ranks, which know the rows of their ghosts: the vectors
// that belong to the largest eigenvalues are local.
static enum lcl_status find_lambda(struct work *w)
{
    const size_t size = sizeof(double);
    const void *all;
    double lambda = 0;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&w->L->lambda, w->ctx, 1, size,
                                "an eigenvalue")) < 0 ||
        (st = lcl_lambda(w->L->lambda, w->ctx, &w->X)) < 0 ||
        (st = lcl_buffer_read(w->L->lambda, &lambda, size)) < 0 ||
        (st = lcl_comm_all(w->comm, &lambda, size, &all)) < 0)
        return st;
    for (int r = 0; r < w->comm->size; ++r)
        lambda = fmax(lambda, ((const double *)all)[r]);
    return lcl_buffer_write(w->L->lambda, &lambda, size);
}

// ------------------------------------------------------------------ aggregates

// Removes the couplings to other ranks from S.
static enum lcl_status stay_inside(const struct work *w,
                                   const struct lcl_strength *S, int64_t nodes)
{
    const struct lcl_device_matrix *G = &w->nodes.graph;
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghosts_kernel(&kernel, w->ctx, "inside_rank");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, G->groups, lcl_arg_long(nodes),
                            lcl_arg_long(G->n), lcl_arg_buffer(G->row_ptr),
                            lcl_arg_buffer(G->col), lcl_arg_buffer(S->strong),
                            lcl_arg_buffer(S->strong_count));
}

// Strong couplings lead to other ranks, aggregates do not.
static enum lcl_status aggregate(struct work *w)
{
    const struct lcl_strength_params strength = {.theta = w->params->theta,
                                                 .both = !w->params->symmetric};
    const struct lcl_aggregates_params params = {.second = 0};
    const int block = w->M->near_null.block;
    const int64_t nodes = w->M->A.rows / block;
    struct lcl_strength inside;
    enum lcl_status st;
    if ((st = lcl_nodes_init(&w->nodes, w->ctx, &w->X, block)) < 0 ||
        (st = lcl_strength_init(&w->strength, w->ctx, &w->nodes.graph,
                                &strength)) < 0)
        return st;
    inside = w->strength;
    if ((st = lcl_buffer_create(&inside.strong, w->ctx, inside.nnz, 1,
                                "strong couplings")) == LCL_OK &&
        (st = lcl_buffer_copy(inside.strong, w->strength.strong)) == LCL_OK &&
        (st = stay_inside(w, &inside, nodes)) == LCL_OK)
        st = lcl_aggregates_init(&w->aggregates, w->ctx, &w->nodes.graph,
                                 &inside, &params);
    w->aggregates.n = nodes;
    lcl_buffer_destroy(&inside.strong);
    return st;
}

// Whether the next level is worth it, and each rank has rows of it.
static bool coarsens(const struct work *w)
{
    const struct lcl_ownership *O = &w->next->rows;
    for (int r = 0; r < w->comm->size; ++r)
        if (O->first[r + 1] == O->first[r])
            return false;
    return (double)lcl_owned_by_all(O) <=
           w->params->slow * (double)lcl_owned_by_all(&w->M->rows);
}

// ------------------------------------------------------------------- P

// T with the rows of the ghosts.
static enum lcl_status extend_tentative(struct lcl_device_matrix *extended,
                                        struct lcl_halo_plan *columns,
                                        const struct work *w,
                                        const struct lcl_device_matrix *T)
{
    const struct lcl_ownership *O = &w->next->rows;
    const struct lcl_halo_plan own = {.rows = lcl_owned(O),
                                      .first = O->first[w->comm->rank]};
    struct lcl_rows rows = {.first = w->M->A.first};
    enum lcl_status st = lcl_rows_download(&rows, T, &own, w->log);
    if (st == LCL_OK)
        st = extend(extended, columns, w, &rows, &w->fine, O);
    lcl_rows_finish(&rows);
    return st;
}

// F = the rank's rows of I - w D_F^-1 A_F; they keep arrays for more rows.
static enum lcl_status filter(struct lcl_device_matrix *F, const struct work *w)
{
    const int64_t n = w->M->A.rows;
    uint32_t entries = 0;
    enum lcl_status st =
        lcl_nodes_filter(F, &w->nodes, &w->X, &w->strength, w->L->lambda);
    if (st == LCL_OK)
        st = lcl_buffer_read_at(F->row_ptr, (size_t)n * sizeof entries,
                                &entries, sizeof entries);
    if (st == LCL_OK)
        *F = first_rows(F, n, entries);
    return st;
}

// P = F T
static enum lcl_status smooth(struct work *w, const struct lcl_device_matrix *T)
{
    const struct lcl_ownership *O = &w->next->rows;
    struct lcl_device_matrix extended = {.n = 0}, F = {.n = 0}, P = {.n = 0};
    struct lcl_halo_plan columns = {.rows = 0};
    enum lcl_status st;
    w->P.first = w->M->A.first;
    if ((st = extend_tentative(&extended, &columns, w, T)) == LCL_OK &&
        (st = filter(&F, w)) == LCL_OK &&
        (st = multiply(&P, w, &F, &extended)) == LCL_OK &&
        (st = lcl_rows_download(&w->P, &P, &columns, w->log)) == LCL_OK &&
        (st = connect(&w->coarse, O, &w->P, 1)) == LCL_OK)
        st = lcl_rows_upload(&w->L->P, w->ctx, &w->P, &w->coarse);
    lcl_halo_plan_finish(&columns);
    lcl_device_matrix_finish(&P);
    lcl_device_matrix_finish(&F);
    lcl_device_matrix_finish(&extended);
    return st;
}

static enum lcl_status prolong(struct work *w)
{
    struct lcl_device_matrix T;
    enum lcl_status st = lcl_tentative_init(&T, &w->next->near_null, w->ctx,
                                            &w->aggregates, &w->M->near_null);
    if (st == LCL_OK)
        st = smooth(w, &T);
    lcl_device_matrix_finish(&T);
    return st;
}

// ------------------------------------------------------------------- A_c

// A P, for which the ghosts' rows of P come from their ranks.
static enum lcl_status make_product(struct work *w)
{
    struct lcl_device_matrix P = {.n = 0}, AP = {.n = 0};
    struct lcl_halo_plan columns = {.rows = 0};
    enum lcl_status st;
    w->AP.first = w->M->A.first;
    if ((st = extend(&P, &columns, w, &w->P, &w->fine, &w->next->rows)) ==
            LCL_OK &&
        (st = multiply(&AP, w, &w->L->A, &P)) == LCL_OK)
        st = lcl_rows_download(&w->AP, &AP, &columns, w->log);
    lcl_halo_plan_finish(&columns);
    lcl_device_matrix_finish(&AP);
    lcl_device_matrix_finish(&P);
    return st;
}

static enum lcl_status restrict_rows(struct work *w)
{
    struct lcl_rows R;
    enum lcl_status st = lcl_rows_transpose(&R, &w->P, &w->coarse, w->comm);
    if (st == LCL_OK && (st = connect(&w->down, &w->M->rows, &R, 1)) == LCL_OK)
        st = lcl_rows_upload(&w->L->R, w->ctx, &R, &w->down);
    lcl_rows_finish(&R);
    return st;
}

// R (A P), for which rows of A P come from the ranks of the columns of R;
// vectors that depend on others have left rows of zeros.
static enum lcl_status make_next(struct work *w)
{
    struct lcl_device_matrix AP = {.n = 0}, C = {.n = 0};
    struct lcl_halo_plan columns = {.rows = 0};
    const struct lcl_ownership *O = &w->next->rows;
    enum lcl_status st;
    w->next->A.first = O->first[w->comm->rank];
    if ((st = extend(&AP, &columns, w, &w->AP, &w->down, O)) == LCL_OK &&
        (st = multiply(&C, w, &w->L->R, &AP)) == LCL_OK &&
        (st = lcl_unit_diagonal(w->ctx, &C)) == LCL_OK)
        st = lcl_rows_download(&w->next->A, &C, &columns, w->log);
    lcl_halo_plan_finish(&columns);
    lcl_device_matrix_finish(&C);
    lcl_device_matrix_finish(&AP);
    return st;
}

// ------------------------------------------------------------------- level

static enum lcl_status make_halos(struct work *w)
{
    struct lcl_rank_level *L = w->L;
    const struct lcl_space V = lcl_space_of_rank(
        w->ctx, w->comm, w->next->A.rows, lcl_owned_by_all(&w->next->rows));
    enum lcl_status st;
    if ((st = lcl_level_halo_init(&L->A_halo, &L->space, &w->fine)) < 0 ||
        (st = lcl_level_halo_init(&L->P_halo, &V, &w->coarse)) < 0)
        return st;
    return lcl_level_halo_init(&L->R_halo, &L->space, &w->down);
}

static enum lcl_status make(struct work *w, bool *deeper)
{
    const struct lcl_rank_matrix *M = w->M;
    enum lcl_status st;
    if ((st = take_matrix(w)) < 0 || (st = find_lambda(w)) < 0 ||
        (st = aggregate(w)) < 0 ||
        (st = lcl_ownership_init(&w->next->rows, w->comm,
                                 w->aggregates.aggregates *
                                     M->near_null.count)) < 0)
        return st;
    *deeper = coarsens(w);
    return LCL_OK;
}

// The rows of the ghosts have served.
static void keep_own_rows(struct work *w)
{
    const struct lcl_rows *A = &w->M->A;
    w->L->A = first_rows(&w->X, A->rows, A->row_ptr[A->rows]);
    w->X = (struct lcl_device_matrix){.n = 0};
}

static enum lcl_status make_coarse(struct work *w)
{
    enum lcl_status st = prolong(w);
    if (st < 0)
        return st;
    keep_own_rows(w);
    if ((st = make_product(w)) < 0 || (st = restrict_rows(w)) < 0 ||
        (st = make_next(w)) < 0)
        return st;
    return make_halos(w);
}

void lcl_rank_matrix_finish(struct lcl_rank_matrix *M)
{
    lcl_ownership_finish(&M->rows);
    lcl_rows_finish(&M->A);
    lcl_near_null_finish(&M->near_null);
}

enum lcl_status lcl_rank_level_inside(struct lcl_device_matrix *D,
                                      const struct lcl_rank_level *L)
{
    lcl_context *ctx = L->space.ctx;
    const struct lcl_halo_plan *P = &L->A_halo.halo.plan;
    const struct lcl_halo_plan own = {.rows = P->rows, .first = P->first};
    struct lcl_rows A = {.first = P->first};
    enum lcl_status st = lcl_rows_download(&A, &L->A, P, lcl_context_log(ctx));
    *D = (struct lcl_device_matrix){.n = 0};
    if (st == LCL_OK)
        st = lcl_rows_upload(D, ctx, &A, &own);
    lcl_rows_finish(&A);
    return st;
}

void lcl_rank_level_finish(struct lcl_rank_level *L)
{
    lcl_device_matrix_finish(&L->A);
    lcl_device_matrix_finish(&L->P);
    lcl_device_matrix_finish(&L->R);
    lcl_level_halo_finish(&L->A_halo);
    lcl_level_halo_finish(&L->P_halo);
    lcl_level_halo_finish(&L->R_halo);
    lcl_buffer_destroy(&L->lambda);
}

uint64_t lcl_rank_level_bytes(const struct lcl_rank_level *L)
{
    return lcl_device_matrix_bytes(&L->A) + lcl_device_matrix_bytes(&L->P) +
           lcl_device_matrix_bytes(&L->R) + lcl_level_halo_bytes(&L->A_halo) +
           lcl_level_halo_bytes(&L->P_halo) + lcl_level_halo_bytes(&L->R_halo) +
           lcl_buffer_bytes(L->lambda);
}

enum lcl_status lcl_rank_level_init(struct lcl_rank_level *L,
                                    struct lcl_rank_matrix *next,
                                    const struct lcl_space *V,
                                    const struct lcl_rank_matrix *M,
                                    const struct lcl_rank_level_params *params,
                                    bool *deeper)
{
    struct work w = {.ctx = V->ctx,
                     .comm = V->comm,
                     .log = lcl_context_log(V->ctx),
                     .M = M,
                     .params = params,
                     .next = next,
                     .L = L};
    enum lcl_status st;
    *L = (struct lcl_rank_level){.space = *V};
    *next = (struct lcl_rank_matrix){.rows = {.comm = V->comm}};
    *deeper = false;
    if ((st = make(&w, deeper)) == LCL_OK && *deeper)
        st = make_coarse(&w);
    work_finish(&w);
    return st;
}
