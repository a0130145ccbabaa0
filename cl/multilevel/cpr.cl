// SPDX-License-Identifier: BSD-3-Clause
// Constrained pressure residual for matrices of LCL_BLOCK x LCL_BLOCK blocks
// (Wallis 1983; Lacroix, Vassilevski, Wheeler, Numer. Linear Algebra Appl. 8
// (2001); weights: Cao et al., SPE 96809 (2005)). Unknown PRESSURE of each cell
// is the pressure p, and e_p its unit vector:
//     cpr_weights     w_i with B_i^T w_i = e_p, divided by its largest entry,
//                     for the diagonal block B_i or a given one; e_p if it is
//                     singular
//     cpr_matrix      the pressure matrix w_i^T A_ij e_p
//     cpr_restrict    r_i = w_i^T b_i
//     cpr_residual    r = b - A E p, where E p has the pressures p
//     cpr_add         x += E p
//
// Data:   BSR; w has LCL_BLOCK values for each cell.
// Launch: any number of groups.
// Determinism: exact.
// If the stopping flag `stop[at]` is nonzero, the last three do nothing.
#include "index.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif
#ifndef PRESSURE
# define PRESSURE 0
#endif

#define BLOCK_VALUES (LCL_BLOCK * LCL_BLOCK)

// ------------------------------------------------------------------- weights

// The transpose of a block and a right-hand side, row by row.
struct system {
    double a[LCL_BLOCK][LCL_BLOCK + 1];
};

// Row of the largest entry of column c, from row c on.
static inline int pivot_of(const struct system *S, int c)
{
    int best = c;
    for (int r = c + 1; r < LCL_BLOCK; ++r)
        if (fabs(S->a[r][c]) > fabs(S->a[best][c]))
            best = r;
    return best;
}

static inline void swap_rows(struct system *S, int r, int q)
{
    for (int c = 0; c <= LCL_BLOCK; ++c) {
        const double kept = S->a[r][c];
        S->a[r][c] = S->a[q][c];
        S->a[q][c] = kept;
    }
}

// Gauss-Jordan with row pivoting; false if a pivot is not normal.
static inline bool solve(struct system *S)
{
    bool sound = true;
    for (int c = 0; c < LCL_BLOCK; ++c) {
        swap_rows(S, c, pivot_of(S, c));
        const double d = S->a[c][c];
        sound = sound && isnormal(d);
        const double inverse = 1 / (isnormal(d) ? d : 1.0);
        for (int q = c; q <= LCL_BLOCK; ++q)
            S->a[c][q] *= inverse;
        for (int r = 0; r < LCL_BLOCK; ++r) {
            const double factor = r == c ? 0 : S->a[r][c];
            for (int q = c; q <= LCL_BLOCK; ++q)
                S->a[r][q] -= factor * S->a[c][q];
        }
    }
    return sound;
}

WORK_GROUP
kernel void cpr_weights(long cells, global const index_t *row_ptr,
                        global const int *col, global const double *val,
                        global const double *given, global double *weights)
{
    for (RANGE(i, cells)) {
        global const double *block = given ? given + i * BLOCK_VALUES : 0;
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            if (!given && col[k] == i)
                block = val + (ulong)k * BLOCK_VALUES;
        struct system S;
        for (int r = 0; r < LCL_BLOCK; ++r) {
            for (int c = 0; c < LCL_BLOCK; ++c)
                S.a[r][c] = block ? block[c * LCL_BLOCK + r] : 0;
            S.a[r][LCL_BLOCK] = r == PRESSURE;
        }
        const bool sound = solve(&S);
        double most = 0;
        for (int r = 0; r < LCL_BLOCK; ++r)
            most = fmax(most, fabs(S.a[r][LCL_BLOCK]));
        const bool usable = sound && isnormal(most);
        for (int r = 0; r < LCL_BLOCK; ++r)
            weights[i * LCL_BLOCK + r] =
                usable ? S.a[r][LCL_BLOCK] / (usable ? most : 1.0)
                       : (double)(r == PRESSURE);
    }
}

// ------------------------------------------------------------------- matrix

WORK_GROUP
kernel void cpr_matrix(long cells, global const index_t *row_ptr,
                       global const double *weights, global const double *val,
                       global double *out)
{
    for (RANGE(i, cells)) {
        global const double *w = weights + i * LCL_BLOCK;
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            global const double *block = val + (ulong)k * BLOCK_VALUES;
            double sum = 0;
            for (int r = 0; r < LCL_BLOCK; ++r)
                sum += w[r] * block[r * LCL_BLOCK + PRESSURE];
            out[k] = sum;
        }
    }
}

// ------------------------------------------------------------------- stages

WORK_GROUP
kernel void cpr_restrict(long cells, global const double *weights,
                         global const double *b, global double *out,
                         global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(i, cells)) {
        double sum = 0;
        for (int r = 0; r < LCL_BLOCK; ++r)
            sum += weights[i * LCL_BLOCK + r] * b[i * LCL_BLOCK + r];
        out[i] = sum;
    }
}

WORK_GROUP
kernel void cpr_residual(long cells, global const index_t *row_ptr,
                         global const int *col, global const double *val,
                         global const double *p, global const double *b,
                         global double *out, global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(i, cells)) {
        double sum[LCL_BLOCK];
        for (int r = 0; r < LCL_BLOCK; ++r)
            sum[r] = b[i * LCL_BLOCK + r];
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            global const double *block = val + (ulong)k * BLOCK_VALUES;
            const double x = p[col[k]];
            for (int r = 0; r < LCL_BLOCK; ++r)
                sum[r] -= block[r * LCL_BLOCK + PRESSURE] * x;
        }
        for (int r = 0; r < LCL_BLOCK; ++r)
            out[i * LCL_BLOCK + r] = sum[r];
    }
}

WORK_GROUP
kernel void cpr_add(long cells, global const double *p, global double *x,
                    global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(i, cells))
        x[i * LCL_BLOCK + PRESSURE] += p[i];
}
