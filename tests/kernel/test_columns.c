// SPDX-License-Identifier: BSD-3-Clause
// columns.cl and csr_columns.cl, vectors of interleaved columns, compared with
// plain loops.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, WIDTHS = 3 };
static const int widths[WIDTHS] = {2, 4, 8};

static lcl_kernel *kernel_of(lcl_context *ctx, const char *source,
                             const char *name, int columns, bool wide)
{
    const struct lcl_spec spec = {
        .source = source,
        .kernel = name,
        .group = test_group(ctx, 2),
        .wide = wide,
        .defines = {{"COLUMNS", columns}},
    };
    return test_kernel(ctx, &spec);
}

// Vectors of n rows and some columns.
struct data {
    lcl_context *ctx;
    int64_t n;
    int columns;
    double *a, *b, *got, *expected;
    lcl_buffer *in_a, *in_b, *out, *sums, *go_on, *stop;
};

static void data_init(struct data *d, lcl_context *ctx, int64_t n, int columns)
{
    const int64_t all = n * columns;
    *d = (struct data){
        .ctx = ctx,
        .n = n,
        .columns = columns,
        .a = test_random_vector(all, 3),
        .b = test_random_vector(all, 4),
        .got = test_vector(all),
        .expected = test_vector(all),
        .out = test_poisoned(ctx, all, sizeof(double)),
        .sums = test_poisoned(ctx, 2 * columns * GROUPS, sizeof(double)),
        .go_on = test_stop_flag(ctx, 0),
        .stop = test_stop_flag(ctx, 3),
    };
    d->in_a = test_upload(ctx, d->a, all, sizeof *d->a);
    d->in_b = test_upload(ctx, d->b, all, sizeof *d->b);
}

static void data_finish(struct data *d)
{
    lcl_buffer **const buffers[] = {&d->in_a, &d->in_b,  &d->out,
                                    &d->sums, &d->go_on, &d->stop};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    free(d->a);
    free(d->b);
    free(d->got);
    free(d->expected);
}

static void expect_out(struct data *d, double tolerance)
{
    const int64_t all = d->n * d->columns;
    test_download(d->out, d->got, all, sizeof *d->got);
    test_expect_near("columns", d->got, d->expected, all, tolerance);
}

// Row `first` + q of the partial sums adds up to sum[q]; the other half is
// untouched.
static void expect_sums(struct data *d, int first, const double *sum)
{
    const int rows = 2 * d->columns;
    double *sums = test_vector(rows * GROUPS), total;
    test_download(d->sums, sums, rows * GROUPS, sizeof *sums);
    for (int row = 0; row < rows; ++row) {
        total = 0;
        for (int g = 0; g < GROUPS; ++g)
            total += sums[row * GROUPS + g];
        if (row >= first && row < first + d->columns)
            test_expect_near("a sum", &total, &sum[row - first], 1, 1e-10);
        else
            assert_true(isnan(total));
    }
    free(sums);
}

typedef void check_fn(struct data *d);

static void for_all(lcl_context *ctx, check_fn *check)
{
    const int64_t sizes[] = {1, 13, test_size(61, 9973)};
    for (int w = 0; w < WIDTHS; ++w)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            struct data d;
            data_init(&d, ctx, sizes[s], widths[w]);
            check(&d);
            data_finish(&d);
        }
}

// ------------------------------------------------------------------ vectors

static void check_put_and_get(struct data *d)
{
    const int64_t n = d->n;
    const int q = d->columns - 1;
    double *column = test_vector(n);
    lcl_buffer *got = test_poisoned(d->ctx, n, sizeof(double));
    lcl_kernel *put =
        kernel_of(d->ctx, "columns.cl", "put_column", d->columns, false);
    lcl_kernel *get =
        kernel_of(d->ctx, "columns.cl", "get_column", d->columns, false);
    assert_int_equal(LCL_LAUNCH(put, GROUPS, lcl_arg_long(n), lcl_arg_int(q),
                                lcl_arg_buffer(d->in_a),
                                lcl_arg_buffer(d->in_b)),
                     LCL_OK);
    test_download(d->in_b, d->got, n * d->columns, sizeof *d->got);
    for (int64_t i = 0; i < n; ++i)
        d->b[i * d->columns + q] = d->a[i];
    test_expect_same("put", d->got, d->b, n * d->columns);
    assert_int_equal(LCL_LAUNCH(get, GROUPS, lcl_arg_long(n), lcl_arg_int(q),
                                lcl_arg_buffer(d->in_b), lcl_arg_buffer(got)),
                     LCL_OK);
    test_download(got, column, n, sizeof *column);
    test_expect_same("got", column, d->a, n);
    lcl_buffer_destroy(&got);
    free(column);
}

static void test_columns__put_and_get_one_column(void **state)
{
    for_all(*state, check_put_and_get);
}

// Runs the kernel with the flag set, which changes nothing, and without.
static void run_scale(struct data *d, const lcl_buffer *stop)
{
    lcl_kernel *kernel =
        kernel_of(d->ctx, "columns.cl", "columns_scale", d->columns, false);
    assert_int_equal(LCL_LAUNCH(kernel, GROUPS, lcl_arg_long(d->n),
                                lcl_arg_buffer(d->in_b),
                                lcl_arg_buffer(d->in_a), lcl_arg_buffer(d->out),
                                lcl_arg_buffer(stop), lcl_arg_int(0)),
                     LCL_OK);
}

static void check_scale(struct data *d)
{
    run_scale(d, d->stop);
    test_untouched(d->out);
    run_scale(d, d->go_on);
    for (int64_t k = 0; k < d->n * d->columns; ++k)
        d->expected[k] = d->b[k / d->columns] * d->a[k];
    expect_out(d, 0);
}

static void test_columns__scale_by_a_diagonal(void **state)
{
    for_all(*state, check_scale);
}

static void run_dot(struct data *d, const lcl_buffer *stop)
{
    lcl_kernel *kernel =
        kernel_of(d->ctx, "columns.cl", "columns_dot", d->columns, false);
    assert_int_equal(
        LCL_LAUNCH(kernel, GROUPS, lcl_arg_long(d->n), lcl_arg_buffer(d->in_a),
                   lcl_arg_buffer(d->in_b), lcl_arg_buffer(d->sums),
                   lcl_arg_buffer(stop), lcl_arg_int(0)),
        LCL_OK);
}

static void check_dot(struct data *d)
{
    double sum[8] = {0};
    run_dot(d, d->stop);
    test_untouched(d->sums);
    run_dot(d, d->go_on);
    for (int64_t k = 0; k < d->n * d->columns; ++k)
        sum[k % d->columns] += d->a[k] * d->b[k];
    expect_sums(d, 0, sum);
}

static void test_columns__dot_products(void **state)
{
    for_all(*state, check_dot);
}

static void check_add(struct data *d)
{
    const double limit[8] = {1, INFINITY, 0, INFINITY, 1, 2, 3, INFINITY};
    lcl_buffer *limits = test_upload(d->ctx, limit, 8, sizeof *limit);
    lcl_kernel *kernel =
        kernel_of(d->ctx, "columns.cl", "columns_add", d->columns, false);
    assert_int_equal(LCL_LAUNCH(kernel, GROUPS, lcl_arg_long(d->n),
                                lcl_arg_buffer(limits), lcl_arg_buffer(d->in_a),
                                lcl_arg_buffer(d->in_b)),
                     LCL_OK);
    test_download(d->in_b, d->got, d->n * d->columns, sizeof *d->got);
    for (int64_t k = 0; k < d->n * d->columns; ++k)
        if (isfinite(limit[k % d->columns]))
            d->b[k] += d->a[k];
    test_expect_same("sum", d->got, d->b, d->n * d->columns);
    lcl_buffer_destroy(&limits);
}

static void test_columns__add_to_open_columns(void **state)
{
    for_all(*state, check_add);
}

// ------------------------------------------------------------------ products

struct matrix {
    const struct lcl_csr *A;
    lcl_buffer *row_ptr, *col, *val;
    bool wide;
};

static void run_product(struct data *d, const struct matrix *m,
                        const char *name, const lcl_buffer *stop)
{
    lcl_kernel *kernel =
        kernel_of(d->ctx, "csr_columns.cl", name, d->columns, m->wide);
    assert_int_equal(LCL_LAUNCH(kernel, GROUPS, lcl_arg_long(d->n),
                                lcl_arg_buffer(m->row_ptr),
                                lcl_arg_buffer(m->col), lcl_arg_buffer(m->val),
                                lcl_arg_buffer(d->in_a),
                                lcl_arg_buffer(d->in_b), lcl_arg_buffer(d->out),
                                lcl_arg_buffer(d->sums), lcl_arg_buffer(stop),
                                lcl_arg_int(0)),
                     LCL_OK);
}

// expected = A x, or w - A x; sum[q] = <w, y> or <y, y>
static void multiply(struct data *d, const struct lcl_csr *A, bool residual,
                     double *sum)
{
    const int c = d->columns;
    memset(sum, 0, 8 * sizeof *sum);
    for (int64_t i = 0; i < d->n; ++i)
        for (int q = 0; q < c; ++q) {
            double y = 0;
            for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
                y += A->val[k] * d->a[A->col_ind[k] * (int64_t)c + q];
            const double w = d->b[i * c + q];
            y = residual ? w - y : y;
            d->expected[i * c + q] = y;
            sum[q] += (residual ? y : w) * y;
        }
}

static void expect_product(lcl_context *ctx, const struct matrix *m,
                           int columns, bool residual)
{
    const char *name = residual ? "csr_columns_residual" : "csr_columns_dot";
    struct data d;
    double sum[8];
    data_init(&d, ctx, m->A->rows, columns);
    run_product(&d, m, name, d.stop);
    test_untouched(d.out);
    test_untouched(d.sums);
    run_product(&d, m, name, d.go_on);
    multiply(&d, m->A, residual, sum);
    expect_out(&d, 1e-12);
    expect_sums(&d, residual ? columns : 0, sum);
    data_finish(&d);
}

static void expect_products(lcl_context *ctx, const struct lcl_csr *A,
                            bool wide)
{
    struct matrix m = {
        .A = A,
        .row_ptr = test_upload_row_ptr(ctx, A->row_ptr, A->rows, wide),
        .col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind),
        .val = test_upload(ctx, A->val, A->nnz, sizeof *A->val),
        .wide = wide,
    };
    for (int w = 0; w < WIDTHS; ++w) {
        expect_product(ctx, &m, widths[w], false);
        expect_product(ctx, &m, widths[w], true);
    }
    lcl_buffer_destroy(&m.row_ptr);
    lcl_buffer_destroy(&m.col);
    lcl_buffer_destroy(&m.val);
}

static void test_columns__products_match(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_products(*state, &S.A, i % 2 == 1);
        test_system_finish(&S);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns__put_and_get_one_column),
        cmocka_unit_test(test_columns__scale_by_a_diagonal),
        cmocka_unit_test(test_columns__dot_products),
        cmocka_unit_test(test_columns__add_to_open_columns),
        cmocka_unit_test(test_columns__products_match),
    };
    return test_device_run(tests);
}
