// SPDX-License-Identifier: BSD-3-Clause
// Set-up of block-Jacobi in one launch: extracts each diagonal block of a
// sparse matrix into registers, inverts it (bgje.cl.h) and stores the inverse.
// EXTRACTION (block_jacobi.cl.h), after Anzt et al., section 3.2:
//     CACHED  each lane walks along its own row
//     SHARED  all lanes of the wave read a row side by side and put the entries
//             of the block into local memory, one row of the block at a time;
//             each lane takes its column, so that the kernel inverts the
//             transpose and stores the result transposed
//     SHARED_QUADRATIC  its first version: block and inverse go through local
//             memory as a whole, of which each lane has its row
//     BISECT  as CACHED, but finds the first column of the block by bisection:
//             long rows cost little
// The first three are published with one block per wave, padded to 32 rows;
// SHARED with LANES_PER_BLOCK below the wave width as shared_mpw.
//
// Data:   the matrix in CSR, or in blocks of MATRIX_BLOCK rows as in bsr.cl;
//         block p has the rows ptr[p] .. ptr[p + 1] - 1; the inverse as in
//         slab.cl.h or, one slab per block, by rows. norms[2 p],
//         norms[2 p + 1]: maximum norms of block p and its inverse, 1-norms
//         with SHARED; the latter is NaN if there is no inverse.
// Repair: the inverse of a block without a finite inverse is replaced by that
//         of its diagonal, with 1 for entries that have no finite inverse;
//         bad[p] is then the row at which the failure was seen, counted from 1,
//         otherwise 0; *bad_count counts these blocks.
// Launch: one wave per group, at width 1 one work-item; any number of groups.
// Determinism: bitwise.
#include "bgje.cl.h"
#include "block_jacobi.cl.h"
#include "index.cl.h"
#include "slab.cl.h"
#include "stored.cl.h"

#ifndef EXTRACTION
# define EXTRACTION LCL_EXTRACTION_BISECT
#endif
#ifndef ROWS_MAX
# define ROWS_MAX LCL_BLOCK // rows of the largest block, at most LCL_BLOCK
#endif
#ifndef NORMS
# define NORMS 0 // 1: computes ||D|| and ||D^-1||
#endif
#define TRANSPOSED (EXTRACTION == LCL_EXTRACTION_SHARED && LCL_WIDTH > 1)
#define WHOLE      (EXTRACTION == LCL_EXTRACTION_SHARED_QUADRATIC && LCL_WIDTH > 1)

#ifndef MATRIX_BLOCK
# define MATRIX_BLOCK 1 // rows and columns of a block of the matrix
#endif

#define TEAMS (LCL_WIDTH / LANES_PER_BLOCK) // blocks per wave

#if LCL_WIDTH == 1
# define UNROLL
#else
# define UNROLL _Pragma("unroll")
#endif

struct matrix {
    global const index_t *row_ptr;
    global const int *col;
    global const double *val;
};

struct diagonal_block {
    uint first, rows; // rows = 0: no block
};

static inline void find_block(struct diagonal_block *D, global const int *ptr,
                              long blocks, long p)
{
    D->first = p < blocks ? ptr[p] : 0;
    D->rows = p < blocks ? ptr[p + 1] - ptr[p] : 0;
}

// ---------------------------------------------------------------- rows

// The entries of a row in the blocks k .. end - 1 of its block row.
struct entries {
    index_t k, end;
    uint row; // in its block row
};

static inline void open_row(struct entries *e, const struct matrix *A, uint i)
{
    const uint block_row = i / MATRIX_BLOCK;
    e->k = A->row_ptr[block_row];
    e->end = A->row_ptr[block_row + 1];
    e->row = i - block_row * MATRIX_BLOCK;
}

static inline double entry(const struct matrix *A, const struct entries *e,
                           uint column)
{
    const ulong row = (ulong)e->k * MATRIX_BLOCK + e->row;
    return A->val[row * MATRIX_BLOCK + column];
}

static inline bool is_at(const struct matrix *A, const struct entries *e,
                         int column)
{
    return e->k < e->end && A->col[e->k] == column;
}

// Advances to the first block in or after a block column.
static inline void seek(const struct matrix *A, struct entries *e, int column,
                        bool bisect)
{
    index_t high = e->end;
    while (bisect && high - e->k > 4) {
        const index_t middle = e->k + (high - e->k) / 2;
        if (A->col[middle] < column)
            e->k = middle + 1;
        else
            high = middle;
    }
    while (e->k < e->end && A->col[e->k] < column)
        ++e->k;
}

static inline double diagonal(const struct matrix *A, uint i)
{
    struct entries e;
    open_row(&e, A, i);
    seek(A, &e, i / MATRIX_BLOCK, true);
    return is_at(A, &e, i / MATRIX_BLOCK) ? entry(A, &e, e.row) : 0.0;
}

// ---------------------------------------------------------------- extraction

static inline void clear(local double *stage, uint count)
{
    GROUP_BARRIER();
    for (uint j = get_local_id(0); j < count; j += LCL_GROUP)
        stage[j] = 0;
    GROUP_BARRIER();
}

// Copies the entries of row i of a block to local memory, `step` apart.
static inline void stage_row(const struct matrix *A,
                             const struct diagonal_block *D, uint i, uint step,
                             local double *stage)
{
    struct entries e;
    open_row(&e, A, D->first + i);
    const index_t start = e.k;
    const ulong count = (ulong)(e.end - start) * MATRIX_BLOCK;
    for (ulong at = get_local_id(0); at < count; at += LCL_GROUP) {
        const ulong block = at / MATRIX_BLOCK;
        const uint column = at - block * MATRIX_BLOCK;
        e.k = start + block;
        const uint j = A->col[e.k] * MATRIX_BLOCK + column - D->first;
        if (j < D->rows)
            stage[j * step] = entry(A, &e, column);
    }
}

#if TRANSPOSED

// Loads the columns of the block of each team of lanes; `first` is the block of
// the first team.
INLINE void extract_shared(bgje_real (*a)[LCL_BLOCK], const struct matrix *A,
                           global const int *ptr, long blocks, long first,
                           local double *stage)
{
    const uint team = get_local_id(0) / LANES_PER_BLOCK;
# ifndef LCL_EXCHANGE_LOCAL
#  pragma unroll
# endif
    for (uint i = 0; i < ROWS_MAX; ++i)
        for (uint t = 0; t < TEAMS; ++t) {
            struct diagonal_block D;
            find_block(&D, ptr, blocks, first + t);
            clear(stage, ROWS_MAX);
            if (i < D.rows)
                stage_row(A, &D, i, 1, stage);
            GROUP_BARRIER();
# pragma unroll
            for (uint s = 0; s < BGJE_SLOTS; ++s) {
                const uint j = bgje_row(s);
                const bool inside = i < D.rows && j < D.rows;
                if (team == t)
                    a[s][i] = inside ? stage[j] : i == j;
            }
        }
# pragma unroll
    for (uint i = ROWS_MAX; i < LCL_BLOCK; ++i)
# pragma unroll
        for (uint s = 0; s < BGJE_SLOTS; ++s)
            a[s][i] = i == bgje_row(s);
}

#elif WHOLE

// Loads the rows of a block, whose columns are ROWS_MAX apart in local memory:
// neighbouring lanes read neighbouring entries.
INLINE void extract_whole(bgje_real (*a)[LCL_BLOCK], const struct matrix *A,
                          const struct diagonal_block *D, local double *stage)
{
    clear(stage, ROWS_MAX * ROWS_MAX);
    for (ASCENDING(i, D->rows))
        stage_row(A, D, i, ROWS_MAX, stage + i);
    GROUP_BARRIER();
# pragma unroll
    for (uint j = 0; j < LCL_BLOCK; ++j)
# pragma unroll
        for (uint s = 0; s < BGJE_SLOTS; ++s) {
            const uint i = bgje_row(s);
            const bool inside = i < D->rows && j < D->rows;
            a[s][j] = inside ? stage[j * ROWS_MAX + i] : i == j;
        }
}

#else

// Loads a row of the block; the columns of a matrix row ascend.
INLINE void extract_row(bgje_real *a, const struct matrix *A,
                        const struct diagonal_block *D, uint row)
{
    struct entries e = {0, 0, 0};
    int block_column = D->first / MATRIX_BLOCK;
    uint column = D->first - (uint)block_column * MATRIX_BLOCK;
    if (row < D->rows) {
        open_row(&e, A, D->first + row);
        seek(A, &e, block_column, EXTRACTION == LCL_EXTRACTION_BISECT);
    }
    UNROLL
    for (uint j = 0; j < BGJE_COLUMNS(D->rows); ++j) {
        const bool stored = j < D->rows && is_at(A, &e, block_column);
        const bool beyond = j >= D->rows || row >= D->rows;
        a[j] = stored ? entry(A, &e, column) : beyond && row == j;
        if (++column == MATRIX_BLOCK) {
            column = 0;
            ++block_column;
            e.k += stored;
        }
    }
}
#endif

// ---------------------------------------------------------------- insertion

// Destination of the inverse of a block: entry (i, j) is value i di + j dj of
// the array at `value`.
struct target {
    global void *value;
    uint storage, di, dj;
};

static inline void find_target(struct target *X,
                               global const struct lcl_slab *s, uint first,
                               uint storage, int by_rows, global uchar *inverse)
{
    const ulong value = s->value + (first - s->row);
    X->value = inverse + value * lcl_stored_bytes(storage);
    X->storage = storage;
    X->di = by_rows ? s->rows : 1;
    X->dj = by_rows ? 1 : s->rows;
}

// Stores the inverse of a block of m rows.
INLINE void insert(bgje_real (*a)[LCL_BLOCK], uint m,
                   const struct bgje_places *to, const struct target *X,
                   local double *scratch)
{
    const uint di = TRANSPOSED ? X->dj : X->di, dj = TRANSPOSED ? X->di : X->dj;
    UNROLL
    for (uint j = 0; j < BGJE_COLUMNS(m); ++j) {
        const uint column = bgje_column(to, j, scratch);
        UNROLL
        for (uint s = 0; s < BGJE_ROWS(m); ++s)
            if (to->row[s] < m && column < m)
                lcl_stored_put(X->value, X->storage,
                               to->row[s] * di + column * dj, a[s][j]);
    }
}

#if WHOLE

// The same through local memory: neighbouring lanes store neighbouring entries.
INLINE void insert_whole(bgje_real (*a)[LCL_BLOCK], uint m,
                         const struct bgje_places *to, const struct target *X,
                         local double *stage, local double *scratch)
{
    GROUP_BARRIER();
# pragma unroll
    for (uint j = 0; j < LCL_BLOCK; ++j) {
        const uint column = bgje_column(to, j, scratch);
# pragma unroll
        for (uint s = 0; s < BGJE_SLOTS; ++s)
            if (to->row[s] < m && column < m)
                stage[column * ROWS_MAX + to->row[s]] = a[s][j];
    }
    GROUP_BARRIER();
    for (uint e = get_local_id(0); e < m * m; e += LCL_GROUP) {
        const uint q = e / m, p = e - q * m; // oclgrind has no freeze for e % m
        const uint i = X->di == 1 ? p : q, j = X->di == 1 ? q : p;
        lcl_stored_put(X->value, X->storage, i * X->di + j * X->dj,
                       stage[j * ROWS_MAX + i]);
    }
}

#endif

// Stores the inverse of the block's diagonal instead.
static inline void insert_diagonal(const struct matrix *A,
                                   const struct diagonal_block *D,
                                   const struct target *X)
{
    for (DOWNWARDS(s, BGJE_ROWS(D->rows))) {
        const uint i = bgje_row(s);
        if (i >= D->rows)
            continue;
        const double inverse = bgje_reciprocal(diagonal(A, D->first + i));
        const bool sound = bgje_sound(inverse);
        for (DOWNWARDS(j, D->rows))
            lcl_stored_put(X->value, X->storage, i * X->di + j * X->dj,
                           i != j  ? 0.0
                           : sound ? inverse
                                   : 1.0);
    }
}

// ---------------------------------------------------------------- blocks

// Inverts the block in `a`. Returns 0, or the row, counted from 1, at which it
// failed.
INLINE uint invert(bgje_real (*a)[LCL_BLOCK], uint m, struct bgje_places *to,
                   double *norms, local double *scratch)
{
    bgje_start(to);
    if (NORMS)
        norms[0] = bgje_norm(a, m, to, scratch);
    const uint steps = wave_largest(m, LCL_WIDTH, scratch);
    const uint failed = bgje_invert(a, steps, to, scratch);
    if (NORMS)
        norms[1] = bgje_norm(a, m, to, scratch);
    return min(failed, m);
}

WORK_GROUP
kernel void block_jacobi(long blocks, global const int *ptr,
                         global const uint *slab_of,
                         global const struct lcl_slab *slab,
                         global const index_t *row_ptr, global const int *col,
                         global const double *val, int storage, int by_rows,
                         global uchar *inverse, global double *norms,
                         global int *bad, global int *bad_count)
{
    local double scratch[BGJE_SCRATCH];
#if TRANSPOSED
    local double stage[ROWS_MAX];
#elif WHOLE
    local double stage[ROWS_MAX * ROWS_MAX];
#endif
    const struct matrix A = {row_ptr, col, val};
#if LCL_WIDTH == 1
    for (RANGE(p, blocks)) {
#else
    for (long first = (long)get_group_id(0) * TEAMS; first < blocks;
         first += (long)get_num_groups(0) * TEAMS) {
        const long p = first + get_local_id(0) / LANES_PER_BLOCK;
#endif
        struct diagonal_block D;
        find_block(&D, ptr, blocks, p);
        bgje_real a[BGJE_SLOTS][LCL_BLOCK];
        struct bgje_places to;
        double norm[2] = {0, 0};
#if TRANSPOSED
        extract_shared(a, &A, ptr, blocks, first, stage);
#elif WHOLE
        extract_whole(a, &A, &D, stage);
#else
    UNROLL
    for (uint s = 0; s < BGJE_ROWS(D.rows); ++s)
        extract_row(a[s], &A, &D, bgje_row(s));
#endif
        const uint failed = invert(a, D.rows, &to, norm, scratch);
        struct target X = {0};
        if (D.rows > 0)
            find_target(&X, slab + slab_of[p], D.first, storage, by_rows,
                        inverse);
        if (failed)
            insert_diagonal(&A, &D, &X);
#if WHOLE
        insert_whole(a, failed ? 0 : D.rows, &to, &X, stage, scratch);
#else
        insert(a, failed ? 0 : D.rows, &to, &X, scratch);
#endif
        if (D.rows > 0 && get_local_id(0) % LANES_PER_BLOCK == 0) {
            bad[p] = failed;
            if (failed)
                atomic_inc(bad_count);
            if (NORMS) {
                norms[2 * p] = norm[0];
                norms[2 * p + 1] = norm[1] + (failed ? NAN : 0.0);
            }
        }
    }
}
