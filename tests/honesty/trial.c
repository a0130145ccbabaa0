// SPDX-License-Identifier: BSD-3-Clause
// Random systems: the matrix, right-hand sides, start vectors, steps.
#include "tests/honesty/trial.h"

#include "tests/honesty/choose.h"
#include "tests/honesty/kinds.h"
#include "tests/honesty/memory.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------- matrix

static const struct kind *random_kind(struct rng *g, const char *name)
{
    const struct kind *kind;
    do
        kind = &kinds[rng_int(g, 0, kinds_count - 1)];
    while (name && !strstr(kind->name, name));
    return kind;
}

static void random_matrix(struct trial *T, struct rng *g, const char *name)
{
    const struct kind *kind = random_kind(g, name);
    struct maker M;
    kind->make(&M, g);
    snprintf(T->kind, sizeof T->kind, "%s", kind->name);
    for (int k = rng_chance(g, 0.5) ? rng_int(g, 1, 3) : 0; k > 0; --k) {
        const size_t length = strlen(T->kind);
        snprintf(T->kind + length, sizeof T->kind - length, " %s",
                 change_matrix(&M, g));
    }
    T->A = maker_csr(&M);
    T->n = T->A.rows;
    maker_finish(&M);
}

static struct lcl_bsr random_blocks(const struct lcl_csr *A, int b,
                                    struct rng *g)
{
    struct lcl_bsr B = {A->rows, A->cols, A->nnz, b, NULL, NULL, NULL};
    B.row_ptr = duplicate(A->row_ptr, (size_t)A->rows + 1, sizeof *B.row_ptr);
    B.col_ind = duplicate(A->col_ind, (size_t)A->nnz, sizeof *B.col_ind);
    B.val = zeroed((size_t)(A->nnz * b * b), sizeof *B.val);
    for (int64_t k = 0; k < A->nnz * b * b; ++k)
        B.val[k] = k / b % b == k % b ? A->val[k / (b * b)] : 0.1 * rng_sign(g);
    return B;
}

static void random_kron(struct trial *T, struct rng *g)
{
    static const int sizes[] = {1, 2, 4};
    const struct kind *kind = random_kind(g, "dominant");
    struct maker M;
    kind->make(&M, g);
    struct lcl_csr A = maker_csr(&M);
    const int b = sizes[rng_int(g, 0, 2)], s = rng_int(g, 1, 3);
    T->kron_M = random_blocks(&A, b, g);
    T->kron_L = random_blocks(&A, b, g);
    for (int k = 0; k < s * s; ++k) {
        T->kron_A[k] = (k % (s + 1) == 0) + 0.1 * rng_sign(g);
        T->kron_B[k] = (k % (s + 1) == 0) + 0.1 * rng_sign(g);
    }
    T->K.stages = s;
    T->K.tau = rng_decade(g, -3, 1);
    T->n = s * A.rows * b;
    snprintf(T->kind, sizeof T->kind, "kron");
    free_csr(&A);
    maker_finish(&M);
}

// K points to arrays of the trial, which may have moved.
static void point_kron(struct trial *T)
{
    T->K.A = T->kron_A;
    T->K.B = T->kron_B;
    T->K.M = &T->kron_M;
    T->K.L = &T->kron_L;
}

// ------------------------------------------------------------------- vectors

static void random_values(double *v, int64_t n, double low, double high,
                          struct rng *g)
{
    const double factor = rng_decade(g, low, high);
    const bool wide = rng_chance(g, 0.2);
    for (int64_t i = 0; i < n; ++i)
        v[i] = factor * rng_sign(g) * (wide ? rng_decade(g, low, 0) : 1);
}

static void make_finite(double *v, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (!isfinite(v[i]))
            v[i] = DBL_MAX / 4;
}

// b = A x of a random x: in the range of A but for rounding.
static void right_side_in_range(const struct trial *T, double *b, struct rng *g)
{
    double *x = zeroed((size_t)T->n, sizeof *x);
    random_values(x, T->n, -2, 2, g);
    if (rng_chance(g, 0.2)) // mostly rounding where rows add up to 0
        for (int64_t i = 0; i < T->n; ++i)
            x[i] = 1 + (rng_chance(g, 0.1) ? 0x1p-52 : 0);
    lcl_csr_multiply(&T->A, x, b);
    make_finite(b, T->n);
    free(x);
}

static void random_right_side(const struct trial *T, double *b, struct rng *g)
{
    switch (rng_int(g, 0, 11)) {
    case 0:
        b[rng_int(g, 0, (int)T->n - 1)] = rng_sign(g);
        return;
    case 1:
        for (int64_t i = 0; i < T->n; ++i)
            b[i] = 1;
        return;
    case 2: // b = 0
        return;
    case 3:
        random_values(b, T->n, -322, 307, g);
        return;
    case 4: // their squares are denormal
        random_values(b, T->n, -165, -150, g);
        return;
    case 5:
    case 6:
    case 7:
    case 8:
        if (T->form != FORM_KRON) {
            right_side_in_range(T, b, g);
            return;
        }
    }
    random_values(b, T->n, -2, 2, g);
}

static void random_start(double *x, int64_t n, struct rng *g)
{
    if (rng_chance(g, 0.6))
        return;
    if (rng_chance(g, 0.2))
        random_values(x, n, -320, 307, g);
    else
        random_values(x, n, -2, 6, g);
    make_finite(x, n);
}

static void random_vectors(struct trial *T, struct rng *g)
{
    const int64_t columns = T->columns, n = T->n;
    T->b = zeroed((size_t)(T->steps * columns * n), sizeof *T->b);
    T->x0 = zeroed((size_t)(columns * n), sizeof *T->x0);
    for (int64_t k = 0; k < T->steps * columns; ++k)
        random_right_side(T, T->b + k * n, g);
    for (int64_t k = 0; k < columns; ++k)
        random_start(T->x0 + k * n, n, g);
}

// Each step changes values a little, or much, or not at all.
static void random_steps(struct trial *T, struct rng *g)
{
    const int64_t nnz = T->A.nnz;
    T->val = zeroed((size_t)(T->steps * nnz), sizeof *T->val);
    for (int step = 0; step < T->steps; ++step) {
        const double change = rng_chance(g, 0.2) ? 0 : rng_decade(g, -8, 1);
        for (int64_t k = 0; k < nnz; ++k)
            T->val[step * nnz + k] =
                step ? T->val[(step - 1) * nnz + k] * (1 + change * rng_sign(g))
                     : T->A.val[k];
        make_finite(T->val + step * nnz, nnz);
    }
}

// --------------------------------------------------------------------- trial

void trial_start(struct trial *T, uint64_t seed, const char *kind, bool few)
{
    struct rng g;
    rng_start(&g, seed);
    *T = (struct trial){.seed = seed};
    const double form = rng_real(&g);
    if (!kind && !few && form < 0.05) {
        T->form = FORM_KRON;
        random_kron(T, &g);
    } else {
        T->form = form < 0.1 ? FORM_CALLBACK : FORM_MATRIX;
        random_matrix(T, &g, kind);
    }
    point_kron(T);
    choose_shape(T, &g, few);
    choose_options(T, &g, few);
    random_vectors(T, &g);
    random_steps(T, &g);
}

void trial_finish(struct trial *T)
{
    free_csr(&T->A);
    free(T->kron_M.row_ptr);
    free(T->kron_M.col_ind);
    free(T->kron_M.val);
    free(T->kron_L.row_ptr);
    free(T->kron_L.col_ind);
    free(T->kron_L.val);
    free(T->val);
    free(T->b);
    free(T->x0);
    *T = (struct trial){0};
}

// --------------------------------------------------------------------- parts

static struct lcl_csr csr_part(const struct trial *T, const bool *keep,
                               double *val)
{
    const struct lcl_csr *A = &T->A;
    int32_t *place = zeroed((size_t)A->rows, sizeof *place);
    struct lcl_csr B = {0};
    for (int64_t i = 0; i < A->rows; ++i)
        if (keep[i])
            place[i] = (int32_t)B.rows++;
    B.cols = B.rows;
    B.row_ptr = zeroed((size_t)B.rows + 1, sizeof *B.row_ptr);
    B.col_ind = zeroed((size_t)A->nnz, sizeof *B.col_ind);
    B.val = zeroed((size_t)A->nnz, sizeof *B.val);
    for (int64_t i = 0; i < A->rows; ++i) {
        if (!keep[i])
            continue;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (keep[A->col_ind[k]]) {
                B.col_ind[B.nnz] = place[A->col_ind[k]];
                B.val[B.nnz++] = val[k];
            }
        B.row_ptr[place[i] + 1] = B.nnz;
    }
    free(place);
    return B;
}

static double *vector_part(const double *v, int64_t n, int64_t columns,
                           const bool *keep)
{
    double *part = zeroed((size_t)(n * columns), sizeof *part);
    int64_t count = 0;
    for (int64_t k = 0; k < n * columns; ++k)
        if (keep[k % n])
            part[count++] = v[k];
    return part;
}

struct trial trial_part(const struct trial *T, const bool *keep)
{
    struct trial part = *T;
    part.A = csr_part(T, keep, T->val);
    part.n = part.A.rows;
    part.steps = 1;
    part.val = duplicate(part.A.val, (size_t)part.A.nnz, sizeof *part.val);
    part.b = vector_part(T->b, T->n, T->columns, keep);
    part.x0 = vector_part(T->x0, T->n, T->columns, keep);
    return part;
}

struct trial trial_column(const struct trial *T, int step, int column,
                          const double *x)
{
    const size_t n = (size_t)T->n, nnz = (size_t)T->A.nnz;
    const double *val = T->val + (size_t)step * nnz;
    struct trial one = *T;
    one.A.row_ptr = duplicate(T->A.row_ptr, n + 1, sizeof *T->A.row_ptr);
    one.A.col_ind = duplicate(T->A.col_ind, nnz, sizeof *T->A.col_ind);
    one.A.val = duplicate(val, nnz, sizeof *val);
    one.val = duplicate(val, nnz, sizeof *val);
    one.b = duplicate(T->b + (size_t)(step * T->columns + column) * n, n,
                      sizeof *T->b);
    one.x0 = duplicate(x, n, sizeof *x);
    one.steps = one.columns = 1;
    return one;
}
