// SPDX-License-Identifier: BSD-3-Clause
// Smoothed aggregation on several ranks.
#include "lib/multilevel/hierarchy_ranks.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/growth.h"

#include <string.h>

static const char what[] = "levels of all ranks";

static const struct lcl_log *log_of(const struct lcl_hierarchy_ranks *H)
{
    return lcl_context_log(H->space.ctx);
}

// ------------------------------------------------------------------- level 0

// The rows of a node, if all ranks have whole nodes of them; else 1.
static enum lcl_status find_node(int *node, const lcl_operator *whole)
{
    bool fits = whole->range.n % whole->info.block_size == 0;
    const enum lcl_status st = lcl_space_all(&whole->range, &fits);
    *node = fits ? whole->info.block_size : 1;
    return st;
}

static enum lcl_status start_near_null(struct lcl_near_null *B,
                                       const struct lcl_hierarchy_ranks *H,
                                       int node)
{
    const struct lcl_space *V = &H->space;
    const struct lcl_dense *X = H->params.near_null;
    const struct lcl_common all[] = {
        {"the number of near-null vectors", X ? (double)X->cols : 0}};
    const enum lcl_status st = lcl_space_expect_equal(V, "multigrid", all, 1);
    return st < 0     ? st
           : X        ? lcl_near_null_upload(B, V->ctx, X, node, V->comm)
           : node > 1 ? lcl_near_null_start(B, V->ctx, V->n / node, node)
                      : LCL_OK;
}

static enum lcl_status take_matrix(struct lcl_rank_matrix *M,
                                   struct lcl_hierarchy_ranks *H,
                                   const lcl_operator *whole)
{
    int node;
    enum lcl_status st;
    *M = (struct lcl_rank_matrix){.rows = {.comm = H->space.comm}};
    if ((st = lcl_ownership_init(&M->rows, H->space.comm, H->space.n)) < 0 ||
        (st = find_node(&node, whole)) < 0 ||
        (st = lcl_rank_source_init(&H->source, &M->A, &M->columns, whole,
                                   H->params.part, &M->rows, node)) < 0)
        return st;
    return start_near_null(&M->near_null, H, node);
}

// ------------------------------------------------------------------- levels

static enum lcl_status count_entries(struct lcl_hierarchy_ranks *H,
                                     const struct lcl_rank_matrix *M, int l)
{
    double nnz = (double)M->A.blocks;
    const enum lcl_status st = lcl_space_sum(&H->space, &nnz, 1);
    H->rows[l] = lcl_owned_by_all(&M->rows);
    H->nnz[l] = (int64_t)nnz;
    return st;
}

static bool is_gathered(const struct lcl_hierarchy_ranks *H,
                        const struct lcl_rank_matrix *M)
{
    return lcl_owned_by_all(&M->rows) <= H->params.gathered_rows ||
           H->levels >= H->params.levels - 1;
}

static struct lcl_space space_of(const struct lcl_hierarchy_ranks *H,
                                 const struct lcl_rank_matrix *M)
{
    return lcl_space_of_rank(H->space.ctx, H->space.comm, M->A.n,
                             lcl_owned_by_all(&M->rows));
}

// Replaces *M by the matrix of the next level, if there is one.
static enum lcl_status descend(struct lcl_hierarchy_ranks *H,
                               struct lcl_rank_matrix *M, bool *deeper)
{
    struct lcl_rank_level *L = &H->level[H->levels];
    const struct lcl_space V = space_of(H, M);
    struct lcl_rank_level_params params = {.theta = H->params.theta /
                                                    (double)(1 << H->levels),
                                           .symmetric = H->params.symmetric,
                                           .slow = LCL_SLOW};
    struct lcl_rank_matrix next;
    enum lcl_status st = count_entries(H, M, H->levels);
    if (st < 0)
        return st;
    params.most = lcl_growth_most(H->nnz[H->levels], H->rows[H->levels]);
    st = lcl_rank_level_init(L, &next, &V, M, &params, deeper);
    if (st == LCL_OK && *deeper) {
        ++H->levels;
        lcl_rank_matrix_finish(M);
        *M = next;
        return LCL_OK;
    }
    lcl_rank_matrix_finish(&next);
    lcl_rank_level_finish(L);
    return st;
}

// ------------------------------------------------------------------- gathered

// From vectors row by row, of the rank's rows, to columns of all rows.
static enum lcl_status gather_near_null(struct lcl_hierarchy_ranks *H)
{
    const struct lcl_rank_matrix *M = &H->last;
    const struct lcl_near_null *B = &M->near_null;
    const int64_t rows = lcl_owned_by_all(&M->rows), cols = B->count;
    const size_t bytes = (size_t)(M->A.n * cols) * sizeof(double);
    double *own = lcl_malloc(bytes, 1);
    double *val = lcl_malloc((size_t)(rows * cols), sizeof *val);
    void *all = NULL;
    enum lcl_status st = own && val ? lcl_buffer_read(B->vectors, own, bytes)
                                    : lcl_fail_memory(log_of(H), what);
    if (st == LCL_OK)
        st = lcl_gather_parts(&all, own, (int64_t)bytes, H->space.comm);
    for (int64_t i = 0; i < rows && st == LCL_OK; ++i)
        for (int64_t c = 0; c < cols; ++c)
            val[i + c * rows] = ((const double *)all)[i * cols + c];
    H->near_null = (struct lcl_dense){rows, cols, val};
    lcl_free(all);
    lcl_free(own);
    return st;
}

static enum lcl_status gather_weights(struct lcl_hierarchy_ranks *H)
{
    const struct lcl_rank_matrix *M = &H->last;
    const size_t size = sizeof(uint32_t), own = (size_t)M->A.n;
    uint32_t *weight = lcl_malloc(own, size);
    void *all = NULL;
    enum lcl_status st = weight ? lcl_buffer_read(M->weight, weight, own * size)
                                : lcl_fail_memory(log_of(H), what);
    if (st == LCL_OK &&
        (st = lcl_gather_parts(&all, weight, (int64_t)(own * size),
                               H->space.comm)) == LCL_OK)
        st = lcl_buffer_create_from(&H->weight, H->space.ctx, all,
                                    lcl_owned_by_all(&M->rows), size,
                                    "weights of aggregates");
    lcl_free(all);
    lcl_free(weight);
    return st;
}

// What prolongations from the first gathered level reproduce.
static enum lcl_status gather_constants(struct lcl_hierarchy_ranks *H)
{
    H->node = lcl_rank_matrix_node(&H->last);
    return H->last.near_null.count > 0 ? gather_near_null(H)
           : H->last.weight            ? gather_weights(H)
                                       : LCL_OK;
}

static enum lcl_status gather_matrix(struct lcl_bsr *all,
                                     const struct lcl_hierarchy_ranks *H)
{
    const struct lcl_rank_matrix *M = &H->last;
    return lcl_rank_matrix_gather(all, &M->A, &M->columns, H->space.ctx,
                                  &M->rows);
}

// Places of the rank's rows: among themselves, in the order of all ranks; and
// where the gathered parts, of `share` numbers each, have all rows.
static enum lcl_status make_places(struct lcl_hierarchy_ranks *H, int64_t share)
{
    const struct lcl_comm *comm = H->space.comm;
    const int64_t *first = H->last.rows.first;
    const int64_t own = lcl_owned(&H->last.rows), rows = first[comm->size];
    const size_t size = sizeof(uint32_t);
    uint32_t *place = lcl_malloc((size_t)rows, size);
    uint32_t *list = lcl_malloc((size_t)(2 * own), size);
    enum lcl_status st = LCL_ENOMEM;
    for (int r = 0; place && r < comm->size; ++r)
        for (int64_t i = first[r]; i < first[r + 1]; ++i)
            place[i] = (uint32_t)(r * share + i - first[r]);
    for (int64_t i = 0; list && i < own; ++i) {
        list[i] = (uint32_t)i;
        list[own + i] = (uint32_t)(first[comm->rank] + i);
    }
    if (place && list &&
        (st = lcl_buffer_create_from(&H->place, H->space.ctx, place, rows, size,
                                     what)) == LCL_OK &&
        (st = lcl_buffer_create_from(&H->list, H->space.ctx, list, own, size,
                                     what)) == LCL_OK)
        st = lcl_buffer_create_from(&H->own, H->space.ctx, list + own, own,
                                    size, what);
    lcl_free(list);
    lcl_free(place);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(H), what) : st;
}

static enum lcl_status make_vectors(struct lcl_hierarchy_ranks *H)
{
    lcl_context *ctx = H->space.ctx;
    const int64_t *first = H->last.rows.first;
    const int ranks = H->space.comm->size;
    int64_t share = 1;
    enum lcl_status st;
    for (int r = 0; r < ranks; ++r)
        if (first[r + 1] - first[r] > share)
            share = first[r + 1] - first[r];
    const struct lcl_buffer_plan all[] = {
        {&H->given, share, sizeof(double), what},
        {&H->parts, ranks * share, sizeof(double), what},
        {&H->b, first[ranks], sizeof(double), what},
        {&H->x, first[ranks], sizeof(double), what},
    };
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_fill(H->given, 0)) < 0 ||
        (st = make_places(H, share)) < 0 ||
        (st = lcl_vector_ops_init(&H->ops, ctx, 1)) < 0 ||
        (st = lcl_ghosts_kernel(&H->widen, ctx, "ghosts_widen")) < 0 ||
        (st = lcl_ghosts_kernel(&H->narrow, ctx, "ghosts_narrow")) < 0)
        return st;
    return lcl_gathering_init(&H->gathering, &H->space, share);
}

static enum lcl_status gather_all(struct lcl_hierarchy_ranks *H)
{
    struct lcl_bsr all = {.rows = 0};
    enum lcl_status st = gather_matrix(&all, H);
    if (st == LCL_OK)
        st = lcl_device_matrix_init(&H->all, H->space.ctx, &all);
    lcl_bsr_finish(&all);
    if (st < 0 || (st = gather_constants(H)) < 0)
        return st;
    return make_vectors(H);
}

static enum lcl_status gather(struct lcl_hierarchy_ranks *H)
{
    lcl_task_enter(H->space.ctx, LCL_TASK_GATHERING);
    const enum lcl_status st = gather_all(H);
    lcl_task_leave(H->space.ctx);
    return st;
}

// ------------------------------------------------------------------- set-up

static enum lcl_status make_levels(struct lcl_hierarchy_ranks *H,
                                   const lcl_operator *whole)
{
    bool deeper = true;
    enum lcl_status st = take_matrix(&H->last, H, whole);
    while (st == LCL_OK && deeper && !is_gathered(H, &H->last))
        st = descend(H, &H->last, &deeper);
    return st < 0 ? st : gather(H);
}

enum lcl_status lcl_hierarchy_ranks_init(
    struct lcl_hierarchy_ranks *H, const lcl_operator *whole,
    const struct lcl_hierarchy_ranks_params *params)
{
    *H = (struct lcl_hierarchy_ranks){.space = whole->range, .params = *params};
    if (H->params.levels < 1 || H->params.levels > LCL_LEVELS_MOST)
        H->params.levels = LCL_LEVELS_MOST;
    if (H->params.theta <= 0)
        H->params.theta = LCL_THETA;
    return lcl_space_end(&H->space, make_levels(H, whole));
}

struct lcl_hierarchy_params lcl_hierarchy_ranks_below(
    const struct lcl_hierarchy_ranks *H)
{
    return (struct lcl_hierarchy_params){
        .smoother = H->params.smoother,
        .storage = H->params.storage,
        .symmetric = H->params.symmetric,
        .theta = H->params.theta / (double)(1 << H->levels),
        .levels = H->params.levels - H->levels,
        .near_null = H->near_null.cols > 0 ? &H->near_null : NULL,
        .node = H->node,
        .weight = H->weight,
    };
}

void lcl_hierarchy_ranks_finish(struct lcl_hierarchy_ranks *H)
{
    lcl_buffer **const all[] = {&H->given, &H->parts, &H->place, &H->list,
                                &H->own,   &H->b,     &H->x};
    lcl_cycle_finish(&H->cycle);
    lcl_gathering_finish(&H->gathering);
    for (int l = 0; l < H->levels; ++l)
        lcl_rank_level_finish(&H->level[l]);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    lcl_device_matrix_finish(&H->all);
    lcl_device_matrix_finish(&H->none);
    lcl_dense_finish(&H->near_null);
    lcl_buffer_destroy(&H->weight);
    lcl_rank_matrix_finish(&H->last);
    lcl_rank_source_finish(&H->source);
}

uint64_t lcl_hierarchy_ranks_bytes(const struct lcl_hierarchy_ranks *H)
{
    const lcl_buffer *const all[] = {H->given, H->parts, H->place, H->list,
                                     H->own,   H->b,     H->x};
    uint64_t bytes =
        lcl_cycle_bytes(&H->cycle) + lcl_device_matrix_bytes(&H->all) +
        lcl_device_matrix_bytes(&H->none) +
        lcl_device_matrix_bytes(&H->last.A) + lcl_rank_source_bytes(&H->source);
    for (int l = 0; l < H->levels; ++l)
        bytes += lcl_rank_level_bytes(&H->level[l]);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        bytes += lcl_buffer_bytes(all[k]);
    return bytes;
}

// ------------------------------------------------------------------- cycle

// H->x = what the hierarchy below makes of the gathered vectors H->given.
static enum lcl_status solve_below(const struct lcl_hierarchy_ranks *H,
                                   const struct lcl_operands *v)
{
    const struct lcl_operands below = {
        .x = H->b, .y = H->x, .stop = v->stop, .at = v->at};
    enum lcl_status st;
    if ((st = lcl_gathering_run(&H->gathering, H->given, H->parts)) < 0 ||
        (st = lcl_gather(&H->ops, lcl_owned_by_all(&H->last.rows), H->place,
                         H->parts, H->b)) < 0)
        return st;
    return lcl_cycle_apply(H->below, &below);
}

static enum lcl_status go_below(const void *arg, const lcl_buffer *b,
                                lcl_buffer *x, const struct lcl_operands *v)
{
    const struct lcl_hierarchy_ranks *H = arg;
    const int64_t own = lcl_owned(&H->last.rows);
    const int groups = H->space.groups;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(H->widen, groups, lcl_arg_long(own),
                         lcl_arg_buffer(H->list), lcl_arg_buffer(b),
                         lcl_arg_buffer(H->given))) < 0 ||
        (st = solve_below(H, v)) < 0 ||
        (st = lcl_gather(&H->ops, own, H->own, H->x, H->given)) < 0)
        return st;
    return LCL_LAUNCH(H->narrow, groups, lcl_arg_long(own), lcl_arg_long(0),
                      lcl_arg_buffer(H->given), lcl_arg_buffer(x));
}

enum lcl_status lcl_hierarchy_ranks_apply(const struct lcl_hierarchy_ranks *H,
                                          const struct lcl_operands *v)
{
    enum lcl_status st;
    if (H->levels > 0)
        return lcl_cycle_apply(&H->cycle, v);
    if ((st = lcl_gather(&H->ops, H->space.n, H->list, v->x, H->given)) < 0 ||
        (st = solve_below(H, v)) < 0)
        return st;
    return lcl_gather(&H->ops, H->space.n, H->own, H->x, v->y);
}

int lcl_hierarchy_ranks_launches(const struct lcl_hierarchy_ranks *H)
{
    const int relayed = H->gathering.relayed ? 2 : 0;
    return H->levels > 0 ? 4 + relayed + lcl_cycle_launches(&H->cycle)
                         : 3 + relayed;
}

static int64_t ghosts_of(const struct lcl_level_halo *halo)
{
    return halo->halo.plan.ghosts;
}

// Ghosts that vectors of level l have at most, for A and R of this level or P
// of the one above.
static int64_t room_of(struct lcl_hierarchy_ranks *H, int l)
{
    int64_t room = l > 0 ? ghosts_of(&H->level[l - 1].P_halo) : 0;
    const struct lcl_rank_level *L = &H->level[l];
    if (l < H->levels && ghosts_of(&L->A_halo) > room)
        room = ghosts_of(&L->A_halo);
    if (l < H->levels && ghosts_of(&L->R_halo) > room)
        room = ghosts_of(&L->R_halo);
    return room;
}

// The first gathered level has no matrix here: its vectors are not scaled.
static enum lcl_status append_gathered(struct lcl_hierarchy_ranks *H)
{
    static const struct lcl_cycle_halos no_halos = {NULL, NULL, NULL};
    const int64_t rows = lcl_owned(&H->last.rows);
    struct lcl_bsr empty = {.rows = rows, .cols = rows, .block_size = 1};
    empty.row_ptr = lcl_calloc((size_t)rows + 1, sizeof *empty.row_ptr);
    enum lcl_status st =
        empty.row_ptr ? lcl_device_matrix_init(&H->none, H->space.ctx, &empty)
                      : lcl_fail_memory(log_of(H), what);
    lcl_bsr_finish(&empty);
    return st < 0 ? st
                  : lcl_cycle_append_part(&H->cycle, &H->none, NULL, NULL, NULL,
                                          &no_halos, room_of(H, H->levels));
}

static enum lcl_status make_cycle(struct lcl_hierarchy_ranks *H)
{
    enum lcl_status st = lcl_cycle_init(&H->cycle, H->space.ctx);
    H->cycle.smoother = H->params.smoother;
    if (H->params.storage)
        H->cycle.storage = H->params.storage;
    H->cycle.space = &H->space;
    H->cycle.below = go_below;
    H->cycle.below_arg = H;
    for (int l = 0; l < H->levels && st == LCL_OK; ++l) {
        struct lcl_rank_level *L = &H->level[l];
        const struct lcl_cycle_halos halos = {&L->A_halo, &L->P_halo,
                                              &L->R_halo};
        st = lcl_cycle_append_part(&H->cycle, &L->A, &L->P, &L->R, L->lambda,
                                   &halos, room_of(H, l));
    }
    return st < 0 ? st : append_gathered(H);
}

enum lcl_status lcl_hierarchy_ranks_complete(struct lcl_hierarchy_ranks *H,
                                             const struct lcl_cycle *below)
{
    enum lcl_status st = LCL_OK;
    H->below = below;
    if (H->levels > 0)
        st = make_cycle(H);
    return st < 0 ? lcl_space_end(&H->space, st) : lcl_hierarchy_ranks_store(H);
}

// ------------------------------------------------------------------- values

// The matrix of level l, or the first one that is gathered.
static const struct lcl_device_matrix *matrix_of(
    const struct lcl_hierarchy_ranks *H, int l)
{
    return l < H->levels ? &H->level[l].A : &H->last.A;
}

static enum lcl_status update_all(struct lcl_hierarchy_ranks *H)
{
    struct lcl_bsr all = {.rows = 0};
    enum lcl_status st = gather_matrix(&all, H);
    if (st == LCL_OK)
        st = lcl_buffer_write(H->all.val, all.val,
                              (size_t)all.nnz * sizeof *all.val);
    lcl_bsr_finish(&all);
    return st;
}

static enum lcl_status update_levels(struct lcl_hierarchy_ranks *H)
{
    enum lcl_status st = lcl_rank_source_update(&H->source, matrix_of(H, 0));
    for (int l = 0; l < H->levels && st == LCL_OK; ++l)
        st = lcl_rank_level_update(&H->level[l], matrix_of(H, l + 1));
    return st < 0 ? st : update_all(H);
}

// After an error on one rank, all make their patterns again.
enum lcl_status lcl_hierarchy_ranks_update(struct lcl_hierarchy_ranks *H)
{
    const enum lcl_status st = lcl_space_agree(
        &H->space, lcl_space_end(&H->space, update_levels(H)), "multigrid");
    for (int l = 0; l < H->levels && st < 0; ++l)
        lcl_galerkin_finish(&H->level[l].product);
    return st;
}

enum lcl_status lcl_hierarchy_ranks_store(struct lcl_hierarchy_ranks *H)
{
    return lcl_space_end(&H->space,
                         H->levels > 0 ? lcl_cycle_update(&H->cycle) : LCL_OK);
}
