// SPDX-License-Identifier: BSD-3-Clause
// The loop of cg_published for one type of numbers; included once for each.
// REAL: the type; ROOT: its square root; NAME(f): the name of a function.

static REAL NAME(dot)(int64_t n, const REAL *a, const REAL *b)
{
    REAL sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

static void NAME(multiply)(const struct lcl_csr *A, const REAL *val,
                           const REAL *x, REAL *y)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        REAL sum = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            sum += val[k] * x[A->col_ind[k]];
        y[i] = sum;
    }
}

// Iterates from x = 0 and r = p = b in v. Stores the coefficients in alpha and
// beta, unless these are NULL.
static int NAME(iterate)(const struct cg_loop *loop, const struct lcl_csr *A,
                         const REAL *val, REAL *const v[4], double *alpha,
                         double *beta)
{
    REAL *x = v[0], *r = v[1], *p = v[2], *q = v[3];
    const int64_t n = A->rows;
    REAL rr = NAME(dot)(n, r, r);
    int k = 0;
    while (k < loop->max_iters && (double)ROOT(rr) >= loop->tolerance) {
        NAME(multiply)(A, val, p, q);
        const REAL a = rr / NAME(dot)(n, p, q);
        for (int64_t i = 0; i < n; ++i) {
            x[i] += a * p[i];
            r[i] -= a * q[i];
        }
        const REAL next = NAME(dot)(n, r, r), b = next / rr;
        for (int64_t i = 0; i < n; ++i)
            p[i] = r[i] + b * p[i];
        rr = next;
        if (alpha) {
            alpha[k] = (double)a;
            beta[k] = (double)b;
        }
        ++k;
    }
    return k;
}

static enum lcl_status NAME(solve)(struct cg_loop *loop,
                                   const struct lcl_csr *A, const double *b,
                                   double *alpha, double *beta)
{
    const size_t n = (size_t)A->rows, nnz = (size_t)A->nnz;
    REAL *room = lcl_calloc(4 * n + nnz, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    REAL *const v[4] = {room, room + n, room + 2 * n, room + 3 * n};
    REAL *val = room + 4 * n;
    for (size_t k = 0; k < nnz; ++k)
        val[k] = (REAL)A->val[k];
    for (size_t i = 0; i < n; ++i)
        v[1][i] = v[2][i] = (REAL)b[i];
    const double start = lcl_now();
    loop->iterations = NAME(iterate)(loop, A, val, v, alpha, beta);
    loop->seconds = lcl_now() - start;
    lcl_free(room);
    return LCL_OK;
}

#undef REAL
#undef ROOT
#undef NAME
