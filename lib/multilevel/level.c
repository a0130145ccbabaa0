// SPDX-License-Identifier: BSD-3-Clause
// A level of multigrid.
#include "lib/multilevel/level.h"

#include "host/launch.h"
#include "host/runtime.h"
#include "lib/multilevel/extended.h"
#include "lib/multilevel/ghost_aggregates.h"
#include "lib/multilevel/growth.h"
#include "lib/multilevel/nodes.h"
#include "lib/multilevel/prolongator.h"
#include "lib/multilevel/tentative.h"
#include "lib/storage/row_union.h"
#include "lib/storage/transpose.h"

#include <math.h>

// What a level needs for the next one only.
struct coarsening {
    lcl_context *ctx;
    struct lcl_level *L, *next;
    const struct lcl_level_params *params;
    struct lcl_device_matrix X;     // on ranks: A, then the rows of its ghosts
    struct lcl_splitting splitting; // classical
    struct lcl_strength strength;   // smoothed aggregation
    struct lcl_aggregates aggregates;
    struct lcl_nodes nodes; // of a system; strength and aggregates are theirs
};

static void coarsening_finish(struct coarsening *G)
{
    lcl_device_matrix_finish(&G->X);
    lcl_splitting_finish(&G->splitting);
    lcl_aggregates_finish(&G->aggregates);
    lcl_strength_finish(&G->strength);
    lcl_nodes_finish(&G->nodes);
}

static bool has_ranks(const struct coarsening *G)
{
    return lcl_level_has_ranks(G->L);
}

static bool is_system(const struct coarsening *G)
{
    return lcl_level_is_system(G->L);
}

static bool is_classical(const struct coarsening *G)
{
    return G->params->coarsening == LCL_AMG_CLASSICAL;
}

// The rows of A, and on ranks those of its ghosts.
static const struct lcl_device_matrix *rows_of(const struct coarsening *G)
{
    return has_ranks(G) ? &G->X : G->L->A;
}

// Whose couplings decide.
static const struct lcl_device_matrix *graph_of(const struct coarsening *G)
{
    return is_system(G) ? &G->nodes.graph : rows_of(G);
}

// ------------------------------------------------------------------- A

// The level keeps the arrays of X, whose first rows are those of A.
static enum lcl_status fetch_ghosts(struct coarsening *G)
{
    struct lcl_level *L = G->L;
    struct lcl_halo_plan columns = L->A_halo.plan;
    struct lcl_ghost_rows ghosts;
    enum lcl_status st = lcl_level_halo_init(&L->A_halo, &L->space, &columns);
    if (st < 0)
        return st;
    st = lcl_ghost_rows_init(&ghosts, &G->X, NULL, L->A, &L->A_halo.plan,
                             &L->A_halo);
    lcl_ghost_rows_finish(&ghosts);
    return st;
}

static enum lcl_status estimate(struct lcl_level *L,
                                const struct lcl_device_matrix *A)
{
    const enum lcl_status st = lcl_buffer_create(
        &L->lambda, L->space.ctx, 1, sizeof(double), "an eigenvalue");
    return st < 0 ? st : lcl_lambda(L->lambda, L->space.ctx, A);
}

enum lcl_status lcl_level_estimate(struct lcl_level *L)
{
    return estimate(L, L->A);
}

// The largest of all ranks, which know the rows of their ghosts: the vectors
// that belong to the largest eigenvalues are local.
static enum lcl_status find_lambda(struct coarsening *G)
{
    struct lcl_comm *comm = G->L->space.comm;
    lcl_buffer *const *buffer = &G->L->lambda;
    const void *all;
    double lambda = 0;
    enum lcl_status st = estimate(G->L, rows_of(G));
    if (st < 0 || !comm)
        return st;
    if ((st = lcl_buffer_read(*buffer, &lambda, sizeof lambda)) < 0 ||
        (st = lcl_comm_all(comm, &lambda, sizeof lambda, &all)) < 0)
        return st;
    for (int r = 0; r < comm->size; ++r)
        lambda = fmax(lambda, ((const double *)all)[r]);
    return lcl_buffer_write(*buffer, &lambda, sizeof lambda);
}

// ------------------------------------------------------------------ aggregates

// Removes the couplings to other ranks from S.
static enum lcl_status stay_inside(const struct coarsening *G,
                                   const struct lcl_strength *S, int64_t nodes)
{
    const struct lcl_device_matrix *A = graph_of(G);
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghosts_kernel(&kernel, G->ctx, "inside_rank");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, A->groups, lcl_arg_long(nodes),
                            lcl_arg_long(A->n), lcl_arg_buffer(A->row_ptr),
                            lcl_arg_buffer(A->col), lcl_arg_buffer(S->strong),
                            lcl_arg_buffer(S->strong_count));
}

// Strong couplings lead to other ranks, aggregates do not.
static enum lcl_status aggregate_inside(
    struct coarsening *G, const struct lcl_aggregates_params *params)
{
    const int64_t nodes = G->L->A->n / lcl_level_node(G->L);
    struct lcl_strength inside = G->strength;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&inside.strong, G->ctx, inside.nnz, 1,
                                "strong couplings")) == LCL_OK &&
        (st = lcl_buffer_copy(inside.strong, G->strength.strong)) == LCL_OK &&
        (st = stay_inside(G, &inside, nodes)) == LCL_OK)
        st = lcl_aggregates_init(&G->aggregates, G->ctx, graph_of(G), &inside,
                                 params);
    G->aggregates.n = nodes;
    lcl_buffer_destroy(&inside.strong);
    return st;
}

static enum lcl_status aggregate(struct coarsening *G)
{
    const struct lcl_strength_params strength = {.theta = G->params->theta,
                                                 .both = !G->params->symmetric};
    const struct lcl_aggregates_params params = {.second = 0};
    enum lcl_status st = LCL_OK;
    if (is_system(G))
        st =
            lcl_nodes_init(&G->nodes, G->ctx, rows_of(G), lcl_level_node(G->L));
    if (st == LCL_OK)
        st = lcl_strength_init(&G->strength, G->ctx, graph_of(G), &strength);
    if (st < 0)
        return st;
    return has_ranks(G)
               ? aggregate_inside(G, &params)
               : lcl_aggregates_init(&G->aggregates, G->ctx, graph_of(G),
                                     &G->strength, &params);
}

static enum lcl_status split(struct coarsening *G)
{
    const struct lcl_splitting_params params = {.theta = G->params->theta};
    return lcl_splitting_init(&G->splitting, G->ctx, G->L->A, &params);
}

static int64_t coarse_rows(const struct coarsening *G)
{
    if (is_classical(G))
        return G->splitting.count;
    return G->aggregates.aggregates *
           (is_system(G) ? G->L->near_null.count : 1);
}

// The rows of the next level.
static enum lcl_status choose_rows(struct coarsening *G)
{
    struct lcl_level *next = G->next;
    lcl_task_enter(G->ctx, LCL_TASK_AGGREGATION);
    enum lcl_status st = is_classical(G) ? split(G) : aggregate(G);
    if (st == LCL_OK) {
        next->space = lcl_space_of(G->ctx, coarse_rows(G));
        next->space.comm = G->L->space.comm;
    }
    if (st == LCL_OK && has_ranks(G) &&
        (st = lcl_ownership_init(&next->rows, next->space.comm,
                                 next->space.n)) == LCL_OK)
        next->space.total = lcl_owned_by_all(&next->rows);
    lcl_task_leave(G->ctx);
    return st;
}

// Whether the next level is worth it, and each rank has rows of it.
static bool coarsens(const struct coarsening *G)
{
    const struct lcl_space *V = &G->next->space;
    const int64_t *first = G->next->rows.first;
    bool all = V->total > 0;
    for (int r = 0; has_ranks(G) && r < V->comm->size; ++r)
        all = all && first[r + 1] > first[r];
    return all && (double)V->total <= LCL_SLOW * (double)G->L->space.total;
}

// ------------------------------------------------------------------- P

static enum lcl_status multiply_once(struct lcl_device_matrix *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_device_matrix *B)
{
    struct lcl_spgemm S;
    enum lcl_status st = lcl_spgemm_init(&S, C, ctx, A, B);
    if (st == LCL_OK)
        st = lcl_spgemm_update(&S, C, A, B);
    lcl_spgemm_finish(&S);
    return st;
}

// F = the rank's rows of I - w D_F^-1 A_F; they keep arrays for more rows.
static enum lcl_status filter(struct lcl_device_matrix *F,
                              const struct coarsening *G)
{
    const int64_t n = G->L->A->n;
    uint32_t entries = 0;
    enum lcl_status st =
        lcl_nodes_filter(F, &G->nodes, rows_of(G), &G->strength, G->L->lambda);
    if (st < 0 || !has_ranks(G))
        return st;
    st = lcl_buffer_read_at(F->row_ptr, (size_t)n * sizeof entries, &entries,
                            sizeof entries);
    if (st == LCL_OK)
        *F = lcl_first_rows(F, n, entries);
    return st;
}

// On ranks T becomes its rows and those of the ghosts.
static enum lcl_status extend(struct lcl_device_matrix *T,
                              struct lcl_halo_plan *columns,
                              const struct coarsening *G)
{
    const struct lcl_halo_plan own = lcl_own_columns(&G->next->rows);
    struct lcl_device_matrix all;
    struct lcl_ghost_rows ghosts;
    const enum lcl_status st =
        lcl_ghost_rows_init(&ghosts, &all, columns, T, &own, &G->L->A_halo);
    lcl_ghost_rows_finish(&ghosts);
    lcl_device_matrix_finish(T);
    *T = all;
    return st;
}

// P = (I - w D_F^-1 A_F) T
static enum lcl_status prolong_nodes(struct coarsening *G,
                                     struct lcl_halo_plan *columns)
{
    struct lcl_level *L = G->L;
    struct lcl_device_matrix F = {.n = 0}, T;
    enum lcl_status st = lcl_tentative_init(&T, &G->next->near_null, G->ctx,
                                            &G->aggregates, &L->near_null);
    if (st == LCL_OK && has_ranks(G))
        st = extend(&T, columns, G);
    if (st == LCL_OK && (st = filter(&F, G)) == LCL_OK)
        st = multiply_once(&L->P, G->ctx, &F, &T);
    lcl_device_matrix_finish(&F);
    lcl_device_matrix_finish(&T);
    lcl_near_null_finish(&L->near_null);
    return st;
}

static enum lcl_status prolong_rows(struct coarsening *G,
                                    struct lcl_halo_plan *columns,
                                    const lcl_buffer *lambda)
{
    struct lcl_level *L = G->L;
    const enum lcl_status st =
        has_ranks(G) ? lcl_ghost_aggregates(&G->aggregates, columns, &L->A_halo,
                                            &G->next->rows)
                     : LCL_OK;
    return st < 0 ? st
                  : lcl_prolongator_init(&L->P, G->ctx, L->A, &G->strength,
                                         &G->aggregates, lambda);
}

// P is complete; on ranks its ghosts are known.
static enum lcl_status transpose(struct coarsening *G,
                                 struct lcl_halo_plan *columns)
{
    struct lcl_level *L = G->L;
    struct lcl_halo_plan fine = {.rows = 0};
    enum lcl_status st;
    if (!has_ranks(G))
        return lcl_transpose_init(&L->R, NULL, G->ctx, &L->P);
    if ((st = lcl_rank_matrix_connect(&L->P, columns, G->ctx, &G->next->rows,
                                      1)) == LCL_OK &&
        (st = lcl_level_halo_init(&L->P_halo, &G->next->space, columns)) ==
            LCL_OK &&
        (st = lcl_rank_matrix_transpose(&L->R, &fine, &L->P, &L->P_halo,
                                        &L->rows)) == LCL_OK)
        st = lcl_level_halo_init(&L->R_halo, &L->space, &fine);
    lcl_halo_plan_finish(&fine);
    return st;
}

static enum lcl_status prolong(struct coarsening *G, const lcl_buffer *lambda)
{
    struct lcl_level *L = G->L;
    struct lcl_halo_plan columns = {.rows = 0};
    lcl_task_enter(G->ctx, LCL_TASK_PROLONGATION);
    enum lcl_status st =
        is_classical(G) ? lcl_extended_init(&L->P, G->ctx, L->A, &G->splitting)
        : is_system(G)  ? prolong_nodes(G, &columns)
                        : prolong_rows(G, &columns, lambda);
    if (st == LCL_OK)
        st = transpose(G, &columns);
    lcl_halo_plan_finish(&columns);
    lcl_task_leave(G->ctx);
    return st;
}

// Takes the tentative prolongation instead.
static enum lcl_status replace_prolongation(struct coarsening *G)
{
    struct lcl_level *L = G->L;
    lcl_buffer *lambda;
    enum lcl_status st = lcl_growth_plain(&lambda, G->ctx, &G->strength);
    lcl_device_matrix_finish(&L->P);
    lcl_device_matrix_finish(&L->R);
    lcl_level_halo_finish(&L->P_halo);
    lcl_level_halo_finish(&L->R_halo);
    L->P_halo = L->R_halo = (struct lcl_level_halo){.sent = NULL};
    L->plain = true;
    if (st == LCL_OK)
        st = prolong(G, lambda);
    lcl_buffer_destroy(&lambda);
    return st;
}

// ------------------------------------------------------------------- A_c

static struct lcl_galerkin_factors factors_of(const struct lcl_level *L)
{
    const bool ranks = lcl_level_has_ranks(L);
    return (struct lcl_galerkin_factors){.ctx = L->space.ctx,
                                         .A = L->A,
                                         .P = &L->P,
                                         .R = &L->R,
                                         .A_halo = ranks ? &L->A_halo : NULL,
                                         .P_halo = ranks ? &L->P_halo : NULL,
                                         .R_halo = ranks ? &L->R_halo : NULL,
                                         .plain = L->plain,
                                         .system = lcl_level_is_system(L)};
}

// Takes the next matrix from W.
static enum lcl_status take_next(struct coarsening *G, struct lcl_galerkin *W)
{
    struct lcl_level *next = G->next;
    struct lcl_halo_plan *columns = &next->A_halo.plan;
    next->own = W->C;
    next->A = &next->own;
    *columns = W->columns;
    W->C = (struct lcl_device_matrix){.n = 0};
    W->columns = (struct lcl_halo_plan){.rows = 0};
    return has_ranks(G)
               ? lcl_rank_matrix_connect(&next->own, columns, G->ctx,
                                         &next->rows, lcl_level_node(next))
               : LCL_OK;
}

// The next matrix, if the products have at most `most` entries.
static enum lcl_status multiply(struct coarsening *G, int64_t most, bool *fits)
{
    struct lcl_galerkin *W = &G->L->product;
    const struct lcl_galerkin_factors factors = factors_of(G->L);
    lcl_task_enter(G->ctx, LCL_TASK_GALERKIN);
    enum lcl_status st = lcl_galerkin_init(W, &factors, most, fits);
    if (st == LCL_OK && *fits &&
        (st = lcl_galerkin_multiply(W, &factors, &W->C)) == LCL_OK &&
        (st = take_next(G, W)) == LCL_OK)
        lcl_galerkin_release(W, &factors);
    else
        lcl_galerkin_finish(W);
    lcl_task_leave(G->ctx);
    return st;
}

// ------------------------------------------------------------------- level

// Drops the rows of the ghosts: after the smoothed prolongation no step reads
// them.
static void keep_own_rows(struct coarsening *G)
{
    struct lcl_level *L = G->L;
    const struct lcl_device_matrix own =
        lcl_first_rows(&G->X, L->A->n, L->A->blocks);
    lcl_device_matrix_finish(&L->own);
    L->own = own;
    L->A = &L->own;
    G->X = (struct lcl_device_matrix){.n = 0};
}

static enum lcl_status make_next(struct coarsening *G)
{
    const int64_t most =
        is_classical(G) || is_system(G) ? INT64_MAX : G->params->most;
    bool fits = false;
    enum lcl_status st = prolong(G, G->L->lambda);
    if (st < 0)
        return st;
    if (has_ranks(G))
        keep_own_rows(G);
    st = multiply(G, most, &fits);
    if (st < 0 || fits || (st = replace_prolongation(G)) < 0)
        return st;
    return multiply(G, INT64_MAX, &fits);
}

enum lcl_status lcl_level_coarsen(struct lcl_level *L, struct lcl_level *next,
                                  const struct lcl_level_params *params,
                                  bool *deeper)
{
    struct coarsening G = {
        .ctx = L->space.ctx, .L = L, .next = next, .params = params};
    enum lcl_status st = LCL_OK;
    *next = (struct lcl_level){.nnz = 0};
    *deeper = false;
    if (has_ranks(&G))
        st = fetch_ghosts(&G);
    if (st == LCL_OK && (st = find_lambda(&G)) == LCL_OK &&
        (st = choose_rows(&G)) == LCL_OK && (*deeper = coarsens(&G)))
        st = make_next(&G);
    coarsening_finish(&G);
    return st;
}

// ------------------------------------------------------------------- values

void lcl_level_release(struct lcl_level *L)
{
    if (!lcl_level_has_ranks(L))
        lcl_buffer_destroy(&L->R.val);
}

// Makes the values of R again.
static enum lcl_status restore(struct lcl_level *L)
{
    struct lcl_device_matrix R;
    const enum lcl_status st =
        lcl_transpose_init(&R, NULL, L->space.ctx, &L->P);
    if (st == LCL_OK) {
        lcl_device_matrix_finish(&L->R);
        L->R = R;
    }
    return st;
}

enum lcl_status lcl_level_update(struct lcl_level *L,
                                 const struct lcl_level *next)
{
    const bool released = !lcl_level_has_ranks(L) && !L->R.val;
    const enum lcl_status st = released ? restore(L) : LCL_OK;
    const struct lcl_galerkin_factors factors = factors_of(L);
    return st < 0 ? st : lcl_galerkin_update(&L->product, &factors, next->A);
}

static struct lcl_composition inside(const struct lcl_level *L)
{
    return (struct lcl_composition){.A = L->A, .limit = L->A->n};
}

enum lcl_status lcl_level_inside(struct lcl_device_matrix *D,
                                 const struct lcl_level *L)
{
    const struct lcl_composition own = inside(L);
    return lcl_compose(D, L->space.ctx, L->A->n, L->A->n, &own);
}

enum lcl_status lcl_level_inside_update(const struct lcl_device_matrix *D,
                                        const struct lcl_level *L)
{
    const struct lcl_composition own = inside(L);
    return lcl_compose_values(D, L->space.ctx, &own);
}

// ------------------------------------------------------------------- ends

void lcl_level_finish(struct lcl_level *L)
{
    lcl_ownership_finish(&L->rows);
    lcl_device_matrix_finish(&L->own);
    lcl_device_matrix_finish(&L->P);
    lcl_device_matrix_finish(&L->R);
    lcl_level_halo_finish(&L->A_halo);
    lcl_level_halo_finish(&L->P_halo);
    lcl_level_halo_finish(&L->R_halo);
    lcl_galerkin_finish(&L->product);
    lcl_buffer_destroy(&L->lambda);
    lcl_near_null_finish(&L->near_null);
}

uint64_t lcl_level_bytes(const struct lcl_level *L)
{
    return lcl_device_matrix_bytes(&L->own) + lcl_device_matrix_bytes(&L->P) +
           lcl_device_matrix_bytes(&L->R) + lcl_level_halo_bytes(&L->A_halo) +
           lcl_level_halo_bytes(&L->P_halo) + lcl_level_halo_bytes(&L->R_halo) +
           lcl_galerkin_bytes(&L->product) + lcl_buffer_bytes(L->lambda);
}
