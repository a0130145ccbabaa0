// SPDX-License-Identifier: BSD-3-Clause
// Properties of every valid partition.
#include "tests/support/partitions.h"

#include "tests/support/test.h"

#include <stdlib.h>

static void expect_part(const struct lcl_subdomains *P, int64_t p,
                        int64_t limit)
{
    const int64_t first = P->part_ptr[p], last = P->part_ptr[p + 1];
    assert_true(last - first >= 1);
    assert_true(last - first <= limit);
    for (int64_t i = first + 1; i < last; ++i)
        assert_true(P->row[i - 1] < P->row[i]);
}

void test_partition_covers(const struct lcl_subdomains *P, int64_t n,
                           int64_t limit)
{
    assert_int_equal(P->n, n);
    assert_int_equal(P->part_ptr[0], 0);
    assert_int_equal(P->part_ptr[P->parts], n);
    char *seen = calloc((size_t)n, 1);
    assert_non_null(seen);
    for (int64_t i = 0; i < n; ++i) {
        assert_in_range(P->row[i], 0, n - 1);
        assert_int_equal(seen[P->row[i]]++, 0);
    }
    free(seen);
    for (int64_t p = 0; p < P->parts; ++p)
        expect_part(P, p, limit);
}

void test_partition_valid(const struct lcl_subdomains *P, int64_t n,
                          int64_t limit)
{
    test_partition_covers(P, n, limit);
    for (int64_t p = 1; p < P->parts; ++p)
        assert_true(P->row[P->part_ptr[p - 1]] < P->row[P->part_ptr[p]]);
}

int32_t *test_part_of_rows(const struct lcl_subdomains *P)
{
    int32_t *part = calloc((size_t)P->n, sizeof *part);
    assert_non_null(part);
    for (int64_t p = 0; p < P->parts; ++p)
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i)
            part[P->row[i]] = (int32_t)p;
    return part;
}
