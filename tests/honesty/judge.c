// SPDX-License-Identifier: BSD-3-Clause
// The judge: residuals in 226 bits, norms in 113, with code of its own.
#include "tests/honesty/judge.h"

#include "tests/honesty/memory.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------ matrices

static struct exact exact_start(int64_t n, int64_t terms)
{
    struct exact E = {.n = n};
    E.row_ptr = zeroed((size_t)n + 1, sizeof *E.row_ptr);
    E.col = zeroed((size_t)terms, sizeof *E.col);
    E.val = zeroed((size_t)terms, sizeof *E.val);
    return E;
}

void exact_finish(struct exact *E)
{
    free(E->row_ptr);
    free(E->col);
    free(E->val);
    *E = (struct exact){0};
}

struct exact exact_of_csr(const struct lcl_csr *A, const double *val)
{
    struct exact E = exact_start(A->rows, A->nnz);
    for (int64_t i = 0; i <= A->rows; ++i)
        E.row_ptr[i] = A->row_ptr[i];
    for (int64_t k = 0; k < A->nnz; ++k) {
        E.col[k] = A->col_ind[k];
        E.val[k] = val[k];
    }
    return E;
}

// Appends factor times row `row` of A, with columns from `first` on.
static int64_t append(struct exact *E, int64_t count, const struct lcl_bsr *A,
                      int64_t row, int64_t first, quad factor)
{
    const int b = A->block_size;
    const int64_t i = row / b, r = row % b;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        for (int c = 0; c < b; ++c) {
            E->col[count] = first + (int64_t)A->col_ind[k] * b + c;
            E->val[count++] = factor * A->val[(k * b + r) * b + c];
        }
    return count;
}

struct exact exact_of_kron(const struct lcl_kron *K)
{
    const int s = K->stages;
    const int64_t b = K->M->block_size, N = K->M->rows * b;
    struct exact E =
        exact_start(s * N, s * s * b * b * (K->M->nnz + K->L->nnz));
    int64_t count = 0;
    for (int64_t i = 0; i < s * N; ++i) {
        for (int k = 0; k < s; ++k) {
            const int64_t at = i / N * s + k;
            count = append(&E, count, K->M, i % N, k * N, K->A[at]);
            count =
                append(&E, count, K->L, i % N, k * N, (quad)K->tau * K->B[at]);
        }
        E.row_ptr[i + 1] = count;
    }
    return E;
}

// --------------------------------------------------------------------- norms

static quad absolute(quad v)
{
    return v < 0 ? -v : v;
}

static quad root(quad v)
{
    if (!(v > 0))
        return 0;
    if (v - v != 0)
        return v; // infinite
    quad scale = 1;
    for (; v > 0x1p200; scale *= 0x1p100)
        v *= 0x1p-200;
    for (; v < 0x1p-200; scale *= 0x1p-100)
        v *= 0x1p200;
    quad y = sqrt((double)v);
    for (int k = 0; k < 3; ++k)
        y = (y + v / y) / 2;
    return y * scale;
}

static quad norm_of(enum lcl_norm_type type, const quad *v, int64_t n)
{
    quad sum = 0, squares = 0, largest = 0;
    for (int64_t i = 0; i < n; ++i) {
        const quad a = absolute(v[i]);
        sum += a;
        squares += a * a;
        largest = a > largest ? a : largest;
    }
    switch (type) {
    case LCL_NORM_1:
        return sum;
    case LCL_NORM_MAX:
        return largest;
    case LCL_NORM_DEFAULT:
    case LCL_NORM_2:
    case LCL_NORM_ROWS:
    case LCL_NORM_COUNT:
        break;
    }
    return root(squares);
}

// ------------------------------------------------------------------ residuals

// high + low += v, exactly but for the rounding of `low`.
static void accumulate(quad *high, quad *low, quad v)
{
    const quad sum = *high + v, part = sum - *high;
    *low += (*high - (sum - part)) + (v - part);
    *high = sum;
}

// What is left of b.
static quad *right_side(const struct question *q)
{
    quad *b = zeroed((size_t)q->n, sizeof *b), mean = 0;
    for (int64_t i = 0; i < q->n; ++i)
        mean += (quad)q->b[i] / q->n;
    for (int64_t i = 0; i < q->n; ++i)
        b[i] = q->b[i] - (q->remove_mean ? mean : 0);
    return b;
}

// b_i becomes row i of b - A x, *size of |b| + |A| |x|.
static void subtract_row(const struct question *q, int64_t i, quad *b,
                         quad *size)
{
    quad high = *b, low = 0;
    *size = absolute(q->b[i]);
    if (!q->E) {
        accumulate(&high, &low, -(quad)q->product[i]);
        *size += absolute(q->product[i]);
    }
    for (int64_t k = q->E ? q->E->row_ptr[i] : 0;
         q->E && k < q->E->row_ptr[i + 1]; ++k) {
        const quad term = q->E->val[k] * q->x[q->E->col[k]];
        accumulate(&high, &low, -term);
        *size += absolute(term);
    }
    *b = high + low;
}

static quad backward_error(const quad *r, const quad *size, int64_t n)
{
    quad largest = 0;
    for (int64_t i = 0; i < n; ++i) {
        const quad share = size[i] > 0 ? absolute(r[i]) / size[i] : 0;
        largest = share > largest ? share : largest;
    }
    return largest;
}

struct ruling judge(const struct question *q)
{
    quad *r = right_side(q);
    quad *size = zeroed((size_t)q->n, sizeof *size);
    struct ruling ruling = {.b = norm_of(q->norm, r, q->n)};
    for (int64_t i = 0; i < q->n; ++i)
        subtract_row(q, i, &r[i], &size[i]);
    ruling.r = norm_of(q->norm, r, q->n);
    ruling.backward = backward_error(r, size, q->n);
    ruling.magnitude = norm_of(q->norm, size, q->n);
    free(size);
    free(r);
    return ruling;
}
