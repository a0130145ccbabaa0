// SPDX-License-Identifier: BSD-3-Clause
// LU factors on the host by KLU. Its columns are our rows: it factors A^T, and
// its transposed solve is ours.
#include "host/alloc.h"
#include "lib/factor/direct.h"

#ifdef LCL_SUITESPARSE_FOLDER
# include <suitesparse/klu.h>
#else
# include <klu.h>
#endif

enum { COLAMD = 1 }; // of klu_l_common.ordering

// int64_t by another name on some systems
typedef SuiteSparse_long integer;
_Static_assert(sizeof(integer) == sizeof(int64_t), "64-bit integers of KLU");

struct lcl_direct {
    integer n;
    integer *row_ptr, *col_ind;
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric; // NULL: no factors
    double entries, operations;
};

static const char what[] = "LU factors";

bool lcl_direct_there(void)
{
    return true;
}

static enum lcl_status fail(const struct lcl_direct *D,
                            const struct lcl_log *log)
{
    switch (D->common.status) {
    case KLU_SINGULAR:
        return lcl_fail(log, LCL_EPIVOT,
                        "lu: the matrix is singular: rank %lld of %lld",
                        (long long)D->common.numerical_rank, (long long)D->n);
    case KLU_TOO_LARGE:
        return lcl_fail(log, LCL_ERANGE, "lu: the factors are too large");
    default:
        return lcl_fail_memory(log, what);
    }
}

static enum lcl_status copy_pattern(struct lcl_direct *D,
                                    const struct lcl_csr *A,
                                    const struct lcl_log *log)
{
    D->row_ptr = lcl_malloc((size_t)A->rows + 1, sizeof *D->row_ptr);
    D->col_ind = lcl_malloc((size_t)A->nnz, sizeof *D->col_ind);
    if (!D->row_ptr || !D->col_ind)
        return lcl_fail_memory(log, what);
    for (int64_t i = 0; i <= A->rows; ++i)
        D->row_ptr[i] = A->row_ptr[i];
    for (int64_t k = 0; k < A->nnz; ++k)
        D->col_ind[k] = A->col_ind[k];
    return LCL_OK;
}

static enum lcl_status analyse(struct lcl_direct *D, const struct lcl_log *log)
{
    klu_l_free_symbolic(&D->symbolic, &D->common);
    D->symbolic = klu_l_analyze(D->n, D->row_ptr, D->col_ind, &D->common);
    if (!D->symbolic)
        return fail(D, log);
    const integer rank = D->symbolic->structural_rank;
    return rank == D->n
               ? LCL_OK
               : lcl_fail(log, LCL_EPIVOT,
                          "lu: each matrix of this pattern is singular: rank "
                          "at most %lld of %lld",
                          (long long)rank, (long long)D->n);
}

static int64_t count_missing(const struct lcl_csr *A)
{
    int64_t missing = A->rows;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            missing -= A->col_ind[k] == i;
    return missing;
}

// AMD, which KLU applies to A + A^T, with pivots on the diagonal where they
// suffice; its estimate counts in any case. Where diagonal entries are missing,
// exchanges of rows spoil that order, and COLAMD with partial pivoting fills
// less: tuma1 2.5 instead of 4.5 million entries, 0.9 instead of 5.8 s;
// e30r4000 3.4 and 7.8 million, 1.1 and 11 s; but memplus, which lacks none,
// 4.3 and 0.14 million.
static enum lcl_status choose_order(struct lcl_direct *D,
                                    const struct lcl_csr *A,
                                    const struct lcl_log *log)
{
    enum lcl_status st = analyse(D, log);
    if (st < 0)
        return st;
    D->entries = D->symbolic->lnz + D->symbolic->unz;
    D->operations = D->symbolic->est_flops;
    if (count_missing(A) <= A->rows / 100)
        return LCL_OK;
    D->common.ordering = COLAMD;
    D->common.tol = 0.1;
    return analyse(D, log);
}

enum lcl_status lcl_direct_create(struct lcl_direct **out,
                                  const struct lcl_csr *A,
                                  const struct lcl_log *log)
{
    enum lcl_status st = LCL_ENOMEM;
    struct lcl_direct *D = *out = lcl_calloc(1, sizeof *D);
    if (!D)
        return lcl_fail_memory(log, what);
    D->n = A->rows;
    klu_l_defaults(&D->common);
    if ((st = copy_pattern(D, A, log)) == LCL_OK)
        st = choose_order(D, A, log);
    if (st < 0)
        lcl_direct_destroy(out);
    return st;
}

void lcl_direct_destroy(struct lcl_direct **pointer)
{
    struct lcl_direct *D = *pointer;
    if (!D)
        return;
    klu_l_free_numeric(&D->numeric, &D->common);
    klu_l_free_symbolic(&D->symbolic, &D->common);
    lcl_free(D->row_ptr);
    lcl_free(D->col_ind);
    lcl_free(D);
    *pointer = NULL;
}

double lcl_direct_entries(const struct lcl_direct *D)
{
    return D->entries;
}

double lcl_direct_operations(const struct lcl_direct *D)
{
    return D->operations;
}

enum lcl_status lcl_direct_factor(struct lcl_direct *D, const double *val,
                                  const struct lcl_log *log)
{
    klu_l_free_numeric(&D->numeric, &D->common);
    // KLU does not write the values
    D->numeric = klu_l_factor(D->row_ptr, D->col_ind, (double *)(uintptr_t)val,
                              D->symbolic, &D->common);
    return D->numeric ? LCL_OK : fail(D, log);
}

int64_t lcl_direct_nnz(const struct lcl_direct *D)
{
    return D->numeric ? D->numeric->lnz + D->numeric->unz - D->n : 0;
}

enum lcl_status lcl_direct_solve(struct lcl_direct *D, double *x,
                                 const struct lcl_log *log)
{
    return klu_l_tsolve(D->symbolic, D->numeric, D->n, 1, x, &D->common)
               ? LCL_OK
               : fail(D, log);
}
