// SPDX-License-Identifier: BSD-3-Clause
// Trials as files and as text.
#include "tests/honesty/memory.h"
#include "tests/honesty/trial.h"

#include <stdio.h>
#include <stdlib.h>

struct lcl_options trial_options(const struct trial *T)
{
    struct lcl_options options = LCL_OPTIONS_INIT;
    for (int k = 0; k < T->options; ++k)
        if (lcl_options_parse(&options, T->option[k], NULL) != LCL_OK) {
            printf("seed %llu: bad option %s\n", (unsigned long long)T->seed,
                   T->option[k]);
            exit(2);
        }
    options.solver.relative_to = T->relative_to;
    options.solver.reference = T->reference;
    return options;
}

void trial_describe(const struct trial *T)
{
    static const char *const forms[] = {"matrix", "callback", "kron"};
    printf(
        "  %s, %s of %lld rows, %d column%s, %d step%s, %d device%s%s%s%s\n ",
        T->kind, forms[T->form], (long long)T->n, T->columns,
        T->columns > 1 ? "s" : "", T->steps, T->steps > 1 ? "s" : "",
        T->devices, T->devices > 1 ? "s" : "", T->chain ? ", chain" : "",
        T->stale ? ", old factors" : "", T->constants ? ", null space" : "");
    for (int k = 0; k < T->options; ++k)
        printf(" %s", T->option[k]);
    if (T->relative_to == LCL_RELATIVE_TO_R0)
        printf(" (relative to r0)");
    if (T->relative_to == LCL_RELATIVE_TO_REFERENCE)
        printf(" (relative to %.17g)", T->reference);
    printf("\n");
}

// In memory of this program.
static struct lcl_csr copy_of(const struct lcl_csr *A)
{
    struct lcl_csr B = *A;
    B.row_ptr = duplicate(A->row_ptr, (size_t)A->rows + 1, sizeof *B.row_ptr);
    B.col_ind = duplicate(A->col_ind, (size_t)A->nnz, sizeof *B.col_ind);
    B.val = duplicate(A->val, (size_t)A->nnz, sizeof *B.val);
    return B;
}

bool trial_read(struct trial *T, const char *matrix, const char *rhs)
{
    struct lcl_csr A;
    struct lcl_dense b;
    *T = (struct trial){.steps = 1, .devices = 1, .chain = true};
    if (lcl_csr_read(&A, matrix, NULL, NULL) != LCL_OK)
        return false;
    if (lcl_dense_read(&b, rhs, NULL, NULL) != LCL_OK) {
        lcl_csr_finish(&A);
        return false;
    }
    snprintf(T->kind, sizeof T->kind, "%s", matrix);
    T->A = copy_of(&A);
    T->n = A.rows;
    T->columns = (int)b.cols;
    const bool fit = A.rows == A.cols && A.rows == b.rows;
    T->val = duplicate(A.val, (size_t)A.nnz, sizeof *A.val);
    T->b = duplicate(b.val, (size_t)(b.rows * b.cols), sizeof *b.val);
    T->x0 = zeroed((size_t)(b.rows * b.cols), sizeof *T->x0);
    lcl_dense_finish(&b);
    lcl_csr_finish(&A);
    return fit;
}

static void write_vectors(const struct trial *T, double *val, const char *stem,
                          const char *suffix)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", stem, suffix);
    const struct lcl_dense X = {T->n, T->columns, val};
    if (lcl_dense_write(&X, path, NULL) != LCL_OK)
        printf("  cannot write %s\n", path);
}

void trial_write(const struct trial *T, const char *folder)
{
    char stem[400], path[512];
    snprintf(stem, sizeof stem, "%s/%llu", folder, (unsigned long long)T->seed);
    snprintf(path, sizeof path, "%s.mtx", stem);
    if (T->form == FORM_KRON || lcl_csr_write(&T->A, path, NULL) != LCL_OK) {
        printf("  %s is not written\n", path);
        return;
    }
    write_vectors(T, T->b, stem, ".b.mtx");
    write_vectors(T, T->x0, stem, ".x0.mtx");
    printf("  clsolve %s.mtx -b %s.b.mtx --x0 %s.x0.mtx", stem, stem, stem);
    for (int k = 0; k < T->options; ++k)
        printf(" --%s", T->option[k]);
    printf("%s\n", T->constants ? " --nullspace constant" : "");
}
