// SPDX-License-Identifier: BSD-3-Clause
// The boundary rows of a distributed Kronecker operator.
#include "lib/kron/boundary.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/kron/pairs.h"
#include "lib/storage/matrix.h"

static const char what[] = "block rows at the boundary of a rank";

// ------------------------------------------------------------------- blocks

// of[k] = the block of R at the position of entry k of the boundary rows.
static void find_blocks(int64_t *of, const struct lcl_halo_plan *P,
                        const struct lcl_rows *R, const struct lcl_rows *both)
{
    for (int64_t r = 0; r < P->boundary; ++r) {
        const int64_t end = R->row_ptr[P->row[r] + 1];
        int64_t at = R->row_ptr[P->row[r]];
        const int64_t *col = both->col + P->start[r] - P->ptr[r];
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k) {
            const bool has = at < end && R->col[at] == col[k];
            of[k] = has ? at++ : -1;
        }
    }
}

static enum lcl_status map_blocks(struct lcl_kron_boundary *B,
                                  const struct lcl_halo_plan *P,
                                  const struct lcl_kron_rows *K,
                                  const struct lcl_rows *both,
                                  const struct lcl_log *log)
{
    B->of_m = lcl_malloc((size_t)P->entries, sizeof *B->of_m);
    B->of_l = lcl_malloc((size_t)P->entries, sizeof *B->of_l);
    if (!B->of_m || !B->of_l)
        return lcl_fail_memory(log, what);
    find_blocks(B->of_m, P, K->M, both);
    find_blocks(B->of_l, P, K->L, both);
    return LCL_OK;
}

// ------------------------------------------------------------------- creation

static enum lcl_status create_buffers(struct lcl_kron_boundary *B,
                                      lcl_context *ctx,
                                      const struct lcl_halo_plan *P, int block)
{
    enum lcl_status st;
    if ((st = lcl_buffer_create(&B->val, ctx, 2 * P->entries * (block * block),
                                sizeof(double), what)) < 0 ||
        (st = lcl_buffer_create_from(&B->row, ctx, P->row, P->boundary,
                                     sizeof *P->row, what)) < 0 ||
        (st = lcl_buffer_create_from(&B->col, ctx, P->col, P->entries,
                                     sizeof *P->col, what)) < 0)
        return st;
    return lcl_buffer_create_narrow(&B->row_ptr, ctx, P->ptr, P->boundary + 1,
                                    what);
}

static enum lcl_status get_kernel(struct lcl_kron_boundary *B, lcl_context *ctx,
                                  const struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    const struct lcl_halo_layout *L = &H->layout;
    const struct lcl_spec spec = {
        .source = "kron_halo.cl",
        .kernel = "kron_halo",
        .block = L->block,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .defines = {{"STAGES", L->stages},
                    {"LANES_PER_ROW",
                     1 << lcl_row_shift(ctx, P->mean * L->block)}},
    };
    return lcl_kernel_get(&B->kernel, ctx, &spec);
}

enum lcl_status lcl_kron_boundary_init(struct lcl_kron_boundary *B,
                                       const struct lcl_halo *H,
                                       const struct lcl_kron_rows *K,
                                       const struct lcl_rows *both)
{
    lcl_context *ctx = H->space.ctx;
    const struct lcl_log *log = &H->space.comm->log;
    const struct lcl_halo_plan *P = &H->plan;
    const int block = H->layout.block;
    enum lcl_status st;
    if (lcl_needs_wide(P->entries * block))
        return lcl_refuse_wide(P->entries, what, log);
    if ((st = map_blocks(B, P, K, both, log)) < 0 ||
        (st = create_buffers(B, ctx, P, block)) < 0)
        return st;
    return get_kernel(B, ctx, H);
}

void lcl_kron_boundary_finish(struct lcl_kron_boundary *B)
{
    lcl_buffer **const all[] = {&B->row, &B->row_ptr, &B->col, &B->val};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    lcl_free(B->of_m);
    lcl_free(B->of_l);
}

uint64_t lcl_kron_boundary_bytes(const struct lcl_kron_boundary *B)
{
    return lcl_buffer_bytes(B->row) + lcl_buffer_bytes(B->row_ptr) +
           lcl_buffer_bytes(B->col) + lcl_buffer_bytes(B->val);
}

// ------------------------------------------------------------------- use

struct filling {
    const struct lcl_kron_boundary *B;
    struct lcl_bsr M, L; // values only
};

// An lcl_fill_fn whose elements are the interleaved values of one block.
static void fill(void *arg, int64_t first, int64_t count, void *to)
{
    const struct filling *f = arg;
    const int64_t pair = (int64_t)(lcl_pairs_size(&f->M) / sizeof(double));
    double *out = to;
    for (int64_t k = first; k < first + count; ++k, out += pair) {
        lcl_pairs_put(out, &f->M, f->B->of_m[k]);
        lcl_pairs_put(out + 1, &f->L, f->B->of_l[k]);
    }
}

enum lcl_status lcl_kron_boundary_update(struct lcl_kron_boundary *B,
                                         const struct lcl_kron_rows *K)
{
    struct filling f = {
        B,
        {.block_size = K->block_size, .val = K->M->val},
        {.block_size = K->block_size, .val = K->L->val},
    };
    return lcl_buffer_fill_by(B->val, lcl_pairs_size(&f.M), fill, &f);
}

enum lcl_status lcl_kron_boundary_apply(const struct lcl_kron_boundary *B,
                                        const struct lcl_halo *H,
                                        const lcl_buffer *coef,
                                        const struct lcl_operands *v)
{
    const struct lcl_halo_plan *P = &H->plan;
    const struct lcl_halo_layout *own = &H->layout, *far = &H->ghost_layout;
    if (P->boundary == 0)
        return LCL_OK;
    return LCL_LAUNCH(B->kernel, H->space.groups, lcl_arg_long(P->boundary),
                      lcl_arg_buffer(B->row), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(B->val),
                      lcl_arg_buffer(coef), lcl_arg_long(P->rows),
                      lcl_arg_long(own->by_row), lcl_arg_long(own->by_stage),
                      lcl_arg_buffer(v->x), lcl_arg_long(far->by_row),
                      lcl_arg_long(far->by_stage), lcl_arg_buffer(H->ghost),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}
