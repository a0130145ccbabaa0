// SPDX-License-Identifier: BSD-3-Clause
// Null spaces that the caller gives an operator.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/distributed/team_operator.h"
#include "lib/matrix/view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// A vector v is in the null space if ||A v|| is at most this fraction of ||A
// w|| for pseudo-random vectors w.
#define NULL_TOLERANCE 1e-8
// A vector depends on others if they leave at most this part of its norm.
#define DEPENDENT 1e-8

static const struct lcl_log *log_of(const lcl_operator *A)
{
    return lcl_context_log(A->range.ctx);
}

// ------------------------------------------------------------------- arguments

static enum lcl_status check_vectors(const lcl_operator *A,
                                     const struct lcl_dense *X)
{
    const int64_t n = A->range.n;
    if (!X)
        return LCL_OK;
    if (X->rows != n || X->cols < 1 || X->cols > LCL_BLOCK_MAX || !X->val)
        return lcl_fail(log_of(A), LCL_EINVAL,
                        "null vectors: %" PRId64 " x %" PRId64
                        ", expected %" PRId64 " rows and 1 to %d columns",
                        X->rows, X->cols, n, LCL_BLOCK_MAX);
    const int64_t k = lcl_find_not_finite(X->val, X->rows * X->cols);
    return k < 0 ? LCL_OK
                 : lcl_fail(log_of(A), LCL_EINVAL,
                            "null vector %" PRId64 ": entry %" PRId64
                            " is not finite",
                            k / X->rows, k % X->rows);
}

static int64_t count_of(const struct lcl_dense *X)
{
    return X ? X->cols : 1;
}

static enum lcl_status check(const lcl_operator *A,
                             const struct lcl_nullspace *N)
{
    enum lcl_status st;
    if (A->range.n != A->domain.n)
        return lcl_fail(log_of(A), LCL_EINVAL,
                        "a null space is for square operators only");
    if ((st = check_vectors(A, N->right)) < 0 ||
        (st = check_vectors(A, N->left)) < 0)
        return st;
    return !N->left || count_of(N->left) == count_of(N->right)
               ? LCL_OK
               : lcl_fail(log_of(A), LCL_EINVAL,
                          "%" PRId64 " left null vectors, but %" PRId64
                          " right ones",
                          count_of(N->left), count_of(N->right));
}

// ------------------------------------------------------------------- basis

// Copies X, or makes the vector of ones.
static enum lcl_status copy_vectors(struct lcl_null_vectors *N,
                                    const lcl_operator *A,
                                    const struct lcl_dense *X)
{
    const int64_t n = A->range.n, values = n * count_of(X);
    double *val = lcl_malloc((size_t)values, sizeof *val);
    if (!val)
        return lcl_fail_memory(log_of(A), "null vectors");
    for (int64_t i = 0; i < values; ++i)
        val[i] = X ? X->val[i] : 1;
    *N = (struct lcl_null_vectors){
        .count = (int)count_of(X),
        .value = X ? 0 : 1 / sqrt((double)A->range.total),
        .vectors = {n, count_of(X), val},
    };
    return LCL_OK;
}

// *sum = <a, b> over all ranks.
static enum lcl_status dot(const struct lcl_space *V, const double *a,
                           const double *b, double *sum)
{
    *sum = 0;
    for (int64_t i = 0; i < V->n; ++i)
        *sum += a[i] * b[i];
    return lcl_space_sum(V, sum, 1);
}

static enum lcl_status norm_of(const struct lcl_space *V, const double *a,
                               double *norm)
{
    const enum lcl_status st = dot(V, a, a, norm);
    *norm = sqrt(*norm);
    return st;
}

static void scale(double *a, int64_t n, double factor)
{
    for (int64_t i = 0; i < n; ++i)
        a[i] *= factor;
}

// Takes the components along the columns before j from column j, twice.
static enum lcl_status subtract_others(const struct lcl_space *V,
                                       const struct lcl_dense *X, int64_t j)
{
    double *v = X->val + j * X->rows, c;
    for (int64_t k = 0; k < 2 * j; ++k) {
        const double *other = X->val + k % j * X->rows;
        const enum lcl_status st = dot(V, other, v, &c);
        if (st < 0)
            return st;
        for (int64_t i = 0; i < X->rows; ++i)
            v[i] -= c * other[i];
    }
    return LCL_OK;
}

static enum lcl_status orthonormalise(const lcl_operator *A,
                                      const struct lcl_dense *X,
                                      const char *side)
{
    const struct lcl_space *V = &A->range;
    double given, left;
    enum lcl_status st;
    for (int64_t j = 0; j < X->cols; ++j) {
        double *v = X->val + j * X->rows;
        if ((st = norm_of(V, v, &given)) < 0)
            return st;
        if (!(given > 0) || isinf(given))
            return lcl_fail(log_of(A), LCL_EINVAL,
                            "%s null vector %" PRId64 " has the norm %g", side,
                            j, given);
        scale(v, X->rows, 1 / given);
        if ((st = subtract_others(V, X, j)) < 0 ||
            (st = norm_of(V, v, &left)) < 0)
            return st;
        if (left <= DEPENDENT)
            return lcl_fail(log_of(A), LCL_EINVAL,
                            "%s null vector %" PRId64
                            " depends on those before it",
                            side, j);
        scale(v, X->rows, 1 / left);
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- products

// Pseudo-random numbers in [-1, 1) that differ between ranks.
static void fill_random(double *u, int64_t n, int rank)
{
    uint64_t state = (uint64_t)rank + 1;
    for (int64_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        u[i] = (double)(state >> 11) * 0x1p-52 - 1;
    }
}

static enum lcl_status refuse(const lcl_operator *A, const char *what,
                              const char *product, int64_t j, double size,
                              double limit)
{
    return lcl_fail(log_of(A), LCL_EINVAL,
                    "%s null vector %" PRId64
                    ": %s is %.1e, expected at most %.1e of a null vector",
                    what, j, product, size, limit);
}

// The null vectors of both sides, against y = A u for a pseudo-random u, which
// is overwritten.
static enum lcl_status check_products(lcl_operator *A,
                                      const struct lcl_dense *right,
                                      const struct lcl_dense *left, double *u,
                                      double *y)
{
    const struct lcl_space *V = &A->range;
    double norm_u, norm_y, size;
    enum lcl_status st;
    fill_random(u, V->n, V->comm ? V->comm->rank : 0);
    if ((st = lcl_apply_host(A, u, y)) < 0 ||
        (st = norm_of(V, u, &norm_u)) < 0 || (st = norm_of(V, y, &norm_y)) < 0)
        return st;
    const double limit = NULL_TOLERANCE * norm_y / norm_u;
    for (int64_t j = 0; j < right->cols; ++j) {
        if ((st = lcl_apply_host(A, right->val + j * V->n, u)) < 0 ||
            (st = norm_of(V, u, &size)) < 0)
            return st;
        if (!(size <= limit))
            return refuse(A, "right", "||A v||", j, size, limit);
    }
    for (int64_t j = 0; j < left->cols; ++j) {
        if ((st = dot(V, left->val + j * V->n, y, &size)) < 0)
            return st;
        if (!(fabs(size) <= limit))
            return refuse(A, left == right ? "right" : "left",
                          left == right ? "|<v, A u>|, without `left`,"
                                        : "|<w, A u>|",
                          j, fabs(size), limit);
    }
    return LCL_OK;
}

static enum lcl_status check_null(lcl_operator *A,
                                  const struct lcl_null_vectors *right,
                                  const struct lcl_null_vectors *left)
{
    const size_t n = (size_t)A->range.n;
    double *u = lcl_malloc(n, sizeof *u), *y = lcl_malloc(n, sizeof *y);
    enum lcl_status st =
        u && y ? LCL_OK : lcl_fail_memory(log_of(A), "null vectors");
    st = lcl_space_agree(&A->range, st, "a null space");
    if (st == LCL_OK)
        st = check_products(A, &right->vectors,
                            left->count ? &left->vectors : &right->vectors, u,
                            y);
    lcl_free(u);
    lcl_free(y);
    return st;
}

// ------------------------------------------------------------------- taking

static void move_vectors(struct lcl_null_vectors *to,
                         struct lcl_null_vectors *from)
{
    lcl_dense_finish(&to->vectors);
    *to = *from;
    *from = (struct lcl_null_vectors){0};
    if (to->value > 0)
        lcl_dense_finish(&to->vectors);
}

// The part of rank r; `all` is spread, by columns.
static enum lcl_status cut(struct lcl_null_vectors *part,
                           const struct lcl_null_vectors *all,
                           const struct lcl_team_operator *T, int r)
{
    const int64_t n = T->part[r]->range.n, first = lcl_team_first(T, r);
    const int64_t total = all->vectors.rows, cols = all->vectors.cols;
    double *val = lcl_malloc((size_t)(n * cols), sizeof *val);
    if (!val)
        return lcl_fail_memory(log_of(T->part[r]), "null vectors");
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < n; ++i)
            val[j * n + i] = all->vectors.val[j * total + first + i];
    *part = (struct lcl_null_vectors){all->count, all->value, {n, cols, val}};
    return LCL_OK;
}

static void spread(const struct lcl_team_operator *T,
                   struct lcl_null_vectors *N)
{
    const int64_t n = N->vectors.rows;
    for (int j = 0; j < N->count; ++j) {
        double *v = N->vectors.val + j * n;
        const double *in = lcl_team_spread(T, v, T->in);
        if (in != v)
            memcpy(v, in, (size_t)n * sizeof *v);
    }
}

// All parts, or none.
static enum lcl_status distribute(const lcl_operator *A,
                                  struct lcl_null_vectors N[2])
{
    const struct lcl_team_operator *T = A->team;
    const int size = T->distribution.size;
    struct lcl_null_vectors *part = lcl_calloc(2 * (size_t)size, sizeof *part);
    enum lcl_status st =
        part ? LCL_OK : lcl_fail_memory(log_of(A), "null vectors");
    spread(T, &N[0]);
    spread(T, &N[1]);
    for (int r = 0; r < 2 * size && st == LCL_OK; ++r)
        st = cut(&part[r], &N[r % 2], T, r / 2);
    for (int r = 0; r < size && st == LCL_OK; ++r) {
        move_vectors(&T->part[r]->null, &part[2 * r]);
        move_vectors(&T->part[r]->left_null, &part[2 * r + 1]);
    }
    for (int r = 0; r < 2 * size && part; ++r)
        lcl_dense_finish(&part[r].vectors);
    lcl_free(part);
    return st;
}

static enum lcl_status make(lcl_operator *A, const struct lcl_nullspace *N,
                            struct lcl_null_vectors made[2])
{
    static const char what[] = "a null space";
    const struct lcl_space *V = &A->range;
    enum lcl_status st = check(A, N);
    if (st == LCL_OK)
        st = copy_vectors(&made[0], A, N->right);
    if (st == LCL_OK && N->left)
        st = copy_vectors(&made[1], A, N->left);
    const struct lcl_common counts[] = {{"null vectors", made[0].count},
                                        {"left vectors", made[1].count}};
    if ((st = lcl_space_agree(V, st, what)) < 0 ||
        (st = lcl_space_expect_equal(V, what, counts, 2)) < 0 ||
        (st = orthonormalise(A, &made[0].vectors, "right")) < 0 ||
        (st = orthonormalise(A, &made[1].vectors, "left")) < 0)
        return st;
    return N->unchecked ? LCL_OK : check_null(A, &made[0], &made[1]);
}

enum lcl_status lcl_operator_set_nullspace(lcl_operator *A,
                                           const struct lcl_nullspace *N)
{
    struct lcl_null_vectors made[2] = {{0}};
    if (!A)
        return lcl_misuse(NULL, "lcl_operator_set_nullspace: A is NULL");
    enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_operator_set_nullspace");
    if (st < 0)
        return st;
    st = N ? make(A, N, made) : LCL_OK;
    if (st == LCL_OK && A->team)
        st = distribute(A, made);
    else if (st == LCL_OK) {
        move_vectors(&A->null, &made[0]);
        move_vectors(&A->left_null, &made[1]);
    }
    lcl_dense_finish(&made[0].vectors);
    lcl_dense_finish(&made[1].vectors);
    return lcl_space_end(&A->range, st);
}
