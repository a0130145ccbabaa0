// SPDX-License-Identifier: BSD-3-Clause
// The system on the device: vectors and new values on their way into the
// numbering of the blocks and back.
#include "tests/support/device.h"
#include "tests/support/matrices.h"

#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/operator/system.h"
#include "lib/partition/partition.h"

#include <stdlib.h>
#include <string.h>

// A matrix of random blocks, and the same in another numbering.
struct numbered {
    struct lcl_bsr A, B;
    int32_t *perm;
    int64_t *map;
};

// The blocks of B are those of A, as map says.
static void copy_blocks(struct numbered *t)
{
    const size_t values = (size_t)lcl_block_values(&t->A);
    for (int64_t k = 0; k < t->A.nnz; ++k)
        memcpy(t->B.val + (size_t)k * values,
               t->A.val + (size_t)t->map[k] * values,
               values * sizeof *t->B.val);
}

static void numbered_init(struct numbered *t, int64_t rows, int block)
{
    struct lcl_csr pattern = test_random_csr(rows, 4, 1), reordered;
    t->A = test_random_blocks(&pattern, block, 2);
    t->perm = test_random_permutation(rows, 3);
    assert_int_equal(
        lcl_csr_reorder(&reordered, &t->map, &pattern, t->perm, NULL), LCL_OK);
    t->B = test_random_blocks(&reordered, block, 4);
    copy_blocks(t);
    lcl_csr_finish(&reordered);
    test_csr_finish(&pattern);
}

static void numbered_finish(struct numbered *t)
{
    test_bsr_finish(&t->A);
    test_bsr_finish(&t->B);
    free(t->perm);
    lcl_free(t->map);
}

static void expect_values(const struct lcl_system *S, const double *expected,
                          int64_t count)
{
    double *val = test_vector(count);
    assert_int_equal(
        lcl_buffer_read(S->matrix.val, val, (size_t)count * sizeof *val),
        LCL_OK);
    test_expect_same("value", val, expected, count);
    free(val);
}

static void renew(struct lcl_bsr *A, unsigned seed)
{
    const int64_t count = A->nnz * lcl_block_values(A);
    double *val = test_random_vector(count, seed);
    memcpy(A->val, val, (size_t)count * sizeof *val);
    free(val);
}

// ------------------------------------------------------------------ vectors

static void expect_vectors(lcl_context *ctx, int block)
{
    struct numbered t;
    struct lcl_system S;
    numbered_init(&t, 37, block);
    const int64_t n = 37 * block;
    double *x = test_random_vector(n, 5), *y = test_vector(n);
    double *expected = test_vector(n);
    lcl_buffer *vector = test_poisoned(ctx, n, sizeof *x);
    assert_int_equal(lcl_system_init(&S, ctx, &t.B, t.perm, t.map), LCL_OK);
    assert_int_equal(S.n, n);
    assert_int_equal(lcl_system_put(&S, x, vector), LCL_OK);
    test_download(vector, y, n, sizeof *y);
    for (int64_t i = 0; i < n; ++i)
        expected[i] = x[(int64_t)t.perm[i / block] * block + i % block];
    test_expect_same("put", y, expected, n);
    assert_int_equal(lcl_system_get(&S, vector, y), LCL_OK);
    test_expect_same("got", y, x, n);
    lcl_system_finish(&S);
    lcl_buffer_destroy(&vector);
    numbered_finish(&t);
    free(x);
    free(y);
    free(expected);
}

static void test_system__vectors_go_there_and_back(void **state)
{
    for (int b = 1; b <= 4; ++b)
        expect_vectors(*state, b);
}

// ------------------------------------------------------------------ values

static void test_system__new_values_come_in_blocks(void **state)
{
    for (int b = 1; b <= 3; ++b) {
        struct numbered t;
        struct lcl_system S;
        numbered_init(&t, 41, b);
        const int64_t count = t.A.nnz * b * b;
        assert_int_equal(lcl_system_init(&S, *state, &t.B, t.perm, t.map),
                         LCL_OK);
        assert_int_equal(S.entries, count);
        expect_values(&S, t.B.val, count);
        renew(&t.A, 6);
        copy_blocks(&t);
        assert_int_equal(lcl_system_update(&S, t.A.val), LCL_OK);
        expect_values(&S, t.B.val, count);
        lcl_system_finish(&S);
        numbered_finish(&t);
    }
}

// Every second value of A is an entry of the caller's, the last one first; the
// others keep what they had.
static void expect_entries(lcl_context *ctx, bool reordered)
{
    struct numbered t;
    struct lcl_system S;
    numbered_init(&t, 29, 3);
    const int64_t count = t.A.nnz * 9, entries = count / 2;
    double *val = test_random_vector(entries, 7);
    int64_t *place = calloc((size_t)entries, sizeof *place);
    assert_non_null(place);
    for (int64_t k = 0; k < entries; ++k)
        place[k] = 2 * (entries - 1 - k);
    const struct lcl_bsr *B = reordered ? &t.B : &t.A;
    assert_int_equal(lcl_system_init(&S, ctx, B, reordered ? t.perm : NULL,
                                     reordered ? t.map : NULL),
                     LCL_OK);
    assert_int_equal(lcl_system_take_entries(&S, place, entries), LCL_OK);
    assert_int_equal(S.entries, entries);
    expect_values(&S, B->val, count);
    for (int64_t k = 0; k < entries; ++k)
        t.A.val[place[k]] = val[k];
    copy_blocks(&t);
    assert_int_equal(lcl_system_update(&S, val), LCL_OK);
    expect_values(&S, B->val, count);
    lcl_system_finish(&S);
    numbered_finish(&t);
    free(place);
    free(val);
}

static void test_system__new_values_come_as_entries(void **state)
{
    expect_entries(*state, false);
    expect_entries(*state, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_system__vectors_go_there_and_back),
        cmocka_unit_test(test_system__new_values_come_in_blocks),
        cmocka_unit_test(test_system__new_values_come_as_entries),
    };
    return test_device_run(tests);
}
