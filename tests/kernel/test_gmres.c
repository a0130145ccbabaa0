// SPDX-License-Identifier: BSD-3-Clause
// gmres.cl: each pass over the basis compared with its formula on the host,
// with both storage formats.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/gmres.h"

#include <levelcl/solver.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = TEST_RECURRENCE_GROUPS };
enum { FIRST = 2, MOST = 32, COLUMNS = FIRST + MOST + 1 };
enum { INV_NU = 265, STATE = 268 };

// Number of columns of a pass, and capacity of its kernel.
static const int counts[][2] = {{1, 8}, {7, 8}, {8, 8}, {9, 16}, {32, 32}};
enum { COUNTS = sizeof counts / sizeof *counts };

// All operands of a pass in host memory. V and Z hold the stored values.
struct data {
    int64_t n, ld;
    enum lcl_basis_storage storage;
    double *V, *Z, *h, *w, *v, *z, *y, *sums, *state;
    int32_t stop;
};

static void round_values(const struct data *d, double *V, int64_t count)
{
    for (int64_t i = 0; i < count && d->storage == LCL_BASIS_FP32; ++i)
        V[i] = (float)V[i];
}

static struct data data_make(enum lcl_basis_storage storage)
{
    struct data d = {.n = test_size(77, 9973), .storage = storage};
    d.ld = (d.n + 63) / 64 * 64;
    d.V = test_random_vector(d.ld * COLUMNS, 1);
    d.Z = test_random_vector(d.ld * COLUMNS, 2);
    d.h = test_random_vector(2 * COLUMNS, 3);
    d.w = test_random_vector(d.n, 4);
    d.v = test_random_vector(d.n, 5);
    d.z = test_random_vector(d.n, 6);
    d.y = test_random_vector(d.n, 7);
    d.sums = test_random_vector((int64_t)COLUMNS * GROUPS, 8);
    d.state = test_random_vector(STATE, 9);
    round_values(&d, d.V, d.ld * COLUMNS);
    round_values(&d, d.Z, d.ld * COLUMNS);
    return d;
}

static void data_finish(struct data *d)
{
    double *const all[] = {d->V, d->Z, d->h,    d->w,    d->v,
                           d->z, d->y, d->sums, d->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        free(all[i]);
}

// ------------------------------------------------------------------ launching

struct device {
    lcl_buffer *V, *Z, *h, *w, *v, *z, *y, *sums, *state, *stop;
};

static size_t stored_size(const struct data *d)
{
    return d->storage == LCL_BASIS_FP32 ? sizeof(float) : sizeof(double);
}

static struct device upload(lcl_context *ctx, const struct data *d)
{
    const size_t size = sizeof(double), stored = stored_size(d);
    return (struct device){
        .V = test_upload_reals(ctx, d->V, d->ld * COLUMNS, stored),
        .Z = test_upload_reals(ctx, d->Z, d->ld * COLUMNS, stored),
        .h = test_upload(ctx, d->h, 2 * COLUMNS, size),
        .w = test_upload(ctx, d->w, d->n, size),
        .v = test_upload(ctx, d->v, d->n, size),
        .z = test_upload(ctx, d->z, d->n, size),
        .y = test_upload(ctx, d->y, d->n, size),
        .sums = test_upload(ctx, d->sums, (int64_t)COLUMNS * GROUPS, size),
        .state = test_upload(ctx, d->state, STATE, size),
        .stop = test_stop_flag(ctx, d->stop),
    };
}

static void move_values(lcl_buffer **buffer, double *values, int64_t count,
                        size_t size)
{
    test_download_reals(*buffer, values, count, size);
    lcl_buffer_destroy(buffer);
}

static void download(struct device *D, struct data *d)
{
    const size_t size = sizeof(double), stored = stored_size(d);
    move_values(&D->V, d->V, d->ld * COLUMNS, stored);
    move_values(&D->Z, d->Z, d->ld * COLUMNS, stored);
    move_values(&D->h, d->h, 2 * COLUMNS, size);
    move_values(&D->w, d->w, d->n, size);
    move_values(&D->v, d->v, d->n, size);
    move_values(&D->z, d->z, d->n, size);
    move_values(&D->y, d->y, d->n, size);
    move_values(&D->sums, d->sums, (int64_t)COLUMNS * GROUPS, size);
    move_values(&D->state, d->state, STATE, size);
    lcl_buffer_destroy(&D->stop);
}

static lcl_kernel *kernel_of(lcl_context *ctx, const struct data *d, int slots,
                             const char *name)
{
    const struct lcl_spec spec = {
        .source = "gmres.cl",
        .kernel = name,
        .group = test_group(ctx, 8),
        .storage = d->storage == LCL_BASIS_FP32 ? 2 : 1,
        .defines = {{"CHUNK", slots}},
    };
    return test_kernel(ctx, &spec);
}

static void run_dots(lcl_context *ctx, struct data *d, int count, int slots)
{
    struct device D = upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, d, slots, "gmres_dots"), GROUPS,
                                lcl_arg_long(d->n), lcl_arg_long(d->ld),
                                lcl_arg_int(FIRST), lcl_arg_int(count),
                                lcl_arg_buffer(D.V), lcl_arg_buffer(D.w),
                                lcl_arg_buffer(D.sums), lcl_arg_buffer(D.stop),
                                lcl_arg_int(0)),
                     LCL_OK);
    download(&D, d);
}

static void run_dots_keep(lcl_context *ctx, struct data *d, int count,
                          int slots, int column)
{
    struct device D = upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, d, slots, "gmres_dots_keep"),
                                GROUPS, lcl_arg_long(d->n), lcl_arg_long(d->ld),
                                lcl_arg_int(FIRST), lcl_arg_int(count),
                                lcl_arg_buffer(D.V), lcl_arg_buffer(D.w),
                                lcl_arg_buffer(D.sums), lcl_arg_buffer(D.stop),
                                lcl_arg_int(0), lcl_arg_int(column),
                                lcl_arg_buffer(D.z), lcl_arg_buffer(D.Z)),
                     LCL_OK);
    download(&D, d);
}

static void run_orthogonalise(lcl_context *ctx, struct data *d, int count,
                              int slots)
{
    struct device D = upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d, slots, "gmres_orthogonalise"), GROUPS,
                   lcl_arg_long(d->n), lcl_arg_long(d->ld), lcl_arg_int(FIRST),
                   lcl_arg_int(count), lcl_arg_buffer(D.V), lcl_arg_buffer(D.h),
                   lcl_arg_int(1), lcl_arg_buffer(D.w), lcl_arg_buffer(D.sums),
                   lcl_arg_buffer(D.stop), lcl_arg_int(0)),
        LCL_OK);
    download(&D, d);
}

static void run_sum(lcl_context *ctx, struct data *d, int count, int slots,
                    double a, bool keep)
{
    struct device D = upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d, slots, "gmres_sum"), GROUPS,
                   lcl_arg_long(d->n), lcl_arg_long(d->ld), lcl_arg_int(FIRST),
                   lcl_arg_int(count), lcl_arg_double(a), lcl_arg_int(keep),
                   lcl_arg_buffer(D.V), lcl_arg_buffer(D.h), lcl_arg_int(1),
                   lcl_arg_buffer(D.y), lcl_arg_buffer(D.stop), lcl_arg_int(0)),
        LCL_OK);
    download(&D, d);
}

static void run_extend(lcl_context *ctx, struct data *d, int count, int slots)
{
    struct device D = upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, d, slots, "gmres_extend"),
                                GROUPS, lcl_arg_long(d->n), lcl_arg_long(d->ld),
                                lcl_arg_int(FIRST), lcl_arg_int(count),
                                lcl_arg_buffer(D.V), lcl_arg_buffer(D.h),
                                lcl_arg_int(1), lcl_arg_buffer(D.w),
                                lcl_arg_buffer(D.v), lcl_arg_buffer(D.state),
                                lcl_arg_buffer(D.stop), lcl_arg_int(0)),
                     LCL_OK);
    download(&D, d);
}

// ------------------------------------------------------------------ comparing

static void set_row(struct data *d, int row, double sum)
{
    test_set_sums(d->sums + row * GROUPS, sum);
}

static void finish_both(struct data *d, struct data *expected)
{
    const int64_t all = d->ld * COLUMNS;
    const double stored = d->storage == LCL_BASIS_FP32 ? 2e-7 : 1e-11;
    test_expect_near("V", d->V, expected->V, all, stored);
    test_expect_near("Z", d->Z, expected->Z, all, 0);
    test_expect_near("h", d->h, expected->h, 2 * COLUMNS, 0);
    test_expect_near("w", d->w, expected->w, d->n, 1e-11);
    test_expect_near("v", d->v, expected->v, d->n, stored);
    test_expect_near("y", d->y, expected->y, d->n, 1e-11);
    test_expect_near("state", d->state, expected->state, STATE, 0);
    test_expect_sums("row", d->sums, expected->sums, COLUMNS);
    data_finish(d);
    data_finish(expected);
}

// The dot products of w with the columns of V: rows FIRST and up of the sums.
static void expect_dots(struct data *expected, int count)
{
    double dots[MOST];
    lcl_ref_gmres_dots(expected->n, expected->ld, count,
                       expected->V + FIRST * expected->ld, expected->w, dots);
    for (int k = 0; k < count; ++k)
        set_row(expected, FIRST + k, dots[k]);
}

static void each_pass(lcl_context *ctx,
                      void (*test)(lcl_context *ctx, struct data *d,
                                   struct data *expected, int count, int slots))
{
    for (int s = LCL_BASIS_FP64; s < LCL_BASIS_COUNT; ++s)
        for (int i = 0; i < COUNTS; ++i) {
            struct data d = data_make((enum lcl_basis_storage)s);
            struct data expected = data_make((enum lcl_basis_storage)s);
            test(ctx, &d, &expected, counts[i][0], counts[i][1]);
            finish_both(&d, &expected);
        }
}

// ------------------------------------------------------------------ passes

static void try_dots(lcl_context *ctx, struct data *d, struct data *expected,
                     int count, int slots)
{
    expect_dots(expected, count);
    run_dots(ctx, d, count, slots);
}

static void test_gmres_dots__rows_are_the_products_with_the_columns(
    void **state)
{
    each_pass(*state, try_dots);
}

static void try_dots_keep(lcl_context *ctx, struct data *d,
                          struct data *expected, int count, int slots)
{
    double *Z = expected->Z + 5 * expected->ld;
    expect_dots(expected, count);
    memcpy(Z, d->z, (size_t)d->n * sizeof *Z);
    round_values(d, Z, d->n);
    run_dots_keep(ctx, d, count, slots, 5);
}

static void test_gmres_dots_keep__stores_a_column_beside(void **state)
{
    each_pass(*state, try_dots_keep);
}

static void try_orthogonalise(lcl_context *ctx, struct data *d,
                              struct data *expected, int count, int slots)
{
    double ww = 0;
    lcl_ref_gmres_sum(d->n, d->ld, count, -1, d->V + FIRST * d->ld, d->h + 1,
                      expected->w);
    expect_dots(expected, count);
    for (int64_t i = 0; i < d->n; ++i)
        ww += expected->w[i] * expected->w[i];
    set_row(expected, FIRST + count, ww);
    run_orthogonalise(ctx, d, count, slots);
}

static void test_gmres_orthogonalise__dots_are_those_of_the_new_vector(
    void **state)
{
    each_pass(*state, try_orthogonalise);
}

static void try_sum(lcl_context *ctx, struct data *d, struct data *expected,
                    int count, int slots)
{
    lcl_ref_gmres_sum(d->n, d->ld, count, -0.5, d->V + FIRST * d->ld, d->h + 1,
                      expected->y);
    run_sum(ctx, d, count, slots, -0.5, true);
}

static void test_gmres_sum__adds_to_the_vector(void **state)
{
    each_pass(*state, try_sum);
}

static void try_new_sum(lcl_context *ctx, struct data *d, struct data *expected,
                        int count, int slots)
{
    memset(expected->y, 0, (size_t)d->n * sizeof *expected->y);
    lcl_ref_gmres_sum(d->n, d->ld, count, 1, d->V + FIRST * d->ld, d->h + 1,
                      expected->y);
    d->y[3] = NAN;
    run_sum(ctx, d, count, slots, 1, false);
}

static void test_gmres_sum__overwrites_the_vector(void **state)
{
    each_pass(*state, try_new_sum);
}

static void try_extend(lcl_context *ctx, struct data *d, struct data *expected,
                       int count, int slots)
{
    double *v = expected->v, *last = expected->V + (FIRST + count) * d->ld;
    memcpy(v, d->w, (size_t)d->n * sizeof *v);
    lcl_ref_gmres_sum(d->n, d->ld, count, -1, d->V + FIRST * d->ld, d->h + 1,
                      v);
    for (int64_t i = 0; i < d->n; ++i)
        v[i] *= d->state[INV_NU];
    round_values(d, v, d->n);
    memcpy(last, v, (size_t)d->n * sizeof *v);
    run_extend(ctx, d, count, slots);
    // the next product must use the stored basis vector, exact to the last bit
    test_expect_same("v", d->v, d->V + (FIRST + count) * d->ld, d->n);
}

static void test_gmres_extend__the_column_is_what_the_vector_is(void **state)
{
    each_pass(*state, try_extend);
}

static void try_stopped(lcl_context *ctx, struct data *d, struct data *expected,
                        int count, int slots)
{
    (void)expected;
    d->stop = 1;
    run_dots(ctx, d, count, slots);
    run_dots_keep(ctx, d, count, slots, 5);
    run_orthogonalise(ctx, d, count, slots);
    run_sum(ctx, d, count, slots, 2, false);
    run_extend(ctx, d, count, slots);
}

static void test_gmres__passes_do_nothing_where_the_method_has_stopped(
    void **state)
{
    each_pass(*state, try_stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_gmres_dots__rows_are_the_products_with_the_columns),
        cmocka_unit_test(test_gmres_dots_keep__stores_a_column_beside),
        cmocka_unit_test(
            test_gmres_orthogonalise__dots_are_those_of_the_new_vector),
        cmocka_unit_test(test_gmres_sum__adds_to_the_vector),
        cmocka_unit_test(test_gmres_sum__overwrites_the_vector),
        cmocka_unit_test(test_gmres_extend__the_column_is_what_the_vector_is),
        cmocka_unit_test(
            test_gmres__passes_do_nothing_where_the_method_has_stopped),
    };
    return test_device_run(tests);
}
