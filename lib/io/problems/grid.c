// SPDX-License-Identifier: BSD-3-Clause
// Matrices on the nodes of a grid.
#include "lib/io/problems/grid.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/problems/problem.h"

#include <stdbool.h>

// clang-format off
const struct lcl_stencil lcl_seven_point = {7, 3, {
    {0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
    {0, 0, 1}}};

const struct lcl_stencil lcl_triangles = {7, 3, {
    {-1, -1, 0}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
    {1, 1, 0}}};

const struct lcl_stencil lcl_tetrahedra = {15, 7, {
    {-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {-1, -1, 0},
    {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
// clang-format on

int64_t lcl_grid_rows(const struct lcl_grid *g)
{
    int64_t rows = g->b;
    for (int d = 0; d < 3; ++d) {
        if (g->n[d] > INT32_MAX / rows)
            return -1;
        rows *= g->n[d];
    }
    return rows;
}

// The offset o has a neighbour at prod(n - |o|) nodes.
int64_t lcl_grid_blocks(const struct lcl_grid *g, const struct lcl_stencil *s)
{
    int64_t blocks = 0;
    for (int q = 0; q < s->count; ++q) {
        int64_t found = 1;
        for (int d = 0; d < 3; ++d)
            found *= g->n[d] - (s->offset[q][d] != 0);
        blocks += found;
    }
    return blocks;
}

static unsigned neighbours(const struct lcl_grid *g,
                           const struct lcl_stencil *s, const int64_t at[3])
{
    unsigned present = 0;
    for (int q = 0; q < s->count; ++q) {
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
            const int64_t x = at[d] + s->offset[q][d];
            inside = inside && x >= 0 && x < g->n[d];
        }
        present |= (unsigned)inside << q;
    }
    return present;
}

static int64_t node_distance(const struct lcl_grid *g,
                             const signed char *offset)
{
    return offset[0] + g->n[0] * (offset[1] + g->n[1] * offset[2]);
}

typedef void node_fn(void *A, const struct lcl_recipe *how, int64_t node,
                     unsigned present);

static void fill(void *A, const struct lcl_recipe *how, node_fn *fill_node)
{
    const struct lcl_grid *g = &how->grid;
    int64_t node = 0, at[3];
    for (at[2] = 0; at[2] < g->n[2]; ++at[2])
        for (at[1] = 0; at[1] < g->n[1]; ++at[1])
            for (at[0] = 0; at[0] < g->n[0]; ++at[0])
                fill_node(A, how, node++, neighbours(g, how->stencil, at));
}

// ---- by rows

// Writes a block; `k` is its entry in its first row; its rows have `length`
// entries.
static void put_block(struct lcl_csr *A, int64_t k, int64_t length, int64_t col,
                      int64_t b, const double *block)
{
    for (int64_t r = 0; r < b; ++r)
        for (int64_t s = 0; s < b; ++s) {
            A->col_ind[k + r * length + s] = (int32_t)(col * b + s);
            A->val[k + r * length + s] = block[r * b + s];
        }
}

static void fill_rows(void *matrix, const struct lcl_recipe *how, int64_t node,
                      unsigned present)
{
    struct lcl_csr *A = matrix;
    const int64_t b = how->grid.b;
    int64_t length = 0;
    for (unsigned rest = present; rest; rest &= rest - 1)
        length += b;
    int64_t *row_ptr = A->row_ptr + node * b;
    int64_t k = row_ptr[0];
    for (int64_t r = 0; r < b; ++r)
        row_ptr[r + 1] = row_ptr[r] + length;
    for (int q = 0; q < how->stencil->count; ++q) {
        if (!(present >> q & 1))
            continue;
        double block[LCL_BLOCK_MAX * LCL_BLOCK_MAX];
        how->block(how->user, q, present, block);
        const signed char *offset = how->stencil->offset[q];
        const int64_t col = node + node_distance(&how->grid, offset);
        put_block(A, k, length, col, b, block);
        k += b;
    }
}

enum lcl_status lcl_problem_on_grid(struct lcl_csr *A, const char *name,
                                    const struct lcl_recipe *how,
                                    const struct lcl_log *log)
{
    const int64_t rows = lcl_grid_rows(&how->grid), b = how->grid.b;
    if (rows < 0)
        return lcl_problem_fail_range(name, log);
    const int64_t nnz = lcl_grid_blocks(&how->grid, how->stencil) * b * b;
    const enum lcl_status st = lcl_problem_allocate(A, rows, nnz, log);
    if (st < 0)
        return st;
    fill(A, how, fill_rows);
    return LCL_OK;
}

// ---- by blocks

static void fill_blocks(void *matrix, const struct lcl_recipe *how,
                        int64_t node, unsigned present)
{
    struct lcl_bsr *A = matrix;
    const int64_t values = how->grid.b * how->grid.b;
    int64_t k = A->row_ptr[node];
    for (int q = 0; q < how->stencil->count; ++q) {
        if (!(present >> q & 1))
            continue;
        const signed char *offset = how->stencil->offset[q];
        A->col_ind[k] = (int32_t)(node + node_distance(&how->grid, offset));
        how->block(how->user, q, present, A->val + k++ * values);
    }
    A->row_ptr[node + 1] = k;
}

enum lcl_status lcl_problem_blocks_on_grid(struct lcl_bsr *A, const char *name,
                                           const struct lcl_recipe *how,
                                           const struct lcl_log *log)
{
    const int64_t rows = lcl_grid_rows(&how->grid), b = how->grid.b;
    if (rows < 0)
        return lcl_problem_fail_range(name, log);
    A->rows = A->cols = rows / b;
    A->nnz = lcl_grid_blocks(&how->grid, how->stencil);
    A->block_size = (int)b;
    A->row_ptr = lcl_calloc((size_t)A->rows + 1, sizeof *A->row_ptr);
    A->col_ind = lcl_malloc((size_t)A->nnz, sizeof *A->col_ind);
    A->val = lcl_malloc((size_t)A->nnz, (size_t)(b * b) * sizeof *A->val);
    if (!A->row_ptr || !A->col_ind || !A->val)
        return lcl_fail_memory(log, "a built-in problem");
    fill(A, how, fill_blocks);
    return LCL_OK;
}
