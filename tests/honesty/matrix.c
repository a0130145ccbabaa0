// SPDX-License-Identifier: BSD-3-Clause
// Random numbers, and small matrices that are made entry by entry.
#include "tests/honesty/matrix.h"

#include "tests/honesty/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------- numbers

static uint64_t next(struct rng *g)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t z = (g->state >> 29 ^ g->state) * 0x9fb21c651e98df25u;
    return z >> 32 ^ z;
}

void rng_start(struct rng *g, uint64_t seed)
{
    g->state = seed * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 8; ++k)
        next(g);
}

double rng_real(struct rng *g)
{
    return (double)(next(g) >> 11) * 0x1p-53;
}

double rng_sign(struct rng *g)
{
    return 2 * rng_real(g) - 1;
}

int rng_int(struct rng *g, int low, int high)
{
    return low + (int)(rng_real(g) * (high - low + 1));
}

bool rng_chance(struct rng *g, double probability)
{
    return rng_real(g) < probability;
}

double rng_decade(struct rng *g, double low, double high)
{
    return pow(10, low + rng_real(g) * (high - low));
}

// ------------------------------------------------------------------ matrices

void maker_start(struct maker *M, int n)
{
    const size_t entries = (size_t)n * (size_t)n;
    M->n = n;
    M->val = zeroed(entries, sizeof *M->val);
    M->stored = zeroed(entries, sizeof *M->stored);
}

void maker_finish(struct maker *M)
{
    free(M->val);
    free(M->stored);
    *M = (struct maker){0};
}

void maker_set(struct maker *M, int i, int j, double value)
{
    M->val[i * M->n + j] = value;
    M->stored[i * M->n + j] = true;
}

void maker_add(struct maker *M, int i, int j, double value)
{
    maker_set(M, i, j, maker_get(M, i, j) + value);
}

double maker_get(const struct maker *M, int i, int j)
{
    return M->val[i * M->n + j];
}

void maker_drop(struct maker *M, int i, int j)
{
    M->val[i * M->n + j] = 0;
    M->stored[i * M->n + j] = false;
}

bool maker_symmetric(const struct maker *M)
{
    for (int i = 0; i < M->n; ++i)
        for (int j = 0; j < i; ++j)
            if (maker_get(M, i, j) != maker_get(M, j, i))
                return false;
    return true;
}

static double finite(double value)
{
    return isfinite(value) ? value : copysign(DBL_MAX, value);
}

struct lcl_csr maker_csr(const struct maker *M)
{
    const int n = M->n;
    const size_t entries = (size_t)n * (size_t)n;
    struct lcl_csr A = {.rows = n, .cols = n};
    A.row_ptr = zeroed((size_t)n + 1, sizeof *A.row_ptr);
    A.col_ind = zeroed(entries, sizeof *A.col_ind);
    A.val = zeroed(entries, sizeof *A.val);
    for (int k = 0; k < n * n; ++k) {
        if (M->stored[k]) {
            A.col_ind[A.nnz] = k % n;
            A.val[A.nnz++] = finite(M->val[k]);
        }
        A.row_ptr[k / n + 1] = A.nnz;
    }
    return A;
}

void free_csr(struct lcl_csr *A)
{
    free(A->row_ptr);
    free(A->col_ind);
    free(A->val);
    *A = (struct lcl_csr){0};
}
