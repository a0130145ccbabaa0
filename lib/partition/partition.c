// SPDX-License-Identifier: BSD-3-Clause
// Subdomains: labels by one of the methods, then the permutation they give.
#include "lib/partition/partition.h"

#include "host/alloc.h"
#include "host/log.h"

#include <inttypes.h>

struct request {
    const struct lcl_csr *A;
    struct lcl_partition_params params; // rows is the limit that holds
    bool weighted;
    const struct lcl_log *log;
};

// Fills label[0 .. n-1] with numbers below n.
typedef enum lcl_status method(int32_t *label, struct request *R);

static enum lcl_status by_metis(int32_t *label, struct request *R)
{
    return lcl_partition_metis(label, R->A, R->params.weights, R->params.rows,
                               &R->weighted, R->log);
}

static enum lcl_status by_geometry(int32_t *label, struct request *R)
{
    return lcl_partition_geometric(label, R->A, &R->params, R->log);
}

static enum lcl_status by_order(int32_t *label, struct request *R)
{
    return lcl_partition_natural(label, R->A, R->params.rows);
}

static enum lcl_status by_labels(int32_t *label, struct request *R)
{
    return lcl_partition_labels(label, R->A, &R->params, R->log);
}

static method *const methods[LCL_PARTITION_COUNT] = {
    [LCL_PARTITION_DEFAULT] = by_metis,      [LCL_PARTITION_METIS] = by_metis,
    [LCL_PARTITION_GEOMETRIC] = by_geometry, [LCL_PARTITION_NATURAL] = by_order,
    [LCL_PARTITION_LABELS] = by_labels,
};

static enum lcl_status check(const struct lcl_csr *A,
                             const struct lcl_partition_params *params,
                             int64_t max_rows, const struct lcl_log *log)
{
    if (!A || !params)
        return lcl_fail(log, LCL_EINVAL, "partition: an argument is NULL");
    if (A->rows != A->cols || A->rows < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "partition: the matrix is %" PRId64 " x %" PRId64
                        ", expected square and not empty",
                        A->rows, A->cols);
    if (A->rows > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "partition: %" PRId64 " rows do not fit 32 bits",
                        A->rows);
    if ((unsigned)params->type >= LCL_PARTITION_COUNT ||
        (unsigned)params->weights >= LCL_WEIGHTS_COUNT)
        return lcl_fail(log, LCL_EINVAL,
                        "partition: type %d or weights %d is unknown",
                        (int)params->type, (int)params->weights);
    if (params->rows < 0 || max_rows < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "partition: subdomains of %" PRId64
                        " rows, limit %" PRId64 ", cannot be made",
                        params->rows, max_rows);
    return LCL_OK;
}

static int64_t effective_limit(int64_t n, int64_t wanted, int64_t max_rows)
{
    int64_t limit = max_rows < n ? max_rows : n;
    return wanted > 0 && wanted < limit ? wanted : limit;
}

// Room for as many parts as rows; what is not written costs nothing.
static bool allocate(struct lcl_partition *P)
{
    P->part_ptr = lcl_calloc((size_t)P->n + 2, sizeof *P->part_ptr);
    P->perm = lcl_malloc((size_t)P->n, sizeof *P->perm);
    P->inverse = lcl_malloc((size_t)P->n, sizeof *P->inverse);
    return P->part_ptr && P->perm && P->inverse;
}

// Where the run of equal labels that starts at row i ends.
static int64_t run_end(const int32_t *label, int64_t n, int64_t i)
{
    const int32_t own = label[i];
    do
        ++i;
    while (i < n && label[i] == own);
    return i;
}

// Numbers the parts in the order of their smallest row, which keeps parts that
// are close in the old numbering close in the new one; unused labels vanish.
// part_ptr[p + 2] counts the rows of part p.
static enum lcl_status renumber(struct lcl_partition *P, int32_t *label,
                                const struct lcl_log *log)
{
    int32_t *number = lcl_calloc((size_t)P->n, sizeof *number); // from 1
    if (!number)
        return lcl_fail_memory(log, "the subdomains");
    for (int64_t i = 0; i < P->n;) {
        const int64_t end = run_end(label, P->n, i);
        int32_t *own = &number[label[i]];
        if (*own == 0)
            *own = (int32_t)++P->parts;
        P->part_ptr[*own + 1] += end - i;
        for (const int32_t part = *own - 1; i < end; ++i)
            label[i] = part;
    }
    lcl_free(number);
    return LCL_OK;
}

// Stable counting sort of the rows by label: part_ptr[p + 1] is the next free
// row of part p meanwhile. Places take the room of the labels.
static void sort_rows(struct lcl_partition *P)
{
    for (int64_t p = 0; p < P->parts; ++p)
        P->part_ptr[p + 2] += P->part_ptr[p + 1];
    for (int64_t i = 0; i < P->n;) {
        const int64_t end = run_end(P->inverse, P->n, i);
        int64_t *next = &P->part_ptr[P->inverse[i] + 1], place = *next;
        *next += end - i;
        for (; i < end; ++i, ++place) {
            P->perm[place] = (int32_t)i;
            P->inverse[i] = (int32_t)place;
        }
    }
}

static enum lcl_status check_sizes(const struct lcl_partition *P, int64_t limit,
                                   const struct lcl_log *log)
{
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t size = P->part_ptr[p + 1] - P->part_ptr[p];
        if (size > limit)
            return lcl_fail(log, LCL_ERANGE,
                            "the subdomain of row %" PRId32 " has %" PRId64
                            " rows, the limit is %" PRId64,
                            P->perm[P->part_ptr[p]], size, limit);
    }
    return LCL_OK;
}

enum lcl_status lcl_partition_create(struct lcl_partition *P,
                                     const struct lcl_csr *A,
                                     const struct lcl_partition_params *params,
                                     int64_t max_rows,
                                     const struct lcl_log *log)
{
    *P = (struct lcl_partition){0};
    enum lcl_status st = check(A, params, max_rows, log);
    if (st < 0)
        return st;
    struct request R = {.A = A, .params = *params, .log = log};
    R.params.rows = effective_limit(A->rows, params->rows, max_rows);
    P->n = A->rows;
    if (!allocate(P)) {
        st = lcl_fail_memory(log, "the subdomains");
        goto out;
    }
    if ((st = methods[params->type](P->inverse, &R)) < 0 ||
        (st = renumber(P, P->inverse, log)) < 0)
        goto out;
    sort_rows(P);
    if ((st = check_sizes(P, R.params.rows, log)) < 0)
        goto out;
    P->weighted = R.weighted;
    lcl_info(log,
             "partition: %" PRId64 " subdomains of at most %" PRId64 " rows%s",
             P->parts, R.params.rows, P->weighted ? ", edges weighted" : "");
out:
    if (st < 0)
        lcl_partition_finish(P);
    return st;
}

void lcl_partition_finish(struct lcl_partition *P)
{
    lcl_free(P->inverse);
    lcl_free(P->perm);
    lcl_free(P->part_ptr);
    *P = (struct lcl_partition){0};
}
