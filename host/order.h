// SPDX-License-Identifier: BSD-3-Clause
// Ascending orders of numbers, for qsort() and bsearch(); minimum and maximum.
#pragma once

#include <stdint.h>
#include <stdlib.h>

static inline int lcl_order_int32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static inline int lcl_order_int64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int lcl_order_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int64_t lcl_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t lcl_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Sort numbers, which often are in order: columns of rows in their order.
static inline void lcl_sort_int32(int32_t *number, int64_t count)
{
    int64_t k = 1;
    while (k < count && number[k - 1] <= number[k])
        ++k;
    if (k < count)
        qsort(number, (size_t)count, sizeof *number, lcl_order_int32);
}

static inline void lcl_sort_int64(int64_t *number, int64_t count)
{
    int64_t k = 1;
    while (k < count && number[k - 1] <= number[k])
        ++k;
    if (k < count)
        qsort(number, (size_t)count, sizeof *number, lcl_order_int64);
}

// Sort numbers, each once. Return how many are left.
static inline int64_t lcl_sort_once_int32(int32_t *number, int64_t count)
{
    int64_t kept = 0;
    lcl_sort_int32(number, count);
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || number[k] != number[kept - 1])
            number[kept++] = number[k];
    return kept;
}

static inline int64_t lcl_sort_once_int64(int64_t *number, int64_t count)
{
    int64_t kept = 0;
    lcl_sort_int64(number, count);
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || number[k] != number[kept - 1])
            number[kept++] = number[k];
    return kept;
}

// Numbers by key, equal keys by value.
struct lcl_keyed {
    int64_t key, value;
};

static inline int lcl_order_keyed(const void *a, const void *b)
{
    const struct lcl_keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->value > y->value) - (x->value < y->value);
}

static inline void lcl_sort_keyed(struct lcl_keyed *all, int64_t count)
{
    if (count > 0)
        qsort(all, (size_t)count, sizeof *all, lcl_order_keyed);
}
