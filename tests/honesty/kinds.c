// SPDX-License-Identifier: BSD-3-Clause
// Kinds of random matrices.
#include "tests/honesty/kinds.h"

#include <math.h>

// Mostly some dozen rows.
static int some_rows(struct rng *g)
{
    const int most = rng_chance(g, 0.1) ? 300 : rng_chance(g, 0.5) ? 60 : 16;
    return rng_int(g, 1, most);
}

// ---------------------------------------------------------------------- grids

// Adds w (u_i - u_j) in both rows.
static void couple(struct maker *M, int i, int j, double w)
{
    maker_add(M, i, i, w);
    maker_add(M, j, j, w);
    maker_add(M, i, j, -w);
    maker_add(M, j, i, -w);
}

typedef double weight_fn(struct rng *g, int axis);

// A cell for each of nx ny nz points, coupled to its neighbours; `shift` on
// the diagonal.
static void grid(struct maker *M, struct rng *g, const int size[3],
                 weight_fn *weight, double shift)
{
    const int n = size[0] * size[1] * size[2];
    maker_start(M, n);
    const int stride[3] = {1, size[0], size[0] * size[1]};
    for (int i = 0; i < n; ++i) {
        maker_add(M, i, i, shift);
        for (int axis = 0; axis < 3; ++axis)
            if (i / stride[axis] % size[axis] + 1 < size[axis])
                couple(M, i, i + stride[axis], weight(g, axis));
    }
}

static double one(struct rng *g, int axis)
{
    (void)g, (void)axis;
    return 1;
}

static double anisotropic(struct rng *g, int axis)
{
    (void)g;
    return axis == 0 ? 1 : 1e-4;
}

static double jumping(struct rng *g, int axis)
{
    (void)axis;
    return rng_chance(g, 0.5) ? 1 : rng_decade(g, -8, 8);
}

static void laplace_1d(struct maker *M, struct rng *g)
{
    grid(M, g, (const int[3]){some_rows(g), 1, 1}, one, rng_decade(g, -6, 0));
}

static void random_plane(int size[3], struct rng *g)
{
    size[0] = rng_int(g, 1, 16);
    size[1] = rng_int(g, 1, 16);
    size[2] = 1;
}

static void laplace_2d(struct maker *M, struct rng *g)
{
    int size[3];
    random_plane(size, g);
    grid(M, g, size, one, rng_decade(g, -6, 0));
}

static void laplace_3d(struct maker *M, struct rng *g)
{
    const int size[3] = {rng_int(g, 2, 6), rng_int(g, 2, 6), rng_int(g, 2, 6)};
    grid(M, g, size, one, rng_decade(g, -6, 0));
}

static void anisotropic_2d(struct maker *M, struct rng *g)
{
    int size[3];
    random_plane(size, g);
    grid(M, g, size, anisotropic, 1e-5);
}

static void jump_2d(struct maker *M, struct rng *g)
{
    int size[3];
    random_plane(size, g);
    grid(M, g, size, jumping, rng_decade(g, -8, 0));
}

// Singular: rows add up to exactly 0.
static void neumann(struct maker *M, struct rng *g)
{
    int size[3];
    random_plane(size, g);
    grid(M, g, size, one, 0);
}

static void helmholtz(struct maker *M, struct rng *g)
{
    int size[3];
    random_plane(size, g);
    grid(M, g, size, one, -rng_real(g) * 4);
}

// Points of rows of boundary values: an entry of the diagonal alone.
static void dirichlet_rows(struct maker *M, struct rng *g)
{
    laplace_2d(M, g);
    for (int i = 0; i < M->n; ++i) {
        if (!rng_chance(g, 0.2))
            continue;
        for (int j = 0; j < M->n; ++j)
            if (j != i)
                maker_drop(M, i, j);
    }
}

static void penalty(struct maker *M, struct rng *g)
{
    laplace_2d(M, g);
    const double big = rng_decade(g, 6, 30);
    for (int i = 0; i < M->n; ++i)
        if (rng_chance(g, 0.2))
            maker_set(M, i, i, big);
}

static void convection(struct maker *M, struct rng *g)
{
    laplace_2d(M, g);
    const double speed = rng_decade(g, -1, 3);
    for (int i = 1; i < M->n; ++i) {
        maker_add(M, i, i, rng_chance(g, 0.5) ? speed : 0);
        maker_add(M, i, i - 1, -speed);
    }
}

static void square_of(struct maker *M, const struct maker *A)
{
    maker_start(M, A->n);
    for (int i = 0; i < A->n; ++i)
        for (int k = 0; k < A->n; ++k)
            for (int j = 0; A->stored[i * A->n + k] && j < A->n; ++j)
                if (A->stored[k * A->n + j])
                    maker_add(M, i, j, maker_get(A, i, k) * maker_get(A, k, j));
}

static void biharmonic(struct maker *M, struct rng *g)
{
    struct maker A;
    laplace_2d(&A, g);
    square_of(M, &A);
    maker_finish(&A);
}

// --------------------------------------------------------------------- random

static void scatter(struct maker *M, struct rng *g, double per_row)
{
    for (int i = 0; i < M->n; ++i)
        for (int k = rng_int(g, 0, (int)(2 * per_row)); k > 0; --k)
            maker_set(M, i, rng_int(g, 0, M->n - 1), rng_sign(g));
}

static double row_sum(const struct maker *M, int i)
{
    double sum = 0;
    for (int j = 0; j < M->n; ++j)
        sum += fabs(maker_get(M, i, j));
    return sum;
}

static void dominant(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    scatter(M, g, 4);
    for (int i = 0; i < M->n; ++i)
        maker_set(M, i, i, row_sum(M, i) + 0.1);
}

static void loose(struct maker *M, struct rng *g)
{
    dominant(M, g);
    const double factor = rng_real(g);
    for (int i = 0; i < M->n; ++i)
        maker_set(M, i, i, factor * maker_get(M, i, i));
}

static void wild(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    scatter(M, g, 3);
}

static void symmetrise(struct maker *M, double sign)
{
    for (int i = 0; i < M->n; ++i)
        for (int j = 0; j < i; ++j) {
            const bool stored =
                M->stored[i * M->n + j] || M->stored[j * M->n + i];
            if (stored)
                maker_set(M, j, i, sign * maker_get(M, i, j));
            M->stored[i * M->n + j] = stored;
        }
}

static void indefinite(struct maker *M, struct rng *g)
{
    wild(M, g);
    symmetrise(M, 1);
}

static void skew(struct maker *M, struct rng *g)
{
    wild(M, g);
    symmetrise(M, -1);
    for (int i = 0; i < M->n; ++i)
        maker_drop(M, i, i);
}

static void tiny(struct maker *M, struct rng *g)
{
    maker_start(M, rng_int(g, 1, 4));
    for (int k = 0; k < M->n * M->n; ++k)
        if (rng_chance(g, 0.7))
            maker_set(M, k / M->n, k % M->n,
                      rng_chance(g, 0.5) ? rng_int(g, -3, 3) : rng_sign(g));
}

static void full(struct maker *M, struct rng *g)
{
    maker_start(M, rng_int(g, 2, 40));
    for (int k = 0; k < M->n * M->n; ++k)
        maker_set(M, k / M->n, k % M->n, rng_sign(g));
}

// B^T B of a random B.
static void gram(struct maker *M, struct rng *g)
{
    struct maker B;
    maker_start(&B, rng_int(g, 1, 40));
    scatter(&B, g, 3);
    maker_start(M, B.n);
    for (int k = 0; k < B.n; ++k)
        for (int i = 0; i < B.n; ++i)
            for (int j = 0; B.stored[k * B.n + i] && j < B.n; ++j)
                if (B.stored[k * B.n + j])
                    maker_add(M, i, j,
                              maker_get(&B, k, i) * maker_get(&B, k, j));
    maker_finish(&B);
}

static void power_law(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    for (int i = 0; i < M->n; ++i)
        maker_set(M, i, i, rng_decade(g, -3, 0));
    for (int i = 1; i < M->n; ++i)
        for (int k = 0; k < 3; ++k) {
            const double u = rng_real(g);
            couple(M, i, (int)(u * u * u * i), 1);
        }
}

// ------------------------------------------------------------------ structures

// [A B; B^T 0]
static void saddle(struct maker *M, struct rng *g)
{
    const int n = rng_int(g, 2, 40), few = rng_int(g, 1, n / 2);
    maker_start(M, n + few);
    for (int i = 0; i < n; ++i)
        maker_set(M, i, i, 0.1 + rng_real(g));
    for (int k = 0; k < few; ++k)
        for (int i = 0; i < n; ++i)
            if (rng_chance(g, 0.3)) {
                maker_set(M, i, n + k, rng_sign(g));
                maker_set(M, n + k, i, maker_get(M, i, n + k));
            }
}

static void low_rank(struct maker *M, struct rng *g)
{
    dominant(M, g);
    const int from = rng_int(g, 0, M->n - 1), to = rng_int(g, 0, M->n - 1);
    for (int j = 0; j < M->n; ++j)
        if (M->stored[from * M->n + j])
            maker_set(M, to, j, maker_get(M, from, j));
        else
            maker_drop(M, to, j);
}

static void all_ones(struct maker *M, struct rng *g)
{
    maker_start(M, rng_int(g, 1, 12));
    for (int k = 0; k < M->n * M->n; ++k)
        maker_set(M, k / M->n, k % M->n, 1);
}

static void zero_diagonal(struct maker *M, struct rng *g)
{
    loose(M, g);
    for (int i = 0; i < M->n; ++i)
        if (rng_chance(g, 0.5))
            maker_drop(M, i, i);
        else
            maker_set(M, i, i, 0);
}

// A symmetric matrix that couples even rows with odd ones alone.
static void bipartite(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    for (int i = 0; i + 1 < M->n; ++i) {
        maker_set(M, i, i + 1, 0.5 + rng_real(g));
        maker_set(M, i + 1, i, maker_get(M, i, i + 1));
    }
}

static void cyclic(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    const int shift = rng_int(g, 0, M->n - 1);
    for (int i = 0; i < M->n; ++i)
        maker_set(M, i, (i + shift) % M->n, 0.5 + rng_real(g));
}

static void nilpotent(struct maker *M, struct rng *g)
{
    maker_start(M, rng_int(g, 1, 20));
    for (int i = 0; i + 1 < M->n; ++i)
        maker_set(M, i, i + 1, 1);
}

static void lower(struct maker *M, struct rng *g)
{
    loose(M, g);
    for (int i = 0; i < M->n; ++i)
        for (int j = i + 1; j < M->n; ++j)
            maker_drop(M, i, j);
}

// Solutions grow like 2^n.
static void growth(struct maker *M, struct rng *g)
{
    maker_start(M, rng_int(g, 1, 60));
    for (int i = 0; i < M->n; ++i) {
        for (int j = 0; j < i; ++j)
            maker_set(M, i, j, -1);
        maker_set(M, i, i, 1);
        maker_set(M, i, M->n - 1, 1);
    }
}

static void arrow(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    for (int i = 0; i < M->n; ++i) {
        maker_set(M, i, i, 1 + rng_real(g));
        maker_set(M, 0, i, rng_sign(g));
        maker_set(M, i, 0, rng_sign(g));
    }
}

static void blocks(struct maker *M, struct rng *g)
{
    const int size = rng_int(g, 2, 8), count = rng_int(g, 1, 24);
    maker_start(M, size * count);
    for (int i = 0; i < count; ++i)
        for (int j = i ? i - 1 : 0; j < count && j <= i + 1; ++j)
            for (int k = 0; k < size * size; ++k) {
                const int row = i * size + k / size, col = j * size + k % size;
                maker_set(M, row, col, rng_sign(g) + (row == col) * 3 * size);
            }
}

// --------------------------------------------------------------- hard numbers

static void diagonal(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    const double range = rng_real(g) * 300;
    for (int i = 0; i < M->n; ++i)
        maker_set(M, i, i, rng_decade(g, -range, range));
}

static void graded(struct maker *M, struct rng *g)
{
    dominant(M, g);
    const double step = rng_real(g);
    for (int k = 0; k < M->n * M->n; ++k)
        M->val[k] *= pow(10, -step * (k / M->n + k % M->n));
}

static void hilbert(struct maker *M, struct rng *g)
{
    maker_start(M, rng_int(g, 1, 20));
    for (int k = 0; k < M->n * M->n; ++k)
        maker_set(M, k / M->n, k % M->n, 1.0 / (1 + k / M->n + k % M->n));
}

// Two nearly equal rows.
static void nearly_singular(struct maker *M, struct rng *g)
{
    low_rank(M, g);
    const double bit = rng_decade(g, -16, -4);
    for (int k = 0; k < M->n * M->n; ++k)
        M->val[k] *= 1 + bit * rng_sign(g);
}

static void outlier(struct maker *M, struct rng *g)
{
    dominant(M, g);
    maker_set(M, rng_int(g, 0, M->n - 1), rng_int(g, 0, M->n - 1),
              rng_decade(g, -300, 300));
}

static void explicit_zeros(struct maker *M, struct rng *g)
{
    wild(M, g);
    for (int k = 0; k < M->n * M->n; ++k)
        if (M->stored[k] && rng_chance(g, 0.5))
            M->val[k] = 0;
}

static void identity(struct maker *M, struct rng *g)
{
    maker_start(M, some_rows(g));
    for (int i = 0; i < M->n; ++i)
        maker_set(M, i, i, 1);
}

const struct kind kinds[] = {
    {"laplace_1d", laplace_1d},
    {"laplace_2d", laplace_2d},
    {"laplace_3d", laplace_3d},
    {"anisotropic", anisotropic_2d},
    {"jump", jump_2d},
    {"neumann", neumann},
    {"helmholtz", helmholtz},
    {"dirichlet_rows", dirichlet_rows},
    {"penalty", penalty},
    {"convection", convection},
    {"biharmonic", biharmonic},
    {"dominant", dominant},
    {"loose", loose},
    {"wild", wild},
    {"indefinite", indefinite},
    {"skew", skew},
    {"tiny", tiny},
    {"full", full},
    {"gram", gram},
    {"power_law", power_law},
    {"saddle", saddle},
    {"low_rank", low_rank},
    {"all_ones", all_ones},
    {"zero_diagonal", zero_diagonal},
    {"bipartite", bipartite},
    {"cyclic", cyclic},
    {"nilpotent", nilpotent},
    {"lower", lower},
    {"growth", growth},
    {"arrow", arrow},
    {"blocks", blocks},
    {"diagonal", diagonal},
    {"graded", graded},
    {"hilbert", hilbert},
    {"nearly_singular", nearly_singular},
    {"outlier", outlier},
    {"explicit_zeros", explicit_zeros},
    {"identity", identity},
};

const int kinds_count = sizeof kinds / sizeof *kinds;
