// SPDX-License-Identifier: BSD-3-Clause
// One application of the preconditioner in plain sequential C.
#include "tools/levelbench/bench.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"
#include "lib/ref/ildu0.h"
#include "lib/trisolve/packed.h"

// The same factors for plain sequential C: L and U separately, in CSR.
struct reference {
    struct lcl_subdomains P;
    struct lcl_csr R; // A reordered
    int64_t *map;
    struct lcl_ref_ildu0 F;
    struct lcl_csr L, U;
};

static void reference_finish(struct reference *ref)
{
    lcl_csr_finish(&ref->L);
    lcl_csr_finish(&ref->U);
    lcl_ref_ildu0_finish(&ref->F);
    lcl_free(ref->map);
    lcl_csr_finish(&ref->R);
    lcl_subdomains_finish(&ref->P);
}

static enum lcl_status allocate_triangle(struct lcl_csr *T, int64_t n,
                                         int64_t nnz)
{
    *T = (struct lcl_csr){.rows = n,
                          .cols = n,
                          .row_ptr = lcl_calloc((size_t)n + 1, 8),
                          .col_ind = lcl_malloc((size_t)nnz, 4),
                          .val = lcl_malloc((size_t)nnz, 8)};
    return T->row_ptr && T->col_ind && T->val ? LCL_OK : LCL_ENOMEM;
}

static void append(struct lcl_csr *T, int64_t i, int32_t j, double v)
{
    T->col_ind[T->nnz] = j;
    T->val[T->nnz++] = v;
    T->row_ptr[i + 1] = T->nnz;
}

static enum lcl_status split_factors(struct reference *ref)
{
    const struct lcl_csr *R = &ref->R;
    enum lcl_status st;
    if ((st = allocate_triangle(&ref->L, R->rows, R->nnz)) < 0 ||
        (st = allocate_triangle(&ref->U, R->rows, R->nnz)) < 0)
        return st;
    for (int64_t p = 0; p < ref->P.parts; ++p)
        for (int64_t i = ref->P.part_ptr[p]; i < ref->P.part_ptr[p + 1]; ++i) {
            ref->L.row_ptr[i + 1] = ref->L.nnz;
            ref->U.row_ptr[i + 1] = ref->U.nnz;
            for (int64_t k = R->row_ptr[i]; k < R->row_ptr[i + 1]; ++k) {
                const int32_t j = R->col_ind[k];
                if (j != i && j >= ref->P.part_ptr[p] &&
                    j < ref->P.part_ptr[p + 1])
                    append(j < i ? &ref->L : &ref->U, i, j, ref->F.val[k]);
            }
        }
    return LCL_OK;
}

// L y = b, then x_i = y_i / d_i - sum_j u_ij x_j.
static void solve_reference(const struct reference *ref, const double *b,
                            double *x)
{
    const struct lcl_csr *L = &ref->L, *U = &ref->U;
    for (int64_t i = 0; i < L->rows; ++i) {
        double s = b[i];
        for (int64_t k = L->row_ptr[i]; k < L->row_ptr[i + 1]; ++k)
            s -= L->val[k] * x[L->col_ind[k]];
        x[i] = s;
    }
    for (int64_t i = U->rows; i-- > 0;) {
        double s = x[i] * ref->F.inv_d[i];
        for (int64_t k = U->row_ptr[i]; k < U->row_ptr[i + 1]; ++k)
            s -= U->val[k] * x[U->col_ind[k]];
        x[i] = s;
    }
}

static enum lcl_status reference_init(struct reference *ref,
                                      const struct bench *B)
{
    const struct lcl_csr *A = &B->problem->A;
    const struct lcl_packed_rows rows = {.A = A, .block = 1};
    enum lcl_status st;
    *ref = (struct reference){.map = NULL};
    if ((st = lcl_packed_partition(
             &ref->P, B->ctx, &rows, &B->options.precond.partition,
             lcl_packed_rows_most(lcl_context_caps(B->ctx), 1), 1)) < 0 ||
        (st = lcl_subdomains_download(&ref->P, lcl_context_log(B->ctx))) < 0 ||
        (st = lcl_csr_reorder(&ref->R, &ref->map, A, ref->P.row,
                              lcl_context_log(B->ctx))) < 0 ||
        (st = lcl_ref_ildu0_init(&ref->F, &ref->R, ref->P.part_ptr,
                                 ref->P.parts, &B->options.precond)) < 0)
        return st;
    return split_factors(ref);
}

static struct times time_reference(const struct reference *ref,
                                   const struct problem *P)
{
    double seconds[BATCHES];
    solve_reference(ref, P->b, P->x);
    for (int i = 0; i < BATCHES; ++i) {
        const double start = lcl_now();
        solve_reference(ref, P->b, P->x);
        seconds[i] = lcl_now() - start;
    }
    return bench_summary(seconds);
}

// On a CPU, compares the apply with one thread of plain C on the same factors.
// For a fair comparison run both on one thread (PoCL 3:
// POCL_MAX_PTHREAD_COUNT=1).
enum lcl_status bench_reference(struct bench *B)
{
    struct reference ref;
    if (lcl_context_caps(B->ctx)->type != LCL_DEVICE_CPU)
        return LCL_OK;
    const enum lcl_status st = reference_init(&ref, B);
    if (st >= 0) {
        const struct times t = time_reference(&ref, B->problem);
        cJSON *line = bench_line(B, "apply", "reference");
        bench_add_times(line, B, &t, 0);
        bench_print(B, line);
    }
    reference_finish(&ref);
    return st;
}
