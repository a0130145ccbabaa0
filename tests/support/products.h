// SPDX-License-Identifier: BSD-3-Clause
// Products y = A x on the device against the plain product.
#pragma once

#include "lib/spmv/spmv.h"
#include "tests/support/device.h"

// Few groups, so that each has much to do.
enum { TEST_PRODUCT_GROUPS = 3 };

// A matrix on the device, vectors x and w, what a product gives.
struct test_product {
    lcl_context *ctx;
    struct lcl_device_matrix D;
    struct lcl_spmv S;
    int64_t n;
    double *x, *w, *ax;
    lcl_buffer *device_x, *device_w;
};

// Makes the vectors; then what is known of A and the matrix on the device.
void test_product_init(struct test_product *p, lcl_context *ctx,
                       const struct lcl_bsr *A);
void test_product_upload(struct test_product *p, const struct lcl_bsr *A,
                         bool wide);
void test_product_finish(struct test_product *p);

// Compares one product, or all four: y, the partial sums, that nothing else is
// written, and that a set stop flag stops it.
void test_product_expect(const struct test_product *p,
                         enum lcl_product product);
void test_product_expect_all(const struct test_product *p);

// All four products of a kind with A, row pointers of 32 or 64 bits.
void test_product_expect_type(lcl_context *ctx, enum lcl_spmv_type type,
                              const struct lcl_bsr *A, bool wide);

// The same with every matrix of tests/support/systems.h.
void test_product_expect_systems(lcl_context *ctx, enum lcl_spmv_type type,
                                 bool wide);

// The same with rows of such lengths, entries anywhere in `cols` columns.
void test_product_expect_lengths(lcl_context *ctx, enum lcl_spmv_type type,
                                 int64_t rows, int64_t cols,
                                 const int64_t *length, bool wide);

// That blocks are refused with a sentence that has `part`.
void test_product_expect_no_blocks(enum lcl_spmv_type type, const char *part);
