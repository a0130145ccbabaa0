// SPDX-License-Identifier: BSD-3-Clause
// <levelcl/ranks.h> as an application uses it: agreement, gathers, rows, and
// wrong arguments, after which the ranks go on.
// usage: mpirun -n RANKS PROGRAM. Each rank ends with 0 if all is right.
#include "tests/mpi/check.h"
#include "tests/support/capture.h"

#include <levelcl/levelcl.h>

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 30, COLUMNS = 3, MANY = (1 << 20) + 5 };

static struct test_capture capture;
static int rank, size;

#define CHECK(condition) CHECK_ON(rank, capture.last, condition)

// ------------------------------------------------------------------- no ranks

static bool check_null(void)
{
    struct lcl_ranks_failure failure = {.code = 7};
    const struct lcl_ranks_rows rows = {.columns = 1};
    struct lcl_rows A = LCL_ROWS_INIT;
    lcl_operator *op = NULL;
    lcl_ranks *none = NULL;
    double x = 1;
    CHECK(lcl_ranks_create(NULL, NULL, &capture.log) == LCL_EINVAL);
    CHECK(lcl_ranks_agree(NULL, LCL_OK, &failure) == LCL_EINVAL);
    CHECK(lcl_ranks_gather(NULL, &x, sizeof x, &x) == LCL_EINVAL);
    CHECK(lcl_ranks_scatter_rows(NULL, &rows, &x, &x) == LCL_EINVAL);
    CHECK(lcl_ranks_gather_rows(NULL, &rows, &x, &x) == LCL_EINVAL);
    CHECK(lcl_ranks_read_rows(&A, NULL, "A.mtx", 1, NULL) == LCL_EINVAL);
    CHECK(lcl_operator_create_ranks(&op, NULL, NULL, &A, NULL) == LCL_EINVAL);
    CHECK(lcl_operator_create_kron_ranks(&op, NULL, NULL, NULL, NULL) ==
          LCL_EINVAL);
    CHECK(lcl_ranks_rank(NULL) == 0 && lcl_ranks_count(NULL) == 1 &&
          lcl_ranks_local(NULL) == 0);
    lcl_ranks_set_timeout(NULL, 1);
    lcl_ranks_destroy(NULL);
    lcl_ranks_destroy(&none);
    return true;
}

static bool refuses(MPI_Comm mpi, const char *message)
{
    lcl_ranks *R;
    CHECK(lcl_ranks_create(&R, &mpi, &capture.log) == LCL_EINVAL);
    CHECK(!R && strstr(capture.last, message));
    return true;
}

// ------------------------------------------------------------------- agreement

static bool agrees(lcl_ranks *R, enum lcl_status own, const char *text,
                   enum lcl_status expected, int from, const char *sentence)
{
    struct lcl_ranks_failure failure = {.code = 10 + rank};
    snprintf(failure.text, sizeof failure.text, "%s", text);
    CHECK(lcl_ranks_agree(R, own, &failure) == expected);
    CHECK(expected >= 0 || (failure.rank == from && failure.code == 10 + from &&
                            strcmp(failure.text, sentence) == 0));
    return true;
}

// A text without an end is cut.
static bool check_long_text(lcl_ranks *R)
{
    struct lcl_ranks_failure failure;
    memset(&failure, 'x', sizeof failure);
    CHECK(lcl_ranks_agree(R, LCL_EIO, &failure) == LCL_EIO);
    CHECK(failure.rank == 0 && strlen(failure.text) == LCL_RANKS_TEXT - 1);
    return true;
}

static bool check_agreement(lcl_ranks *R)
{
    const int last = size - 1;
    const bool is_last = rank == last;
    CHECK(agrees(R, LCL_OK, "no error", LCL_OK, -1, ""));
    CHECK(
        agrees(R, is_last ? LCL_BREAKDOWN : LCL_OK, "", LCL_BREAKDOWN, -1, ""));
    CHECK(agrees(R, is_last ? LCL_EIO : LCL_OK, is_last ? "a disk" : "no error",
                 LCL_EIO, last, "a disk"));
    CHECK(agrees(R, LCL_ENOMEM, "", LCL_ENOMEM, 0, lcl_status_str(LCL_ENOMEM)));
    CHECK(agrees(R, is_last ? LCL_EFORMAT : LCL_EDEVICE,
                 is_last ? "a file" : "", LCL_EFORMAT, last, "a file"));
    CHECK(
        agrees(R, LCL_EIO, rank == 0 ? "first" : "later", LCL_EIO, 0, "first"));
    struct lcl_ranks_failure failure = {.code = 1};
    CHECK(lcl_ranks_agree(R, LCL_OK, is_last ? NULL : &failure) == LCL_EINVAL);
    CHECK(is_last || failure.rank == last);
    return check_long_text(R);
}

// ------------------------------------------------------------------- bytes

static bool gathers(lcl_ranks *R, size_t bytes)
{
    unsigned char *all = malloc((size_t)size * bytes + 1);
    CHECK(all);
    all[(size_t)size * bytes] = 77;
    if (bytes > 0)
        memset(all + (size_t)rank * bytes, rank + 1, bytes);
    CHECK(lcl_ranks_gather(R, all + (size_t)rank * bytes, bytes, all) ==
          LCL_OK);
    for (size_t k = 0; k < (size_t)size * bytes; ++k)
        CHECK(all[k] == k / bytes + 1);
    CHECK(all[(size_t)size * bytes] == 77);
    free(all);
    return true;
}

static bool check_gather(lcl_ranks *R)
{
    static const size_t sizes[] = {0, 1, 8, 56, 57, 5000};
    char own[16] = "", all[16 * 8];
    const bool is_last = rank == size - 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        CHECK(gathers(R, sizes[k]));
    CHECK(lcl_ranks_gather(R, is_last ? NULL : own, 8, all) == LCL_EINVAL);
    CHECK(lcl_ranks_gather(R, own, 8, is_last ? NULL : all) == LCL_EINVAL);
    CHECK(size == 1 ||
          lcl_ranks_gather(R, own, is_last ? 16 : 8, all) == LCL_EINVAL);
    CHECK(lcl_ranks_gather(R, own, SIZE_MAX, all) == LCL_ERANGE);
    return gathers(R, 8);
}

// ------------------------------------------------------------------- rows

// Entry i of column j of the whole vectors.
static double entry(int64_t i, int j)
{
    return (double)(i + 1) * 0.5 + j * 1e7;
}

static bool moves(lcl_ranks *R, const struct lcl_ranks_rows *s)
{
    const size_t all = (size_t)s->total * COLUMNS;
    const size_t own = (size_t)s->rows * COLUMNS;
    double *whole = rank == 0 ? calloc(all + 1, sizeof *whole) : NULL;
    double *part = calloc(own + 1, sizeof *part);
    CHECK(part && (rank > 0 || whole));
    for (size_t k = 0; whole && k < all; ++k)
        whole[k] = entry((int64_t)k % s->total, (int)((int64_t)k / s->total));
    CHECK(lcl_ranks_scatter_rows(R, s, whole, part) == LCL_OK);
    for (size_t k = 0; k < own; ++k)
        CHECK(part[k] == entry(s->first + (int64_t)k % s->rows,
                               (int)((int64_t)k / s->rows)));
    for (size_t k = 0; whole && k < all; ++k)
        whole[k] = -1;
    CHECK(lcl_ranks_gather_rows(R, s, part, whole) == LCL_OK);
    for (size_t k = 0; whole && k < all; ++k)
        CHECK(whole[k] ==
              entry((int64_t)k % s->total, (int)((int64_t)k / s->total)));
    CHECK(part[own] == 0 && (!whole || whole[all] == 0));
    free(part);
    free(whole);
    return true;
}

// On all ranks, though only the last one is wrong.
static bool refuses_rows(lcl_ranks *R, struct lcl_ranks_rows wrong,
                         const char *message)
{
    const struct lcl_ranks_rows right = {.total = 4, .columns = 1};
    double whole[4] = {0}, part[4] = {0};
    const struct lcl_ranks_rows *s = rank == size - 1 ? &wrong : &right;
    CHECK(lcl_ranks_scatter_rows(R, s, whole, part) == LCL_EINVAL);
    CHECK(strstr(capture.last, message));
    CHECK(lcl_ranks_gather_rows(R, s, part, whole) == LCL_EINVAL);
    return true;
}

static bool check_hostile_rows(lcl_ranks *R)
{
    static const struct lcl_ranks_rows wrong[] = {
        {.first = -1, .rows = 1, .total = 4, .columns = 1},
        {.first = 0, .rows = -1, .total = 4, .columns = 1},
        {.first = 0, .rows = 0, .total = -4, .columns = 1},
        {.first = 0, .rows = 1, .total = 4, .columns = -1},
        {.first = 0, .rows = 5, .total = 4, .columns = 1},
        {.first = 4, .rows = 1, .total = 4, .columns = 1},
        {.first = INT64_MAX, .rows = INT64_MAX, .total = 4, .columns = 1},
        {.first = 0, .rows = 0, .total = INT64_MAX, .columns = 1},
        {.first = 0, .rows = 0, .total = INT64_MAX / 16, .columns = INT_MAX},
        {.first = INT64_MIN, .rows = INT64_MIN, .total = INT64_MIN},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
        CHECK(refuses_rows(R, wrong[k], " rows from row "));
    const struct lcl_ranks_rows longer = {.total = 5, .columns = 1},
                                wider = {.total = 4, .columns = 2};
    CHECK(size == 1 || refuses_rows(R, longer, "vectors of 5 rows, rank 0"));
    CHECK(size == 1 || refuses_rows(R, wider, "rows of 2 vectors"));
    return true;
}

static bool check_null_rows(lcl_ranks *R)
{
    const struct lcl_ranks_rows s = {.rows = 1, .total = 1, .columns = 1};
    const bool is_last = rank == size - 1;
    double whole[1] = {3}, part[1] = {3};
    CHECK(lcl_ranks_scatter_rows(R, is_last ? NULL : &s, whole, part) ==
          LCL_EINVAL);
    CHECK(lcl_ranks_scatter_rows(R, &s, whole, is_last ? NULL : part) ==
          LCL_EINVAL);
    CHECK(lcl_ranks_scatter_rows(R, &s, rank == 0 ? NULL : whole, part) ==
          LCL_EINVAL);
    CHECK(lcl_ranks_gather_rows(R, &s, part, rank == 0 ? NULL : whole) ==
          LCL_EINVAL);
    CHECK(strstr(capture.last, "rank 0: an argument is NULL"));
    return true;
}

static bool check_rows(lcl_ranks *R)
{
    static const int64_t totals[] = {0, 1, 3, 1000, MANY};
    for (size_t k = 0; k < sizeof totals / sizeof *totals; ++k) {
        struct lcl_ranks_rows s = {.total = totals[k], .columns = COLUMNS};
        lcl_rows_share(s.total, 1, rank, size, &s.first, &s.rows);
        CHECK(moves(R, &s));
    }
    // all rows on the last rank
    struct lcl_ranks_rows s = {.total = 1000, .columns = COLUMNS};
    s.rows = rank == size - 1 ? s.total : 0;
    CHECK(moves(R, &s));
    return check_hostile_rows(R) && check_null_rows(R) && moves(R, &s);
}

// ------------------------------------------------------------------- files

// An error of the file leaves the ranks in order.
static bool check_files(lcl_ranks *R)
{
    struct lcl_rows A;
    CHECK(lcl_ranks_read_rows(&A, R, "no such file", 1, &capture.log) ==
          LCL_EIO);
    CHECK(lcl_ranks_read_rows(&A, R, NULL, 1, &capture.log) == LCL_EINVAL);
    CHECK(lcl_ranks_read_rows(NULL, R, "A.mtx", 1, &capture.log) == LCL_EINVAL);
    return agrees(R, LCL_OK, "", LCL_OK, -1, "");
}

// ------------------------------------------------------------------- life

static bool check_all(lcl_ranks *R)
{
    rank = lcl_ranks_rank(R);
    size = lcl_ranks_count(R);
    CHECK(rank >= 0 && rank < size);
    CHECK(lcl_ranks_local(R) == rank); // one host
    lcl_ranks_set_timeout(R, -1);
    lcl_ranks_set_timeout(R, SECONDS);
    return check_agreement(R) && check_gather(R) && check_rows(R) &&
           check_files(R);
}

static bool check_own_communicator(void)
{
    const MPI_Comm self = MPI_COMM_SELF;
    lcl_ranks *R;
    CHECK(lcl_ranks_create(&R, &self, &capture.log) == LCL_OK);
    CHECK(lcl_ranks_count(R) == 1 && lcl_ranks_rank(R) == 0);
    const int ranks = size, own = rank;
    CHECK(check_all(R));
    size = ranks;
    rank = own;
    lcl_ranks_destroy(&R);
    CHECK(!R);
    return true;
}

int main(void)
{
    lcl_ranks *R = NULL;
    int running = 0, ended = 0;
    alarm(SECONDS);
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_ranks_abort(NULL, 1); // MPI is not running
    bool is_right = check_null() &&
                    refuses(MPI_COMM_WORLD, "MPI is not running") &&
                    lcl_ranks_create(&R, NULL, &capture.log) == LCL_OK && R &&
                    MPI_Initialized(&running) == MPI_SUCCESS && running &&
                    refuses(MPI_COMM_NULL, "one group") && check_all(R) &&
                    check_own_communicator() && check_all(R);
    if (!is_right)
        lcl_ranks_abort(R, 1);
    lcl_ranks_destroy(&R);
    MPI_Finalized(&ended);
    return !(is_right && ended &&
             refuses(MPI_COMM_WORLD, "MPI is not running") &&
             lcl_ranks_create(&R, NULL, NULL) == LCL_EINVAL && !R);
}
