// SPDX-License-Identifier: BSD-3-Clause
// A symmetric positive definite matrix with rows of two lengths: two diagonal
// blocks, in each of which the rows form a ring and are coupled to their
// neighbours.
#include "lib/io/problems/problem.h"
#include "lib/io/problems/uniform.h"

#include "host/log.h"
#include "host/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

// `rows` rows starting at `first`, with `length` entries each, of which
// `before` is the first.
struct ring {
    int64_t first, rows, length, before;
};

// Number of neighbours on each side; for even lengths the row is also coupled
// to the opposite one.
static int64_t neighbours(const struct ring *R)
{
    return (R->length - 1) / 2;
}

// Column of entry k of row i, in ring order starting at the leftmost neighbour.
static int64_t column(const struct ring *R, int64_t i, int64_t k)
{
    const int64_t m = neighbours(R);
    return (i + (k <= 2 * m ? k - m + R->rows : R->rows / 2)) % R->rows;
}

// The value of (i, j) and (j, i), in [-1, 1).
static double coupling(int64_t i, int64_t j)
{
    const uint64_t low = (uint64_t)(i < j ? i : j);
    const uint64_t high = (uint64_t)(i < j ? j : i);
    uint64_t random = low * UINT64_C(0x9e3779b97f4a7c15) +
                      high * UINT64_C(0xc2b2ae3d27d4eb4f) + 1;
    lcl_uniform(&random);
    return 2 * lcl_uniform(&random) - 1;
}

// The diagonal exceeds the sum of the other entries by one.
static void fill_row(struct lcl_csr *A, const struct ring *R, int64_t i)
{
    const int64_t row = R->first + i, from = R->before + i * R->length;
    int64_t start = 0, diagonal = from;
    double sum = 1;
    for (int64_t k = 1; k < R->length; ++k)
        if (column(R, i, k) < column(R, i, k - 1))
            start = k;
    for (int64_t k = 0; k < R->length; ++k) {
        const int64_t j = column(R, i, (start + k) % R->length);
        A->col_ind[from + k] = (int32_t)(R->first + j);
        A->val[from + k] = coupling(row, R->first + j);
        if (j == i)
            diagonal = from + k;
        else
            sum += fabs(A->val[from + k]);
    }
    A->val[diagonal] = sum;
    A->row_ptr[row] = from;
}

struct filling {
    struct lcl_csr *A;
    const struct ring *ring;
    int64_t chunks;
};

static void fill_chunk(void *arg, int64_t chunk)
{
    const struct filling *F = arg;
    const int64_t rows = F->ring->rows;
    const int64_t end = lcl_chunk_start(rows, F->chunks, chunk + 1);
    for (int64_t i = lcl_chunk_start(rows, F->chunks, chunk); i < end; ++i)
        fill_row(F->A, F->ring, i);
}

static void fill_ring(struct lcl_csr *A, const struct ring *R)
{
    const int64_t chunks = lcl_chunks(R->rows * R->length);
    struct filling F = {A, R, chunks < R->rows ? chunks : R->rows};
    lcl_parallel(F.chunks, fill_chunk, &F);
}

// An odd number of rows cannot each have an odd number of neighbours.
static enum lcl_status check(const struct ring *R, const char *name,
                             const struct lcl_log *log)
{
    if (R->rows > INT32_MAX)
        return lcl_problem_fail_range(name, log);
    if (R->length > R->rows)
        return lcl_fail(log, LCL_EINVAL,
                        "problem '%s': %" PRId64 " rows cannot have %" PRId64
                        " entries each",
                        name, R->rows, R->length);
    if (R->length % 2 == 0 && R->rows % 2 != 0)
        return lcl_fail(
            log, LCL_EINVAL,
            "problem '%s': expected an even number of rows of %" PRId64
            " entries, found %" PRId64,
            name, R->length, R->rows);
    return LCL_OK;
}

enum lcl_status lcl_problem_rows(const struct lcl_problem_out *to,
                                 const char *name, const struct lcl_numbers *of,
                                 const struct lcl_log *log)
{
    struct ring ring[] = {{0, of->whole[0], of->whole[1], 0},
                          {of->whole[0], of->whole[2], of->whole[3], 0}};
    enum lcl_status st;
    if ((st = check(&ring[0], name, log)) < 0 ||
        (st = check(&ring[1], name, log)) < 0)
        return st;
    struct lcl_csr *A = to->A;
    const int64_t rows = ring[0].rows + ring[1].rows;
    if (rows > INT32_MAX)
        return lcl_problem_fail_range(name, log);
    ring[1].before = ring[0].rows * ring[0].length;
    const int64_t nnz = ring[1].before + ring[1].rows * ring[1].length;
    if ((st = lcl_problem_allocate(A, rows, nnz, log)) < 0)
        return st;
    A->row_ptr[rows] = nnz;
    fill_ring(A, &ring[0]);
    fill_ring(A, &ring[1]);
    return LCL_OK;
}
