// SPDX-License-Identifier: BSD-3-Clause
// x = D^-1 b for dense diagonal blocks of different sizes, and the formats of
// their values:
//     block_apply: batched gemv. A lane has its entry of b in a register. By
//                  columns, one lane per row: it reads the entries of the other
//                  lanes of its block. With BY_ROWS as sa_spmv of Anzt,
//                  Dongarra, Flegar, Quintana-Orti, Parallel Computing 81
//                  (2019), section 3.3: the lanes of a block read a row side by
//                  side and add up its products
//     block_narrow: converts each slab in place to a format chosen by the
//                  condition of its blocks (Anzt, Dongarra, Flegar, Higham,
//                  Quintana-Orti, "Adaptive precision in block-Jacobi
//                  preconditioning for iterative sparse linear system solvers",
//                  2019): a format of unit roundoff u is accurate enough if
//                  ||D|| ||D^-1|| u < 0.1 for all blocks; formats with less
//                  range than double must also represent ||D^-1|| and values
//                  down to u ||D^-1||. Maximum norms.
//
// Data:   slab.cl.h; with BY_ROWS one slab per block of at most LCL_BLOCK rows,
//         whose value i m + j is entry (i, j). norms[p] = (||D||, ||D^-1||) of
//         block p, the second NaN if the values of the block are not an
//         inverse.
// Launch: block_apply: SLAB_LANES lanes per slab, with BY_ROWS at most a wave,
//         at width 1 any number of groups; block_narrow: one group per slab; it
//         adds the numbers of blocks in float and in bf16 to counts[1] and
//         counts[2].
// Determinism: bitwise, for any number of groups.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "slab.cl.h"
#include "stored.cl.h"
#include "wave.cl.h"

#ifndef SLAB_LANES
# define SLAB_LANES LCL_WIDTH // maximum rows of a slab, power of two
#endif
#ifndef BY_ROWS
# define BY_ROWS 0 // 1: a slab is one block, stored by rows
#endif
#ifndef LCL_BLOCK
# define LCL_BLOCK 4 // rows of the largest block, with BY_ROWS
#endif
#ifndef VALUES_AT_ONCE
# define VALUES_AT_ONCE 4 // loads in flight: of a row, at width 1 of a column
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // enum lcl_factor_storage
#endif
#define FP64     LCL_STORED_FP64
#define FP32     LCL_STORED_FP32
#define BF16     LCL_STORED_BF16
#define ADAPTIVE 4

#if LCL_STORAGE == ADAPTIVE
# define STORAGE_OF(s) ((s)->storage)
#else
# define STORAGE_OF(s) LCL_STORAGE
#endif

#define SLAB_ROWS (BY_ROWS ? LCL_BLOCK : SLAB_LANES)

// The block that contains a row of a slab: its first row, and its columns.
struct place {
    uint first, columns;
};

static inline void find_place(struct place *block, const struct lcl_slab *s,
                              uint row)
{
    const ulong before = s->starts & ~0UL >> (63 - row);
    const ulong after = row < 63 ? s->starts >> (row + 1) : 0;
    const uint end = after ? row + 64 - clz(after & -after) : s->rows;
    block->first = 63 - clz(before);
    block->columns = end - block->first;
}

// ---------------------------------------------------------------- products

#if BY_ROWS

# define ENTRIES ((LCL_BLOCK + SLAB_LANES - 1) / SLAB_LANES) // of b, per lane

// Products of a lane's columns with its entries of b, for row i of a block.
INLINE double own_products(const struct lcl_slab *s, uint i, uint lane,
                           global const void *a, const double *b)
{
    double sum = 0;
# pragma unroll
    for (uint k = 0; k < ENTRIES; ++k) {
        const uint j = k * SLAB_LANES + lane;
        if (i < s->rows && j < s->rows)
            sum += lcl_stored_get(a, STORAGE_OF(s), i * s->rows + j) * b[k];
    }
    return sum;
}

INLINE void multiply(const struct lcl_slab *s, uint lane, global const void *a,
                     global const double *b, global double *x,
                     local double *scratch)
{
    double own[ENTRIES];
# pragma unroll
    for (uint k = 0; k < ENTRIES; ++k) {
        const uint j = k * SLAB_LANES + lane;
        own[k] = j < s->rows ? b[s->row + j] : 0.0;
    }
    const uint steps = wave_steps(s->rows, LCL_BLOCK, scratch);
    for (ASCENDING(i, steps)) {
        const double sum =
            wave_sum(own_products(s, i, lane, a, own), SLAB_LANES, scratch);
        if (lane == 0 && i < s->rows)
            x[s->row + i] = sum;
    }
}

WORK_GROUP
kernel void block_apply(long slabs, global const struct lcl_slab *slab,
                        global const uchar *val, global const double *b,
                        global double *x, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
# if LCL_WIDTH == 1
    for (RANGE(p, slabs)) {
# else
    {
        const long p = get_global_id(0) / SLAB_LANES;
# endif
        struct lcl_slab s = {.rows = 0};
        if (p < slabs)
            s = slab[p];
        multiply(&s, get_local_id(0) % SLAB_LANES,
                 val + s.value * lcl_stored_bytes(LCL_STORAGE), b, x, scratch);
    }
}

#elif LCL_WIDTH == 1

// x = D^-1 b for the blocks of a slab, one after the other. It always sums up
// VALUES_AT_ONCE rows at once and drops the rows beyond the block.
INLINE void multiply_slab(const struct lcl_slab *s, uint storage,
                          global const void *a, global const double *b,
                          global double *x)
{
    struct place block;
    b += s->row;
    x += s->row;
    for (uint row = 0, end; row < s->rows;
         row = min(row + VALUES_AT_ONCE, end)) {
        find_place(&block, s, row);
        end = block.first + block.columns;
        double sum[VALUES_AT_ONCE];
        for (uint c = 0; c < VALUES_AT_ONCE; ++c)
            sum[c] = 0;
        for (uint j = 0; j < block.columns; ++j)
            for (uint c = 0; c < VALUES_AT_ONCE; ++c)
                sum[c] += lcl_stored_get(a, storage, j * s->rows + row + c) *
                          b[block.first + j];
        for (uint c = 0; c < VALUES_AT_ONCE && row + c < end; ++c)
            x[row + c] = sum[c];
    }
}

static inline void multiply(const struct lcl_slab *s, global const void *a,
                            global const double *b, global double *x)
{
    const uint storage = STORAGE_OF(s);
    if (storage == FP32)
        multiply_slab(s, FP32, a, b, x);
    else if (storage == BF16)
        multiply_slab(s, BF16, a, b, x);
    else
        multiply_slab(s, FP64, a, b, x);
}

WORK_GROUP
kernel void block_apply(long slabs, global const struct lcl_slab *slab,
                        global const uchar *val, global const double *b,
                        global double *x, global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(i, slabs)) {
        const struct lcl_slab s = slab[i];
        multiply(&s, val + s.value * lcl_stored_bytes(LCL_STORAGE), b, x);
    }
}

#else

// A row of D^-1 times b, whose entries are on the lanes. Rows beyond the slab
// have a block without columns.
INLINE double row_times(const struct lcl_slab *s, uint storage, uint row,
                        const struct place *block, global const void *a,
                        double b, local const double *scratch)
{
    const uint team = get_local_id(0) - row;
    double sum = 0;
    for (uint j = 0; j < s->columns; j += VALUES_AT_ONCE) {
        double part[VALUES_AT_ONCE];
        for (uint c = 0; c < VALUES_AT_ONCE; ++c)
            part[c] = j + c < block->columns
                          ? lcl_stored_get(a, storage, (j + c) * s->rows + row)
                          : 0.0;
        for (uint c = 0; c < VALUES_AT_ONCE; ++c) {
            const uint item = team + (block->first + j + c) % SLAB_LANES;
            const double b_j = item_value(b, item, scratch);
            if (j + c < block->columns)
                sum += part[c] * b_j;
        }
    }
    return sum;
}

static inline double multiply(const struct lcl_slab *s, uint row,
                              const struct place *block, global const void *a,
                              double b, local const double *scratch)
{
    const uint storage = STORAGE_OF(s);
    if (storage == FP32)
        return row_times(s, FP32, row, block, a, b, scratch);
    if (storage == BF16)
        return row_times(s, BF16, row, block, a, b, scratch);
    return row_times(s, FP64, row, block, a, b, scratch);
}

WORK_GROUP
kernel void block_apply(long slabs, global const struct lcl_slab *slab,
                        global const uchar *val, global const double *b,
                        global double *x, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    const long i = get_global_id(0) / SLAB_LANES;
    const uint row = get_local_id(0) % SLAB_LANES;
    struct lcl_slab s = {.rows = 0, .columns = 0};
    struct place block = {0, 0};
    double b_row = 0;
    if (i < slabs)
        s = slab[i];
    if (stop[at])
        return;
    if (row < s.rows) {
        b_row = b[s.row + row];
        find_place(&block, &s, row);
    }
    item_share(b_row, scratch);
    const double sum =
        multiply(&s, row, &block, val + s.value * lcl_stored_bytes(LCL_STORAGE),
                 b_row, scratch);
    if (row < s.rows)
        x[s.row + row] = sum;
}
#endif

// ---------------------------------------------------------------- formats

#if LCL_STORAGE == ADAPTIVE

static inline bool admits(double2 norms, double roundoff)
{
    return norms.x * norms.y * roundoff < 0.1 && norms.y < 0x1p127 &&
           norms.y * roundoff > 0x1p-126;
}

static inline uint format_of(double2 norms)
{
    if (admits(norms, 0x1p-8))
        return BF16;
    return admits(norms, 0x1p-24) ? FP32 : FP64;
}

// The narrowest format accurate enough for all blocks of a slab: formats with
// fewer bits have larger numbers.
static inline uint format_of_slab(const struct lcl_slab *s,
                                  global const double2 *norms)
{
    const uint blocks = popcount(s->starts);
    uint format = BF16;
    for (uint p = 0; p < blocks; ++p)
        format = min(format, format_of(norms[s->block + p]));
    return format;
}

// Reads all values of a column before it writes any; the write overlaps no
// column that is still to be read.
static inline void narrow_column(const struct lcl_slab *s, uint j, uint format,
                                 global void *a)
{
    double v[(SLAB_ROWS + LCL_GROUP - 1) / LCL_GROUP];
    struct place block;
    uint count = 0;
    for (uint row = get_local_id(0); row < s->rows; row += LCL_GROUP) {
        find_place(&block, s, row);
        v[count++] = j < block.columns
                         ? lcl_stored_get(a, FP64, j * s->rows + row)
                         : 0.0;
    }
    GROUP_BARRIER_GLOBAL();
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    count = 0;
    for (uint row = get_local_id(0); row < s->rows; row += LCL_GROUP)
        lcl_stored_put(a, format, j * s->rows + row, v[count++]);
}

WORK_GROUP
kernel void block_narrow(global struct lcl_slab *slab, global uchar *val,
                         global const double2 *norms, global int *counts)
{
    const struct lcl_slab s = slab[get_group_id(0)];
    const uint format = format_of_slab(&s, norms);
    GROUP_BARRIER_GLOBAL();
    if (get_local_id(0) == 0) {
        slab[get_group_id(0)].storage = format;
        if (format != FP64)
            atomic_add(&counts[format - FP64], (int)popcount(s.starts));
    }
    if (format == FP64)
        return;
    for (uint j = 0; j < s.columns; ++j)
        narrow_column(&s, j, format,
                      val + s.value * lcl_stored_bytes(LCL_STORAGE));
}
#endif
