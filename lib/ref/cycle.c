// SPDX-License-Identifier: BSD-3-Clause
// References of the matrix of a level of a V-cycle and of steps with it.
#include "lib/ref/cycle.h"

#include "lib/ref/store.h"

#include <math.h>

static double diagonal_scale(const struct lcl_csr *A, int64_t i)
{
    double d = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        d = A->col_ind[k] == i ? A->val[k] : d;
    return isnormal(d) ? copysign(1 / sqrt(fabs(d)), d) : 1;
}

double lcl_ref_cycle_store(const struct lcl_csr *A,
                           enum lcl_factor_storage storage, double *val,
                           double *rest)
{
    double most = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        const double t = diagonal_scale(A, i);
        double sum = 0;
        rest[i] = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const double a =
                A->val[k] * t * fabs(diagonal_scale(A, A->col_ind[k]));
            val[k] = lcl_ref_rounded((double)(float)a, storage);
            rest[i] += a - val[k];
            sum += fabs(a - val[k]);
        }
        most = fmax(most, sum);
    }
    return most;
}

static double finish_row(enum lcl_cycle_step step, double lambda, double b,
                         double x, double y, double dot, double before)
{
    const double c = 4 / (3 * lambda), e = 12 / (5 * lambda);
    switch (step) {
    case LCL_CYCLE_FIRST:
        return 1.2 * c * b + e * (b - c * dot);
    case LCL_CYCLE_RESIDUAL:
        return b - dot;
    case LCL_CYCLE_AGAIN:
        return x + c * (b - dot);
    case LCL_CYCLE_LAST:
        return y + (y - x) / 5 + e * (b - dot);
    case LCL_CYCLE_RESTRICT:
        return dot;
    case LCL_CYCLE_PROLONG:
        return before + dot;
    case LCL_CYCLE_BEFORE:
        return b - c * dot;
    case LCL_CYCLE_RAISE:
        return c * b + dot;
    case LCL_CYCLE_STEPS:
        break;
    }
    return NAN;
}

void lcl_ref_cycle_step(const struct lcl_csr *A, const double *rest,
                        enum lcl_cycle_step step, double lambda,
                        const double *b, const double *x, const double *y,
                        double *out)
{
    const double *operand =
        step == LCL_CYCLE_FIRST || step == LCL_CYCLE_BEFORE ? b
        : step == LCL_CYCLE_LAST || step == LCL_CYCLE_RAISE ? y
                                                            : x;
    for (int64_t i = 0; i < A->rows; ++i) {
        double dot = rest[i] * operand[i];
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            dot += A->val[k] * operand[A->col_ind[k]];
        out[i] = finish_row(step, lambda, b[i], x[i], y[i], dot, out[i]);
    }
}
