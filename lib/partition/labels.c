// SPDX-License-Identifier: BSD-3-Clause
// The caller's labels, and the reader of partition files.
#include "lib/partition/partition.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Replaces each label by its rank among the distinct labels.
static enum lcl_status compress(int32_t *label, int64_t n,
                                const struct lcl_log *log)
{
    int32_t *sorted = lcl_malloc((size_t)n, sizeof *sorted);
    if (!sorted)
        return lcl_fail_memory(log, "the labels");
    memcpy(sorted, label, (size_t)n * sizeof *sorted);
    const int64_t different = lcl_sort_once_int32(sorted, n);
    for (int64_t i = 0; i < n; ++i) {
        const int32_t *found = bsearch(&label[i], sorted, (size_t)different,
                                       sizeof *sorted, lcl_order_int32);
        label[i] = (int32_t)(found - sorted);
    }
    lcl_free(sorted);
    return LCL_OK;
}

enum lcl_status lcl_partition_labels(int32_t *label, const struct lcl_csr *A,
                                     const struct lcl_partition_params *params,
                                     const struct lcl_log *log)
{
    const int64_t n = A->rows;
    if (!params->labels || params->labels_count != n)
        return lcl_fail(log, LCL_EINVAL,
                        "%" PRId64 " labels for %" PRId64 " rows, expected one "
                        "per row",
                        params->labels ? params->labels_count : 0, n);
    int32_t largest = 0;
    for (int64_t i = 0; i < n; ++i) {
        label[i] = params->labels[i];
        if (label[i] < 0)
            return lcl_fail(log, LCL_EINVAL,
                            "row %" PRId64 " has the label %" PRId32
                            ", expected >= 0",
                            i, label[i]);
        largest = label[i] > largest ? label[i] : largest;
    }
    return largest < n ? LCL_OK : compress(label, n, log);
}

// Returns whether the line is one integer >= 0 and nothing else.
static bool parse_label(int32_t *label, const char *line)
{
    char *end;
    errno = 0;
    const long value = strtol(line, &end, 10);
    if (end == line || errno == ERANGE || value < 0 || value > INT32_MAX)
        return false;
    *label = (int32_t)value;
    while (isspace((unsigned char)*end))
        ++end;
    return *end == '\0';
}

struct list {
    int32_t *label;
    int64_t count, capacity;
};

static bool append(struct list *L, int32_t label)
{
    if (L->count == L->capacity) {
        const int64_t capacity = L->capacity ? 2 * L->capacity : 1024;
        int32_t *grown =
            lcl_realloc(L->label, (size_t)capacity, sizeof *L->label);
        if (!grown)
            return false;
        L->label = grown;
        L->capacity = capacity;
    }
    L->label[L->count++] = label;
    return true;
}

static enum lcl_status read_lines(struct list *L, FILE *file, const char *path,
                                  const struct lcl_log *log)
{
    char line[64];
    int32_t label;
    while (fgets(line, sizeof line, file)) {
        if ((!strchr(line, '\n') && !feof(file)) || !parse_label(&label, line))
            return lcl_fail(log, LCL_EFORMAT,
                            "%s:%" PRId64 ": expected one integer >= 0", path,
                            L->count + 1);
        if (!append(L, label))
            return lcl_fail_memory(log, path);
    }
    if (ferror(file))
        return lcl_fail(log, LCL_EIO, "%s:%" PRId64 ": %s", path, L->count + 1,
                        strerror(errno));
    if (L->count == 0)
        return lcl_fail(log, LCL_EFORMAT, "%s:1: expected one integer >= 0",
                        path);
    return LCL_OK;
}

enum lcl_status lcl_labels_read(int32_t **labels, int64_t *count,
                                const char *path, const struct lcl_log *log)
{
    if (!labels || !count || !path)
        return lcl_misuse(log, "lcl_labels_read: an argument is NULL");
    *labels = NULL;
    *count = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return lcl_fail(log, LCL_EIO, "%s: %s", path, strerror(errno));
    struct list L = {0};
    enum lcl_status st = read_lines(&L, file, path, log);
    fclose(file);
    if (st < 0) {
        lcl_free(L.label);
        return st;
    }
    *labels = L.label;
    *count = L.count;
    return LCL_OK;
}

void lcl_labels_free(int32_t **labels)
{
    if (!labels)
        return;
    lcl_free(*labels);
    *labels = NULL;
}

enum lcl_status lcl_labels_of_blocks(int32_t **out, const int32_t *labels,
                                     int64_t rows, int block,
                                     const struct lcl_log *log)
{
    int32_t *of_block = *out = lcl_malloc((size_t)rows, sizeof *of_block);
    if (!of_block)
        return lcl_fail_memory(log, "labels");
    for (int64_t i = 0; i < rows * block; ++i) {
        of_block[i / block] = labels[i / block * block];
        if (labels[i] == of_block[i / block])
            continue;
        lcl_free(of_block);
        *out = NULL;
        return lcl_fail(log, LCL_EINVAL,
                        "row %lld: its label differs from the label of its "
                        "block of %d rows",
                        (long long)i + 1, block);
    }
    return LCL_OK;
}
