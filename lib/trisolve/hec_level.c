// SPDX-License-Identifier: BSD-3-Clause
// The published level-scheduled solve in HEC, hec_level, of the factors of all
// subdomains as of one matrix.
#include "lib/trisolve/hec_level.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"

// ------------------------------------------------------------------- factors

// L, or D U with its rows and columns in reverse order, which makes it lower
// triangular too; its rows divided by their diagonals.
struct triangle {
    struct lcl_csr rows;
    uint32_t *source; // slot of each entry
    bool upper;
};

// The slots of the off-diagonal entries of one row.
struct run {
    uint64_t first;
    uint32_t stride, count;
};

static enum lcl_status allocate(struct triangle *M,
                                const struct lcl_host_schedule *S,
                                const struct lcl_log *log)
{
    const size_t n = (size_t)S->n, entries = (size_t)S->slots + n;
    M->rows = (struct lcl_csr){
        .rows = S->n,
        .cols = S->n,
        .row_ptr = lcl_malloc(n + 1, sizeof *M->rows.row_ptr),
        .col_ind = lcl_malloc(entries, sizeof *M->rows.col_ind),
    };
    M->source = lcl_malloc(entries, sizeof *M->source);
    return M->rows.row_ptr && M->rows.col_ind && M->source
               ? LCL_OK
               : lcl_fail_memory(log, "a factor in CSR");
}

static void triangle_finish(struct triangle *M)
{
    lcl_csr_finish(&M->rows);
    lcl_free(M->source);
}

static void append(struct triangle *M, int64_t col, uint64_t slot)
{
    struct lcl_csr *A = &M->rows;
    A->col_ind[A->nnz] = (int32_t)(M->upper ? A->rows - 1 - col : col);
    M->source[A->nnz++] = (uint32_t)slot;
}

// Padding has the row itself as its column.
static struct run run_of(const struct lcl_host_schedule *S, uint64_t first,
                         uint32_t stride, uint32_t planes, uint32_t self)
{
    struct run run = {first, stride, 0};
    while (run.count < planes && S->col[first + run.count * stride] != self)
        ++run.count;
    return run;
}

// Appends row r of a subdomain, columns ascending, the diagonal last.
static void append_row(struct triangle *M, const struct lcl_host_schedule *S,
                       const struct lcl_part *part, uint32_t r)
{
    const struct lcl_step *s = &S->step[part->step + S->step_of[part->row + r]];
    const uint64_t base = part->slot + r - s->first;
    const uint64_t diagonal = base + s->upper;
    const struct run run =
        M->upper
            ? run_of(S, diagonal + s->rows, s->rows, s->upper_planes - 1u, r)
            : run_of(S, base + s->lower, s->rows, s->lower_planes, r);
    for (uint32_t k = 0; k < run.count; ++k) {
        const uint64_t slot =
            run.first +
            (uint64_t)(M->upper ? run.count - 1 - k : k) * run.stride;
        append(M, (int64_t)part->row + S->col[slot], slot);
    }
    append(M, (int64_t)part->row + r, M->upper ? diagonal : LCL_PADDING);
}

static void append_rows(struct triangle *M, const struct lcl_host_schedule *S)
{
    int64_t i = 0;
    for (int64_t q = 0; q < S->parts; ++q) {
        const struct lcl_part *part = &S->part[M->upper ? S->parts - 1 - q : q];
        for (uint32_t r = 0; r < part->rows; ++r) {
            M->rows.row_ptr[i++] = M->rows.nnz;
            append_row(M, S, part, M->upper ? part->rows - 1 - r : r);
        }
    }
    M->rows.row_ptr[i] = M->rows.nnz;
}

static enum lcl_status make_triangle(struct lcl_hec_triangle *T,
                                     lcl_context *ctx,
                                     const struct lcl_host_schedule *S,
                                     bool upper)
{
    struct triangle M = {.upper = upper};
    enum lcl_status st = allocate(&M, S, lcl_context_log(ctx));
    if (st == LCL_OK) {
        append_rows(&M, S);
        st = lcl_hec_triangle_init(T, ctx, &M.rows, M.source, upper, 0);
    }
    triangle_finish(&M);
    return st;
}

// ------------------------------------------------------------------- method

static enum lcl_status check(const struct lcl_factor *F,
                             const struct lcl_host_schedule *S,
                             const struct lcl_log *log)
{
    if (F->block > 1)
        return lcl_fail(
            log, LCL_EUNSUPPORTED,
            "hec_level requires block size 1, but the matrix is stored "
            "in blocks of %d rows",
            F->block);
    return lcl_needs_wide(S->slots)
               ? lcl_refuse_wide(S->slots, "factors in HEC take", log)
               : LCL_OK;
}

static int chained_levels(const struct lcl_hec_triangle *T)
{
    int levels = 0;
    for (int64_t k = 0; k < T->launches; ++k)
        levels += T->launch[k].chained ? T->launch[k].levels : 0;
    return levels;
}

static enum lcl_status make_vector(struct lcl_hec_level *H, lcl_context *ctx,
                                   int64_t n)
{
    const enum lcl_status st =
        lcl_buffer_create(&H->x, ctx, n + 1, sizeof(double), "vector");
    return st < 0 ? st : lcl_buffer_fill(H->x, 0);
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_schedule *schedule,
                              const int32_t *level)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st = check(T->factor, schedule, log);
    (void)level; // of L and U together; each has levels of its own
    if (st < 0)
        return st;
    struct lcl_hec_level *H = T->state = lcl_calloc(1, sizeof *H);
    if (!H)
        return lcl_fail_memory(log, "a triangular solve");
    if ((st = make_triangle(&H->lower, ctx, schedule, false)) < 0 ||
        (st = make_triangle(&H->upper, ctx, schedule, true)) < 0 ||
        (st = make_vector(H, ctx, schedule->n)) < 0)
        return st;
    T->op.launches = (int)(H->lower.launches + H->upper.launches);
    T->group = H->lower.group;
    if (lcl_context_caps(ctx)->width > 1)
        T->barriers = chained_levels(&H->lower) + chained_levels(&H->upper);
    return LCL_OK;
}

static void destroy(struct lcl_trisolve_method *T)
{
    struct lcl_hec_level *H = T->state;
    if (!H)
        return;
    lcl_hec_triangle_finish(&H->lower);
    lcl_hec_triangle_finish(&H->upper);
    lcl_buffer_destroy(&H->x);
    lcl_free(H);
}

static enum lcl_status update(struct lcl_trisolve_method *T)
{
    const struct lcl_hec_level *H = T->state;
    const enum lcl_status st =
        lcl_hec_triangle_update(&H->lower, T->factor->val);
    return st < 0 ? st : lcl_hec_triangle_update(&H->upper, T->factor->val);
}

static enum lcl_status lower(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_hec_level *H = T->state;
    return lcl_hec_triangle_solve(&H->lower, v, H->x);
}

static enum lcl_status apply(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_hec_level *H = T->state;
    const struct lcl_operands in_place = {
        .x = v->y, .y = v->y, .stop = v->stop, .at = v->at};
    const enum lcl_status st = lower(T, v);
    return st < 0 ? st : lcl_hec_triangle_solve(&H->upper, &in_place, H->x);
}

const struct lcl_trisolve_ops lcl_trisolve_hec_level = {
    .create = create,
    .update = update,
    .apply = apply,
    .lower = lower,
    .destroy = destroy,
};
