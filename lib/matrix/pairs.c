// SPDX-License-Identifier: BSD-3-Clause
// The real form of complex matrices. Real and imaginary parts are sorted apart,
// which brings both into the same order.
#include "lib/matrix/pairs.h"

#include "host/alloc.h"
#include "host/log.h"

#include <inttypes.h>
#include <stdbool.h>

enum { BLOCK = 4 }; // values of a block

void lcl_pairs_finish(struct lcl_pairs *P)
{
    lcl_entries_finish(&P->re);
    lcl_entries_finish(&P->im);
}

// ------------------------------------------------------------------- matrix

// Complex row i.
static void join_row(struct lcl_csr *A, const struct lcl_csr *re,
                     const struct lcl_csr *im, int64_t i)
{
    const int64_t from = re->row_ptr[i], to = re->row_ptr[i + 1];
    int64_t upper = BLOCK * from, lower = upper + 2 * (to - from);
    A->row_ptr[2 * i + 1] = lower;
    A->row_ptr[2 * i + 2] = BLOCK * to;
    for (int64_t k = from; k < to; ++k, upper += 2, lower += 2) {
        const double a = re->val[k], b = im->val[k];
        A->col_ind[upper] = A->col_ind[lower] = 2 * re->col_ind[k];
        A->col_ind[upper + 1] = A->col_ind[lower + 1] = 2 * re->col_ind[k] + 1;
        A->val[upper] = A->val[lower + 1] = a;
        A->val[upper + 1] = 0 - b;
        A->val[lower] = b;
    }
}

// A = re + i im, two matrices with the same pattern.
static enum lcl_status join(struct lcl_csr *A, const struct lcl_csr *re,
                            const struct lcl_csr *im, const struct lcl_log *log)
{
    const size_t nnz = (size_t)re->nnz;
    A->row_ptr = lcl_malloc((size_t)A->rows + 1, sizeof *A->row_ptr);
    A->col_ind = lcl_malloc(nnz, BLOCK * sizeof *A->col_ind);
    A->val = lcl_malloc(nnz, BLOCK * sizeof *A->val);
    if (!A->row_ptr || !A->col_ind || !A->val)
        return lcl_fail_memory(log, "the matrix");
    A->nnz = BLOCK * re->nnz;
    A->row_ptr[0] = 0;
    for (int64_t i = 0; i < re->rows; ++i)
        join_row(A, re, im, i);
    return LCL_OK;
}

enum lcl_status lcl_csr_from_pairs(struct lcl_csr *A, const struct lcl_pairs *P,
                                   enum lcl_symmetry symmetry,
                                   int64_t *duplicates,
                                   const struct lcl_log *log)
{
    struct lcl_csr re = {.rows = A->rows / 2, .cols = A->cols / 2}, im = re;
    int64_t again;
    enum lcl_status st;
    if ((st = lcl_csr_from_entries(&re, &P->re, symmetry, duplicates, log)) ==
            LCL_OK &&
        (st = lcl_csr_from_entries(&im, &P->im, lcl_imaginary(symmetry), &again,
                                   log)) == LCL_OK)
        st = join(A, &re, &im, log);
    lcl_csr_finish(&re);
    lcl_csr_finish(&im);
    return st;
}

// ------------------------------------------------------------------- check

// Rows 2 i and 2 i + 1.
static bool has_pairs(const struct lcl_csr *A, int64_t i)
{
    const int64_t *ptr = A->row_ptr + 2 * i;
    const int64_t length = ptr[1] - ptr[0];
    if (length % 2 != 0 || ptr[2] - ptr[1] != length)
        return false;
    for (int64_t k = ptr[0], l = ptr[1]; k < ptr[1]; k += 2, l += 2) {
        const int32_t *upper = A->col_ind + k, *lower = A->col_ind + l;
        if (upper[0] % 2 != 0 || upper[1] != upper[0] + 1 ||
            lower[0] != upper[0] || lower[1] != upper[1] ||
            A->val[k] != A->val[l + 1] || A->val[k + 1] != -A->val[l])
            return false;
    }
    return true;
}

enum lcl_status lcl_csr_check_pairs(const struct lcl_csr *A,
                                    const struct lcl_log *log)
{
    if (A->rows % 2 != 0 || A->cols % 2 != 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "the real form of a complex matrix is %" PRId64
                        " x %" PRId64 ", expected even numbers",
                        A->rows, A->cols);
    for (int64_t i = 0; i < A->rows / 2; ++i)
        if (!has_pairs(A, i))
            return lcl_fail(log, LCL_EFORMAT,
                            "rows %" PRId64 " and %" PRId64
                            " are not those of a complex matrix, expected "
                            "blocks [[a, -b], [b, a]]",
                            2 * i, 2 * i + 1);
    return LCL_OK;
}

// ------------------------------------------------------------------- entries

// The block of entry a + i b.
static struct lcl_entry *put_block(struct lcl_entry *to, int32_t row,
                                   int32_t col, double a, double b)
{
    *to++ = (struct lcl_entry){2 * row, 2 * col, a};
    *to++ = (struct lcl_entry){2 * row, 2 * col + 1, 0 - b};
    *to++ = (struct lcl_entry){2 * row + 1, 2 * col, b};
    *to++ = (struct lcl_entry){2 * row + 1, 2 * col + 1, a};
    return to;
}

static double sign_of(enum lcl_symmetry symmetry)
{
    return symmetry == LCL_SKEW_SYMMETRIC ? -1 : 1;
}

enum lcl_status lcl_entries_of_pairs(struct lcl_entries *E,
                                     const struct lcl_pairs *P,
                                     enum lcl_symmetry symmetry,
                                     const struct lcl_log *log)
{
    const int images = symmetry == LCL_GENERAL ? 1 : 2;
    const double re = sign_of(symmetry), im = sign_of(lcl_imaginary(symmetry));
    struct lcl_entry *next = E->at =
        lcl_malloc((size_t)P->re.count, (size_t)images * BLOCK * sizeof *next);
    if (!E->at)
        return lcl_fail_memory(log, "the entries of a complex matrix");
    for (int64_t k = 0; k < P->re.count; ++k) {
        const struct lcl_entry *e = &P->re.at[k];
        const double b = P->im.at[k].val;
        next = put_block(next, e->row, e->col, e->val, b);
        if (images == 2 && e->row != e->col)
            next = put_block(next, e->col, e->row, re * e->val, im * b);
    }
    E->count = next - E->at;
    return LCL_OK;
}

// ------------------------------------------------------------------- vectors

enum lcl_status lcl_dense_to_complex(struct lcl_dense *X,
                                     const struct lcl_log *log)
{
    if (!X || (X->rows > 0 && X->cols > 0 && !X->val))
        return lcl_misuse(log, "lcl_dense_to_complex: an argument is NULL");
    if (!X->val)
        return LCL_OK;
    if (X->rows > INT32_MAX / 2)
        return lcl_fail(log, LCL_ERANGE,
                        "%" PRId64 " complex rows, expected at most %d",
                        X->rows, INT32_MAX / 2);
    const size_t count = (size_t)X->rows * (size_t)X->cols;
    double *pairs = lcl_calloc(count, 2 * sizeof *pairs);
    if (!pairs)
        return lcl_fail_memory(log, "a complex vector");
    for (size_t k = 0; k < count; ++k)
        pairs[2 * k] = X->val[k];
    lcl_free(X->val);
    X->val = pairs;
    X->rows *= 2;
    return LCL_OK;
}
