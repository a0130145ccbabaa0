// SPDX-License-Identifier: BSD-3-Clause
// Entries and values of a Matrix Market file.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"

#include <inttypes.h>
#include <math.h>

// Initial size of an array that grows with the data read.
enum { FIRST_CAPACITY = 1 << 12 };

enum lcl_status lcl_io_grow(void **array, int64_t *capacity, int64_t limit,
                            size_t size, const struct lcl_log *log)
{
    int64_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    if (wanted > limit)
        wanted = limit;
    void *grown = lcl_realloc(*array, (size_t)wanted, size);
    if (!grown)
        return lcl_fail_memory(log, "the entries of the file");
    *array = grown;
    *capacity = wanted;
    return LCL_OK;
}

// Reads the next line that is not blank; it must exist, as entry `number`.
static enum lcl_status next_line(lcl_stream *stream,
                                 const struct lcl_mm_header *h, int64_t number,
                                 char **begin, char **end)
{
    char *p;
    do {
        const enum lcl_status st = lcl_stream_line(stream, &p, end);
        if (st < 0)
            return st;
        if (!p)
            return lcl_stream_fail(stream, LCL_EFORMAT,
                                   "expected %" PRId64 " entries, found the "
                                   "end of the file after %" PRId64,
                                   h->entries, number);
        p = lcl_skip_blanks(p);
    } while (p == *end);
    *begin = p;
    return LCL_OK;
}

static enum lcl_status expect_end_of_file(lcl_stream *stream,
                                          const struct lcl_mm_header *h)
{
    char *p, *end;
    do {
        const enum lcl_status st = lcl_stream_line(stream, &p, &end);
        if (st < 0 || !p)
            return st;
        p = lcl_skip_blanks(p);
    } while (p == end);
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected the end of the file after entry %" PRId64
                           ", found %s",
                           h->entries, lcl_mm_found(p).text);
}

// Reads an index, one-based in the file, zero-based here. NULL if invalid.
static char *parse_index(char *p, int64_t limit, int32_t *index)
{
    int64_t i;
    char *end = lcl_parse_int(p, &i);
    if (!end || i < 1 || i > limit || !lcl_is_gap(*end))
        return NULL;
    *index = (int32_t)(i - 1);
    return lcl_skip_blanks(end);
}

// Reads a finite number, or an integer if `field` requires one; NULL if
// invalid.
static char *parse_value(char *p, enum lcl_mm_field field, double *value)
{
    char *end = lcl_parse_double(p, value);
    if (!end || !isfinite(*value) || !lcl_is_gap(*end))
        return NULL;
    if (field == LCL_MM_INTEGER && *value != trunc(*value))
        return NULL;
    return lcl_skip_blanks(end);
}

static enum lcl_status fail_index(const lcl_stream *stream, const char *what,
                                  int64_t limit, const char *p)
{
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected a %s from 1 to %" PRId64 ", found %s",
                           what, limit, lcl_mm_found(p).text);
}

static enum lcl_status fail_value(const lcl_stream *stream,
                                  enum lcl_mm_field field, const char *p)
{
    return lcl_stream_fail(stream, LCL_EFORMAT, "expected %s, found %s",
                           field == LCL_MM_INTEGER ? "an integer value"
                                                   : "a finite value",
                           lcl_mm_found(p).text);
}

static enum lcl_status fail_end(const lcl_stream *stream, const char *p)
{
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected the end of the line, found %s",
                           lcl_mm_found(p).text);
}

// The format stores the lower triangle.
static enum lcl_status check_triangle(const lcl_stream *stream,
                                      const struct lcl_mm_header *h,
                                      const struct lcl_entry *e)
{
    const bool skew = h->symmetry == LCL_SKEW_SYMMETRIC;
    if (h->symmetry == LCL_GENERAL || e->col < e->row ||
        (e->col == e->row && !skew))
        return LCL_OK;
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected an entry %s the diagonal, because the "
                           "matrix is %s, found (%" PRId32 ", %" PRId32 ")",
                           skew ? "below" : "on or below",
                           skew ? "skew-symmetric" : "symmetric", e->row + 1,
                           e->col + 1);
}

static enum lcl_status parse_entry(const lcl_stream *stream,
                                   const struct lcl_mm_header *h, char *p,
                                   const char *end, struct lcl_entry *e)
{
    char *next = parse_index(p, h->rows, &e->row);
    if (!next)
        return fail_index(stream, "row", h->rows, p);
    p = next;
    if (!(next = parse_index(p, h->cols, &e->col)))
        return fail_index(stream, "column", h->cols, p);
    p = next;
    e->val = 1;
    if (h->field != LCL_MM_PATTERN &&
        !(next = parse_value(p, h->field, &e->val)))
        return fail_value(stream, h->field, p);
    if (next != end)
        return fail_end(stream, next);
    return check_triangle(stream, h, e);
}

enum lcl_status lcl_mm_read_entries(struct lcl_entries *E, lcl_stream *stream,
                                    const struct lcl_mm_header *h)
{
    enum lcl_status st;
    const struct lcl_log *log = lcl_stream_log(stream);
    for (; E->count < h->entries; ++E->count) {
        char *p = NULL, *end = NULL;
        if ((st = next_line(stream, h, E->count, &p, &end)) < 0)
            return st;
        void *at = E->at;
        if (E->count == E->capacity) {
            st = lcl_io_grow(&at, &E->capacity, h->entries, sizeof *E->at, log);
            E->at = at;
        }
        if (st < 0 ||
            (st = parse_entry(stream, h, p, end, &E->at[E->count])) < 0)
            return st;
    }
    return expect_end_of_file(stream, h);
}

enum lcl_status lcl_mm_read_values(double **values, lcl_stream *stream,
                                   const struct lcl_mm_header *h)
{
    enum lcl_status st;
    const struct lcl_log *log = lcl_stream_log(stream);
    int64_t capacity = 0;
    for (int64_t k = 0; k < h->entries; ++k) {
        char *p = NULL, *end = NULL;
        if ((st = next_line(stream, h, k, &p, &end)) < 0)
            return st;
        void *array = *values;
        if (k == capacity) {
            st = lcl_io_grow(&array, &capacity, h->entries, sizeof **values,
                             log);
            *values = array;
        }
        if (st < 0)
            return st;
        char *next = parse_value(p, h->field, &(*values)[k]);
        if (!next)
            return fail_value(stream, h->field, p);
        if (next != end)
            return fail_end(stream, next);
    }
    return expect_end_of_file(stream, h);
}
