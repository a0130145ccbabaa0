// SPDX-License-Identifier: BSD-3-Clause
// Which device has which rows, and operators on several devices.
#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/operator/kron_pairs.h"
#include "lib/operator/kron_team.h"
#include "lib/partition/partition.h"

#include <inttypes.h>
#include <string.h>

// ------------------------------------------------------------------- cuts

// Rows cost as much as a few entries: their share of vectors.
enum { ROW_COST = 4 };

static int64_t cost_before(const struct lcl_csr *A, int64_t row)
{
    return A->row_ptr[row] + ROW_COST * row;
}

// The first row, a multiple of `block`, before which there is at least `cost`.
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

// At least one block for each rank.
static void cut(int64_t *first, const struct lcl_csr *A, int size, int block)
{
    const double each = (double)cost_before(A, A->rows) / size;
    first[0] = 0;
    for (int r = 1; r < size; ++r) {
        const int64_t least = first[r - 1] + block;
        const int64_t most = A->rows - (int64_t)(size - r) * block;
        const int64_t at = row_at(A, block, (int64_t)(each * r));
        first[r] = at < least ? least : at > most ? most : at;
    }
    first[size] = A->rows;
}

// The entries of other ranks that the ranks need: pairs of a rank and a column.
// -1: out of memory.
static int64_t count_ghosts(const struct lcl_csr *A, const int64_t *first,
                            int size)
{
    int32_t *needed = lcl_malloc((size_t)A->cols, sizeof *needed);
    int64_t ghosts = 0;
    if (!needed)
        return -1;
    memset(needed, -1, (size_t)A->cols * sizeof *needed);
    for (int r = 0; r < size; ++r)
        for (int64_t k = A->row_ptr[first[r]]; k < A->row_ptr[first[r + 1]];
             ++k) {
            const int32_t j = A->col_ind[k];
            const bool own = j >= first[r] && j < first[r + 1];
            ghosts += !own && needed[j] != r;
            needed[j] = r;
        }
    lcl_free(needed);
    return ghosts;
}

// ------------------------------------------------------------------- METIS

// A numbering is good enough if at most one row in so many is a ghost.
enum { FEW_GHOSTS = 32 };

// Rows by label, in their order: row i is row perm[i].
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

// B is A in the order of METIS's parts if that leaves less than two thirds of
// the ghosts, otherwise empty.
static enum lcl_status try_metis(struct lcl_distribution *D, struct lcl_csr *B,
                                 const struct lcl_csr *A, int64_t ghosts,
                                 const struct lcl_log *log)
{
    enum lcl_status st;
    D->perm = lcl_malloc((size_t)A->rows, sizeof *D->perm);
    if (!D->perm)
        return lcl_fail_memory(log, "the rows of the devices");
    if ((st = order_by_metis(D->perm, A, D->size, log)) < 0 ||
        (st = lcl_csr_reorder(B, &D->map, A, D->perm, log)) < 0)
        return st;
    cut(D->first, B, D->size, 1);
    const int64_t fewer = count_ghosts(B, D->first, D->size);
    lcl_debug(log, "distribution: %" PRId64 " ghosts, %" PRId64 " by METIS",
              ghosts, fewer);
    if (fewer >= 0 && 3 * fewer < 2 * ghosts)
        return LCL_OK;
    lcl_csr_finish(B);
    lcl_free(D->perm);
    lcl_free(D->map);
    D->perm = NULL;
    D->map = NULL;
    cut(D->first, A, D->size, 1);
    return LCL_OK;
}

// Distributes the rows of A among `size` ranks; rows of a block stay together.
// Ranks have consecutive rows with about as many entries each: of A or, if
// block is 1 and D->perm is set, of B.
static enum lcl_status distribute(struct lcl_distribution *D, struct lcl_csr *B,
                                  const struct lcl_csr *A, int size, int block,
                                  const struct lcl_log *log)
{
    *D = (struct lcl_distribution){.size = size, .block = 1, .stages = 1};
    if (A->rows / block < size)
        return lcl_fail(log, LCL_EINVAL,
                        "%d devices for %" PRId64 " blocks of rows: expected "
                        "at most one device for each",
                        size, A->rows / block);
    D->first = lcl_malloc((size_t)size + 1, sizeof *D->first);
    if (!D->first)
        return lcl_fail_memory(log, "the rows of the devices");
    cut(D->first, A, size, block);
    const int64_t ghosts = size > 1 ? count_ghosts(A, D->first, size) : 0;
    if (block == 1 && ghosts > A->rows / FEW_GHOSTS)
        return try_metis(D, B, A, ghosts, log);
    return LCL_OK;
}

// ------------------------------------------------------------------- creation

static enum lcl_status check_contexts(lcl_context *const *ctx, int count,
                                      const char *function,
                                      const struct lcl_log *log)
{
    for (int r = 1; r < count; ++r)
        if (!ctx[r])
            return lcl_misuse(log, "%s: context %d is NULL", function, r);
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

static enum lcl_status check_square(const struct lcl_csr *A,
                                    const struct lcl_log *log)
{
    if (A->rows != A->cols)
        return lcl_fail(log, LCL_EFORMAT,
                        "the matrix is %" PRId64 " x %" PRId64
                        ": expected a square matrix for several devices",
                        A->rows, A->cols);
    return lcl_csr_check(A, log);
}

enum lcl_status lcl_operator_create_distributed(
    lcl_operator **out, lcl_context *const *contexts, int count,
    const struct lcl_csr *A, const struct lcl_operator_params *params)
{
    struct lcl_distribution D = {.size = 0};
    struct lcl_csr B = {0};
    enum lcl_status st = begin(out, contexts, count, A,
                               "lcl_operator_create_distributed", &params);
    if (st < 0)
        return st;
    const struct lcl_log *log = lcl_context_log(contexts[0]);
    if ((st = check_square(A, log)) < 0)
        return st;
    const int block =
        params->block_size ? params->block_size : lcl_csr_natural_block(A);
    lcl_task_enter(contexts[0], LCL_TASK_PARTITION);
    st = distribute(&D, &B, A, count, block, log);
    lcl_task_leave(contexts[0]);
    if (st == LCL_OK)
        st = lcl_team_operator_create(out, contexts, D.perm ? &B : A, &D,
                                      params);
    lcl_csr_finish(&B);
    lcl_distribution_finish(&D);
    return st;
}

// Distributes the block rows of K by the union of the patterns of M and L.
static enum lcl_status distribute_kron(struct lcl_distribution *D,
                                       const struct lcl_kron *K, int size,
                                       const struct lcl_log *log)
{
    struct lcl_bsr both;
    struct lcl_csr reordered = {0};
    enum lcl_status st =
        lcl_pairs_pattern(&both, K->M, K->L, lcl_pairs_count(K->M, K->L), log);
    if (st < 0)
        return st;
    const struct lcl_csr pattern = lcl_bsr_pattern(&both);
    st = distribute(D, &reordered, &pattern, size, 1, log);
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
    enum lcl_status st = begin(out, contexts, count, K,
                               "lcl_operator_create_kron_distributed", &params);
    if (st < 0)
        return st;
    const struct lcl_log *log = lcl_context_log(contexts[0]);
    if ((st = lcl_kron_check(K, log)) < 0)
        return st;
    lcl_task_enter(contexts[0], LCL_TASK_PARTITION);
    st = distribute_kron(&D, K, count, log);
    lcl_task_leave(contexts[0]);
    if (st == LCL_OK)
        st = lcl_kron_team_create(out, contexts, K, &D, params);
    lcl_distribution_finish(&D);
    return st;
}
