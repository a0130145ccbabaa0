// SPDX-License-Identifier: BSD-3-Clause
// The tile table of the adaptive product.
#include "lib/spmv/tiles.h"

#include "host/alloc.h"
#include "host/log.h"

// One wave handles a row of up to 2^9 entries; a part of a long row has 2^12.
// On a CPU, where a wave is one lane, rows of more than 2^12 entries are long.
// A bin is small if it has fewer than 1/SHARE of the rows.
enum { LONGEST_OF_WAVE = 9, PART = 12, SHARE = 16, ROWS_OF_CPU = 64 };

// ------------------------------------------------------------------- bins

static int log2_of(int n)
{
    int log = 0;
    while (n >> (log + 1))
        ++log;
    return log;
}

// Four entries per lane; at most half a wave per row up to 2^6 entries, then a
// whole wave.
static int lanes_of_class(int c, int width)
{
    const int wanted = c <= 2 ? 0 : c <= 6 ? c - 2 : log2_of(width);
    return wanted < log2_of(width) ? wanted : log2_of(width);
}

static int first_long_class(int width)
{
    return (width == 1 ? PART : LONGEST_OF_WAVE) + 1;
}

// The bin that absorbs the small bin b: the next wider bin that is not small,
// otherwise the next narrower one, whose lanes then have at most twice the
// work; b itself if both are missing.
static int host_of(int b, const int64_t rows[LCL_TILE_BINS], int64_t small)
{
    for (int wider = b + 1; wider < LCL_TILE_BINS; ++wider)
        if (rows[wider] > small)
            return wider;
    return b > 1 && rows[b - 1] > small ? b - 1 : b;
}

void lcl_tiles_choose(struct lcl_tiles *T, const struct lcl_row_classes *C,
                      int width, int group)
{
    const int first_long = first_long_class(width);
    int64_t rows[LCL_TILE_BINS] = {0}, all = 0;
    int used = 0;
    *T = (struct lcl_tiles){.group = group,
                            .longest = INT64_C(1) << (first_long - 1)};
    for (int c = 0; c < LCL_ROW_CLASSES; ++c) {
        const int lanes = lanes_of_class(c, width);
        const int b = c >= first_long ? 0 : lanes < 5 ? lanes + 1 : 6;
        T->bin_of[c] = b;
        T->lanes[b] = lanes;
        rows[b] += C->rows[c];
        all += C->rows[c];
    }
    for (int b = 1; b < LCL_TILE_BINS; ++b) {
        const bool small = rows[b] <= all / SHARE;
        const int host = small ? host_of(b, rows, all / SHARE) : b;
        used += rows[b] > 0 && host == b;
        for (int c = 0; c < first_long; ++c)
            if (T->bin_of[c] == b)
                T->bin_of[c] = host;
    }
    T->as_they_are = used <= 1;
}

// ------------------------------------------------------------------- long rows

static int64_t parts_of(int32_t length)
{
    return (length + (INT64_C(1) << PART) - 1) >> PART;
}

// One group handles a row of a single part; the parts of other rows are
// computed beforehand.
static void add_long_row(struct lcl_tiles *T, int32_t place, int32_t row,
                         int32_t length)
{
    const int32_t first = T->parts_count;
    if (parts_of(length) == 1) {
        T->table[T->count++] = (struct lcl_tile){LCL_TILE_WHOLE, place, 1, row};
        return;
    }
    for (int32_t from = 0; from < length; from += 1 << PART) {
        const int32_t left = length - from;
        const int32_t count = left < 1 << PART ? left : 1 << PART;
        T->parts[T->parts_count] =
            (struct lcl_row_part){row, from, from + count, T->parts_count};
        ++T->parts_count;
        if (left == count)
            break;
    }
    T->table[T->count++] =
        (struct lcl_tile){LCL_TILE_SUMMED, first, T->parts_count - first, row};
}

// ------------------------------------------------------------------- rows

static int64_t rows_of_tile(const struct lcl_tiles *T, int b)
{
    return T->group == 1 ? ROWS_OF_CPU : T->group >> T->lanes[b];
}

static int64_t tiles_of(const struct lcl_tiles *T, int b, int64_t rows)
{
    const int64_t each = rows_of_tile(T, b);
    return (rows + each - 1) / each;
}

// The only bin in use, which determines the lanes of its rows.
static int only_bin(const struct lcl_row_bins *B)
{
    for (int b = 1; b < LCL_TILE_BINS; ++b)
        if (B->rows[b] > 0)
            return b;
    return 1;
}

// Adds tiles from place *at up to `end`; the last tile may extend beyond it up
// to `last`.
static void add_tiles(struct lcl_tiles *T, int b, int64_t *at, int64_t end,
                      int64_t last)
{
    const int64_t each = rows_of_tile(T, b);
    for (; *at < end; *at += each) {
        const int64_t count = last - *at < each ? last - *at : each;
        T->table[T->count++] =
            (struct lcl_tile){T->lanes[b], (int32_t)*at, (int32_t)count, -1};
    }
}

static void add_lists(struct lcl_tiles *T, const struct lcl_row_bins *B)
{
    int64_t at[LCL_TILE_BINS];
    for (int b = 1; b < LCL_TILE_BINS; ++b)
        at[b] = B->first[b];
    for (int g = 0; g < B->chunks; ++g)
        for (int b = 1; b < LCL_TILE_BINS; ++b) {
            const int64_t last = B->first[b] + B->rows[b];
            const int64_t end =
                g + 1 < B->chunks ? B->place[b * B->chunks + g + 1] : last;
            add_tiles(T, b, &at[b], end, last);
        }
}

static enum lcl_status allocate(struct lcl_tiles *T,
                                const struct lcl_row_bins *B, int64_t rows,
                                const int32_t *lengths,
                                const struct lcl_log *log)
{
    int64_t tiles = B->rows[0], parts = 0;
    for (int64_t k = 0; k < B->rows[0]; ++k)
        parts += parts_of(lengths[k]);
    if (T->as_they_are)
        tiles += tiles_of(T, only_bin(B), rows);
    for (int b = 1; b < LCL_TILE_BINS && !T->as_they_are; ++b)
        tiles += tiles_of(T, b, B->rows[b]);
    if (tiles > INT32_MAX || parts > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "the adaptive product needs %lld tiles and %lld parts "
                        "of long rows: expected at most 2^31 - 1 of each; use "
                        "csr",
                        (long long)tiles, (long long)parts);
    T->table = lcl_malloc((size_t)tiles, sizeof *T->table);
    T->parts = lcl_malloc((size_t)parts, sizeof *T->parts);
    return T->table && T->parts ? LCL_OK
                                : lcl_fail_memory(log, "a table of rows");
}

enum lcl_status lcl_tiles_fill(struct lcl_tiles *T,
                               const struct lcl_row_bins *B, int64_t rows,
                               const int32_t *long_rows, const int32_t *lengths,
                               const struct lcl_log *log)
{
    const enum lcl_status st = allocate(T, B, rows, lengths, log);
    if (st < 0)
        return st;
    for (int64_t k = 0; k < B->rows[0]; ++k)
        add_long_row(T, T->as_they_are ? long_rows[k] : (int32_t)k,
                     long_rows[k], lengths[k]);
    int64_t at = 0;
    if (T->as_they_are)
        add_tiles(T, only_bin(B), &at, rows, rows);
    else
        add_lists(T, B);
    return LCL_OK;
}

void lcl_tiles_finish(struct lcl_tiles *T)
{
    lcl_free(T->table);
    lcl_free(T->parts);
    *T = (struct lcl_tiles){.table = NULL};
}
