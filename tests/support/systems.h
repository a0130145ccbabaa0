// SPDX-License-Identifier: BSD-3-Clause
// The matrices of kernel tests, partitioned into subdomains and numbered by
// level. They are small, for simulators; LEVELCL_TEST_SIZE=large selects larger
// ones.
#pragma once

#include "lib/partition/partition.h"
#include "tests/support/matrices.h"

struct test_system {
    const char *name;
    struct lcl_subdomains P; // chunks of consecutive rows of A
    struct lcl_csr A;        // as generated
    struct lcl_csr B;        // reordered by P
    int64_t *map;            // entry k of B is entry map[k] of A
    int32_t *level;          // of the rows of B, computed by the reference
    int32_t *count;          // number of levels of each subdomain
    int block;               // rows and columns of an entry, 1 by default
    double *blocks;          // values of B, nnz row-major blocks; NULL: B.val
    bool dilu;               // dilu.cl computes the factors if possible
};

int test_system_count(void);

// System number `index`; its rows are sorted by level or, if `sorted` is false,
// in their original order. Prints the name.
void test_system_init(struct test_system *S, int index, bool sorted);

// The same from a matrix, which the system takes over.
void test_system_from(struct test_system *S, struct lcl_csr A,
                      int64_t part_rows, bool sorted);
// The same with given subdomains, which the system takes over too.
void test_system_of(struct test_system *S, struct lcl_csr A,
                    struct lcl_subdomains P, bool sorted);
void test_system_finish(struct test_system *S);

// Orders the rows of each subdomain by the smaller of their levels from both
// ends, as the symbolic phase does for several lanes (`folded` of struct
// lcl_symbolic_params); recomputes the levels.
void test_system_fold(struct test_system *S);

// Sorts the rows of each subdomain by level, as the symbolic phase does at
// last.
void test_system_sort(struct test_system *S);

// Turns every entry into a random block of `block` rows and columns; A and B
// are then patterns. One entry of its diagonal block dominates each row: on the
// diagonal in block row 0, shifted right by one in each further block row.
void test_system_expand(struct test_system *S, int block);

// The values of B, or of its blocks if there are any.
double *test_system_values(const struct test_system *S);
int64_t test_system_value_count(const struct test_system *S);

// Maximum number of rows of a subdomain.
int test_system_rows_limit(void);

// Selects one of two sizes by LEVELCL_TEST_SIZE.
int64_t test_size(int64_t for_simulators, int64_t otherwise);
