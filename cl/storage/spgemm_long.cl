// SPDX-License-Identifier: BSD-3-Clause
// Sparse product C = A B for rows that are too long for spgemm.cl, and the row
// pointers of C:
//     count_long       length[i] = number of entries of row i of C
//     sum_lengths      sums[g] = sum of chunk g of `length`
//     row_pointers     prefix sums of `length`
//     fill_long        columns of C in ascending order
//     multiply_long    values
// The columns of a row are bits in local memory, one window of columns after
// the other. The sums are in global memory; in each round a group adds one
// product per work-item.
//
// Data:   CSR with ascending columns. Group g of G has the chunk n g / G .. n
//         (g + 1) / G - 1.
// Launch: any number of groups, one per row; sum_lengths and row_pointers
//         equally many.
// Determinism: as spgemm.cl.
#include "bitmap.cl.h"
#include "rounding.cl.h"
#include "spgemm.cl.h"
#include "spgemm_index.cl.h"

// Entries of a row of A.
struct row {
    a_index from;
    uint count;
};

static inline struct row row_at(int i, global const a_index *row_ptr)
{
    struct row r;
    r.from = row_ptr[i];
    r.count = (uint)(row_ptr[i + 1] - r.from);
    return r;
}

// ------------------------------------------------------------------- columns

// The smallest and the largest column of row r of A times B.
INLINE void find_bounds(struct row r, global const int *a_col,
                        global const b_index *b_row_ptr,
                        global const int *b_col, local int *bounds)
{
    bounds_begin(bounds);
    for (GROUP_DOWNWARDS(k, r.count)) {
        const int j = a_col[r.from + k];
        const b_index start = b_row_ptr[j], end = b_row_ptr[j + 1];
        if (start < end)
            widen(bounds, b_col[start], b_col[end - 1]);
    }
    GROUP_BARRIER();
}

INLINE b_index seek(global const int *col, b_index low, b_index high,
                    int column)
{
    while (low < high) {
        const b_index middle = low + (high - low) / 2;
        if (col[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Sets the bits of the columns from `base` on in the window; 2^along work-items
// share a row of B.
INLINE void mark(struct row r, long base, int along, bool first,
                 global const int *a_col, global const b_index *b_row_ptr,
                 global const int *b_col, struct bitmap b)
{
    const uint lid = get_local_id(0), own = lid & ((1u << along) - 1);
    const uint first_k = lid >> along, step = LCL_GROUP >> along;
    for (DOWNWARDS(t, (r.count + step - 1 - first_k) / step)) {
        const uint k = first_k + t * step;
        const int j = a_col[r.from + k];
        const b_index end = b_row_ptr[j + 1];
        const b_index start = b_row_ptr[j];
        // no branch on `first`: PoCL 3.1 then loses lanes
        b_index e = seek(b_col, start, first ? start : end, (int)base);
        for (e += own; e < end && b_col[e] - base < BITMAP_BITS;
             e += 1u << along)
            bitmap_set(b, (uint)(b_col[e] - base));
    }
    GROUP_BARRIER();
}

WORK_GROUP
kernel void count_long(int along, global const a_index *restrict a_row_ptr,
                       global const int *restrict a_col,
                       global const b_index *restrict b_row_ptr,
                       global const int *restrict b_col, global const int *list,
                       global const uint *counts, global uint *length)
{
    local uint words[BITMAP_WORDS];
    local ulong scratch[LCL_GROUP];
    local int bounds[2];
    const struct bitmap b = {words, scratch};
    const long rows = counts[SPGEMM_LONGEST];
    for (long at = get_group_id(0); at < rows; at += get_num_groups(0)) {
        const struct row r = row_at(list[at], a_row_ptr);
        find_bounds(r, a_col, b_row_ptr, b_col, bounds);
        const long low = bounds[0], high = bounds[1];
        uint count = 0;
        for (long base = low; base <= high; base += BITMAP_BITS) {
            const uint used = bitmap_words(base, high);
            bitmap_clear(b, used);
            mark(r, base, along, base == low, a_col, b_row_ptr, b_col, b);
            count += bitmap_count(b, used);
        }
        count = (uint)group_sum_up_to(count, scratch);
        if (get_local_id(0) == LCL_GROUP - 1)
            length[list[at]] = count;
    }
}

WORK_GROUP
kernel void fill_long(long rows, int along,
                      global const a_index *restrict a_row_ptr,
                      global const int *restrict a_col,
                      global const b_index *restrict b_row_ptr,
                      global const int *restrict b_col, global const int *list,
                      global const c_index *restrict c_row_ptr,
                      global int *c_col)
{
    local uint words[BITMAP_WORDS];
    local ulong scratch[LCL_GROUP];
    local int bounds[2];
    const struct bitmap b = {words, scratch};
    for (long at = get_group_id(0); at < rows; at += get_num_groups(0)) {
        const struct row r = row_at(list[at], a_row_ptr);
        find_bounds(r, a_col, b_row_ptr, b_col, bounds);
        const long low = bounds[0], high = bounds[1];
        c_index to = c_row_ptr[list[at]];
        for (long base = low; base <= high; base += BITMAP_BITS) {
            const uint used = bitmap_words(base, high);
            bitmap_clear(b, used);
            mark(r, base, along, base == low, a_col, b_row_ptr, b_col, b);
            to += bitmap_write(b, used, (int)base, c_col + to);
        }
    }
}

// ------------------------------------------------------------------- pointers

static inline long rows_start(long n, long chunk)
{
    return n * chunk / (long)get_num_groups(0);
}

// sums[] starts with the counts, in the place of one number.
WORK_GROUP
kernel void sum_lengths(long n, global const uint *restrict length,
                        global ulong *restrict sums)
{
    local ulong scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    const long g = get_group_id(0), end = rows_start(n, g + 1);
    ulong sum = 0;
    for (long i = rows_start(n, g) + lid; i < end; i += LCL_GROUP)
        sum += length[i];
    scratch[lid] = sum;
    GROUP_BARRIER();
    if (lid == 0) {
        for (uint l = 1; l < LCL_GROUP; ++l)
            sum += scratch[l];
        sums[1 + g] = sum;
    }
}

WORK_GROUP
kernel void row_pointers(long n, global const uint *restrict length,
                         global const ulong *restrict sums,
                         global c_index *restrict row_ptr)
{
    local ulong scratch[LCL_GROUP], starts[LCL_GROUP];
    const uint lid = get_local_id(0);
    const long g = get_group_id(0), end = rows_start(n, g + 1);
    ulong before = 0;
    for (long c = lid; c < g; c += LCL_GROUP)
        before += sums[1 + c];
    starts[lid] = before;
    GROUP_BARRIER();
    before = 0;
    for (uint l = 0; l < LCL_GROUP; ++l)
        before += starts[l];
    for (long first = rows_start(n, g); first < end; first += LCL_GROUP) {
        const long i = first + lid;
        const uint v = i < end ? length[i] : 0;
        const ulong up_to_i = group_sum_up_to(v, scratch);
        if (i < end)
            row_ptr[i] = (c_index)(before + up_to_i - v);
        before += scratch[LCL_GROUP - 1];
    }
    if (lid == 0 && g == (long)get_num_groups(0) - 1)
        row_ptr[n] = (c_index)before;
}

// ------------------------------------------------------------------- values

// An entry of A and the row of B that it multiplies.
struct factor {
    b_index from;
    uint length;
    double a;
};

INLINE c_index place_of(global const int *c_col, c_index low, c_index high,
                        int column)
{
    while (low < high) {
        const c_index middle = low + (high - low) / 2;
        if (c_col[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Loads the factors of LCL_GROUP entries of A, the last ones of length 0;
// ends[l] = number of the products of factors 0 .. l.
INLINE void load_factors(struct row r, uint first, global const int *a_col,
                         global const double *a_val,
                         global const b_index *b_row_ptr,
                         local struct factor *factors, local ulong *ends)
{
    const uint lid = get_local_id(0);
    uint length = 0;
    if (first + lid < r.count) {
        const int j = a_col[r.from + first + lid];
        length = (uint)(b_row_ptr[j + 1] - b_row_ptr[j]);
        factors[lid].from = b_row_ptr[j];
        factors[lid].a = a_val[r.from + first + lid];
    }
    factors[lid].length = length;
    group_sum_up_to(length, ends);
}

#if LCL_WIDTH == 1
// Adds the products of one entry of A.
INLINE void add_products(local const struct factor *f, global const int *b_col,
                         global const double *b_val, c_index to, c_index end,
                         global const int *c_col, global double *c_val)
{
    const b_index from = f->from;
    for (DOWNWARDS(e, f->length)) {
        end = place_of(c_col, to, end, b_col[from + e]);
        c_val[end] = fused(f->a, b_val[from + e], c_val[end]);
    }
}
#else
// A product of each work-item: factor of A, place in C (NOWHERE: none) and
// value of B.
struct products {
    local uint *factor;
    local c_index *place;
    local double *b;
};

# define NOWHERE ((c_index)-1)

// The first l with ends[l] > q.
static inline uint factor_of(local const ulong *ends, ulong q)
{
    uint low = 0, high = LCL_GROUP - 1;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (ends[middle] <= q)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The sum of c_val[place] and the products of the group with this place, in
// their order; `first` is false if not this work-item's product is the first.
INLINE double add_equal(struct products p, local const struct factor *factors,
                        c_index place, double sum, bool *first)
{
    const uint lid = get_local_id(0);
    for (DOWNWARDS(left, LCL_GROUP)) {
        const uint item = LCL_GROUP - 1 - left;
        if (p.place[item] == place) {
            *first = *first && item >= lid;
            sum = fused(factors[p.factor[item]].a, p.b[item], sum);
        }
    }
    return sum;
}

// Adds products `start` .. `start` + LCL_GROUP - 1 of the factors: the
// work-item with the first product of a place adds all others to it.
INLINE void add_products(struct products p, local const struct factor *factors,
                         local const ulong *ends, ulong start,
                         global const int *b_col, global const double *b_val,
                         c_index to, c_index end, global const int *c_col,
                         global double *c_val)
{
    const uint lid = get_local_id(0);
    const ulong q = start + lid;
    c_index place = NOWHERE;
    uint l = 0;
    double b = 0, sum = 0;
    if (q < ends[LCL_GROUP - 1]) {
        l = factor_of(ends, q);
        const b_index at =
            factors[l].from + (b_index)(q + factors[l].length - ends[l]);
        place = place_of(c_col, to, end, b_col[at]);
        sum = c_val[place];
        b = b_val[at];
    }
    // work-items without a product read those of each other
    p.factor[lid] = l;
    p.b[lid] = b;
    p.place[lid] = place;
    GROUP_BARRIER();
    bool first = place != NOWHERE;
    sum = add_equal(p, factors, place, sum, &first);
    if (first)
        c_val[place] = sum;
    GROUP_BARRIER_GLOBAL();
}
#endif

WORK_GROUP
kernel void multiply_long(
    long rows, global const a_index *restrict a_row_ptr,
    global const int *restrict a_col, global const double *restrict a_val,
    global const b_index *restrict b_row_ptr, global const int *restrict b_col,
    global const double *restrict b_val, global const int *list,
    global const c_index *restrict c_row_ptr, global const int *restrict c_col,
    global double *c_val)
{
    local struct factor factors[LCL_GROUP];
    local ulong ends[LCL_GROUP];
#if LCL_WIDTH > 1
    local uint factor[LCL_GROUP];
    local c_index place[LCL_GROUP];
    local double b[LCL_GROUP];
    const struct products p = {factor, place, b};
#endif
    for (long at = get_group_id(0); at < rows; at += get_num_groups(0)) {
        const struct row r = row_at(list[at], a_row_ptr);
        const c_index to = c_row_ptr[list[at]], end = c_row_ptr[list[at] + 1];
        for (GROUP_DOWNWARDS(e, (uint)(end - to)))
            c_val[to + e] = 0;
        GROUP_BARRIER_GLOBAL();
        for (uint first = 0; first < r.count; first += LCL_GROUP) {
            load_factors(r, first, a_col, a_val, b_row_ptr, factors, ends);
#if LCL_WIDTH == 1
            add_products(factors, b_col, b_val, to, end, c_col, c_val);
#else
            const ulong products = ends[LCL_GROUP - 1];
            for (ulong start = 0; start < products; start += LCL_GROUP)
                add_products(p, factors, ends, start, b_col, b_val, to, end,
                             c_col, c_val);
            GROUP_BARRIER();
#endif
        }
    }
}
