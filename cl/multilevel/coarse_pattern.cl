// SPDX-License-Identifier: BSD-3-Clause
// Finds the entries of A that contribute to W = A Z and E = Z^T A Z
// (coarse.cl). Kernels in the order of their launches:
//     label_rows     label of each row: that of its subdomain
//     count_runs     counts the runs of each row, and those that leave its
//                    subdomain (their columns have another label)
//     fill_runs      the runs, and a key for each leaving run
//     sort_leaving   sorts the keys of each subdomain
//     list_pairs     the labels of each subdomain's columns
//     order_runs     sorts the runs by label of their columns, then of their
//                    row
//     rows_of_runs   the row of each run; row i is row[i], if `row` is there
//
// Data:   lib/multilevel/pattern.h. Labels are numbers of subdomains or of
//         aggregates of them. Columns of a row ascend. run_ptr and leave_ptr
//         count from the subdomain's first run; from fill_runs on, run_ptr
//         counts from the first run of all. A key is a label and a run counted
//         from the subdomain's first, so that runs of one label keep their
//         order.
// Launch: rows_of_runs any number of groups, all others one group per
//         subdomain.
// Width 1: one item per subdomain.
// Determinism: bitwise.
#include "coarse.cl.h"
#include "sort.cl.h"
#include "wave.cl.h"

// Where the rows of a group's subdomain start and end.
static inline int2 rows_of(global const int *part_ptr)
{
    return (int2)(part_ptr[get_group_id(0)], part_ptr[get_group_id(0) + 1]);
}

WORK_GROUP
kernel void label_rows(global const int *part_ptr, global const int *part_label,
                       global int *label)
{
    const int2 w = rows_of(part_ptr);
    const int own = part_label[get_group_id(0)];
    for (int i = w.x + (int)get_local_id(0); i < w.y; i += LCL_GROUP)
        label[i] = own;
}

// ------------------------------------------------------------------- runs

// Number of runs among the entries from .. to-1 of a row, and of leaving runs.
static inline uint2 count_row(uint from, uint to, int own,
                              global const int *col, global const int *label)
{
    uint2 count = (uint2)(0, 0);
    int before = -1;
    for (uint k = from; k < to; ++k) {
        const int q = label[col[k]];
        if (q != before) {
            ++count.x;
            count.y += q != own;
        }
        before = q;
    }
    return count;
}

WORK_GROUP
kernel void count_runs(global const int *part_ptr, global const int *part_label,
                       global const int *label, global const uint *row_ptr,
                       global const int *col, global uint *run_ptr,
                       global uint *leave_ptr,
                       global struct lcl_coarse_part *parts)
{
    local uint2 sums[LCL_GROUP];
    const uint lid = get_local_id(0), group = get_group_id(0);
    const int2 w = rows_of(part_ptr);
    const uint2 share = slice_of((uint)(w.y - w.x));
    uint2 sum = (uint2)(0, 0), before = (uint2)(0, 0);
    for (int i = w.x + (int)share.x; i < w.x + (int)share.y; ++i) {
        run_ptr[i] = sum.x;
        leave_ptr[i] = sum.y;
        sum += count_row(row_ptr[i], row_ptr[i + 1], part_label[group], col,
                         label);
    }
    sums[lid] = sum;
    GROUP_BARRIER();
    for (uint l = 0; l < lid; ++l)
        before += sums[l];
    for (int i = w.x + (int)share.x; i < w.x + (int)share.y; ++i) {
        run_ptr[i] += before.x;
        leave_ptr[i] += before.y;
    }
    if (lid == LCL_GROUP - 1) {
        parts[group].runs = before.x + sum.x;
        parts[group].leaving = before.y + sum.y;
    }
}

// Splits the entries from .. to-1 of a row into runs, numbered from run `run`
// of its subdomain on.
static inline void fill_row(uint from, uint to, int own, global const int *col,
                            global const int *label, uint run,
                            global uint *run_first, global int *run_agg,
                            global ulong *keys)
{
    int before = -1;
    for (uint k = from; k < to; ++k) {
        const int q = label[col[k]];
        if (q != before) {
            run_first[run] = k;
            run_agg[run] = q;
            if (q != own)
                *keys++ = (ulong)q << 32 | run;
            ++run;
        }
        before = q;
    }
}

WORK_GROUP
kernel void fill_runs(global const int *part_ptr, global const int *part_label,
                      global const int *label, global const uint *row_ptr,
                      global const int *col,
                      global const struct lcl_coarse_part *parts,
                      global uint *run_ptr, global const uint *leave_ptr,
                      global uint *run_first, global int *run_agg,
                      global ulong *keys)
{
    const uint lid = get_local_id(0), group = get_group_id(0);
    const int2 w = rows_of(part_ptr);
    const struct lcl_coarse_part p = parts[group];
    for (int i = w.x + (int)lid; i < w.y; i += LCL_GROUP) {
        const uint run = run_ptr[i];
        fill_row(row_ptr[i], row_ptr[i + 1], part_label[group], col, label, run,
                 run_first + p.run, run_agg + p.run,
                 keys + p.leave + leave_ptr[i]);
        run_ptr[i] = p.run + run;
    }
    if (group == get_num_groups(0) - 1 && lid == 0) {
        run_ptr[w.y] = p.run + p.runs;
        run_first[p.run + p.runs] = row_ptr[w.y];
    }
}

// ------------------------------------------------------------------- pairs

static inline uint label_of(ulong key)
{
    return (uint)(key >> 32);
}

static inline bool starts_pair(global const ulong *keys, uint m)
{
    return m == 0 || label_of(keys[m]) != label_of(keys[m - 1]);
}

// Sorts the keys of a subdomain and counts its pairs.
WORK_GROUP
kernel void sort_leaving(global struct lcl_coarse_part *parts,
                         global ulong *keys)
{
    local uint sums[LCL_GROUP];
    const uint lid = get_local_id(0), group = get_group_id(0);
    const uint count = parts[group].leaving;
    keys += parts[group].leave;
    uint top = 1, stride = 1;
    while (top < count) {
        for (uint t = lid; t < pairs_at(stride, count); t += LCL_GROUP) {
            const uint low = low_of(t, stride);
            const uint high = high_of(low, stride, top);
            if (high >= count || keys[low] <= keys[high])
                continue;
            const ulong larger = keys[low];
            keys[low] = keys[high];
            keys[high] = larger;
        }
        GROUP_BARRIER_GLOBAL();
        stride /= 2;
        if (stride == 0)
            stride = top *= 2;
    }
    uint pairs = 0;
    for (uint m = lid; m < count; m += LCL_GROUP)
        pairs += starts_pair(keys, m);
    sums[lid] = pairs;
    GROUP_BARRIER();
    if (lid != 0)
        return;
    for (uint l = 1; l < LCL_GROUP; ++l)
        pairs += sums[l];
    parts[group].pairs = pairs + 1;
}

// Fills in the pair that starts at key m of a subdomain; run_first[] holds the
// first entries of the subdomain's runs.
static inline void take_pair(global struct lcl_coarse_pair *pair,
                             global const ulong *keys, uint m, uint count,
                             global const uint *run_first)
{
    const uint label = label_of(keys[m]), first = m;
    uint entries = 0;
    for (; m < count && label_of(keys[m]) == label; ++m) {
        const uint run = (uint)keys[m];
        entries += run_first[run + 1] - run_first[run];
    }
    pair->label = label;
    pair->first = first;
    pair->runs = m - first;
    pair->entries = entries;
}

WORK_GROUP
kernel void list_pairs(global const int *part_label,
                       global const struct lcl_coarse_part *parts,
                       global const ulong *keys, global const uint *run_first,
                       global struct lcl_coarse_pair *pairs)
{
    local uint sums[LCL_GROUP];
    const uint lid = get_local_id(0), group = get_group_id(0);
    const struct lcl_coarse_part p = parts[group];
    const uint2 share = slice_of(p.leaving);
    keys += p.leave;
    pairs += p.pair;
    uint own = 0, at = 1;
    for (uint m = share.x; m < share.y; ++m)
        own += starts_pair(keys, m);
    sums[lid] = own;
    GROUP_BARRIER();
    for (uint l = 0; l < lid; ++l)
        at += sums[l];
    for (uint m = share.x; m < share.y; ++m)
        if (starts_pair(keys, m))
            take_pair(&pairs[at++], keys, m, p.leaving, run_first + p.run);
    if (lid == 0) {
        pairs[0].label = (uint)part_label[group];
        pairs[0].first = 0;
        pairs[0].runs = p.runs - p.leaving;
        pairs[0].entries = 0;
    }
}

// ------------------------------------------------------------------- order

// Number of the pair that contains key m: the last one that starts at or before
// it.
static inline uint pair_of(global const struct lcl_coarse_pair *pairs,
                           uint count, uint m)
{
    uint low = 1, high = count;
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (pairs[middle].first <= m)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// place[] holds the start of each pair's runs in order[].
WORK_GROUP
kernel void order_runs(global const int *part_ptr, global const int *part_label,
                       global const struct lcl_coarse_part *parts,
                       global const uint *run_ptr, global const uint *leave_ptr,
                       global const int *run_agg, global const ulong *keys,
                       global const struct lcl_coarse_pair *pairs,
                       global const uint *place, global uint *order)
{
    const uint lid = get_local_id(0);
    const int2 w = rows_of(part_ptr);
    const int own = part_label[get_group_id(0)];
    const struct lcl_coarse_part p = parts[get_group_id(0)];
    keys += p.leave;
    pairs += p.pair;
    place += p.pair;
    for (uint m = lid; m < p.leaving; m += LCL_GROUP) {
        const uint e = pair_of(pairs, p.pairs, m);
        order[place[e] + (m - pairs[e].first)] = p.run + (uint)keys[m];
    }
    for (int i = w.x + (int)lid; i < w.y; i += LCL_GROUP) {
        uint at = place[0] + (run_ptr[i] - p.run - leave_ptr[i]);
        for (uint k = run_ptr[i]; k < run_ptr[i + 1]; ++k)
            if (run_agg[k] == own)
                order[at++] = k;
    }
}

WORK_GROUP
kernel void rows_of_runs(long n, global const int *row,
                         global const uint *run_ptr, global int *run_row)
{
    for (RANGE(i, n))
        for (uint k = run_ptr[i]; k < run_ptr[i + 1]; ++k)
            run_row[k] = row ? row[i] : (int)i;
}
