// SPDX-License-Identifier: BSD-3-Clause
// The product C = A B of sparse matrices in CSR, columns ascending. Row i of C
// merges the rows of B that row i of A names: each lane keeps its place in some
// of them, and the lanes of the row agree on the smallest next column.
//     spgemm_count     number of entries of each row of C
//     spgemm_fill      columns and values of C
//     spgemm_values    values of C, whose columns are known
//     spgemm_products  partial sums of the numbers of products a_ik b_kj
//
// Data:   mark: only at width 1, `cols` integers for each group, all -1.
// Launch: groups of one wave, spgemm_products of any size; any number of
//         groups. LANES_PER_ROW lanes share a row.
// Determinism: bitwise for a given number of lanes, which add up their parts of
//              a sum in a fixed order.
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif
// Rows of B in which a lane keeps its place, LCL_GROUP apart from each other;
// it searches in further ones.
#define PLACES 8

#define COUNT  0
#define FILL   1
#define VALUES 2

struct matrix {
    global const uint *ptr;
    global const int *col;
    global const double *val;
};

// First place of col[from] .. col[to-1], ascending, whose column is at least c.
static inline uint place_of(global const int *col, uint from, uint to, int c)
{
    while (from < to) {
        const uint middle = from + (to - from) / 2;
        if (col[middle] < c)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

#if LCL_WIDTH == 1

// Appends the columns of row i of C at c_col, in any order; returns their
// number. mark[c] >= 0: column c is there.
static inline uint collect(struct matrix A, struct matrix B, long i,
                           global int *c_col, global int *mark)
{
    uint found = 0;
    for (uint k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
        for (uint e = B.ptr[A.col[k]]; e < B.ptr[A.col[k] + 1]; ++e)
            if (mark[B.col[e]] < 0) {
                mark[B.col[e]] = 0;
                c_col[found++] = B.col[e];
            }
    return found;
}

// Runs of sorted columns are merged by moving the larger ones behind.
static inline void sort_columns(global int *col, uint count)
{
    for (uint gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (uint k = gap; k < count; ++k) {
            const int c = col[k];
            uint at = k;
            for (; at >= gap && col[at - gap] > c; at -= gap)
                col[at] = col[at - gap];
            col[at] = c;
        }
}

// c_ij of one row, whose columns are known.
static inline void add_products(struct matrix A, struct matrix B, long i,
                                uint count, global const int *c_col,
                                global double *c, global int *mark)
{
    for (uint o = 0; o < count; ++o) {
        mark[c_col[o]] = (int)o;
        c[o] = 0;
    }
    for (uint k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
        for (uint e = B.ptr[A.col[k]]; e < B.ptr[A.col[k] + 1]; ++e)
            c[mark[B.col[e]]] += A.val[k] * B.val[e];
}

static inline void unmark(uint count, global const int *c_col, global int *mark)
{
    for (uint o = 0; o < count; ++o)
        mark[c_col[o]] = -1;
}

// The number of columns of row i, which it marks and unmarks.
static inline uint count_columns(struct matrix A, struct matrix B, long i,
                                 global int *mark)
{
    uint found = 0;
    for (uint k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
        for (uint e = B.ptr[A.col[k]]; e < B.ptr[A.col[k] + 1]; ++e) {
            found += mark[B.col[e]] < 0;
            mark[B.col[e]] = 0;
        }
    for (uint k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
        for (uint e = B.ptr[A.col[k]]; e < B.ptr[A.col[k] + 1]; ++e)
            mark[B.col[e]] = -1;
    return found;
}

// Row by row (Gustavson, ACM Trans. Math. Softw. 4 (1978)).
INLINE void multiply(int mode, long n, struct matrix A, struct matrix B,
                     global uint *count, global const uint *c_ptr,
                     global int *c_col, global double *c_val, global int *mark,
                     local ulong *places, local double *scratch)
{
    for (RANGE(i, n)) {
        if (mode == COUNT) {
            count[i] = count_columns(A, B, i, mark);
            continue;
        }
        global int *col = c_col + c_ptr[i];
        const uint length = c_ptr[i + 1] - c_ptr[i];
        if (mode == FILL)
            sort_columns(col, collect(A, B, i, col, mark));
        add_products(A, B, i, length, col, c_val + c_ptr[i], mark);
        unmark(length, col, mark);
    }
}

#else

// A place in the low half, the end of its row in the high half.
static inline ulong span_of(uint place, uint end)
{
    return (ulong)end << 32 | place;
}

static inline bool is_empty(ulong span)
{
    return (uint)span == (uint)(span >> 32);
}

// What is left after column `last` of row j, number m of the lane's rows.
static inline ulong rest_of(struct matrix B, int j, uint m, int last,
                            local const ulong *own)
{
    if (m < PLACES)
        return own[m * LCL_GROUP];
    const uint end = B.ptr[j + 1];
    return span_of(place_of(B.col, B.ptr[j], end, last + 1), end);
}

// Starts at the first entries of the lane's rows.
static inline void begin(struct matrix A, struct matrix B, uint from, uint to,
                         local ulong *own)
{
    for (uint k = from, m = 0; k < to && m < PLACES; k += LANES_PER_ROW, ++m)
        own[m * LCL_GROUP] = span_of(B.ptr[A.col[k]], B.ptr[A.col[k] + 1]);
}

// The complement of the smallest next column of the lane; 0: none.
static inline uint next_of(struct matrix A, struct matrix B, uint from, uint to,
                           int last, local const ulong *own)
{
    uint next = 0;
    for (uint k = from, m = 0; k < to; k += LANES_PER_ROW, ++m) {
        const ulong rest = rest_of(B, A.col[k], m, last, own);
        next = max(next, is_empty(rest) ? 0u : ~(uint)B.col[(uint)rest]);
    }
    return next;
}

// Passes column c; returns the lane's part of its entry.
static inline double pass(struct matrix A, struct matrix B, uint from, uint to,
                          int last, int c, bool values, local ulong *own)
{
    double sum = 0;
    for (uint k = from, m = 0; k < to; k += LANES_PER_ROW, ++m) {
        const ulong rest = rest_of(B, A.col[k], m, last, own);
        if (is_empty(rest) || B.col[(uint)rest] != c)
            continue;
        if (values)
            sum += A.val[k] * B.val[(uint)rest];
        if (m < PLACES)
            own[m * LCL_GROUP] = rest + 1;
    }
    return sum;
}

// All teams of a wave loop until the last one is done.
INLINE void multiply(int mode, long n, struct matrix A, struct matrix B,
                     global uint *count, global const uint *c_ptr,
                     global int *c_col, global double *c_val, global int *mark,
                     local ulong *places, local double *scratch)
{
    local ulong *own = places + get_local_id(0);
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_WIDTH / LANES_PER_ROW;
    for (long first = (long)get_group_id(0) * rows; first < n;
         first += (long)get_num_groups(0) * rows) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        const uint from = i < n ? A.ptr[i] + lane : 0;
        const uint to = i < n ? A.ptr[i + 1] : 0;
        uint out = mode != COUNT && i < n ? c_ptr[i] : 0;
        const uint end = mode == VALUES && i < n ? c_ptr[i + 1] : 0;
        const uint start = out;
        int last = -1;
        bool more = true;
        begin(A, B, from, to, own);
        while (more) {
            uint next;
            if (mode == VALUES)
                next = out < end ? ~(uint)c_col[out] : 0;
            else
                next = wave_largest(next_of(A, B, from, to, last, own),
                                    LANES_PER_ROW, scratch);
            const int c = (int)~next;
            double sum = 0;
            if (next > 0)
                sum = pass(A, B, from, to, last, c, mode != COUNT, own);
            if (mode != COUNT)
                sum = wave_sum(sum, LANES_PER_ROW, scratch);
            if (next > 0) {
                if (mode == FILL && lane == 0)
                    c_col[out] = c;
                if (mode != COUNT && lane == 0)
                    c_val[out] = sum;
                ++out;
                last = c;
            }
            more = wave_largest(next, LCL_WIDTH, scratch) > 0;
        }
        if (mode == COUNT && i < n && lane == 0)
            count[i] = out - start;
    }
}

#endif

#define PRODUCT_KERNEL(name, mode)                                             \
 WORK_GROUP                                                                    \
 kernel void name(long n, global const uint *a_ptr, global const int *a_col,   \
                  global const double *a, global const uint *b_ptr,            \
                  global const int *b_col, global const double *b,             \
                  global uint *count, global const uint *c_ptr,                \
                  global int *c_col, global double *c, global int *mark,       \
                  long cols)                                                   \
 {                                                                             \
  local ulong places[LCL_GROUP * PLACES];                                      \
  local double scratch[LCL_GROUP];                                             \
  const struct matrix A = {a_ptr, a_col, a}, B = {b_ptr, b_col, b};            \
  multiply(mode, n, A, B, count, c_ptr, c_col, c,                              \
           mark + get_group_id(0) * cols, places, scratch);                    \
 }

PRODUCT_KERNEL(spgemm_count, COUNT)
PRODUCT_KERNEL(spgemm_fill, FILL)
PRODUCT_KERNEL(spgemm_values, VALUES)

WORK_GROUP
kernel void spgemm_products(long n, global const uint *a_ptr,
                            global const int *a_col, global const uint *b_ptr,
                            global double *sums)
{
    local double scratch[LCL_GROUP];
    double sum = 0;
    for (RANGE(i, n))
        for (uint k = a_ptr[i]; k < a_ptr[i + 1]; ++k)
            sum += b_ptr[a_col[k] + 1] - b_ptr[a_col[k]];
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}
