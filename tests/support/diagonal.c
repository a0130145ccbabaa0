// SPDX-License-Identifier: BSD-3-Clause
// Inverses of diagonal blocks on the device compared with the reference.
#include "tests/support/diagonal.h"

#include "tests/support/device.h"
#include "tests/support/matrices.h"

#include "lib/matrix/bsr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- device

static void *read_buffer(const lcl_buffer *buffer)
{
    const size_t bytes = lcl_buffer_bytes(buffer);
    void *data = malloc(bytes);
    assert_non_null(data);
    assert_int_equal(lcl_buffer_read(buffer, data, bytes), LCL_OK);
    return data;
}

static lcl_buffer *buffer_of(const struct test_diagonal *T)
{
    return T->inverse.inverse && !T->inverse.sparse.val ? T->inverse.inverse
                                                        : T->inverse.sparse.val;
}

static void start(struct test_diagonal *T, const struct lcl_csr *A,
                  const struct lcl_diagonal_blocks *blocks,
                  const struct lcl_block_inverse_params *params)
{
    assert_int_equal(lcl_ref_block_jacobi_init(&T->reference, A, blocks),
                     LCL_OK);
    assert_int_equal(
        lcl_block_inverse_init(&T->inverse, &T->matrix, T->ctx, blocks, params),
        LCL_OK);
    T->slab_of = read_buffer(T->inverse.slab_of);
}

void test_diagonal_init(struct test_diagonal *T, lcl_context *ctx,
                        const struct lcl_csr *A, int block,
                        const struct lcl_diagonal_blocks *blocks,
                        const struct lcl_block_inverse_params *params)
{
    struct lcl_bsr B;
    *T = (struct test_diagonal){.ctx = ctx};
    assert_int_equal(lcl_bsr_from_csr(&B, A, block, NULL), LCL_OK);
    assert_int_equal(lcl_device_matrix_init(&T->matrix, ctx, &B), LCL_OK);
    lcl_bsr_finish(&B);
    start(T, A, blocks, params);
}

void test_diagonal_init_wide(struct test_diagonal *T, lcl_context *ctx,
                             const struct lcl_csr *A,
                             const struct lcl_diagonal_blocks *blocks,
                             const struct lcl_block_inverse_params *params)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    *T = (struct test_diagonal){.ctx = ctx};
    assert_int_equal(lcl_device_matrix_init(&T->matrix, ctx, &B), LCL_OK);
    lcl_buffer_destroy(&T->matrix.row_ptr);
    T->matrix.wide = true;
    assert_int_equal(lcl_buffer_create_from(&T->matrix.row_ptr, ctx, A->row_ptr,
                                            A->rows + 1, sizeof *A->row_ptr,
                                            "row pointers"),
                     LCL_OK);
    start(T, A, blocks, params);
}

void test_diagonal_finish(struct test_diagonal *T)
{
    free(T->slabs);
    free(T->slab_of);
    lcl_block_inverse_finish(&T->inverse);
    lcl_ref_block_jacobi_finish(&T->reference);
    lcl_device_matrix_finish(&T->matrix);
}

void test_diagonal_run(struct test_diagonal *T)
{
    assert_int_equal(lcl_buffer_fill(buffer_of(T), 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(T->inverse.bad, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(T->inverse.norms, 0xff), LCL_OK);
    assert_int_equal(lcl_block_inverse_run(&T->inverse), LCL_OK);
    assert_int_equal(lcl_block_inverse_counts(&T->inverse, &T->counts), LCL_OK);
    free(T->slabs);
    T->slabs = read_buffer(T->inverse.slab);
}

// ------------------------------------------------------------------- values

int64_t test_diagonal_place(const struct test_diagonal *T, int64_t p, int i,
                            int j)
{
    const struct lcl_slab *s = &T->slabs[T->slab_of[p]];
    const int64_t row = T->reference.ptr[p] - (int64_t)s->row + i;
    return (int64_t)s->value + (T->inverse.params.apply == LCL_BLOCK_APPLY_SLAB
                                    ? (int64_t)j * s->rows + row
                                    : row * s->rows + j);
}

double *test_diagonal_values(const struct test_diagonal *T)
{
    assert_int_equal(T->inverse.params.storage, LCL_FACTOR_STORAGE_FP64);
    return read_buffer(buffer_of(T));
}

enum lcl_factor_storage test_diagonal_storage(const struct test_diagonal *T,
                                              int64_t p)
{
    const enum lcl_factor_storage storage = T->inverse.params.storage;
    return storage == LCL_FACTOR_STORAGE_ADAPTIVE
               ? (enum lcl_factor_storage)T->slabs[T->slab_of[p]].storage
               : storage;
}

static double decoded(const unsigned char *bytes,
                      enum lcl_factor_storage storage, int64_t k)
{
    double value;
    float narrow;
    uint16_t half;
    uint32_t bits;
    if (storage == LCL_FACTOR_STORAGE_FP64) {
        memcpy(&value, bytes + 8 * k, sizeof value);
        return value;
    }
    if (storage == LCL_FACTOR_STORAGE_FP32)
        memcpy(&narrow, bytes + 4 * k, sizeof narrow);
    else {
        memcpy(&half, bytes + 2 * k, sizeof half);
        bits = (uint32_t)half << 16;
        memcpy(&narrow, &bits, sizeof narrow);
    }
    return (double)narrow;
}

double *test_diagonal_entries(const struct test_diagonal *T)
{
    const struct lcl_ref_block_jacobi *J = &T->reference;
    const bool adaptive =
        T->inverse.params.storage == LCL_FACTOR_STORAGE_ADAPTIVE;
    unsigned char *all = read_buffer(buffer_of(T));
    double *entries = test_vector(J->at[J->blocks]), *next = entries;
    for (int64_t p = 0; p < J->blocks; ++p) {
        const int m = J->ptr[p + 1] - J->ptr[p];
        // with adaptive storage each slab starts where it would with doubles
        const int64_t value = (int64_t)T->slabs[T->slab_of[p]].value;
        const int64_t from = adaptive ? value : 0;
        for (int e = 0; e < m * m; ++e)
            *next++ = decoded(all + 8 * from, test_diagonal_storage(T, p),
                              test_diagonal_place(T, p, e / m, e % m) - from);
    }
    free(all);
    return entries;
}

// ------------------------------------------------------------------- blocks

struct lcl_diagonal_blocks test_random_diagonal(int64_t n, int most,
                                                unsigned seed)
{
    struct lcl_diagonal_blocks blocks;
    int64_t *ptr = calloc((size_t)n + 1, sizeof *ptr), count = 0;
    uint64_t state = seed;
    assert_non_null(ptr);
    while (ptr[count] < n) {
        const int64_t rows = 1 + (int64_t)(test_random(&state) * most);
        ptr[count + 1] = ptr[count] + rows < n ? ptr[count] + rows : n;
        ++count;
    }
    assert_int_equal(
        lcl_diagonal_blocks_from_ptr(&blocks, ptr, count + 1, n, most, NULL),
        LCL_OK);
    free(ptr);
    return blocks;
}

// ------------------------------------------------------------------- matrices

// Whether entry (i, j) of a structure is stored.
static bool is_stored(int kind, int64_t n, int64_t i, int64_t j, double random)
{
    switch (kind) {
    case 0:
        return i == j || i == n - 1 || j == n - 1;
    case 1:
        return llabs(i - j) <= 1;
    case 2: // 1 to 13 rows, alternating
        return i / 17 == j / 17 && i % 17 / 13 == j % 17 / 13;
    case 3:
        return i == j || random < 0.1 || (llabs(i - j) < 6 && random < 0.6);
    case 4:
        return i == j || i == n / 2;
    default:
        return i / 2 == j / 2 && (i != j || i % 2 == 1);
    }
}

struct lcl_csr test_structure(int kind, int64_t n)
{
    double *dense = test_vector(n * n);
    uint64_t state = (uint64_t)kind;
    for (int64_t i = 0; i < n; ++i) {
        double sum = 1;
        for (int64_t j = 0; j < n; ++j)
            if (is_stored(kind, n, i, j, test_random(&state))) {
                dense[i * n + j] = 0.25 + test_random(&state);
                sum += dense[i * n + j];
            }
        if (dense[i * n + i] != 0)
            dense[i * n + i] = sum;
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

struct lcl_csr test_pivoting(int64_t n, unsigned seed)
{
    double *dense = test_vector(n * n);
    uint64_t state = seed;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            if (llabs(i - j) < 20)
                dense[i * n + j] = i == j ? 0 : 2 * test_random(&state) - 1;
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}
