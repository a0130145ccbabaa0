// SPDX-License-Identifier: BSD-3-Clause
// Level assignment on the device, and the numbering that follows from it.
#include "lib/trisolve/levels.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/format/csr.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- pattern

// The strictly lower pattern of L united with U^T, inside the subdomains.
struct pattern {
    uint32_t *row_ptr; // n + 1
    int32_t *col;
};

static void pattern_finish(struct pattern *S)
{
    lcl_free(S->row_ptr);
    lcl_free(S->col);
}

// Every dependence of the window once: counted in next[] or, where col is not
// NULL, stored. Row i depends on j < i by way of b_ij in row i or, where that
// is not stored, of b_ji in row j.
static void visit(const struct lcl_csr *B, int64_t first, int64_t last,
                  uint32_t *next, int32_t *col)
{
    for (int64_t i = first; i < last; ++i)
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
            const int64_t j = B->col_ind[k];
            if (j < first || j >= last || j == i)
                continue;
            if (j > i && lcl_csr_find(B, j, i) >= 0)
                continue;
            const int64_t row = j < i ? i : j, other = j < i ? j : i;
            if (col)
                col[next[row]] = (int32_t)other;
            ++next[row];
        }
}

static enum lcl_status pattern_init(struct pattern *S, const struct lcl_csr *B,
                                    const struct lcl_partition *P,
                                    const struct lcl_log *log)
{
    uint32_t *next = lcl_calloc((size_t)P->n + 1, sizeof *next);
    uint64_t sum = 0;
    *S = (struct pattern){.row_ptr =
                              lcl_calloc((size_t)P->n + 1, sizeof *S->row_ptr)};
    if (!next || !S->row_ptr)
        goto memory;
    for (int64_t p = 0; p < P->parts; ++p)
        visit(B, P->part_ptr[p], P->part_ptr[p + 1], next, NULL);
    for (int64_t i = 0; i < P->n; ++i) {
        sum += next[i];
        next[i] = S->row_ptr[i];
        S->row_ptr[i + 1] = (uint32_t)sum;
    }
    if (sum > UINT32_MAX) {
        lcl_free(next);
        return lcl_fail(log, LCL_ERANGE, "%llu dependences: at most 2^32 - 1",
                        (unsigned long long)sum);
    }
    S->col = lcl_malloc((size_t)sum, sizeof *S->col);
    if (!S->col)
        goto memory;
    for (int64_t p = 0; p < P->parts; ++p)
        visit(B, P->part_ptr[p], P->part_ptr[p + 1], next, S->col);
    lcl_free(next);
    return LCL_OK;
memory:
    lcl_free(next);
    return lcl_fail_memory(log, "the dependences of the rows");
}

// ------------------------------------------------------------------- levels

struct device_levels {
    lcl_buffer *part_ptr, *row_ptr, *col, *level, *count;
};

static void device_finish(struct device_levels *D)
{
    lcl_buffer_destroy(&D->part_ptr);
    lcl_buffer_destroy(&D->row_ptr);
    lcl_buffer_destroy(&D->col);
    lcl_buffer_destroy(&D->level);
    lcl_buffer_destroy(&D->count);
}

static enum lcl_status upload_parts(struct device_levels *D, lcl_context *ctx,
                                    const struct lcl_partition *P)
{
    int32_t *narrow = lcl_malloc((size_t)P->parts + 1, sizeof *narrow);
    if (!narrow)
        return lcl_fail_memory(lcl_context_log(ctx), "subdomains");
    for (int64_t p = 0; p <= P->parts; ++p)
        narrow[p] = (int32_t)P->part_ptr[p];
    const enum lcl_status st = lcl_buffer_create_from(
        &D->part_ptr, ctx, narrow, P->parts + 1, sizeof *narrow, "subdomains");
    lcl_free(narrow);
    return st;
}

static enum lcl_status upload(struct device_levels *D, lcl_context *ctx,
                              const struct pattern *S,
                              const struct lcl_partition *P)
{
    enum lcl_status st;
    if ((st = upload_parts(D, ctx, P)) < 0 ||
        (st = lcl_buffer_create_from(&D->row_ptr, ctx, S->row_ptr, P->n + 1,
                                     sizeof *S->row_ptr, "dependences")) < 0 ||
        (st = lcl_buffer_create_from(&D->col, ctx, S->col, S->row_ptr[P->n],
                                     sizeof *S->col, "dependences")) < 0 ||
        (st = lcl_buffer_create(&D->level, ctx, P->n, sizeof(int32_t),
                                "levels")) < 0)
        return st;
    return lcl_buffer_create(&D->count, ctx, P->parts, sizeof(int32_t),
                             "level counts");
}

static int64_t largest_part(const struct lcl_partition *P)
{
    int64_t rows = 1;
    for (int64_t p = 0; p < P->parts; ++p)
        if (P->part_ptr[p + 1] - P->part_ptr[p] > rows)
            rows = P->part_ptr[p + 1] - P->part_ptr[p];
    return rows;
}

static enum lcl_status get_kernel(lcl_kernel **kernel, lcl_context *ctx,
                                  int64_t rows)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = {
        .source = "levels.cl", .kernel = "levels", .group = caps->width};
    if (caps->width > 1) {
        // room for 128 more rows costs nothing and saves variants
        spec.rows = (int)(rows + 127) / 128 * 128;
        while (2 * spec.group <= 128 && 2 * spec.group <= caps->max_group_size)
            spec.group *= 2;
    }
    return lcl_kernel_get(kernel, ctx, &spec);
}

// Host code indexes by levels: what a wrong device gives must not get there.
static enum lcl_status check(const int32_t *level, const int32_t *count,
                             const struct lcl_partition *P, lcl_context *ctx)
{
    bool sound = true;
    for (int64_t p = 0; p < P->parts && sound; ++p) {
        const int64_t first = P->part_ptr[p], last = P->part_ptr[p + 1];
        sound = count[p] >= 1 && count[p] <= last - first;
        for (int64_t i = first; i < last && sound; ++i)
            sound = level[i] >= 0 && level[i] < count[p];
    }
    return sound ? LCL_OK
                 : lcl_fail(lcl_context_log(ctx), LCL_ESELFTEST,
                            "%s gives levels that cannot be: it computes "
                            "wrong results",
                            lcl_context_caps(ctx)->name);
}

static enum lcl_status run(int32_t *level, int32_t *count, lcl_context *ctx,
                           const struct device_levels *D,
                           const struct lcl_partition *P)
{
    lcl_kernel *kernel;
    enum lcl_status st = get_kernel(&kernel, ctx, largest_part(P));
    if (st < 0)
        return st;
    st = LCL_LAUNCH(kernel, P->parts, lcl_arg_buffer(D->part_ptr),
                    lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                    lcl_arg_buffer(D->level), lcl_arg_buffer(D->count));
    if (st < 0)
        return st;
    st = lcl_buffer_read(D->level, level, (size_t)P->n * sizeof *level);
    if (st < 0)
        return st;
    st = lcl_buffer_read(D->count, count, (size_t)P->parts * sizeof *count);
    return st < 0 ? st : check(level, count, P, ctx);
}

enum lcl_status lcl_levels_assign(int32_t *level, int32_t *count,
                                  lcl_context *ctx, const struct lcl_csr *B,
                                  const struct lcl_partition *P)
{
    struct device_levels D = {0};
    struct pattern S;
    enum lcl_status st = pattern_init(&S, B, P, lcl_context_log(ctx));
    if (st == LCL_OK && (st = upload(&D, ctx, &S, P)) == LCL_OK)
        st = run(level, count, ctx, &D, P);
    device_finish(&D);
    pattern_finish(&S);
    return st;
}

// ------------------------------------------------------------------- order

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Rows of one subdomain as keys: level, then entries descending, then number.
static void sort_window(uint64_t *key, const int32_t *level,
                        const struct lcl_csr *B, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; ++i) {
        const int64_t entries = B->row_ptr[i + 1] - B->row_ptr[i];
        const uint64_t shortness =
            entries < UINT16_MAX ? UINT16_MAX - (uint64_t)entries : 0;
        key[i - first] =
            (uint64_t)level[i] << 40 | shortness << 24 | (uint64_t)(i - first);
    }
    qsort(key, (size_t)(last - first), sizeof *key, compare_keys);
}

enum lcl_status lcl_levels_sort(struct lcl_partition *P, int32_t *level,
                                const struct lcl_csr *B,
                                const struct lcl_log *log)
{
    const size_t most = (size_t)largest_part(P);
    uint64_t *key = lcl_malloc(most, sizeof *key);
    int32_t *old = lcl_malloc(most, sizeof *old);
    enum lcl_status st = LCL_OK;
    if (!key || !old) {
        st = lcl_fail_memory(log, "the order of the rows");
        goto out;
    }
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t first = P->part_ptr[p], last = P->part_ptr[p + 1];
        sort_window(key, level, B, first, last);
        memcpy(old, P->perm + first, (size_t)(last - first) * sizeof *old);
        for (int64_t i = first; i < last; ++i) {
            const uint64_t k = key[i - first];
            level[i] = (int32_t)(k >> 40);
            P->perm[i] = old[k & 0xffffff];
            P->inverse[P->perm[i]] = (int32_t)i;
        }
    }
out:
    lcl_free(key);
    lcl_free(old);
    return st;
}
