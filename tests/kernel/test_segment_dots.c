// SPDX-License-Identifier: BSD-3-Clause
// segment_dots.cl: inner products by segments, compared with plain C.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST = 3, BEFORE = 2 };

// `groups` groups for `segments` segments of `blocks` blocks of rows, each of
// `stages` elements, which are adjacent or in one vector after the other.
struct run {
    int groups, segments;
    int64_t blocks;
    int block;
    bool permuted;
    int stages;
    bool adjacent;
};

static int64_t rows_of(const struct run *r)
{
    return r->blocks * r->block;
}

static int64_t by_row(const struct run *r)
{
    return r->adjacent ? r->stages : 1;
}

static int64_t by_stage(const struct run *r)
{
    return r->adjacent ? 1 : rows_of(r);
}

static lcl_kernel *kernel_of(lcl_context *ctx, const struct run *r)
{
    const struct lcl_spec spec = {
        .source = "segment_dots.cl",
        .kernel = "segment_dots",
        .group = test_group(ctx, 2),
        .block = r->block > 1 ? r->block : 0,
        .defines = {{"PLACED", r->permuted}, {"STAGES", r->stages}}};
    return test_kernel(ctx, &spec);
}

// Some of the segments are empty.
static void cut(int32_t *start, int segments, int64_t n)
{
    for (int s = 0; s <= segments; ++s)
        start[s] = (int32_t)(n * s / segments);
    if (segments > 2)
        start[1] = start[2];
}

// Stage j of row i is element i stages + j.
static void expect_sums(const double *got, const int32_t *start,
                        const struct run *r, const double *a, const double *b)
{
    for (int s = 0; s < r->segments; ++s) {
        double sum = 0, scale = 0;
        for (int32_t i = start[s] * r->stages; i < start[s + 1] * r->stages;
             ++i) {
            sum += a[i] * b[i];
            scale += fabs(a[i] * b[i]);
        }
        test_expect_near("sum", got + s, &sum, 1, 1e-14 * scale);
    }
}

// x in the order of the device, behind poisoned numbers.
static lcl_buffer *placed(lcl_context *ctx, const double *x,
                          const int32_t *place, const struct run *r, int behind)
{
    const int64_t n = rows_of(r) * r->stages;
    double *y = test_vector(behind + n);
    for (int i = 0; i < behind; ++i)
        y[i] = NAN;
    for (int64_t i = 0; i < rows_of(r); ++i)
        for (int j = 0; j < r->stages; ++j)
            y[behind +
              (place[i / r->block] * r->block + i % r->block) * by_row(r) +
              j * by_stage(r)] = x[i * r->stages + j];
    lcl_buffer *out = test_upload(ctx, y, behind + n, sizeof *y);
    free(y);
    return out;
}

static void run(lcl_context *ctx, const struct run *r)
{
    const int segments = r->segments;
    const int64_t n = rows_of(r) * r->stages, blocks = r->blocks;
    double *a = test_random_vector(n, 3), *b = test_random_vector(n, 4);
    double *got = test_vector(BEFORE + segments);
    int32_t *place = test_random_permutation(blocks, 5);
    int32_t *start = calloc((size_t)segments + 1, sizeof *start);
    for (int64_t i = 0; i < blocks && !r->permuted; ++i)
        place[i] = (int32_t)i;
    cut(start, segments, rows_of(r));
    lcl_buffer *from = test_upload(ctx, start, segments + 1, sizeof *start);
    lcl_buffer *at = test_upload(ctx, place, blocks, sizeof *place);
    lcl_buffer *x = placed(ctx, a, place, r, FIRST);
    lcl_buffer *y = placed(ctx, b, place, r, 0);
    lcl_buffer *sums = test_poisoned(ctx, BEFORE + segments, sizeof *got);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, r), r->groups,
                                lcl_arg_int(segments), lcl_arg_buffer(from),
                                lcl_arg_buffer(at), lcl_arg_long(by_row(r)),
                                lcl_arg_long(by_stage(r)), lcl_arg_long(FIRST),
                                lcl_arg_buffer(x), lcl_arg_buffer(y),
                                lcl_arg_long(BEFORE), lcl_arg_buffer(sums)),
                     LCL_OK);
    test_download(sums, got, BEFORE + segments, sizeof *got);
    expect_sums(got + BEFORE, start, r, a, b);
    lcl_buffer **const all[] = {&from, &at, &x, &y, &sums};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    free(start);
    free(place);
    free(got);
    free(b);
    free(a);
}

static void test_segment_dots__are_those_of_plain_c(void **state)
{
    const int64_t blocks = test_size(37, 5003);
    for (int block = 1; block <= 3; block += 2)
        for (int permuted = 0; permuted < 2; ++permuted) {
            const struct run runs[] = {{3, 1, blocks, block, permuted, 1, 0},
                                       {3, 7, blocks, block, permuted, 1, 0},
                                       {9, 8, blocks, block, permuted, 1, 0},
                                       {2, 5, 1, block, permuted, 1, 0}};
            for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k)
                run(*state, &runs[k]);
        }
}

static void test_segment_dots__rows_of_several_stages(void **state)
{
    const int64_t blocks = test_size(37, 5003);
    for (int adjacent = 0; adjacent < 2; ++adjacent) {
        const struct run r = {3, 7, blocks, 1, false, 4, adjacent};
        run(*state, &r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segment_dots__are_those_of_plain_c),
        cmocka_unit_test(test_segment_dots__rows_of_several_stages),
    };
    return test_device_run(tests);
}
