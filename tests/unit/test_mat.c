// SPDX-License-Identifier: BSD-3-Clause
// MAT-files of MATLAB, version 5.
#include "tests/support/formats.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

enum {
    INT8 = 1,
    UINT8 = 2,
    INT16 = 3,
    INT32 = 5,
    UINT32 = 6,
    SINGLE = 7,
    DOUBLE = 9,
    INT64 = 12,
    UINT64 = 13,
    MATRIX = 14,
    COMPRESSED = 15,
};
enum { STRUCT = 2, CHAR = 4, SPARSE = 5, FULL = 6, COMPLEX = 0x800 };

// ------------------------------------------------------------------- writing

static struct test_file header(bool big)
{
    struct test_file F = {.size = 0};
    char text[124];
    memset(text, ' ', sizeof text);
    memcpy(text, "MATLAB 5.0 MAT-file", 19);
    test_put(&F, text, sizeof text);
    test_put_bits(&F, 0x0100, 2, big);
    test_put(&F, big ? "MI" : "IM", 2);
    return F;
}

static void pad(struct test_file *F)
{
    static const char zeros[8] = "";
    test_put(F, zeros, (8 - F->size % 8) % 8);
}

static void put_tag(struct test_file *F, int type, size_t size, bool big)
{
    test_put_bits(F, (uint64_t)type, 4, big);
    test_put_bits(F, size, 4, big);
}

static int width_of(int type)
{
    return type <= UINT8 ? 1 : type == INT16 ? 2 : type <= SINGLE ? 4 : 8;
}

static void put_number(struct test_file *F, int type, double x, bool big)
{
    const float single = (float)x;
    uint32_t word;
    memcpy(&word, &single, sizeof word);
    if (type == DOUBLE)
        test_put_double(F, x, big);
    else
        test_put_bits(F, type == SINGLE ? word : (uint64_t)(int64_t)x,
                      width_of(type), big);
}

// Small elements of up to 4 bytes, if wanted.
static void put_numbers(struct test_file *F, int type, const double *x,
                        int count, bool small, bool big)
{
    const size_t size = (size_t)(count * width_of(type));
    if (small && size <= 4)
        test_put_bits(F, (uint64_t)size << 16 | (uint64_t)type, 4, big);
    else
        put_tag(F, type, size, big);
    for (int k = 0; k < count; ++k)
        put_number(F, type, x[k], big);
    pad(F);
}

static void put_text(struct test_file *F, const char *text, size_t size,
                     bool big)
{
    put_tag(F, INT8, size, big);
    test_put(F, text, size);
    pad(F);
}

static void put_head(struct test_file *F, int class, double rows, double cols,
                     const char *name, bool big)
{
    const double flags[] = {class, 0}, sizes[] = {rows, cols};
    put_numbers(F, UINT32, flags, 2, false, big);
    put_numbers(F, INT32, sizes, 2, false, big);
    put_text(F, name, strlen(name), big);
}

// [1 0 2; 0 0 3] by columns, in arrays that tests change.
struct sparse {
    int flags, type;
    double rows, cols, row[3], ptr[4], val[3];
};
static const struct sparse sparse = {SPARSE,    DOUBLE,       2,        3,
                                     {0, 0, 1}, {0, 1, 1, 3}, {1, 2, 3}};

static struct test_file sparse_body(const struct sparse *S, const char *name,
                                    bool big)
{
    struct test_file F = {.size = 0};
    put_head(&F, S->flags, S->rows, S->cols, name, big);
    put_numbers(&F, INT32, S->row, 3, false, big);
    put_numbers(&F, INT32, S->ptr, 4, false, big);
    put_numbers(&F, S->type, S->val, 3, true, big);
    return F;
}

static struct test_file full_body(const char *name, int flags, int type,
                                  double rows, double cols, const double *x,
                                  int count, bool big)
{
    struct test_file F = {.size = 0};
    put_head(&F, flags, rows, cols, name, big);
    put_numbers(&F, type, x, count, true, big);
    return F;
}

static void put_matrix(struct test_file *F, const struct test_file *body,
                       bool big)
{
    put_tag(F, MATRIX, body->size, big);
    test_put(F, body->bytes, body->size);
}

static void put_packed(struct test_file *F, const struct test_file *body,
                       bool big)
{
    struct test_file plain = {.size = 0};
    unsigned char packed[4096];
    uLongf size = sizeof packed;
    put_matrix(&plain, body, big);
    assert_int_equal(compress(packed, &size, plain.bytes, plain.size), Z_OK);
    put_tag(F, COMPRESSED, size, big);
    test_put(F, packed, size);
}

static struct test_file file_of(const struct test_file *body, bool packed,
                                bool big)
{
    struct test_file F = header(big);
    if (packed)
        put_packed(&F, body, big);
    else
        put_matrix(&F, body, big);
    return F;
}

// ------------------------------------------------------------------- tests

static void expect_values(const struct lcl_csr *A)
{
    static const int64_t row_ptr[] = {0, 2, 3};
    static const int32_t col_ind[] = {0, 2, 2};
    static const double val[] = {1, 2, 3};
    assert_true(A->rows == 2 && A->cols == 3 && A->nnz == 3);
    assert_memory_equal(A->row_ptr, row_ptr, sizeof row_ptr);
    assert_memory_equal(A->col_ind, col_ind, sizeof col_ind);
    assert_memory_equal(A->val, val, sizeof val);
}

static void expect_sparse(const struct test_file *F)
{
    struct test_outcome out = test_read_bytes(F->bytes, F->size, true);
    if (out.st != LCL_OK)
        fail_msg("%s", out.message);
    expect_values(&out.A);
    test_outcome_finish(&out);
}

static void test_mat__sparse_matrices_are_read(void **state)
{
    static const int types[] = {DOUBLE, UINT8, INT16, SINGLE, INT64, UINT64};
    (void)state;
    for (int big = 0; big < 2; ++big)
        for (int packed = 0; packed < 2; ++packed)
            for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
                struct sparse S = sparse;
                S.type = types[t];
                const struct test_file body = sparse_body(&S, "M", big);
                const struct test_file F = file_of(&body, packed, big);
                expect_sparse(&F);
            }
}

static void test_mat__full_matrices_are_read(void **state)
{
    static const double x[] = {-1, 2, 3, -4};
    static const int types[] = {DOUBLE, INT8, INT16, INT32, SINGLE, INT64};
    (void)state;
    for (int big = 0; big < 2; ++big)
        for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
            const struct test_file body =
                full_body("x", FULL, types[t], 2, 2, x, 4, big);
            const struct test_file F = file_of(&body, big, big);
            test_expect_vectors(F.bytes, F.size, 2, 2, x);
            test_expect_refusal(F.bytes, F.size, true, LCL_EUNSUPPORTED,
                                "no sparse matrix; sparse() makes one of x");
        }
}

static void test_mat__fields_of_a_struct_count(void **state)
{
    static const double id = 7, width = 5, b[] = {8, 9};
    (void)state;
    for (int packed = 0; packed < 2; ++packed) {
        const struct test_file A = sparse_body(&sparse, "", false),
                               x = full_body("", FULL, DOUBLE, 1, 1, &id, 1,
                                             false),
                               y = full_body("", FULL, DOUBLE, 2, 1, b, 2,
                                             false);
        struct test_file body = {.size = 0};
        put_head(&body, STRUCT, 1, 1, "Problem", false);
        put_numbers(&body, INT32, &width, 1, true, false);
        put_text(&body, "id\0\0\0A\0\0\0\0b\0\0\0\0none\0", 20, false);
        put_matrix(&body, &x, false);
        put_matrix(&body, &A, false);
        put_matrix(&body, &y, false);
        put_tag(&body, MATRIX, 0, false);
        const struct test_file F = file_of(&body, packed, false);
        expect_sparse(&F);
        test_expect_vectors(F.bytes, F.size, 2, 1, b);
    }
}

static void test_mat__of_several_the_name_decides(void **state)
{
    static const double one = 1;
    const struct test_file K = sparse_body(&sparse, "K", false),
                           A = sparse_body(&sparse, "A", false),
                           x = full_body("x", FULL, DOUBLE, 1, 1, &one, 1,
                                         false);
    struct test_file F = header(false);
    (void)state;
    put_matrix(&F, &K, false);
    put_matrix(&F, &x, false);
    expect_sparse(&F);
    put_packed(&F, &K, false);
    test_expect_refusal(F.bytes, F.size, true, LCL_EUNSUPPORTED,
                        "several sparse matrices: K, K; save() one, or name "
                        "it A");
    test_expect_vectors(F.bytes, F.size, 1, 1, &one);
    put_packed(&F, &A, false);
    expect_sparse(&F);
    put_matrix(&F, &A, false);
    test_expect_refusal(F.bytes, F.size, true, LCL_EUNSUPPORTED,
                        "several sparse matrices: K, K, A, A");
    put_matrix(&F, &x, false);
    test_expect_refusal(F.bytes, F.size, false, LCL_EUNSUPPORTED,
                        "several full matrices: x, x; save() one, or name it "
                        "b");
}

static void expect_body(const struct test_file *body, bool matrix,
                        enum lcl_status st, const char *words)
{
    for (int packed = 0; packed < 2; ++packed) {
        const struct test_file F = file_of(body, packed, false);
        test_expect_refusal(F.bytes, F.size, matrix, st, words);
    }
}

static void expect_sparse_refusal(const struct sparse *S, enum lcl_status st,
                                  const char *words)
{
    const struct test_file body = sparse_body(S, "M", false);
    expect_body(&body, true, st, words);
}

static void test_mat__wrong_matrices_are_refused(void **state)
{
    static const double x[] = {1, NAN};
    struct sparse S = sparse;
    (void)state;
    S.flags |= COMPLEX;
    expect_sparse_refusal(&S, LCL_EUNSUPPORTED, "'M' is complex");
    for (int k = 0; k < 2; ++k) {
        S = sparse;
        S.row[1] = k ? 2 : -1;
        expect_sparse_refusal(&S, LCL_EFORMAT, "by columns of variable 'M'");
        S = sparse;
        S.ptr[k ? 3 : 0] = k ? 4 : 1;
        expect_sparse_refusal(&S, LCL_EFORMAT, "by columns of variable 'M'");
        S = sparse;
        S.ptr[1] = k ? -1 : 4;
        expect_sparse_refusal(&S, LCL_EFORMAT, "by columns of variable 'M'");
    }
    S = sparse;
    S.cols = 4;
    expect_sparse_refusal(&S, LCL_EFORMAT, "by columns of variable 'M'");
    S = sparse;
    S.val[2] = INFINITY;
    expect_sparse_refusal(&S, LCL_EFORMAT, "finite values of variable 'M'");
    S = sparse;
    S.rows = 2e9;
    expect_sparse_refusal(&S, LCL_ERANGE, "expected more than 3 entries");
    struct test_file body = full_body("x", FULL, DOUBLE, 2, 1, x, 2, false);
    expect_body(&body, false, LCL_EFORMAT, "finite values of variable 'x'");
    body = full_body("x", FULL, DOUBLE, 3, 1, x, 2, false);
    expect_body(&body, false, LCL_EFORMAT, "a number for each element");
    body = full_body("x", FULL, DOUBLE, 2e9, 2e9, x, 2, false);
    expect_body(&body, false, LCL_EFORMAT, "a number for each element");
    body = full_body("x", FULL | COMPLEX, DOUBLE, 1, 1, x, 1, false);
    expect_body(&body, false, LCL_EUNSUPPORTED, "'x' is complex");
    body = full_body("x", CHAR, INT8, 1, 1, x, 1, false);
    expect_body(&body, false, LCL_EUNSUPPORTED, "no full matrix of numbers");
}

// Ends in an element, or behind it, where a file may end.
static void test_mat__truncated_files_are_refused(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; ++packed) {
        const struct test_file body = sparse_body(&sparse, "M", false);
        const struct test_file F = file_of(&body, packed, false);
        for (size_t size = 129; size < F.size; ++size)
            test_expect_refusal(F.bytes, size, true, LCL_EIO, "is truncated");
        test_expect_refusal(F.bytes, 128, true, LCL_EUNSUPPORTED,
                            "no sparse matrix");
    }
}

// Reads a file with a changed byte: compressed data are refused unless they
// unpack to the same, others do not make a matrix that is not well-formed.
static void expect_care(const struct test_file *F, bool checked)
{
    struct test_outcome out = test_read_bytes(F->bytes, F->size, true);
    if (out.st == LCL_OK)
        assert_int_equal(lcl_csr_check(&out.A, NULL), LCL_OK);
    if (out.st == LCL_OK && checked)
        expect_values(&out.A);
    else if (checked)
        assert_int_equal(out.st, LCL_EIO);
    test_outcome_finish(&out);
}

static void test_mat__damage_is_found(void **state)
{
    const struct test_file body = sparse_body(&sparse, "M", false);
    (void)state;
    for (int packed = 0; packed < 2; ++packed) {
        struct test_file F = file_of(&body, packed, false);
        for (size_t k = 128; k < F.size; ++k)
            for (int bit = 1; bit < 256; bit *= 2) {
                F.bytes[k] ^= (unsigned char)bit;
                expect_care(&F, packed && k >= 136);
                F.bytes[k] ^= (unsigned char)bit;
            }
        expect_sparse(&F);
    }
}

// The tag promises 4 GB.
static void test_mat__sizes_that_lie_are_found(void **state)
{
    const struct test_file body = sparse_body(&sparse, "M", false);
    (void)state;
    for (int packed = 0; packed < 2; ++packed) {
        struct test_file F = file_of(&body, packed, false);
        memset(F.bytes + 132, 0xff, 4);
        test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "is truncated");
    }
    struct test_file plain = {.size = 0}, F = header(false);
    unsigned char out[4096];
    uLongf size = sizeof out;
    put_tag(&plain, MATRIX, 8, false);
    test_put(&plain, body.bytes, body.size);
    assert_int_equal(compress(out, &size, plain.bytes, plain.size), Z_OK);
    put_tag(&F, COMPRESSED, size, false);
    test_put(&F, out, size);
    test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mat__sparse_matrices_are_read),
        cmocka_unit_test(test_mat__full_matrices_are_read),
        cmocka_unit_test(test_mat__fields_of_a_struct_count),
        cmocka_unit_test(test_mat__of_several_the_name_decides),
        cmocka_unit_test(test_mat__wrong_matrices_are_refused),
        cmocka_unit_test(test_mat__truncated_files_are_refused),
        cmocka_unit_test(test_mat__damage_is_found),
        cmocka_unit_test(test_mat__sizes_that_lie_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
