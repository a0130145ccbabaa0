// SPDX-License-Identifier: BSD-3-Clause
// The inverses of the dense diagonal blocks of a sparse matrix on the device.
#include "lib/dense/block_inverse.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/bgje.h"
#include "lib/dense/slab.h"
#include "lib/matrix/bsr.h"
#include "lib/spmv/autotune.h"

#include <levelcl/published.h>

#include "cl/dense/block_jacobi.cl.h"

// SLAB_ROWS: rows per slab if a wave has one lane. SLOTS: columns of a block
// that are loaded at once.
enum {
    SLAB_ROWS = 32,
    SLOTS = LCL_SLAB_SLACK,
    WAVES = 4,
    MAX_GROUPS = 1 << 20
};

static int power_of_two(int least)
{
    int power = 1;
    while (power < least)
        power *= 2;
    return power;
}

// ------------------------------------------------------------------- geometry

static bool is_adaptive(const struct lcl_block_inverse *V)
{
    return V->params.storage == LCL_FACTOR_STORAGE_ADAPTIVE;
}

static bool is_sparse(const struct lcl_block_inverse *V)
{
    return V->params.apply == LCL_BLOCK_APPLY_SPMV;
}

// Whether values are stored row by row, each block on its own.
static bool is_by_rows(const struct lcl_block_inverse *V)
{
    return V->params.apply != LCL_BLOCK_APPLY_SLAB;
}

// Lanes per slab.
static int lanes_of(const struct lcl_block_inverse *V)
{
    const int width = lcl_context_caps(V->ctx)->width;
    const int rows = power_of_two(V->rows_max);
    const int lanes = width == 1 ? SLAB_ROWS : width;
    if (is_by_rows(V))
        return rows < width ? rows : width;
    return rows > lanes ? rows : lanes;
}

// Whether the inversion is that of BGJE, one padded block per wave.
static bool is_padded(const struct lcl_block_inverse *V)
{
    return V->params.extraction == LCL_BLOCK_EXTRACTION_CACHED ||
           V->params.extraction == LCL_BLOCK_EXTRACTION_SHARED_QUADRATIC ||
           V->params.extraction == LCL_BLOCK_EXTRACTION_SHARED;
}

// Lanes per block during the inversion.
static int lanes_of_block(const struct lcl_block_inverse *V)
{
    const int width = lcl_context_caps(V->ctx)->width;
    const int rows = power_of_two(V->rows_max);
    return is_padded(V) || rows > width ? width : rows;
}

static int group_of_product(const struct lcl_block_inverse *V)
{
    const struct lcl_caps *caps = lcl_context_caps(V->ctx);
    const int group = lcl_wave_group(caps, WAVES), lanes = lanes_of(V);
    if (caps->width == 1)
        return 1;
    return lanes > caps->width ? lanes : group;
}

// ------------------------------------------------------------------- kernels

// How the kernel extracts the blocks.
static int extraction_of(const struct lcl_block_inverse *V)
{
    const bool alone = lcl_context_caps(V->ctx)->width == 1; // no local memory
    const int shared = alone ? LCL_EXTRACTION_CACHED : LCL_EXTRACTION_SHARED;
    const int extractions[LCL_BLOCK_EXTRACTION_COUNT] = {
        [LCL_BLOCK_EXTRACTION_CACHED] = LCL_EXTRACTION_CACHED,
        [LCL_BLOCK_EXTRACTION_SHARED_QUADRATIC] =
            alone ? LCL_EXTRACTION_CACHED : LCL_EXTRACTION_SHARED_QUADRATIC,
        [LCL_BLOCK_EXTRACTION_SHARED] = shared,
        [LCL_BLOCK_EXTRACTION_SHARED_MPW] = shared,
        [LCL_BLOCK_EXTRACTION_BISECT] = LCL_EXTRACTION_BISECT,
    };
    return extractions[V->params.extraction];
}

static struct lcl_spec inversion(const struct lcl_block_inverse *V)
{
    const struct lcl_device_matrix *A = V->A;
    const struct lcl_caps *caps = lcl_context_caps(V->ctx);
    const int rows = V->rows_max;
    return (struct lcl_spec){
        .source = "block_jacobi.cl",
        .kernel = "block_jacobi",
        .group = caps->width,
        .block = is_padded(V) ? lcl_bgje_padded(caps, rows) : rows,
        .wide = A->wide,
        .defines = {{"MATRIX_BLOCK", A->block},
                    {"LANES_PER_BLOCK", lanes_of_block(V)},
                    {"ROWS_MAX", rows},
                    {"EXTRACTION", extraction_of(V)},
                    {"NORMS", is_adaptive(V)}},
    };
}

static struct lcl_spec product(const struct lcl_block_inverse *V)
{
    const bool cpu = lcl_context_caps(V->ctx)->width == 1;
    const int chunks = (V->rows_max + SLOTS - 1) / SLOTS;
    return (struct lcl_spec){
        .source = "block_apply.cl",
        .kernel = "block_apply",
        .group = group_of_product(V),
        .block = is_by_rows(V) ? V->rows_max : 0,
        .storage = (int)V->params.storage,
        .defines = {{"SLAB_LANES", lanes_of(V)},
                    {"BY_ROWS", is_by_rows(V)},
                    {"VALUES_AT_ONCE",
                     cpu ? SLOTS : (V->rows_max + chunks - 1) / chunks}},
    };
}

static enum lcl_status get_kernels(struct lcl_block_inverse *V)
{
    struct lcl_spec spec = inversion(V);
    enum lcl_status st = lcl_kernel_get(&V->invert, V->ctx, &spec);
    if (st < 0 || is_sparse(V))
        return st;
    spec = product(V);
    if ((st = lcl_kernel_get(&V->product, V->ctx, &spec)) < 0 ||
        !is_adaptive(V))
        return st;
    spec.kernel = "block_narrow";
    return lcl_kernel_get(&V->narrow, V->ctx, &spec);
}

static void find_groups(struct lcl_block_inverse *V)
{
    const struct lcl_caps *caps = lcl_context_caps(V->ctx);
    const int groups = lcl_vector_groups(caps);
    const int64_t teams = caps->width / lanes_of_block(V);
    const int64_t slabs = group_of_product(V) / lanes_of(V);
    const int64_t waves = (V->blocks + teams - 1) / teams;
    if (caps->width == 1) {
        V->invert_groups = V->product_groups = groups;
        return;
    }
    V->invert_groups = waves < MAX_GROUPS ? waves : MAX_GROUPS;
    V->product_groups = (V->slabs + slabs - 1) / slabs;
}

// ------------------------------------------------------------------- buffers

static size_t value_bytes(enum lcl_factor_storage storage)
{
    return storage == LCL_FACTOR_STORAGE_FP32   ? 4
           : storage == LCL_FACTOR_STORAGE_BF16 ? 2
                                                : 8;
}

static enum lcl_status upload(struct lcl_block_inverse *V,
                              const struct lcl_diagonal_blocks *blocks,
                              const struct lcl_slabs *slabs)
{
    lcl_context *ctx = V->ctx;
    enum lcl_status st;
    if ((st = lcl_buffer_create_from(&V->ptr, ctx, blocks->ptr, V->blocks + 1,
                                     sizeof *blocks->ptr,
                                     "pointers of diagonal blocks")) < 0 ||
        (st = lcl_buffer_create_from(&V->slab_of, ctx, slabs->of_block,
                                     V->blocks, sizeof *slabs->of_block,
                                     "slabs of diagonal blocks")) < 0)
        return st;
    return lcl_buffer_create_from(&V->slab, ctx, slabs->slab, V->slabs,
                                  sizeof *slabs->slab, "slabs");
}

static enum lcl_status make_buffers(struct lcl_block_inverse *V)
{
    const struct lcl_buffer_plan all[] = {
        {&V->bad, V->blocks, sizeof(int32_t), "flags of diagonal blocks"},
        {&V->counts, 1, sizeof(struct lcl_block_counts), "block counts"},
        {&V->norms, is_adaptive(V) ? 2 * V->blocks : 0, sizeof(double),
         "norms of diagonal blocks"},
        {&V->inverse, is_sparse(V) ? 0 : V->values + LCL_SLAB_SLACK,
         value_bytes(V->params.storage), "inverses of diagonal blocks"},
    };
    return lcl_buffers_create(V->ctx, all, sizeof all / sizeof *all);
}

// Fills the pattern of D^-1, full blocks, row by row.
static void fill_pattern(struct lcl_bsr *P,
                         const struct lcl_diagonal_blocks *blocks)
{
    int64_t k = 0;
    P->row_ptr[0] = 0;
    for (int64_t p = 0; p < blocks->count; ++p)
        for (int32_t i = blocks->ptr[p]; i < blocks->ptr[p + 1]; ++i) {
            for (int32_t j = blocks->ptr[p]; j < blocks->ptr[p + 1]; ++j)
                P->col_ind[k++] = j;
            P->row_ptr[i + 1] = k;
        }
}

static enum lcl_status make_sparse(struct lcl_block_inverse *V,
                                   const struct lcl_diagonal_blocks *blocks)
{
    const int64_t n = V->A->n;
    struct lcl_bsr P = {
        .rows = n,
        .cols = n,
        .nnz = V->values,
        .block_size = 1,
        .row_ptr = lcl_malloc((size_t)n + 1, sizeof *P.row_ptr),
        .col_ind = lcl_malloc((size_t)V->values, sizeof *P.col_ind),
        .val = lcl_calloc((size_t)V->values, sizeof *P.val),
    };
    enum lcl_status st;
    if (P.row_ptr && P.col_ind && P.val) {
        fill_pattern(&P, blocks);
        st = lcl_device_matrix_init(&V->sparse, V->ctx, &P);
        if (st == LCL_OK)
            st = lcl_spmv_init(&V->with_sparse, LCL_SPMV_CSR, V->ctx,
                               &V->sparse);
    } else
        st = lcl_fail_memory(lcl_context_log(V->ctx), "the block inverse");
    lcl_free(P.row_ptr);
    lcl_free(P.col_ind);
    lcl_free(P.val);
    return st;
}

// ------------------------------------------------------------------- interface

static void apply_params(struct lcl_block_inverse *V,
                         const struct lcl_block_inverse_params *params)
{
    V->params = *params;
    if (V->params.extraction == LCL_BLOCK_EXTRACTION_DEFAULT)
        V->params.extraction = LCL_BLOCK_EXTRACTION_BISECT;
    if (V->params.apply == LCL_BLOCK_APPLY_DEFAULT)
        V->params.apply = LCL_BLOCK_APPLY_SLAB;
    if (V->params.storage == LCL_FACTOR_STORAGE_DEFAULT)
        V->params.storage = LCL_FACTOR_STORAGE_FP64;
}

static enum lcl_status make(struct lcl_block_inverse *V,
                            const struct lcl_diagonal_blocks *blocks)
{
    const enum lcl_factor_storage storage =
        is_adaptive(V) ? LCL_FACTOR_STORAGE_FP64 : V->params.storage;
    struct lcl_slabs slabs;
    enum lcl_status st =
        lcl_slabs_init(&slabs, blocks, is_by_rows(V) ? 0 : lanes_of(V), storage,
                       lcl_context_log(V->ctx));
    if (st < 0)
        return st;
    V->slabs = slabs.count;
    V->values = slabs.values;
    find_groups(V);
    if ((st = get_kernels(V)) == LCL_OK &&
        (st = upload(V, blocks, &slabs)) == LCL_OK &&
        (st = make_buffers(V)) == LCL_OK && is_sparse(V))
        st = make_sparse(V, blocks);
    lcl_slabs_finish(&slabs);
    return st;
}

enum lcl_status lcl_block_inverse_init(
    struct lcl_block_inverse *V, const struct lcl_device_matrix *A,
    lcl_context *ctx, const struct lcl_diagonal_blocks *blocks,
    const struct lcl_block_inverse_params *params)
{
    *V = (struct lcl_block_inverse){.ctx = ctx,
                                    .A = A,
                                    .blocks = blocks->count,
                                    .rows_max = blocks->rows_max};
    apply_params(V, params);
    if (is_sparse(V) && V->params.storage != LCL_FACTOR_STORAGE_FP64)
        return lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                        "block apply spmv supports factor storage fp64 only, "
                        "not %s",
                        lcl_factor_storage_name(V->params.storage));
    const enum lcl_status st = make(V, blocks);
    if (st < 0)
        lcl_block_inverse_finish(V);
    return st;
}

void lcl_block_inverse_finish(struct lcl_block_inverse *V)
{
    lcl_spmv_finish(&V->with_sparse);
    lcl_device_matrix_finish(&V->sparse);
    lcl_buffer_destroy(&V->inverse);
    lcl_buffer_destroy(&V->counts);
    lcl_buffer_destroy(&V->bad);
    lcl_buffer_destroy(&V->norms);
    lcl_buffer_destroy(&V->slab);
    lcl_buffer_destroy(&V->slab_of);
    lcl_buffer_destroy(&V->ptr);
}

static const lcl_buffer *values_of(const struct lcl_block_inverse *V)
{
    return is_sparse(V) ? V->sparse.val : V->inverse;
}

enum lcl_status lcl_block_inverse_run(struct lcl_block_inverse *V)
{
    const struct lcl_device_matrix *A = V->A;
    const int storage =
        is_adaptive(V) ? LCL_FACTOR_STORAGE_FP64 : (int)V->params.storage;
    enum lcl_status st = lcl_buffer_fill(V->counts, 0);
    if (st < 0)
        return st;
    st = LCL_LAUNCH(V->invert, V->invert_groups, lcl_arg_long(V->blocks),
                    lcl_arg_buffer(V->ptr), lcl_arg_buffer(V->slab_of),
                    lcl_arg_buffer(V->slab), lcl_arg_buffer(A->row_ptr),
                    lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                    lcl_arg_int(storage), lcl_arg_int(is_by_rows(V)),
                    lcl_arg_buffer(values_of(V)), lcl_arg_buffer(V->norms),
                    lcl_arg_buffer(V->bad), lcl_arg_buffer(V->counts));
    if (st < 0 || !is_adaptive(V))
        return st;
    return LCL_LAUNCH(V->narrow, V->slabs, lcl_arg_buffer(V->slab),
                      lcl_arg_buffer(V->inverse), lcl_arg_buffer(V->norms),
                      lcl_arg_buffer(V->counts));
}

enum lcl_status lcl_block_inverse_counts(const struct lcl_block_inverse *V,
                                         struct lcl_block_counts *counts)
{
    return lcl_buffer_read(V->counts, counts, sizeof *counts);
}

enum lcl_status lcl_block_inverse_bad_rows(const struct lcl_block_inverse *V,
                                           int64_t *rows, int most)
{
    const size_t bytes = (size_t)V->blocks * sizeof(int32_t);
    int32_t *bad = lcl_malloc((size_t)V->blocks, sizeof *bad);
    int32_t *ptr = lcl_malloc((size_t)V->blocks, sizeof *ptr);
    enum lcl_status st;
    int found = 0;
    if (!bad || !ptr)
        st = lcl_fail_memory(lcl_context_log(V->ctx), "block flags");
    else if ((st = lcl_buffer_read(V->bad, bad, bytes)) == LCL_OK)
        st = lcl_buffer_read(V->ptr, ptr, bytes);
    for (int64_t p = 0; st == LCL_OK && p < V->blocks && found < most; ++p)
        if (bad[p])
            rows[found++] = (int64_t)ptr[p] + bad[p] - 1;
    lcl_free(bad);
    lcl_free(ptr);
    return st;
}

enum lcl_status lcl_block_inverse_apply(const struct lcl_block_inverse *V,
                                        const struct lcl_operands *v)
{
    if (is_sparse(V))
        return lcl_multiply(&V->with_sparse, LCL_APPLY, v);
    return LCL_LAUNCH(V->product, V->product_groups, lcl_arg_long(V->slabs),
                      lcl_arg_buffer(V->slab), lcl_arg_buffer(V->inverse),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

uint64_t lcl_block_inverse_bytes(const struct lcl_block_inverse *V)
{
    if (is_sparse(V))
        return lcl_buffer_bytes(V->sparse.val) +
               lcl_buffer_bytes(V->sparse.col) +
               lcl_buffer_bytes(V->sparse.row_ptr);
    return lcl_buffer_bytes(V->inverse) + lcl_buffer_bytes(V->slab);
}
