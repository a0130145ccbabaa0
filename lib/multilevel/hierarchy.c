// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid: set-up of all levels.
#include "lib/multilevel/hierarchy.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/growth.h"
#include "lib/storage/to_entries.h"

enum {
    CPU_COARSE_ROWS = 400, // one core takes longer for an inverse than for the
                           // levels that it saves
    INVERTED = 4096,       // rows of a last level that is always inverted
    INVERTED_MOST = 8192,  // or if `coarse_rows` are as many
};

static const char what[] = "multigrid";

static bool has_ranks(const struct lcl_hierarchy *H)
{
    return H->params.whole;
}

static bool is_classical(const struct lcl_hierarchy *H)
{
    return H->params.coarsening == LCL_AMG_CLASSICAL;
}

// ------------------------------------------------------------------- level 0

// Single entries of the given matrix.
static enum lcl_status take_entries(struct lcl_hierarchy *H)
{
    struct lcl_level *L = &H->level[0];
    const struct lcl_device_matrix *A = H->given;
    L->A = A->block > 1 ? &L->own : A;
    return A->block > 1 ? lcl_to_entries(&L->own, H->space.ctx, A) : LCL_OK;
}

// The rank's rows, with all rows of the nodes of their ghosts.
static enum lcl_status take_rows(struct lcl_hierarchy *H, int node)
{
    struct lcl_level *L = &H->level[0];
    L->A = &L->own;
    const enum lcl_status st =
        lcl_ownership_init(&L->rows, H->space.comm, H->space.n);
    return st < 0 ? st
                  : lcl_rank_source_init(&H->source, &L->own, &L->A_halo.plan,
                                         H->params.whole, H->given, &L->rows,
                                         node);
}

// The rows of a node: those of a block, if all ranks have whole blocks.
static enum lcl_status find_node(int *node, const struct lcl_hierarchy *H)
{
    const int block =
        has_ranks(H) ? H->params.whole->info.block_size : H->given->block;
    bool fits = H->space.n % block == 0;
    const enum lcl_status st = lcl_space_all(&H->space, &fits);
    *node = H->params.node > 0 ? H->params.node : fits ? block : 1;
    return st;
}

static enum lcl_status start_near_null(struct lcl_hierarchy *H, int node)
{
    const struct lcl_space *V = &H->space;
    struct lcl_near_null *B = &H->level[0].near_null;
    const struct lcl_dense *X = H->params.near_null;
    const struct lcl_common all[] = {
        {"the number of near-null vectors", X ? (double)X->cols : 0}};
    const enum lcl_status st = lcl_space_expect_equal(V, what, all, 1);
    H->params.near_null = NULL;
    return st < 0     ? st
           : X        ? lcl_near_null_upload(B, V->ctx, X, node, V->comm)
           : node > 1 ? lcl_near_null_start(B, V->ctx, V->n / node, node)
                      : LCL_OK;
}

static enum lcl_status take_matrix(struct lcl_hierarchy *H)
{
    int node;
    enum lcl_status st = find_node(&node, H);
    H->level[0].space = lcl_space_of_rank(H->space.ctx, H->space.comm,
                                          H->space.n, H->space.total);
    if (st == LCL_OK)
        st = has_ranks(H) ? take_rows(H, node) : take_entries(H);
    return st < 0 ? st : start_near_null(H, node);
}

// ------------------------------------------------------------------- levels

static bool is_last(const struct lcl_hierarchy *H, int l)
{
    const int64_t most =
        has_ranks(H) ? H->params.gathered_rows : H->params.coarse_rows;
    return l == H->params.levels - 1 || H->level[l].space.total <= most;
}

static bool is_inverted(const struct lcl_hierarchy *H, int64_t rows)
{
    return !has_ranks(H) &&
           (rows <= INVERTED ||
            (rows <= INVERTED_MOST && rows <= H->params.coarse_rows));
}

static enum lcl_status count_entries(struct lcl_level *L)
{
    double nnz = (double)L->A->blocks;
    const enum lcl_status st = lcl_space_sum(&L->space, &nnz, 1);
    L->nnz = (int64_t)nnz;
    return st;
}

static enum lcl_status coarsen(struct lcl_hierarchy *H, int l, bool *deeper)
{
    struct lcl_level *L = &H->level[l];
    const double halvings = is_classical(H) ? 1 : (double)(1 << l);
    const struct lcl_level_params params = {
        .coarsening = H->params.coarsening,
        .theta = H->params.theta / halvings,
        .symmetric = H->params.symmetric,
        .most = lcl_growth_most(L->nnz, L->space.total)};
    return lcl_level_coarsen(L, L + 1, &params, deeper);
}

static enum lcl_status make_levels(struct lcl_hierarchy *H)
{
    bool deeper = true;
    enum lcl_status st = LCL_OK;
    for (int l = 0; deeper && st == LCL_OK; ++l) {
        struct lcl_level *L = &H->level[l];
        H->levels = l + 1;
        deeper = !is_last(H, l);
        if ((st = count_entries(L)) < 0)
            return st;
        if (deeper)
            st = coarsen(H, l, &deeper);
        else if (!has_ranks(H) && !is_inverted(H, L->space.n))
            st = lcl_level_estimate(L);
    }
    return st;
}

int lcl_hierarchy_own_levels(const struct lcl_hierarchy *H)
{
    return has_ranks(H) ? H->levels - 1 : H->levels;
}

// ------------------------------------------------------------------- cycle

static int64_t larger(int64_t room, const struct lcl_level_halo *halo)
{
    const int64_t ghosts = halo->plan.ghosts;
    return ghosts > room ? ghosts : room;
}

// Ghosts that vectors of level l have at most, for A and R of this level or P
// of the one above.
static int64_t room_of(const struct lcl_hierarchy *H, int l)
{
    const int64_t above = l > 0 ? larger(0, &H->level[l - 1].P_halo) : 0;
    return l < lcl_hierarchy_own_levels(H)
               ? larger(larger(above, &H->level[l].A_halo), &H->level[l].R_halo)
               : above;
}

static enum lcl_status append(struct lcl_hierarchy *H, int l)
{
    static const struct lcl_cycle_halos none = {NULL, NULL, NULL};
    struct lcl_level *L = &H->level[l];
    const bool last = l == H->levels - 1, ranks = has_ranks(H);
    const struct lcl_cycle_halos halos = {&L->A_halo, &L->P_halo, &L->R_halo};
    return lcl_cycle_append(&H->cycle,
                            last && ranks ? &H->gathered.unscaled : L->A,
                            last ? NULL : &L->P, last ? NULL : &L->R,
                            last && ranks ? NULL : L->lambda,
                            ranks && !last ? &halos : &none, room_of(H, l));
}

static enum lcl_status make_cycle(struct lcl_hierarchy *H)
{
    enum lcl_status st = lcl_cycle_init(&H->cycle, H->space.ctx);
    H->cycle.smoother = H->params.smoother;
    if (H->params.storage)
        H->cycle.storage = H->params.storage;
    if (has_ranks(H)) {
        H->cycle.space = &H->space;
        H->cycle.below = lcl_gathered_descend;
        H->cycle.below_arg = &H->gathered;
    }
    for (int l = 0; l < H->levels && st == LCL_OK; ++l)
        st = append(H, l);
    if (H->inverted)
        H->cycle.coarsest = &H->inverse;
    return st;
}

// ------------------------------------------------------------------- set-up

static enum lcl_status init_alone(struct lcl_hierarchy *H)
{
    enum lcl_status st;
    if ((st = take_matrix(H)) < 0 || (st = make_levels(H)) < 0)
        return st;
    const int64_t rows = H->level[H->levels - 1].A->n;
    H->inverted = is_inverted(H, rows);
    if (H->inverted &&
        (st = lcl_inverse_init(&H->inverse, H->space.ctx, rows, 0)) < 0)
        return st;
    return make_cycle(H);
}

static enum lcl_status apply_below(const void *user,
                                   const struct lcl_operands *v)
{
    const struct lcl_hierarchy *below = user;
    return lcl_cycle_apply(&below->cycle, v);
}

// The levels below that each rank has; `given` are the parameters of all.
static enum lcl_status make_below(struct lcl_hierarchy *H,
                                  const struct lcl_hierarchy_params *given)
{
    struct lcl_gathered *G = &H->gathered;
    const int above = lcl_hierarchy_own_levels(H);
    const bool system = lcl_level_is_system(G->L);
    struct lcl_hierarchy_params below = H->params;
    below.coarsening = above > 0 ? LCL_AMG_SA : given->coarsening;
    below.theta =
        above > 0 ? H->params.theta / (double)(1 << above) : given->theta;
    below.levels = H->params.levels - above;
    below.coarse_rows = given->coarse_rows;
    below.near_null = system ? &G->near_null : NULL;
    below.node = lcl_level_node(G->L);
    below.whole = NULL;
    H->below = lcl_calloc(1, sizeof *H->below);
    if (!H->below)
        return lcl_fail_memory(lcl_context_log(H->space.ctx), what);
    G->solve = apply_below;
    G->user = H->below;
    return lcl_hierarchy_init(H->below, H->space.ctx, &G->all, &below);
}

static enum lcl_status make_distributed(struct lcl_hierarchy *H)
{
    enum lcl_status st;
    H->params.coarsening = LCL_AMG_SA;
    if ((st = take_matrix(H)) < 0 || (st = make_levels(H)) < 0)
        return lcl_space_end(&H->space, st);
    return lcl_space_end(&H->space, lcl_gathered_init(&H->gathered,
                                                      &H->level[H->levels - 1],
                                                      H->levels > 1));
}

static enum lcl_status init_ranks(struct lcl_hierarchy *H,
                                  const struct lcl_hierarchy_params *given)
{
    const struct lcl_space *V = &H->space;
    enum lcl_status st;
    if ((st = lcl_space_agree(V, make_distributed(H), what)) < 0 ||
        (st = lcl_space_agree(V, make_below(H, given), what)) < 0)
        return st;
    return H->levels > 1 ? lcl_space_end(V, make_cycle(H)) : LCL_OK;
}

enum lcl_status lcl_hierarchy_init(struct lcl_hierarchy *H, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_hierarchy_params *params)
{
    const lcl_operator *whole = params->whole;
    *H = (struct lcl_hierarchy){.space = whole ? whole->range
                                               : lcl_space_of(ctx, A->n),
                                .params = *params,
                                .given = A,
                                .fresh = true};
    if (H->params.coarsening <= LCL_AMG_COARSENING_DEFAULT)
        H->params.coarsening = LCL_AMG_SA;
    if (H->params.theta <= 0)
        H->params.theta = LCL_THETA;
    if (H->params.levels < 1 || H->params.levels > LCL_LEVELS_MOST)
        H->params.levels = LCL_LEVELS_MOST;
    if (H->params.coarse_rows < 1)
        H->params.coarse_rows = lcl_context_caps(ctx)->width > 1
                                    ? LCL_COARSE_ROWS
                                    : CPU_COARSE_ROWS;
    if (whole)
        return init_ranks(H, params);
    if (A->wide)
        return lcl_refuse_wide(A->blocks, what, lcl_context_log(ctx));
    return init_alone(H);
}

void lcl_hierarchy_finish(struct lcl_hierarchy *H)
{
    if (H->below)
        lcl_hierarchy_finish(H->below);
    lcl_free(H->below);
    lcl_cycle_finish(&H->cycle);
    if (H->inverted)
        lcl_inverse_finish(&H->inverse);
    if (has_ranks(H))
        lcl_gathered_finish(&H->gathered);
    for (int l = 0; l < LCL_LEVELS_MOST; ++l)
        lcl_level_finish(&H->level[l]);
    lcl_rank_source_finish(&H->source);
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

// Takes the values of A to level 0.
static enum lcl_status take_values(struct lcl_hierarchy *H)
{
    struct lcl_level *L = &H->level[0];
    if (has_ranks(H))
        return lcl_rank_source_update(&H->source, &L->own);
    return H->given->block > 1
               ? lcl_to_entries_update(&L->own, H->space.ctx, H->given)
               : LCL_OK;
}

static enum lcl_status update_levels(struct lcl_hierarchy *H)
{
    enum lcl_status st = take_values(H);
    for (int l = 0; l < H->levels - 1 && st == LCL_OK; ++l)
        st = lcl_level_update(&H->level[l], &H->level[l + 1]);
    return st;
}

static enum lcl_status update_alone(struct lcl_hierarchy *H, bool fresh)
{
    enum lcl_status st = fresh ? LCL_OK : update_levels(H);
    if (st < 0 || (st = lcl_cycle_update(&H->cycle)) < 0)
        return st;
    for (int l = 0; l < H->levels - 1 && fresh; ++l)
        lcl_level_release(&H->level[l]);
    return H->inverted ? invert(H) : LCL_OK;
}

// After an error on one rank, all make their patterns again.
static enum lcl_status update_distributed(struct lcl_hierarchy *H)
{
    enum lcl_status st = update_levels(H);
    if (st == LCL_OK)
        st = lcl_gathered_update(&H->gathered);
    st = lcl_space_agree(&H->space, lcl_space_end(&H->space, st), what);
    for (int l = 0; l < H->levels && st < 0; ++l)
        lcl_galerkin_finish(&H->level[l].product);
    return st;
}

static enum lcl_status update_ranks(struct lcl_hierarchy *H, bool fresh)
{
    const struct lcl_space *V = &H->space;
    enum lcl_status st = fresh ? LCL_OK : update_distributed(H);
    if (st < 0 ||
        (st = lcl_space_agree(V, lcl_hierarchy_update(H->below), what)) < 0)
        return st;
    return H->levels > 1 ? lcl_space_end(V, lcl_cycle_update(&H->cycle))
                         : LCL_OK;
}

enum lcl_status lcl_hierarchy_update(struct lcl_hierarchy *H)
{
    const bool fresh = H->fresh;
    H->fresh = false;
    return has_ranks(H) ? update_ranks(H, fresh) : update_alone(H, fresh);
}

// ------------------------------------------------------------------- use

// Whether it has a cycle of its own.
static bool cycles(const struct lcl_hierarchy *H)
{
    return lcl_hierarchy_own_levels(H) > 0;
}

enum lcl_status lcl_hierarchy_apply(const struct lcl_hierarchy *H,
                                    const struct lcl_operands *v)
{
    return cycles(H) ? lcl_cycle_apply(&H->cycle, v)
                     : lcl_gathered_apply(&H->gathered, v);
}

int lcl_hierarchy_launches(const struct lcl_hierarchy *H)
{
    int launches = cycles(H) ? lcl_cycle_launches(&H->cycle) : 0;
    if (H->below)
        launches += lcl_gathered_launches(&H->gathered) +
                    lcl_hierarchy_launches(H->below);
    return launches;
}

double lcl_hierarchy_traffic(const struct lcl_hierarchy *H)
{
    return (cycles(H) ? lcl_cycle_traffic(&H->cycle) : 0) +
           (H->below ? lcl_hierarchy_traffic(H->below) : 0);
}

uint64_t lcl_hierarchy_bytes(const struct lcl_hierarchy *H)
{
    uint64_t bytes =
        lcl_cycle_bytes(&H->cycle) + lcl_rank_source_bytes(&H->source);
    if (H->inverted)
        bytes += lcl_inverse_bytes(&H->inverse);
    for (int l = 0; l < H->levels; ++l)
        bytes += lcl_level_bytes(&H->level[l]);
    if (H->below)
        bytes +=
            lcl_gathered_bytes(&H->gathered) + lcl_hierarchy_bytes(H->below);
    return bytes;
}
