// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the devices.
#include "lib/multilevel/rank_matrix.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/multilevel/row_arrival.h"
#include "lib/storage/row_union.h"
#include "lib/storage/transpose.h"

static const char what[] = "rows of a level";

static lcl_context *context_of(const struct lcl_level_halo *halo)
{
    return halo->halo.space.ctx;
}

static struct lcl_comm *comm_of(const struct lcl_level_halo *halo)
{
    return halo->halo.space.comm;
}

static const struct lcl_log *log_of(const struct lcl_level_halo *halo)
{
    return &comm_of(halo)->log;
}

static int groups_of(const lcl_context *ctx)
{
    return lcl_vector_groups(lcl_context_caps(ctx));
}

// ------------------------------------------------------------------- columns

// The columns of A, numbered by `from`, are numbered by `to`.
static enum lcl_status renumber(const struct lcl_device_matrix *A,
                                lcl_context *ctx,
                                const struct lcl_halo_plan *to,
                                const struct lcl_halo_plan *from)
{
    const int64_t ghosts = from->ghosts;
    int32_t *number;
    lcl_buffer *numbers = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if (ghosts == 0)
        return LCL_OK;
    number = lcl_malloc((size_t)ghosts, sizeof *number);
    if (!number)
        return lcl_fail_memory(lcl_context_log(ctx), what);
    lcl_ghosts_number(number, to, from);
    if ((st = lcl_ghosts_kernel(&kernel, ctx, "ghosts_renumber")) == LCL_OK &&
        (st = lcl_buffer_create_from(&numbers, ctx, number, ghosts,
                                     sizeof *number, what)) == LCL_OK)
        st = LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->blocks),
                        lcl_arg_int((int32_t)from->rows),
                        lcl_arg_buffer(numbers), lcl_arg_buffer(A->col));
    lcl_buffer_destroy(&numbers);
    lcl_free(number);
    return st;
}

// used[g] = whether ghost g is a column of A.
static enum lcl_status mark(int32_t *used, const struct lcl_device_matrix *A,
                            lcl_context *ctx,
                            const struct lcl_halo_plan *columns)
{
    const int64_t ghosts = columns->ghosts;
    lcl_buffer *marks = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = lcl_ghosts_kernel(&kernel, ctx, "ghosts_mark")) == LCL_OK &&
        (st = lcl_buffer_create(&marks, ctx, ghosts, sizeof *used, what)) ==
            LCL_OK &&
        (st = lcl_buffer_fill(marks, 0)) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->blocks),
                         lcl_arg_int((int32_t)columns->rows),
                         lcl_arg_buffer(A->col), lcl_arg_buffer(marks))) ==
            LCL_OK)
        st = lcl_buffer_read(marks, used, (size_t)ghosts * sizeof *used);
    lcl_buffer_destroy(&marks);
    return st;
}

// The ghosts among *columns that A has; used[] becomes part of the plan.
static enum lcl_status list_used(struct lcl_halo_plan *used,
                                 const struct lcl_device_matrix *A,
                                 lcl_context *ctx,
                                 const struct lcl_halo_plan *columns)
{
    const size_t ghosts = (size_t)columns->ghosts;
    int32_t *marks = lcl_malloc(ghosts, sizeof *marks);
    *used = (struct lcl_halo_plan){.rows = columns->rows,
                                   .total = columns->total,
                                   .first = columns->first};
    used->ghost = lcl_malloc(ghosts, sizeof *used->ghost);
    enum lcl_status st = marks && used->ghost
                             ? mark(marks, A, ctx, columns)
                             : lcl_fail_memory(lcl_context_log(ctx), what);
    for (size_t g = 0; g < ghosts && st == LCL_OK; ++g)
        if (marks[g])
            used->ghost[used->ghosts++] = columns->ghost[g];
    lcl_free(marks);
    return st;
}

static enum lcl_status connect(struct lcl_device_matrix *A,
                               struct lcl_halo_plan *columns, lcl_context *ctx,
                               const struct lcl_ownership *O, int block)
{
    struct lcl_halo_plan used, kept = {.rows = 0};
    enum lcl_status st = list_used(&used, A, ctx, columns);
    if (st == LCL_OK &&
        (st = lcl_ghosts_of(&kept, &used, block, &O->comm->log)) == LCL_OK)
        st = renumber(A, ctx, &kept, columns);
    lcl_halo_plan_finish(&used);
    lcl_halo_plan_finish(columns);
    *columns = kept;
    A->block_cols = kept.rows + kept.ghosts;
    return st < 0 ? st : lcl_halo_plan_connect(columns, O->comm, O->first);
}

enum lcl_status lcl_rank_matrix_connect(struct lcl_device_matrix *A,
                                        struct lcl_halo_plan *columns,
                                        lcl_context *ctx,
                                        const struct lcl_ownership *O,
                                        int block)
{
    lcl_task_enter(ctx, LCL_TASK_GHOSTS);
    const enum lcl_status st = connect(A, columns, ctx, O, block);
    lcl_task_leave(ctx);
    return st;
}

// -------------------------------------------------------------- rows of ghosts

static enum lcl_status append_rows(const struct lcl_device_matrix *D,
                                   lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_device_matrix *B)
{
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghost_rows_kernel(&kernel, ctx, "rows_append");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, groups_of(ctx), lcl_arg_long(B->n),
                            lcl_arg_long(B->blocks), lcl_arg_long(A->n),
                            lcl_arg_int((int32_t)(uint32_t)A->blocks),
                            lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                            lcl_arg_buffer(B->val), lcl_arg_buffer(D->row_ptr),
                            lcl_arg_buffer(D->col), lcl_arg_buffer(D->val));
}

// D = the rows of A, then those of B.
static enum lcl_status append(struct lcl_device_matrix *D, lcl_context *ctx,
                              const struct lcl_device_matrix *A,
                              const struct lcl_device_matrix *B)
{
    const struct lcl_bsr shape = {.rows = A->n + B->n,
                                  .cols = B->block_cols,
                                  .nnz = A->blocks + B->blocks,
                                  .block_size = 1};
    const struct lcl_buffer_plan all[] = {
        {&D->row_ptr, shape.rows + 1, sizeof(uint32_t), "row pointers"},
        {&D->col, shape.nnz, sizeof(int32_t), "columns"},
        {&D->val, shape.nnz, sizeof(double), "values"},
    };
    enum lcl_status st;
    *D = lcl_device_matrix_shape(&shape);
    D->groups = A->groups;
    if (D->wide)
        return lcl_refuse_wide(shape.nnz, "multigrid", lcl_context_log(ctx));
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_copy(D->row_ptr, A->row_ptr)) < 0 ||
        (st = lcl_buffer_copy(D->col, A->col)) < 0 ||
        (st = lcl_buffer_copy(D->val, A->val)) < 0)
        return st;
    return append_rows(D, ctx, A, B);
}

// Numbers the columns of what has come, and appends these rows.
static enum lcl_status take(struct lcl_ghost_rows *G,
                            struct lcl_device_matrix *all,
                            struct lcl_halo_plan *to,
                            const struct lcl_device_matrix *A,
                            const struct lcl_halo_plan *from)
{
    lcl_context *ctx = G->rows.route.ctx;
    struct lcl_arrival a = {.came = &G->rows.came, .columns = to ? to : from};
    struct lcl_device_matrix B = {.n = 0};
    enum lcl_status st =
        to ? lcl_arrival_ghosts(to, a.came, from, ctx) : LCL_OK;
    if (st == LCL_OK && (st = lcl_arrive(&B, &G->map, ctx, &a)) == LCL_OK &&
        (st = append(all, ctx, A, &B)) == LCL_OK && to) {
        const struct lcl_device_matrix own =
            lcl_first_rows(all, A->n, A->blocks);
        st = renumber(&own, ctx, to, from);
    }
    G->entries = B.blocks;
    lcl_device_matrix_finish(&B);
    return st;
}

enum lcl_status lcl_ghost_rows_init(struct lcl_ghost_rows *G,
                                    struct lcl_device_matrix *all,
                                    struct lcl_halo_plan *to,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_halo_plan *from,
                                    const struct lcl_level_halo *halo)
{
    lcl_context *ctx = context_of(halo);
    const struct lcl_row_route route = {ctx, comm_of(halo), &halo->plan,
                                        halo->send};
    *G = (struct lcl_ghost_rows){.map = NULL};
    *all = (struct lcl_device_matrix){.n = 0};
    if (to)
        *to = (struct lcl_halo_plan){.rows = 0};
    lcl_task_enter(ctx, LCL_TASK_GHOSTS);
    enum lcl_status st = lcl_row_exchange_init(&G->rows, &route, A, from);
    if (st == LCL_OK)
        st = take(G, all, to, A, from);
    lcl_task_leave(ctx);
    return st;
}

void lcl_ghost_rows_finish(struct lcl_ghost_rows *G)
{
    lcl_row_exchange_finish(&G->rows);
    lcl_buffer_destroy(&G->map);
}

static enum lcl_status take_values(const struct lcl_ghost_rows *G,
                                   const struct lcl_device_matrix *all,
                                   const struct lcl_device_matrix *A)
{
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = lcl_row_exchange_update(&G->rows, A)) < 0 ||
        (st = lcl_buffer_copy(all->val, A->val)) < 0 ||
        (st = lcl_ghost_rows_kernel(&kernel, G->rows.route.ctx,
                                    "rows_values")) < 0)
        return st;
    return LCL_LAUNCH(
        kernel, groups_of(G->rows.route.ctx), lcl_arg_long(G->entries),
        lcl_arg_int((int32_t)(uint32_t)A->blocks), lcl_arg_buffer(G->map),
        lcl_arg_buffer(G->rows.came.val), lcl_arg_buffer(all->val));
}

enum lcl_status lcl_ghost_rows_update(const struct lcl_ghost_rows *G,
                                      const struct lcl_device_matrix *all,
                                      const struct lcl_device_matrix *A)
{
    lcl_task_enter(G->rows.route.ctx, LCL_TASK_GHOSTS);
    const enum lcl_status st = take_values(G, all, A);
    lcl_task_leave(G->rows.route.ctx);
    return st;
}

// ------------------------------------------------------------------- transpose

// The plan that carries rows of ghosts to their ranks, of which only `send` is
// its own, and where these rows are.
static enum lcl_status reverse(struct lcl_halo_plan *back, lcl_buffer **place,
                               const struct lcl_level_halo *halo)
{
    const struct lcl_halo_plan *P = &halo->plan;
    int32_t *row = lcl_malloc((size_t)P->ghosts, sizeof *row);
    *back = (struct lcl_halo_plan){.rows = P->ghosts,
                                   .ghosts = P->sends,
                                   .sends = P->ghosts,
                                   .to = P->from,
                                   .tos = P->froms,
                                   .from = P->to,
                                   .froms = P->tos};
    for (int64_t g = 0; row && g < P->ghosts; ++g)
        row[g] = (int32_t)(P->rows + g);
    enum lcl_status st = row ? lcl_halo_plan_send_in_order(back, log_of(halo))
                             : lcl_fail_memory(log_of(halo), what);
    if (st == LCL_OK)
        st = lcl_buffer_create_from(place, context_of(halo), row, P->ghosts,
                                    sizeof *row, what);
    lcl_free(row);
    return st;
}

// Rows that continue the same row of the rank, in the order of their ranks:
// row place[k] of those that come is the next one of row row[j] for
// start[j] <= k < start[j + 1].
struct joints {
    int32_t *place, *row, *start;
    int64_t rows;
};

static void joints_finish(struct joints *J)
{
    lcl_free(J->place);
    lcl_free(J->row);
    lcl_free(J->start);
}

static void list_joints(struct joints *J, const int64_t *key, int64_t rows)
{
    for (int64_t k = 0; k < rows; ++k) {
        const int32_t i = (int32_t)(key[k] >> 32);
        J->place[k] = (int32_t)(key[k] & 0xffffffff);
        if (J->rows == 0 || J->row[J->rows - 1] != i) {
            J->start[J->rows] = (int32_t)k;
            J->row[J->rows++] = i;
        }
    }
    J->start[J->rows] = (int32_t)rows;
}

// Row k of those that come continues row of[k].
static enum lcl_status joints_init(struct joints *J, const int32_t *of,
                                   int64_t rows, const struct lcl_log *log)
{
    const size_t count = (size_t)rows;
    int64_t *key = lcl_malloc(count, sizeof *key);
    *J = (struct joints){.place = lcl_malloc(count, sizeof *J->place),
                         .row = lcl_malloc(count, sizeof *J->row),
                         .start = lcl_malloc(count + 1, sizeof *J->start)};
    const bool room = key && J->place && J->row && J->start;
    for (int64_t k = 0; room && k < rows; ++k)
        key[k] = (int64_t)of[k] << 32 | k;
    if (room) {
        lcl_sort_int64(key, rows);
        list_joints(J, key, rows);
    }
    lcl_free(key);
    return room ? LCL_OK : lcl_fail_memory(log, what);
}

// D becomes the matrix of the joined rows.
static enum lcl_status join(struct lcl_device_matrix *D, lcl_context *ctx,
                            const struct joints *J)
{
    lcl_buffer *start = NULL, *ptr = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = lcl_ghost_rows_kernel(&kernel, ctx, "rows_join")) == LCL_OK &&
        (st = lcl_buffer_create_from(&start, ctx, J->start, J->rows + 1,
                                     sizeof *J->start, what)) == LCL_OK &&
        (st = lcl_buffer_create(&ptr, ctx, J->rows + 1, sizeof(uint32_t),
                                "row pointers")) == LCL_OK)
        st = LCL_LAUNCH(kernel, groups_of(ctx), lcl_arg_long(J->rows + 1),
                        lcl_arg_buffer(start), lcl_arg_buffer(D->row_ptr),
                        lcl_arg_buffer(ptr));
    lcl_buffer_destroy(&start);
    lcl_buffer_destroy(&D->row_ptr);
    D->row_ptr = ptr;
    D->n = D->block_rows = J->rows;
    return st;
}

// What has come for the own rows.
struct continuation {
    struct lcl_device_matrix D;
    lcl_buffer *place; // of the own rows
};

static enum lcl_status continue_rows(struct continuation *c, lcl_context *ctx,
                                     struct lcl_arrival *a,
                                     const struct joints *J, int64_t rows)
{
    lcl_buffer *place = NULL, *map = NULL;
    enum lcl_status st = lcl_buffer_create_from(
        &place, ctx, J->place, a->came->rows, sizeof *J->place, what);
    a->place = place;
    if (st == LCL_OK && (st = lcl_arrive(&c->D, &map, ctx, a)) == LCL_OK &&
        (st = join(&c->D, ctx, J)) == LCL_OK)
        st = lcl_place_rows(&c->place, ctx, rows, J->row, J->rows);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&place);
    return st;
}

static enum lcl_status receive(struct continuation *c,
                               struct lcl_halo_plan *columns,
                               const struct lcl_came_rows *came,
                               const struct lcl_level_halo *halo,
                               const struct lcl_halo_plan *own)
{
    lcl_context *ctx = context_of(halo);
    struct lcl_arrival a = {.came = came, .columns = columns};
    struct joints J;
    enum lcl_status st = joints_init(&J, halo->sent, came->rows, log_of(halo));
    if (st == LCL_OK &&
        (st = lcl_arrival_ghosts(columns, came, own, ctx)) == LCL_OK)
        st = continue_rows(c, ctx, &a, &J, halo->plan.rows);
    joints_finish(&J);
    return st;
}

static enum lcl_status transpose(struct lcl_device_matrix *R,
                                 struct lcl_halo_plan *columns,
                                 const struct lcl_device_matrix *P,
                                 const struct lcl_level_halo *halo,
                                 const struct lcl_ownership *O)
{
    const int64_t rows = halo->plan.rows;
    const struct lcl_halo_plan own = lcl_own_columns(O);
    struct lcl_halo_plan back = {.rows = 0};
    struct continuation c = {.place = NULL};
    struct lcl_row_exchange X = {.sent = NULL};
    struct lcl_device_matrix T;
    lcl_buffer *tail = NULL;
    lcl_context *ctx = context_of(halo);
    enum lcl_status st;
    if ((st = lcl_transpose_init(&T, NULL, ctx, P)) == LCL_OK &&
        (st = reverse(&back, &tail, halo)) == LCL_OK) {
        const struct lcl_row_route route = {ctx, comm_of(halo), &back, tail};
        st = lcl_row_exchange_init(&X, &route, &T, &own);
    }
    if (st == LCL_OK &&
        (st = receive(&c, columns, &X.came, halo, &own)) == LCL_OK) {
        const struct lcl_device_matrix first =
            lcl_first_rows(&T, rows, T.blocks);
        const struct lcl_composition both = {
            .A = &first, .limit = own.rows, .B = &c.D, .place = c.place};
        st = lcl_compose(R, ctx, rows, c.D.block_cols, &both);
    }
    lcl_row_exchange_finish(&X);
    lcl_free(back.send);
    lcl_buffer_destroy(&tail);
    lcl_buffer_destroy(&c.place);
    lcl_device_matrix_finish(&c.D);
    lcl_device_matrix_finish(&T);
    return st < 0 ? st : lcl_halo_plan_connect(columns, O->comm, O->first);
}

enum lcl_status lcl_rank_matrix_transpose(struct lcl_device_matrix *R,
                                          struct lcl_halo_plan *columns,
                                          const struct lcl_device_matrix *P,
                                          const struct lcl_level_halo *halo,
                                          const struct lcl_ownership *O)
{
    lcl_context *ctx = context_of(halo);
    lcl_task_enter(ctx, LCL_TASK_GHOSTS);
    const enum lcl_status st = transpose(R, columns, P, halo, O);
    lcl_task_leave(ctx);
    return st;
}
