// SPDX-License-Identifier: BSD-3-Clause
// The built-in problems. Nodes are numbered x fastest, then y, then z; b
// unknowns of a node follow each other.
#include "lib/io/problem.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/number.h"
#include "lib/io/uniform.h"

#include <stdbool.h>

#define KNOWN                                                                  \
 "known are lap3d:N, lap3d:N,b=B, parabolic, q2:M, kuhn:NX,NY,NZ,B and "       \
 "rows:NxL,MxK, with numbers from 1 on and blocks B up to 8"

enum { BLOCK_MAX = 8, STENCIL_MAX = 15 };

// Neighbours of a node, in ascending order; `center` is the node itself.
struct stencil {
    int count;
    int center;
    signed char offset[STENCIL_MAX][3];
};

struct grid {
    int64_t n[3];
    int64_t b;
};

// Fills the b x b block of neighbour q, by rows; called in the order of the
// matrix. Bit p of `present` says that neighbour p is inside the grid.
typedef void block_fn(void *user, int q, unsigned present, double *block);

// What makes a matrix on a grid.
struct recipe {
    struct grid grid;
    const struct stencil *stencil;
    block_fn *block;
    void *user;
};

// clang-format off
static const struct stencil seven_point = {7, 3, {
    {0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
    {0, 0, 1}}};

// Edges of squares that are cut along one diagonal.
static const struct stencil triangles = {7, 3, {
    {-1, -1, 0}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
    {1, 1, 0}}};

// Edges of cubes that are cut into six tetrahedra round one diagonal.
static const struct stencil tetrahedra = {15, 7, {
    {-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {-1, -1, 0},
    {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
// clang-format on

// ---- storage

enum lcl_status lcl_problem_fail_range(const char *name,
                                       const struct lcl_log *log)
{
    return lcl_fail(log, LCL_ERANGE, "problem '%s': expected at most %d rows",
                    name, INT32_MAX);
}

enum lcl_status lcl_problem_allocate(struct lcl_csr *A, int64_t rows,
                                     int64_t nnz, const struct lcl_log *log)
{
    A->rows = A->cols = rows;
    A->nnz = nnz;
    A->row_ptr = lcl_calloc((size_t)rows + 1, sizeof *A->row_ptr);
    A->col_ind = lcl_malloc((size_t)nnz, sizeof *A->col_ind);
    A->val = lcl_malloc((size_t)nnz, sizeof *A->val);
    if (A->row_ptr && A->col_ind && A->val)
        return LCL_OK;
    return lcl_fail_memory(log, "a built-in problem");
}

// ---- matrices on a grid

static int64_t grid_rows(const struct grid *g)
{
    int64_t rows = g->b;
    for (int d = 0; d < 3; ++d) {
        if (g->n[d] > INT32_MAX / rows)
            return -1;
        rows *= g->n[d];
    }
    return rows;
}

// Each offset o finds a neighbour at prod(n - |o|) nodes.
static int64_t grid_entries(const struct grid *g, const struct stencil *s)
{
    int64_t blocks = 0;
    for (int q = 0; q < s->count; ++q) {
        int64_t found = 1;
        for (int d = 0; d < 3; ++d)
            found *= g->n[d] - (s->offset[q][d] != 0);
        blocks += found;
    }
    return blocks * g->b * g->b;
}

static unsigned neighbours(const struct grid *g, const struct stencil *s,
                           const int64_t at[3])
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

static int64_t node_distance(const struct grid *g, const signed char *offset)
{
    return offset[0] + g->n[0] * (offset[1] + g->n[1] * offset[2]);
}

// Puts a block at entry `k` of the first of its rows, which are `length` long.
static void put_block(struct lcl_csr *A, int64_t k, int64_t length, int64_t col,
                      int64_t b, const double *block)
{
    for (int64_t r = 0; r < b; ++r)
        for (int64_t s = 0; s < b; ++s) {
            A->col_ind[k + r * length + s] = (int32_t)(col * b + s);
            A->val[k + r * length + s] = block[r * b + s];
        }
}

static void fill_node(struct lcl_csr *A, const struct recipe *how, int64_t node,
                      unsigned present)
{
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
        double block[BLOCK_MAX * BLOCK_MAX];
        how->block(how->user, q, present, block);
        const signed char *offset = how->stencil->offset[q];
        const int64_t col = node + node_distance(&how->grid, offset);
        put_block(A, k, length, col, b, block);
        k += b;
    }
}

static enum lcl_status make_on_grid(struct lcl_csr *A, const char *name,
                                    const struct recipe *how,
                                    const struct lcl_log *log)
{
    const struct grid *g = &how->grid;
    const int64_t rows = grid_rows(g);
    if (rows < 0)
        return lcl_problem_fail_range(name, log);
    const int64_t nnz = grid_entries(g, how->stencil);
    const enum lcl_status st = lcl_problem_allocate(A, rows, nnz, log);
    if (st < 0)
        return st;
    int64_t node = 0, at[3];
    for (at[2] = 0; at[2] < g->n[2]; ++at[2])
        for (at[1] = 0; at[1] < g->n[1]; ++at[1])
            for (at[0] = 0; at[0] < g->n[0]; ++at[0])
                fill_node(A, how, node++, neighbours(g, how->stencil, at));
    return LCL_OK;
}

// ---- lap3d: 7-point Laplacian, b x b blocks coupled by C, whose rows sum to 0

static void lap3d_block(void *user, int q, unsigned present, double *block)
{
    const int64_t b = *(const int64_t *)user;
    const bool diagonal = q == seven_point.center;
    const double on = diagonal ? 6 + 0.1 * (double)(b - 1) : -1;
    (void)present;
    for (int64_t k = 0; k < b * b; ++k)
        block[k] = k % (b + 1) == 0 ? on : diagonal ? -0.1 : 0;
}

static enum lcl_status make_lap3d(struct lcl_csr *A, const char *name,
                                  const int64_t *number,
                                  const struct lcl_log *log)
{
    int64_t b = number[1];
    const struct recipe how = {
        {{number[0], number[0], number[0]}, b}, &seven_point, lap3d_block, &b};
    return make_on_grid(A, name, &how, log);
}

// ---- parabolic: tau K + M of linear elements on right triangles

enum { PARABOLIC_NX = 1025, PARABOLIC_NY = 513 };

static void parabolic_block(void *user, int q, unsigned present, double *block)
{
    const double tau = 1e-2, h = 1.0 / (PARABOLIC_NX - 1), m = h * h / 12;
    const signed char *offset = triangles.offset[q];
    (void)user;
    if (q != triangles.center) {
        const bool on_axis = offset[0] == 0 || offset[1] == 0;
        *block = on_axis ? m - tau : m;
        return;
    }
    double stiffness = 0, mass = 0;
    for (int p = 0; p < triangles.count; ++p) {
        if (p == q || !(present >> p & 1))
            continue;
        offset = triangles.offset[p];
        stiffness += offset[0] == 0 || offset[1] == 0;
        mass += m;
    }
    *block = tau * stiffness + mass;
}

static enum lcl_status make_parabolic(struct lcl_csr *A, const char *name,
                                      const int64_t *number,
                                      const struct lcl_log *log)
{
    const struct recipe how = {{{PARABOLIC_NX, PARABOLIC_NY, 1}, 1},
                               &triangles,
                               parabolic_block,
                               NULL};
    (void)number;
    return make_on_grid(A, name, &how, log);
}

// ---- kuhn: random blocks on a tetrahedral mesh, heavy on the diagonal

struct kuhn {
    int64_t b;
    uint64_t random;
};

static void kuhn_block(void *user, int q, unsigned present, double *block)
{
    struct kuhn *K = user;
    (void)present;
    for (int64_t k = 0; k < K->b * K->b; ++k) {
        const bool on = q == tetrahedra.center && k % (K->b + 1) == 0;
        block[k] = (on ? 20 : 0) + lcl_uniform(&K->random) - 0.5;
    }
}

static enum lcl_status make_kuhn(struct lcl_csr *A, const char *name,
                                 const int64_t *number,
                                 const struct lcl_log *log)
{
    struct kuhn K = {number[3], UINT64_C(88172645463325253)};
    const struct recipe how = {
        {{number[0], number[1], number[2]}, K.b}, &tetrahedra, kuhn_block, &K};
    return make_on_grid(A, name, &how, log);
}

// ---- q2: K (x) M + M (x) K of quadratic elements on an interval

// Rows of five, the diagonal in the middle. Inner nodes only: those of odd
// number are ends of elements and have five entries, the others have three.
struct band {
    int64_t n;
    double (*stiffness)[5];
    double (*mass)[5];
};

static void band_finish(struct band *B)
{
    lcl_free(B->stiffness);
    lcl_free(B->mass);
}

static enum lcl_status band_init(struct band *B, int64_t elements,
                                 const struct lcl_log *log)
{
    B->n = 2 * elements - 1;
    B->stiffness = lcl_calloc((size_t)B->n, sizeof *B->stiffness);
    B->mass = lcl_calloc((size_t)B->n, sizeof *B->mass);
    if (B->stiffness && B->mass)
        return LCL_OK;
    return lcl_fail_memory(log, "the bands of a built-in problem");
}

static bool in_band(const struct band *B, int64_t i, int d)
{
    const int width = i & 1 ? 2 : 1;
    return d >= -width && d <= width && i + d >= 0 && i + d < B->n;
}

static int64_t band_entries(const struct band *B)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < B->n; ++i)
        for (int d = -2; d <= 2; ++d)
            entries += in_band(B, i, d);
    return entries;
}

static void band_assemble(struct band *B, int64_t elements)
{
    static const double stiffness[3][3] = {
        {7, -8, 1}, {-8, 16, -8}, {1, -8, 7}};
    static const double mass[3][3] = {{4, 2, -1}, {2, 16, 2}, {-1, 2, 4}};
    const double h = 1 / (double)elements;
    for (int64_t e = 0; e < elements; ++e)
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c) {
                const int64_t i = 2 * e + a - 1, j = 2 * e + c - 1;
                if (i < 0 || j < 0 || i >= B->n || j >= B->n)
                    continue;
                B->stiffness[i][c - a + 2] += stiffness[a][c] / (3 * h);
                B->mass[i][c - a + 2] += mass[a][c] * h / 30;
            }
}

// Row of node (i, j); returns where the next row starts.
static int64_t q2_row(struct lcl_csr *A, const struct band *B, int64_t i,
                      int64_t j, int64_t k)
{
    for (int q = -2; q <= 2; ++q) {
        if (!in_band(B, j, q))
            continue;
        for (int p = -2; p <= 2; ++p) {
            if (!in_band(B, i, p))
                continue;
            A->col_ind[k] = (int32_t)(i + p + B->n * (j + q));
            A->val[k++] = B->stiffness[i][p + 2] * B->mass[j][q + 2] +
                          B->mass[i][p + 2] * B->stiffness[j][q + 2];
        }
    }
    return k;
}

static enum lcl_status make_q2(struct lcl_csr *A, const char *name,
                               const int64_t *number, const struct lcl_log *log)
{
    enum lcl_status st;
    struct band B = {0};
    // the largest n with n * n rows
    if (number[0] > (46340 + 1) / 2)
        return lcl_problem_fail_range(name, log);
    if ((st = band_init(&B, number[0], log)) < 0)
        goto out;
    band_assemble(&B, number[0]);
    const int64_t entries = band_entries(&B);
    if ((st = lcl_problem_allocate(A, B.n * B.n, entries * entries, log)) < 0)
        goto out;
    for (int64_t row = 0; row < A->rows; ++row)
        A->row_ptr[row + 1] =
            q2_row(A, &B, row % B.n, row / B.n, A->row_ptr[row]);
out:
    band_finish(&B);
    return st;
}

// ---- names

// `format` is a name in which each '#' stands for a number, and the last for a
// block size where `has_block` is set. Numbers that the name lacks are 1.
struct problem {
    const char *format;
    bool has_block;
    lcl_problem_make *make;
};

static const struct problem problems[] = {
    {"lap3d:#", false, make_lap3d},
    {"lap3d:#,b=#", true, make_lap3d},
    {"parabolic", false, make_parabolic},
    {"q2:#", false, make_q2},
    {"kuhn:#,#,#,#", true, make_kuhn},
    {"rows:#x#,#x#", false, lcl_problem_rows},
};

enum { NUMBERS = 4 };

// Whether the name has the form of P and its numbers are in order.
static bool match(const struct problem *P, char *name, int64_t *number)
{
    int count = 0;
    for (const char *f = P->format; *f; ++f) {
        if (*f != '#') {
            if (*name++ != *f)
                return false;
            continue;
        }
        name = lcl_parse_int(name, &number[count]);
        if (!name || number[count++] < 1)
            return false;
    }
    return *name == '\0' && !(P->has_block && number[count - 1] > BLOCK_MAX);
}

static enum lcl_status make_named(struct lcl_csr *A, char *name,
                                  const struct lcl_log *log)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
        int64_t number[NUMBERS] = {1, 1, 1, 1};
        if (match(&problems[i], name, number))
            return problems[i].make(A, name, number, log);
    }
    return lcl_fail(log, LCL_EINVAL, "problem '%s' does not exist: " KNOWN,
                    name);
}

enum lcl_status lcl_csr_problem(struct lcl_csr *A, const char *name,
                                const struct lcl_log *log)
{
    if (!A || !name)
        return lcl_misuse(log, "a problem: A or its name is NULL");
    *A = (struct lcl_csr){0};
    char *copy = lcl_strdup(name);
    if (!copy)
        return lcl_fail_memory(log, "the name of a problem");
    const enum lcl_status st = make_named(A, copy, log);
    if (st < 0)
        lcl_csr_finish(A);
    lcl_free(copy);
    return st;
}
