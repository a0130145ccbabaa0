// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems on the host: checks, the product in plain C.
#include "lib/kron/kron.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------- checks

enum lcl_status lcl_kron_check_stages(const struct lcl_kron *K,
                                      const struct lcl_log *log)
{
    const int s = K->stages;
    if (s < 1 || s > LCL_KRON_STAGES_MAX)
        return lcl_fail(log, LCL_EFORMAT, "%d stages: expected 1 to %d", s,
                        LCL_KRON_STAGES_MAX);
    if (!isfinite(K->tau))
        return lcl_fail(log, LCL_EFORMAT, "tau is not finite");
    for (int k = 0; k < s * s; ++k)
        if (!isfinite(K->A[k]) || !isfinite(K->B[k] * K->tau))
            return lcl_fail(log, LCL_EFORMAT,
                            "entry (%d, %d) of %s is not finite", k / s + 1,
                            k % s + 1, isfinite(K->A[k]) ? "tau B" : "A");
    return LCL_OK;
}

static enum lcl_status check_sizes(const struct lcl_kron *K,
                                   const struct lcl_log *log)
{
    const struct lcl_bsr *M = K->M, *L = K->L;
    if (M->rows != M->cols)
        return lcl_fail(log, LCL_EFORMAT,
                        "M has %lld x %lld blocks: expected a square matrix",
                        (long long)M->rows, (long long)M->cols);
    if (M->rows == 0)
        return lcl_fail(log, LCL_EFORMAT, "M is empty");
    if (L->rows != M->rows || L->cols != M->cols)
        return lcl_fail(log, LCL_EFORMAT,
                        "M has %lld x %lld blocks, L has %lld x %lld: "
                        "expected the same size",
                        (long long)M->rows, (long long)M->cols,
                        (long long)L->rows, (long long)L->cols);
    if (L->block_size != M->block_size)
        return lcl_fail(log, LCL_EFORMAT,
                        "M has blocks of %d rows, L has blocks of %d rows: "
                        "expected the same block size",
                        M->block_size, L->block_size);
    if (lcl_kron_rows(K) > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "%lld rows in all stages: expected at most 2^31 - 1",
                        (long long)lcl_kron_rows(K));
    return LCL_OK;
}

enum lcl_status lcl_kron_check(const struct lcl_kron *K,
                               const struct lcl_log *log)
{
    enum lcl_status st;
    if (!K || !K->A || !K->B || !K->M || !K->L)
        return lcl_misuse(log, "lcl_kron_check: %s is NULL",
                          K ? "a matrix of the system" : "the system");
    if ((st = lcl_kron_check_stages(K, log)) < 0 ||
        (st = lcl_bsr_check(K->M, log)) < 0 ||
        (st = lcl_bsr_check(K->L, log)) < 0)
        return st;
    return check_sizes(K, log);
}

// ------------------------------------------------------------------- pattern

static uint64_t hash_pattern(uint64_t h, const struct lcl_bsr *A)
{
    for (int64_t i = 0; i <= A->rows; ++i)
        h = lcl_kron_hash(h, (uint64_t)A->row_ptr[i]);
    for (int64_t k = 0; k < A->nnz; ++k)
        h = lcl_kron_hash(h, (uint64_t)A->col_ind[k]);
    return h;
}

uint64_t lcl_kron_pattern(const struct lcl_kron *K)
{
    uint64_t h = lcl_kron_hash(LCL_KRON_HASH, (uint64_t)K->stages);
    h = lcl_kron_hash(h, (uint64_t)K->M->block_size);
    return hash_pattern(hash_pattern(h, K->M), K->L);
}

// ------------------------------------------------------------------- product

// y += C (x) T times x; t has room for two stages.
static void add_term(int s, const double *C, double scale,
                     const struct lcl_bsr *T, const double *x, double *t,
                     double *y)
{
    const int64_t n = T->rows * T->block_size;
    double *u = t + n;
    for (int i = 0; i < s; ++i) {
        memset(t, 0, (size_t)n * sizeof *t);
        for (int j = 0; j < s; ++j)
            for (int64_t k = 0; k < n; ++k)
                t[k] += scale * C[i * s + j] * x[j * n + k];
        lcl_bsr_multiply(T, t, u);
        for (int64_t k = 0; k < n; ++k)
            y[i * n + k] += u[k];
    }
}

enum lcl_status lcl_kron_multiply(const struct lcl_kron *K, const double *x,
                                  double *y)
{
    if (!K || !x || !y)
        return lcl_misuse(NULL, "lcl_kron_multiply: an argument is NULL");
    const size_t n = (size_t)(K->M->rows * K->M->block_size);
    double *t = lcl_malloc(n, 2 * sizeof *t);
    if (!t)
        return LCL_ENOMEM;
    memset(y, 0, (size_t)lcl_kron_rows(K) * sizeof *y);
    add_term(K->stages, K->A, 1, K->M, x, t, y);
    add_term(K->stages, K->B, K->tau, K->L, x, t, y);
    lcl_free(t);
    return LCL_OK;
}
