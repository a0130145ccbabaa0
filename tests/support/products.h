// SPDX-License-Identifier: BSD-3-Clause
// Products of every kind against the plain product. What fails here fails the
// test.
#pragma once

#include "lib/operator/spmv.h"

enum { TEST_PRODUCT_GROUPS = 3 };

// Vectors x and w, what a product gives, and, once the test has made them, the
// matrix on the device and a way to multiply by it.
struct test_product {
    lcl_context *ctx;
    const struct lcl_bsr *A; // outlives it
    struct lcl_device_matrix D;
    struct lcl_spmv S; // or
    lcl_operator *op;  // the test's; NULL: S
    int64_t n, cols;
    double *x, *w, *ax;
    lcl_buffer *device_x, *device_w;
};

void test_product_init(struct test_product *p, lcl_context *ctx,
                       const struct lcl_bsr *A);

// The matrix on the device, for one that the test does not make itself.
void test_product_upload(struct test_product *p, bool wide);

// Also finishes p->D and p->S.
void test_product_finish(struct test_product *p);

// Fails unless p->S or p->op, with TEST_PRODUCT_GROUPS groups, gives y and the
// partial sums of a mode, and leaves all as it is where the caller has stopped.
void test_product_expect(const struct test_product *p, enum lcl_mode mode);
void test_product_expect_all(const struct test_product *p);

// The same for several columns, with room behind each, which stays as it is.
void test_product_expect_many(const struct test_product *p, int vectors);

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
