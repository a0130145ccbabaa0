// SPDX-License-Identifier: BSD-3-Clause
// Block-Jacobi: set-up time by extraction on structures and on matrices, and
// application time by block size, as in Anzt, Dongarra, Flegar, Quintana-Orti,
// Parallel Computing 81 (2019), Figures 9 to 11.
#include "tools/levelbench/bench.h"

#include "host/alloc.h"
#include "lib/dense/block_inverse.h"
#include "lib/matrix/bsr.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdio.h>

enum { ROWS = 1000000 };

// ------------------------------------------------------------------ structures

enum structure { ARROW, TRIDIAGONAL, BLOCKS, LAPLACE, STRUCTURES };

static const char *const structure_names[STRUCTURES] = {
    "arrow", "tridiagonal", "random-block", "laplace"};

// Neighbours of cell i on a square of n cells, itself among them.
static int64_t stencil(int32_t *col, int64_t n, int64_t i)
{
    const int64_t side = (int64_t)sqrt((double)n);
    int64_t count = 0;
    if (i >= side)
        col[count++] = (int32_t)(i - side);
    if (i % side > 0)
        col[count++] = (int32_t)(i - 1);
    col[count++] = (int32_t)i;
    if (i % side < side - 1 && i < n - 1)
        col[count++] = (int32_t)(i + 1);
    if (i < n - side)
        col[count++] = (int32_t)(i + side);
    return count;
}

static int64_t range(int32_t *col, int64_t first, int64_t end)
{
    for (int64_t j = first; j < end; ++j)
        col[j - first] = (int32_t)j;
    return end - first;
}

// The columns of row i, ascending; the last row of an arrow has n of them.
static int64_t columns_of(int32_t *col, enum structure s, int64_t n, int64_t i,
                          int64_t m)
{
    switch (s) {
    case ARROW:
        if (i == n - 1)
            return range(col, 0, n);
        col[0] = (int32_t)i;
        col[1] = (int32_t)(n - 1);
        return 2;
    case TRIDIAGONAL:
        return range(col, i > 0 ? i - 1 : 0, i < n - 1 ? i + 2 : n);
    case BLOCKS:
        return range(col, i - i % m, i - i % m + m < n ? i - i % m + m : n);
    case LAPLACE:
        return stencil(col, n, i);
    case STRUCTURES:
        break;
    }
    return 0;
}

static enum lcl_status make_structure(struct lcl_csr *A, enum structure s,
                                      int64_t n, int64_t m)
{
    const int64_t most = (s == BLOCKS ? m : 5) * n + n;
    *A = (struct lcl_csr){.rows = n,
                          .cols = n,
                          .row_ptr = lcl_calloc((size_t)n + 1, 8),
                          .col_ind = lcl_malloc((size_t)most, 4),
                          .val = lcl_malloc((size_t)most, 8)};
    if (!A->row_ptr || !A->col_ind || !A->val)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t from = A->nnz;
        A->nnz += columns_of(A->col_ind + from, s, n, i, m);
        A->row_ptr[i + 1] = A->nnz;
        for (int64_t k = from; k < A->nnz; ++k)
            A->val[k] = A->col_ind[k] == i
                            ? 1.0 + (double)m
                            : -1.0 / (double)(2 + (7 * i + 3 * k) % 11);
    }
    return LCL_OK;
}

// ------------------------------------------------------------------ timing

// Blocks of a matrix that is on the device, and vectors.
struct subject {
    struct lcl_device_matrix matrix;
    struct lcl_diagonal_blocks blocks;
    struct lcl_block_inverse inverse;
    lcl_buffer *b, *x;
};

static enum lcl_status launch_set_up(void *arg)
{
    return lcl_block_inverse_run(&((struct subject *)arg)->inverse);
}

static enum lcl_status launch_apply(void *arg)
{
    struct subject *S = arg;
    const struct lcl_operands v = {
        .x = S->b, .y = S->x, .stop = lcl_context_no_stop(S->inverse.ctx)};
    return lcl_block_inverse_apply(&S->inverse, &v);
}

static enum lcl_status subject_init(struct subject *S, struct bench *B,
                                    const struct lcl_csr *A)
{
    const struct lcl_bsr matrix = lcl_bsr_of_csr(A);
    enum lcl_status st;
    *S = (struct subject){.b = NULL};
    if ((st = lcl_device_matrix_init(&S->matrix, B->ctx, &matrix)) < 0 ||
        (st = lcl_buffer_create(&S->b, B->ctx, A->rows, 8, "vector")) < 0 ||
        (st = lcl_buffer_create(&S->x, B->ctx, A->rows, 8, "vector")) < 0)
        return st;
    return lcl_buffer_fill(S->b, 0);
}

static void subject_finish(struct subject *S)
{
    lcl_buffer_destroy(&S->x);
    lcl_buffer_destroy(&S->b);
    lcl_device_matrix_finish(&S->matrix);
}

// Sum of m^2 over the blocks.
static double values_of(const struct lcl_diagonal_blocks *blocks)
{
    double sum = 0;
    for (int64_t p = 0; p < blocks->count; ++p)
        sum += (double)(blocks->ptr[p + 1] - blocks->ptr[p]) *
               (double)(blocks->ptr[p + 1] - blocks->ptr[p]);
    return sum;
}

static void print_line(const struct bench *B, const struct subject *S,
                       const char *op, const char *variant, int bound,
                       const struct times *t, double bytes)
{
    cJSON *line = bench_line(B, op, variant);
    bench_add_times(line, B, t, bytes);
    cJSON_AddNumberToObject(line, "bound", bound);
    cJSON_AddNumberToObject(line, "blocks", (double)S->blocks.count);
    cJSON_AddNumberToObject(line, "block_rows_max", S->blocks.rows_max);
    if (bytes > 0)
        cJSON_AddNumberToObject(line, "gflops",
                                2e-9 * values_of(&S->blocks) / t->median);
    bench_print(B, line);
}

// The time of one set-up method or, with its default, of one application
// method. The published set-ups store the inverse by rows, as published.
static enum lcl_status measure(struct bench *B, struct subject *S, int bound,
                               enum lcl_block_extraction extraction,
                               enum lcl_block_apply apply, struct times *t)
{
    const bool published = extraction != LCL_BLOCK_EXTRACTION_DEFAULT &&
                           extraction != LCL_BLOCK_EXTRACTION_BISECT;
    const struct lcl_block_inverse_params params = {
        .extraction = extraction,
        .apply = published ? LCL_BLOCK_APPLY_SA_SPMV : apply};
    const double n = (double)S->matrix.n;
    enum lcl_status st = lcl_block_inverse_init(&S->inverse, &S->matrix, B->ctx,
                                                &S->blocks, &params);
    if (st < 0)
        return st;
    if ((st = lcl_block_inverse_run(&S->inverse)) == LCL_OK)
        st = bench_measure(B, apply ? launch_apply : launch_set_up, S, t);
    if (st == LCL_OK && apply)
        print_line(B, S, "block-apply", lcl_block_apply_name(apply), bound, t,
                   8 * values_of(&S->blocks) + 16 * n);
    else if (st == LCL_OK)
        print_line(B, S, "block-setup", lcl_block_extraction_name(extraction),
                   bound, t, 0);
    lcl_block_inverse_finish(&S->inverse);
    return st;
}

// ------------------------------------------------------------------ tables

static void print_head(const struct bench *B, const char *title)
{
    if (!B->tables)
        return;
    printf("\n%s, set-up, ms\n%6s", title, "bound");
    for (int e = LCL_BLOCK_EXTRACTION_CACHED; e < LCL_BLOCK_EXTRACTION_COUNT;
         ++e)
        printf("%17s", lcl_block_extraction_name((enum lcl_block_extraction)e));
    puts("");
}

static void print_apply_head(void)
{
    printf("\napplication\n%6s", "rows");
    for (int a = LCL_BLOCK_APPLY_SLAB; a < LCL_BLOCK_APPLY_COUNT; ++a)
        printf("%12s%12s", lcl_block_apply_name((enum lcl_block_apply)a), "");
    printf("\n%6s", "");
    for (int a = LCL_BLOCK_APPLY_SLAB; a < LCL_BLOCK_APPLY_COUNT; ++a)
        printf("%12s%12s", "GFLOP/s", "GB/s");
    puts("");
}

// A row of a table: blocks of up to `bound` rows, each extraction.
static enum lcl_status set_up_row(struct bench *B, struct subject *S,
                                  const struct lcl_csr *A, int bound)
{
    const struct lcl_bsr matrix = lcl_bsr_of_csr(A);
    enum lcl_status st = lcl_supervariables(&S->blocks, &matrix, bound, NULL);
    if (st < 0)
        return st;
    if (B->tables)
        printf("%6d", bound);
    for (int e = LCL_BLOCK_EXTRACTION_CACHED;
         e < LCL_BLOCK_EXTRACTION_COUNT && st == LCL_OK; ++e) {
        struct times t;
        st = measure(B, S, bound, (enum lcl_block_extraction)e, 0, &t);
        if (st == LCL_OK && B->tables)
            printf("%17.4f", 1e3 * t.median);
    }
    if (B->tables)
        puts("");
    lcl_diagonal_blocks_finish(&S->blocks);
    return st;
}

static enum lcl_status apply_row(struct bench *B, struct subject *S,
                                 const struct lcl_csr *A, int rows)
{
    const struct lcl_bsr matrix = lcl_bsr_of_csr(A);
    enum lcl_status st = lcl_supervariables(&S->blocks, &matrix, rows, NULL);
    if (st < 0)
        return st;
    if (B->tables)
        printf("%6d", rows);
    for (int a = LCL_BLOCK_APPLY_SLAB;
         a < LCL_BLOCK_APPLY_COUNT && st == LCL_OK; ++a) {
        struct times t;
        const double values = values_of(&S->blocks);
        st = measure(B, S, rows, LCL_BLOCK_EXTRACTION_DEFAULT,
                     (enum lcl_block_apply)a, &t);
        if (st == LCL_OK && B->tables)
            printf("%12.1f%12.1f", 2e-9 * values / t.median,
                   1e-9 * (8 * values + 16 * (double)A->rows) / t.median);
    }
    if (B->tables)
        puts("");
    lcl_diagonal_blocks_finish(&S->blocks);
    return st;
}

typedef enum lcl_status row_fn(struct bench *B, struct subject *S,
                               const struct lcl_csr *A, int rows);

// One row for a structure whose blocks have m rows.
static enum lcl_status structure_row(struct bench *B, enum structure s,
                                     int64_t n, int m, row_fn *row)
{
    struct problem P = {.name = structure_names[s]};
    struct subject S = {.b = NULL};
    enum lcl_status st = make_structure(&P.A, s, n, m);
    B->problem = &P;
    if (st == LCL_OK && (st = subject_init(&S, B, &P.A)) == LCL_OK)
        st = row(B, &S, &P.A, m);
    subject_finish(&S);
    B->problem = NULL;
    lcl_csr_finish(&P.A);
    return st;
}

enum lcl_status bench_block_jacobi(struct bench *B, int64_t n)
{
    static const int sizes[] = {1, 2, 4, 8, 12, 16, 24, 32, 0};
    enum lcl_status st = LCL_OK;
    if (n < 0 || n == 1 || n > INT32_MAX)
        return LCL_EINVAL;
    if (n == 0)
        n = lcl_context_caps(B->ctx)->type == LCL_DEVICE_CPU ? ROWS / 10 : ROWS;
    for (int s = 0; s < STRUCTURES && st == LCL_OK; ++s) {
        print_head(B, structure_names[s]);
        for (const int *m = sizes; *m && st == LCL_OK; ++m)
            st = structure_row(B, (enum structure)s, n, *m, set_up_row);
    }
    if (B->tables)
        print_apply_head();
    for (int m = 1; m <= LCL_DIAGONAL_BLOCK_MAX && st == LCL_OK; ++m)
        st = structure_row(B, BLOCKS, n, m, apply_row);
    return st;
}

enum lcl_status bench_block_jacobi_problem(struct bench *B)
{
    static const int bounds[] = {4, 8, 12, 16, 24, 32, 0};
    const struct lcl_csr *A = &B->problem->A;
    struct subject S;
    enum lcl_status st = subject_init(&S, B, A);
    print_head(B, B->problem->name);
    for (const int *bound = bounds; *bound && st == LCL_OK; ++bound)
        st = set_up_row(B, &S, A, *bound);
    subject_finish(&S);
    return st;
}
