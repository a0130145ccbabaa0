// SPDX-License-Identifier: BSD-3-Clause
// The Cartesian grid of a 7-point pattern.
#include "lib/partition/grid.h"

#include "host/log.h"
#include "host/order.h"
#include "host/parallel.h"

#include <stdatomic.h>

static int64_t cell_of(const struct lcl_grid_rows *R, int64_t number)
{
    return R->cell ? R->cell[number] : R->first + number;
}

static int64_t cell_of_row(const struct lcl_grid_rows *R, int64_t i)
{
    return cell_of(R, R->row ? R->row[i] : i);
}

// Whether equal differences of row numbers are equal differences of cells.
static bool is_consecutive(const struct lcl_grid_rows *R)
{
    return !R->cell && !R->row;
}

// Whether each row from `from` > 0 to to-1 has the columns of the previous row,
// each shifted by one.
static bool rows_repeat(const struct lcl_grid_rows *R, int64_t from, int64_t to)
{
    const int64_t *ptr = R->row_ptr, count = ptr[from] - ptr[from - 1];
    uint64_t lengths = 0;
    uint32_t columns = 0;
    for (int64_t i = from; i < to; ++i)
        lengths |= (uint64_t)(ptr[i + 1] - ptr[i] - count);
    if (lengths != 0)
        return false;
    for (int64_t k = ptr[from]; k < ptr[to]; ++k)
        columns |= (uint32_t)R->col[k] - (uint32_t)R->col[k - count] - 1;
    return columns == 0;
}

// ------------------------------------------------------------------- distances

static void add(struct lcl_distances *D, int64_t distance)
{
    int64_t at = 0;
    while (at < lcl_smaller(D->count, 3) && D->value[at] < distance)
        ++at;
    if (D->count > 3 || (at < D->count && D->value[at] == distance))
        return;
    if (++D->count > 3)
        return;
    for (int64_t k = D->count - 1; k > at; --k)
        D->value[k] = D->value[k - 1];
    D->value[at] = distance;
}

// A row that repeats the previous one has the same distances.
void lcl_distances_add(struct lcl_distances *D, const struct lcl_grid_rows *R)
{
    for (int64_t i = 0; i < R->rows && D->count < 3; ++i) {
        if (i > 0 && is_consecutive(R) && rows_repeat(R, i, i + 1))
            continue;
        const int64_t cell = cell_of_row(R, i);
        for (int64_t k = R->row_ptr[i]; k < R->row_ptr[i + 1]; ++k) {
            const int64_t other = cell_of(R, R->col[k]);
            if (other != cell)
                add(D, other > cell ? other - cell : cell - other);
        }
    }
}

void lcl_distances_merge(struct lcl_distances *D, const struct lcl_distances *E)
{
    for (int64_t k = 0; k < lcl_smaller(E->count, 3); ++k)
        add(D, E->value[k]);
    if (E->count > 3)
        D->count = E->count;
}

bool lcl_grid_of_distances(int64_t grid[3], const struct lcl_distances *D,
                           int64_t cells)
{
    if (D->count < 1 || D->count > 3 || D->value[0] != 1)
        return false;
    const int64_t nx = D->count > 1 ? D->value[1] : cells;
    const int64_t layer = D->count > 2 ? D->value[2] : cells;
    if (layer % nx != 0 || cells % layer != 0)
        return false;
    grid[0] = nx;
    grid[1] = layer / nx;
    grid[2] = cells / layer;
    return true;
}

// ------------------------------------------------------------------- fitting

struct fitting {
    const struct lcl_grid_rows *R;
    const int64_t *grid;
    int64_t chunks;
    atomic_bool failed;
};

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

static bool row_fits(const struct fitting *F, int64_t i)
{
    const struct lcl_grid_rows *R = F->R;
    const int64_t cell = cell_of_row(R, i);
    for (int64_t k = R->row_ptr[i]; k < R->row_ptr[i + 1]; ++k) {
        const int64_t other = cell_of(R, R->col[k]);
        if (other != cell && !are_neighbours(F->grid, cell, other))
            return false;
    }
    return true;
}

// End of the rows after row i that fit if row i fits and they repeat it: the
// rows of the same line along x, between its first and its last cell.
static int64_t line_end(const struct fitting *F, int64_t i, int64_t end)
{
    const int64_t nx = F->grid[0], x = cell_of_row(F->R, i) % nx;
    return is_consecutive(F->R) && x > 0 && x < nx - 1
               ? lcl_smaller(i + nx - 1 - x, end)
               : i + 1;
}

// Each line is tested once.
static void fit_chunk(void *arg, int64_t chunk)
{
    struct fitting *F = arg;
    const struct lcl_grid_rows *R = F->R;
    const int64_t end = lcl_chunk_start(R->rows, F->chunks, chunk + 1);
    int64_t i = lcl_chunk_start(R->rows, F->chunks, chunk), tried = i;
    while (i < end && row_fits(F, i)) {
        if (i >= tried) {
            tried = line_end(F, i, end);
            if (tried > i + 1 && rows_repeat(R, i + 1, tried))
                i = tried - 1;
        }
        ++i;
    }
    if (i < end)
        atomic_store(&F->failed, true);
}

bool lcl_grid_fits(const struct lcl_grid_rows *R, const int64_t grid[3])
{
    struct fitting F = {
        .R = R, .grid = grid, .chunks = lcl_chunks(R->row_ptr[R->rows])};
    F.chunks = lcl_smaller(F.chunks, R->rows > 0 ? R->rows : 1);
    lcl_parallel(F.chunks, fit_chunk, &F);
    return !atomic_load(&F.failed);
}

// ------------------------------------------------------------------- search

bool lcl_grid_find(int64_t grid[3], const struct lcl_csr *A)
{
    const struct lcl_grid_rows all = {
        .rows = A->rows, .row_ptr = A->row_ptr, .col = A->col_ind};
    struct lcl_distances D = {.count = 0};
    lcl_distances_add(&D, &all);
    return lcl_grid_of_distances(grid, &D, A->rows) &&
           lcl_grid_fits(&all, grid);
}

enum lcl_status lcl_grid_refuse(const struct lcl_log *log)
{
    return lcl_fail(log, LCL_EINVAL,
                    "geometric partition: the pattern is not a 7-point "
                    "stencil; give the grid sizes");
}
