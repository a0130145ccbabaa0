// SPDX-License-Identifier: BSD-3-Clause
// The matrices on which kernels are tried, cut into subdomains and numbered by
// level. They are small, for simulators; LEVELCL_TEST_SIZE=large asks for
// larger ones.
#pragma once

#include "lib/partition/partition.h"
#include "tests/support/matrices.h"

struct test_system {
    const char *name;
    struct lcl_partition P; // chunks of consecutive rows of A
    struct lcl_csr A;       // as made
    struct lcl_csr B;       // reordered by P
    int32_t *level;         // of the rows of B, by the reference
    int32_t *count;         // levels of a subdomain
    int block;              // rows and columns of an entry, 1 unless asked for
    double *blocks;         // values of B, nnz blocks by rows; NULL: B.val
    bool paired;            // factors are made by dilu.cl where they can be
};

int test_system_count(void);

// Number `index`; its rows are sorted by level or, where `sorted` is false, as
// they were. Prints the name.
void test_system_init(struct test_system *S, int index, bool sorted);

// The same from a matrix, which becomes the system's.
void test_system_from(struct test_system *S, struct lcl_csr A,
                      int64_t part_rows, bool sorted);
void test_system_finish(struct test_system *S);

// Orders the rows of each subdomain by the smaller of their levels from both
// ends, as the analysis does where lanes work side by side (`folded` of struct
// lcl_symbolic_params); levels are found again.
void test_system_fold(struct test_system *S);

// Makes every entry a random block of `block` rows and columns: A and B are
// patterns then. Rows are dominated by one entry of their diagonal block, which
// is on the diagonal in row 0 and one farther right in each row of blocks.
void test_system_expand(struct test_system *S, int block);

// The values of B, of its blocks where they are more than one entry.
double *test_system_values(const struct test_system *S);
int64_t test_system_value_count(const struct test_system *S);

// Rows that no subdomain exceeds.
int test_system_rows_limit(void);

// One of two sizes, by LEVELCL_TEST_SIZE.
int64_t test_size(int64_t for_simulators, int64_t otherwise);
