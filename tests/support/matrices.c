// SPDX-License-Identifier: BSD-3-Clause
// Small matrices for tests.
#include "tests/support/matrices.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// splitmix64
double test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void *array(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static struct lcl_csr allocate(int64_t n, int64_t entries)
{
    return (struct lcl_csr){
        .rows = n,
        .cols = n,
        .row_ptr = array(n + 1, sizeof(int64_t)),
        .col_ind = array(entries, sizeof(int32_t)),
        .val = array(entries, sizeof(double)),
    };
}

// Rows and columns must ascend.
static void append(struct lcl_csr *A, int64_t i, int64_t j, double value)
{
    A->col_ind[A->nnz] = (int32_t)j;
    A->val[A->nnz] = value;
    A->row_ptr[i + 1] = ++A->nnz;
}

void test_csr_finish(struct lcl_csr *A)
{
    free(A->row_ptr);
    free(A->col_ind);
    free(A->val);
    *A = (struct lcl_csr){0};
}

void test_bsr_finish(struct lcl_bsr *A)
{
    free(A->row_ptr);
    free(A->col_ind);
    free(A->val);
    *A = (struct lcl_bsr){0};
}

double test_entry(const struct lcl_csr *A, int64_t i, int64_t j)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            return A->val[k];
    return 0;
}

// Distance to the next column, 1 / density on average, so that the time depends
// on the number of entries, not on n^2.
static int64_t gap(double density, uint64_t *state)
{
    return 1 + (int64_t)(test_random(state) * (2 / density - 1));
}

static void append_random_row(struct lcl_csr *A, int64_t i, int64_t limit,
                              double density, uint64_t *state)
{
    const int64_t first = A->nnz;
    int64_t diagonal = -1;
    double sum = 1;
    for (int64_t j = gap(density, state) - 1; j < A->cols;
         j += gap(density, state)) {
        if (diagonal < 0 && j >= i) {
            diagonal = A->nnz;
            append(A, i, i, 0);
        }
        if (j == i || A->nnz - first >= limit)
            continue;
        append(A, i, j, 2 * test_random(state) - 1);
        sum += fabs(A->val[A->nnz - 1]);
    }
    if (diagonal < 0) {
        diagonal = A->nnz;
        append(A, i, i, 0);
    }
    A->val[diagonal] = sum;
}

struct lcl_csr test_random_csr(int64_t n, double per_row, unsigned seed)
{
    // Longer rows are truncated; random rows never have so many entries.
    const int64_t limit =
        n < 64 + 8 * (int64_t)per_row ? n : 64 + 8 * (int64_t)per_row;
    struct lcl_csr A = allocate(n, n * (limit + 1));
    uint64_t state = seed;
    const double density = n > 1 ? per_row / (double)(n - 1) : 0;
    for (int64_t i = 0; i < n; ++i) {
        if (density > 0)
            append_random_row(&A, i, limit, density, &state);
        else
            append(&A, i, i, 1);
    }
    return A;
}

struct lcl_csr test_loose_csr(int64_t n, double per_row)
{
    struct lcl_csr A = test_random_csr(n, per_row, 1);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= A.col_ind[k] == i ? 0.5 : 1;
    return A;
}

struct lcl_csr test_stretched_csr(int64_t rows, int64_t cols, unsigned seed)
{
    struct lcl_csr A = allocate(rows, rows * 6);
    uint64_t state = seed;
    A.cols = cols;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t near = i % cols;
        const int length = i % 7 == 6 ? 0 : 3 + (int)(test_random(&state) * 4);
        int64_t j = i % 3 == 0 ? 0 : near;
        append(&A, i, j, 2 * test_random(&state) - 1);
        A.nnz -= length == 0;
        for (int k = 1; k < length; ++k) {
            const double reach = k % 2 ? 4 : (double)cols / 3;
            j += 1 + (int64_t)(test_random(&state) * reach);
            if (j < cols)
                append(&A, i, j, 2 * test_random(&state) - 1);
        }
        A.row_ptr[i + 1] = A.nnz;
    }
    return A;
}

static void append_cell(struct lcl_csr *A, const int64_t grid[3], int64_t cell)
{
    const int64_t step[3] = {1, grid[0], grid[0] * grid[1]};
    const int64_t at[3] = {cell % grid[0], cell / step[1] % grid[1],
                           cell / step[2]};
    for (int d = 2; d >= 0; --d)
        if (at[d] > 0)
            append(A, cell, cell - step[d], -1);
    append(A, cell, cell, 6);
    for (int d = 0; d < 3; ++d)
        if (at[d] < grid[d] - 1)
            append(A, cell, cell + step[d], -1);
}

struct lcl_csr test_laplacian(int64_t nx, int64_t ny, int64_t nz)
{
    const int64_t grid[3] = {nx, ny, nz}, n = nx * ny * nz;
    struct lcl_csr A = allocate(n, 7 * n);
    for (int64_t cell = 0; cell < n; ++cell)
        append_cell(&A, grid, cell);
    return A;
}

// Which diagonal divides the square whose lowest corner is (x, y).
static bool rises(int64_t x, int64_t y)
{
    return ((uint32_t)(x * 40503 + y * 30011) * 0x9e3779b1u) >> 31;
}

static bool is_edge(int64_t x, int64_t y, int dx, int dy)
{
    const int64_t left = dx < 0 ? x - 1 : x, low = dy < 0 ? y - 1 : y;
    return dx == 0 || dy == 0 || rises(left, low) == (dx == dy);
}

struct lcl_csr test_triangulation(int64_t nx, int64_t ny)
{
    struct lcl_csr A = allocate(nx * ny, 9 * nx * ny);
    for (int64_t i = 0; i < nx * ny; ++i) {
        const int64_t x = i % nx, y = i / nx;
        int64_t own = 0;
        for (int d = 0; d < 9; ++d) {
            const int dx = d % 3 - 1, dy = d / 3 - 1;
            const bool inside =
                x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny;
            own = d == 4 ? A.nnz : own;
            if (inside && is_edge(x, y, dx, dy))
                append(&A, i, i + dy * nx + dx, -1);
        }
        A.row_ptr[i + 1] = A.nnz;
        A.val[own] = (double)(A.nnz - A.row_ptr[i] - 1) + 0.05;
    }
    return A;
}

struct lcl_csr test_expand_blocks(const struct lcl_csr *A, int64_t unknowns)
{
    const int64_t n = A->rows * unknowns;
    struct lcl_csr B = allocate(n, A->nnz * unknowns * unknowns);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t cell = i / unknowns;
        for (int64_t k = A->row_ptr[cell]; k < A->row_ptr[cell + 1]; ++k)
            for (int64_t u = 0; u < unknowns; ++u)
                append(&B, i, A->col_ind[k] * unknowns + u, A->val[k]);
        B.row_ptr[i + 1] = B.nnz;
    }
    return B;
}

struct lcl_bsr test_random_blocks(const struct lcl_csr *A, int block_size,
                                  unsigned seed)
{
    const int64_t values = A->nnz * block_size * block_size;
    struct lcl_bsr B = {
        .rows = A->rows,
        .cols = A->cols,
        .nnz = A->nnz,
        .block_size = block_size,
        .row_ptr = array(A->rows + 1, sizeof(int64_t)),
        .col_ind = array(A->nnz, sizeof(int32_t)),
        .val = array(values, sizeof(double)),
    };
    uint64_t state = seed;
    for (int64_t i = 0; i <= A->rows; ++i)
        B.row_ptr[i] = A->row_ptr[i];
    for (int64_t k = 0; k < A->nnz; ++k)
        B.col_ind[k] = A->col_ind[k];
    for (int64_t v = 0; v < values; ++v)
        B.val[v] = 2 * test_random(&state) - 1;
    return B;
}

struct lcl_csr test_csr_from_dense(int64_t n, const double *dense)
{
    struct lcl_csr A = allocate(n, n * n);
    for (int64_t i = 0; i < n; ++i) {
        A.row_ptr[i + 1] = A.nnz;
        for (int64_t j = 0; j < n; ++j)
            if (dense[i * n + j] != 0)
                append(&A, i, j, dense[i * n + j]);
    }
    return A;
}

struct lcl_csr test_power_law(int64_t n)
{
    enum { COUPLINGS = 4 };
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    uint64_t random = 7;
    assert_non_null(dense);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] += 0.01;
        for (int k = 0; k < COUPLINGS && i > 0; ++k) {
            const double u = test_random(&random);
            const int64_t j = (int64_t)((double)i * u * u * u);
            dense[i * n + j] -= 1;
            dense[j * n + i] -= 1;
            dense[i * n + i] += 1;
            dense[j * n + j] += 1;
        }
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

struct lcl_csr test_identity(int64_t n)
{
    return test_random_csr(n, 0, 0);
}

struct lcl_csr test_dense_row(int64_t n, int64_t row)
{
    struct lcl_csr A = allocate(n, 2 * n);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t first = i == row ? 0 : i, last = i == row ? n : i + 1;
        for (int64_t j = first; j < last; ++j)
            append(&A, i, j, i == j ? (double)n : -1);
    }
    return A;
}

// Appends row i of A, moved by `by` rows and columns.
static void append_row(struct lcl_csr *to, const struct lcl_csr *A, int64_t i,
                       int64_t by)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        append(to, i + by, A->col_ind[k] + by, A->val[k]);
}

struct lcl_csr test_bordered(struct lcl_csr A, double row, double column,
                             double corner)
{
    const int64_t n = A.rows;
    struct lcl_csr B = allocate(n + 1, A.nnz + 2 * n + 1);
    for (int64_t i = 0; i < n; ++i) {
        append_row(&B, &A, i, 0);
        if (column != 0)
            append(&B, i, n, column);
    }
    for (int64_t j = 0; j < n && row != 0; ++j)
        append(&B, n, j, row);
    if (corner != 0)
        append(&B, n, n, corner);
    test_csr_finish(&A);
    return B;
}

struct lcl_csr test_joined(struct lcl_csr A, struct lcl_csr B)
{
    struct lcl_csr C = allocate(A.rows + B.rows, A.nnz + B.nnz);
    for (int64_t i = 0; i < A.rows; ++i)
        append_row(&C, &A, i, 0);
    for (int64_t i = 0; i < B.rows; ++i)
        append_row(&C, &B, i, A.rows);
    test_csr_finish(&A);
    test_csr_finish(&B);
    return C;
}

// Row i of a chunk that starts at `first`, with `ends` long rows at each end.
static void append_long_row(struct lcl_csr *A, int64_t i, int64_t first,
                            int64_t part, int64_t ends, uint64_t *state)
{
    const int64_t from = first + ends, to = first + part - ends;
    const int64_t start = A->nnz;
    double sum = 1;
    if (i < to)
        append(A, i, i, 0);
    for (int64_t j = from; j < to && (i < from || i >= to); ++j) {
        if (i > first && test_random(state) * 3 >= 2)
            continue;
        append(A, i, j, 2 * test_random(state) - 1);
        sum += fabs(A->val[A->nnz - 1]);
    }
    if (i >= to)
        append(A, i, i, 0);
    A->val[i < to ? start : A->nnz - 1] = sum;
}

struct lcl_csr test_long_rows(int64_t parts, int64_t part, unsigned seed)
{
    struct lcl_csr A = allocate(parts * part, parts * part * part);
    uint64_t state = seed;
    for (int64_t i = 0; i < A.rows; ++i)
        append_long_row(&A, i, i / part * part, part, 1 + i / part, &state);
    return A;
}

struct lcl_csr test_rows_of_lengths(int64_t rows, int64_t cols,
                                    const int64_t *length)
{
    int64_t nnz = 0;
    for (int64_t i = 0; i < rows; ++i)
        nnz += length[i];
    struct lcl_csr A = allocate(rows, nnz);
    A.cols = cols;
    for (int64_t i = 0; i < rows; ++i) {
        A.row_ptr[i + 1] = A.nnz;
        for (int64_t k = 0; k < length[i]; ++k)
            append(&A, i, (k * cols + i % cols) / length[i], 1);
    }
    return A;
}

int32_t *test_random_permutation(int64_t n, unsigned seed)
{
    int32_t *perm = array(n, sizeof *perm);
    uint64_t state = seed;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t j = (int64_t)(test_random(&state) * (double)(i + 1));
        perm[i] = perm[j];
        perm[j] = (int32_t)i;
    }
    return perm;
}

struct lcl_csr test_problem(const char *name)
{
    struct lcl_csr A;
    assert_int_equal(lcl_csr_problem(&A, name, NULL), LCL_OK);
    return A;
}

struct lcl_csr test_bad_pivots(void)
{
    // clang-format off
    const double dense[] = {
        2, 1, 0, 0,     0, 0, 0, 0,
        2, 1, 3, 0,     0, 0, 0, 1,
        0, 4, 1e-14, 1, 0, 0, 0, 0,
        5, 0, 1, 0,     0, 0, 0, 0,
        0, 0, 0, 0,     3, 1, 0, 0,
        0, 0, 0, 0,     1, 3, 1, 0,
        0, 0, 0, 0,     0, 1, 3, 1,
        0, 1, 0, 0,     0, 0, 1, 3,
    };
    // clang-format on
    return test_csr_from_dense(8, dense);
}
