// SPDX-License-Identifier: BSD-3-Clause
// A context for tests, buffers that show writes of a kernel, comparisons.
#include "tests/support/device.h"
#include "lib/matrix/bsr.h"
#include "lib/storage/matrix.h"

#include "host/runtime.h"
#include "tests/support/matrices.h"
#include "tests/support/simulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xff, GUARD = 64, CONTEXTS = 5 };

// -------------------------------------------------------------------- context

static lcl_context *context, *others[CONTEXTS];

// Errors and their messages belong to the output of a failing test.
static void print_line(void *user, enum lcl_log_level level, const char *text)
{
    (void)user, (void)level;
    print_message("levelcl: %s\n", text);
}

static const struct lcl_context_params params = {
    .log = {.fn = print_line, .level = LCL_LOG_ERROR},
};

bool test_device_create(void)
{
    const enum lcl_status st =
        lcl_runtime_create(&context, &params, test_simulator_api());
    if (st != LCL_OK && st != LCL_ENODEVICE) {
        print_error("no context: %s\n", lcl_status_str(st));
        exit(1);
    }
    return st == LCL_OK;
}

int test_device_enter(void **state)
{
    *state = context;
    return 0;
}

int test_device_leave(void **state)
{
    (void)state;
    test_simulator_release();
    lcl_context_destroy(&context);
    for (int k = 0; k < CONTEXTS; ++k)
        lcl_context_destroy(&others[k]);
    return 0;
}

lcl_context *test_context(int k)
{
    assert_in_range(k, 0, CONTEXTS - 1);
    if (!others[k])
        assert_int_equal(lcl_context_create(&others[k], &params), LCL_OK);
    return others[k];
}

// -------------------------------------------------------------------- vectors

double *test_vector(int64_t n)
{
    double *v = calloc((size_t)n + 1, sizeof *v);
    assert_non_null(v);
    return v;
}

double *test_random_vector(int64_t n, unsigned seed)
{
    double *v = test_vector(n);
    uint64_t state = seed;
    for (int64_t i = 0; i < n; ++i)
        v[i] = 2 * test_random(&state) - 1;
    return v;
}

// -------------------------------------------------------------------- buffers

lcl_buffer *test_poisoned(lcl_context *ctx, int64_t count, size_t size)
{
    lcl_buffer *buffer;
    const int64_t bytes = count * (int64_t)size + GUARD;
    assert_int_equal(lcl_buffer_create(&buffer, ctx, bytes, 1, "a test's"),
                     LCL_OK);
    assert_int_equal(lcl_buffer_fill(buffer, POISON), LCL_OK);
    return buffer;
}

lcl_buffer *test_upload(lcl_context *ctx, const void *data, int64_t count,
                        size_t size)
{
    lcl_buffer *buffer = test_poisoned(ctx, count, size);
    assert_int_equal(lcl_buffer_write(buffer, data, (size_t)count * size),
                     LCL_OK);
    return buffer;
}

lcl_buffer *test_upload_row_ptr(lcl_context *ctx, const int64_t *row_ptr,
                                int64_t rows, bool wide)
{
    if (wide)
        return test_upload(ctx, row_ptr, rows + 1, sizeof *row_ptr);
    uint32_t *narrow = calloc((size_t)rows + 1, sizeof *narrow);
    assert_non_null(narrow);
    for (int64_t i = 0; i <= rows; ++i)
        narrow[i] = (uint32_t)row_ptr[i];
    lcl_buffer *buffer = test_upload(ctx, narrow, rows + 1, sizeof *narrow);
    free(narrow);
    return buffer;
}

// Fails unless all bytes from `from` on are poison.
static unsigned char *read_all(const lcl_buffer *buffer, size_t from)
{
    const size_t bytes = lcl_buffer_bytes(buffer);
    unsigned char *all = malloc(bytes);
    assert_non_null(all);
    assert_int_equal(lcl_buffer_read(buffer, all, bytes), LCL_OK);
    for (size_t i = from; i < bytes; ++i)
        if (all[i] != POISON)
            fail_msg("byte %zu was written, only %zu may be", i, from);
    return all;
}

void test_download(const lcl_buffer *buffer, void *data, int64_t count,
                   size_t size)
{
    const size_t bytes = (size_t)count * size;
    unsigned char *all = read_all(buffer, bytes);
    memcpy(data, all, bytes);
    free(all);
}

static float *room_for_floats(int64_t count)
{
    float *single = calloc((size_t)count + 1, sizeof *single);
    assert_non_null(single);
    return single;
}

lcl_buffer *test_upload_reals(lcl_context *ctx, const double *values,
                              int64_t count, size_t size)
{
    if (size == sizeof *values)
        return test_upload(ctx, values, count, size);
    float *single = room_for_floats(count);
    for (int64_t i = 0; i < count; ++i)
        single[i] = (float)values[i];
    lcl_buffer *buffer = test_upload(ctx, single, count, size);
    free(single);
    return buffer;
}

void test_download_reals(const lcl_buffer *buffer, double *values,
                         int64_t count, size_t size)
{
    if (size == sizeof *values) {
        test_download(buffer, values, count, size);
        return;
    }
    float *single = room_for_floats(count);
    test_download(buffer, single, count, size);
    for (int64_t i = 0; i < count; ++i)
        values[i] = single[i];
    free(single);
}

void test_untouched(const lcl_buffer *buffer)
{
    free(read_all(buffer, 0));
}

lcl_buffer *test_stop_flag(lcl_context *ctx, int32_t value)
{
    return test_upload(ctx, &value, 1, sizeof value);
}

void test_upload_csr(struct lcl_device_matrix *D, lcl_context *ctx,
                     const struct lcl_csr *A)
{
    const struct lcl_bsr view = lcl_bsr_of_csr(A);
    assert_int_equal(lcl_device_matrix_init(D, ctx, &view), LCL_OK);
}

void test_upload_wide_csr(struct lcl_device_matrix *D, lcl_context *ctx,
                          const struct lcl_csr *A, bool wide)
{
    test_upload_csr(D, ctx, A);
    if (!wide)
        return;
    lcl_buffer_destroy(&D->row_ptr);
    D->row_ptr = test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t));
    D->wide = true;
}

// ------------------------------------------------------------------- programs

lcl_kernel *test_kernel(lcl_context *ctx, const struct lcl_spec *spec)
{
    lcl_kernel *kernel = NULL;
    assert_int_equal(lcl_kernel_get(&kernel, ctx, spec), LCL_OK);
    return kernel;
}

int test_width(lcl_context *ctx)
{
    return lcl_context_caps(ctx)->width;
}

int test_group(lcl_context *ctx, int waves)
{
    const int width = test_width(ctx);
    return width == 1 ? 1 : waves * width;
}

// ----------------------------------------------------------------- comparisons

void test_expect_near(const char *what, const double *got,
                      const double *expected, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; ++i) {
        const double allowed = tolerance * fmax(1, fabs(expected[i]));
        if (!(fabs(got[i] - expected[i]) <= allowed))
            fail_msg("%s[%lld]: got %.17g, expected %.17g, tolerance %.3g",
                     what, (long long)i, got[i], expected[i], allowed);
    }
}

void test_expect_same(const char *what, const double *got,
                      const double *expected, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (memcmp(&got[i], &expected[i], sizeof *got) != 0)
            fail_msg("%s[%lld]: got %a, expected %a, bit for bit", what,
                     (long long)i, got[i], expected[i]);
}

void test_expect_words(const char *what, const lcl_buffer *buffer,
                       const int32_t *expected, int64_t count)
{
    int32_t *got = malloc((size_t)count * sizeof *got + 1);
    assert_non_null(got);
    assert_int_equal(lcl_buffer_read(buffer, got, (size_t)count * sizeof *got),
                     LCL_OK);
    for (int64_t i = 0; i < count; ++i)
        if (got[i] != expected[i])
            fail_msg("%s[%lld]: got %d, expected %d", what, (long long)i,
                     got[i], expected[i]);
    free(got);
}

void test_expect_bytes(const char *what, const lcl_buffer *buffer,
                       const uint8_t *expected, int64_t count)
{
    uint8_t *got = malloc((size_t)count + 1);
    assert_non_null(got);
    assert_int_equal(lcl_buffer_read(buffer, got, (size_t)count), LCL_OK);
    for (int64_t i = 0; i < count; ++i)
        if (got[i] != expected[i])
            fail_msg("%s[%lld]: %d, expected %d", what, (long long)i, got[i],
                     expected[i]);
    free(got);
}

void test_expect_places(const char *what, const lcl_buffer *buffer,
                        const int64_t *expected, int64_t count)
{
    int32_t *words = calloc((size_t)count + 1, sizeof *words);
    assert_non_null(words);
    for (int64_t k = 0; k < count; ++k)
        words[k] = (int32_t)expected[k];
    test_expect_words(what, buffer, words, count);
    free(words);
}

void test_expect_csr(const struct lcl_device_matrix *D,
                     const struct lcl_csr *expected, bool values)
{
    struct lcl_bsr got;
    assert_true(D->block == 1 && !D->wide && D->n == expected->rows &&
                D->block_rows == expected->rows &&
                D->block_cols == expected->cols);
    assert_int_equal(D->blocks, expected->nnz);
    assert_int_equal(lcl_device_matrix_read(&got, D, values, NULL), LCL_OK);
    for (int64_t i = 0; i <= got.rows; ++i)
        assert_int_equal(got.row_ptr[i], expected->row_ptr[i]);
    test_expect_words("column", D->col, expected->col_ind, got.nnz);
    if (values)
        test_expect_same("value", got.val, expected->val, got.nnz);
    lcl_bsr_finish(&got);
}
