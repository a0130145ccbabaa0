// SPDX-License-Identifier: BSD-3-Clause
// The published fused apply dag_vc_ILDU0_fused on CSR factors.
#include "lib/trisolve/trisolve.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/vector.h"

struct dag_vc {
    struct lcl_vector_ops vector;
    lcl_kernel *kernel;
    int64_t entries; // off the diagonal
    lcl_buffer *part_ptr, *first_level, *level_ptr, *row_ptr, *col, *val;
    lcl_buffer *slot; // entries: where the packed factor holds the value
};

// The host side of the arrays that the kernel reads.
struct arrays {
    uint32_t *part_ptr, *first_level, *level_ptr, *row_ptr, *slot;
    int32_t *col;
    int64_t levels, entries;
};

static void arrays_finish(struct arrays *a)
{
    lcl_free(a->part_ptr);
    lcl_free(a->first_level);
    lcl_free(a->level_ptr);
    lcl_free(a->row_ptr);
    lcl_free(a->slot);
    lcl_free(a->col);
}

static enum lcl_status arrays_allocate(struct arrays *a,
                                       const struct lcl_layout *L,
                                       const struct lcl_log *log)
{
    const size_t n = (size_t)L->n, parts = (size_t)L->parts;
    if (L->slots > UINT32_MAX)
        return lcl_fail(log, LCL_ERANGE, "%lld slots: at most 2^32 - 1 here",
                        (long long)L->slots);
    *a = (struct arrays){
        .part_ptr = lcl_malloc(parts + 1, sizeof *a->part_ptr),
        .first_level = lcl_malloc(parts + 1, sizeof *a->first_level),
        .level_ptr = lcl_malloc(n + parts, sizeof *a->level_ptr),
        .row_ptr = lcl_malloc(n + 1, sizeof *a->row_ptr),
        .slot = lcl_malloc((size_t)L->slots, sizeof *a->slot),
        .col = lcl_malloc((size_t)L->slots, sizeof *a->col),
    };
    return a->part_ptr && a->first_level && a->level_ptr && a->row_ptr &&
                   a->slot && a->col
               ? LCL_OK
               : lcl_fail_memory(log, "the factors in CSR");
}

// Entries of a run of slots, padding left out.
static void append(struct arrays *a, const struct lcl_layout *L, uint64_t at,
                   uint32_t count, uint32_t stride, uint32_t self)
{
    for (uint32_t k = 0; k < count && L->col[at] != self; ++k, at += stride) {
        a->slot[a->entries] = (uint32_t)at;
        a->col[a->entries++] = L->col[at];
    }
}

static void append_row(struct arrays *a, const struct lcl_layout *L,
                       const struct lcl_part *part, uint32_t self)
{
    const uint32_t i = part->row + self;
    const struct lcl_step *s = &L->step[part->step + L->step_of[i]];
    const uint64_t base = part->slot + self - s->first;
    a->row_ptr[i] = (uint32_t)a->entries;
    append(a, L, base + s->lower, s->lower_planes, s->rows, self);
    append(a, L, base + s->upper + s->rows, s->upper_planes - 1u, s->rows,
           self);
}

static void fill(struct arrays *a, const struct lcl_layout *L,
                 const int32_t *level)
{
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        a->part_ptr[p] = part->row;
        a->first_level[p] = (uint32_t)a->levels;
        for (uint32_t r = 0; r < part->rows; ++r) {
            const uint32_t i = part->row + r;
            if (r == 0 || level[i] != level[i - 1])
                a->level_ptr[a->levels++] = i;
            append_row(a, L, part, r);
        }
        a->level_ptr[a->levels++] = part->row + part->rows;
    }
    a->part_ptr[L->parts] = (uint32_t)L->n;
    a->first_level[L->parts] = (uint32_t)a->levels;
    a->row_ptr[L->n] = (uint32_t)a->entries;
}

static enum lcl_status upload(struct dag_vc *T, lcl_context *ctx,
                              const struct arrays *a,
                              const struct lcl_layout *L)
{
    const struct {
        lcl_buffer **buffer;
        const void *data;
        int64_t count;
    } words[] = {
        {&T->part_ptr, a->part_ptr, L->parts + 1},
        {&T->first_level, a->first_level, L->parts + 1},
        {&T->level_ptr, a->level_ptr, a->levels},
        {&T->row_ptr, a->row_ptr, L->n + 1},
        {&T->slot, a->slot, a->entries},
        {&T->col, a->col, a->entries},
    };
    enum lcl_status st = LCL_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words && st == LCL_OK; ++i)
        st = lcl_buffer_create_from(words[i].buffer, ctx, words[i].data,
                                    words[i].count, 4, "factors in CSR");
    T->entries = a->entries;
    return st < 0 ? st
                  : lcl_buffer_create(&T->val, ctx, a->entries, sizeof(double),
                                      "factors in CSR");
}

static enum lcl_status get_kernel(struct dag_vc *D, lcl_context *ctx,
                                  const struct lcl_factor *F)
{
    const struct lcl_spec spec = {
        .source = "dag_vc_ILDU0_fused.cl",
        .kernel = "dag_vc_ILDU0_fused",
        .group = F->group,
        .rows = (int)(F->rows_max + 127) / 128 * 128,
    };
    return lcl_kernel_get(&D->kernel, ctx, &spec);
}

static int64_t most_levels(const struct arrays *a, int64_t parts)
{
    int64_t most = 0;
    for (int64_t p = 0; p < parts; ++p) {
        const int64_t end = p + 1 < parts ? a->first_level[p + 1] : a->levels;
        if (end - a->first_level[p] - 1 > most)
            most = end - a->first_level[p] - 1;
    }
    return most;
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_layout *layout,
                              const int32_t *level)
{
    struct arrays a = {0};
    enum lcl_status st;
    struct dag_vc *D = T->state = lcl_calloc(1, sizeof *D);
    if (!D)
        return lcl_fail_memory(lcl_context_log(ctx), "a triangular solve");
    if ((st = get_kernel(D, ctx, T->factor)) < 0 ||
        (st = lcl_vector_ops_init(&D->vector, ctx, 1)) < 0 ||
        (st = arrays_allocate(&a, layout, lcl_context_log(ctx))) < 0)
        goto out;
    fill(&a, layout, level);
    T->launches = 1;
    if (T->factor->group > 1)
        T->barriers = 2 + 2 * (int)most_levels(&a, layout->parts);
    st = upload(D, ctx, &a, layout);
out:
    arrays_finish(&a);
    return st;
}

static void destroy(struct lcl_trisolve_method *T)
{
    struct dag_vc *D = T->state;
    if (!D)
        return;
    lcl_buffer **const buffers[] = {
        &D->part_ptr, &D->first_level, &D->level_ptr, &D->row_ptr,
        &D->slot,     &D->col,         &D->val};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(D);
}

static enum lcl_status update(struct lcl_trisolve_method *T)
{
    struct dag_vc *D = T->state;
    return lcl_gather(&D->vector, D->entries, D->slot, T->factor->val, D->val);
}

static enum lcl_status apply(const struct lcl_trisolve_method *T,
                             const lcl_buffer *b, lcl_buffer *x,
                             const lcl_buffer *stop, int at)
{
    const struct dag_vc *D = T->state;
    return LCL_LAUNCH(D->kernel, T->factor->parts, lcl_arg_buffer(D->part_ptr),
                      lcl_arg_buffer(D->first_level),
                      lcl_arg_buffer(D->level_ptr), lcl_arg_buffer(D->row_ptr),
                      lcl_arg_buffer(D->col), lcl_arg_buffer(D->val),
                      lcl_arg_buffer(T->factor->inv_d), lcl_arg_buffer(b),
                      lcl_arg_buffer(x), lcl_arg_buffer(stop), lcl_arg_int(at));
}

const struct lcl_trisolve_ops lcl_trisolve_dag_vc_ILDU0_fused = {
    create, update, apply, destroy};
