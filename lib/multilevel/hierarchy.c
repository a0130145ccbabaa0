// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid: set-up of all levels.
#include "lib/multilevel/hierarchy.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/aggregates.h"
#include "lib/multilevel/couplings.h"
#include "lib/multilevel/extended.h"
#include "lib/multilevel/growth.h"
#include "lib/multilevel/nodes.h"
#include "lib/multilevel/prolongator.h"
#include "lib/multilevel/tentative.h"
#include "lib/storage/to_entries.h"
#include "lib/storage/transpose.h"

enum {
    CPU_COARSE_ROWS = 400, // one core takes longer for an inverse than for the
                           // levels that it saves
    INVERTED = 4096,       // rows of a last level that is always inverted
    INVERTED_MOST = 8192,  // or if `coarse_rows` are as many
};
#define THETA_CLASSICAL 0.25

// ------------------------------------------------------------------- a level

// What a level needs for the next one only.
struct coarsening {
    struct lcl_splitting splitting; // classical
    struct lcl_strength strength;   // smoothed aggregation
    struct lcl_aggregates aggregates;
    struct lcl_nodes nodes; // of a system; strength and aggregates are theirs
};

static bool is_classical(const struct lcl_hierarchy *H)
{
    return H->params.coarsening == LCL_AMG_CLASSICAL;
}

static void coarsening_finish(struct coarsening *G)
{
    lcl_splitting_finish(&G->splitting);
    lcl_aggregates_finish(&G->aggregates);
    lcl_strength_finish(&G->strength);
    lcl_nodes_finish(&G->nodes);
}

static enum lcl_status split(struct coarsening *G, struct lcl_hierarchy *H,
                             int l)
{
    const struct lcl_splitting_params params = {.theta = H->params.theta};
    return lcl_splitting_init(&G->splitting, H->ctx, H->level[l].A, &params);
}

static enum lcl_status aggregate(struct coarsening *G, struct lcl_hierarchy *H,
                                 int l)
{
    const struct lcl_device_matrix *A =
        H->is_system ? &G->nodes.graph : H->level[l].A;
    const struct lcl_strength_params strength = {.theta = H->params.theta /
                                                          (double)(1 << l),
                                                 .both = !H->params.symmetric};
    const struct lcl_aggregates_params params = {.second = 0};
    enum lcl_status st = LCL_OK;
    if (H->is_system)
        st = lcl_nodes_init(&G->nodes, H->ctx, H->level[l].A,
                            H->level[l].near_null.block);
    if (st == LCL_OK)
        st = lcl_strength_init(&G->strength, H->ctx, A, &strength);
    return st < 0 ? st
                  : lcl_aggregates_init(&G->aggregates, H->ctx, A, &G->strength,
                                        &params);
}

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

// P = (I - w D_F^-1 A_F) T
static enum lcl_status prolong_nodes(struct lcl_hierarchy *H, int l,
                                     const struct coarsening *G)
{
    struct lcl_hierarchy_level *L = &H->level[l], *next = L + 1;
    struct lcl_device_matrix F = {.n = 0}, T;
    enum lcl_status st;
    if ((st = lcl_tentative_init(&T, &next->near_null, H->ctx, &G->aggregates,
                                 &L->near_null)) == LCL_OK &&
        (st = lcl_nodes_filter(&F, &G->nodes, L->A, &G->strength, L->lambda)) ==
            LCL_OK)
        st = multiply_once(&L->P, H->ctx, &F, &T);
    lcl_device_matrix_finish(&F);
    lcl_device_matrix_finish(&T);
    lcl_near_null_finish(&L->near_null);
    return st;
}

static const lcl_buffer *weight_of(const struct lcl_hierarchy *H, int l)
{
    return l > 0 ? H->level[l].weight : H->params.weight;
}

static enum lcl_status make_prolongation(struct lcl_hierarchy *H, int l,
                                         const struct coarsening *G)
{
    struct lcl_hierarchy_level *L = &H->level[l], *next = L + 1;
    enum lcl_status st;
    lcl_task_enter(H->ctx, LCL_TASK_PROLONGATION);
    if (is_classical(H))
        st = lcl_extended_init(&L->P, H->ctx, L->A, &G->splitting);
    else if (H->is_system)
        st = prolong_nodes(H, l, G);
    else
        st = lcl_prolongator_init(&L->P, &next->weight, H->ctx, L->A,
                                  &G->strength, &G->aggregates, weight_of(H, l),
                                  L->lambda);
    if (st == LCL_OK)
        st = lcl_transpose_init(&L->R, NULL, H->ctx, &L->P);
    lcl_task_leave(H->ctx);
    return st;
}

static struct lcl_galerkin_factors factors_of(const struct lcl_hierarchy *H,
                                              int l)
{
    const struct lcl_hierarchy_level *L = &H->level[l];
    return (struct lcl_galerkin_factors){.ctx = H->ctx,
                                         .A = L->A,
                                         .P = &L->P,
                                         .R = &L->R,
                                         .plain = L->plain,
                                         .system = H->is_system};
}

// Takes the tentative prolongation instead.
static enum lcl_status replace_prolongation(struct lcl_hierarchy *H, int l,
                                            const struct coarsening *G)
{
    struct lcl_hierarchy_level *L = &H->level[l], *next = L + 1;
    lcl_buffer *lambda;
    enum lcl_status st = lcl_growth_plain(&lambda, H->ctx, &G->strength);
    lcl_device_matrix_finish(&L->P);
    lcl_device_matrix_finish(&L->R);
    lcl_buffer_destroy(&next->weight);
    L->plain = true;
    if (st == LCL_OK &&
        (st = lcl_prolongator_init(&L->P, &next->weight, H->ctx, L->A,
                                   &G->strength, &G->aggregates,
                                   weight_of(H, l), lambda)) == LCL_OK)
        st = lcl_transpose_init(&L->R, NULL, H->ctx, &L->P);
    lcl_buffer_destroy(&lambda);
    return st;
}

// The next matrix, if the product has at most `most` entries.
static enum lcl_status multiply(struct lcl_hierarchy *H, int l, int64_t most,
                                bool *fits)
{
    struct lcl_galerkin *W = &H->level[l].product;
    const struct lcl_galerkin_factors factors = factors_of(H, l);
    enum lcl_status st = lcl_galerkin_init(W, &factors, most, fits);
    if (st == LCL_OK && *fits &&
        (st = lcl_galerkin_multiply(W, &factors, &W->C)) == LCL_OK) {
        H->level[l + 1].own = W->C;
        W->C = (struct lcl_device_matrix){.n = 0};
        lcl_galerkin_release(W, &factors);
    } else {
        lcl_galerkin_finish(W);
    }
    return st;
}

static enum lcl_status make_next(struct lcl_hierarchy *H, int l,
                                 const struct coarsening *G)
{
    const struct lcl_device_matrix *A = H->level[l].A;
    const int64_t most = is_classical(H) || H->is_system
                             ? INT64_MAX
                             : lcl_growth_most(A->blocks, A->n);
    bool fits;
    lcl_task_enter(H->ctx, LCL_TASK_GALERKIN);
    enum lcl_status st = multiply(H, l, most, &fits);
    if (st == LCL_OK && !fits && (st = replace_prolongation(H, l, G)) == LCL_OK)
        st = multiply(H, l, INT64_MAX, &fits);
    lcl_task_leave(H->ctx);
    H->level[l + 1].A = &H->level[l + 1].own;
    return st;
}

static int64_t coarse_rows(const struct lcl_hierarchy *H, int l,
                           const struct coarsening *G)
{
    if (is_classical(H))
        return G->splitting.count;
    return G->aggregates.aggregates *
           (H->is_system ? H->level[l].near_null.count : 1);
}

// Whether the next level is worth it.
static bool coarsens(const struct lcl_hierarchy *H, int l,
                     const struct coarsening *G)
{
    const int64_t rows = coarse_rows(H, l, G);
    return rows > 0 && (double)rows <= LCL_SLOW * (double)H->level[l].A->n;
}

static enum lcl_status coarsen(struct lcl_hierarchy *H, int l, bool *deeper)
{
    struct coarsening G = {.splitting = {.n = 0}};
    lcl_task_enter(H->ctx, LCL_TASK_AGGREGATION);
    enum lcl_status st =
        is_classical(H) ? split(&G, H, l) : aggregate(&G, H, l);
    lcl_task_leave(H->ctx);
    *deeper = st == LCL_OK && coarsens(H, l, &G);
    if (*deeper && (st = make_prolongation(H, l, &G)) == LCL_OK)
        st = make_next(H, l, &G);
    coarsening_finish(&G);
    return st;
}

// ------------------------------------------------------------------- set-up

static bool is_last(const struct lcl_hierarchy *H, int l)
{
    return l == H->params.levels - 1 ||
           H->level[l].A->n <= H->params.coarse_rows;
}

static bool is_inverted(const struct lcl_hierarchy *H, int64_t rows)
{
    return rows <= INVERTED ||
           (rows <= INVERTED_MOST && rows <= H->params.coarse_rows);
}

static enum lcl_status make_levels(struct lcl_hierarchy *H)
{
    bool deeper = true;
    enum lcl_status st = LCL_OK;
    for (int l = 0; deeper && st == LCL_OK; ++l) {
        H->levels = l + 1;
        deeper = !is_last(H, l);
        if (!deeper && is_inverted(H, H->level[l].A->n))
            break;
        if ((st = lcl_buffer_create(&H->level[l].lambda, H->ctx, 1,
                                    sizeof(double), "an eigenvalue")) < 0 ||
            (st = lcl_lambda(H->level[l].lambda, H->ctx, H->level[l].A)) < 0)
            return st;
        if (deeper)
            st = coarsen(H, l, &deeper);
    }
    return st;
}

// Classical coarsening is for couplings of one sign and very different size.
static enum lcl_status choose_coarsening(struct lcl_hierarchy *H)
{
    struct lcl_couplings C = {.opposite = 0};
    enum lcl_status st = LCL_OK;
    if (H->params.coarsening > LCL_AMG_COARSENING_DEFAULT)
        return LCL_OK;
    if (H->level[0].A->n > H->params.coarse_rows && !H->is_system)
        st = lcl_survey_couplings(&C, H->ctx, H->level[0].A);
    H->params.coarsening = C.opposite >= 0.99 && C.median_low >= 30
                               ? LCL_AMG_CLASSICAL
                               : LCL_AMG_SA;
    return st;
}

static enum lcl_status make_cycle(struct lcl_hierarchy *H)
{
    enum lcl_status st = lcl_cycle_init(&H->cycle, H->ctx);
    H->cycle.smoother = H->params.smoother;
    if (H->params.storage)
        H->cycle.storage = H->params.storage;
    for (int l = 0; l < H->levels && st == LCL_OK; ++l) {
        const struct lcl_hierarchy_level *L = &H->level[l];
        const bool last = l == H->levels - 1;
        st = lcl_cycle_append(&H->cycle, L->A, last ? NULL : &L->P,
                              last ? NULL : &L->R, L->lambda);
    }
    if (H->inverted)
        H->cycle.coarsest = &H->inverse;
    return st;
}

// The matrix of level 0 with single entries, and its near-null vectors.
static enum lcl_status take_matrix(struct lcl_hierarchy *H)
{
    struct lcl_hierarchy_level *L = &H->level[0];
    const struct lcl_device_matrix *A = H->given;
    const struct lcl_dense *X = H->params.near_null;
    const int node = H->params.node > 0 ? H->params.node : A->block;
    enum lcl_status st = LCL_OK;
    H->params.near_null = NULL;
    H->is_system = A->block > 1 || X;
    L->A = A->block > 1 ? &L->own : A;
    if (A->block > 1 && (st = lcl_to_entries(&L->own, H->ctx, A)) < 0)
        return st;
    if (X)
        return lcl_near_null_upload(&L->near_null, H->ctx, X, node, NULL);
    return H->is_system ? lcl_near_null_start(&L->near_null, H->ctx,
                                              A->block_rows, A->block)
                        : LCL_OK;
}

enum lcl_status lcl_hierarchy_init(struct lcl_hierarchy *H, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_hierarchy_params *params)
{
    enum lcl_status st;
    *H = (struct lcl_hierarchy){.ctx = ctx, .params = *params, .given = A};
    if (H->params.levels < 1 || H->params.levels > LCL_LEVELS_MOST)
        H->params.levels = LCL_LEVELS_MOST;
    if (H->params.coarse_rows < 1)
        H->params.coarse_rows = lcl_context_caps(ctx)->width > 1
                                    ? LCL_COARSE_ROWS
                                    : CPU_COARSE_ROWS;
    if (A->wide)
        return lcl_refuse_wide(A->blocks, "multigrid", lcl_context_log(ctx));
    if ((st = take_matrix(H)) < 0 || (st = choose_coarsening(H)) < 0)
        return st;
    if (H->params.theta <= 0)
        H->params.theta = is_classical(H) ? THETA_CLASSICAL : LCL_THETA;
    if ((st = make_levels(H)) < 0)
        return st;
    const int64_t rows = H->level[H->levels - 1].A->n;
    H->inverted = is_inverted(H, rows);
    if (H->inverted && (st = lcl_inverse_init(&H->inverse, ctx, rows, 0)) < 0)
        return st;
    H->fresh = true;
    return make_cycle(H);
}

void lcl_hierarchy_finish(struct lcl_hierarchy *H)
{
    lcl_cycle_finish(&H->cycle);
    if (H->inverted)
        lcl_inverse_finish(&H->inverse);
    for (int l = 0; l < LCL_LEVELS_MOST; ++l) {
        struct lcl_hierarchy_level *L = &H->level[l];
        lcl_device_matrix_finish(&L->own);
        lcl_device_matrix_finish(&L->P);
        lcl_device_matrix_finish(&L->R);
        lcl_galerkin_finish(&L->product);
        lcl_buffer_destroy(&L->lambda);
        lcl_buffer_destroy(&L->weight);
        lcl_near_null_finish(&L->near_null);
    }
}

// ------------------------------------------------------------------- values

static enum lcl_status invert(struct lcl_hierarchy *H)
{
    struct lcl_inverse *V = &H->inverse;
    enum lcl_status st = lcl_inverse_clear(V);
    if (st < 0 || (st = lcl_cycle_spread(&H->cycle, V)) < 0)
        return st;
    return lcl_inverse_run(V, &H->pinned);
}

// Only further values need those of R.
static void release(struct lcl_hierarchy *H)
{
    for (int l = 0; l < H->levels - 1; ++l)
        lcl_buffer_destroy(&H->level[l].R.val);
}

// Makes what was released.
static enum lcl_status restore(struct lcl_hierarchy *H, int l)
{
    struct lcl_hierarchy_level *L = &H->level[l];
    struct lcl_device_matrix R;
    enum lcl_status st = LCL_OK;
    if (!L->R.val &&
        (st = lcl_transpose_init(&R, NULL, H->ctx, &L->P)) == LCL_OK) {
        lcl_device_matrix_finish(&L->R);
        L->R = R;
    }
    return st;
}

static enum lcl_status update_next(struct lcl_hierarchy *H, int l)
{
    const enum lcl_status st = restore(H, l);
    const struct lcl_galerkin_factors factors = factors_of(H, l);
    return st < 0 ? st
                  : lcl_galerkin_update(&H->level[l].product, &factors,
                                        &H->level[l + 1].own);
}

enum lcl_status lcl_hierarchy_update(struct lcl_hierarchy *H)
{
    const bool fresh = H->fresh;
    enum lcl_status st = LCL_OK;
    H->fresh = false;
    if (!fresh && H->given->block > 1)
        st = lcl_to_entries_update(&H->level[0].own, H->ctx, H->given);
    for (int l = 0; l < H->levels - 1 && st == LCL_OK && !fresh; ++l)
        st = update_next(H, l);
    if (st < 0 || (st = lcl_cycle_update(&H->cycle)) < 0)
        return st;
    if (fresh)
        release(H);
    return H->inverted ? invert(H) : LCL_OK;
}

uint64_t lcl_hierarchy_bytes(const struct lcl_hierarchy *H)
{
    uint64_t bytes = lcl_cycle_bytes(&H->cycle);
    if (H->inverted)
        bytes += lcl_inverse_bytes(&H->inverse);
    for (int l = 0; l < H->levels; ++l) {
        const struct lcl_hierarchy_level *L = &H->level[l];
        bytes +=
            lcl_device_matrix_bytes(&L->own) + lcl_device_matrix_bytes(&L->P) +
            lcl_device_matrix_bytes(&L->R) + lcl_galerkin_bytes(&L->product) +
            lcl_buffer_bytes(L->lambda) + lcl_buffer_bytes(L->weight);
    }
    return bytes;
}
