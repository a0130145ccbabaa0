// SPDX-License-Identifier: BSD-3-Clause
// ghosts.cl compared with plain C.
#include "lib/multilevel/level_halo.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"

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
            c->strong[k] = i % 5 > 0 && A.col_ind[k] != i && k % 3 > 0;
            c->count[i] += c->strong[k];
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
            c->strong[k] = c->strong[k] && i < n && c->A.col_ind[k] < n;
            c->expected[i] += c->strong[k];
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
static void expect_aggregates(lcl_context *ctx, int64_t n, int64_t sends,
                              bool weighted)
{
    const int64_t aggregates = n / 3 + 1;
    int32_t *place = test_random_permutation(n, 7);
    int32_t *aggregate = test_random_permutation(n, 3);
    uint32_t *weight = calloc((size_t)n, sizeof *weight);
    uint32_t *sum = calloc((size_t)aggregates, sizeof *sum);
    int32_t *expected = calloc((size_t)(3 * sends) + 1, sizeof *expected);
    assert_true(weight && sum && expected);
    for (int64_t i = 0; i < n; ++i) {
        aggregate[i] = i % 5 == 0 ? -1 : (int32_t)(aggregate[i] % aggregates);
        weight[i] = (uint32_t)(2 * i + 3);
    }
    for (int64_t q = 0; q < aggregates; ++q)
        sum[q] = (uint32_t)(9 * q + 5);
    for (int64_t k = 0; k < sends; ++k) {
        const int32_t i = place[k], q = aggregate[i];
        expected[3 * k] = q;
        expected[3 * k + 1] = weighted ? (int32_t)weight[i] : 1;
        expected[3 * k + 2] = q < 0 ? 0 : (int32_t)sum[q];
    }
    lcl_buffer *places = test_upload(ctx, place, n, sizeof *place);
    lcl_buffer *of = test_upload(ctx, aggregate, n, sizeof *aggregate);
    lcl_buffer *weights = test_upload(ctx, weight, n, sizeof *weight);
    lcl_buffer *sums = test_upload(ctx, sum, aggregates, sizeof *sum);
    lcl_buffer *out = test_poisoned(ctx, 3 * sends, sizeof *expected);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_aggregates"), 3,
                                lcl_arg_long(sends), lcl_arg_buffer(places),
                                lcl_arg_buffer(of),
                                lcl_arg_buffer(weighted ? weights : NULL),
                                lcl_arg_buffer(sums), lcl_arg_buffer(out)),
                     LCL_OK);
    test_expect_words("out", out, expected, 3 * sends);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&weights);
    lcl_buffer_destroy(&of);
    lcl_buffer_destroy(&places);
    free(expected);
    free(sum);
    free(weight);
    free(aggregate);
    free(place);
}

static void test_ghosts__aggregates_are_packed(void **state)
{
    const int64_t n = test_size(60, 3001);
    expect_aggregates(*state, 1, 1, true);
    expect_aggregates(*state, n, 0, true);
    expect_aggregates(*state, n, n / 2, true);
    expect_aggregates(*state, n, n, false);
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

// Rows of a whole matrix with ascending columns, of which a rank has the
// columns from `first` on, and how the rank has them.
struct part {
    struct lcl_csr A;
    int32_t own, first, ghosts, lower;
    int32_t *ghost, *local; // all columns that are not own ones; local columns
    double *val;
};

static void part_open(struct part *p, struct lcl_csr A, int32_t first,
                      int32_t own)
{
    const int32_t ghosts = (int32_t)A.cols - own;
    *p = (struct part){.A = A,
                       .own = own,
                       .first = first,
                       .ghosts = ghosts,
                       .lower = first,
                       .ghost = calloc((size_t)ghosts + 1, sizeof *p->ghost),
                       .local = calloc((size_t)A.nnz + 1, sizeof *p->local),
                       .val = calloc((size_t)A.nnz + 1, sizeof *p->val)};
    assert_true(p->ghost && p->local && p->val);
    for (int32_t g = 0; g < ghosts; ++g)
        p->ghost[g] = g < first ? g : own + g;
    int64_t at = 0;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int pass = 0; pass < 2; ++pass) // own columns, then ghosts
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
                const int32_t c = A.col_ind[k];
                const bool is_own = c >= first && c < first + own;
                if (is_own != (pass == 0))
                    continue;
                p->local[at] = is_own ? c - first : c < first ? own + c : c;
                p->val[at++] = A.val[k];
            }
}

static void part_close(struct part *p)
{
    free(p->val);
    free(p->local);
    free(p->ghost);
    test_csr_finish(&p->A);
}

static void expect_order(lcl_context *ctx, struct lcl_csr A, int32_t first,
                         int32_t own, int shift)
{
    struct part p;
    part_open(&p, A, first, own);
    double *got = test_vector(A.nnz);
    lcl_buffer *row_ptr;
    assert_int_equal(lcl_buffer_create_narrow(&row_ptr, ctx, A.row_ptr,
                                              A.rows + 1, "row pointers"),
                     LCL_OK);
    lcl_buffer *ghost = test_upload(ctx, p.ghost, p.ghosts, sizeof *p.ghost);
    lcl_buffer *col = test_upload(ctx, p.local, A.nnz, sizeof *p.local);
    lcl_buffer *val = test_upload(ctx, p.val, A.nnz, sizeof *p.val);
    lcl_buffer *out_col = test_poisoned(ctx, A.nnz, sizeof *p.local);
    lcl_buffer *out_val = test_poisoned(ctx, A.nnz, sizeof *p.val);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "ghosts_order"), 3,
                                lcl_arg_long(A.rows), lcl_arg_int(shift),
                                lcl_arg_int(p.own), lcl_arg_int(p.first),
                                lcl_arg_int(p.lower), lcl_arg_buffer(ghost),
                                lcl_arg_buffer(row_ptr), lcl_arg_buffer(col),
                                lcl_arg_buffer(val), lcl_arg_buffer(out_col),
                                lcl_arg_buffer(out_val)),
                     LCL_OK);
    test_expect_words("column", out_col, A.col_ind, A.nnz);
    test_download(out_val, got, A.nnz, sizeof *got);
    test_expect_same("value", got, A.val, A.nnz);
    lcl_buffer *const all[] = {row_ptr, ghost, col, val, out_col, out_val};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        lcl_buffer *buffer = all[k];
        lcl_buffer_destroy(&buffer);
    }
    free(got);
    part_close(&p);
}

static void test_ghosts__come_in_order(void **state)
{
    const int32_t n = (int32_t)test_size(60, 3001);
    expect_order(*state, test_identity(1), 0, 1, 0);
    expect_order(*state, test_random_csr(n, 5, 3), 0, n, 2);
    expect_order(*state, test_random_csr(n, 5, 3), n / 3, n / 2, 0);
    expect_order(*state, test_random_csr(n, 9, 3), n / 3, n / 2, 2);
    expect_order(*state, test_random_csr(n, 9, 5), n - 2, 2, 1);
    expect_order(*state, test_dense_row(n, 3), n / 2, n / 4, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ghosts__are_widened_in_any_order),
        cmocka_unit_test(test_ghosts__are_narrowed_to_their_places),
        cmocka_unit_test(test_ghosts__couplings_stay_inside_a_rank),
        cmocka_unit_test(test_ghosts__aggregates_are_packed),
        cmocka_unit_test(test_ghosts__are_found_and_renumbered),
        cmocka_unit_test(test_ghosts__come_in_order),
    };
    return test_device_run(tests);
}
