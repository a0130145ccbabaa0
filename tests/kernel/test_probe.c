// SPDX-License-Identifier: BSD-3-Clause
// probe.cl and the host's conclusions from its results.
#include "tests/support/device.h"

#include "host/launch.h"
#include "host/runtime.h"
#include "tests/support/simulator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *run(lcl_context *ctx, const struct lcl_spec *spec, int64_t n)
{
    double *result = test_vector(n);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *result);
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, spec), 1, lcl_arg_buffer(out)),
                     LCL_OK);
    test_download(out, result, n, sizeof *result);
    lcl_buffer_destroy(&out);
    return result;
}

static void test_probe__lanes_of_a_wave_add_up_their_numbers(void **state)
{
    const int width = test_width(*state), group = test_group(*state, 2);
    const struct lcl_spec spec = {
        .source = "probe.cl",
        .kernel = "exchange",
        .group = group,
        .defines = {{"PROBE", 1}},
    };
    double *sum = run(*state, &spec, group);
    for (int i = 0; i < group; ++i)
        assert_true(sum[i] == 0.5 * width * (width - 1));
    free(sum);
}

static void test_probe__local_memory_holds_what_is_claimed(void **state)
{
    const uint64_t bytes = lcl_context_caps(*state)->local_bytes;
    const int doubles = (int)(bytes < 65536 ? bytes : 65536) / 8;
    const struct lcl_spec spec = {
        .source = "probe.cl",
        .kernel = "local_memory",
        .group = test_group(*state, 1),
        .defines = {{"PROBE", 2}, {"LOCAL_DOUBLES", doubles}},
    };
    double *last = run(*state, &spec, 1);
    assert_true(last[0] == doubles - 1);
    free(last);
}

static void test_probe__local_atomic_sums_are_complete(void **state)
{
    const struct lcl_caps *caps = lcl_context_caps(*state);
    const struct lcl_spec spec = {
        .source = "probe.cl",
        .kernel = "local_add",
        .width = 16,
        .exchange = LCL_EXCHANGE_LOCAL,
        .group = 16,
        .add = caps->local_add,
        .defines = {{"PROBE", 4}},
    };
    if (caps->local_add == LCL_ATOMIC_ADD_NONE)
        return;
    double *sum = run(*state, &spec, 1);
    assert_true(sum[0] == 0.5 * 16 * 15);
    free(sum);
}

// Triples (a, b, c): random numbers of all sizes and signs, sums that cancel,
// all triples of special values.
static const double special[] = {0,       -0.0,      1,        -1 - 0x1p-52,
                                 3,       0x1p-1074, -DBL_MIN, DBL_MAX,
                                 0x1p511, 0x1p-537,  NAN,      -INFINITY};

enum { RANDOM = 3000, SPECIAL = sizeof special / sizeof *special };

static double *triples(int64_t *n)
{
    *n = RANDOM + SPECIAL * SPECIAL * SPECIAL;
    double *x = test_random_vector(3 * *n, 7);
    for (int i = 0; i < RANDOM; ++i) {
        double *t = x + 3 * i;
        t[0] = ldexp(t[0], i % 1000 - 500);
        t[1] = ldexp(t[1], i % 900 - 620);
        t[2] = i % 3 ? ldexp(t[2], i % 1000 + i % 900 - 1120 + i % 233 - 116)
                     : -(t[0] * t[1]);
    }
    for (int i = RANDOM; i < *n; ++i) {
        x[3 * i] = special[i % SPECIAL];
        x[3 * i + 1] = special[i / SPECIAL % SPECIAL];
        x[3 * i + 2] = special[(i - RANDOM) / (SPECIAL * SPECIAL)];
    }
    return x;
}

static void expect_rounded(double got, double expected, int64_t triple)
{
    if (!(isnan(got) && isnan(expected)) && got != expected)
        fail_msg("triple %d: got %a, expected %a", (int)triple, got, expected);
}

// On devices that do not round strictly, both forms are the careful one.
static void test_probe__operations_are_rounded_once(void **state)
{
    for (int loose = 0; loose < 2; ++loose) {
        const struct lcl_spec spec = {.source = "rounding.cl",
                                      .kernel = "rounding",
                                      .group = test_group(*state, 1),
                                      .loose = loose};
        int64_t n;
        double *x = triples(&n), *got = test_vector(3 * n);
        lcl_buffer *buffer = test_upload(*state, x, 3 * n, sizeof *x);
        assert_int_equal(LCL_LAUNCH(test_kernel(*state, &spec), 2,
                                    lcl_arg_buffer(buffer), lcl_arg_long(n)),
                         LCL_OK);
        test_download(buffer, got, 3 * n, sizeof *got);
        for (int64_t i = 0; i < n; ++i) {
            const double *t = x + 3 * i;
            expect_rounded(got[3 * i], fma(t[0], t[1], t[2]), i);
            expect_rounded(got[3 * i + 1],
                           fabs(t[0]) > FLT_MAX ? t[0] * INFINITY
                                                : (double)(float)t[0],
                           i);
        }
        lcl_buffer_destroy(&buffer);
        free(got);
        free(x);
    }
}

static void test_probe__capabilities_are_sane(void **state)
{
    const struct lcl_caps *caps = lcl_context_caps(*state);
    assert_true(caps->fp64);
    assert_in_range(caps->width, 1, caps->max_group_size);
    assert_int_equal(caps->width & (caps->width - 1), 0);
    assert_int_equal(caps->exchange == LCL_EXCHANGE_NONE, caps->width == 1);
    assert_true(caps->compute_units >= 1);
    assert_true(caps->local_bytes >= 16384);
    assert_true(caps->max_buffer_bytes <= caps->global_bytes);
    assert_in_range(caps->progress, 0, LCL_PROGRESS_COUNT - 1);
    assert_in_range(caps->local_add, 0, LCL_ATOMIC_ADD_COUNT - 1);
    assert_in_range(caps->fence, 0, LCL_FENCE_COUNT - 1);
    if (caps->type == LCL_DEVICE_CPU) // whatever width is forced
        assert_int_equal(caps->fence, LCL_FENCE_CPU);
}

static void test_probe__a_forced_width_is_taken(void **state)
{
    const char *forced = getenv("LEVELCL_WIDTH");
    if (forced)
        assert_int_equal(test_width(*state), strtol(forced, NULL, 10));
}

struct lines {
    bool marked, named; // a line of the source, and of the compiler
    char last[512];
};

static void hear(void *user, enum lcl_log_level level, const char *text)
{
    struct lines *lines = user;
    assert_int_equal(level, LCL_LOG_ERROR);
    lines->named |= *text == ' ' && strstr(text, "error") != NULL;
    lines->marked |= strncmp(text, " > ", 3) == 0;
    snprintf(lines->last, sizeof lines->last, "%s", text);
}

// A driver has the shuffles of one vendor at most; builtins of AMD are unknown
// to the compilers of others, whose headers may declare those of Intel.
static void test_probe__a_build_that_fails_says_why(void **state)
{
    (void)state;
    struct lines lines = {.marked = false};
    lcl_context *ctx;
    const struct lcl_context_params params = {
        .log = {.fn = hear, .user = &lines, .level = LCL_LOG_ERROR}};
    struct lcl_spec spec = {.source = "probe.cl",
                            .kernel = "exchange",
                            .width = 4,
                            .group = 4,
                            .exchange = LCL_EXCHANGE_AMD,
                            .defines = {{"PROBE", 1}}};
    lcl_kernel *kernel;
    assert_int_equal(lcl_runtime_create(&ctx, &params, test_simulator_api()),
                     LCL_OK);
    if (lcl_kernel_get(&kernel, ctx, &spec) == LCL_OK) {
        spec.exchange = LCL_EXCHANGE_INTEL;
        assert_int_equal(lcl_kernel_get(&kernel, ctx, &spec), LCL_EBUILD);
    }
    assert_non_null(strstr(lines.last, "probe.cl does not compile on "));
    // the simulator's log names no lines
    if (!strstr(lcl_context_caps(ctx)->name, "Oclgrind"))
        assert_true(lines.named && lines.marked);
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe__lanes_of_a_wave_add_up_their_numbers),
        cmocka_unit_test(test_probe__local_memory_holds_what_is_claimed),
        cmocka_unit_test(test_probe__local_atomic_sums_are_complete),
        cmocka_unit_test(test_probe__operations_are_rounded_once),
        cmocka_unit_test(test_probe__capabilities_are_sane),
        cmocka_unit_test(test_probe__a_forced_width_is_taken),
        cmocka_unit_test(test_probe__a_build_that_fails_says_why),
    };
    return test_device_run(tests);
}
