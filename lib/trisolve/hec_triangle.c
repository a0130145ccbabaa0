// SPDX-License-Identifier: BSD-3-Clause
// Sorts a triangular matrix by level, converts it to HEC, solves level by level
// (Chen, Liu, Yang, "Parallel triangular solvers on GPU", Algorithms 1 and 2).
#include "lib/trisolve/hec_triangle.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

#include <string.h>

enum {
    CHAIN_ITEMS = 256,    // work-items of the group that solves thin levels
    CPU_CHAIN_ROWS = 512, // rows of a thin level at width 1
    CPU_ROWS = 128,       // rows of a group at width 1, at least
    LEVELS_AHEAD = 6,     // whose rows wait at a time
};

// ------------------------------------------------------------------- sorting

// The sorted matrix on the host.
struct sorted {
    struct lcl_csr rows;
    uint32_t *source;
};

static void sorted_finish(struct sorted *S)
{
    lcl_csr_finish(&S->rows);
    lcl_free(S->source);
}

static enum lcl_status reorder(struct sorted *S, const struct lcl_csr *L,
                               const int32_t *perm, const uint32_t *source,
                               const struct lcl_log *log)
{
    int64_t *map;
    const enum lcl_status st = lcl_csr_reorder(&S->rows, &map, L, perm, log);
    if (st < 0)
        return st;
    S->source = lcl_malloc((size_t)L->nnz, sizeof *S->source);
    for (int64_t k = 0; k < L->nnz && S->source; ++k)
        S->source[k] = source[map[k]];
    lcl_free(map);
    return S->source ? LCL_OK : lcl_fail_memory(log, "sources of entries");
}

// The transfer map t(i) = n - 1 - i of upper triangular matrices.
static void reverse(int32_t *perm, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        perm[j] = (int32_t)(n - 1 - perm[j]);
}

// ------------------------------------------------------------------- device

static enum lcl_status upload(struct lcl_hec_triangle *T, lcl_context *ctx,
                              const struct sorted *S)
{
    const int64_t n = T->n, nnz = S->rows.nnz;
    const struct lcl_bsr rows = {.rows = n,
                                 .cols = n + 1,
                                 .nnz = nnz,
                                 .block_size = 1,
                                 .row_ptr = S->rows.row_ptr,
                                 .col_ind = S->rows.col_ind};
    enum lcl_status st;
    if ((st = lcl_device_pattern_init(&T->rows, ctx, &rows)) < 0 ||
        (st = lcl_buffer_create(&T->rows.val, ctx, nnz, sizeof(double),
                                "values of sorted rows")) < 0 ||
        (st = lcl_buffer_create_from(&T->source, ctx, S->source, nnz,
                                     sizeof *S->source, "sources of entries")) <
            0 ||
        (st = lcl_buffer_create_from(&T->perm, ctx, T->levels.perm, n,
                                     sizeof *T->levels.perm, "permutation")) <
            0)
        return st;
    return lcl_buffer_create_narrow(&T->level_ptr, ctx, T->levels.level_ptr,
                                    T->levels.levels + 1, "levels");
}

// The diagonal of a row stays in CSR.
static int64_t longest(const struct lcl_csr *rows)
{
    int64_t most = 0;
    for (int64_t i = 0; i < rows->rows; ++i)
        if (rows->row_ptr[i + 1] - rows->row_ptr[i] - 1 > most)
            most = rows->row_ptr[i + 1] - rows->row_ptr[i] - 1;
    return most;
}

static enum lcl_status convert(struct lcl_hec_triangle *T, lcl_context *ctx,
                               const struct lcl_csr *rows, int64_t width)
{
    struct lcl_hec_split split;
    const int64_t most = longest(rows);
    enum lcl_status st =
        lcl_hec_split_init(&split, rows->row_ptr, rows->rows, 1,
                           width < most ? width : most, lcl_context_log(ctx));
    if (st == LCL_OK)
        st = lcl_hec_init(&T->hec, ctx, &T->rows, &split, (int32_t)T->n);
    lcl_hec_split_finish(&split);
    lcl_buffer_destroy(&T->rows.col);
    return st;
}

static int chain_group(const struct lcl_caps *caps)
{
    return lcl_wave_group(caps, CHAIN_ITEMS / caps->width);
}

// Whether volatile loads see the stores of other groups, as on NVIDIA and AMD;
// elsewhere only atomic operations do.
static bool sees_stores(const struct lcl_caps *caps)
{
    return caps->exchange == LCL_EXCHANGE_NV_PTX ||
           caps->exchange == LCL_EXCHANGE_AMD;
}

// Whether levels are better one launch: a launch takes longer than the rows of
// a level wait.
static bool may_wait(const struct lcl_hec_triangle *T,
                     const struct lcl_caps *caps)
{
    return caps->width > 1 && caps->progress != LCL_PROGRESS_NONE &&
           T->levels.levels > 2 && (caps->int64_atomics || sees_stores(caps));
}

// Divides each level into waves.
static int64_t list_waves(uint32_t *wave_ptr, const struct lcl_levels *L,
                          int width)
{
    int64_t waves = 0;
    for (int64_t l = 0; l < L->levels; ++l)
        for (int64_t j = L->level_ptr[l]; j < L->level_ptr[l + 1]; j += width)
            wave_ptr[waves++] = (uint32_t)j;
    wave_ptr[waves] = (uint32_t)L->n;
    return waves;
}

static enum lcl_status make_waves(struct lcl_hec_triangle *T, lcl_context *ctx)
{
    const int width = lcl_context_caps(ctx)->width;
    const int64_t most = T->n / width + T->levels.levels + 1;
    uint32_t *wave_ptr = lcl_malloc((size_t)most, sizeof *wave_ptr);
    if (!wave_ptr)
        return lcl_fail_memory(lcl_context_log(ctx), "waves of levels");
    T->waves = (int32_t)list_waves(wave_ptr, &T->levels, width);
    enum lcl_status st = lcl_buffer_create_from(
        &T->wave_ptr, ctx, wave_ptr, T->waves + 1, sizeof *wave_ptr, "waves");
    lcl_free(wave_ptr);
    return st < 0 ? st
                  : lcl_buffer_create(&T->ticket, ctx, 1, sizeof(int32_t),
                                      "a ticket");
}

static enum lcl_status get_waiting_kernels(struct lcl_hec_triangle *T,
                                           lcl_context *ctx)
{
    struct lcl_spec spec = {
        .source = "hec_level.cl",
        .kernel = "hec_begin",
        .group = T->group,
        .wide = T->rows.wide,
    };
    const enum lcl_status st = lcl_kernel_get(&T->begin, ctx, &spec);
    spec.kernel = "hec_wait";
    lcl_spec_set(&spec, "ATOMIC_WAITS", !sees_stores(lcl_context_caps(ctx)));
    return st < 0 ? st : lcl_kernel_get(&T->wait, ctx, &spec);
}

static int64_t chained_rows(const struct lcl_caps *caps)
{
    return caps->width > 1 ? chain_group(caps) : CPU_CHAIN_ROWS;
}

static enum lcl_status plan(struct lcl_hec_triangle *T, lcl_context *ctx,
                            bool few_launches)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    enum lcl_status st =
        lcl_levels_plan(&T->levels, few_launches ? chained_rows(caps) : 0,
                        lcl_context_log(ctx));
    if (st < 0 || !few_launches || !may_wait(T, caps))
        return st;
    if ((st = make_waves(T, ctx)) < 0 || (st = get_waiting_kernels(T, ctx)) < 0)
        return st;
    T->waits = true;
    return LCL_OK;
}

static enum lcl_status get_kernels(struct lcl_hec_triangle *T, lcl_context *ctx,
                                   bool few_launches)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = {
        .source = "hec_level.cl",
        .kernel = "hec_take",
        .group = lcl_vector_group(caps),
        .wide = T->rows.wide,
    };
    enum lcl_status st;
    T->group = spec.group;
    if ((st = lcl_kernel_get(&T->take, ctx, &spec)) < 0)
        return st;
    spec.kernel = "hec_level";
    if ((st = lcl_kernel_get(&T->level, ctx, &spec)) < 0 || !few_launches)
        return st;
    spec.kernel = "hec_chain";
    spec.group = chain_group(caps);
    return lcl_kernel_get(&T->chain, ctx, &spec);
}

enum lcl_status lcl_hec_triangle_init(struct lcl_hec_triangle *T,
                                      lcl_context *ctx, const struct lcl_csr *L,
                                      const uint32_t *source,
                                      const struct lcl_hec_triangle_params *p)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct sorted S = {.source = NULL};
    enum lcl_status st;
    *T = (struct lcl_hec_triangle){.n = L->rows};
    if ((st = get_kernels(T, ctx, p->few_launches)) < 0 ||
        (st = lcl_levels_init(&T->levels, L->rows, L->row_ptr, L->col_ind,
                              log)) < 0 ||
        (st = reorder(&S, L, T->levels.perm, source, log)) < 0)
        goto out;
    if (p->reversed)
        reverse(T->levels.perm, T->n);
    if ((st = upload(T, ctx, &S)) < 0 ||
        (st = convert(T, ctx, &S.rows, p->width)) < 0)
        goto out;
    st = plan(T, ctx, p->few_launches);
out:
    sorted_finish(&S);
    return st;
}

void lcl_hec_triangle_finish(struct lcl_hec_triangle *T)
{
    lcl_levels_finish(&T->levels);
    lcl_hec_finish(&T->hec);
    lcl_device_matrix_finish(&T->rows);
    lcl_buffer_destroy(&T->source);
    lcl_buffer_destroy(&T->perm);
    lcl_buffer_destroy(&T->level_ptr);
    lcl_buffer_destroy(&T->wave_ptr);
    lcl_buffer_destroy(&T->ticket);
    *T = (struct lcl_hec_triangle){.n = 0};
}

// ------------------------------------------------------------------- use

enum lcl_status lcl_hec_triangle_update(const struct lcl_hec_triangle *T,
                                        const lcl_buffer *slot_val)
{
    const enum lcl_status st =
        LCL_LAUNCH(T->take, T->rows.groups, lcl_arg_long(T->n),
                   lcl_arg_buffer(T->rows.row_ptr), lcl_arg_buffer(T->source),
                   lcl_arg_buffer(slot_val), lcl_arg_buffer(T->rows.val));
    return st < 0 ? st : lcl_hec_update(&T->hec, &T->rows);
}

static int64_t groups_of(const struct lcl_hec_triangle *T,
                         const struct lcl_level_launch *P)
{
    const int each = T->group > 1 ? T->group : CPU_ROWS;
    return P->chained ? 1
                      : lcl_launch_groups(lcl_level_rows(&T->levels, P->first),
                                          each, T->group);
}

static enum lcl_status solve_levels(const struct lcl_hec_triangle *T,
                                    const struct lcl_level_launch *P,
                                    const struct lcl_operands *v, lcl_buffer *x)
{
    const struct lcl_hec *H = &T->hec;
    return LCL_LAUNCH(P->chained ? T->chain : T->level, groups_of(T, P),
                      lcl_arg_buffer(T->level_ptr), lcl_arg_int(P->first),
                      lcl_arg_int(P->levels), lcl_arg_int((int32_t)H->width),
                      lcl_arg_long(H->stride), lcl_arg_buffer(H->ell_col),
                      lcl_arg_buffer(H->ell_val), lcl_arg_buffer(H->csr_ptr),
                      lcl_arg_buffer(H->csr_col), lcl_arg_buffer(H->csr_val),
                      lcl_arg_buffer(T->perm), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// Number of groups of rows that wait at a time. Each slows down the groups that
// need not wait: on an H200 a quarter to an eighth of the groups that fill it
// is best.
static int64_t waiting_groups(const struct lcl_hec_triangle *T)
{
    const int64_t full = T->rows.groups,
                  rows = LEVELS_AHEAD * (T->n / T->levels.levels),
                  groups = rows / T->group, least = full / 8 + 1,
                  most = full / 4 + 1;
    return groups < least ? least : groups > most ? most : groups;
}

static enum lcl_status solve_waiting(const struct lcl_hec_triangle *T,
                                     const struct lcl_operands *v,
                                     lcl_buffer *x)
{
    const struct lcl_hec *H = &T->hec;
    const enum lcl_status st = LCL_LAUNCH(
        T->begin, T->rows.groups, lcl_arg_long(T->n), lcl_arg_buffer(x),
        lcl_arg_buffer(T->ticket), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    if (st < 0)
        return st;
    return LCL_LAUNCH(T->wait, waiting_groups(T), lcl_arg_buffer(T->wave_ptr),
                      lcl_arg_int(T->waves), lcl_arg_int((int32_t)H->width),
                      lcl_arg_long(H->stride), lcl_arg_buffer(H->ell_col),
                      lcl_arg_buffer(H->ell_val), lcl_arg_buffer(H->csr_ptr),
                      lcl_arg_buffer(H->csr_col), lcl_arg_buffer(H->csr_val),
                      lcl_arg_buffer(T->perm), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(T->ticket), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

enum lcl_status lcl_hec_triangle_solve(const struct lcl_hec_triangle *T,
                                       const struct lcl_operands *v,
                                       lcl_buffer *x)
{
    enum lcl_status st = LCL_OK;
    if (T->waits)
        return solve_waiting(T, v, x);
    for (int64_t k = 0; k < T->levels.launches && st == LCL_OK; ++k)
        st = solve_levels(T, &T->levels.launch[k], v, x);
    return st;
}
