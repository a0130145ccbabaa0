// SPDX-License-Identifier: BSD-3-Clause
// The factors in the format of the published triangular solves.
#include "lib/trisolve/published/csr_factors.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/storage/matrix.h"

#include <string.h>

enum { GROUP = 256 }; // minimum work-items per subdomain, if the device allows

// ------------------------------------------------------------------- arrays

// Host copies of the kernels' arrays.
struct triangle {
    uint32_t *row_ptr, *slot;
    uint16_t *row, *col;
    int64_t entries;
    uint32_t *first_level, *level_ptr; // by level
    uint16_t *order;
    int64_t bounds; // length of level_ptr
    uint32_t levels_max;
};

struct arrays {
    uint32_t *part_ptr;
    struct triangle lower, upper;
};

static void triangle_finish(struct triangle *t)
{
    lcl_free(t->row_ptr);
    lcl_free(t->slot);
    lcl_free(t->row);
    lcl_free(t->col);
    lcl_free(t->first_level);
    lcl_free(t->level_ptr);
    lcl_free(t->order);
}

static void arrays_finish(struct arrays *a)
{
    lcl_free(a->part_ptr);
    triangle_finish(&a->lower);
    triangle_finish(&a->upper);
}

static bool triangle_allocate(struct triangle *t,
                              const struct lcl_host_schedule *L)
{
    const size_t slots = (size_t)L->slots;
    *t = (struct triangle){
        .row_ptr = lcl_malloc((size_t)L->n + 1, sizeof *t->row_ptr),
        .slot = lcl_malloc(slots, sizeof *t->slot),
        .row = lcl_malloc(slots, sizeof *t->row),
        .col = lcl_malloc(slots, sizeof *t->col),
    };
    return t->row_ptr && t->slot && t->row && t->col;
}

static enum lcl_status arrays_allocate(struct arrays *a,
                                       const struct lcl_host_schedule *L,
                                       const struct lcl_log *log)
{
    if (lcl_needs_wide(L->slots))
        return lcl_refuse_wide(L->slots, "factors in CSR", log);
    a->part_ptr = lcl_malloc((size_t)L->parts + 1, sizeof *a->part_ptr);
    return a->part_ptr && triangle_allocate(&a->lower, L) &&
                   triangle_allocate(&a->upper, L)
               ? LCL_OK
               : lcl_fail_memory(log, "the factors in CSR");
}

// Appends the entries of a run of slots, without padding.
static void append(struct triangle *t, const struct lcl_host_schedule *L,
                   uint64_t at, uint32_t count, uint32_t stride, uint32_t self)
{
    for (uint32_t k = 0; k < count && L->col[at] != self; ++k, at += stride) {
        t->slot[t->entries] = (uint32_t)at;
        t->row[t->entries] = (uint16_t)self;
        t->col[t->entries++] = L->col[at];
    }
}

static void append_row(struct arrays *a, const struct lcl_host_schedule *L,
                       const struct lcl_part *part, uint32_t self)
{
    const uint32_t i = part->row + self;
    const struct lcl_step *s = &L->step[part->step + L->step_of[i]];
    const uint64_t base = part->slot + self - s->first;
    a->lower.row_ptr[i] = (uint32_t)a->lower.entries;
    a->upper.row_ptr[i] = (uint32_t)a->upper.entries;
    append(&a->lower, L, base + s->lower, s->lower_planes, s->rows, self);
    append(&a->upper, L, base + s->upper + s->rows, s->upper_planes - 1u,
           s->rows, self);
}

static void fill(struct arrays *a, const struct lcl_host_schedule *L)
{
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        a->part_ptr[p] = part->row;
        for (uint32_t r = 0; r < part->rows; ++r)
            append_row(a, L, part, r);
    }
    a->part_ptr[L->parts] = (uint32_t)L->n;
    a->lower.row_ptr[L->n] = (uint32_t)a->lower.entries;
    a->upper.row_ptr[L->n] = (uint32_t)a->upper.entries;
}

// ------------------------------------------------------------------- levels

// level[r] = 0, or 1 + the largest level of the columns of row r. Returns the
// number of levels.
static uint32_t find_levels(uint16_t *level, const struct triangle *t,
                            const struct lcl_part *part, bool upper)
{
    uint32_t levels = 0;
    for (uint32_t k = 0; k < part->rows; ++k) {
        const uint32_t r = upper ? part->rows - 1 - k : k, i = part->row + r;
        uint32_t own = 0;
        for (uint32_t e = t->row_ptr[i]; e < t->row_ptr[i + 1]; ++e)
            if (level[t->col[e]] >= own)
                own = level[t->col[e]] + 1u;
        level[r] = (uint16_t)own;
        if (own >= levels)
            levels = own + 1;
    }
    return levels;
}

// Appends the bounds of the levels of a subdomain and sorts its rows by level.
static void sort_rows(struct triangle *t, const struct lcl_part *part,
                      const uint16_t *level, uint32_t levels)
{
    uint32_t *bound = t->level_ptr + t->bounds;
    memset(bound, 0, (levels + 1) * sizeof *bound);
    for (uint32_t r = 0; r < part->rows; ++r)
        ++bound[level[r] + 1];
    bound[0] = part->row;
    for (uint32_t l = 0; l < levels; ++l)
        bound[l + 1] += bound[l];
    for (uint32_t r = 0; r < part->rows; ++r)
        t->order[bound[level[r]]++] = (uint16_t)r;
    for (uint32_t l = levels; l > 0; --l)
        bound[l] = bound[l - 1];
    bound[0] = part->row;
    t->bounds += levels + 1;
    if (levels > t->levels_max)
        t->levels_max = levels;
}

// Appends the entries of a subdomain in the order of its rows.
static void move_entries(struct triangle *to, const struct triangle *from,
                         const struct lcl_part *part)
{
    for (uint32_t k = part->row; k < part->row + part->rows; ++k) {
        const uint32_t i = part->row + to->order[k];
        to->row_ptr[k] = (uint32_t)to->entries;
        for (uint32_t e = from->row_ptr[i]; e < from->row_ptr[i + 1]; ++e) {
            to->slot[to->entries] = from->slot[e];
            to->row[to->entries] = from->row[e];
            to->col[to->entries++] = from->col[e];
        }
    }
}

static bool sorted_allocate(struct triangle *S,
                            const struct lcl_host_schedule *L)
{
    const size_t n = (size_t)L->n, parts = (size_t)L->parts;
    if (!triangle_allocate(S, L))
        return false;
    S->first_level = lcl_malloc(parts + 1, sizeof *S->first_level);
    S->level_ptr = lcl_malloc(n + parts, sizeof *S->level_ptr);
    S->order = lcl_malloc(n, sizeof *S->order);
    return S->first_level && S->level_ptr && S->order;
}

// Sorts a triangle, whose rows are in their own order, by level.
static enum lcl_status sort_triangle(struct triangle *t,
                                     const struct lcl_host_schedule *L,
                                     bool upper, const struct lcl_log *log)
{
    struct triangle S = {0};
    uint16_t *level = lcl_malloc(UINT16_MAX + 1, sizeof *level);
    const bool ready = level && sorted_allocate(&S, L);
    for (int64_t p = 0; p < L->parts && ready; ++p) {
        const struct lcl_part *part = &L->part[p];
        S.first_level[p] = (uint32_t)S.bounds;
        sort_rows(&S, part, level, find_levels(level, t, part, upper));
        move_entries(&S, t, part);
    }
    lcl_free(level);
    if (!ready) {
        triangle_finish(&S);
        return lcl_fail_memory(log, "the factors in CSR");
    }
    S.first_level[L->parts] = (uint32_t)S.bounds;
    S.row_ptr[L->n] = (uint32_t)S.entries;
    triangle_finish(t);
    *t = S;
    return LCL_OK;
}

// ------------------------------------------------------------------- upload

struct upload {
    lcl_buffer **buffer;
    const void *data;
    int64_t count;
    size_t size;
};

static enum lcl_status upload_all(lcl_context *ctx, const struct upload *all,
                                  size_t count)
{
    enum lcl_status st = LCL_OK;
    for (size_t i = 0; i < count && st == LCL_OK; ++i)
        st =
            lcl_buffer_create_from(all[i].buffer, ctx, all[i].data,
                                   all[i].count, all[i].size, "factors in CSR");
    return st;
}

// Allocates blocks; the kernels write the values.
static enum lcl_status make_blocks(lcl_buffer **buffer, lcl_context *ctx,
                                   int64_t count, int block)
{
    return lcl_buffer_create(buffer, ctx, count,
                             (size_t)(block * block) * sizeof(double),
                             "factors in CSR");
}

static enum lcl_status upload_triangle(struct lcl_csr_triangle *T,
                                       lcl_context *ctx,
                                       const struct triangle *t,
                                       const struct lcl_host_schedule *L,
                                       int block)
{
    const int64_t n = L->n, parts = L->parts;
    const struct upload all[] = {
        {&T->row_ptr, t->row_ptr, n + 1, sizeof *t->row_ptr},
        {&T->row, t->row, t->entries, sizeof *t->row},
        {&T->col, t->col, t->entries, sizeof *t->col},
        {&T->slot, t->slot, t->entries, sizeof *t->slot},
        {&T->level_ptr, t->level_ptr, t->bounds, sizeof *t->level_ptr},
        {&T->first_level, t->first_level, parts + 1, sizeof *t->first_level},
        {&T->order, t->order, n, sizeof *t->order},
    };
    enum { UNSORTED = 4 };
    const enum lcl_status st =
        upload_all(ctx, all, t->order ? sizeof all / sizeof *all : UNSORTED);
    T->entries = t->entries;
    T->levels_max = (int)t->levels_max;
    T->levels_mean = parts ? (double)(t->bounds - parts) / (double)parts : 0;
    return st < 0 ? st : make_blocks(&T->val, ctx, t->entries, block);
}

static enum lcl_status upload_arrays(struct lcl_csr_factors *C,
                                     lcl_context *ctx, const struct arrays *a,
                                     const struct lcl_host_schedule *L)
{
    const struct upload parts = {&C->part_ptr, a->part_ptr, L->parts + 1,
                                 sizeof *a->part_ptr};
    const int block = C->factor->block;
    const int64_t own_d = C->split == LCL_SPLIT_LD_U ? L->n : 0;
    enum lcl_status st;
    if ((st = upload_all(ctx, &parts, 1)) < 0 ||
        (st = upload_triangle(&C->lower, ctx, &a->lower, L, block)) < 0 ||
        (st = upload_triangle(&C->upper, ctx, &a->upper, L, block)) < 0 ||
        (st = make_blocks(&C->inv_d, ctx, L->n, block)) < 0)
        return st;
    return make_blocks(&C->d, ctx, own_d, block);
}

static void buffers_finish(struct lcl_csr_triangle *T)
{
    lcl_buffer_destroy(&T->row_ptr);
    lcl_buffer_destroy(&T->row);
    lcl_buffer_destroy(&T->col);
    lcl_buffer_destroy(&T->slot);
    lcl_buffer_destroy(&T->val);
    lcl_buffer_destroy(&T->first_level);
    lcl_buffer_destroy(&T->level_ptr);
    lcl_buffer_destroy(&T->order);
}

// ------------------------------------------------------------------- factors

// Block size for a spec, where 0 means scalars, which need no #define.
static int block_of(const struct lcl_factor *F)
{
    return F->block > 1 ? F->block : 0;
}

static enum lcl_status get_kernels(struct lcl_csr_factors *C, lcl_context *ctx)
{
    const struct lcl_kernel_plan all[] = {
        {&C->take_entries, "take_entries"},
        {&C->take_diagonal, "take_diagonal"},
        {&C->invert_diagonal, "invert_diagonal"},
        {&C->times_diagonal, "times_diagonal"},
    };
    const struct lcl_spec spec = {
        .source = "csr_factors.cl",
        .group = C->factor->group,
        .block = block_of(C->factor),
    };
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

enum lcl_status lcl_csr_factors_init(struct lcl_csr_factors *C,
                                     lcl_context *ctx,
                                     const struct lcl_factor *factor,
                                     const struct lcl_host_schedule *schedule,
                                     bool by_level, enum lcl_csr_split split)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct arrays a = {0};
    enum lcl_status st;
    *C = (struct lcl_csr_factors){.factor = factor, .split = split};
    if ((st = get_kernels(C, ctx)) < 0 ||
        (st = arrays_allocate(&a, schedule, log)) < 0)
        goto out;
    fill(&a, schedule);
    if (by_level && ((st = sort_triangle(&a.lower, schedule, false, log)) < 0 ||
                     (st = sort_triangle(&a.upper, schedule, true, log)) < 0))
        goto out;
    st = upload_arrays(C, ctx, &a, schedule);
out:
    arrays_finish(&a);
    return st;
}

void lcl_csr_factors_finish(struct lcl_csr_factors *C)
{
    lcl_buffer_destroy(&C->part_ptr);
    lcl_buffer_destroy(&C->inv_d);
    lcl_buffer_destroy(&C->d);
    buffers_finish(&C->lower);
    buffers_finish(&C->upper);
}

// ------------------------------------------------------------------- values

static enum lcl_status gather_entries(const struct lcl_csr_factors *C,
                                      const struct lcl_csr_triangle *T)
{
    const struct lcl_factor *F = C->factor;
    return LCL_LAUNCH(C->take_entries, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->step_of),
                      lcl_arg_buffer(T->row_ptr), lcl_arg_buffer(T->row),
                      lcl_arg_buffer(T->slot), lcl_arg_buffer(F->val),
                      lcl_arg_buffer(T->val));
}

static enum lcl_status gather_diagonal(const struct lcl_csr_factors *C)
{
    const struct lcl_factor *F = C->factor;
    return LCL_LAUNCH(C->take_diagonal, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->step_of),
                      lcl_arg_buffer(F->val), lcl_arg_buffer(C->inv_d));
}

// L_ij = L_ij D_j
static enum lcl_status times_diagonal(const struct lcl_csr_factors *C)
{
    const struct lcl_csr_triangle *L = &C->lower;
    const enum lcl_status st = LCL_LAUNCH(
        C->invert_diagonal, C->factor->parts, lcl_arg_buffer(C->part_ptr),
        lcl_arg_buffer(C->inv_d), lcl_arg_buffer(C->d));
    if (st < 0)
        return st;
    return LCL_LAUNCH(C->times_diagonal, C->factor->parts,
                      lcl_arg_buffer(C->part_ptr), lcl_arg_buffer(L->row_ptr),
                      lcl_arg_buffer(L->col), lcl_arg_buffer(C->d),
                      lcl_arg_buffer(L->val));
}

enum lcl_status lcl_csr_factors_update(const struct lcl_csr_factors *C)
{
    enum lcl_status st;
    if ((st = gather_entries(C, &C->lower)) < 0 ||
        (st = gather_entries(C, &C->upper)) < 0 ||
        (st = gather_diagonal(C)) < 0 || C->split == LCL_SPLIT_L_D_U)
        return st;
    return times_diagonal(C);
}

// ------------------------------------------------------------------- kernels

void lcl_csr_factors_describe(struct lcl_trisolve_method *T,
                              const struct lcl_csr_factors *C)
{
    T->levels_max = C->lower.levels_max;
    T->levels_mean = C->lower.levels_mean;
}

int64_t lcl_csr_factors_rows_most(const struct lcl_caps *caps, int block)
{
    const uint64_t row = (uint64_t)block * sizeof(double);
    const int64_t rows = (int64_t)(caps->local_bytes / row);
    return caps->width == 1 || rows > UINT16_MAX
               ? UINT16_MAX
               : rows - rows % LCL_LOCAL_ROWS_STEP;
}

struct lcl_spec lcl_csr_factors_spec(const struct lcl_caps *caps,
                                     const struct lcl_factor *factor,
                                     const char *source, const char *kernel)
{
    const int64_t rows = lcl_local_rows(factor->rows_max);
    struct lcl_spec spec = {
        .source = source,
        .kernel = kernel,
        .group = factor->group,
        .block = block_of(factor),
        .defines = {{"SUBDOMAIN_ROWS", (int)rows}},
    };
    while (caps->width > 1 && 2 * spec.group <= GROUP &&
           2 * spec.group <= caps->max_group_size)
        spec.group *= 2;
    return spec;
}
