// SPDX-License-Identifier: BSD-3-Clause
// The matrices of kernel tests.
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "lib/matrix/csr.h"
#include "lib/ref/levels.h"
#include "tests/support/device.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { IDENTITY, RANDOM, DENSE_ROW, GRID };

struct description {
    const char *name;
    enum kind kind;
    int64_t part_rows;
    int64_t n;      // rows; GRID: cells along x and y, half as many along z
    double per_row; // RANDOM: off-diagonal entries
    unsigned seed;
};

// clang-format off
static const struct description small[] = {
    {"one row",      IDENTITY,   1,  1,  0, 0},
    {"two rows",     RANDOM,     2,  2,  1, 7},
    {"diagonal",     IDENTITY,   3,  7,  0, 0},
    {"dense row",    DENSE_ROW, 17, 17,  0, 0},
    {"full",         RANDOM,    11, 11, 10, 1},
    {"prime",        RANDOM,    23, 23,  3, 2},
    {"several parts", RANDOM,   15, 41,  4, 3},
    {"grid",         GRID,      16,  4,  0, 0},
};
static const struct description large[] = {
    {"one row",      IDENTITY,    1,    1,  0, 0},
    {"diagonal",     IDENTITY,  500, 1999,  0, 0},
    {"dense row",    DENSE_ROW, 601,  601,  0, 0},
    {"full",         RANDOM,     97,   97, 96, 1},
    {"prime",        RANDOM,    640, 1009,  6, 2},
    {"prime again",  RANDOM,    127, 1009,  6, 3},
    {"long rows",    RANDOM,    128,  511, 40, 4},
    {"grid",         GRID,      512,   16,  0, 0},
};
// clang-format on

static bool wants_large(void)
{
    const char *size = getenv("LEVELCL_TEST_SIZE");
    return size && strcmp(size, "large") == 0;
}

int test_system_count(void)
{
    return wants_large() ? (int)(sizeof large / sizeof *large)
                         : (int)(sizeof small / sizeof *small);
}

int test_system_rows_limit(void)
{
    return wants_large() ? 640 : 64;
}

int64_t test_size(int64_t for_simulators, int64_t otherwise)
{
    return wants_large() ? otherwise : for_simulators;
}

static struct lcl_csr make(const struct description *d)
{
    switch (d->kind) {
    case IDENTITY:
        return test_identity(d->n);
    case RANDOM:
        return test_random_csr(d->n, d->per_row, d->seed);
    case DENSE_ROW:
        return test_dense_row(d->n, d->n / 3);
    case GRID:
        break;
    }
    return test_laplacian(d->n, d->n, (d->n + 1) / 2);
}

static void reorder(struct test_system *S)
{
    lcl_csr_finish(&S->B);
    lcl_free(S->map);
    assert_int_equal(lcl_csr_reorder(&S->B, &S->map, &S->A, S->P.row, NULL),
                     LCL_OK);
}

static void find_levels(struct test_system *S)
{
    S->level = calloc((size_t)S->A.rows, sizeof *S->level);
    S->count = calloc((size_t)S->P.parts, sizeof *S->count);
    assert_non_null(S->level);
    assert_non_null(S->count);
    for (int64_t p = 0; p < S->P.parts; ++p) {
        const int64_t first = S->P.part_ptr[p];
        S->count[p] = lcl_ref_levels(&S->B, first, S->P.part_ptr[p + 1],
                                     S->level + first);
    }
}

void test_system_sort(struct test_system *S)
{
    assert_int_equal(lcl_ref_order(&S->P, S->level, &S->B, true), LCL_OK);
    reorder(S);
}

void test_system_of(struct test_system *S, struct lcl_csr A,
                    struct lcl_subdomains P, bool sorted)
{
    *S = (struct test_system){
        .name = "a test's own", .P = P, .A = A, .block = 1};
    reorder(S);
    find_levels(S);
    if (sorted)
        test_system_sort(S);
}

void test_system_from(struct test_system *S, struct lcl_csr A,
                      int64_t part_rows, bool sorted)
{
    const struct lcl_partition_params params = {
        .type = LCL_PARTITION_NATURAL,
        .rows = part_rows,
    };
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, &A, &params, part_rows, NULL),
                     LCL_OK);
    test_system_of(S, A, P, sorted);
}

void test_system_fold(struct test_system *S)
{
    int32_t *back = calloc((size_t)S->A.rows, sizeof *back);
    assert_non_null(back);
    for (int64_t p = 0; p < S->P.parts; ++p) {
        const int64_t first = S->P.part_ptr[p], last = S->P.part_ptr[p + 1];
        lcl_ref_levels_from_the_end(&S->B, first, last, back + first);
        for (int64_t i = first; i < last; ++i)
            if (back[i] < S->level[i])
                S->level[i] = back[i];
    }
    assert_int_equal(lcl_ref_order(&S->P, S->level, &S->B, false), LCL_OK);
    reorder(S);
    free(back);
    free(S->level);
    free(S->count);
    find_levels(S);
}

void test_system_init(struct test_system *S, int index, bool sorted)
{
    const struct description *d = (wants_large() ? large : small) + index;
    test_system_from(S, make(d), d->part_rows, sorted);
    S->name = d->name;
    print_message("on %s\n", d->name);
}

void test_system_finish(struct test_system *S)
{
    lcl_subdomains_finish(&S->P);
    test_csr_finish(&S->A);
    lcl_csr_finish(&S->B);
    lcl_free(S->map);
    free(S->level);
    free(S->count);
    free(S->blocks);
    *S = (struct test_system){0};
}

// ------------------------------------------------------------------- blocks

// The largest entry of row r of a block row: the sum of the others plus one.
static void dominate(struct test_system *S, int64_t i, int64_t r)
{
    const int64_t b = S->block;
    double sum = 1, *largest = NULL;
    for (int64_t k = S->B.row_ptr[i]; k < S->B.row_ptr[i + 1]; ++k) {
        double *row = S->blocks + (k * b + r) * b;
        for (int64_t c = 0; c < b; ++c)
            sum += fabs(row[c]);
        if (S->B.col_ind[k] == i)
            largest = row + (r + i) % b;
    }
    if (largest)
        *largest = sum;
}

void test_system_expand(struct test_system *S, int block)
{
    S->block = block;
    S->blocks = test_random_vector(test_system_value_count(S), 17);
    for (int64_t i = 0; i < S->B.rows; ++i)
        for (int64_t r = 0; r < block; ++r)
            dominate(S, i, r);
}

double *test_system_values(const struct test_system *S)
{
    return S->blocks ? S->blocks : S->B.val;
}

int64_t test_system_value_count(const struct test_system *S)
{
    return S->B.nnz * S->block * S->block;
}
