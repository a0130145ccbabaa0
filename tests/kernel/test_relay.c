// SPDX-License-Identifier: BSD-3-Clause
// relay.cl with answers that are there already, compared with the plain
// reference.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "cl/comm/relay.cl.h"
#include "host/launch.h"
#include "lib/ref/relay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHED = 3, POLLS = 1000, AT = 4 };

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    const struct lcl_spec spec = {
        .source = "relay.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
        .defines = {{"FENCE", (int)lcl_context_caps(ctx)->fence}}};
    return test_kernel(ctx, &spec);
}

static uint64_t *words(int64_t count, uint64_t value)
{
    uint64_t *all = malloc((size_t)count * sizeof *all);
    assert_non_null(all);
    for (int64_t k = 0; k < count; ++k)
        all[k] = value;
    return all;
}

static void expect_words(const char *what, const lcl_buffer *got,
                         const uint64_t *expected, int64_t count)
{
    uint64_t *all = words(count, 0);
    test_download(got, all, count, sizeof *all);
    for (int64_t k = 0; k < count; ++k)
        if (all[k] != expected[k])
            fail_msg("%s: word %lld is %016llx, not %016llx", what,
                     (long long)k, (unsigned long long)all[k],
                     (unsigned long long)expected[k]);
    free(all);
}

// ------------------------------------------------------------------- sums

struct sums {
    int first, rows, groups;
    uint32_t tag;
    double *partial, *answer;
};

static double row_sum(const double *row, int groups)
{
    double sum = 0;
    for (int g = 0; g < groups; ++g)
        sum += row[g];
    return sum;
}

// Integers: the sums are exact in any order.
static double *integers(int64_t count, unsigned seed)
{
    double *v = test_random_vector(count, seed);
    for (int64_t k = 0; k < count; ++k)
        v[k] = floor(1000 * v[k]);
    return v;
}

static void expect_requests(const struct sums *s, const lcl_buffer *ask)
{
    uint64_t *expected = words(RELAY_ASK_WORDS, UINT64_MAX);
    for (int q = 0; q < s->rows; ++q) {
        uint64_t *own = expected + RELAY_ASK(s->tag, q);
        const double *row = s->partial + (size_t)(s->first + q) * s->groups;
        lcl_ref_relay_put(own, own + 1, s->tag, row_sum(row, s->groups));
        own[2] = (uint64_t)s->tag << 32 | (unsigned)s->rows;
    }
    expect_words("requests", ask, expected, RELAY_ASK_WORDS);
    free(expected);
}

static void expect_rows(const struct sums *s, const lcl_buffer *sums)
{
    const int64_t count = (int64_t)(s->first + s->rows + 1) * s->groups;
    double *expected = test_vector(count), *got = test_vector(count);
    for (int64_t k = 0; k < count; ++k)
        expected[k] = s->partial[k];
    for (int q = 0; q < s->rows; ++q)
        for (int g = 0; g < s->groups; ++g)
            expected[(s->first + q) * s->groups + g] = g ? 0 : s->answer[q];
    test_download(sums, got, count, sizeof *got);
    test_expect_same("sums", got, expected, count);
    free(got);
    free(expected);
}

static void expect_sums(lcl_context *ctx, int launched, int first, int rows,
                        int groups, uint32_t tag)
{
    const int64_t count = (int64_t)(first + rows + 1) * groups;
    struct sums s = {first,
                     rows,
                     groups,
                     tag,
                     integers(count, 1),
                     test_random_vector(rows, 2)};
    uint64_t *reply = words(RELAY_REPLY_WORDS, UINT64_MAX);
    for (int q = 0; q < rows; ++q) {
        uint64_t *own = reply + RELAY_REPLY(tag, q);
        lcl_ref_relay_put(own, own + 1, tag, s.answer[q]);
    }
    lcl_buffer *sums = test_upload(ctx, s.partial, count, sizeof(double));
    lcl_buffer *in = test_upload(ctx, reply, RELAY_REPLY_WORDS, sizeof *reply);
    lcl_buffer *ask = test_poisoned(ctx, RELAY_ASK_WORDS, sizeof(uint64_t));
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "relay_sum"), launched,
                                lcl_arg_buffer(sums), lcl_arg_int(first),
                                lcl_arg_int(rows), lcl_arg_int(groups),
                                lcl_arg_buffer(ask), lcl_arg_buffer(in),
                                lcl_arg_int((int32_t)tag), lcl_arg_long(POLLS)),
                     LCL_OK);
    expect_requests(&s, ask);
    expect_rows(&s, sums);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&ask);
    free(reply);
    free(s.partial);
    free(s.answer);
}

static void test_relay__sums_are_asked_for_and_taken(void **state)
{
    expect_sums(*state, 1, 0, 1, 1, 1);
    expect_sums(*state, 2, 1, 2, 7, 2);
    expect_sums(*state, 1, 0, 5, 3, 3);
    expect_sums(*state, RELAY_ROWS, 2, RELAY_ROWS, test_size(9, 1000),
                UINT32_MAX);
}

// An answer with another tag, or half an answer, is none.
static void test_relay__a_wait_in_vain_gives_nan(void **state)
{
    const double partial[] = {1, 2};
    uint64_t *reply = words(RELAY_REPLY_WORDS, UINT64_MAX);
    lcl_ref_relay_put(reply, reply + 1, 2, 5);
    reply[1] = 0;
    lcl_buffer *sums = test_upload(*state, partial, 2, sizeof *partial);
    lcl_buffer *in =
        test_upload(*state, reply, RELAY_REPLY_WORDS, sizeof *reply);
    lcl_buffer *ask = test_poisoned(*state, RELAY_ASK_WORDS, sizeof(uint64_t));
    double got[2];
    uint64_t *asked = words(RELAY_ASK_WORDS, 0);
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "relay_sum"), 1,
                                lcl_arg_buffer(sums), lcl_arg_int(0),
                                lcl_arg_int(1), lcl_arg_int(2),
                                lcl_arg_buffer(ask), lcl_arg_buffer(in),
                                lcl_arg_int(2), lcl_arg_long(POLLS)),
                     LCL_OK);
    test_download(sums, got, 2, sizeof *got);
    test_download(ask, asked, RELAY_ASK_WORDS, sizeof *asked);
    assert_true(isnan(got[0]));
    assert_true(got[1] == 0);
    assert_int_equal(asked[0], 1);
    free(asked);
    free(reply);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&ask);
}

// ------------------------------------------------------------------- messages

static void expect_sent(lcl_context *ctx, int64_t count, uint32_t tag)
{
    const int64_t n = 2 * count + 1;
    const int64_t all = RELAY_MESSAGE_WORDS(count);
    int32_t *row = test_random_permutation(n, 3);
    double *x = test_random_vector(n, 4);
    uint64_t *expected = words(all, UINT64_MAX);
    lcl_ref_relay_pack(count, row, x, tag, LAUNCHED,
                       expected + RELAY_MESSAGE(tag, count));
    lcl_buffer *rows = test_upload(ctx, row, count, sizeof *row);
    lcl_buffer *from = test_upload(ctx, x, n, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, all, sizeof(uint64_t));
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "relay_pack"), LAUNCHED,
                                lcl_arg_long(count), lcl_arg_buffer(rows),
                                lcl_arg_buffer(from), lcl_arg_buffer(out),
                                lcl_arg_int((int32_t)tag)),
                     LCL_OK);
    expect_words("message", out, expected, all);
    lcl_buffer_destroy(&rows);
    lcl_buffer_destroy(&from);
    lcl_buffer_destroy(&out);
    free(expected);
    free(x);
    free(row);
}

static void test_relay__messages_are_packed(void **state)
{
    expect_sent(*state, 0, 1);
    expect_sent(*state, 1, 2);
    expect_sent(*state, test_size(77, 5000), 3);
    expect_sent(*state, test_size(64, 4096), UINT32_MAX - 1);
}

// Without `there`, the word that says so has the tag before.
static void expect_received(lcl_context *ctx, int64_t count, uint32_t tag,
                            bool there)
{
    const int64_t all = RELAY_MESSAGE_WORDS(count);
    double *x = test_random_vector(count, 4), *got = test_vector(AT + count);
    uint64_t *message = words(all, UINT64_MAX), late;
    uint64_t *own = message + RELAY_MESSAGE(tag, count);
    for (int g = 0; g < RELAY_GROUPS; ++g)
        own[g * RELAY_APART] = (uint64_t)(there ? tag : tag - 1) << 32;
    memcpy(message + RELAY_DATA(tag, count), x, (size_t)count * sizeof *x);
    lcl_buffer *in = test_upload(ctx, message, all, sizeof *message);
    lcl_buffer *ghost = test_poisoned(ctx, AT + count, sizeof *got);
    lcl_buffer *flag = test_upload(ctx, &(uint64_t){7}, 1, sizeof late);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "relay_unpack"), LAUNCHED,
                                lcl_arg_long(count), lcl_arg_buffer(in),
                                lcl_arg_buffer(ghost), lcl_arg_long(AT),
                                lcl_arg_int((int32_t)tag), lcl_arg_long(POLLS),
                                lcl_arg_buffer(flag)),
                     LCL_OK);
    test_download(ghost, got, AT + count, sizeof *got);
    for (int k = 0; k < AT; ++k)
        assert_true(isnan(got[k])); // poison
    test_download(flag, &late, 1, sizeof late);
    assert_int_equal(late, there ? 7 : 1);
    test_expect_same("ghosts", got + AT, x, count);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&ghost);
    lcl_buffer_destroy(&flag);
    free(message);
    free(got);
    free(x);
}

static void test_relay__messages_are_unpacked(void **state)
{
    expect_received(*state, 0, 1, true);
    expect_received(*state, 1, 2, true);
    expect_received(*state, test_size(77, 5000), 3, true);
    expect_received(*state, test_size(64, 4096), UINT32_MAX, true);
    expect_received(*state, 5, 4, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relay__sums_are_asked_for_and_taken),
        cmocka_unit_test(test_relay__a_wait_in_vain_gives_nan),
        cmocka_unit_test(test_relay__messages_are_packed),
        cmocka_unit_test(test_relay__messages_are_unpacked),
    };
    return test_device_run(tests);
}
