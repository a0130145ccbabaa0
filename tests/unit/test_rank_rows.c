// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of ranks, compared with the definition.
#include "lib/multilevel/rank_rows.h"
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

enum { GHOSTS = 280 };

// Random columns that are not the rank's own, in any order and some of them
// repeatedly.
static void random_ghosts(int64_t *ghost, const struct lcl_halo_plan *own)
{
    uint64_t state = 3;
    for (int g = 0; g < GHOSTS; ++g)
        do
            ghost[g] = (int64_t)(test_random(&state) * (double)own->total);
        while (lcl_halo_plan_owns(own, ghost[g]));
}

static bool has(const int64_t *ghost, int64_t ghosts, int64_t node, int block)
{
    int64_t g = 0;
    while (g < ghosts && ghost[g] / block != node)
        ++g;
    return g < ghosts;
}

// The ghosts are the rows of the nodes of the given ones, ascending. The work
// does not depend on the size of the whole matrix.
static void expect_ghosts(const struct lcl_halo_plan *own, int block)
{
    int64_t ghost[GHOSTS];
    struct lcl_halo_plan base = *own, P;
    random_ghosts(ghost, own);
    base.ghost = ghost;
    base.ghosts = GHOSTS;
    assert_int_equal(lcl_ghosts_of(&P, &base, block, NULL), LCL_OK);
    assert_true(P.rows == own->rows && P.first == own->first &&
                P.total == own->total);
    for (int64_t g = 0; g < P.ghosts; ++g) {
        assert_true(g == 0 || P.ghost[g - 1] < P.ghost[g]);
        assert_true(has(ghost, GHOSTS, P.ghost[g] / block, block));
    }
    for (int64_t g = 0; g < GHOSTS; ++g)
        for (int c = 0; c < block; ++c)
            assert_true(
                has(P.ghost, P.ghosts, ghost[g] / block * block + c, 1));
    lcl_halo_plan_finish(&P);
}

static void test_rank_rows__ghosts_ascend_and_have_whole_nodes(void **state)
{
    static const struct lcl_halo_plan own[] = {
        {.rows = 30, .first = 0, .total = 300},
        {.rows = 60, .first = 90, .total = 600},
        {.rows = 0, .first = 30, .total = 30},
        {.rows = 300, .first = 300000, .total = 6000000}};
    (void)state;
    for (size_t k = 0; k < sizeof own / sizeof *own - 1; ++k)
        for (int block = 1; block <= 3; ++block)
            expect_ghosts(&own[k], block);
    expect_ghosts(&own[3], 1);
}

static void test_rank_rows__no_ghosts(void **state)
{
    const struct lcl_halo_plan own = {.rows = 600, .first = 0, .total = 600};
    struct lcl_halo_plan P;
    (void)state;
    assert_int_equal(lcl_ghosts_of(&P, &own, 2, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 0);
    lcl_halo_plan_finish(&P);
}

// The numbers of ghosts in a plan that has more of them.
static void test_rank_rows__numbers_in_a_larger_plan(void **state)
{
    int64_t few[] = {5, 63, 64, 200}, more[] = {0, 5, 63, 64, 200};
    const struct lcl_halo_plan from = {.ghost = few, .ghosts = 4};
    const struct lcl_halo_plan to = {.ghost = more, .ghosts = 5};
    int32_t number[4];
    (void)state;
    lcl_ghosts_number(number, &to, &from);
    for (int g = 0; g < 4; ++g)
        assert_int_equal(number[g], g + 1);
}

// Ghosts of a plan and columns that are marked.
static void test_rank_rows__ghosts_of_marks(void **state)
{
    int64_t ghost[] = {5, 63, 64, 200};
    const struct lcl_halo_plan base = {
        .rows = 10, .first = 10, .total = 701, .ghost = ghost, .ghosts = 4};
    static const uint64_t bits[] = {UINT64_C(1) << 63, 9, 0, 2};
    static const int64_t expected[] = {5, 63, 64, 127, 128, 131, 200, 257};
    static const int64_t marked[] = {127, 128, 131, 257};
    const struct lcl_halo_plan none = {.rows = 10, .first = 10, .total = 701};
    struct lcl_halo_plan P;
    (void)state;
    assert_int_equal(lcl_ghosts_join(&P, &base, 64, bits, 4, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 8);
    assert_memory_equal(P.ghost, expected, sizeof expected);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_join(&P, &none, 64, bits, 4, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 4);
    assert_memory_equal(P.ghost, marked, sizeof marked);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_join(&P, &base, 0, NULL, 0, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 4);
    assert_memory_equal(P.ghost, ghost, sizeof ghost);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_join(&P, &none, 0, NULL, 0, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 0);
    lcl_halo_plan_finish(&P);
}

static void test_rank_rows__too_many_ghosts_are_refused(void **state)
{
    int64_t ghost[] = {0, 2};
    const struct lcl_halo_plan base = {.rows = INT32_MAX - 3,
                                       .first = 10,
                                       .total = INT64_C(1) << 32,
                                       .ghost = ghost,
                                       .ghosts = 2};
    struct test_capture capture;
    struct lcl_halo_plan P;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_ghosts_of(&P, &base, 1, &capture.log), LCL_OK);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_of(&P, &base, 2, &capture.log), LCL_ERANGE);
    test_capture_expect(&capture, "2147483644 rows and more than 2 ghosts");
    lcl_halo_plan_finish(&P);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_rows__ghosts_ascend_and_have_whole_nodes),
        cmocka_unit_test(test_rank_rows__no_ghosts),
        cmocka_unit_test(test_rank_rows__numbers_in_a_larger_plan),
        cmocka_unit_test(test_rank_rows__ghosts_of_marks),
        cmocka_unit_test(test_rank_rows__too_many_ghosts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
