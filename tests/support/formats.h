// SPDX-License-Identifier: BSD-3-Clause
// Files in memory: written byte by byte, read as a matrix or as a vector.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test_file {
    unsigned char bytes[8192];
    size_t size;
};

void test_put(struct test_file *F, const void *bytes, size_t size);
// The low `bytes` bytes of a number, the highest one first if `big`.
void test_put_bits(struct test_file *F, uint64_t bits, int bytes, bool big);
void test_put_double(struct test_file *F, double x, bool big);

// The header of a NumPy array.
struct test_file test_npy(int version, const char *type, const char *order,
                          const char *shape);

// The outcome of one reading, for test_outcome_finish().
struct test_outcome {
    enum lcl_status st;
    struct lcl_csr A;
    struct lcl_dense X;
    char message[1024];
};

// Reads file "f" as a matrix or as a vector. Fails if a refusal leaves
// something, or gives other than one message.
struct test_outcome test_read_bytes(const void *bytes, size_t size,
                                    bool matrix);
void test_outcome_finish(struct test_outcome *out);

// Fails unless the file is refused with `words` in the message.
void test_expect_refusal(const void *bytes, size_t size, bool matrix,
                         enum lcl_status st, const char *words);

// Fails unless the file is a dense matrix of these values, by columns.
void test_expect_vectors(const void *bytes, size_t size, int64_t rows,
                         int64_t cols, const double *val);
