// SPDX-License-Identifier: BSD-3-Clause
// Allocation: overflowing sizes are refused, zero sizes are not.
#include "host/alloc.h"
#include "tests/support/test.h"

#include <string.h>

static const struct {
    size_t count, size;
} too_large[] = {
    {SIZE_MAX, 1},         {1, SIZE_MAX},          {SIZE_MAX, SIZE_MAX},
    {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX / 16 + 1, 8}, {(size_t)1 << 32, SIZE_MAX},
};

static void test_alloc__overflow_is_null(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof too_large / sizeof *too_large; ++i) {
        const size_t count = too_large[i].count, size = too_large[i].size;
        assert_null(lcl_calloc(count, size));
        assert_null(lcl_malloc(count, size));
        assert_null(lcl_realloc(NULL, count, size));
    }
}

static void test_alloc__failed_growth_leaves_the_array(void **state)
{
    (void)state;
    char *array = lcl_malloc(4, 1);
    assert_non_null(array);
    memcpy(array, "abc", 4);
    assert_null(lcl_realloc(array, SIZE_MAX / 2, 4));
    assert_string_equal(array, "abc");
    lcl_free(array);
}

static void test_alloc__nothing_is_something_to_free(void **state)
{
    (void)state;
    void *arrays[] = {lcl_calloc(0, 8), lcl_malloc(0, 8), lcl_malloc(0, 0),
                      lcl_realloc(NULL, 0, 8),
                      lcl_realloc(lcl_malloc(3, 1), 0, 8)};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        assert_non_null(arrays[i]);
        lcl_free(arrays[i]);
    }
    lcl_free(NULL);
}

static void test_alloc__calloc_clears(void **state)
{
    (void)state;
    static const char zero[1000];
    char *array = lcl_calloc(sizeof zero / 8, 8);
    assert_non_null(array);
    assert_memory_equal(array, zero, sizeof zero);
    lcl_free(array);
}

static void test_alloc__text_is_copied(void **state)
{
    (void)state;
    const char text[] = "some text";
    char *copy = lcl_strdup(text);
    assert_non_null(copy);
    assert_ptr_not_equal(copy, text);
    assert_string_equal(copy, text);
    lcl_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc__overflow_is_null),
        cmocka_unit_test(test_alloc__failed_growth_leaves_the_array),
        cmocka_unit_test(test_alloc__nothing_is_something_to_free),
        cmocka_unit_test(test_alloc__calloc_clears),
        cmocka_unit_test(test_alloc__text_is_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
