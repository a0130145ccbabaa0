// SPDX-License-Identifier: BSD-3-Clause
// Schedules on the device compared with those of the reference.
#include "tests/support/schedules.h"

#include "tests/support/test.h"

// Compares arrays of any element type byte by byte.
static void expect_bytes(const char *what, const void *got,
                         const void *expected, int64_t count, size_t size)
{
    const unsigned char *a = got, *b = expected;
    for (int64_t i = 0; i < count * (int64_t)size; ++i)
        if (a[i] != b[i])
            fail_msg("%s[%lld]: byte %d is %d, expected %d", what,
                     (long long)(i / (int64_t)size), (int)(i % (int64_t)size),
                     a[i], b[i]);
}

void test_expect_schedule(lcl_context *ctx, const struct lcl_schedule *D,
                          const struct lcl_host_schedule *E)
{
    struct lcl_host_schedule L;
    assert_int_equal(lcl_schedule_download(&L, ctx, D), LCL_OK);
    assert_int_equal(L.n, E->n);
    assert_int_equal(L.parts, E->parts);
    assert_int_equal(L.steps, E->steps);
    assert_int_equal(L.stages, E->stages);
    assert_int_equal(L.slots, E->slots);
    assert_int_equal(L.rows_max, E->rows_max);
    assert_int_equal(L.stages_max, E->stages_max);
    assert_int_equal(L.stage_entries, E->stage_entries);
    assert_int_equal(L.lanes, E->lanes);
    expect_bytes("part", L.part, E->part, E->parts, sizeof *L.part);
    expect_bytes("step", L.step, E->step, E->steps, sizeof *L.step);
    expect_bytes("stage", L.stage, E->stage, E->stages, sizeof *L.stage);
    expect_bytes("col", L.col, E->col, E->slots, sizeof *L.col);
    expect_bytes("source", L.source, E->source, E->slots, sizeof *L.source);
    expect_bytes("step_of", L.step_of, E->step_of, E->n, sizeof *L.step_of);
    expect_bytes("diagonal", L.diagonal, E->diagonal, E->n, sizeof *L.diagonal);
    lcl_host_schedule_finish(&L);
}
