// SPDX-License-Identifier: BSD-3-Clause
// cg_columns.cl: each kernel compared with its formulas on the host, for 4 and
// 8 columns. Columns from 4 on repeat the first ones.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "cl/krylov/cg_columns.cl.h"
#include "host/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, MOST = 8, LIMIT = 20, LATE = 3 }; // LIMIT: of stagnation
enum { STATES = KRYLOV_OWN + MOST * (CG_COLUMNS_RINGS + KRYLOV_RING_SIZE) };

struct data {
    lcl_context *ctx;
    int64_t n;
    int columns;
    double *z, *p, *x;
    double sums[2 * MOST * GROUPS], limits[2 * MOST], state[STATES];
    int32_t stop[CG_COLUMNS_STOPS];
};

// Word `which` of column q.
static double *word(struct data *d, int which, int q)
{
    return &d->state[KRYLOV_OWN + which * d->columns + q];
}

static double *ring(struct data *d, int q, int it)
{
    return &d->state[KRYLOV_OWN + CG_COLUMNS_RINGS * d->columns +
                     q * KRYLOV_RING_SIZE + it % KRYLOV_RING_SIZE];
}

static void set_sum(struct data *d, int row, double sum)
{
    d->sums[row * GROUPS] = d->sums[row * GROUPS + 2] = 0.25 * sum;
    d->sums[row * GROUPS + 1] = 0.5 * sum;
}

static struct data make(lcl_context *ctx, int columns)
{
    const int64_t n = test_size(23, 1999);
    struct data d = {
        .ctx = ctx,
        .n = n,
        .columns = columns,
        .z = test_random_vector(n * columns, 1),
        .p = test_random_vector(n * columns, 2),
        .x = test_random_vector(n * columns, 3),
    };
    for (int s = 0; s < STATES; ++s)
        d.state[s] = 0.25 + s;
    for (int q = 0; q < columns; ++q) {
        *word(&d, CG_COLUMNS_REASON, q) = 0;
        *word(&d, CG_COLUMNS_START, q) = 4;
        *word(&d, CG_COLUMNS_BEST, q) = 3;
        *word(&d, CG_COLUMNS_BEST_AT, q) = 1;
        d.limits[q] = 1e-3;
        d.limits[columns + q] = 1 + q;
    }
    return d;
}

static struct data copy(const struct data *d)
{
    const size_t bytes = (size_t)d->n * (size_t)d->columns * sizeof(double);
    struct data c = *d;
    c.z = test_vector(d->n * d->columns);
    c.p = test_vector(d->n * d->columns);
    c.x = test_vector(d->n * d->columns);
    memcpy(c.z, d->z, bytes);
    memcpy(c.p, d->p, bytes);
    memcpy(c.x, d->x, bytes);
    return c;
}

// Numbers that are not finite cannot be compared.
static void blank(struct data *d)
{
    for (int s = 0; s < STATES; ++s)
        if (!isfinite(d->state[s]))
            d->state[s] = -1;
}

static void expect_and_finish(struct data *got, struct data *expected)
{
    const int64_t all = got->n * got->columns;
    blank(got);
    blank(expected);
    test_expect_near("state", got->state, expected->state, STATES, 1e-14);
    for (int s = 0; s < CG_COLUMNS_STOPS; ++s)
        assert_int_equal(got->stop[s], expected->stop[s]);
    test_expect_near("z", got->z, expected->z, all, 0);
    test_expect_near("p", got->p, expected->p, all, 1e-14);
    test_expect_near("x", got->x, expected->x, all, 1e-14);
    struct data *const both[] = {got, expected};
    for (int i = 0; i < 2; ++i) {
        free(both[i]->z);
        free(both[i]->p);
        free(both[i]->x);
    }
}

// ------------------------------------------------------------------ launches

struct device {
    lcl_kernel *kernel;
    lcl_buffer *z, *p, *x, *sums, *next, *limits, *state, *stop;
};

static struct device upload(struct data *d, const char *name)
{
    const struct lcl_spec spec = {.source = "cg_columns.cl",
                                  .kernel = name,
                                  .group = test_group(d->ctx, 2),
                                  .defines = {{"COLUMNS", d->columns}}};
    const int64_t all = d->n * d->columns;
    return (struct device){
        .kernel = test_kernel(d->ctx, &spec),
        .z = test_upload(d->ctx, d->z, all, sizeof(double)),
        .p = test_upload(d->ctx, d->p, all, sizeof(double)),
        .x = test_upload(d->ctx, d->x, all, sizeof(double)),
        .sums = test_upload(d->ctx, d->sums, 2 * d->columns * GROUPS,
                            sizeof(double)),
        .next = test_poisoned(d->ctx, 2 * d->columns * GROUPS, sizeof(double)),
        .limits =
            test_upload(d->ctx, d->limits, 2 * d->columns, sizeof(double)),
        .state = test_upload(d->ctx, d->state, STATES, sizeof(double)),
        .stop = test_upload(d->ctx, d->stop, CG_COLUMNS_STOPS, sizeof *d->stop),
    };
}

static void download(struct data *d, struct device *D)
{
    const int64_t all = d->n * d->columns;
    lcl_buffer **const buffers[] = {&D->z,    &D->p,      &D->x,     &D->sums,
                                    &D->next, &D->limits, &D->state, &D->stop};
    test_download(D->z, d->z, all, sizeof(double));
    test_download(D->p, d->p, all, sizeof(double));
    test_download(D->x, d->x, all, sizeof(double));
    test_download(D->next, d->sums, 2 * d->columns * GROUPS, sizeof(double));
    test_download(D->state, d->state, STATES, sizeof(double));
    test_download(D->stop, d->stop, CG_COLUMNS_STOPS, sizeof *d->stop);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
}

static void run_beta(struct data *d, int it, bool plain)
{
    struct device D = upload(d, "cg_columns_beta");
    assert_int_equal(
        LCL_LAUNCH(D.kernel, 1, lcl_arg_int(it), lcl_arg_int(GROUPS),
                   lcl_arg_int(GROUPS), lcl_arg_int(plain), lcl_arg_int(LIMIT),
                   lcl_arg_buffer(D.limits), lcl_arg_buffer(D.sums),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(D.state),
                   lcl_arg_buffer(D.stop)),
        LCL_OK);
    download(d, &D);
}

static void run_alpha(struct data *d, int it)
{
    struct device D = upload(d, "cg_columns_alpha");
    assert_int_equal(LCL_LAUNCH(D.kernel, 1, lcl_arg_int(it),
                                lcl_arg_int(GROUPS), lcl_arg_buffer(D.sums),
                                lcl_arg_buffer(D.state),
                                lcl_arg_buffer(D.stop)),
                     LCL_OK);
    download(d, &D);
}

// With `owner`, row i of z lacks row owner[i] of e, which has LATE rows.
static void run_p(struct data *d, int it, const int32_t *owner, const double *e)
{
    struct device D = upload(d, "cg_columns_p");
    lcl_buffer *rows = NULL, *owners = NULL;
    if (owner) {
        owners = test_upload(d->ctx, owner, d->n, sizeof *owner);
        rows = test_upload(d->ctx, e, LATE * d->columns, sizeof *e);
    }
    assert_int_equal(LCL_LAUNCH(D.kernel, GROUPS, lcl_arg_int(it),
                                lcl_arg_long(d->n), lcl_arg_buffer(D.z),
                                lcl_arg_buffer(rows), lcl_arg_buffer(owners),
                                lcl_arg_buffer(D.p), lcl_arg_buffer(D.x),
                                lcl_arg_buffer(D.state),
                                lcl_arg_buffer(D.stop)),
                     LCL_OK);
    lcl_buffer_destroy(&rows);
    lcl_buffer_destroy(&owners);
    download(d, &D);
}

// v is z, r is x.
static void run_r(struct data *d)
{
    struct device D = upload(d, "cg_columns_r");
    assert_int_equal(LCL_LAUNCH(D.kernel, GROUPS, lcl_arg_long(d->n),
                                lcl_arg_buffer(D.z), lcl_arg_buffer(D.x),
                                lcl_arg_buffer(D.next), lcl_arg_buffer(D.state),
                                lcl_arg_buffer(D.stop)),
                     LCL_OK);
    download(d, &D);
}

typedef void check_fn(lcl_context *ctx, int columns);

static void for_both(lcl_context *ctx, check_fn *check)
{
    check(ctx, 4);
    check(ctx, 8);
}

// ------------------------------------------------------------------ beta

static void end(struct data *d, int q, int it, int reason)
{
    *word(d, CG_COLUMNS_REASON, q) = reason;
    *word(d, CG_COLUMNS_STEP, q) = it;
    *word(d, CG_COLUMNS_BETA, q) = 0;
}

// Columns: goes on, converged, not finite, ended before.
static void check_beta(lcl_context *ctx, int columns)
{
    static const double rho[] = {3, 2, 1, 9}, rr[] = {2, 1e-4, NAN, 8};
    const int it = 259;
    struct data d = make(ctx, columns);
    for (int q = 0; q < columns; ++q) {
        set_sum(&d, q, rho[q % 4]);
        set_sum(&d, columns + q, rr[q % 4]);
        *word(&d, CG_COLUMNS_BEST_AT, q) = it - LIMIT;
        if (q % 4 == 3)
            *word(&d, CG_COLUMNS_REASON, q) = KRYLOV_INDEFINITE_A;
    }
    struct data e = copy(&d);
    double largest = 0;
    for (int q = 0; q < columns; ++q) {
        const double old_rho = *word(&d, CG_COLUMNS_RHO, q);
        if (q % 4 == 3)
            continue;
        if (q % 4 < 2)
            largest = fmax(largest, rr[q % 4] * d.limits[columns + q]);
        *ring(&e, q, it) = rr[q % 4];
        *word(&e, CG_COLUMNS_RHO, q) = rho[q % 4];
        if (q % 4 == 0) {
            *word(&e, CG_COLUMNS_BETA, q) = 3 / old_rho;
            *word(&e, CG_COLUMNS_BEST, q) = 2;
            *word(&e, CG_COLUMNS_BEST_AT, q) = it;
        } else {
            end(&e, q, it, q % 4 == 1 ? KRYLOV_CONVERGED : KRYLOV_NOT_FINITE);
        }
        if (q % 4 == 2)
            *word(&e, CG_COLUMNS_ALPHA, q) = 0;
    }
    e.state[KRYLOV_STEPS] = it;
    e.state[KRYLOV_RING + it % KRYLOV_RING_SIZE] = largest;
    run_beta(&d, it, false);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__beta_of_each_column(void **state)
{
    for_both(*state, check_beta);
}

// Columns: M indefinite, rho not finite, stagnation, divergence: all end.
static void check_ends(lcl_context *ctx, int columns)
{
    static const double rho[] = {-1, INFINITY, 1, 2}, rr[] = {2, 2, 3.5, 1e12};
    static const int why[] = {KRYLOV_INDEFINITE_M, KRYLOV_NOT_FINITE,
                              CG_COLUMNS_STAGNATION, CG_COLUMNS_DIVERGED};
    const int it = 50;
    struct data d = make(ctx, columns);
    double largest = 0;
    for (int q = 0; q < columns; ++q) {
        set_sum(&d, q, rho[q % 4]);
        set_sum(&d, columns + q, rr[q % 4]);
        *word(&d, CG_COLUMNS_BEST_AT, q) = it - LIMIT - (q % 4 == 2);
        largest = fmax(largest, rr[q % 4] * d.limits[columns + q]);
    }
    struct data e = copy(&d);
    for (int q = 0; q < columns; ++q) {
        *ring(&e, q, it) = rr[q % 4];
        *word(&e, CG_COLUMNS_RHO, q) = rho[q % 4];
        end(&e, q, it, why[q % 4]);
    }
    e.state[KRYLOV_STEPS] = it;
    e.state[KRYLOV_RING + it] = largest;
    e.state[KRYLOV_REASON] = e.stop[CG_COLUMNS_STOP_P] = KRYLOV_CONVERGED;
    run_beta(&d, it, false);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__reasons_to_end_are_told_apart(void **state)
{
    for_both(*state, check_ends);
}

static void check_first(lcl_context *ctx, int columns)
{
    struct data d = make(ctx, columns);
    for (int q = 0; q < columns; ++q) {
        set_sum(&d, q, NAN); // not read
        set_sum(&d, columns + q, 5 + q);
    }
    struct data e = copy(&d);
    for (int q = 0; q < columns; ++q) {
        *word(&e, CG_COLUMNS_RHO, q) = *ring(&e, q, 0) =
            *word(&e, CG_COLUMNS_START, q) = *word(&e, CG_COLUMNS_BEST, q) =
                5 + q;
        *word(&e, CG_COLUMNS_BEST_AT, q) = *word(&e, CG_COLUMNS_BETA, q) = 0;
    }
    e.state[KRYLOV_STEPS] = 0;
    e.state[KRYLOV_RING] = (double)(4 + columns) * columns;
    run_beta(&d, 0, true);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__first_iteration_without_preconditioner(
    void **state)
{
    for_both(*state, check_first);
}

static void check_handed_on(lcl_context *ctx, int columns)
{
    struct data d = make(ctx, columns);
    d.stop[CG_COLUMNS_STOP_R] = KRYLOV_CONVERGED;
    struct data e = copy(&d);
    e.stop[CG_COLUMNS_BEFORE] = e.stop[CG_COLUMNS_STOP_P] = KRYLOV_CONVERGED;
    run_beta(&d, 3, false);
    expect_and_finish(&d, &e);
    d = make(ctx, columns);
    d.stop[CG_COLUMNS_STOP_P] = KRYLOV_CONVERGED;
    e = copy(&d);
    e.stop[CG_COLUMNS_STOP_R] = KRYLOV_CONVERGED;
    run_alpha(&d, 3);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__ends_are_handed_on(void **state)
{
    for_both(*state, check_handed_on);
}

// ------------------------------------------------------------------ alpha

// Columns: goes on, no curvature, not finite, ended before.
static void check_alpha(lcl_context *ctx, int columns)
{
    static const double pv[] = {5, 0, NAN, 1};
    struct data d = make(ctx, columns);
    for (int q = 0; q < columns; ++q) {
        set_sum(&d, q, pv[q % 4]);
        if (q % 4 == 3)
            *word(&d, CG_COLUMNS_REASON, q) = KRYLOV_CONVERGED;
    }
    struct data e = copy(&d);
    for (int q = 0; q < columns; ++q) {
        *word(&e, CG_COLUMNS_ALPHA, q) =
            q % 4 == 0 ? *word(&d, CG_COLUMNS_RHO, q) / 5 : 0;
        if (q % 4 == 1 || q % 4 == 2) {
            *word(&e, CG_COLUMNS_REASON, q) =
                q % 4 == 1 ? KRYLOV_INDEFINITE_A : KRYLOV_NOT_FINITE;
            *word(&e, CG_COLUMNS_STEP, q) = 7;
        }
    }
    run_alpha(&d, 7);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__alpha_of_each_column(void **state)
{
    for_both(*state, check_alpha);
}

static void check_all_indefinite(lcl_context *ctx, int columns)
{
    struct data d = make(ctx, columns);
    for (int q = 0; q < columns; ++q)
        set_sum(&d, q, -3);
    struct data e = copy(&d);
    for (int q = 0; q < columns; ++q) {
        *word(&e, CG_COLUMNS_ALPHA, q) = 0;
        *word(&e, CG_COLUMNS_REASON, q) = KRYLOV_INDEFINITE_A;
        *word(&e, CG_COLUMNS_STEP, q) = 7;
    }
    e.state[KRYLOV_REASON] = e.stop[CG_COLUMNS_STOP_R] = KRYLOV_CONVERGED;
    run_alpha(&d, 7);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__ends_if_all_columns_have(void **state)
{
    for_both(*state, check_all_indefinite);
}

// ------------------------------------------------------------------ vectors

// Odd columns have ended, column 2 without a last step.
static void check_p_at(lcl_context *ctx, int columns, int it, bool late)
{
    struct data d = make(ctx, columns);
    int32_t *owner = test_random_permutation(d.n, 4);
    double *rows = test_random_vector(LATE * columns, 5);
    for (int64_t i = 0; i < d.n; ++i)
        owner[i] %= LATE;
    for (int q = 0; q < columns; ++q) {
        *word(&d, CG_COLUMNS_REASON, q) = q % 2 ? KRYLOV_CONVERGED : 0;
        if (q == 2)
            *word(&d, CG_COLUMNS_ALPHA, q) = 0;
    }
    if (it == 0)
        for (int64_t k = 0; k < d.n * columns; ++k)
            d.p[k] = NAN;
    struct data e = copy(&d);
    for (int64_t k = 0; k < d.n * columns; ++k) {
        const int q = (int)(k % columns);
        const double p = it > 0 ? d.p[k] : 0;
        e.x[k] += *word(&d, CG_COLUMNS_ALPHA, q) * p;
        const double z =
            d.z[k] + (late ? rows[owner[k / columns] * columns + q] : 0);
        e.p[k] = q % 2 ? 0 : z + *word(&d, CG_COLUMNS_BETA, q) * p;
    }
    run_p(&d, it, late ? owner : NULL, rows);
    expect_and_finish(&d, &e);
    free(owner);
    free(rows);
}

static void check_p(lcl_context *ctx, int columns)
{
    check_p_at(ctx, columns, 0, false);
    check_p_at(ctx, columns, 0, true);
    check_p_at(ctx, columns, 4, false);
    check_p_at(ctx, columns, 4, true);
    struct data d = make(ctx, columns);
    d.stop[CG_COLUMNS_BEFORE] = KRYLOV_CONVERGED;
    struct data e = copy(&d);
    run_p(&d, 4, NULL, NULL);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__steps_and_directions(void **state)
{
    for_both(*state, check_p);
}

static void check_r(lcl_context *ctx, int columns)
{
    struct data d = make(ctx, columns);
    *word(&d, CG_COLUMNS_ALPHA, 1) = 0;
    for (int64_t i = 0; i < d.n; ++i)
        d.z[i * columns + 1] = INFINITY; // of a column that has ended
    struct data e = copy(&d);
    double rr[MOST] = {0};
    for (int64_t k = 0; k < d.n * columns; ++k) {
        const int q = (int)(k % columns);
        if (q != 1)
            e.x[k] -= *word(&d, CG_COLUMNS_ALPHA, q) * d.z[k];
        rr[q] += e.x[k] * e.x[k];
    }
    run_r(&d);
    for (int q = 0; q < columns; ++q) {
        const double *part = d.sums + (columns + q) * GROUPS;
        const double sum = part[0] + part[1] + part[2];
        assert_true(isnan(d.sums[q * GROUPS]));
        test_expect_near("<r, r>", &sum, &rr[q], 1, 1e-11 * rr[q]);
    }
    for (int64_t i = 0; i < d.n; ++i)
        d.z[i * columns + 1] = e.z[i * columns + 1] = 0;
    for (int64_t k = 0; k < d.n * columns; ++k) // large numbers
        assert_true(fabs(d.x[k] - e.x[k]) <= 1e-12 * (1 + fabs(e.x[k])));
    memcpy(e.x, d.x, (size_t)(d.n * columns) * sizeof *e.x);
    expect_and_finish(&d, &e);
}

static void test_cg_columns__residuals_and_their_norms(void **state)
{
    for_both(*state, check_r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg_columns__beta_of_each_column),
        cmocka_unit_test(test_cg_columns__reasons_to_end_are_told_apart),
        cmocka_unit_test(
            test_cg_columns__first_iteration_without_preconditioner),
        cmocka_unit_test(test_cg_columns__ends_are_handed_on),
        cmocka_unit_test(test_cg_columns__alpha_of_each_column),
        cmocka_unit_test(test_cg_columns__ends_if_all_columns_have),
        cmocka_unit_test(test_cg_columns__steps_and_directions),
        cmocka_unit_test(test_cg_columns__residuals_and_their_norms),
    };
    return test_device_run(tests);
}
