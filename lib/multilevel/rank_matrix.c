// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the devices.
#include "lib/multilevel/rank_matrix.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/rows.h"
#include "lib/operator/compose.h"
#include "lib/operator/transpose.h"

#include <stdlib.h>
#include <string.h>

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
    if (st == LCL_OK && (st = lcl_ghosts_of(&kept, &used, NULL, block,
                                            &O->comm->log)) == LCL_OK)
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

// Rows as they come from other ranks, with columns of the whole matrix.
static enum lcl_status fetch(struct lcl_rows *came, struct lcl_ghost_rows *G,
                             const struct lcl_device_matrix *A,
                             const struct lcl_halo_plan *columns)
{
    const struct lcl_level_halo *halo = G->halo;
    const struct lcl_halo_plan *P = &halo->halo.plan;
    const struct lcl_composition listed = {.B = A, .place = halo->send};
    struct lcl_rows sent = LCL_ROWS_INIT;
    enum lcl_status st;
    if ((st = lcl_compose(&G->sent, context_of(halo), P->sends, A->block_cols,
                          &listed)) == LCL_OK &&
        (st = lcl_rows_download(&sent, &G->sent, columns, log_of(halo))) ==
            LCL_OK)
        st = lcl_rows_carry(came, &sent, P, comm_of(halo));
    G->sent_ptr = sent.row_ptr;
    sent.row_ptr = NULL;
    lcl_rows_finish(&sent);
    return st;
}

// The row pointers from row `rows` on continue those before.
static enum lcl_status write_pointers(const struct lcl_device_matrix *D,
                                      int64_t rows, const struct lcl_bsr *B,
                                      const struct lcl_log *log)
{
    const int64_t own = D->blocks - B->nnz;
    const size_t size = sizeof(uint32_t), count = (size_t)B->rows + 1;
    uint32_t *ptr = lcl_malloc(count, size);
    if (!ptr)
        return lcl_fail_memory(log, what);
    for (size_t i = 0; i < count; ++i)
        ptr[i] = (uint32_t)(own + B->row_ptr[i]);
    const enum lcl_status st =
        lcl_buffer_write_at(D->row_ptr, (size_t)rows * size, ptr, count * size);
    lcl_free(ptr);
    return st;
}

static enum lcl_status write_values(const struct lcl_device_matrix *D,
                                    const double *val, int64_t count)
{
    const size_t size = sizeof *val;
    return lcl_buffer_write_at(D->val, (size_t)(D->blocks - count) * size, val,
                               (size_t)count * size);
}

// D = the rows of A, then those of B.
static enum lcl_status append(struct lcl_device_matrix *D, lcl_context *ctx,
                              const struct lcl_device_matrix *A,
                              const struct lcl_bsr *B)
{
    const struct lcl_bsr shape = {.rows = A->n + B->rows,
                                  .cols = B->cols,
                                  .nnz = A->blocks + B->nnz,
                                  .block_size = 1};
    const size_t size = sizeof *B->col_ind;
    const struct lcl_log *log = lcl_context_log(ctx);
    const struct lcl_buffer_plan all[] = {
        {&D->row_ptr, shape.rows + 1, sizeof(uint32_t), "row pointers"},
        {&D->col, shape.nnz, size, "columns"},
        {&D->val, shape.nnz, sizeof(double), "values"},
    };
    enum lcl_status st;
    *D = lcl_device_matrix_shape(&shape);
    D->groups = A->groups;
    if (D->wide)
        return lcl_refuse_wide(shape.nnz, "multigrid", log);
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_copy(D->row_ptr, A->row_ptr)) < 0 ||
        (st = lcl_buffer_copy(D->col, A->col)) < 0 ||
        (st = lcl_buffer_copy(D->val, A->val)) < 0 ||
        (st = write_pointers(D, A->n, B, log)) < 0 ||
        (st = lcl_buffer_write_at(D->col, (size_t)A->blocks * size, B->col_ind,
                                  (size_t)B->nnz * size)) < 0)
        return st;
    return write_values(D, B->val, B->nnz);
}

// Numbers the columns of `came`, and appends these rows.
static enum lcl_status take(struct lcl_ghost_rows *G,
                            struct lcl_device_matrix *all,
                            struct lcl_halo_plan *to,
                            const struct lcl_device_matrix *A,
                            const struct lcl_halo_plan *from,
                            const struct lcl_rows *came)
{
    lcl_context *ctx = context_of(G->halo);
    const struct lcl_log *log = log_of(G->halo);
    struct lcl_bsr B = {.rows = 0};
    enum lcl_status st = to ? lcl_ghosts_of(to, from, came, 1, log) : LCL_OK;
    if (st == LCL_OK &&
        (st = lcl_rows_number(&B, &G->map, came, to ? to : from, log)) ==
            LCL_OK &&
        (st = append(all, ctx, A, &B)) == LCL_OK && to) {
        const struct lcl_device_matrix own =
            lcl_first_rows(all, A->n, A->blocks);
        st = renumber(&own, ctx, to, from);
    }
    G->entries = B.nnz;
    lcl_bsr_finish(&B);
    return st;
}

enum lcl_status lcl_ghost_rows_init(struct lcl_ghost_rows *G,
                                    struct lcl_device_matrix *all,
                                    struct lcl_halo_plan *to,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_halo_plan *from,
                                    const struct lcl_level_halo *halo)
{
    struct lcl_rows came = LCL_ROWS_INIT;
    *G = (struct lcl_ghost_rows){.halo = halo};
    *all = (struct lcl_device_matrix){.n = 0};
    if (to)
        *to = (struct lcl_halo_plan){.rows = 0};
    lcl_task_enter(context_of(halo), LCL_TASK_GHOSTS);
    enum lcl_status st = fetch(&came, G, A, from);
    if (st == LCL_OK)
        st = take(G, all, to, A, from, &came);
    lcl_task_leave(context_of(halo));
    G->came_ptr = came.row_ptr;
    came.row_ptr = NULL;
    lcl_rows_finish(&came);
    return st;
}

void lcl_ghost_rows_finish(struct lcl_ghost_rows *G)
{
    lcl_device_matrix_finish(&G->sent);
    lcl_free(G->sent_ptr);
    lcl_free(G->came_ptr);
    lcl_free(G->map);
    *G = (struct lcl_ghost_rows){.halo = NULL};
}

// ------------------------------------------------------------------- values

// came[] = the values of the rows that come.
static enum lcl_status carry_values(const struct lcl_ghost_rows *G,
                                    double *sent, double *came)
{
    const struct lcl_halo_plan *P = &G->halo->halo.plan;
    const enum lcl_status st = lcl_buffer_read(
        G->sent.val, sent, (size_t)G->sent.blocks * sizeof *sent);
    return st < 0 ? st
                  : lcl_halo_plan_carry_rows(P, comm_of(G->halo), G->sent_ptr,
                                             sent, sizeof *sent, G->came_ptr,
                                             came);
}

static enum lcl_status move_values(const struct lcl_ghost_rows *G,
                                   const struct lcl_device_matrix *all)
{
    const int64_t ghosts = G->halo->halo.plan.ghosts;
    double *sent = lcl_malloc((size_t)G->sent.blocks, sizeof *sent);
    double *came = lcl_malloc((size_t)G->came_ptr[ghosts], sizeof *came);
    double *own = lcl_malloc((size_t)G->entries, sizeof *own);
    enum lcl_status st = sent && came && own
                             ? carry_values(G, sent, came)
                             : lcl_fail_memory(log_of(G->halo), what);
    if (st == LCL_OK) {
        for (int64_t k = 0; k < G->entries; ++k)
            own[k] = came[G->map[k]];
        st = write_values(all, own, G->entries);
    }
    lcl_free(own);
    lcl_free(came);
    lcl_free(sent);
    return st;
}

enum lcl_status lcl_ghost_rows_update(const struct lcl_ghost_rows *G,
                                      const struct lcl_device_matrix *all,
                                      const struct lcl_device_matrix *A)
{
    const struct lcl_composition listed = {.B = A, .place = G->halo->send};
    lcl_context *ctx = context_of(G->halo);
    enum lcl_status st;
    lcl_task_enter(ctx, LCL_TASK_GHOSTS);
    if ((st = lcl_compose_values(&G->sent, ctx, &listed)) == LCL_OK &&
        (st = lcl_buffer_copy(all->val, A->val)) == LCL_OK)
        st = move_values(G, all);
    lcl_task_leave(ctx);
    return st;
}

// ------------------------------------------------------------------- transpose

// The plan that carries rows of ghosts to their ranks. Only `send` is its own.
static enum lcl_status reverse(struct lcl_halo_plan *back,
                               const struct lcl_halo_plan *P,
                               const struct lcl_log *log)
{
    *back = (struct lcl_halo_plan){.rows = P->ghosts,
                                   .ghosts = P->sends,
                                   .sends = P->ghosts,
                                   .to = P->from,
                                   .tos = P->froms,
                                   .from = P->to,
                                   .froms = P->tos};
    back->send = lcl_malloc((size_t)P->ghosts, sizeof *back->send);
    for (int64_t g = 0; back->send && g < P->ghosts; ++g)
        back->send[g] = (int32_t)g;
    return back->send ? LCL_OK : lcl_fail_memory(log, what);
}

// sent = the rows of T that are ghosts; `own` numbers its columns.
static enum lcl_status read_ghosts(struct lcl_rows *sent,
                                   const struct lcl_device_matrix *T,
                                   const struct lcl_level_halo *halo,
                                   const struct lcl_halo_plan *own)
{
    const struct lcl_halo_plan *P = &halo->halo.plan;
    const size_t ghosts = (size_t)P->ghosts;
    int32_t *row = lcl_malloc(ghosts, sizeof *row);
    struct lcl_composition tail = {.B = T};
    struct lcl_device_matrix D = {.n = 0};
    lcl_buffer *place = NULL;
    if (!row)
        return lcl_fail_memory(log_of(halo), what);
    for (size_t g = 0; g < ghosts; ++g)
        row[g] = (int32_t)(P->rows + (int64_t)g);
    enum lcl_status st = lcl_buffer_create_from(&place, context_of(halo), row,
                                                P->ghosts, sizeof *row, what);
    tail.place = place;
    if (st == LCL_OK && (st = lcl_compose(&D, context_of(halo), P->ghosts,
                                          T->block_cols, &tail)) == LCL_OK)
        st = lcl_rows_download(sent, &D, own, log_of(halo));
    lcl_buffer_destroy(&place);
    lcl_device_matrix_finish(&D);
    lcl_free(row);
    return st;
}

static void append_row(struct lcl_rows *R, const struct lcl_rows *from,
                       int64_t row)
{
    const int64_t start = from->row_ptr[row], to = R->row_ptr[R->rows];
    const size_t count = (size_t)(from->row_ptr[row + 1] - start);
    memcpy(R->col + to, from->col + start, count * sizeof *R->col);
    memcpy(R->val + to, from->val + start, count * sizeof *R->val);
    R->row_ptr[R->rows] += (int64_t)count;
}

// Joins rows of `came` that continue the same row of the rank, in the order of
// their ranks: row k continues row of[k], and row[r] is continued by row r of
// the result.
static enum lcl_status join(struct lcl_rows *joined, int32_t *row,
                            const struct lcl_rows *came, const int32_t *of,
                            const struct lcl_log *log)
{
    const int64_t rows = came->rows;
    int64_t *key = lcl_malloc((size_t)rows, sizeof *key);
    *joined = (struct lcl_rows){.rows = rows};
    enum lcl_status st = lcl_rows_allocate(joined, came->row_ptr[rows], log);
    if (st == LCL_OK && !key)
        st = lcl_fail_memory(log, what);
    for (int64_t k = 0; k < rows && st == LCL_OK; ++k)
        key[k] = (int64_t)of[k] << 32 | k;
    if (st == LCL_OK && rows > 0)
        qsort(key, (size_t)rows, sizeof *key, lcl_order_int64);
    joined->rows = 0;
    if (st == LCL_OK)
        joined->row_ptr[0] = 0;
    for (int64_t k = 0; k < rows && st == LCL_OK; ++k) {
        const int32_t i = (int32_t)(key[k] >> 32);
        if (joined->rows == 0 || row[joined->rows - 1] != i) {
            joined->row_ptr[joined->rows + 1] = joined->row_ptr[joined->rows];
            row[joined->rows++] = i;
        }
        append_row(joined, came, key[k] & 0xffffffff);
    }
    lcl_free(key);
    return st;
}

// What has come for the own rows.
struct arrivals {
    struct lcl_device_matrix D;
    lcl_buffer *place; // of the own rows
};

static enum lcl_status receive(struct arrivals *a,
                               struct lcl_halo_plan *columns,
                               const struct lcl_rows *came,
                               const struct lcl_level_halo *halo,
                               const struct lcl_halo_plan *own)
{
    const struct lcl_log *log = log_of(halo);
    lcl_context *ctx = context_of(halo);
    struct lcl_rows joined = LCL_ROWS_INIT;
    struct lcl_bsr B = {.rows = 0};
    int32_t *row = lcl_malloc((size_t)came->rows, sizeof *row);
    enum lcl_status st = row ? join(&joined, row, came, halo->sent, log)
                             : lcl_fail_memory(log, what);
    if (st == LCL_OK &&
        (st = lcl_ghosts_of(columns, own, &joined, 1, log)) == LCL_OK &&
        (st = lcl_rows_number(&B, NULL, &joined, columns, log)) == LCL_OK &&
        (st = lcl_device_matrix_init(&a->D, ctx, &B)) == LCL_OK)
        st = lcl_place_rows(&a->place, ctx, halo->halo.plan.rows, row,
                            joined.rows);
    lcl_bsr_finish(&B);
    lcl_rows_finish(&joined);
    lcl_free(row);
    return st;
}

static enum lcl_status exchange(struct lcl_rows *came,
                                const struct lcl_device_matrix *T,
                                const struct lcl_level_halo *halo,
                                const struct lcl_halo_plan *own)
{
    struct lcl_halo_plan back = {.rows = 0};
    struct lcl_rows sent = LCL_ROWS_INIT;
    enum lcl_status st;
    if ((st = read_ghosts(&sent, T, halo, own)) == LCL_OK &&
        (st = reverse(&back, &halo->halo.plan, log_of(halo))) == LCL_OK)
        st = lcl_rows_carry(came, &sent, &back, comm_of(halo));
    lcl_free(back.send);
    lcl_rows_finish(&sent);
    return st;
}

static enum lcl_status transpose(struct lcl_device_matrix *R,
                                 struct lcl_halo_plan *columns,
                                 const struct lcl_device_matrix *P,
                                 const struct lcl_level_halo *halo,
                                 const struct lcl_ownership *O)
{
    const int64_t rows = halo->halo.plan.rows;
    const struct lcl_halo_plan own = lcl_own_columns(O);
    struct arrivals a = {.place = NULL};
    struct lcl_device_matrix T;
    struct lcl_rows came = LCL_ROWS_INIT;
    lcl_context *ctx = context_of(halo);
    enum lcl_status st;
    if ((st = lcl_transpose_init(&T, NULL, ctx, P)) == LCL_OK &&
        (st = exchange(&came, &T, halo, &own)) == LCL_OK &&
        (st = receive(&a, columns, &came, halo, &own)) == LCL_OK) {
        const struct lcl_device_matrix first =
            lcl_first_rows(&T, rows, T.blocks);
        const struct lcl_composition both = {
            .A = &first, .limit = own.rows, .B = &a.D, .place = a.place};
        st = lcl_compose(R, ctx, rows, a.D.block_cols, &both);
    }
    lcl_rows_finish(&came);
    lcl_buffer_destroy(&a.place);
    lcl_device_matrix_finish(&a.D);
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

// ------------------------------------------------------------------- gathering

// The ghosts as columns of the whole matrix, and how many are below the own
// ones.
static enum lcl_status upload_ghosts(lcl_buffer **ghost, int32_t *lower,
                                     lcl_context *ctx,
                                     const struct lcl_halo_plan *columns)
{
    const int64_t ghosts = columns->ghosts;
    int32_t *all = lcl_malloc((size_t)ghosts, sizeof *all);
    *lower = 0;
    if (!all)
        return lcl_fail_memory(lcl_context_log(ctx), what);
    for (int64_t g = 0; g < ghosts; ++g) {
        all[g] = (int32_t)columns->ghost[g];
        *lower += columns->ghost[g] < columns->first;
    }
    const enum lcl_status st =
        lcl_buffer_create_from(ghost, ctx, all, ghosts, sizeof *all, what);
    lcl_free(all);
    return st;
}

// D = A with ascending columns of the whole matrix; it has A's row pointers.
static enum lcl_status order(struct lcl_device_matrix *D, lcl_context *ctx,
                             const struct lcl_device_matrix *A,
                             const struct lcl_halo_plan *columns)
{
    const struct lcl_buffer_plan all[] = {
        {&D->col, A->blocks, sizeof(int32_t), "columns"},
        {&D->val, A->blocks, sizeof(double), "values"},
    };
    const int shift = lcl_row_shift(ctx, lcl_row_values(A));
    lcl_buffer *ghost = NULL;
    lcl_kernel *kernel;
    int32_t lower;
    enum lcl_status st;
    *D = *A;
    D->col = D->val = NULL;
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) ==
            LCL_OK &&
        (st = upload_ghosts(&ghost, &lower, ctx, columns)) == LCL_OK &&
        (st = lcl_ghosts_kernel(&kernel, ctx, "ghosts_order")) == LCL_OK)
        st =
            LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->n),
                       lcl_arg_int(shift), lcl_arg_int((int32_t)columns->rows),
                       lcl_arg_int((int32_t)columns->first), lcl_arg_int(lower),
                       lcl_arg_buffer(ghost), lcl_arg_buffer(A->row_ptr),
                       lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                       lcl_arg_buffer(D->col), lcl_arg_buffer(D->val));
    lcl_buffer_destroy(&ghost);
    return st;
}

enum lcl_status lcl_rank_matrix_gather(struct lcl_bsr *all,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_halo_plan *columns,
                                       lcl_context *ctx,
                                       const struct lcl_ownership *O)
{
    struct lcl_device_matrix D;
    struct lcl_bsr own = {.rows = 0};
    enum lcl_status st;
    *all = (struct lcl_bsr){.rows = 0};
    if ((st = order(&D, ctx, A, columns)) == LCL_OK &&
        (st = lcl_device_matrix_read(&own, &D, true, &O->comm->log)) == LCL_OK)
        st = lcl_gather_rows(all, &own, O);
    D.row_ptr = NULL; // A's
    lcl_device_matrix_finish(&D);
    lcl_bsr_finish(&own);
    return st;
}
