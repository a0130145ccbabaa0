// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a Cartesian grid (Mehta et al., Algorithm 3.1).
#include "lib/partition/partition.h"

#include "host/log.h"

#include <inttypes.h>

// Distances |i - j| of a Cartesian stencil: 1, nx, nx ny, as far as they occur.
struct offsets {
    int64_t value[3]; // ascend
    int count;
};

// Returns false where the distance is a fourth one.
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

// Whether row i has the columns of the row before, each one further.
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

// Looks no further than it needs to find three. A row that repeats the one
// before has its distances.
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

// Whether every stored entry is one of the stencil and none wraps around an
// edge of the grid. Away from the edges a row that repeats the one before is as
// good as that one.
static bool fits_grid(const struct lcl_csr *A, const int64_t grid[3])
{
    const int64_t nx = grid[0], ny = grid[1], lines = ny * grid[2];
    for (int64_t line = 0, i = 0; line < lines; ++line) {
        const bool at_edge = line % ny == 0 || line % ny == ny - 1;
        for (int64_t x = 0; x < nx; ++x, ++i) {
            const bool inside = !at_edge && x > 0 && x < nx - 1;
            if (!(inside && repeats(A, i)) && !row_fits(A, i, grid))
                return false;
        }
    }
    return true;
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

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
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
                              "geometric partition: the pattern is no 7-point "
                              "stencil, the grid sizes must be given");
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
                        "geometric partition: %" PRId64
                        " rows are no multiple of %" PRId64 " x %" PRId64
                        " x %" PRId64 " cells",
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
                        " x %" PRId64 " cells, %" PRId64
                        " unknowns each, has more than %" PRId64 " rows",
                        box[0], box[1], box[2], unknowns, params->rows);
    return LCL_OK;
}

// One line of cells along x, whose first box is `part`. Returns its end.
static int32_t *label_line(int32_t *label, int64_t part, int64_t cells,
                           int64_t box, int64_t unknowns)
{
    for (int64_t x = 0; x < cells; x += box, ++part) {
        const int64_t count = smaller(box, cells - x) * unknowns;
        for (int64_t i = 0; i < count; ++i)
            label[i] = (int32_t)part;
        label += count;
    }
    return label;
}

// Rows are numbered by cell, x fastest; the unknowns of a cell are consecutive.
static void label_cells(int32_t *label, const int64_t grid[3],
                        const int64_t box[3], int64_t unknowns)
{
    const int64_t bx = (grid[0] - 1) / box[0] + 1;
    const int64_t by = (grid[1] - 1) / box[1] + 1;
    for (int64_t z = 0; z < grid[2]; ++z)
        for (int64_t y = 0; y < grid[1]; ++y)
            label = label_line(label, bx * (y / box[1] + by * (z / box[2])),
                               grid[0], box[0], unknowns);
}

enum lcl_status lcl_partition_geometric(
    int32_t *label, const struct lcl_csr *A,
    const struct lcl_partition_params *params, const struct lcl_log *log)
{
    int64_t grid[3], box[3], unknowns;
    enum lcl_status st;
    if ((st = choose_grid(grid, &unknowns, A, params->grid, log)) < 0 ||
        (st = choose_box(box, grid, unknowns, params, log)) < 0)
        return st;
    label_cells(label, grid, box, unknowns);
    return LCL_OK;
}
