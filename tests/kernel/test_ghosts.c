// SPDX-License-Identifier: BSD-3-Clause
// ghosts.cl compared with plain C.
#include "lib/multilevel/level_halo.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "cl/multilevel/aggregate.cl.h"
#include "host/launch.h"

#include <math.h>
#include <stdlib.h>

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    lcl_kernel *kernel;
    assert_int_equal(lcl_ghosts_kernel(&kernel, ctx, name), LCL_OK);
    return kernel;
}

static void expect_widened(lcl_context *ctx, int64_t n)
{
    double *x = test_random_vector(n, 3), *got = test_vector(n);
    double *expected = test_vector(n);
    int32_t *place = test_random_permutation(n, 5);
    for (int64_t k = 0; k < n; ++k)
        x[k] = (float)x[k];
    for (int64_t k = 0; k < n; ++k)
        expected[k] = x[place[k]];
    lcl_buffer *from = test_upload_reals(ctx, x, n, sizeof(float));
    lcl_buffer *list = test_upload(ctx, place, n, sizeof *place);
    lcl_buffer *to = test_poisoned(ctx, n, sizeof(double));
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_widen"), 3,
                                lcl_arg_long(n), lcl_arg_buffer(list),
                                lcl_arg_buffer(from), lcl_arg_buffer(to)),
                     LCL_OK);
    test_download(to, got, n, sizeof *got);
    test_expect_same("y", got, expected, n);
    lcl_buffer_destroy(&to);
    lcl_buffer_destroy(&list);
    lcl_buffer_destroy(&from);
    free(place);
    free(expected);
    free(got);
    free(x);
}

static void test_ghosts__are_widened_in_any_order(void **state)
{
    expect_widened(*state, 0);
    expect_widened(*state, 1);
    expect_widened(*state, test_size(70, 5003));
}

// The vector keeps what is before `first`.
static void expect_gathered(lcl_context *ctx, int64_t n)
{
    const int64_t first = n / 3;
    double *x = test_random_vector(n, 3);
    float *before = calloc((size_t)(n + first) + 1, sizeof *before);
    float *got = calloc((size_t)(n + first) + 1, sizeof *got);
    int32_t *place = test_random_permutation(n, 5);
    assert_true(before && got);
    for (int64_t k = 0; k < n + first; ++k)
        before[k] = k < first ? (float)k : NAN;
    lcl_buffer *from = test_upload_reals(ctx, x, n, sizeof *got);
    lcl_buffer *list = test_upload(ctx, place, n, sizeof *place);
    lcl_buffer *to = test_upload(ctx, before, n + first, sizeof *before);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_gather"), 3,
                                lcl_arg_long(n), lcl_arg_long(first),
                                lcl_arg_buffer(list), lcl_arg_buffer(from),
                                lcl_arg_buffer(to)),
                     LCL_OK);
    test_download(to, got, n + first, sizeof *got);
    for (int64_t k = 0; k < n + first; ++k)
        assert_true(got[k] ==
                    (k < first ? before[k] : (float)x[place[k - first]]));
    lcl_buffer_destroy(&to);
    lcl_buffer_destroy(&list);
    lcl_buffer_destroy(&from);
    free(place);
    free(got);
    free(before);
    free(x);
}

static void test_ghosts__are_gathered_in_any_order(void **state)
{
    expect_gathered(*state, 0);
    expect_gathered(*state, 1);
    expect_gathered(*state, test_size(70, 5003));
}

// The vector keeps what is before `first`.
static void test_ghosts__are_narrowed_to_their_places(void **state)
{
    const int64_t n = test_size(70, 5003), first = n / 3;
    double *x = test_random_vector(n, 3);
    float *before = calloc((size_t)(n + first), sizeof *before);
    float *got = calloc((size_t)(n + first), sizeof *got);
    assert_true(before && got);
    for (int64_t k = 0; k < first; ++k)
        before[k] = (float)k;
    lcl_buffer *from = test_upload(*state, x, n, sizeof *x);
    lcl_buffer *to = test_upload(*state, before, n + first, sizeof *before);
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "ghosts_narrow"), 3,
                                lcl_arg_long(n), lcl_arg_long(first),
                                lcl_arg_buffer(from), lcl_arg_buffer(to)),
                     LCL_OK);
    test_download(to, got, n + first, sizeof *got);
    for (int64_t k = 0; k < n + first; ++k)
        assert_true(got[k] == (k < first ? before[k] : (float)x[k - first]));
    lcl_buffer_destroy(&to);
    lcl_buffer_destroy(&from);
    free(got);
    free(before);
    free(x);
}

// ------------------------------------------------------------------- inside

struct couplings {
    struct lcl_csr A;
    unsigned char *strong;
    int32_t *count, *expected;
};

// Every third coupling is weak; every fifth row has none at all.
static void open(struct couplings *c, struct lcl_csr A)
{
    const size_t nnz = (size_t)A.nnz, rows = (size_t)A.rows;
    *c = (struct couplings){.A = A,
                            .strong = calloc(nnz + 1, 1),
                            .count = calloc(rows, sizeof *c->count),
                            .expected = calloc(rows, sizeof *c->expected)};
    assert_true(c->strong && c->count && c->expected);
    for (int64_t i = 0; i < A.rows; ++i) {
        c->count[i] = i % 5 == 0 ? -1 : 0;
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            c->strong[k] = i % 5 > 0 && A.col_ind[k] != i ? k % 4 : 0;
            c->count[i] += c->strong[k] & COUPLING_STRONG;
        }
    }
}

static void finish(struct couplings *c)
{
    free(c->strong);
    free(c->count);
    free(c->expected);
    test_csr_finish(&c->A);
}

static void stay_inside(struct couplings *c, int64_t n)
{
    for (int64_t i = 0; i < c->A.rows; ++i) {
        c->expected[i] = i >= n || c->count[i] < 0 ? -1 : 0;
        for (int64_t k = c->A.row_ptr[i]; k < c->A.row_ptr[i + 1]; ++k) {
            c->strong[k] = i < n && c->A.col_ind[k] < n ? c->strong[k] : 0;
            c->expected[i] += c->strong[k] & COUPLING_STRONG;
        }
    }
}

static void expect_inside(lcl_context *ctx, struct lcl_csr A, int64_t n)
{
    struct couplings c;
    open(&c, A);
    lcl_buffer *row_ptr;
    assert_int_equal(lcl_buffer_create_narrow(&row_ptr, ctx, A.row_ptr,
                                              A.rows + 1, "row pointers"),
                     LCL_OK);
    lcl_buffer *col = test_upload(ctx, A.col_ind, A.nnz, sizeof *A.col_ind);
    lcl_buffer *strong = test_upload(ctx, c.strong, A.nnz, 1);
    lcl_buffer *count = test_upload(ctx, c.count, A.rows, sizeof *c.count);
    unsigned char *got = calloc((size_t)A.nnz + 1, 1);
    assert_non_null(got);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "inside_rank"), 3,
                                lcl_arg_long(n), lcl_arg_long(A.rows),
                                lcl_arg_buffer(row_ptr), lcl_arg_buffer(col),
                                lcl_arg_buffer(strong), lcl_arg_buffer(count)),
                     LCL_OK);
    stay_inside(&c, n);
    test_download(strong, got, A.nnz, 1);
    test_download(count, c.count, A.rows, sizeof *c.count);
    assert_memory_equal(got, c.strong, (size_t)A.nnz);
    assert_memory_equal(c.count, c.expected, (size_t)A.rows * sizeof *c.count);
    free(got);
    lcl_buffer_destroy(&count);
    lcl_buffer_destroy(&strong);
    lcl_buffer_destroy(&col);
    lcl_buffer_destroy(&row_ptr);
    finish(&c);
}

static void test_ghosts__couplings_stay_inside_a_rank(void **state)
{
    const int64_t n = test_size(60, 3001);
    expect_inside(*state, test_identity(1), 1);
    expect_inside(*state, test_random_csr(n, 5, 3), n / 2);
    expect_inside(*state, test_random_csr(n, 5, 3), n);
    expect_inside(*state, test_random_csr(n, 5, 3), 0);
}

// ------------------------------------------------------------------ aggregates

// Every fifth row has no aggregate.
static void expect_aggregates(lcl_context *ctx, int64_t n, int64_t sends)
{
    int32_t *place = test_random_permutation(n, 7);
    int32_t *aggregate = test_random_permutation(n, 3);
    int32_t *expected = calloc((size_t)sends + 1, sizeof *expected);
    assert_non_null(expected);
    for (int64_t i = 0; i < n; i += 5)
        aggregate[i] = -1;
    for (int64_t k = 0; k < sends; ++k)
        expected[k] = aggregate[place[k]];
    lcl_buffer *places = test_upload(ctx, place, n, sizeof *place);
    lcl_buffer *of = test_upload(ctx, aggregate, n, sizeof *aggregate);
    lcl_buffer *out = test_poisoned(ctx, sends, sizeof *expected);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_aggregates"), 3,
                                lcl_arg_long(sends), lcl_arg_buffer(places),
                                lcl_arg_buffer(of), lcl_arg_buffer(out)),
                     LCL_OK);
    test_expect_words("out", out, expected, sends);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&of);
    lcl_buffer_destroy(&places);
    free(expected);
    free(aggregate);
    free(place);
}

static void test_ghosts__aggregates_are_packed(void **state)
{
    const int64_t n = test_size(60, 3001);
    expect_aggregates(*state, 1, 1);
    expect_aggregates(*state, n, 0);
    expect_aggregates(*state, n, n / 2);
    expect_aggregates(*state, n, n);
}

// ------------------------------------------------------------------- columns

// Every fourth ghost does not occur.
static int32_t *random_columns(int64_t entries, int32_t n, int32_t ghosts)
{
    int32_t *col = calloc((size_t)entries + 1, sizeof *col);
    uint64_t state = 11;
    assert_non_null(col);
    for (int64_t k = 0; k < entries; ++k) {
        col[k] = (int32_t)(test_random(&state) * (n + ghosts));
        if (col[k] >= n && (col[k] - n) % 4 == 3)
            --col[k];
    }
    return col;
}

static void expect_columns(lcl_context *ctx, int64_t entries, int32_t n,
                           int32_t ghosts)
{
    int32_t *col = random_columns(entries, n, ghosts);
    int32_t *used = calloc((size_t)ghosts + 1, sizeof *used);
    int32_t *number = test_random_permutation(ghosts, 5);
    assert_non_null(used);
    lcl_buffer *columns = test_upload(ctx, col, entries, sizeof *col);
    lcl_buffer *marks = test_upload(ctx, used, ghosts, sizeof *used);
    lcl_buffer *numbers = test_upload(ctx, number, ghosts, sizeof *number);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_mark"), 3,
                                lcl_arg_long(entries), lcl_arg_int(n),
                                lcl_arg_buffer(columns), lcl_arg_buffer(marks)),
                     LCL_OK);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_renumber"), 3,
                                lcl_arg_long(entries), lcl_arg_int(n),
                                lcl_arg_buffer(numbers),
                                lcl_arg_buffer(columns)),
                     LCL_OK);
    for (int64_t k = 0; k < entries; ++k)
        if (col[k] >= n) {
            used[col[k] - n] = 1;
            col[k] = n + number[col[k] - n];
        }
    test_expect_words("used", marks, used, ghosts);
    test_expect_words("column", columns, col, entries);
    lcl_buffer_destroy(&numbers);
    lcl_buffer_destroy(&marks);
    lcl_buffer_destroy(&columns);
    free(number);
    free(used);
    free(col);
}

static void test_ghosts__are_found_and_renumbered(void **state)
{
    const int32_t n = (int32_t)test_size(60, 3001);
    expect_columns(*state, 0, n, 1);
    expect_columns(*state, 2 * n, n, 0);
    expect_columns(*state, 2 * n, 0, n);
    expect_columns(*state, 5 * n, n, n / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ghosts__are_gathered_in_any_order),
        cmocka_unit_test(test_ghosts__are_widened_in_any_order),
        cmocka_unit_test(test_ghosts__are_narrowed_to_their_places),
        cmocka_unit_test(test_ghosts__couplings_stay_inside_a_rank),
        cmocka_unit_test(test_ghosts__aggregates_are_packed),
        cmocka_unit_test(test_ghosts__are_found_and_renumbered),
    };
    return test_device_run(tests);
}
