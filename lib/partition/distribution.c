// SPDX-License-Identifier: BSD-3-Clause
// Distribution of rows among devices, and operators on several devices.
#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/parallel.h"
#include "host/runtime.h"
#include "lib/distributed/distributed.h"
#include "lib/kron/pairs.h"
#include "lib/kron/team.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/view.h"
#include "lib/partition/partition.h"
#include "lib/vector/segments.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

// ------------------------------------------------------------------- cuts

// A row costs as much as a few entries, for its share of vectors.
enum { ROW_COST = 4 };

static int64_t cost_before(const struct lcl_csr *A, int64_t row)
{
    return A->row_ptr[row] + ROW_COST * row;
}

// The first row, a multiple of `block`, such that the rows before it cost at
// least `cost`.
static int64_t row_at(const struct lcl_csr *A, int block, int64_t cost)
{
    int64_t low = 0, high = A->rows / block;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (cost_before(A, middle * block) < cost)
            low = middle + 1;
        else
            high = middle;
    }
    return low * block;
}

// Gives each rank a share of all work in proportion to its speed, and at least
// one block.
static void cut(int64_t *first, const struct lcl_csr *A, const double *speed,
                int size, int block)
{
    const double all = (double)cost_before(A, A->rows);
    double total = 0, before = 0;
    for (int r = 0; r < size; ++r)
        total += speed[r];
    first[0] = 0;
    for (int r = 1; r < size; ++r) {
        const int64_t least = first[r - 1] + block;
        const int64_t most = A->rows - (int64_t)(size - r) * block;
        before += speed[r - 1];
        const int64_t at = row_at(A, block, (int64_t)(all * before / total));
        first[r] = at < least ? least : at > most ? most : at;
    }
    first[size] = A->rows;
}

// ------------------------------------------------------------------- ghosts

// Sets of columns that each rank needs of other ranks, as bits.
struct needs {
    const struct lcl_csr *A;
    const int64_t *first;
    int64_t chunks, words;
    _Atomic(uint64_t) *bit; // words for each rank
    int64_t *count;         // by chunk
    atomic_bool outside;    // a column is outside of A
};

static bool is_new(struct needs *N, int rank, int64_t column)
{
    const uint64_t bit = UINT64_C(1) << (column % 64);
    _Atomic(uint64_t) *word = N->bit + rank * N->words + column / 64;
    return !(atomic_load(word) & bit) && !(atomic_fetch_or(word, bit) & bit);
}

static int64_t count_row(struct needs *N, int rank, int64_t row)
{
    const struct lcl_csr *A = N->A;
    const int64_t from = N->first[rank], end = N->first[rank + 1];
    int64_t count = 0;
    for (int64_t k = A->row_ptr[row]; k < A->row_ptr[row + 1]; ++k) {
        const int32_t j = A->col_ind[k];
        if (j < 0 || j >= A->cols)
            atomic_store(&N->outside, true);
        else
            count += (j < from || j >= end) && is_new(N, rank, j);
    }
    return count;
}

// Whether rows i to end-1 of a rank have entries in columns of other ranks.
static bool reach_others(const struct needs *N, int rank, int64_t i,
                         int64_t end)
{
    const int64_t first = N->first[rank], rows = N->first[rank + 1] - first;
    const struct lcl_view own = lcl_view_of_part(N->A, first, rows);
    return lcl_view_far(&own, i - first, end - first) > 0;
}

// Tests runs of rows first: most of them reach no other rank.
static void count_chunk(void *arg, int64_t chunk)
{
    enum { RUN = 1024 };
    struct needs *N = arg;
    const int64_t rows = N->A->rows;
    const int64_t end = lcl_chunk_start(rows, N->chunks, chunk + 1);
    int64_t next;
    int rank = 0;
    for (int64_t i = lcl_chunk_start(rows, N->chunks, chunk); i < end;
         i = next) {
        while (i >= N->first[rank + 1])
            ++rank;
        next = lcl_smaller(i + RUN, lcl_smaller(end, N->first[rank + 1]));
        if (reach_others(N, rank, i, next))
            for (int64_t row = i; row < next; ++row)
                N->count[chunk] += count_row(N, rank, row);
    }
}

// Counts the ghosts of all ranks: pairs of a rank and a column that it needs of
// another rank. Returns LCL_OK, LCL_EFORMAT (a column outside of A) or
// LCL_ENOMEM.
static enum lcl_status count_ghosts(int64_t *ghosts, const struct lcl_csr *A,
                                    const int64_t *first, int size,
                                    const struct lcl_log *log)
{
    struct needs N = {.A = A, .first = first};
    enum lcl_status st = LCL_OK;
    *ghosts = 0;
    N.chunks = lcl_chunks(A->rows);
    N.words = A->cols / 64 + 1;
    N.bit = lcl_calloc((size_t)(N.words * size), sizeof *N.bit);
    N.count = lcl_calloc((size_t)N.chunks, sizeof *N.count);
    if (N.bit && N.count)
        lcl_parallel(N.chunks, count_chunk, &N);
    else
        st = lcl_fail_memory(log, "the columns of other devices");
    for (int64_t c = 0; c < N.chunks && st == LCL_OK; ++c)
        *ghosts += N.count[c];
    lcl_free(N.count);
    lcl_free(N.bit);
    return st == LCL_OK && atomic_load(&N.outside) ? lcl_csr_check(A, log) : st;
}

// ------------------------------------------------------------------- METIS

// A numbering is good enough if at most one row in FEW_GHOSTS is a ghost, or if
// METIS is unlikely to save a third of the ghosts: parts that are cubes of a
// grid in three dimensions, half of whose faces border other parts, have (n /
// size)^(2/3) rows per face.
enum { FEW_GHOSTS = 32 };

static bool has_few_ghosts(int64_t ghosts, int64_t rows, int size)
{
    const double face = pow((double)rows / size, 2.0 / 3);
    return ghosts <= rows / FEW_GHOSTS || (double)ghosts <= 4.5 * size * face;
}

// Sorts the rows by label, stably: row i is row perm[i].
static enum lcl_status order_rows(int32_t *perm, const int32_t *label,
                                  int64_t n, const struct lcl_log *log)
{
    int32_t labels = 0;
    for (int64_t i = 0; i < n; ++i)
        labels = label[i] >= labels ? label[i] + 1 : labels;
    int64_t *at = lcl_calloc((size_t)labels + 1, sizeof *at);
    if (!at)
        return lcl_fail_memory(log, "the rows of the devices");
    for (int64_t i = 0; i < n; ++i)
        ++at[label[i] + 1];
    for (int32_t l = 0; l < labels; ++l)
        at[l + 1] += at[l];
    for (int64_t i = 0; i < n; ++i)
        perm[at[label[i]]++] = (int32_t)i;
    lcl_free(at);
    return LCL_OK;
}

static enum lcl_status order_by_metis(int32_t *perm, const struct lcl_csr *A,
                                      int size, const struct lcl_log *log)
{
    int32_t *label = lcl_malloc((size_t)A->rows, sizeof *label);
    bool weighted;
    if (!label)
        return lcl_fail_memory(log, "the rows of the devices");
    enum lcl_status st = lcl_partition_metis(
        label, A, LCL_WEIGHTS_OFF, (A->rows + size - 1) / size, &weighted, log);
    if (st == LCL_OK)
        st = order_rows(perm, label, A->rows, log);
    lcl_free(label);
    return st;
}

// B = A in the order of METIS's parts if this order leaves less than two thirds
// of the ghosts, otherwise B is empty. A pattern has been checked before.
static enum lcl_status try_metis(struct lcl_distribution *D, struct lcl_csr *B,
                                 const struct lcl_csr *A, const double *speed,
                                 int64_t ghosts, const struct lcl_log *log)
{
    int64_t fewer;
    enum lcl_status st = A->val ? lcl_csr_check(A, log) : LCL_OK;
    if (st < 0)
        return st;
    D->perm = lcl_malloc((size_t)A->rows, sizeof *D->perm);
    if (!D->perm)
        return lcl_fail_memory(log, "the rows of the devices");
    if ((st = order_by_metis(D->perm, A, D->size, log)) < 0 ||
        (st = lcl_csr_reorder(B, &D->map, A, D->perm, log)) < 0)
        return st;
    cut(D->first, B, speed, D->size, 1);
    if ((st = count_ghosts(&fewer, B, D->first, D->size, log)) < 0)
        return st;
    lcl_debug(log, "distribution: %" PRId64 " ghosts, %" PRId64 " by METIS",
              ghosts, fewer);
    if (3 * fewer < 2 * ghosts)
        return LCL_OK;
    lcl_csr_finish(B);
    lcl_free(D->perm);
    lcl_free(D->map);
    D->perm = NULL;
    D->map = NULL;
    cut(D->first, A, speed, D->size, 1);
    return LCL_OK;
}

// Cuts the rows at the ends of segments.
static void cut_segments(int64_t *first, int64_t rows, int size, int block)
{
    for (int r = 0; r <= size; ++r)
        first[r] = lcl_segments_cut(rows, block, r, size);
}

// Distributes the rows of A among `size` ranks; rows of a block stay together.
// Ranks have consecutive rows with about equal work: rows of A or, if block is
// 1 and D->perm is set, of B. Without speeds, all ranks have the same number of
// segments of A.
static enum lcl_status distribute(struct lcl_distribution *D, struct lcl_csr *B,
                                  const struct lcl_csr *A, const double *speed,
                                  int size, int block,
                                  const struct lcl_log *log)
{
    int64_t ghosts = 0;
    *D = (struct lcl_distribution){.size = size, .block = 1, .stages = 1};
    if (A->rows / block < size)
        return lcl_fail(log, LCL_EINVAL,
                        "%d devices for %" PRId64 " blocks of rows: expected "
                        "at most one device for each",
                        size, A->rows / block);
    D->first = lcl_malloc((size_t)size + 1, sizeof *D->first);
    if (!D->first)
        return lcl_fail_memory(log, "the rows of the devices");
    if (!speed) {
        cut_segments(D->first, A->rows, size, block);
        return LCL_OK;
    }
    cut(D->first, A, speed, size, block);
    const enum lcl_status st =
        size > 1 ? count_ghosts(&ghosts, A, D->first, size, log) : LCL_OK;
    if (st < 0)
        return st;
    if (block == 1 && !has_few_ghosts(ghosts, A->rows, size))
        return try_metis(D, B, A, speed, ghosts, log);
    return LCL_OK;
}

// ------------------------------------------------------------------- creation

static enum lcl_status check_contexts(lcl_context *const *ctx, int count,
                                      const char *function,
                                      const struct lcl_log *log)
{
    enum lcl_status st;
    for (int r = 1; r < count; ++r)
        if (!ctx[r])
            return lcl_misuse(log, "%s: context %d is NULL", function, r);
        else if ((st = lcl_context_expect_free(ctx[r], function)) < 0)
            return st;
    for (int r = 0; r < count; ++r)
        for (int s = 0; s < r; ++s)
            if (ctx[r] == ctx[s])
                return lcl_fail(log, LCL_EINVAL,
                                "devices %d and %d have the same context", s,
                                r);
    return LCL_OK;
}

// lcl_operator_begin() for several contexts.
static enum lcl_status begin(lcl_operator **out, lcl_context *const *contexts,
                             int count, const void *A, const char *function,
                             const struct lcl_operator_params **params)
{
    lcl_context *first = contexts && count > 0 ? contexts[0] : NULL;
    const enum lcl_status st =
        lcl_operator_begin(out, first, A, function, params);
    return st < 0 ? st
                  : check_contexts(contexts, count, function,
                                   lcl_context_log(first));
}

// ------------------------------------------------------------------- speeds

static bool are_alike(lcl_context *const *ctx, int count)
{
    const char *name = lcl_context_caps(ctx[0])->name;
    for (int r = 1; r < count; ++r)
        if (strcmp(lcl_context_caps(ctx[r])->name, name) != 0)
            return false;
    return true;
}

static enum lcl_status require_alike(lcl_context *const *ctx, int count)
{
    return are_alike(ctx, count)
               ? LCL_OK
               : lcl_fail(lcl_context_log(ctx[0]), LCL_EUNSUPPORTED,
                          "communication 'reproducible' is for devices of one "
                          "model");
}

// Relative speeds of devices: equal for devices of one model, otherwise their
// copy bandwidths, rounded to powers of the root of 2 so that runs are
// repeatable. The caller frees *speed.
static enum lcl_status find_speeds(double **speed, lcl_context *const *ctx,
                                   int count)
{
    const bool alike = are_alike(ctx, count);
    enum lcl_status st = LCL_OK;
    *speed = lcl_malloc((size_t)count, sizeof **speed);
    if (!*speed)
        return lcl_fail_memory(lcl_context_log(ctx[0]),
                               "the speeds of the devices");
    for (int r = 0; r < count && st == LCL_OK; ++r) {
        (*speed)[r] = 1;
        if (!alike)
            st = lcl_context_copy_bandwidth(ctx[r], &(*speed)[r]);
        (*speed)[r] = exp2(round(2 * log2((*speed)[r])) / 2);
    }
    return st;
}

// ------------------------------------------------------------------- operators

// Checks the sizes; the devices check the entries.
static enum lcl_status check_square(const struct lcl_csr *A,
                                    const struct lcl_log *log)
{
    if (A->rows != A->cols)
        return lcl_fail(log, LCL_EFORMAT,
                        "the matrix is %" PRId64 " x %" PRId64
                        ": expected a square matrix for several devices",
                        A->rows, A->cols);
    return lcl_csr_check_rows(A, log);
}

enum lcl_status lcl_operator_create_distributed(
    lcl_operator **out, lcl_context *const *contexts, int count,
    const struct lcl_csr *A, const struct lcl_operator_params *params)
{
    struct lcl_distribution D = {.size = 0};
    struct lcl_csr B = {0};
    double *speed = NULL;
    enum lcl_status st = begin(out, contexts, count, A,
                               "lcl_operator_create_distributed", &params);
    if (st < 0)
        return st;
    const struct lcl_log *log = lcl_context_log(contexts[0]);
    if ((st = check_square(A, log)) < 0)
        return st;
    const bool fixed = lcl_is_reproducible(params);
    struct lcl_operator_params own = *params;
    own.block_size = params->block_size   ? params->block_size
                     : count > 1 || fixed ? lcl_csr_natural_block(A)
                                          : 1;
    st = fixed ? require_alike(contexts, count)
               : find_speeds(&speed, contexts, count);
    if (st == LCL_OK) {
        lcl_task_enter(contexts[0], LCL_TASK_PARTITION);
        st = distribute(&D, &B, A, speed, count, own.block_size, log);
        lcl_task_leave(contexts[0]);
    }
    if (st == LCL_OK)
        st = lcl_team_operator_create(out, contexts, D.perm ? &B : A, &D,
                                      count > 1 || fixed ? &own : params);
    lcl_csr_finish(&B);
    lcl_distribution_finish(&D);
    lcl_free(speed);
    return st;
}

// Distributes the block rows of K by the union of the patterns of M and L.
static enum lcl_status distribute_kron(struct lcl_distribution *D,
                                       const struct lcl_kron *K,
                                       const double *speed, int size,
                                       const struct lcl_log *log)
{
    struct lcl_bsr both;
    struct lcl_csr reordered = {0};
    enum lcl_status st =
        lcl_pairs_pattern(&both, K->M, K->L, lcl_pairs_count(K->M, K->L), log);
    if (st < 0)
        return st;
    const struct lcl_csr pattern = lcl_bsr_pattern(&both);
    st = distribute(D, &reordered, &pattern, speed, size, 1, log);
    D->block = K->M->block_size;
    D->stages = K->stages;
    lcl_csr_finish(&reordered);
    lcl_bsr_finish(&both);
    return st;
}

enum lcl_status lcl_operator_create_kron_distributed(
    lcl_operator **out, lcl_context *const *contexts, int count,
    const struct lcl_kron *K, const struct lcl_operator_params *params)
{
    struct lcl_distribution D = {.size = 0};
    double *speed = NULL;
    enum lcl_status st = begin(out, contexts, count, K,
                               "lcl_operator_create_kron_distributed", &params);
    if (st < 0)
        return st;
    const struct lcl_log *log = lcl_context_log(contexts[0]);
    if ((st = lcl_kron_check(K, log)) < 0)
        return st;
    st = lcl_is_reproducible(params) ? require_alike(contexts, count)
                                     : find_speeds(&speed, contexts, count);
    if (st == LCL_OK) {
        lcl_task_enter(contexts[0], LCL_TASK_PARTITION);
        st = distribute_kron(&D, K, speed, count, log);
        lcl_task_leave(contexts[0]);
    }
    if (st == LCL_OK)
        st = lcl_kron_team_create(out, contexts, K, &D, params);
    lcl_distribution_finish(&D);
    lcl_free(speed);
    return st;
}
