// SPDX-License-Identifier: BSD-3-Clause
// Additive Schwarz methods around an inner operator, compared with the
// reference.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/overlaps.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "host/runtime.h"
#include "lib/precond/schwarz.h"
#include "lib/ref/schwarz.h"

#include <stdlib.h>

// y_k = weight_k x_k, computed by the host.
struct scaling {
    lcl_operator op;
    double *weight;
    int64_t n;
};

static enum lcl_status scale(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct scaling *S = A->state;
    const size_t bytes = (size_t)S->n * sizeof(double);
    double *x = test_vector(S->n);
    assert_int_equal(mode, LCL_APPLY);
    assert_int_equal(lcl_buffer_read(v->x, x, bytes), LCL_OK);
    for (int64_t k = 0; k < S->n; ++k)
        x[k] *= S->weight[k];
    const enum lcl_status st = lcl_buffer_write(v->y, x, bytes);
    free(x);
    return st;
}

static void scaling_init(struct scaling *S, lcl_context *ctx, int64_t n)
{
    static const struct lcl_operator_ops ops = {.apply = scale};
    const struct lcl_space V = lcl_space_of(ctx, n);
    *S = (struct scaling){.n = n, .weight = test_random_vector(n, 3)};
    lcl_operator_init(&S->op, &ops, V, V);
    S->op.state = S;
}

static void reference(double *y, const double *x, const struct scaling *inner,
                      const struct lcl_subdomains *P, const int32_t *order,
                      int block, bool restricted)
{
    double *extended = test_vector(inner->n);
    lcl_ref_schwarz_extend(extended, x, P, order, block);
    for (int64_t k = 0; k < inner->n; ++k)
        extended[k] *= inner->weight[k];
    lcl_ref_schwarz_collect(y, extended, P, order, block, restricted);
    free(extended);
}

static void poison(lcl_context *ctx, lcl_buffer **buffer)
{
    const int64_t n = (int64_t)(lcl_buffer_bytes(*buffer) / sizeof(double));
    lcl_buffer_destroy(buffer);
    *buffer = test_poisoned(ctx, n, sizeof(double));
}

static void expect_form(lcl_context *ctx, const struct lcl_subdomains *P,
                        const int32_t *order, int block,
                        enum lcl_schwarz_form form)
{
    const int64_t n = P->n * block;
    double *x = test_random_vector(n, 5), *y = test_vector(n);
    double *expected = test_vector(n);
    struct scaling inner;
    struct lcl_schwarz S;
    scaling_init(&inner, ctx, lcl_subdomains_rows(P) * block);
    lcl_buffer *map =
        test_upload(ctx, order, lcl_subdomains_rows(P), sizeof *order);
    lcl_buffer *in = test_upload(ctx, x, n, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *y);
    assert_int_equal(lcl_schwarz_init(&S, &inner.op, P, map, block, form, NULL),
                     LCL_OK);
    assert_true(lcl_schwarz_bytes(&S) > 0);
    poison(ctx, &S.x);
    poison(ctx, &S.y);
    lcl_buffer *stopped = test_stop_flag(ctx, 1);
    const struct lcl_operands never = {.x = in, .y = out, .stop = stopped};
    assert_int_equal(S.op.ops->apply(&S.op, LCL_APPLY, &never), LCL_OK);
    test_untouched(out);
    test_untouched(S.x);
    const struct lcl_operands v = {
        .x = in, .y = out, .stop = lcl_context_no_stop(ctx)};
    assert_int_equal(S.op.ops->apply(&S.op, LCL_APPLY, &v), LCL_OK);
    test_download(out, y, n, sizeof *y);
    reference(expected, x, &inner, P, order, block,
              form == LCL_SCHWARZ_RESTRICTED);
    test_expect_near("y", y, expected, n, 1e-14);
    lcl_schwarz_finish(&S);
    lcl_buffer_destroy(&stopped);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(inner.weight);
    free(x);
    free(y);
    free(expected);
}

static void expect_layers(lcl_context *ctx, const struct lcl_csr *A,
                          int64_t parts, int layers)
{
    struct lcl_subdomains P = test_overlapping(A, parts, layers, true);
    int32_t *order = test_random_permutation(lcl_subdomains_rows(&P), 9);
    for (int block = 1; block <= 3; ++block) {
        expect_form(ctx, &P, order, block, LCL_SCHWARZ_RESTRICTED);
        expect_form(ctx, &P, order, block, LCL_SCHWARZ_SUM);
    }
    free(order);
    lcl_subdomains_finish(&P);
}

static void test_schwarz__matches_the_reference(void **state)
{
    struct lcl_csr A = test_random_csr(test_size(50, 3000), 3, 1);
    for (int layers = 0; layers <= 2; ++layers)
        expect_layers(*state, &A, test_size(4, 20), layers);
    test_csr_finish(&A);
}

static void test_schwarz__one_row_and_dense_rows_match(void **state)
{
    struct lcl_csr A = test_identity(1);
    struct lcl_csr B = test_dense_row(test_size(20, 400), 3);
    expect_layers(*state, &A, 1, 1);
    expect_layers(*state, &B, 5, 1);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// Rows behind those of x, with x cut anywhere.
static void expect_ghosts(lcl_context *ctx, int64_t n, int64_t ghosts,
                          int block)
{
    const int64_t rows = 2 * (n + ghosts), all = (n + ghosts) * block;
    const struct lcl_spec spec = {.source = "schwarz.cl",
                                  .kernel = "schwarz_extend",
                                  .group = test_group(ctx, 2),
                                  .block = block > 1 ? block : 0};
    double *x = test_random_vector(all, 5);
    double *y = test_vector(rows * block),
           *expected = test_vector(rows * block);
    int32_t *row = test_random_permutation(rows, 4);
    for (int64_t k = 0; k < rows; ++k) {
        row[k] %= (int32_t)(n + ghosts);
        for (int c = 0; c < block; ++c)
            expected[k * block + c] = x[row[k] * block + c];
    }
    lcl_buffer *in = test_upload(ctx, x, n * block, sizeof *x);
    lcl_buffer *ghost =
        test_upload(ctx, x + n * block, ghosts * block, sizeof *x);
    lcl_buffer *map = test_upload(ctx, row, rows, sizeof *row);
    lcl_buffer *out = test_poisoned(ctx, rows * block, sizeof *y);
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), 3, lcl_arg_long(rows),
                                lcl_arg_buffer(map), lcl_arg_buffer(in),
                                lcl_arg_long(n * block), lcl_arg_buffer(ghost),
                                lcl_arg_buffer(out),
                                lcl_arg_buffer(lcl_context_no_stop(ctx)),
                                lcl_arg_int(0)),
                     LCL_OK);
    test_download(out, y, rows * block, sizeof *y);
    test_expect_same("extended", y, expected, rows * block);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&ghost);
    lcl_buffer_destroy(&in);
    free(row);
    free(expected);
    free(y);
    free(x);
}

static void test_schwarz__rows_of_other_ranks_are_behind(void **state)
{
    const int64_t n = test_size(30, 2000);
    for (int block = 1; block <= 3; ++block) {
        expect_ghosts(*state, n, n / 3, block);
        expect_ghosts(*state, 1, n, block);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schwarz__matches_the_reference),
        cmocka_unit_test(test_schwarz__one_row_and_dense_rows_match),
        cmocka_unit_test(test_schwarz__rows_of_other_ranks_are_behind),
    };
    return test_device_run(tests);
}
