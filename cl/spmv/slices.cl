// SPDX-License-Identifier: BSD-3-Clause
// Converts a matrix of n rows in CSR or BSR to slices (sliced.cl.h):
//     count_slots     near and far slots of each slice
//     place_columns   their columns, near_col and far_col
//     place_values    their values; run again when the matrix values change
//     take_values     the same for new values of the matrix: entry k has those
//                     of entry map[k] of given + first, or of entry k without
//                     `map`; sets *bad unless all are finite
//
// Launch: any number of groups; one lane per row.
// Width 1: one item per slice in count_slots, otherwise one item per row.
// take_values: one group per tile of rows.
// Determinism: bitwise.
#include "finite.cl.h"
#include "sliced.cl.h"

static inline bool is_near(int col, int base)
{
    return (uint)col - (uint)base + 32768u < 65536u;
}

// ------------------------------------------------------------------- counting

struct slots {
    uint near, far;
};

static inline uint far_entries(index_t from, index_t to, int base,
                               global const int *col)
{
    uint far = 0;
    for (index_t k = from; k < to; ++k)
        far += is_near(col[k], base) ? 0 : 1;
    return far;
}

#if LCL_WIDTH == 1
WORK_GROUP
kernel void count_slots(long n, int last_col, global const index_t *row_ptr,
                        global const int *col, global struct slots *count)
{
    for (RANGE(s, (n + ROWS - 1) / ROWS)) {
        uint longest = 0, far = 0;
        for (long i = s * ROWS; i < min(n, (s + 1) * ROWS); ++i) {
            const index_t from = row_ptr[i], to = row_ptr[i + 1];
            longest = max(longest, (uint)(to - from));
            far = max(far, far_entries(from, to, base_of(s, last_col), col));
        }
        count[s].near = longest - far;
        count[s].far = far;
    }
}
#else
# define SLICES (LCL_GROUP / ROWS) // slices per group

WORK_GROUP
kernel void count_slots(long n, int last_col, global const index_t *row_ptr,
                        global const int *col, global struct slots *count)
{
    local uint entries[LCL_GROUP], far_ones[LCL_GROUP];
    const uint lid = get_local_id(0);
    for (uint first = get_group_id(0) * LCL_GROUP; first < (uint)n;
         first += get_num_groups(0) * LCL_GROUP) {
        const uint i = first + lid;
        const index_t from = i < (uint)n ? row_ptr[i] : 0;
        const index_t to = i < (uint)n ? row_ptr[i + 1] : 0;
        entries[lid] = (uint)(to - from);
        far_ones[lid] = far_entries(from, to, base_of(i / ROWS, last_col), col);
        GROUP_BARRIER();
        if (lid < SLICES && first + lid * ROWS < (uint)n) {
            uint longest = 0, far = 0;
            for (uint r = lid * ROWS; r < (lid + 1) * ROWS; ++r) {
                longest = max(longest, entries[r]);
                far = max(far, far_ones[r]);
            }
            count[first / ROWS + lid].near = longest - far;
            count[first / ROWS + lid].far = far;
        }
        GROUP_BARRIER();
    }
}
#endif

// ------------------------------------------------------------------- places

// Number of rows including the padding rows of the last slice.
static inline long rows_of_slices(long n)
{
    return (n + ROWS - 1) & ~(long)(ROWS - 1);
}

// A row being converted.
struct row {
    index_t from, to; // its entries; none in padding rows
    ulong first;      // first slot of its slice
    uint near, slots; // of its slice
    uint near_used, far_used;
    int base;
};

static inline struct row row_of(uint i, uint n, int last_col,
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

// Slot for the row's next entry: a near slot if the column is near and one is
// free, otherwise a far slot.
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
    for (RANGE(row, rows_of_slices(n))) {
        const uint i = (uint)row;
        const uint2 from = start[i / ROWS];
        global short *near = near_col + (ulong)from.x * ROWS + i % ROWS;
        global int *far = far_col + (ulong)from.y * ROWS + i % ROWS;
        struct row R = row_of(i, (uint)n, last_col, row_ptr, start);
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

INLINE void place_row(uint i, struct row R, global const int *col,
                      global const double *val, global double *sliced)
{
    global double *to = sliced + R.first * (ROWS * AREA) + i % ROWS;
    for (index_t k = R.from; k < R.to; ++k) {
        const uint slot = next_slot(&R, col[k]);
        for (uint e = 0; e < AREA; ++e)
            to[(slot * AREA + e) * ROWS] = val[(ulong)k * AREA + e];
    }
    for (uint slot = R.near_used; slot < R.slots; ++slot)
        if (slot < R.near || slot >= R.near + R.far_used)
            for (uint e = 0; e < AREA; ++e)
                to[(slot * AREA + e) * ROWS] = 0;
}

WORK_GROUP
kernel void place_values(long n, int last_col, global const index_t *row_ptr,
                         global const int *col, global const double *val,
                         global const uint2 *start, global double *sliced)
{
    for (RANGE(i, rows_of_slices(n)))
        place_row((uint)i, row_of((uint)i, (uint)n, last_col, row_ptr, start),
                  col, val, sliced);
}

// rows of a tile
#if LCL_WIDTH == 1
# define TILE (8 * ROWS)
#else
# define TILE LCL_GROUP
#endif

// Takes the values of entries from .. to - 1. Returns the largest exponent.
INLINE uint take_entries(index_t from, index_t to, global const uint *map,
                         global const double *given, global double *val)
{
    const ulong first = (ulong)from * AREA + get_local_id(0);
    const ulong end = (ulong)to * AREA;
    uint largest = 0;
    if (map)
        for (ulong k = first; k < end; k += LCL_GROUP) {
            const ulong b = k / AREA;
            const double v = given[k + (map[b] - b) * AREA];
            val[k] = v;
            largest = max(largest, exponent_of(v));
        }
    else
        for (ulong k = first; k < end; k += LCL_GROUP) {
            val[k] = given[k];
            largest = max(largest, exponent_of(given[k]));
        }
    return largest;
}

// A tile's values are in the cache when its rows need them.
WORK_GROUP
kernel void take_values(long n, int last_col, global const index_t *row_ptr,
                        global const int *col, global const uint2 *start,
                        global double *restrict sliced,
                        global const uint *restrict map, long first,
                        global const double *restrict given,
                        global double *restrict val, volatile global int *bad)
{
    uint largest = 0;
    for (GROUP_RANGE(tile, (n + TILE - 1) / TILE, 1)) {
        const long end = min((tile + 1) * TILE, rows_of_slices(n));
        const uint exponent =
            take_entries(row_ptr[tile * TILE], row_ptr[min(end, n)], map,
                         given + first, val);
        largest = max(largest, exponent);
        GROUP_BARRIER_GLOBAL();
        for (long i = tile * TILE + get_local_id(0); i < end; i += LCL_GROUP)
            place_row((uint)i,
                      row_of((uint)i, (uint)n, last_col, row_ptr, start), col,
                      val, sliced);
    }
    if (largest == NOT_FINITE)
        atomic_or(bad, 1);
}
