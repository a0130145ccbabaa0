// SPDX-License-Identifier: BSD-3-Clause
// The published level-scheduled solve in HEC, hec_level, of the factors of all
// subdomains as of one matrix, and hec_wait, the same in fewer launches.
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

static enum lcl_status allocate(struct triangle *M,
                                const struct lcl_host_pattern *H,
                                const struct lcl_log *log)
{
    const size_t n = (size_t)H->rows, entries = (size_t)H->nnz;
    M->rows = (struct lcl_csr){
        .rows = H->rows,
        .cols = H->rows,
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

static void append(struct triangle *M, int32_t col, uint32_t slot)
{
    struct lcl_csr *A = &M->rows;
    A->col_ind[A->nnz] = M->upper ? (int32_t)(A->rows - 1 - col) : col;
    M->source[A->nnz++] = slot;
}

// Appends row i, columns ascending, the diagonal last.
static void append_row(struct triangle *M, const struct lcl_host_pattern *H,
                       int64_t i)
{
    if (M->upper) {
        int64_t k = H->row_ptr[i + 1];
        while (H->col[--k] > i)
            append(M, H->col[k], (uint32_t)k);
        append(M, (int32_t)i, (uint32_t)k);
    } else {
        for (int64_t k = H->row_ptr[i]; H->col[k] < i; ++k)
            append(M, H->col[k], (uint32_t)k);
        append(M, (int32_t)i, LCL_PADDING);
    }
}

static enum lcl_status make_triangle(struct lcl_hec_triangle *T,
                                     lcl_context *ctx,
                                     const struct lcl_host_pattern *H,
                                     const struct lcl_hec_triangle_params *p)
{
    const bool upper = p->reversed;
    struct triangle M = {.upper = upper};
    enum lcl_status st = allocate(&M, H, lcl_context_log(ctx));
    if (st == LCL_OK) {
        for (int64_t i = 0; i < H->rows; ++i) {
            M.rows.row_ptr[i] = M.rows.nnz;
            append_row(&M, H, upper ? H->rows - 1 - i : i);
        }
        M.rows.row_ptr[H->rows] = M.rows.nnz;
        st = lcl_hec_triangle_init(T, ctx, &M.rows, M.source, p);
    }
    triangle_finish(&M);
    return st;
}

// ------------------------------------------------------------------- method

static int launches(const struct lcl_hec_triangle *T)
{
    return T->waits ? 2 : (int)T->levels.launches;
}

static int chained_levels(const struct lcl_hec_triangle *T)
{
    int levels = 0;
    if (T->waits)
        return 0;
    for (int64_t k = 0; k < T->levels.launches; ++k)
        levels += T->levels.launch[k].chained ? T->levels.launch[k].levels : 0;
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
                              const struct lcl_host_factor *host)
{
    const struct lcl_host_pattern *pattern = &host->pattern;
    const struct lcl_hec_triangle_params lower = {
        .width = host->hec_width,
        .few_launches = T->name == LCL_TRISOLVE_HEC_WAIT};
    struct lcl_hec_triangle_params upper = lower;
    enum lcl_status st;
    struct lcl_hec_level *H = T->state = lcl_calloc(1, sizeof *H);
    if (!H)
        return lcl_fail_memory(lcl_context_log(ctx), "a triangular solve");
    upper.reversed = true;
    if ((st = make_triangle(&H->lower, ctx, pattern, &lower)) < 0 ||
        (st = make_triangle(&H->upper, ctx, pattern, &upper)) < 0 ||
        (st = make_vector(H, ctx, pattern->rows)) < 0)
        return st;
    T->op.launches = launches(&H->lower) + launches(&H->upper);
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

// Their vectors stay in global memory.
static int64_t rows_most(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block)
{
    (void)name, (void)caps, (void)block;
    return INT32_MAX;
}

const struct lcl_trisolve_ops lcl_trisolve_hec_level = {
    .rows_most = rows_most,
    .create = create,
    .update = update,
    .apply = apply,
    .lower = lower,
    .destroy = destroy,
};
