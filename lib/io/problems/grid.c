// SPDX-License-Identifier: BSD-3-Clause
// Matrices on the nodes of a grid.
#include "lib/io/problems/grid.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/io/problems/problem.h"
#include "lib/io/problems/uniform.h"

#include <inttypes.h>
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

const struct lcl_stencil lcl_hexahedra = {27, 13, {
    {-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {0, 0, -1},
    {1, 0, -1}, {-1, 1, -1}, {0, 1, -1}, {1, 1, -1},
    {-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {0, 0, 0},
    {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
    {-1, -1, 1}, {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1},
    {1, 0, 1}, {-1, 1, 1}, {0, 1, 1}, {1, 1, 1}}};
// clang-format on

// -1 if there are more than `most`.
static int64_t count_rows(const struct lcl_grid *g, int64_t most)
{
    int64_t rows = g->b;
    for (int d = 0; d < 3; ++d) {
        if (g->n[d] > most / rows)
            return -1;
        rows *= g->n[d];
    }
    return rows;
}

int64_t lcl_grid_rows(const struct lcl_grid *g)
{
    return count_rows(g, INT32_MAX);
}

// Number of x in [0, end) with a neighbour at this offset in [0, n).
static int64_t inside_before(int64_t end, int64_t n, int offset)
{
    const int64_t low = offset < 0 ? -offset : 0;
    const int64_t high = offset > 0 ? n - offset : n;
    return (end < high ? end : high) > low ? (end < high ? end : high) - low
                                           : 0;
}

static bool is_inside(int64_t x, int64_t n, int offset)
{
    return x + offset >= 0 && x + offset < n;
}

// Number of blocks of the nodes before a node: whole planes, whole lines of its
// plane, nodes of its line.
static int64_t blocks_before(const struct lcl_grid *g,
                             const struct lcl_stencil *s, const int64_t at[3])
{
    const int64_t *n = g->n;
    int64_t blocks = 0;
    for (int q = 0; q < s->count; ++q) {
        const signed char *o = s->offset[q];
        const int64_t line = inside_before(n[0], n[0], o[0]);
        const int64_t plane = inside_before(n[1], n[1], o[1]) * line;
        blocks += inside_before(at[2], n[2], o[2]) * plane;
        if (!is_inside(at[2], n[2], o[2]))
            continue;
        blocks += inside_before(at[1], n[1], o[1]) * line;
        if (is_inside(at[1], n[1], o[1]))
            blocks += inside_before(at[0], n[0], o[0]);
    }
    return blocks;
}

int64_t lcl_grid_blocks(const struct lcl_grid *g, const struct lcl_stencil *s)
{
    return blocks_before(g, s, (int64_t[]){0, 0, g->n[2]});
}

static unsigned neighbours(const struct lcl_grid *g,
                           const struct lcl_stencil *s, const int64_t at[3])
{
    unsigned present = 0;
    for (int q = 0; q < s->count; ++q) {
        bool inside = true;
        for (int d = 0; d < 3; ++d)
            inside = inside && is_inside(at[d], g->n[d], s->offset[q][d]);
        present |= (unsigned)inside << q;
    }
    return present;
}

static int64_t node_distance(const struct lcl_grid *g,
                             const signed char *offset)
{
    return offset[0] + g->n[0] * (offset[1] + g->n[1] * offset[2]);
}

// A node and the number of blocks before it.
struct node {
    int64_t number;
    int64_t blocks;
    struct lcl_site site;
};

typedef void node_fn(void *A, const struct lcl_recipe *how,
                     const struct node *node, uint64_t *random);

// Nodes first .. first + nodes - 1.
struct filling {
    void *A;
    const struct lcl_recipe *how;
    node_fn *fill_node;
    int64_t first, nodes, chunks;
};

static void step(int64_t at[3], const int64_t n[3])
{
    for (int d = 0; d < 2 && ++at[d] == n[d]; ++d)
        at[d] = 0;
    at[2] += at[0] == 0 && at[1] == 0;
}

static void find_node(int64_t at[3], const int64_t n[3], int64_t number)
{
    at[0] = number % n[0];
    at[1] = number / n[0] % n[1];
    at[2] = number / n[0] / n[1];
}

static void fill_chunk(void *arg, int64_t chunk)
{
    const struct filling *F = arg;
    const struct lcl_grid *g = &F->how->grid;
    const int64_t *n = g->n;
    const int64_t end =
        F->first + lcl_chunk_start(F->nodes, F->chunks, chunk + 1);
    struct node node = {.number = F->first +
                                  lcl_chunk_start(F->nodes, F->chunks, chunk)};
    int64_t *at = node.site.at;
    find_node(at, n, node.number);
    node.blocks = blocks_before(g, F->how->stencil, at);
    uint64_t random =
        F->how->seed ? lcl_uniform_skip(F->how->seed, node.blocks * g->b * g->b)
                     : 0;
    for (; node.number < end; ++node.number) {
        node.site.present = neighbours(g, F->how->stencil, at);
        F->fill_node(F->A, F->how, &node, &random);
        for (unsigned rest = node.site.present; rest; rest &= rest - 1)
            ++node.blocks;
        step(at, n);
    }
}

static void fill(void *A, const struct lcl_recipe *how, node_fn *fill_node,
                 int64_t first, int64_t nodes)
{
    struct filling F = {A, how, fill_node, first, nodes, lcl_chunks(nodes)};
    lcl_parallel(F.chunks, fill_chunk, &F);
}

// ---- by rows

// All rows or those of a rank, which begin at node `first`; `before` blocks
// precede it. Either col_ind or col is NULL.
struct target {
    int64_t *row_ptr;
    int32_t *col_ind;
    int64_t *col;
    double *val;
    int64_t first, before;
};

// Writes a block; `k` is its entry in its first row; its rows have `length`
// entries.
static void put_block(const struct target *A, int64_t k, int64_t length,
                      int64_t col, int64_t b, const double *block)
{
    for (int64_t r = 0; r < b; ++r)
        for (int64_t s = 0; s < b; ++s) {
            if (A->col)
                A->col[k + r * length + s] = col * b + s;
            else
                A->col_ind[k + r * length + s] = (int32_t)(col * b + s);
            A->val[k + r * length + s] = block[r * b + s];
        }
}

static void fill_rows(void *matrix, const struct lcl_recipe *how,
                      const struct node *node, uint64_t *random)
{
    const struct target *A = matrix;
    const int64_t b = how->grid.b;
    int64_t length = 0, k = (node->blocks - A->before) * b * b;
    for (unsigned rest = node->site.present; rest; rest &= rest - 1)
        length += b;
    for (int64_t r = 0; r < b; ++r)
        A->row_ptr[(node->number - A->first) * b + r] = k + r * length;
    for (int q = 0; q < how->stencil->count; ++q) {
        if (!(node->site.present >> q & 1))
            continue;
        double block[LCL_BLOCK_MAX * LCL_BLOCK_MAX];
        how->block(how->user, &node->site, q, random, block);
        const signed char *offset = how->stencil->offset[q];
        const int64_t col = node->number + node_distance(&how->grid, offset);
        put_block(A, k, length, col, b, block);
        k += b;
    }
}

static enum lcl_status matrix_on_grid(struct lcl_csr *A, const char *name,
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
    A->row_ptr[rows] = nnz;
    struct target T = {A->row_ptr, A->col_ind, NULL, A->val, 0, 0};
    fill(&T, how, fill_rows, 0, rows / b);
    return LCL_OK;
}

static int64_t blocks_before_number(const struct lcl_recipe *how,
                                    int64_t number)
{
    int64_t at[3];
    find_node(at, how->grid.n, number);
    return blocks_before(&how->grid, how->stencil, at);
}

static enum lcl_status rows_on_grid(const struct lcl_problem_out *to,
                                    const char *name,
                                    const struct lcl_recipe *how,
                                    const struct lcl_log *log)
{
    const int64_t b = how->grid.b;
    const int64_t total = count_rows(&how->grid, LCL_ROWS_MAX);
    const struct lcl_share share = {(int)b, to->share.rank, to->share.size};
    struct lcl_rows *R = to->rows;
    if (total < 0)
        return lcl_fail(log, LCL_ERANGE,
                        "problem '%s': expected at most %" PRId64 " rows", name,
                        LCL_ROWS_MAX);
    enum lcl_status st = lcl_rows_init(R, total, &share, log);
    if (st < 0)
        return st;
    const int64_t first = R->first / b, end = (R->first + R->rows) / b;
    const int64_t before = blocks_before_number(how, first);
    const int64_t nnz = (blocks_before_number(how, end) - before) * b * b;
    if ((st = lcl_rows_allocate(R, nnz, log)) < 0)
        return st;
    R->row_ptr[R->rows] = nnz;
    struct target T = {R->row_ptr, NULL, R->col, R->val, first, before};
    fill(&T, how, fill_rows, first, end - first);
    return LCL_OK;
}

enum lcl_status lcl_problem_on_grid(const struct lcl_problem_out *to,
                                    const char *name,
                                    const struct lcl_recipe *how,
                                    const struct lcl_log *log)
{
    return to->rows ? rows_on_grid(to, name, how, log)
                    : matrix_on_grid(to->A, name, how, log);
}

// ---- by blocks

static void fill_blocks(void *matrix, const struct lcl_recipe *how,
                        const struct node *node, uint64_t *random)
{
    struct lcl_bsr *A = matrix;
    const int64_t values = how->grid.b * how->grid.b;
    int64_t k = node->blocks;
    A->row_ptr[node->number] = k;
    for (int q = 0; q < how->stencil->count; ++q) {
        if (!(node->site.present >> q & 1))
            continue;
        const signed char *offset = how->stencil->offset[q];
        A->col_ind[k] =
            (int32_t)(node->number + node_distance(&how->grid, offset));
        how->block(how->user, &node->site, q, random, A->val + k++ * values);
    }
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
    A->row_ptr[A->rows] = A->nnz;
    fill(A, how, fill_blocks, 0, A->rows);
    return LCL_OK;
}
