// SPDX-License-Identifier: BSD-3-Clause
// Subdomains: labels from one of the methods, then the rows sorted by label.
#include "lib/partition/partition.h"

#include "host/alloc.h"
#include "host/log.h"

#include <inttypes.h>

struct request {
    const struct lcl_csr *A;
    const struct lcl_share *share;      // NULL: A is the whole matrix
    struct lcl_partition_params params; // `rows` holds the effective limit
    const struct lcl_log *log;
};

enum lcl_status lcl_partition_check(const struct lcl_csr *A,
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
        return lcl_fail(
            log, LCL_ERANGE,
            "partition: %" PRId64 " rows, expected at most 2^31 - 1", A->rows);
    if ((unsigned)params->type >= LCL_PARTITION_COUNT ||
        (unsigned)params->weights >= LCL_WEIGHTS_COUNT)
        return lcl_fail(log, LCL_EINVAL,
                        "partition: type %d or weights %d is unknown",
                        (int)params->type, (int)params->weights);
    if (params->rows < 0 || max_rows < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "partition: subdomains of %" PRId64 " rows, expected "
                        ">= 0, or limit %" PRId64 ", expected >= 1",
                        params->rows, max_rows);
    return LCL_OK;
}

static int64_t effective_limit(int64_t n, int64_t wanted, int64_t max_rows)
{
    int64_t limit = max_rows < n ? max_rows : n;
    return wanted > 0 && wanted < limit ? wanted : limit;
}

// ------------------------------------------------------------------- labels

// End of the run of equal labels that starts at row i.
static int64_t run_end(const int32_t *label, int64_t n, int64_t i)
{
    const int32_t own = label[i];
    do
        ++i;
    while (i < n && label[i] == own);
    return i;
}

// Numbers the parts in the order of their smallest row, so that parts that are
// close in the old numbering stay close in the new one; removes unused labels.
// part_ptr[p + 2] becomes the number of rows of part p.
static enum lcl_status renumber(struct lcl_subdomains *P, int32_t *label,
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

// Stable counting sort of the rows by label; during the sort part_ptr[p + 1] is
// the next free row of part p.
static void sort_rows(struct lcl_subdomains *P, const int32_t *label)
{
    for (int64_t p = 0; p < P->parts; ++p)
        P->part_ptr[p + 2] += P->part_ptr[p + 1];
    for (int64_t i = 0; i < P->n;) {
        const int64_t end = run_end(label, P->n, i);
        int64_t *next = &P->part_ptr[label[i] + 1];
        while (i < end)
            P->row[(*next)++] = (int32_t)i++;
    }
}

// Fills label[0 .. n-1] with numbers below n.
typedef enum lcl_status labels_fn(int32_t *label, const struct request *R,
                                  bool *weighted);

// Allocates as many parts as rows, and one more; untouched memory costs
// nothing.
static enum lcl_status group_rows(struct lcl_subdomains *P,
                                  const struct request *R, labels_fn *fill)
{
    const int64_t n = R->A->rows;
    int32_t *label = lcl_malloc((size_t)n, sizeof *label);
    enum lcl_status st = label ? lcl_subdomains_allocate(P, n, n + 1, R->log)
                               : lcl_fail_memory(R->log, "the subdomains");
    if (st == LCL_OK && (st = fill(label, R, &P->weighted)) == LCL_OK &&
        (st = renumber(P, label, R->log)) == LCL_OK)
        sort_rows(P, label);
    lcl_free(label);
    return st;
}

static enum lcl_status label_by_metis(int32_t *label, const struct request *R,
                                      bool *weighted)
{
    return lcl_partition_metis(label, R->A, R->params.weights, R->params.rows,
                               weighted, R->log);
}

static enum lcl_status copy_labels(int32_t *label, const struct request *R,
                                   bool *weighted)
{
    (void)weighted;
    return lcl_partition_labels(label, R->A, &R->params, R->log);
}

static enum lcl_status label_by_boxes(int32_t *label, const struct request *R,
                                      bool *weighted)
{
    (void)weighted;
    return lcl_partition_boxes(label, R->share, &R->params, R->log);
}

// ------------------------------------------------------------------- methods

static enum lcl_status make_parts(struct lcl_subdomains *P,
                                  const struct request *R)
{
    switch (R->params.type) {
    case LCL_PARTITION_GEOMETRIC:
        return R->share && R->share->perm
                   ? group_rows(P, R, label_by_boxes)
                   : lcl_partition_geometric(P, R->A, R->share, &R->params,
                                             R->log);
    case LCL_PARTITION_LABELS:
        return group_rows(P, R, copy_labels);
    case LCL_PARTITION_DEFAULT:
    case LCL_PARTITION_METIS:
        if (R->params.rows > 1)
            return group_rows(P, R, label_by_metis);
        break;
    case LCL_PARTITION_MATCH:
        return lcl_fail(R->log, LCL_EUNSUPPORTED,
                        "partition: matching needs a device");
    case LCL_PARTITION_NATURAL:
    case LCL_PARTITION_COUNT:
        break;
    }
    return lcl_partition_natural(P, R->A, R->params.rows, R->log);
}

static enum lcl_status check_sizes(const struct lcl_subdomains *P,
                                   int64_t limit, const struct lcl_log *log)
{
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t size = P->part_ptr[p + 1] - P->part_ptr[p];
        if (size > limit)
            return lcl_fail(log, LCL_ERANGE,
                            "the subdomain of row %" PRId32 " has %" PRId64
                            " rows, expected at most %" PRId64,
                            P->row[P->part_ptr[p]], size, limit);
    }
    return LCL_OK;
}

// The limit of GEOMETRIC is for boxes of the whole matrix, which may have more
// rows than a rank.
static int64_t limit_of(const struct request *R, int64_t max_rows)
{
    const bool boxes = R->share && R->params.type == LCL_PARTITION_GEOMETRIC;
    return effective_limit(boxes ? R->share->total : R->A->rows, R->params.rows,
                           max_rows);
}

enum lcl_status lcl_partition_create_share(
    struct lcl_subdomains *P, const struct lcl_csr *A,
    const struct lcl_share *share, const struct lcl_partition_params *params,
    int64_t max_rows, const struct lcl_log *log)
{
    *P = (struct lcl_subdomains){0};
    enum lcl_status st = lcl_partition_check(A, params, max_rows, log);
    if (st < 0)
        return st;
    const bool whole = !share || share->total == 0;
    struct request R = {A, whole ? NULL : share, *params, log};
    R.params.rows = limit_of(&R, max_rows);
    if ((st = make_parts(P, &R)) < 0 ||
        (st = check_sizes(P, R.params.rows, log)) < 0) {
        lcl_subdomains_finish(P);
        return st;
    }
    lcl_info(log,
             "partition: %" PRId64 " subdomains of at most %" PRId64 " rows%s",
             P->parts, R.params.rows, P->weighted ? ", with edge weights" : "");
    return LCL_OK;
}

enum lcl_status lcl_partition_create(struct lcl_subdomains *P,
                                     const struct lcl_csr *A,
                                     const struct lcl_partition_params *params,
                                     int64_t max_rows,
                                     const struct lcl_log *log)
{
    return lcl_partition_create_share(P, A, NULL, params, max_rows, log);
}
