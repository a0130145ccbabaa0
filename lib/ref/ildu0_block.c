// SPDX-License-Identifier: BSD-3-Clause
// Reference of the factorisation of a block matrix in CSR: row by row.
#include "lib/ref/ildu0_block.h"

#include "host/alloc.h"
#include "lib/ref/range.h"

#include <math.h>
#include <string.h>

enum { MAX_BLOCK = 8, MAX_ENTRIES = MAX_BLOCK * MAX_BLOCK };

// A factorisation in progress, of the blocks `val`.
struct job {
    struct lcl_ref_ildu0_block *F;
    const double *val;
};

static double *block_at(const struct lcl_ref_ildu0_block *F, double *blocks,
                        int64_t k)
{
    return blocks + k * F->block * F->block;
}

// ------------------------------------------------------------------- blocks

// C = C + s A B
static void add_product(int b, double *C, double s, const double *A,
                        const double *B)
{
    for (int i = 0; i < b; ++i)
        for (int j = 0; j < b; ++j)
            for (int k = 0; k < b; ++k)
                C[i * b + j] += s * A[i * b + k] * B[k * b + j];
}

// C = A B; C may be A or B.
static void set_product(int b, double *C, const double *A, const double *B)
{
    double product[MAX_ENTRIES] = {0};
    add_product(b, product, 1, A, B);
    memcpy(C, product, (size_t)(b * b) * sizeof *C);
}

// The row, among those without a pivot yet, with the largest entry in column k.
static int pivot_row(int b, const double *M, const bool *used, int k)
{
    int p = -1;
    for (int i = 0; i < b; ++i)
        if (!used[i] && (p < 0 || fabs(M[i * b + k]) > fabs(M[p * b + k])))
            p = i;
    return p;
}

// Turns column k of M into the unit vector of row p, whose pivot is d; X is
// transformed in the same way.
static void eliminate_column(int b, double *M, double *X, int k, int p,
                             double d)
{
    M[p * b + k] = d;
    for (int c = 0; c < b; ++c) {
        M[p * b + c] /= d;
        X[p * b + c] /= d;
    }
    for (int i = 0; i < b; ++i) {
        const double factor = M[i * b + k];
        for (int c = 0; c < b && i != p; ++c) {
            M[i * b + c] -= factor * M[p * b + c];
            X[i * b + c] -= factor * X[p * b + c];
        }
    }
}

// inverse = M^-1: Gauss-Jordan elimination on (M X), X = I on entry, with
// partial pivoting and repair of small pivots. Returns whether a pivot was
// small.
static bool invert(int b, const struct lcl_ref_range *range, double largest,
                   double *M, double *inverse)
{
    double X[MAX_ENTRIES] = {0};
    bool used[MAX_BLOCK] = {false}, any_small = false, small;
    int order[MAX_BLOCK];
    for (int i = 0; i < b; ++i)
        X[i * b + i] = 1;
    for (int k = 0; k < b; ++k) {
        const int p = order[k] = pivot_row(b, M, used, k);
        used[p] = true;
        eliminate_column(
            b, M, X, k, p,
            lcl_ref_repair(range, M[p * b + k], M[p * b + k], largest, &small));
        any_small |= small;
    }
    for (int k = 0; k < b; ++k)
        memcpy(inverse + k * b, X + order[k] * b, (size_t)b * sizeof *X);
    return any_small;
}

// --------------------------------------------------------------------- rows

// The largest magnitude in row i over the range.
static double largest_of(const struct job *J, const struct lcl_ref_range *range,
                         int64_t i)
{
    const struct lcl_csr *B = J->F->B;
    const int64_t entries = (int64_t)J->F->block * J->F->block;
    double largest = 0;
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        for (int64_t e = 0;
             e < entries && lcl_ref_is_inside(range, B->col_ind[k]); ++e)
            largest = fmax(largest, fabs(J->val[k * entries + e]));
    return largest;
}

// Row i -= l_ij (row j of D U) on the pattern of row i and on its diagonal
// block d; block k of F->val is a = l_ij d_j on entry, l_ij on return.
static void eliminate(struct lcl_ref_ildu0_block *F,
                      const struct lcl_ref_range *range, int64_t i, int64_t k,
                      double *d)
{
    const struct lcl_csr *B = F->B;
    const int b = F->block;
    const int64_t j = B->col_ind[k];
    double *l = block_at(F, F->val, k), a[MAX_ENTRIES];
    memcpy(a, l, (size_t)(b * b) * sizeof *a);
    set_product(b, l, a, block_at(F, F->inv_d, j));
    for (int64_t m = B->row_ptr[j]; m < B->row_ptr[j + 1]; ++m) {
        const int64_t c = B->col_ind[m];
        if (c <= j || !lcl_ref_is_inside(range, c))
            continue;
        const int64_t at = c == i ? -1 : lcl_ref_find(B, i, c);
        if (c == i || at >= 0)
            add_product(b, c == i ? d : block_at(F, F->val, at), -1, a,
                        block_at(F, F->val, m));
    }
}

// factor_row() of lib/ref/ildu0.c with blocks as entries:
//     l_ij = a'_ij d_j^-1,    u_ij = d_i^-1 a'_ij.
static bool factor_row(void *user, const struct lcl_ref_range *range, int64_t i)
{
    const struct job *J = user;
    struct lcl_ref_ildu0_block *F = J->F;
    const struct lcl_csr *B = F->B;
    const int64_t from = B->row_ptr[i], to = B->row_ptr[i + 1];
    const int64_t diagonal = lcl_ref_find(B, i, i);
    const int b = F->block, entries = b * b;
    const double largest = largest_of(J, range, i);
    double d[MAX_ENTRIES] = {0};
    memcpy(F->val + from * entries, J->val + from * entries,
           (size_t)((to - from) * entries) * sizeof *F->val);
    if (diagonal >= 0)
        memcpy(d, J->val + diagonal * entries, (size_t)entries * sizeof *d);
    for (int c = 0; c < b; ++c)
        d[c * b + c] += copysign(range->shift * largest, d[c * b + c]);
    for (int64_t k = from; k < to && B->col_ind[k] < i; ++k)
        if (lcl_ref_is_inside(range, B->col_ind[k]))
            eliminate(F, range, i, k, d);
    double *inv_d = block_at(F, F->inv_d, i);
    const bool small = invert(b, range, largest, d, inv_d);
    for (int64_t k = from; k < to; ++k)
        if (B->col_ind[k] > i)
            set_product(b, block_at(F, F->val, k), inv_d,
                        block_at(F, F->val, k));
    return small;
}

enum lcl_status lcl_ref_ildu0_block_init(
    struct lcl_ref_ildu0_block *F, const struct lcl_csr *B, const double *val,
    int block, const int64_t *part_ptr, int64_t parts,
    const struct lcl_precond_params *params)
{
    const size_t entries = (size_t)block * (size_t)block;
    *F = (struct lcl_ref_ildu0_block){
        .B = B,
        .block = block,
        .part_ptr = part_ptr,
        .parts = parts,
        .val = lcl_calloc((size_t)B->nnz, entries * sizeof *F->val),
        .inv_d = lcl_calloc((size_t)B->rows, entries * sizeof *F->inv_d),
        .bad = lcl_calloc((size_t)B->rows, 1),
    };
    if (!F->val || !F->inv_d || !F->bad) {
        lcl_ref_ildu0_block_finish(F);
        return LCL_ENOMEM;
    }
    F->repaired = lcl_ref_factor(factor_row, &(struct job){F, val}, part_ptr,
                                 parts, params, F->bad);
    return LCL_OK;
}

void lcl_ref_ildu0_block_finish(struct lcl_ref_ildu0_block *F)
{
    lcl_free(F->val);
    lcl_free(F->inv_d);
    lcl_free(F->bad);
    *F = (struct lcl_ref_ildu0_block){0};
}

// -------------------------------------------------------------------- solve

// y = y - A x
static void subtract(int b, double *y, const double *A, const double *x)
{
    for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c)
            y[r] -= A[r * b + c] * x[c];
}

// x_i -= sum_j f_ij x_j over columns from .. to-1 of row i.
static void subtract_row(const struct lcl_ref_ildu0_block *F, int64_t i,
                         int64_t from, int64_t to, double *x)
{
    const struct lcl_csr *B = F->B;
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        if (B->col_ind[k] >= from && B->col_ind[k] < to)
            subtract(F->block, x + i * F->block, block_at(F, F->val, k),
                     x + (int64_t)B->col_ind[k] * F->block);
}

// x_i = D_i^-1 x_i
static void scale_row(const struct lcl_ref_ildu0_block *F, int64_t i, double *x)
{
    double y[MAX_BLOCK] = {0};
    double *x_i = x + i * F->block;
    subtract(F->block, y, block_at(F, F->inv_d, i), x_i);
    for (int r = 0; r < F->block; ++r)
        x_i[r] = -y[r];
}

// x = b
static void copy(const struct lcl_ref_ildu0_block *F, const double *b,
                 double *x)
{
    const size_t n = (size_t)F->B->rows * (size_t)F->block;
    if (x != b)
        memcpy(x, b, n * sizeof *x);
}

// L y = b with unit L
static void solve_lower(const struct lcl_ref_ildu0_block *F, int64_t first,
                        int64_t last, double *x)
{
    for (int64_t i = first; i < last; ++i)
        subtract_row(F, i, first, i, x);
}

void lcl_ref_lower_block(const struct lcl_ref_ildu0_block *F, bool with_d,
                         const double *b, double *x)
{
    copy(F, b, x);
    for (int64_t p = 0; p < F->parts; ++p) {
        const int64_t first = F->part_ptr[p], last = F->part_ptr[p + 1];
        solve_lower(F, first, last, x);
        for (int64_t i = first; i < last && with_d; ++i)
            scale_row(F, i, x);
    }
}

// L y = b, then
//     x_i = D_i^-1 y_i - sum_{j>i} u_ij x_j
static void solve_range(const struct lcl_ref_ildu0_block *F, int64_t first,
                        int64_t last, double *x)
{
    solve_lower(F, first, last, x);
    for (int64_t i = last; i-- > first;) {
        scale_row(F, i, x);
        subtract_row(F, i, i + 1, last, x);
    }
}

void lcl_ref_trisolve_block(const struct lcl_ref_ildu0_block *F,
                            const double *b, double *x)
{
    copy(F, b, x);
    for (int64_t p = 0; p < F->parts; ++p)
        solve_range(F, F->part_ptr[p], F->part_ptr[p + 1], x);
}
