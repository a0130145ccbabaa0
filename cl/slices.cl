// SPDX-License-Identifier: BSD-3-Clause
// How a matrix of n rows in CSR or BSR is put into slices (sliced.cl.h):
//     count_slots     near and far slots of each slice
//     place_columns   their columns, near_col and far_col
//     place_values    their values; again whenever the matrix has new ones
//
// Launch: any number of groups; a lane has a row.
// Width 1: an item has a slice while it counts, else a row.
// Determinism: bitwise.
#include "sliced.cl.h"

static inline bool is_near(int col, int base)
{
    return (uint)col - (uint)base + 32768u < 65536u;
}

// ------------------------------------------------------------------- counting

// (entries, far ones) of a row
static inline uint2 count_row(index_t from, index_t to, int base,
                              global const int *col)
{
    uint far = 0;
    for (index_t k = from; k < to; ++k)
        far += !is_near(col[k], base);
    return (uint2)((uint)(to - from), far);
}

#if LCL_WIDTH == 1
WORK_GROUP
kernel void count_slots(long n, int last_col, global const index_t *row_ptr,
                        global const int *col, global uint2 *count)
{
    for (RANGE(s, (n + ROWS - 1) / ROWS)) {
        uint2 most = (uint2)(0, 0);
        for (long i = s * ROWS; i < min(n, (s + 1) * ROWS); ++i)
            most = max(most, count_row(row_ptr[i], row_ptr[i + 1],
                                       base_of(s, last_col), col));
        count[s] = (uint2)(most.x - most.y, most.y);
    }
}
#else
# define SLICES (LCL_GROUP / ROWS) // of a group

WORK_GROUP
kernel void count_slots(long n, int last_col, global const index_t *row_ptr,
                        global const int *col, global uint2 *count)
{
    local uint longest[SLICES], farthest[SLICES];
    const uint lid = get_local_id(0), mine = lid / ROWS;
    for (long first = (long)get_group_id(0) * LCL_GROUP; first < n;
         first += (long)get_num_groups(0) * LCL_GROUP) {
        const long i = first + lid;
        if (lid < SLICES)
            longest[lid] = farthest[lid] = 0;
        GROUP_BARRIER();
        if (i < n) {
            const uint2 row = count_row(row_ptr[i], row_ptr[i + 1],
                                        base_of(i / ROWS, last_col), col);
            atomic_max(&longest[mine], row.x);
            atomic_max(&farthest[mine], row.y);
        }
        GROUP_BARRIER();
        if (lid < SLICES && first + lid * ROWS < n)
            count[first / ROWS + lid] =
                (uint2)(longest[lid] - farthest[lid], farthest[lid]);
        GROUP_BARRIER();
    }
}
#endif

// ------------------------------------------------------------------- places

// A row that is being laid out.
struct row {
    index_t from, to; // its entries; none past the last row
    ulong first;      // slot of its slice
    uint near, slots; // of its slice
    uint near_used, far_used;
    int base;
};

static inline struct row row_of(long i, long n, int last_col,
                                global const index_t *row_ptr,
                                global const uint2 *start)
{
    const uint2 from = start[i / ROWS], to = start[i / ROWS + 1];
    struct row R;
    R.from = i < n ? row_ptr[i] : 0;
    R.to = i < n ? row_ptr[i + 1] : 0;
    R.first = (ulong)from.x + from.y;
    R.near = to.x - from.x;
    R.slots = R.near + to.y - from.y;
    R.near_used = R.far_used = 0;
    R.base = base_of(i / ROWS, last_col);
    return R;
}

// The slot of the row's next entry, near ones first.
static inline uint next_slot(struct row *R, int col)
{
    if (is_near(col, R->base) && R->near_used < R->near)
        return R->near_used++;
    return R->near + R->far_used++;
}

WORK_GROUP
kernel void place_columns(long n, int last_col, global const index_t *row_ptr,
                          global const int *col, global const uint2 *start,
                          global short *near_col, global int *far_col)
{
    const long rows = (n + ROWS - 1) / ROWS * ROWS;
    for (RANGE(i, rows)) {
        const uint2 from = start[i / ROWS];
        global short *near = near_col + (ulong)from.x * ROWS + i % ROWS;
        global int *far = far_col + (ulong)from.y * ROWS + i % ROWS;
        struct row R = row_of(i, n, last_col, row_ptr, start);
        short spare = 0;
        for (index_t k = R.from; k < R.to; ++k) {
            const uint slot = next_slot(&R, col[k]);
            if (slot < R.near)
                near[slot * ROWS] = spare = (short)(col[k] - R.base);
            else
                far[(slot - R.near) * ROWS] = col[k];
        }
        for (uint slot = R.near_used; slot < R.near; ++slot)
            near[slot * ROWS] = spare;
        for (uint slot = R.far_used; slot < R.slots - R.near; ++slot)
            far[slot * ROWS] = R.from < R.to ? col[R.from] : R.base;
    }
}

WORK_GROUP
kernel void place_values(long n, int last_col, global const index_t *row_ptr,
                         global const int *col, global const double *val,
                         global const uint2 *start, global double *sliced)
{
    const long rows = (n + ROWS - 1) / ROWS * ROWS;
    for (RANGE(i, rows)) {
        struct row R = row_of(i, n, last_col, row_ptr, start);
        global double *to = sliced + R.first * (ROWS * B * B) + i % ROWS;
        for (index_t k = R.from; k < R.to; ++k) {
            const uint slot = next_slot(&R, col[k]);
            for (uint e = 0; e < B * B; ++e)
                to[(slot * (B * B) + e) * ROWS] = val[(ulong)k * (B * B) + e];
        }
        for (uint slot = R.near_used; slot < R.slots; ++slot)
            if (slot < R.near || slot >= R.near + R.far_used)
                for (uint e = 0; e < B * B; ++e)
                    to[(slot * (B * B) + e) * ROWS] = 0;
    }
}
