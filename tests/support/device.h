// SPDX-License-Identifier: BSD-3-Clause
// A context for the tests of a program, buffers that show writes of a kernel,
// and comparisons that print the difference. Failures here fail the test.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "tests/support/test.h"

#include <stdbool.h>

struct lcl_csr;
struct lcl_device_matrix;

// Runs an array of tests with one context as their state, configured by the
// environment (LEVELCL_WIDTH and so on). Returns the result of main(): 77 if
// there is no device.
#define test_device_run(tests)                                                 \
 (test_device_create()                                                         \
      ? cmocka_run_group_tests(tests, test_device_enter, test_device_leave)    \
      : 77)

// Creates the context. Returns false if there is no OpenCL device.
bool test_device_create(void);
int test_device_enter(void **state);
int test_device_leave(void **state);

// Context k of those that tests on several devices use, made by the first call
// with default parameters on the default device and destroyed by
// test_device_leave(): each builds its programs once.
lcl_context *test_context(int k);

// ------------------------------------------------------------------- vectors

// n random numbers in [-1, 1), freed with free(); the same for the same seed.
double *test_random_vector(int64_t n, unsigned seed);
// n zeros, freed with free().
double *test_vector(int64_t n);

// ------------------------------------------------------------------- buffers

// `count` elements of `size` bytes, followed by guard bytes; every byte is
// 0xff: NaN as double, -1 as integer.
lcl_buffer *test_poisoned(lcl_context *ctx, int64_t count, size_t size);

// The same with given elements.
lcl_buffer *test_upload(lcl_context *ctx, const void *data, int64_t count,
                        size_t size);

// The rows + 1 row pointers of a matrix as kernels read them: 64 bits if
// `wide`, else 32.
lcl_buffer *test_upload_row_ptr(lcl_context *ctx, const int64_t *row_ptr,
                                int64_t rows, bool wide);

// Reads the elements; fails if a guard byte is no longer 0xff.
void test_download(const lcl_buffer *buffer, void *data, int64_t count,
                   size_t size);

// The same for doubles that the device stores as reals of `size` bytes, 4 or 8.
lcl_buffer *test_upload_reals(lcl_context *ctx, const double *values,
                              int64_t count, size_t size);
void test_download_reals(const lcl_buffer *buffer, double *values,
                         int64_t count, size_t size);

// Fails unless every byte is as test_poisoned() left it.
void test_untouched(const lcl_buffer *buffer);

// A stopping flag as kernels expect it: one int.
lcl_buffer *test_stop_flag(lcl_context *ctx, int32_t value);

// Uploads a matrix of single entries.
void test_upload_csr(struct lcl_device_matrix *D, lcl_context *ctx,
                     const struct lcl_csr *A);
// The same with row pointers of 64 bits if `wide`.
void test_upload_wide_csr(struct lcl_device_matrix *D, lcl_context *ctx,
                          const struct lcl_csr *A, bool wide);

// ------------------------------------------------------------------- programs

// The kernel of a spec; fails if it does not build.
lcl_kernel *test_kernel(lcl_context *ctx, const struct lcl_spec *spec);

// The wave width, and the number of work-items of a group of `waves` waves; 1
// at width 1.
int test_width(lcl_context *ctx);
int test_group(lcl_context *ctx, int waves);

// ----------------------------------------------------------------- comparisons

// Fails at the first i with |got - expected| > tolerance * max(1, |expected|)
// or NaN, and prints both values.
void test_expect_near(const char *what, const double *got,
                      const double *expected, int64_t n, double tolerance);

// Fails at the first i with different bits.
void test_expect_same(const char *what, const double *got,
                      const double *expected, int64_t n);

// Fails at the first of `count` words of a buffer that differs.
void test_expect_words(const char *what, const lcl_buffer *buffer,
                       const int32_t *expected, int64_t count);
// The same for bytes.
void test_expect_bytes(const char *what, const lcl_buffer *buffer,
                       const uint8_t *expected, int64_t count);
// The same for words that are the low halves of `expected`.
void test_expect_places(const char *what, const lcl_buffer *buffer,
                        const int64_t *expected, int64_t count);

// Fails unless a matrix of single entries has the pattern and, with `values`,
// the bits of `expected`.
void test_expect_csr(const struct lcl_device_matrix *D,
                     const struct lcl_csr *expected, bool values);
