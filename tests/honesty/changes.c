// SPDX-License-Identifier: BSD-3-Clause
// Random changes of a matrix: scalings, permutations, holes, extreme values.
#include "tests/honesty/kinds.h"

#include "tests/honesty/memory.h"

#include <stdlib.h>

// Powers of ten with exponents up to a random bound, which is often small.
static double *scales(int n, struct rng *g)
{
    static const double bounds[] = {1, 4, 30, 150, 300};
    const double bound = bounds[rng_int(g, 0, 4)];
    double *scale = zeroed((size_t)n, sizeof *scale);
    for (int i = 0; i < n; ++i)
        scale[i] = rng_chance(g, 0.5) ? rng_decade(g, -bound, bound) : 1;
    return scale;
}

static void scale_by(struct maker *M, const double *row, const double *col)
{
    for (int i = 0; i < M->n; ++i)
        for (int j = 0; j < M->n; ++j)
            M->val[i * M->n + j] *= (row ? row[i] : 1) * (col ? col[j] : 1);
}

static void scale_rows(struct maker *M, struct rng *g)
{
    double *scale = scales(M->n, g);
    scale_by(M, scale, NULL);
    free(scale);
}

static void scale_columns(struct maker *M, struct rng *g)
{
    double *scale = scales(M->n, g);
    scale_by(M, NULL, scale);
    free(scale);
}

// D A D keeps A definite.
static void scale_both(struct maker *M, struct rng *g)
{
    double *scale = scales(M->n, g);
    scale_by(M, scale, scale);
    free(scale);
}

static void scale_all(struct maker *M, struct rng *g)
{
    const double factor =
        rng_chance(g, 0.3) ? 1e-161 : rng_decade(g, -310, 300);
    for (int k = 0; k < M->n * M->n; ++k)
        M->val[k] *= factor;
}

static void empty_row(struct maker *M, struct rng *g)
{
    const int i = rng_int(g, 0, M->n - 1);
    for (int j = 0; j < M->n; ++j)
        maker_drop(M, i, j);
}

static void empty_column(struct maker *M, struct rng *g)
{
    const int j = rng_int(g, 0, M->n - 1);
    for (int i = 0; i < M->n; ++i)
        maker_drop(M, i, j);
}

static void no_diagonal_entry(struct maker *M, struct rng *g)
{
    const int i = rng_int(g, 0, M->n - 1);
    if (rng_chance(g, 0.5))
        maker_drop(M, i, i);
    else
        maker_set(M, i, i, 0);
}

static void flip_rows(struct maker *M, struct rng *g)
{
    for (int i = 0; i < M->n; ++i)
        if (rng_chance(g, 0.5))
            for (int j = 0; j < M->n; ++j)
                M->val[i * M->n + j] *= -1;
}

static void extreme_entry(struct maker *M, struct rng *g)
{
    static const double extremes[] = {5e-324, 1e-310, 2.3e-308, 1e-200,
                                      1e200,  1e300,  1.7e308};
    maker_set(M, rng_int(g, 0, M->n - 1), rng_int(g, 0, M->n - 1),
              extremes[rng_int(g, 0, 6)]);
}

static void swap_rows(struct maker *M, int a, int b)
{
    for (int j = 0; j < M->n; ++j) {
        const double val = M->val[a * M->n + j];
        const bool stored = M->stored[a * M->n + j];
        M->val[a * M->n + j] = M->val[b * M->n + j];
        M->stored[a * M->n + j] = M->stored[b * M->n + j];
        M->val[b * M->n + j] = val;
        M->stored[b * M->n + j] = stored;
    }
}

static void permute_rows(struct maker *M, struct rng *g)
{
    for (int i = M->n - 1; i > 0; --i)
        swap_rows(M, i, rng_int(g, 0, i));
}

static void weaken_diagonal(struct maker *M, struct rng *g)
{
    const double factor = rng_decade(g, -20, 0);
    for (int i = 0; i < M->n; ++i)
        M->val[i * M->n + i] *= factor;
}

static void one_sided(struct maker *M, struct rng *g)
{
    const double factor = rng_real(g);
    for (int i = 0; i < M->n; ++i)
        for (int j = 0; j < i; ++j)
            M->val[i * M->n + j] *= factor;
}

const char *change_matrix(struct maker *M, struct rng *g)
{
    static const struct kind changes[] = {
        {"scale_rows", scale_rows},
        {"scale_columns", scale_columns},
        {"scale_both", scale_both},
        {"scale_all", scale_all},
        {"empty_row", empty_row},
        {"empty_column", empty_column},
        {"no_diagonal", no_diagonal_entry},
        {"flip_rows", flip_rows},
        {"extreme_entry", extreme_entry},
        {"permute_rows", permute_rows},
        {"weaken_diagonal", weaken_diagonal},
        {"one_sided", one_sided},
    };
    const int count = sizeof changes / sizeof *changes;
    const struct kind *change = &changes[rng_int(g, 0, count - 1)];
    change->make(M, g);
    return change->name;
}
