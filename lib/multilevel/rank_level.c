// SPDX-License-Identifier: BSD-3-Clause
// A level of smoothed aggregation on several ranks.
#include "lib/multilevel/rank_level.h"

#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/aggregates.h"
#include "lib/multilevel/growth.h"
#include "lib/multilevel/nodes.h"
#include "lib/multilevel/rank_prolongator.h"
#include "lib/multilevel/tentative.h"
#include "lib/storage/compose.h"

#include <math.h>

struct work {
    lcl_context *ctx;
    struct lcl_comm *comm;
    struct lcl_rank_matrix *M, *next;
    const struct lcl_rank_level_params *params;
    struct lcl_rank_level *L;
    // The matrix with the rows of its ghosts, and what aggregation makes of it
    struct lcl_device_matrix X;
    struct lcl_device_matrix own; // its first rows; another one has the arrays
    struct lcl_nodes nodes;
    struct lcl_strength strength;
    struct lcl_aggregates aggregates;
};

static void work_finish(struct work *w)
{
    lcl_device_matrix_finish(&w->X);
    lcl_nodes_finish(&w->nodes);
    lcl_strength_finish(&w->strength);
    lcl_aggregates_finish(&w->aggregates);
}

static bool is_system(const struct work *w)
{
    return w->M->near_null.count > 0;
}

// Whose couplings decide.
static const struct lcl_device_matrix *graph_of(const struct work *w)
{
    return is_system(w) ? &w->nodes.graph : &w->X;
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
    struct lcl_rank_level *L = w->L;
    struct lcl_rank_matrix *M = w->M;
    struct lcl_ghost_rows ghosts;
    enum lcl_status st =
        lcl_level_halo_init(&L->A_halo, &L->space, &M->columns);
    if (st < 0)
        return st;
    st = lcl_ghost_rows_init(&ghosts, &w->X, NULL, &M->A, &L->A_halo.halo.plan,
                             &L->A_halo);
    lcl_ghost_rows_finish(&ghosts);
    w->own = lcl_first_rows(&w->X, M->A.n, M->A.blocks);
    return st;
}

// M is the last matrix, not this level's.
static void give_back(struct work *w)
{
    struct lcl_halo_plan *plan = &w->L->A_halo.halo.plan;
    w->M->columns = *plan;
    *plan = (struct lcl_halo_plan){.rows = 0};
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
    const struct lcl_device_matrix *G = graph_of(w);
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
    const struct lcl_device_matrix *graph = graph_of(w);
    const int block = lcl_rank_matrix_node(w->M);
    const int64_t nodes = w->M->A.n / block;
    struct lcl_strength inside;
    enum lcl_status st = LCL_OK;
    if (is_system(w))
        st = lcl_nodes_init(&w->nodes, w->ctx, &w->X, block);
    if (st < 0 ||
        (st = lcl_strength_init(&w->strength, w->ctx, graph, &strength)) < 0)
        return st;
    inside = w->strength;
    if ((st = lcl_buffer_create(&inside.strong, w->ctx, inside.nnz, 1,
                                "strong couplings")) == LCL_OK &&
        (st = lcl_buffer_copy(inside.strong, w->strength.strong)) == LCL_OK &&
        (st = stay_inside(w, &inside, nodes)) == LCL_OK)
        st = lcl_aggregates_init(&w->aggregates, w->ctx, graph, &inside,
                                 &params);
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

// F = the rank's rows of I - w D_F^-1 A_F; they keep arrays for more rows.
static enum lcl_status filter(struct lcl_device_matrix *F, const struct work *w)
{
    const int64_t n = w->M->A.n;
    uint32_t entries = 0;
    enum lcl_status st =
        lcl_nodes_filter(F, &w->nodes, &w->X, &w->strength, w->L->lambda);
    if (st == LCL_OK)
        st = lcl_buffer_read_at(F->row_ptr, (size_t)n * sizeof entries,
                                &entries, sizeof entries);
    if (st == LCL_OK)
        *F = lcl_first_rows(F, n, entries);
    return st;
}

// P = F T, for which the ghosts' rows of T come from their ranks.
static enum lcl_status smooth(struct work *w, struct lcl_halo_plan *columns,
                              const struct lcl_device_matrix *T)
{
    const struct lcl_halo_plan own = lcl_own_columns(&w->next->rows);
    struct lcl_device_matrix all, F = {.n = 0};
    struct lcl_ghost_rows ghosts;
    enum lcl_status st;
    if ((st = lcl_ghost_rows_init(&ghosts, &all, columns, T, &own,
                                  &w->L->A_halo)) == LCL_OK &&
        (st = filter(&F, w)) == LCL_OK)
        st = multiply(&w->L->P, w, &F, &all);
    lcl_ghost_rows_finish(&ghosts);
    lcl_device_matrix_finish(&F);
    lcl_device_matrix_finish(&all);
    return st;
}

static enum lcl_status prolong_nodes(struct work *w,
                                     struct lcl_halo_plan *columns)
{
    struct lcl_device_matrix T;
    enum lcl_status st = lcl_tentative_init(&T, &w->next->near_null, w->ctx,
                                            &w->aggregates, &w->M->near_null);
    if (st == LCL_OK)
        st = smooth(w, columns, &T);
    lcl_device_matrix_finish(&T);
    return st;
}

static enum lcl_status prolong_rows(struct work *w,
                                    struct lcl_halo_plan *columns,
                                    const lcl_buffer *lambda)
{
    const struct lcl_rank_aggregates aggregates = {
        .A = &w->own,
        .S = &w->strength,
        .G = &w->aggregates,
        .weight = w->M->weight,
        .lambda = lambda,
        .halo = &w->L->A_halo,
        .owners = &w->next->rows,
    };
    return lcl_rank_prolongator_init(&w->L->P, columns, &w->next->weight,
                                     &aggregates);
}

static enum lcl_status make_prolongation(struct work *w,
                                         const lcl_buffer *lambda)
{
    const struct lcl_ownership *O = &w->next->rows;
    const struct lcl_space V =
        lcl_space_of_rank(w->ctx, w->comm, lcl_owned(O), lcl_owned_by_all(O));
    struct lcl_rank_level *L = w->L;
    struct lcl_halo_plan columns = {.rows = 0};
    enum lcl_status st = is_system(w) ? prolong_nodes(w, &columns)
                                      : prolong_rows(w, &columns, lambda);
    if (st == LCL_OK &&
        (st = lcl_rank_matrix_connect(&L->P, &columns, w->ctx, O, 1)) == LCL_OK)
        st = lcl_level_halo_init(&L->P_halo, &V, &columns);
    lcl_halo_plan_finish(&columns);
    return st;
}

static enum lcl_status prolong(struct work *w, const lcl_buffer *lambda)
{
    lcl_task_enter(w->ctx, LCL_TASK_PROLONGATION);
    const enum lcl_status st = make_prolongation(w, lambda);
    lcl_task_leave(w->ctx);
    return st;
}

// ------------------------------------------------------------------- A_c

static struct lcl_galerkin_factors factors_of(const struct lcl_rank_level *L)
{
    return (struct lcl_galerkin_factors){.ctx = L->space.ctx,
                                         .A = &L->A,
                                         .P = &L->P,
                                         .R = &L->R,
                                         .A_halo = &L->A_halo,
                                         .P_halo = &L->P_halo,
                                         .R_halo = &L->R_halo,
                                         .plain = L->plain,
                                         .system = L->system};
}

static enum lcl_status restrict_rows(struct work *w)
{
    struct lcl_rank_level *L = w->L;
    struct lcl_halo_plan columns = {.rows = 0};
    enum lcl_status st = lcl_rank_matrix_transpose(&L->R, &columns, &L->P,
                                                   &L->P_halo, &w->M->rows);
    if (st == LCL_OK)
        st = lcl_level_halo_init(&L->R_halo, &L->space, &columns);
    lcl_halo_plan_finish(&columns);
    return st;
}

// Takes what becomes the next matrix from W.
static enum lcl_status take_next(struct work *w, struct lcl_galerkin *W)
{
    struct lcl_rank_matrix *next = w->next;
    next->A = W->C;
    next->columns = W->columns;
    W->C = (struct lcl_device_matrix){.n = 0};
    W->columns = (struct lcl_halo_plan){.rows = 0};
    return lcl_rank_matrix_connect(&next->A, &next->columns, w->ctx,
                                   &next->rows, lcl_rank_matrix_node(next));
}

static enum lcl_status make_next(struct work *w, int64_t most, bool *fits)
{
    const struct lcl_galerkin_factors factors = factors_of(w->L);
    struct lcl_galerkin W;
    lcl_task_enter(w->ctx, LCL_TASK_GALERKIN);
    enum lcl_status st = lcl_galerkin_init(&W, &factors, most, fits);
    if (st == LCL_OK && *fits &&
        (st = lcl_galerkin_multiply(&W, &factors, &W.C)) == LCL_OK)
        st = take_next(w, &W);
    lcl_task_leave(w->ctx);
    lcl_galerkin_finish(&W);
    return st;
}

// ------------------------------------------------------------------- level

static enum lcl_status make(struct work *w, bool *deeper)
{
    const struct lcl_rank_matrix *M = w->M;
    enum lcl_status st;
    lcl_task_enter(w->ctx, LCL_TASK_AGGREGATION);
    if ((st = take_matrix(w)) == LCL_OK && (st = find_lambda(w)) == LCL_OK &&
        (st = aggregate(w)) == LCL_OK)
        st = lcl_ownership_init(&w->next->rows, w->comm,
                                w->aggregates.aggregates *
                                    (is_system(w) ? M->near_null.count : 1));
    lcl_task_leave(w->ctx);
    if (st < 0)
        return st;
    *deeper = coarsens(w);
    if (!*deeper)
        give_back(w);
    return LCL_OK;
}

// The rows of the ghosts have served.
static void keep_own_rows(struct work *w)
{
    struct lcl_device_matrix *A = &w->M->A;
    w->L->A = lcl_first_rows(&w->X, A->n, A->blocks);
    w->X = (struct lcl_device_matrix){.n = 0};
    lcl_device_matrix_finish(A);
}

static void drop_prolongation(struct work *w)
{
    struct lcl_rank_level *L = w->L;
    lcl_device_matrix_finish(&L->P);
    lcl_device_matrix_finish(&L->R);
    lcl_level_halo_finish(&L->P_halo);
    lcl_level_halo_finish(&L->R_halo);
    lcl_buffer_destroy(&w->next->weight);
    L->P_halo = L->R_halo = (struct lcl_level_halo){.sent = NULL};
}

// Takes the tentative prolongation instead.
static enum lcl_status replace_prolongation(struct work *w)
{
    lcl_buffer *lambda;
    enum lcl_status st = lcl_growth_plain(&lambda, w->ctx, &w->strength);
    drop_prolongation(w);
    w->L->plain = true;
    if (st == LCL_OK && (st = prolong(w, lambda)) == LCL_OK)
        st = restrict_rows(w);
    lcl_buffer_destroy(&lambda);
    return st;
}

static enum lcl_status make_coarse(struct work *w)
{
    const int64_t most = is_system(w) ? INT64_MAX : w->params->most;
    bool fits = false;
    enum lcl_status st = prolong(w, w->L->lambda);
    if (st < 0)
        return st;
    keep_own_rows(w);
    if ((st = restrict_rows(w)) == LCL_OK)
        st = make_next(w, most, &fits);
    if (st < 0 || fits || (st = replace_prolongation(w)) < 0)
        return st;
    return make_next(w, INT64_MAX, &fits);
}

void lcl_rank_matrix_finish(struct lcl_rank_matrix *M)
{
    lcl_ownership_finish(&M->rows);
    lcl_halo_plan_finish(&M->columns);
    lcl_device_matrix_finish(&M->A);
    lcl_near_null_finish(&M->near_null);
    lcl_buffer_destroy(&M->weight);
}

// ------------------------------------------------------------------- values

static struct lcl_composition inside(const struct lcl_rank_level *L)
{
    return (struct lcl_composition){.A = &L->A, .limit = L->A.n};
}

enum lcl_status lcl_rank_level_inside(struct lcl_device_matrix *D,
                                      const struct lcl_rank_level *L)
{
    const struct lcl_composition own = inside(L);
    return lcl_compose(D, L->space.ctx, L->A.n, L->A.n, &own);
}

enum lcl_status lcl_rank_level_inside_update(const struct lcl_device_matrix *D,
                                             const struct lcl_rank_level *L)
{
    const struct lcl_composition own = inside(L);
    return lcl_compose_values(D, L->space.ctx, &own);
}

enum lcl_status lcl_rank_level_update(struct lcl_rank_level *L,
                                      const struct lcl_device_matrix *next)
{
    const struct lcl_galerkin_factors factors = factors_of(L);
    return lcl_galerkin_update(&L->product, &factors, next);
}

// ------------------------------------------------------------------- ends

void lcl_rank_level_finish(struct lcl_rank_level *L)
{
    lcl_device_matrix_finish(&L->A);
    lcl_device_matrix_finish(&L->P);
    lcl_device_matrix_finish(&L->R);
    lcl_level_halo_finish(&L->A_halo);
    lcl_level_halo_finish(&L->P_halo);
    lcl_level_halo_finish(&L->R_halo);
    lcl_buffer_destroy(&L->lambda);
    lcl_galerkin_finish(&L->product);
}

uint64_t lcl_rank_level_bytes(const struct lcl_rank_level *L)
{
    return lcl_device_matrix_bytes(&L->A) + lcl_device_matrix_bytes(&L->P) +
           lcl_device_matrix_bytes(&L->R) + lcl_level_halo_bytes(&L->A_halo) +
           lcl_level_halo_bytes(&L->P_halo) + lcl_level_halo_bytes(&L->R_halo) +
           lcl_buffer_bytes(L->lambda) + lcl_galerkin_bytes(&L->product);
}

enum lcl_status lcl_rank_level_init(struct lcl_rank_level *L,
                                    struct lcl_rank_matrix *next,
                                    const struct lcl_space *V,
                                    struct lcl_rank_matrix *M,
                                    const struct lcl_rank_level_params *params,
                                    bool *deeper)
{
    struct work w = {.ctx = V->ctx,
                     .comm = V->comm,
                     .M = M,
                     .params = params,
                     .next = next,
                     .L = L};
    enum lcl_status st;
    *L = (struct lcl_rank_level){.space = *V, .system = is_system(&w)};
    *next = (struct lcl_rank_matrix){.rows = {.comm = V->comm}};
    *deeper = false;
    if ((st = make(&w, deeper)) == LCL_OK && *deeper)
        st = make_coarse(&w);
    work_finish(&w);
    return st;
}
