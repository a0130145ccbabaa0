// SPDX-License-Identifier: BSD-3-Clause
// Partition into boxes of a Cartesian grid (Mehta et al., Algorithm 3.1).
#include "lib/partition/partition.h"

#include "host/log.h"
#include "host/parallel.h"

#include <inttypes.h>
#include <stdatomic.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Distances |i - j| of a Cartesian stencil: 1, nx, nx ny, as far as they occur.
struct offsets {
    int64_t value[3]; // ascending
    int count;
};

// Returns false if `offset` is a fourth distance.
static bool add_offset(struct offsets *F, int64_t offset)
{
    int at = 0;
    while (at < F->count && F->value[at] < offset)
        ++at;
    if (at < F->count && F->value[at] == offset)
        return true;
    if (F->count == 3)
        return false;
    for (int k = F->count++; k > at; --k)
        F->value[k] = F->value[k - 1];
    F->value[at] = offset;
    return true;
}

// Whether row i has the columns of the previous row, each shifted by one.
static bool repeats(const struct lcl_csr *A, int64_t i)
{
    const int64_t from = A->row_ptr[i], count = A->row_ptr[i + 1] - from;
    uint32_t differs = 0;
    if (i == 0 || from - A->row_ptr[i - 1] != count)
        return false;
    for (const int32_t *col = A->col_ind + from;
         col < A->col_ind + from + count; ++col)
        differs |= (uint32_t)col[0] - (uint32_t)col[-count] - 1;
    return differs == 0;
}

// Stops as soon as it has found three. A row that repeats the previous one has
// the same distances.
static bool find_offsets(struct offsets *F, const struct lcl_csr *A)
{
    for (int64_t i = 0; i < A->rows && F->count < 3; ++i) {
        if (repeats(A, i))
            continue;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            if (j != i && !add_offset(F, j > i ? j - i : i - j))
                return false;
        }
    }
    return F->count > 0 && F->value[0] == 1;
}

static bool are_neighbours(const int64_t grid[3], int64_t a, int64_t b)
{
    const int64_t low = a < b ? a : b, distance = a < b ? b - a : a - b;
    const int64_t nx = grid[0], ny = grid[1];
    if (distance == 1 && nx > 1)
        return low % nx != nx - 1;
    if (distance == nx && ny > 1)
        return low / nx % ny != ny - 1;
    return distance == nx * ny;
}

static bool row_fits(const struct lcl_csr *A, int64_t i, const int64_t grid[3])
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] != i && !are_neighbours(grid, i, A->col_ind[k]))
            return false;
    return true;
}

// Whether each row from `from` to to-1 has the columns of the previous row,
// each shifted by one.
static bool rows_repeat(const struct lcl_csr *A, int64_t from, int64_t to)
{
    const int64_t *ptr = A->row_ptr, count = ptr[from] - ptr[from - 1];
    uint64_t lengths = 0;
    uint32_t columns = 0;
    for (int64_t i = from; i < to; ++i)
        lengths |= (uint64_t)(ptr[i + 1] - ptr[i] - count);
    if (lengths != 0)
        return false;
    for (int64_t k = ptr[from]; k < ptr[to]; ++k)
        columns |=
            (uint32_t)A->col_ind[k] - (uint32_t)A->col_ind[k - count] - 1;
    return columns == 0;
}

// Checks the rows of one line of cells along x. Away from the line's ends, a
// row that repeats the previous one fits if that one does.
static bool line_fits(const struct lcl_csr *A, int64_t first,
                      const int64_t grid[3])
{
    const int64_t last = first + grid[0] - 1;
    for (int64_t i = first; i <= last; ++i) {
        if (!row_fits(A, i, grid))
            return false;
        if (i == first + 1 && i + 1 < last && rows_repeat(A, i + 1, last))
            i = last - 1;
    }
    return true;
}

struct fitting {
    const struct lcl_csr *A;
    const int64_t *grid;
    int64_t lines, chunks;
    atomic_bool failed;
};

static void fit_lines(void *arg, int64_t chunk)
{
    struct fitting *F = arg;
    const int64_t end = lcl_chunk_start(F->lines, F->chunks, chunk + 1);
    int64_t line = lcl_chunk_start(F->lines, F->chunks, chunk);
    while (line < end && line_fits(F->A, line * F->grid[0], F->grid))
        ++line;
    if (line < end)
        atomic_store(&F->failed, true);
}

// Whether every stored entry belongs to the stencil and none wraps around an
// edge of the grid.
static bool fits_grid(const struct lcl_csr *A, const int64_t grid[3])
{
    const int64_t lines = grid[1] * grid[2], chunks = lcl_chunks(A->nnz);
    struct fitting F = {
        .A = A, .grid = grid, .lines = lines, .chunks = smaller(chunks, lines)};
    lcl_parallel(F.chunks, fit_lines, &F);
    return !F.failed;
}

static bool detect_grid(int64_t grid[3], const struct lcl_csr *A)
{
    struct offsets F = {.count = 0};
    if (!find_offsets(&F, A))
        return false;
    const int64_t n = A->rows;
    const int64_t nx = F.count > 1 ? F.value[1] : n;
    const int64_t layer = F.count > 2 ? F.value[2] : n;
    if (layer % nx != 0 || n % layer != 0)
        return false;
    grid[0] = nx;
    grid[1] = layer / nx;
    grid[2] = n / layer;
    return fits_grid(A, grid);
}

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

static enum lcl_status choose_grid(int64_t grid[3], int64_t *unknowns,
                                   const struct lcl_csr *A,
                                   const int64_t wanted[3],
                                   const struct lcl_log *log)
{
    const int64_t n = A->rows;
    *unknowns = 1;
    if (wanted[0] == 0 && wanted[1] == 0 && wanted[2] == 0)
        return detect_grid(grid, A)
                   ? LCL_OK
                   : lcl_fail(log, LCL_EINVAL,
                              "geometric partition: the pattern is not a "
                              "7-point stencil; give the grid sizes");
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
        box[d] = smaller(params->box[d], grid[d]);
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

// Boxes of cells, x fastest; the unknowns of a cell are consecutive rows.
struct boxes {
    int64_t grid[3], box[3];
    int64_t count[3]; // number of boxes along x, y, z
    int64_t unknowns;
    struct lcl_subdomains *P;
};

// Numbers the rows of one box from *place on.
static void number_box(const struct boxes *B, const int64_t first[3],
                       int64_t *place)
{
    int64_t end[3];
    for (int d = 0; d < 3; ++d)
        end[d] = smaller(first[d] + B->box[d], B->grid[d]);
    const int64_t run = (end[0] - first[0]) * B->unknowns;
    for (int64_t z = first[2]; z < end[2]; ++z)
        for (int64_t y = first[1]; y < end[1]; ++y) {
            const int64_t row =
                ((z * B->grid[1] + y) * B->grid[0] + first[0]) * B->unknowns;
            for (int64_t i = 0; i < run; ++i)
                B->P->row[*place + i] = (int32_t)(row + i);
            *place += run;
        }
}

// Numbers a bar of boxes, side by side along x.
static void number_bar(void *arg, int64_t bar)
{
    const struct boxes *B = arg;
    const int64_t y = bar % B->count[1] * B->box[1];
    const int64_t z = bar / B->count[1] * B->box[2];
    const int64_t height = smaller(B->box[2], B->grid[2] - z);
    const int64_t before = (z * B->grid[1] + height * y) * B->grid[0];
    int64_t place = before * B->unknowns;
    for (int64_t b = 0; b < B->count[0]; ++b) {
        const int64_t first[] = {b * B->box[0], y, z};
        number_box(B, first, &place);
        B->P->part_ptr[bar * B->count[0] + b + 1] = place;
    }
}

enum lcl_status lcl_partition_geometric(
    struct lcl_subdomains *P, const struct lcl_csr *A,
    const struct lcl_partition_params *params, const struct lcl_log *log)
{
    struct boxes B = {.P = P};
    enum lcl_status st;
    if ((st = choose_grid(B.grid, &B.unknowns, A, params->grid, log)) < 0 ||
        (st = choose_box(B.box, B.grid, B.unknowns, params, log)) < 0)
        return st;
    for (int d = 0; d < 3; ++d)
        B.count[d] = (B.grid[d] - 1) / B.box[d] + 1;
    const int64_t bars = B.count[1] * B.count[2];
    if ((st = lcl_subdomains_allocate(P, A->rows, B.count[0] * bars, log)) < 0)
        return st;
    P->parts = B.count[0] * bars;
    lcl_parallel(bars, number_bar, &B);
    return LCL_OK;
}
