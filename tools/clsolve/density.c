// SPDX-License-Identifier: BSD-3-Clause
// Entries of a matrix by cells.
#include "tools/clsolve/density.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// The cell of each row; NULL: out of memory.
static uint8_t *find_cells(int cells, int64_t rows, const int32_t *group,
                           int64_t groups)
{
    uint8_t *cell = malloc((size_t)rows);
    for (int64_t i = 0; cell && i < rows; ++i)
        cell[i] = (uint8_t)((group ? group[i] : i) * cells / groups);
    return cell;
}

static void count(struct density *D, const struct lcl_csr *A,
                  const uint8_t *cell)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        int64_t *row = D->count + cell[i] * D->cells;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            ++row[cell[A->col_ind[k]]];
    }
}

static void find_range(struct density *D)
{
    for (int k = 0; k < D->cells * D->cells; ++k) {
        const int64_t entries = D->count[k];
        if (entries == 0)
            continue;
        if (D->least == 0 || entries < D->least)
            D->least = entries;
        if (entries > D->most)
            D->most = entries;
    }
}

static void shade(struct density *D)
{
    const double range = log((double)D->most / (double)D->least);
    for (int k = 0; k < D->cells * D->cells; ++k) {
        const double above = log((double)D->count[k] / (double)D->least);
        if (D->count[k] > 0)
            D->shade[k] = D->most == D->least
                              ? DENSITY_SHADES
                              : (uint8_t)(1 + lround((DENSITY_SHADES - 1) *
                                                     above / range));
    }
}

enum lcl_status density_count(struct density *D, const struct lcl_csr *A,
                              const int32_t *group, int64_t groups)
{
    if (!group)
        groups = A->rows;
    const int cells = groups < DENSITY_CELLS ? (int)groups : DENSITY_CELLS;
    const size_t all = (size_t)cells * (size_t)cells;
    *D = (struct density){
        .cells = cells,
        .count = calloc(all, sizeof *D->count),
        .shade = calloc(all, sizeof *D->shade),
    };
    uint8_t *cell = find_cells(cells, A->rows, group, groups);
    const bool enough = D->count && D->shade && cell;
    if (enough) {
        count(D, A, cell);
        find_range(D);
        shade(D);
    } else {
        density_finish(D);
    }
    free(cell);
    return enough ? LCL_OK : LCL_ENOMEM;
}

void density_finish(struct density *D)
{
    free(D->count);
    free(D->shade);
    *D = (struct density){0};
}
