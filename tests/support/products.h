// SPDX-License-Identifier: BSD-3-Clause
// Products of every type compared with the plain product. Failures here fail
// the test.
#pragma once

#include "lib/spmv/spmv.h"

enum { TEST_PRODUCT_GROUPS = 3 };

// Vectors x and w, the results of a product, and, once the test has created
// them, the matrix on the device and a product with it.
struct test_product {
    lcl_context *ctx;
    const struct lcl_bsr *A; // must outlive the struct
    struct lcl_device_matrix D;
    struct lcl_spmv S; // or
    lcl_operator *op;  // the test's; NULL: S
    int64_t n, cols;
    double *x, *w, *ax;
    lcl_buffer *device_x, *device_w;
};

void test_product_init(struct test_product *p, lcl_context *ctx,
                       const struct lcl_bsr *A);

// Uploads the matrix, for tests that do not do it themselves.
void test_product_upload(struct test_product *p, bool wide);

// Also finishes p->D and p->S.
void test_product_finish(struct test_product *p);

// Fails unless p->S or p->op, with TEST_PRODUCT_GROUPS groups, computes y and
// the partial sums of a mode, and changes nothing if the stopping flag is set.
void test_product_expect(const struct test_product *p, enum lcl_mode mode);
void test_product_expect_all(const struct test_product *p);

// The same for several columns, with gaps between them, which must stay
// unchanged.
void test_product_expect_many(const struct test_product *p, int vectors);

// All four products of a type with A, with 32-bit or 64-bit row pointers.
void test_product_expect_type(lcl_context *ctx, enum lcl_spmv_type type,
                              const struct lcl_bsr *A, bool wide);

// The same with every matrix of tests/support/systems.h.
void test_product_expect_systems(lcl_context *ctx, enum lcl_spmv_type type,
                                 bool wide);

// The same with rows of the given lengths, entries anywhere in `cols` columns.
void test_product_expect_lengths(lcl_context *ctx, enum lcl_spmv_type type,
                                 int64_t rows, int64_t cols,
                                 const int64_t *length, bool wide);

// Expects the type to refuse blocks with a message that contains `part`.
void test_product_expect_no_blocks(enum lcl_spmv_type type, const char *part);
