// SPDX-License-Identifier: BSD-3-Clause
// Partition into boxes of a Cartesian grid (Mehta et al., Algorithm 3.1).
#include "lib/partition/partition.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/parallel.h"
#include "lib/partition/grid.h"

#include <inttypes.h>

// The product of three sizes >= 1, cut off above `limit`.
static int64_t volume(const int64_t size[3], int64_t limit)
{
    int64_t cells = 1;
    for (int d = 0; d < 3; ++d) {
        if (size[d] > limit / cells)
            return limit + 1;
        cells *= size[d];
    }
    return cells;
}

// Checks the grid sizes of the caller for n rows.
static enum lcl_status read_grid(int64_t grid[3], int64_t *unknowns, int64_t n,
                                 const int64_t wanted[3],
                                 const struct lcl_log *log)
{
    for (int d = 0; d < 3; ++d) {
        if (wanted[d] < 1)
            return lcl_fail(log, LCL_EINVAL,
                            "geometric partition: grid size %d is %" PRId64
                            ", expected three sizes >= 1",
                            d + 1, wanted[d]);
        grid[d] = wanted[d];
    }
    const int64_t cells = volume(grid, n);
    if (cells > n || n % cells != 0)
        return lcl_fail(log, LCL_EINVAL,
                        "geometric partition: %" PRId64 " rows are not a "
                        "multiple of %" PRId64 " x %" PRId64 " x %" PRId64 " "
                        "cells",
                        n, grid[0], grid[1], grid[2]);
    *unknowns = n / cells;
    return LCL_OK;
}

static enum lcl_status choose_box(int64_t box[3], const int64_t grid[3],
                                  int64_t unknowns,
                                  const struct lcl_partition_params *params,
                                  const struct lcl_log *log)
{
    for (int d = 0; d < 3; ++d) {
        if (params->box[d] < 1)
            return lcl_fail(log, LCL_EINVAL,
                            "geometric partition: box size %d is %" PRId64
                            ", expected three sizes >= 1",
                            d + 1, params->box[d]);
        box[d] = lcl_smaller(params->box[d], grid[d]);
    }
    const int64_t cells = params->rows / unknowns;
    if (volume(box, cells) > cells)
        return lcl_fail(log, LCL_ERANGE,
                        "geometric partition: a box of %" PRId64 " x %" PRId64
                        " x %" PRId64 " cells with %" PRId64
                        " unknowns each exceeds the limit of %" PRId64
                        " rows; use a smaller box",
                        box[0], box[1], box[2], unknowns, params->rows);
    return LCL_OK;
}

// Boxes of cells, x fastest; the unknowns of a cell are consecutive rows. A bar
// is a line of boxes along x.
struct boxes {
    int64_t grid[3], box[3];
    int64_t count[3]; // number of boxes along x, y, z
    int64_t unknowns;
    int64_t low, high; // range of rows to partition
    int64_t bars[2];   // range of bars with such rows
    struct lcl_subdomains *P;
};

// Initialises the boxes of a matrix with n rows in total.
static enum lcl_status boxes_init(struct boxes *B, int64_t n,
                                  const struct lcl_partition_params *params,
                                  const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = read_grid(B->grid, &B->unknowns, n, params->grid, log)) < 0 ||
        (st = choose_box(B->box, B->grid, B->unknowns, params, log)) < 0)
        return st;
    for (int d = 0; d < 3; ++d)
        B->count[d] = (B->grid[d] - 1) / B->box[d] + 1;
    return LCL_OK;
}

// ---------------------------------------------------------- consecutive rows

// Lists the rows of one box from row[0] on, unless `row` is NULL. Returns their
// number.
static int64_t list_box(const struct boxes *B, const int64_t first[3],
                        int32_t *row)
{
    int64_t end[3], count = 0;
    for (int d = 0; d < 3; ++d)
        end[d] = lcl_smaller(first[d] + B->box[d], B->grid[d]);
    const int64_t run = (end[0] - first[0]) * B->unknowns;
    for (int64_t z = first[2]; z < end[2]; ++z)
        for (int64_t y = first[1]; y < end[1]; ++y) {
            const int64_t start =
                ((z * B->grid[1] + y) * B->grid[0] + first[0]) * B->unknowns;
            const int64_t from = start > B->low ? start : B->low;
            const int64_t to = lcl_smaller(start + run, B->high);
            for (int64_t i = from; i < to && row; ++i)
                row[count + i - from] = (int32_t)(i - B->low);
            count += to > from ? to - from : 0;
        }
    return count;
}

// Lists the rows of a bar from P->row[part_ptr[p]] on, or counts those of each
// part p in part_ptr[p + 1].
static void visit_bar(const struct boxes *B, int64_t bar, bool list)
{
    const int64_t number = bar + B->bars[0];
    int64_t *ptr = B->P->part_ptr + bar * B->count[0];
    int64_t first[] = {0, number % B->count[1] * B->box[1],
                       number / B->count[1] * B->box[2]};
    for (int64_t b = 0; b < B->count[0]; ++b, first[0] += B->box[0])
        if (list)
            list_box(B, first, B->P->row + ptr[b]);
        else
            ptr[b + 1] = list_box(B, first, NULL);
}

static void count_bar(void *arg, int64_t bar)
{
    visit_bar(arg, bar, false);
}

static void list_bar(void *arg, int64_t bar)
{
    visit_bar(arg, bar, true);
}

static void find_bars(struct boxes *B)
{
    const int64_t layer = B->grid[0] * B->grid[1] * B->unknowns;
    B->bars[0] = B->low / layer / B->box[2] * B->count[1];
    B->bars[1] = ((B->high - 1) / layer / B->box[2] + 1) * B->count[1];
}

// Removes empty parts.
static void compress(struct lcl_subdomains *P, int64_t parts)
{
    for (int64_t p = 0; p < parts; ++p)
        if (P->part_ptr[p + 1] > P->part_ptr[P->parts])
            P->part_ptr[++P->parts] = P->part_ptr[p + 1];
}

static enum lcl_status list_boxes(struct boxes *B, const struct lcl_log *log)
{
    struct lcl_subdomains *P = B->P;
    find_bars(B);
    const int64_t bars = B->bars[1] - B->bars[0], parts = bars * B->count[0];
    const enum lcl_status st =
        lcl_subdomains_allocate(P, B->high - B->low, parts, log);
    if (st < 0)
        return st;
    lcl_parallel(bars, count_bar, B);
    for (int64_t p = 0; p < parts; ++p)
        P->part_ptr[p + 1] += P->part_ptr[p];
    lcl_parallel(bars, list_bar, B);
    compress(P, parts);
    return LCL_OK;
}

// Checks that blocks of the rank's rows are blocks of the whole matrix.
static enum lcl_status check_blocks(const struct lcl_share *share,
                                    int64_t block, const struct lcl_log *log)
{
    return share->first % block == 0 && share->total % block == 0
               ? LCL_OK
               : lcl_fail(log, LCL_EINVAL,
                          "geometric partition: the blocks of %" PRId64
                          " rows of this rank, from row %" PRId64
                          " on, are none of the whole matrix",
                          block, share->first + 1);
}

enum lcl_status lcl_partition_geometric(
    struct lcl_subdomains *P, const struct lcl_csr *A,
    const struct lcl_share *share, const struct lcl_partition_params *params,
    const struct lcl_log *log)
{
    const struct lcl_share whole = {.rows = A->rows, .total = A->rows};
    const int64_t *grid = params->grid;
    struct lcl_partition_params p = *params;
    enum lcl_status st;
    if (!share && grid[0] == 0 && grid[1] == 0 && grid[2] == 0 &&
        !lcl_grid_find(p.grid, A))
        return lcl_grid_refuse(log);
    share = share ? share : &whole;
    const int64_t block = share->rows / A->rows, low = share->first / block;
    struct boxes B = {.P = P, .low = low, .high = low + A->rows};
    if ((st = check_blocks(share, block, log)) < 0 ||
        (st = boxes_init(&B, share->total / block, &p, log)) < 0)
        return st;
    return list_boxes(&B, log);
}

// ---------------------------------------------------------------- listed rows

// Consecutive rows of a rank in one box: part of a line along x.
struct run {
    int64_t end, box;
};

// The run that starts at row i of the rank, which is row row[i] of the whole
// matrix.
static struct run run_at(const struct boxes *B, const int32_t *row, int64_t n,
                         int64_t i)
{
    const int64_t cell = row[i] / B->unknowns;
    const int64_t at[] = {cell % B->grid[0], cell / B->grid[0] % B->grid[1],
                          cell / B->grid[0] / B->grid[1]};
    int64_t box[3];
    for (int d = 0; d < 3; ++d)
        box[d] = at[d] / B->box[d];
    const int64_t x = lcl_smaller((box[0] + 1) * B->box[0], B->grid[0]);
    const int64_t rows = (cell - at[0] + x) * B->unknowns - row[i];
    const int64_t most = lcl_smaller(i + rows, n);
    int64_t end = i + 1;
    while (end < most && row[end] == row[end - 1] + 1)
        ++end;
    return (struct run){.end = end,
                        .box = (box[2] * B->count[1] + box[1]) * B->count[0] +
                               box[0]};
}

// box[k] = the box of run k, unless `box` is NULL. Returns the number of runs.
static int64_t list_runs(int64_t *box, const struct boxes *B,
                         const int32_t *row, int64_t n)
{
    int64_t runs = 0;
    for (int64_t i = 0; i < n; ++runs) {
        const struct run r = run_at(B, row, n, i);
        if (box)
            box[runs] = r.box;
        i = r.end;
    }
    return runs;
}

// Labels rows by the position of their box among the boxes of the rank.
static enum lcl_status label_runs(int32_t *label, const struct boxes *B,
                                  const int32_t *row, int64_t n,
                                  const struct lcl_log *log)
{
    const int64_t runs = list_runs(NULL, B, row, n);
    int64_t *box = lcl_malloc((size_t)runs, sizeof *box);
    if (!box)
        return lcl_fail_memory(log, "the boxes of a rank");
    list_runs(box, B, row, n);
    const int64_t boxes = lcl_sort_once_int64(box, runs);
    for (int64_t i = 0; i < n;) {
        const struct run r = run_at(B, row, n, i);
        const int64_t *found =
            bsearch(&r.box, box, (size_t)boxes, sizeof r.box, lcl_order_int64);
        for (; i < r.end; ++i)
            label[i] = (int32_t)(found - box);
    }
    lcl_free(box);
    return LCL_OK;
}

enum lcl_status lcl_partition_boxes(int32_t *label,
                                    const struct lcl_share *share,
                                    const struct lcl_partition_params *params,
                                    const struct lcl_log *log)
{
    struct boxes B = {.P = NULL};
    const enum lcl_status st = boxes_init(&B, share->total, params, log);
    return st < 0 ? st
                  : label_runs(label, &B, share->perm + share->first,
                               share->rows, log);
}
