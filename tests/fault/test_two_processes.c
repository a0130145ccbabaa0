// SPDX-License-Identifier: BSD-3-Clause
// Several processes that start the same job at once with one empty cache
// folder.
#include "tests/support/child.h"
#include "tests/support/fake_cl.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 4 };

static const char *program;

// usage: PROGRAM CACHE_FOLDER RESULT_FILE
static int run_job(const char *cache, const char *path)
{
    struct test_job job = {.context = {.cache_dir = cache},
                           .api = &fake_cl_api};
    if (test_job_run(&job) != LCL_OK)
        return 1;
    lcl_test_write_file(path, job.x, sizeof job.x);
    return 0;
}

static void result_path(char path[LCL_TEST_PATH],
                        const struct lcl_test_folder *folder, int i)
{
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    lcl_test_path(path, folder, name);
}

static void run_at_once(const struct lcl_test_folder *cache,
                        const struct lcl_test_folder *results)
{
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; ++i) {
        char path[LCL_TEST_PATH];
        result_path(path, results, i);
        const char *const args[] = {program, cache->path, path, NULL};
        child[i] = test_child_start(args);
    }
    for (int i = 0; i < PROCESSES; ++i)
        assert_int_equal(test_child_wait(child[i]), 0);
}

static void expect_equal_results(const struct lcl_test_folder *results)
{
    double first[TEST_JOB_ROWS];
    for (int i = 0; i < PROCESSES; ++i) {
        char path[LCL_TEST_PATH];
        result_path(path, results, i);
        size_t size;
        double *x = lcl_test_read_file(path, &size);
        assert_int_equal(size, sizeof first);
        if (i == 0)
            memcpy(first, x, size);
        assert_memory_equal(x, first, size);
        free(x);
    }
    test_job_expect_solved(first);
}

static void expect_no_temporary_files(const struct lcl_test_folder *cache)
{
    static struct lcl_test_list files;
    lcl_test_folder_list(&files, cache);
    assert_true(files.count > 0);
    for (int i = 0; i < files.count; ++i)
        assert_null(strchr(strrchr(files.path[i], '/'), '.'));
}

static void test_two_processes__share_a_cold_cache_folder(void **state)
{
    (void)state;
    struct lcl_test_folder cache, results;
    lcl_test_folder_create(&cache);
    lcl_test_folder_create(&results);
    run_at_once(&cache, &results);
    expect_equal_results(&results);
    expect_no_temporary_files(&cache);
    struct test_job warm = {.context = {.cache_dir = cache.path},
                            .api = &fake_cl_api};
    assert_int_equal(test_job_run(&warm), LCL_OK);
    assert_int_equal(warm.builds.compiled, 0);
    lcl_test_folder_remove(&cache);
    lcl_test_folder_remove(&results);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_processes__share_a_cold_cache_folder),
    };
    program = argv[0];
    if (argc == 3)
        return run_job(argv[1], argv[2]);
    test_need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
