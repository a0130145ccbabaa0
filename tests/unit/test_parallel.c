// SPDX-License-Identifier: BSD-3-Clause
// Loops over chunks: each chunk runs once, and all finish before the loop
// returns.
#ifdef __linux__
# define _GNU_SOURCE // sched_setaffinity()
#endif

#include "host/parallel.h"
#include "lib/trisolve/packed.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct record {
    int done[1000];
    pthread_t by[1000];
};

static void note(void *arg, int64_t chunk)
{
    struct record *r = arg;
    ++r->done[chunk];
    r->by[chunk] = pthread_self();
}

static void test_parallel__each_chunk_is_done_once(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 7, 8, 9, 64, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        struct record *r = calloc(1, sizeof *r);
        assert_non_null(r);
        lcl_parallel(counts[c], note, r);
        for (int64_t i = 0; i < 1000; ++i)
            assert_int_equal(r->done[i], i < counts[c]);
        free(r);
    }
}

static void test_parallel__one_chunk_is_done_by_the_caller(void **state)
{
    (void)state;
    struct record *r = calloc(1, sizeof *r);
    assert_non_null(r);
    lcl_parallel(1, note, r);
    assert_true(pthread_equal(r->by[0], pthread_self()));
    free(r);
}

static void loop_inside(void *arg, int64_t chunk)
{
    struct record *inner = (struct record *)arg + chunk;
    lcl_parallel(100, note, inner);
}

static void test_parallel__loops_nest(void **state)
{
    (void)state;
    struct record *r = calloc(10, sizeof *r);
    assert_non_null(r);
    lcl_parallel(10, loop_inside, r);
    for (int c = 0; c < 10; ++c)
        for (int i = 0; i < 1000; ++i)
            assert_int_equal(r[c].done[i], i < 100);
    free(r);
}

static void test_parallel__chunks_cover_their_range(void **state)
{
    (void)state;
    static const int64_t counts[] = {0,     1,     LCL_CHUNK_LEAST - 1,
                                     65535, 65536, 1000003,
                                     123,   99999, INT64_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        const int64_t chunks = lcl_chunks(counts[c]);
        assert_in_range(chunks, 1, LCL_CHUNKS_MAX);
        assert_int_equal(lcl_chunk_start(counts[c], chunks, 0), 0);
        assert_int_equal(lcl_chunk_start(counts[c], chunks, chunks), counts[c]);
        for (int64_t k = 0; k < chunks; ++k) {
            const int64_t length = lcl_chunk_start(counts[c], chunks, k + 1) -
                                   lcl_chunk_start(counts[c], chunks, k);
            assert_true(length == counts[c] / chunks ||
                        length == counts[c] / chunks + 1);
        }
    }
}

static void expect_processors(int processors)
{
    assert_int_equal(lcl_processors(), processors);
    assert_int_equal(lcl_threads(), processors < LCL_THREADS_MAX
                                        ? processors
                                        : LCL_THREADS_MAX);
}

static void test_parallel__bound_processes_use_what_they_may(void **state)
{
    (void)state;
    expect_processors(lcl_processors());
#ifdef CPU_COUNT
    cpu_set_t all, one;
    int first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(first, &all))
        ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    expect_processors(1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    expect_processors(CPU_COUNT(&all));
#endif
}

// A CPU of four units has a subdomain for each that is left to the process.
static void test_parallel__subdomains_are_for_usable_units(void **state)
{
    static const int expected[] = {4, 1, 2, 3, 4, 4};
    (void)state;
    for (int processors = 0; processors < 6; ++processors) {
        const struct lcl_caps caps = {
            .width = 1, .compute_units = 4, .processors = processors};
        for (int block = 1; block <= 2; ++block) {
            const int64_t rows = lcl_packed_rows_usual(&caps, 6000, block);
            assert_int_equal((6000 - 1) / rows + 1, expected[processors]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel__each_chunk_is_done_once),
        cmocka_unit_test(test_parallel__one_chunk_is_done_by_the_caller),
        cmocka_unit_test(test_parallel__loops_nest),
        cmocka_unit_test(test_parallel__chunks_cover_their_range),
        cmocka_unit_test(test_parallel__bound_processes_use_what_they_may),
        cmocka_unit_test(test_parallel__subdomains_are_for_usable_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
