// SPDX-License-Identifier: BSD-3-Clause
// Graph partitioning by METIS into parts of bounded size.
#include "lib/partition/balance.h"
#include "lib/partition/graph.h"
#include "lib/partition/order.h"
#include "lib/partition/partition.h"

#include "host/alloc.h"
#include "host/log.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

// While it runs, METIS 5.1 seeds and draws from rand() and traps SIGABRT and
// SIGTERM for the whole process. The lock allows one call at a time, so that
// threads get the same parts as a single thread, and signals are as before:
// METIS itself restores handlers without their flags. If other code draws from
// rand() meanwhile (NVIDIA's driver does while another thread creates a
// context, seen 2026-11), the parts differ but are equally good.
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

enum {
    SEED = 1,
    FILL = 98, // per cent of the limit to aim at: METIS never balances exactly
    IMBALANCE_MAX = 100, // per mill
    // Smaller parts are not requested from METIS: it fails, with text on
    // stdout, if a bisection leaves an empty side. Such parts are sliced
    // instead.
    ROWS_MIN = 16,
    // One k-way call into more parts is slower than two levels of calls: 8.9 s
    // instead of 5.3 s for 4224 parts of a 128^3 grid, cutting 1 % fewer edges.
    DIRECT_MAX = 256,
};

static idx_t parts_for(int64_t n, idx_t limit)
{
    if (n <= limit)
        return n > 0;
    const int64_t aim = (int64_t)limit * FILL / 100;
    return (idx_t)((n + aim - 1) / aim);
}

// Whether METIS's maximum memory is available: METIS writes to stderr if it is
// not. The maximum is 9 numbers per vertex and edge (4.7 to 9.0 seen for grids
// of 20^3 to 100^3 nodes and for a stiffness matrix, 8 to 200 parts).
static bool has_memory(const struct lcl_graph *G)
{
    const size_t numbers = (size_t)G->n + (size_t)G->ptr[G->n];
    void *trial = lcl_malloc(numbers, 9 * sizeof(idx_t));
    const bool found = trial != NULL;
    lcl_free(trial);
    return found;
}

static enum lcl_status metis_status(int code, const struct lcl_log *log)
{
    if (code == METIS_OK)
        return LCL_OK;
    if (code == METIS_ERROR_MEMORY)
        return lcl_fail_memory(log, "METIS");
    return lcl_fail(log, LCL_EINVAL, "METIS failed with code %d", code);
}

// State of the process that METIS changes.
struct handlers {
    struct sigaction on_abort, on_term;
};

static void enter_metis(struct handlers *H)
{
    pthread_mutex_lock(&metis_lock);
    sigaction(SIGABRT, NULL, &H->on_abort);
    sigaction(SIGTERM, NULL, &H->on_term);
}

static void leave_metis(const struct handlers *H)
{
    sigaction(SIGABRT, &H->on_abort, NULL);
    sigaction(SIGTERM, &H->on_term, NULL);
    pthread_mutex_unlock(&metis_lock);
}

static int part_graph(const struct lcl_graph *G, idx_t parts, idx_t *options,
                      idx_t *label)
{
    struct handlers H;
    idx_t n = G->n, constraints = 1, cut;
    enter_metis(&H);
    const int code = METIS_PartGraphKway(&n, &constraints, G->ptr, G->adj, NULL,
                                         NULL, G->weight, &parts, NULL, NULL,
                                         options, &cut, label);
    leave_metis(&H);
    return code;
}

// Nested dissection: computes a permutation and its inverse.
static int node_nd(const struct lcl_graph *G, idx_t *perm, idx_t *inverse)
{
    struct handlers H;
    idx_t n = G->n, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    enter_metis(&H);
    const int code =
        METIS_NodeND(&n, G->ptr, G->adj, NULL, options, perm, inverse);
    leave_metis(&H);
    return code;
}

// Cuts consecutive vertices, for graphs whose strong weights make METIS leave
// one side of a bisection empty.
static void cut_in_order(idx_t *label, idx_t n, idx_t parts,
                         const struct lcl_log *log)
{
    lcl_debug(log,
              "METIS failed: %lld rows are cut into %lld parts in their order",
              (long long)n, (long long)parts);
    for (idx_t i = 0; i < n; ++i)
        label[i] = (idx_t)((int64_t)i * parts / n);
}

// One k-way call. Parts may be as uneven as `limit` allows, within reason: a
// few tiny ones would leave a device idle. k = 1 would divide by zero inside
// METIS 5.1.
static enum lcl_status call_metis(idx_t *label, const struct lcl_graph *G,
                                  idx_t parts, idx_t limit,
                                  const struct lcl_log *log)
{
    if (parts <= 1) {
        memset(label, 0, (size_t)G->n * sizeof *label);
        return LCL_OK;
    }
    if (!has_memory(G))
        return lcl_fail_memory(log, "METIS");
    const int64_t slack = (int64_t)parts * limit - G->n;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    const int64_t imbalance = slack * 1000 / G->n; // per mill
    options[METIS_OPTION_UFACTOR] =
        (idx_t)(imbalance < IMBALANCE_MAX ? imbalance : IMBALANCE_MAX);
    const int code = part_graph(G, parts, options, label);
    if (code != METIS_ERROR)
        return metis_status(code, log);
    cut_in_order(label, G->n, parts, log);
    return LCL_OK;
}

// The second level: splits every coarse part separately.
struct refinement {
    const struct lcl_graph *G;
    idx_t *label;
    idx_t *position; // G->n, scratch of lcl_graph_extract()
    idx_t *fine;     // G->n, labels inside one coarse part
    idx_t limit;
    idx_t parts; // so far
    const struct lcl_log *log;
};

static enum lcl_status split_part(struct refinement *R, const idx_t *member,
                                  idx_t count)
{
    struct lcl_graph S;
    enum lcl_status st =
        lcl_graph_extract(&S, R->G, member, count, R->position, R->log);
    if (st < 0)
        return st;
    const idx_t parts = parts_for(count, R->limit);
    st = call_metis(R->fine, &S, parts, R->limit, R->log);
    lcl_graph_finish(&S);
    if (st < 0)
        return st;
    for (idx_t m = 0; m < count; ++m)
        R->label[member[m]] = R->parts + R->fine[m];
    R->parts += parts;
    return LCL_OK;
}

static enum lcl_status split_parts(struct refinement *R, idx_t coarse)
{
    const size_t n = (size_t)R->G->n;
    struct lcl_groups groups = {0};
    enum lcl_status st = LCL_OK;
    R->position = lcl_malloc(n, sizeof *R->position);
    R->fine = lcl_malloc(n, sizeof *R->fine);
    if (!R->position || !R->fine) {
        st = lcl_fail_memory(R->log, "the subdomains");
        goto out;
    }
    memset(R->position, -1, n * sizeof *R->position);
    st = lcl_groups_create(&groups, R->label, R->G->n, coarse, R->log);
    for (idx_t c = 0; c < coarse && st == LCL_OK; ++c)
        st = split_part(R, groups.member + groups.start[c],
                        groups.start[c + 1] - groups.start[c]);
out:
    lcl_groups_finish(&groups);
    lcl_free(R->fine);
    lcl_free(R->position);
    return st;
}

static idx_t square_root(idx_t k)
{
    idx_t root = 1;
    while ((int64_t)root * root < k)
        ++root;
    return root;
}

static enum lcl_status cut_graph(idx_t *label, idx_t *parts, idx_t limit,
                                 const struct lcl_graph *G,
                                 const struct lcl_log *log)
{
    *parts = parts_for(G->n, limit);
    if (*parts <= DIRECT_MAX)
        return call_metis(label, G, *parts, limit, log);
    const idx_t coarse = square_root(*parts);
    const idx_t coarse_limit = (idx_t)((int64_t)G->n * 103 / 100 / coarse);
    enum lcl_status st = call_metis(label, G, coarse, coarse_limit, log);
    if (st < 0)
        return st;
    struct refinement R = {.G = G, .label = label, .limit = limit, .log = log};
    st = split_parts(&R, coarse);
    *parts = R.parts;
    return st;
}

// Slices every part, in natural order, into parts of at most `rows` vertices.
static enum lcl_status slice(idx_t *label, idx_t *parts, idx_t rows, idx_t n,
                             const struct lcl_log *log)
{
    struct lcl_groups groups;
    enum lcl_status st = lcl_groups_create(&groups, label, n, *parts, log);
    if (st < 0)
        return st;
    idx_t sliced = 0;
    for (idx_t p = 0; p < *parts; ++p) {
        const idx_t *member = groups.member + groups.start[p];
        const idx_t count = groups.start[p + 1] - groups.start[p];
        for (idx_t m = 0; m < count; ++m)
            label[member[m]] = sliced + m / rows;
        sliced += (count + rows - 1) / rows;
    }
    *parts = sliced;
    lcl_groups_finish(&groups);
    return LCL_OK;
}

static enum lcl_status partition_graph(idx_t *label, idx_t *parts, idx_t rows,
                                       const struct lcl_graph *G,
                                       const struct lcl_log *log)
{
    const idx_t limit =
        rows < ROWS_MIN ? (ROWS_MIN + rows - 1) / rows * rows : rows;
    enum lcl_status st;
    if ((st = cut_graph(label, parts, limit, G, log)) < 0 ||
        (st = lcl_partition_balance(label, *parts, limit, G, log)) < 0)
        return st;
    return limit > rows ? slice(label, parts, rows, G->n, log) : LCL_OK;
}

struct job {
    const struct lcl_csr *A;
    struct lcl_weighing W;
    idx_t rows;
    int32_t *label;
    int32_t parts; // so far
    const struct lcl_log *log;
};

static enum lcl_status partition_window(struct job *J, int64_t first,
                                        int64_t last)
{
    struct lcl_graph G = {0};
    idx_t parts = 0;
    idx_t *label = lcl_malloc((size_t)(last - first), sizeof *label);
    enum lcl_status st;
    if (!label) {
        st = lcl_fail_memory(J->log, "the subdomains");
        goto out;
    }
    if ((st = lcl_graph_create(&G, J->A, first, last, &J->W, J->log)) < 0 ||
        (st = partition_graph(label, &parts, J->rows, &G, J->log)) < 0)
        goto out;
    for (int64_t i = first; i < last; ++i)
        J->label[i] = J->parts + (int32_t)label[i - first];
    J->parts += (int32_t)parts;
out:
    lcl_graph_finish(&G);
    lcl_free(label);
    return st;
}

enum lcl_status lcl_partition_metis(int32_t *label, const struct lcl_csr *A,
                                    enum lcl_weights weights, int64_t rows,
                                    bool *weighted, const struct lcl_log *log)
{
    *weighted = false;
    struct job J = {.A = A, .rows = (idx_t)rows, .label = label, .log = log};
    enum lcl_status st = lcl_weighing_create(&J.W, A, weights, IDX_MAX, log);
    // A matrix whose graph METIS cannot index is cut into windows of
    // consecutive rows first.
    for (int64_t first = 0, last; first < A->rows && st == LCL_OK;
         first = last) {
        last = lcl_graph_window(A, first, IDX_MAX);
        st = partition_window(&J, first, last);
    }
    *weighted = J.W.root != NULL;
    lcl_weighing_finish(&J.W);
    return st;
}

enum lcl_status lcl_order_nested(int32_t *perm, const struct lcl_graph *G,
                                 const struct lcl_log *log)
{
    const size_t n = (size_t)G->n;
    idx_t *row = lcl_malloc(n, sizeof *row);
    idx_t *inverse = lcl_malloc(n, sizeof *inverse);
    enum lcl_status st = row && inverse && has_memory(G)
                             ? metis_status(node_nd(G, row, inverse), log)
                             : lcl_fail_memory(log, "an order of rows");
    for (size_t i = 0; i < n && st == LCL_OK; ++i)
        perm[i] = (int32_t)row[i];
    lcl_free(row);
    lcl_free(inverse);
    return st;
}
