// SPDX-License-Identifier: BSD-3-Clause
// A kernel cache for all tests of a program.
#include "tests/support/cache_folder.h"

#include "tests/support/job.h"

struct lcl_test_folder test_cache;

int test_cache_create(void **state)
{
    (void)state;
    test_need_device();
    lcl_test_folder_create(&test_cache);
    return 0;
}

int test_cache_remove(void **state)
{
    (void)state;
    lcl_test_folder_remove(&test_cache);
    return 0;
}
