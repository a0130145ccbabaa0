// SPDX-License-Identifier: BSD-3-Clause
// Halo plans compared with the definition, and malformed rows.
#include "lib/storage/own_entries.h"
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/plans.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- expected

static bool is_own(const struct lcl_rows *A, int64_t column)
{
    return column >= A->first && column < A->first + A->rows;
}

static bool is_boundary(const struct lcl_rows *A, int64_t i)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (!is_own(A, A->col[k]))
            return true;
    return false;
}

// The columns of other ranks, each once and in order.
static void expect_ghosts(const struct lcl_halo_plan *P,
                          const struct lcl_rows *A)
{
    bool *needed = calloc((size_t)A->total, sizeof *needed);
    int64_t at = 0;
    assert_non_null(needed);
    for (int64_t k = 0; k < A->row_ptr[A->rows]; ++k)
        needed[A->col[k]] = !is_own(A, A->col[k]);
    for (int64_t j = 0; j < A->total; ++j)
        if (needed[j]) {
            assert_true(at < P->ghosts);
            assert_int_equal(P->ghost[at++], j);
        }
    assert_int_equal(at, P->ghosts);
    free(needed);
}

// ------------------------------------------------------------------- own

// The entries in own columns.
struct own {
    int64_t nnz, *row_ptr, *entry; // entry k is the rank's entry[k]
};

static struct own own_init(const struct lcl_rows *A)
{
    const size_t nnz = (size_t)A->row_ptr[A->rows];
    struct own own = {
        .row_ptr = calloc((size_t)A->rows + 1, sizeof *own.row_ptr),
        .entry = calloc(nnz + 1, sizeof *own.entry),
    };
    assert_true(own.row_ptr && own.entry);
    for (int64_t i = 0; i < A->rows; ++i) {
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (is_own(A, A->col[k]))
                own.entry[own.nnz++] = k;
        own.row_ptr[i + 1] = own.nnz;
    }
    return own;
}

static void own_finish(struct own *own)
{
    free(own->row_ptr);
    free(own->entry);
}

enum { POISON = 0x5a };

// Whether fill() leaves `left` bytes alone behind `count` elements.
static void *fill(lcl_fill_fn *fn, const struct lcl_own_entries *E,
                  int64_t first, int64_t count, size_t size)
{
    const size_t bytes = (size_t)count * size, left = 16;
    unsigned char *to = malloc(bytes + left);
    assert_non_null(to);
    memset(to, POISON, bytes + left);
    fn((void *)E, first, count, to);
    for (size_t i = 0; i < left; ++i)
        assert_int_equal(to[bytes + i], POISON);
    return to;
}

static void expect_row_ptr(const struct lcl_own_entries *E,
                           const struct own *own, int64_t first, int64_t count)
{
    uint32_t *narrow =
        fill(lcl_fill_own_row_ptr, E, first, count, sizeof *narrow);
    int64_t *wide =
        fill(lcl_fill_own_wide_row_ptr, E, first, count, sizeof *wide);
    for (int64_t i = 0; i < count; ++i) {
        assert_int_equal(narrow[i], own->row_ptr[first + i]);
        assert_int_equal(wide[i], own->row_ptr[first + i]);
    }
    free(wide);
    free(narrow);
}

// Columns, and values that are the entries' numbers.
static void expect_entries(const struct lcl_own_entries *E,
                           const struct own *own, const struct lcl_rows *A,
                           int64_t first, int64_t count)
{
    const struct lcl_own_entries of_values = {E->plan, {.val = E->rows.val}};
    int32_t *col = fill(lcl_fill_own_columns, E, first, count, sizeof *col);
    double *val =
        fill(lcl_fill_own_values, &of_values, first, count, sizeof *val);
    for (int64_t k = 0; k < count; ++k) {
        const int64_t entry = own->entry[first + k];
        assert_int_equal(col[k], A->col[entry] - A->first);
        assert_true(val[k] == (double)(entry + 1));
    }
    free(val);
    free(col);
}

// In pieces of all sizes, which start anywhere.
static void expect_pieces(const struct lcl_own_entries *E,
                          const struct own *own, const struct lcl_rows *A)
{
    for (int64_t count = 1; count <= A->rows + 1; count += 1 + count / 2)
        for (int64_t first = 0; first + count <= A->rows + 1; ++first)
            expect_row_ptr(E, own, first, count);
    for (int64_t count = 1; count <= own->nnz; count += 1 + count / 2)
        for (int64_t first = 0; first + count <= own->nnz; ++first)
            expect_entries(E, own, A, first, count);
}

static void expect_own(const struct lcl_halo_plan *P, const struct lcl_rows *A)
{
    const int64_t nnz = A->row_ptr[A->rows];
    double *val = calloc((size_t)nnz + 1, sizeof *val);
    int32_t *narrow = calloc((size_t)nnz + 1, sizeof *narrow);
    struct own own = own_init(A);
    assert_true(val && narrow);
    for (int64_t k = 0; k < nnz; ++k) {
        val[k] = (double)(k + 1);
        narrow[k] = (int32_t)A->col[k];
    }
    struct lcl_own_entries E = {P, lcl_view_of_rows(A, 1)};
    E.rows.val = val;
    assert_int_equal(P->nnz, nnz);
    assert_int_equal(P->own, own.nnz);
    expect_pieces(&E, &own, A);
    E.rows.wide = NULL;
    E.rows.narrow = narrow;
    expect_pieces(&E, &own, A);
    own_finish(&own);
    free(narrow);
    free(val);
}

// ------------------------------------------------------------------- boundary

// Row of the whole matrix that column j of the plan stands for.
static int64_t row_of_column(const struct lcl_halo_plan *P, int32_t j)
{
    assert_in_range(j, 0, P->rows + P->ghosts - 1);
    return j < P->rows ? P->first + j : P->ghost[j - P->rows];
}

static void expect_boundary(const struct lcl_halo_plan *P,
                            const struct lcl_rows *A)
{
    int64_t r = 0, at = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        if (!is_boundary(A, i))
            continue;
        assert_true(r < P->boundary);
        assert_int_equal(P->row[r], i);
        assert_int_equal(P->ptr[r], at);
        assert_int_equal(P->start[r++], A->row_ptr[i]);
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            assert_int_equal(row_of_column(P, P->col[at++]), A->col[k]);
    }
    assert_int_equal(r, P->boundary);
    assert_int_equal(P->ptr[r], at);
    assert_int_equal(P->entries, at);
}

// The ghosts by owner, without gaps; each owner has this rank among its own
// peers, and sends the same rows in the same order.
static void expect_peers(const struct test_plans *T, int rank)
{
    const struct lcl_halo_plan *P = &T->plan[rank];
    int64_t at = 0;
    for (int k = 0; k < P->froms; ++k) {
        const struct lcl_halo_peer *from = &P->from[k];
        const struct lcl_halo_plan *S = &T->plan[from->rank];
        int q = 0;
        assert_true(k == 0 || from->rank > P->from[k - 1].rank);
        assert_true(from->count > 0);
        assert_int_equal(from->start, at);
        while (q < S->tos && S->to[q].rank != rank)
            ++q;
        assert_true(q < S->tos);
        assert_int_equal(S->to[q].count, from->count);
        for (int64_t t = 0; t < from->count; ++t)
            assert_int_equal(S->first + S->send[S->to[q].start + t],
                             P->ghost[at++]);
    }
    assert_int_equal(at, P->ghosts);
}

static void expect_sends(const struct test_plans *T)
{
    int tos = 0, froms = 0;
    int64_t sends = 0, ghosts = 0;
    for (int r = 0; r < T->size; ++r) {
        const struct lcl_halo_plan *P = &T->plan[r];
        int64_t at = 0;
        for (int k = 0; k < P->tos; at += P->to[k++].count)
            assert_int_equal(P->to[k].start, at);
        assert_int_equal(at, P->sends);
        tos += P->tos;
        froms += P->froms;
        sends += P->sends;
        ghosts += P->ghosts;
    }
    assert_int_equal(tos, froms);
    assert_int_equal(sends, ghosts);
}

static void expect_values(int size, const struct lcl_csr *A,
                          const int64_t *from, int values)
{
    struct test_plans T;
    test_plans_open(&T, size, A, from, NULL);
    T.values = values;
    for (int r = 0; r < size && values == 0; ++r)
        T.given[r].val = NULL;
    assert_int_equal(test_plans_make(&T), LCL_OK);
    for (int r = 0; r < size; ++r) {
        const struct lcl_rows *rows = &T.rows[r];
        assert_int_equal(T.plan[r].rows, rows->rows);
        assert_int_equal(T.plan[r].total, A->rows);
        assert_int_equal(T.plan[r].first, rows->first);
        expect_ghosts(&T.plan[r], rows);
        expect_own(&T.plan[r], rows);
        expect_boundary(&T.plan[r], rows);
        expect_peers(&T, r);
    }
    expect_sends(&T);
    test_plans_close(&T);
}

// Of a matrix and of its pattern.
static void expect_plans(int size, const struct lcl_csr *A, const int64_t *from)
{
    expect_values(size, A, from, 1);
    expect_values(size, A, from, 0);
}

// On all numbers of ranks. Frees A.
static void expect_all(struct lcl_csr A)
{
    for (int size = 1; size <= TEST_RANKS; ++size)
        expect_plans(size, &A, NULL);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- carry

// Numbers made of the row of the whole matrix: one of each row, or, with
// `lengths`, as many as length_of() says.
struct carried {
    struct test_plans *T;
    bool lengths;
    int64_t *own_ptr[TEST_RANKS], *ghost_ptr[TEST_RANKS];
    int64_t *own[TEST_RANKS], *ghost[TEST_RANKS];
};

static int64_t length_of(int64_t row)
{
    return row % 3;
}

static int64_t number_of(int64_t row, int64_t k)
{
    return 5 * row + k;
}

static enum lcl_status carry(void *arg, int r)
{
    const struct carried *c = arg;
    const struct lcl_halo_plan *P = &c->T->plan[r];
    struct lcl_comm *comm = lcl_team_comm(c->T->team, r);
    return c->lengths ? lcl_halo_plan_carry_rows(P, comm, c->own_ptr[r],
                                                 c->own[r], sizeof **c->own,
                                                 c->ghost_ptr[r], c->ghost[r])
                      : lcl_halo_plan_carry(P, comm, c->own[r], sizeof **c->own,
                                            c->ghost[r]);
}

static int64_t *pointers(const struct carried *c, int64_t count,
                         const int64_t *rows, int64_t first)
{
    int64_t *ptr = calloc((size_t)count + 1, sizeof *ptr);
    assert_non_null(ptr);
    for (int64_t i = 0; i < count; ++i)
        ptr[i + 1] =
            ptr[i] + (c->lengths ? length_of(rows ? rows[i] : first + i) : 1);
    return ptr;
}

static void fill_own(struct carried *c, int r)
{
    const struct lcl_halo_plan *P = &c->T->plan[r];
    c->own_ptr[r] = pointers(c, P->rows, NULL, P->first);
    c->ghost_ptr[r] = pointers(c, P->ghosts, P->ghost, 0);
    c->own[r] = calloc((size_t)c->own_ptr[r][P->rows] + 1, sizeof **c->own);
    c->ghost[r] =
        calloc((size_t)c->ghost_ptr[r][P->ghosts] + 1, sizeof **c->ghost);
    assert_true(c->own[r] && c->ghost[r]);
    for (int64_t i = 0; i < P->rows; ++i)
        for (int64_t k = c->own_ptr[r][i]; k < c->own_ptr[r][i + 1]; ++k)
            c->own[r][k] = number_of(P->first + i, k - c->own_ptr[r][i]);
}

static void expect_ghost_numbers(const struct carried *c, int r)
{
    const struct lcl_halo_plan *P = &c->T->plan[r];
    const int64_t *ptr = c->ghost_ptr[r];
    for (int64_t g = 0; g < P->ghosts; ++g)
        for (int64_t k = ptr[g]; k < ptr[g + 1]; ++k)
            assert_int_equal(c->ghost[r][k],
                             number_of(P->ghost[g], k - ptr[g]));
}

static void expect_carried(int size, const struct lcl_csr *A, bool lengths)
{
    struct test_plans T;
    struct carried c = {.T = &T, .lengths = lengths};
    test_plans_open(&T, size, A, NULL, NULL);
    assert_int_equal(test_plans_make(&T), LCL_OK);
    for (int r = 0; r < size; ++r)
        fill_own(&c, r);
    for (int repeat = 0; repeat < 2; ++repeat)
        assert_int_equal(lcl_team_run(T.team, carry, &c), LCL_OK);
    for (int r = 0; r < size; ++r) {
        expect_ghost_numbers(&c, r);
        free(c.ghost[r]);
        free(c.own[r]);
        free(c.ghost_ptr[r]);
        free(c.own_ptr[r]);
    }
    test_plans_close(&T);
}

static void test_halo_plan__rows_carry_data_to_ghosts(void **state)
{
    struct lcl_csr A = test_random_csr(60, 3, 5), B = test_identity(8);
    (void)state;
    for (int size = 1; size <= TEST_RANKS; ++size)
        for (int lengths = 0; lengths < 2; ++lengths) {
            expect_carried(size, &A, lengths);
            expect_carried(size, &B, lengths);
        }
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- patterns

static void test_halo_plan__random_patterns(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        expect_all(test_random_csr(40, 0.3 * seed, seed));
        expect_all(test_stretched_csr(60, 60, seed));
    }
    expect_all(test_random_csr(TEST_RANKS, 2, 9));
}

// At least one row per rank, otherwise at random.
static void test_halo_plan__ranks_of_any_size(void **state)
{
    uint64_t random = 3;
    struct lcl_csr A = test_random_csr(50, 3, 4);
    (void)state;
    for (int repeat = 0; repeat < 20; ++repeat) {
        int64_t from[TEST_RANKS + 1] = {0};
        for (int r = 1; r < TEST_RANKS; ++r) {
            const double left =
                (double)(A.rows - (TEST_RANKS - r) - from[r - 1]);
            from[r] = from[r - 1] + 1 + (int64_t)(test_random(&random) * left);
        }
        from[TEST_RANKS] = A.rows;
        expect_plans(TEST_RANKS, &A, from);
    }
    test_csr_finish(&A);
}

static void test_halo_plan__one_rank_has_one_row(void **state)
{
    static const int64_t first[] = {0, 1, 40}, last[] = {0, 39, 40},
                         middle[] = {0, 20, 21, 40};
    struct lcl_csr A = test_random_csr(40, 4, 2);
    (void)state;
    expect_plans(2, &A, first);
    expect_plans(2, &A, last);
    expect_plans(3, &A, middle);
    test_csr_finish(&A);
}

static void test_halo_plan__ranks_without_neighbours(void **state)
{
    static const double far[] = {1, 0, 0, 2, 0, 1, 0, 0,
                                 0, 0, 1, 0, 0, 0, 0, 1};
    static const int64_t from[] = {0, 1, 3, 4};
    struct lcl_csr A = test_csr_from_dense(4, far);
    (void)state;
    expect_all(test_identity(11));
    expect_plans(3, &A, from);
    test_csr_finish(&A);
}

static void test_halo_plan__dense_rows_and_columns(void **state)
{
    const double column[] = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1,
                             0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1};
    const double full[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4,
                           5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
    (void)state;
    expect_all(test_dense_row(30, 17));
    expect_all(test_csr_from_dense(5, column));
    expect_all(test_csr_from_dense(5, full));
}

// ------------------------------------------------------------------- bad input

static void no_row_ptr(struct lcl_rows *A)
{
    A->row_ptr = NULL;
}

static void no_columns(struct lcl_rows *A)
{
    A->col = NULL;
}

static void no_values(struct lcl_rows *A)
{
    A->val = NULL;
}

static void starts_late(struct lcl_rows *A)
{
    A->row_ptr[0] = 1;
}

static void descends(struct lcl_rows *A)
{
    A->row_ptr[1] = A->row_ptr[2] + 1;
}

static void exceeds_the_arrays(struct lcl_rows *A)
{
    A->row_ptr[1] = (int64_t)1 << 40;
}

static void ends_below_zero(struct lcl_rows *A)
{
    A->row_ptr[A->rows] = -1;
}

static void negative_column(struct lcl_rows *A)
{
    A->col[0] = -1;
}

static void column_outside(struct lcl_rows *A)
{
    A->col[A->row_ptr[A->rows] - 1] = A->total;
}

static void repeated_column(struct lcl_rows *A)
{
    A->col[1] = A->col[0];
}

static void swapped_columns(struct lcl_rows *A)
{
    const int64_t before = A->col[0];
    A->col[0] = A->col[1];
    A->col[1] = before;
}

static void nan_value(struct lcl_rows *A)
{
    A->val[A->row_ptr[A->rows] - 1] = NAN;
}

static void infinite_value(struct lcl_rows *A)
{
    A->val[0] = -INFINITY;
}

static void gap(struct lcl_rows *A)
{
    ++A->first;
}

static void overlap(struct lcl_rows *A)
{
    --A->first;
}

static void far_away(struct lcl_rows *A)
{
    A->first = INT64_MAX;
}

static void larger_total(struct lcl_rows *A)
{
    ++A->total;
}

static void no_total(struct lcl_rows *A)
{
    A->total = INT64_MIN;
}

static void no_rows(struct lcl_rows *A)
{
    A->rows = 0;
}

static void too_few_rows(struct lcl_rows *A)
{
    --A->rows;
}

static void too_many_rows(struct lcl_rows *A)
{
    A->rows = A->total + 1;
}

static void endless_rows(struct lcl_rows *A)
{
    A->rows = INT64_MAX;
}

static void rows_beyond_32_bits(struct lcl_rows *A)
{
    A->rows = (int64_t)1 << 31;
    A->total = (int64_t)1 << 32;
}

static const struct {
    void (*spoil)(struct lcl_rows *A);
    enum lcl_status status;
    const char *message;
} bad[] = {
    {no_row_ptr, LCL_EINVAL, "lack an array"},
    {no_columns, LCL_EINVAL, "lack an array"},
    {no_values, LCL_EINVAL, "lack an array"},
    {starts_late, LCL_EFORMAT, "starts at entry 1, expected 0"},
    {descends, LCL_EFORMAT, "matrix: row "},
    {exceeds_the_arrays, LCL_EFORMAT, "ends at entry 1099511627776, expected "},
    {ends_below_zero, LCL_EFORMAT, "ends at entry"},
    {negative_column, LCL_EFORMAT, "column -1, expected 0 to "},
    {column_outside, LCL_EFORMAT, ", expected 0 to "},
    {repeated_column, LCL_EFORMAT, "expected ascending columns"},
    {swapped_columns, LCL_EFORMAT, "expected ascending columns"},
    {nan_value, LCL_EFORMAT, "expected a finite one"},
    {infinite_value, LCL_EFORMAT, "expected a finite one"},
    {gap, LCL_EFORMAT, "expected"},
    {overlap, LCL_EFORMAT, "expected"},
    {far_away, LCL_EFORMAT, "within the matrix"},
    {larger_total, LCL_EFORMAT, ""},
    {no_total, LCL_EFORMAT, "within the matrix"},
    {no_rows, LCL_EFORMAT, "expected at least one"},
    {too_few_rows, LCL_EFORMAT, ""},
    {too_many_rows, LCL_EFORMAT, "within the matrix"},
    {endless_rows, LCL_EFORMAT, "within the matrix"},
    {rows_beyond_32_bits, LCL_ERANGE, "rows on one rank: expected at most "},
};

// The same error on all ranks, explained by the one with the malformed rows.
static void expect_refused(int size, const struct lcl_csr *A, int rank,
                           size_t b)
{
    struct test_capture capture[TEST_RANKS];
    struct lcl_log log[TEST_RANKS];
    struct test_plans T;
    for (int r = 0; r < size; ++r) {
        test_capture_init(&capture[r], LCL_LOG_ERROR);
        log[r] = capture[r].log;
    }
    test_plans_open(&T, size, A, NULL, log);
    bad[b].spoil(&T.given[rank]);
    assert_int_equal(test_plans_make(&T), bad[b].status);
    for (int r = 0; r < size; ++r) {
        assert_int_equal(T.status[r], bad[b].status);
        assert_in_range(capture[r].messages, r == rank, 1);
    }
    test_capture_expect(&capture[rank], bad[b].message);
    test_plans_close(&T);
}

static void test_halo_plan__malformed_rows_of_one_rank_are_refused_on_all(
    void **state)
{
    struct lcl_csr A = test_random_csr(30, 4, 5);
    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b)
        for (int size = 1; size <= 4; ++size)
            for (int rank = 0; rank < size; ++rank)
                expect_refused(size, &A, rank, b);
    test_csr_finish(&A);
}

static void test_halo_plan__a_team_survives_malformed_rows(void **state)
{
    struct lcl_csr A = test_random_csr(30, 4, 5);
    struct test_plans T;
    (void)state;
    test_plans_open(&T, 3, &A, NULL, NULL);
    T.given[1].first = 0;
    assert_int_equal(test_plans_make(&T), LCL_EFORMAT);
    test_plans_drop(&T);
    T.given[1] = T.rows[1];
    assert_int_equal(test_plans_make(&T), LCL_OK);
    expect_sends(&T);
    test_plans_close(&T);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halo_plan__rows_carry_data_to_ghosts),
        cmocka_unit_test(test_halo_plan__random_patterns),
        cmocka_unit_test(test_halo_plan__ranks_of_any_size),
        cmocka_unit_test(test_halo_plan__one_rank_has_one_row),
        cmocka_unit_test(test_halo_plan__ranks_without_neighbours),
        cmocka_unit_test(test_halo_plan__dense_rows_and_columns),
        cmocka_unit_test(
            test_halo_plan__malformed_rows_of_one_rank_are_refused_on_all),
        cmocka_unit_test(test_halo_plan__a_team_survives_malformed_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
