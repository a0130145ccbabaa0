// SPDX-License-Identifier: BSD-3-Clause
// The matrix in the order of its subdomains, on the host, for factors in
// levels.
#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/precond/ilu_setup.h"

#include <math.h>

static enum lcl_status upload_reordered(struct lcl_reordered *B,
                                        lcl_context *ctx,
                                        const struct lcl_csr *A,
                                        const int64_t *map, const int32_t *perm)
{
    static const char what[] = "the reordered matrix";
    enum lcl_status st;
    if ((st = lcl_buffer_create_from(&B->perm, ctx, perm, A->rows, sizeof *perm,
                                     what)) < 0 ||
        (st = lcl_buffer_create_narrow(&B->row_ptr, ctx, A->row_ptr,
                                       A->rows + 1, what)) < 0 ||
        (st = lcl_buffer_create_from(&B->col, ctx, A->col_ind, A->nnz,
                                     sizeof *A->col_ind, what)) < 0)
        return st;
    return lcl_buffer_create_narrow(&B->map, ctx, map, A->nnz, what);
}

// Replaces A by B, which is numbered by the subdomains.
static void adopt_reordered(struct lcl_ilu_setup *a, struct lcl_csr *B)
{
    struct lcl_subdomains *P = &a->subdomains;
    lcl_bsr_finish(&a->A);
    a->A = (struct lcl_bsr){.rows = B->rows,
                            .cols = B->cols,
                            .nnz = B->nnz,
                            .block_size = 1,
                            .row_ptr = B->row_ptr,
                            .col_ind = B->col_ind,
                            .val = B->val};
    a->graph = lcl_bsr_pattern(&a->A);
    for (int64_t i = 0; i < P->n; ++i)
        P->row[i] = (int32_t)i;
    lcl_buffer_destroy(&P->device);
}

enum lcl_status lcl_ilu_reorder(struct lcl_ilu_setup *a, lcl_context *ctx)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_csr B, A = a->graph;
    int64_t *map;
    enum lcl_status st;
    A.val = a->A.val;
    if ((st = lcl_subdomains_download(&a->subdomains, log)) < 0 ||
        (st = lcl_csr_reorder(&B, &map, &A, a->subdomains.row, log)) < 0)
        return st;
    st = upload_reordered(&a->symbolic.B, ctx, &B, map, a->subdomains.row);
    adopt_reordered(a, &B);
    lcl_free(map);
    return st;
}

void lcl_ilu_find_signs(struct lcl_ilu_setup *a)
{
    const struct lcl_csr *A = &a->graph;
    const double *val = a->A.val;
    struct lcl_drop_info *drop = &a->symbolic.drop;
    double all = 0, opposite = 0;
    bool positive = false, negative = false;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t at = lcl_csr_find(A, i, i);
        const double d = at < 0 ? 0 : val[at];
        positive |= d > 0;
        negative |= d < 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1] && d != 0; ++k) {
            const double coupling = k == at ? 0 : val[k] / d;
            all += fabs(coupling);
            opposite += coupling < 0 ? -coupling : 0;
        }
    }
    drop->opposite = all > 0 ? opposite / all : 0;
    drop->mixed = positive && negative;
}
