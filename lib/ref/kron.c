// SPDX-License-Identifier: BSD-3-Clause
// Reference of Kronecker systems.
#include "lib/ref/kron.h"

#include "host/alloc.h"
#include "host/log.h"

#include <string.h>

// row[c] = entry c of row i of T, has[c]: whether it is stored.
static void spread_row(const struct lcl_bsr *T, int64_t i, double *row,
                       bool *has)
{
    const int64_t b = T->block_size, block_row = i / b, r = i % b;
    for (int64_t k = T->row_ptr[block_row]; k < T->row_ptr[block_row + 1]; ++k)
        for (int64_t c = 0; c < b; ++c) {
            row[T->col_ind[k] * b + c] = T->val[(k * b + r) * b + c];
            has[T->col_ind[k] * b + c] = true;
        }
}

// A row has its entries at the same positions in all stages.
struct rows {
    int64_t n;
    double *m, *l;
    bool *has;
};

static void load_row(struct rows *R, const struct lcl_kron *K, int64_t i)
{
    memset(R->m, 0, (size_t)R->n * sizeof *R->m);
    memset(R->l, 0, (size_t)R->n * sizeof *R->l);
    memset(R->has, 0, (size_t)R->n * sizeof *R->has);
    spread_row(K->M, i, R->m, R->has);
    spread_row(K->L, i, R->l, R->has);
}

static void put_row(struct lcl_csr *out, const struct rows *R,
                    const struct lcl_kron *K, int stage)
{
    const int s = K->stages;
    for (int j = 0; j < s; ++j)
        for (int64_t c = 0; c < R->n; ++c) {
            if (!R->has[c])
                continue;
            out->col_ind[out->nnz] = (int32_t)(j * R->n + c);
            out->val[out->nnz++] = K->A[stage * s + j] * R->m[c] +
                                   K->tau * K->B[stage * s + j] * R->l[c];
        }
}

enum lcl_status lcl_ref_kron_csr(struct lcl_csr *out, const struct lcl_kron *K,
                                 const struct lcl_log *log)
{
    const int s = K->stages, b = K->M->block_size;
    const int64_t n = K->M->rows * b;
    const size_t room = (size_t)((K->M->nnz + K->L->nnz) * b * b * s * s);
    struct rows R = {.n = n,
                     .m = lcl_malloc((size_t)n, sizeof *R.m),
                     .l = lcl_malloc((size_t)n, sizeof *R.l),
                     .has = lcl_malloc((size_t)n, sizeof *R.has)};
    enum lcl_status st = LCL_OK;
    *out = (struct lcl_csr){
        .rows = s * n,
        .cols = s * n,
        .row_ptr = lcl_malloc((size_t)(s * n) + 1, sizeof *out->row_ptr),
        .col_ind = lcl_malloc(room, sizeof *out->col_ind),
        .val = lcl_malloc(room, sizeof *out->val)};
    if (!R.m || !R.l || !R.has || !out->row_ptr || !out->col_ind || !out->val) {
        lcl_csr_finish(out);
        st = lcl_fail_memory(log, "a Kronecker matrix");
        goto out;
    }
    out->row_ptr[0] = 0;
    for (int64_t i = 0; i < s * n; ++i) {
        load_row(&R, K, i % n);
        put_row(out, &R, K, (int)(i / n));
        out->row_ptr[i + 1] = out->nnz;
    }
out:
    lcl_free(R.has);
    lcl_free(R.l);
    lcl_free(R.m);
    return st;
}
