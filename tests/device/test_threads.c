// SPDX-License-Identifier: BSD-3-Clause
// Two contexts are independent: a job in each of two threads at once gives what
// it gives alone. Under ThreadSanitizer this looks for state that they share.
// usage: PROGRAM, or PROGRAM start for one process whose threads begin at once.
#include "tests/support/child.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <pthread.h>

enum { THREADS = 2, ROUNDS = 3, PROCESSES = 20, STARTERS = 4 };

static const char *program;

static void *run(void *arg)
{
    struct test_job *job = arg;
    for (int round = 0; round < ROUNDS; ++round)
        if (test_job_run(job) != LCL_OK)
            return NULL;
    return job;
}

// METIS draws from rand(), and so may an OpenCL driver in another thread: what
// is compared bit for bit is cut without it.
static const struct lcl_precond_params natural = {
    .partition = {.type = LCL_PARTITION_NATURAL}};

// Runs copies of the job at once; each has to find what it finds alone.
static void expect_equal_results(const struct test_job *job)
{
    struct test_job alone = *job, jobs[THREADS];
    pthread_t thread[THREADS];
    assert_int_equal(test_job_run(&alone), LCL_OK);
    test_job_expect_solved(alone.x);
    for (int i = 0; i < THREADS; ++i) {
        jobs[i] = *job;
        assert_int_equal(pthread_create(&thread[i], NULL, run, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        void *result;
        assert_int_equal(pthread_join(thread[i], &result), 0);
        assert_non_null(result);
        assert_memory_equal(jobs[i].x, alone.x, sizeof alone.x);
    }
}

static void test_threads__two_contexts_do_not_disturb_each_other(void **state)
{
    (void)state;
    const struct test_job job = {.context = {.no_cache = true},
                                 .precond = natural};
    expect_equal_results(&job);
}

static void test_threads__two_contexts_share_a_cache_folder(void **state)
{
    (void)state;
    struct lcl_test_folder cache;
    lcl_test_folder_create(&cache);
    const struct test_job job = {.context = {.cache_dir = cache.path},
                                 .precond = natural};
    expect_equal_results(&job);
    lcl_test_folder_remove(&cache);
}

static void test_threads__many_lanes_do_not_disturb_each_other(void **state)
{
    (void)state;
    const struct test_job job = {.context = {.no_cache = true, .width = 4},
                                 .precond = natural};
    expect_equal_results(&job);
}

// ------------------------------------------------------------------- start

static pthread_barrier_t barrier;

static bool create_context(void)
{
    const struct lcl_context_params params = {.no_self_test = true};
    lcl_context *ctx;
    if (lcl_context_create(&ctx, &params) != LCL_OK)
        return false;
    lcl_context_destroy(&ctx);
    return true;
}

// One thread counts the devices, one asks for the first, two create contexts.
static void *start(void *arg)
{
    const int *which = arg;
    struct lcl_caps caps;
    int count = 0;
    pthread_barrier_wait(&barrier);
    const bool good =
        *which == 0   ? lcl_device_count(&count, NULL) == LCL_OK && count > 0
        : *which == 1 ? lcl_device_caps(&caps, 0, NULL) == LCL_OK
                      : create_context();
    return good ? arg : NULL;
}

// Returns the exit status of a process that called nothing of OpenCL before.
static int start_at_once(void)
{
    pthread_t thread[STARTERS];
    int which[STARTERS], failed = 0;
    pthread_barrier_init(&barrier, NULL, STARTERS);
    for (int i = 0; i < STARTERS; ++i) {
        which[i] = i;
        if (pthread_create(&thread[i], NULL, start, &which[i]) != 0)
            return 2;
    }
    for (int i = 0; i < STARTERS; ++i) {
        void *result;
        failed |= pthread_join(thread[i], &result) != 0 || !result;
    }
    pthread_barrier_destroy(&barrier);
    return failed;
}

static void test_threads__the_first_calls_may_come_at_once(void **state)
{
    (void)state;
    const char *const args[] = {program, "start", NULL};
    for (int i = 0; i < PROCESSES; ++i)
        assert_int_equal(test_child_wait(test_child_start(args)), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads__two_contexts_do_not_disturb_each_other),
        cmocka_unit_test(test_threads__two_contexts_share_a_cache_folder),
        cmocka_unit_test(test_threads__many_lanes_do_not_disturb_each_other),
        cmocka_unit_test(test_threads__the_first_calls_may_come_at_once),
    };
    program = argv[0];
    if (argc == 2)
        return start_at_once();
    return cmocka_run_group_tests(tests, test_device_setup, NULL);
}
