// SPDX-License-Identifier: BSD-3-Clause
// Reads columns of numbers from plain text.
#include "lib/io/formats.h"

#include "host/alloc.h"
#include "lib/io/finish.h"
#include "lib/io/grow.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"

#include <inttypes.h>
#include <math.h>

// Numbers by rows, as they are read.
struct table {
    double *val;
    int64_t count, capacity;
    int64_t rows, cols; // cols 0: no line yet
};

static void replace_separators(char *p)
{
    for (; *p; ++p)
        if (*p == ',' || *p == ';')
            *p = ' ';
}

static enum lcl_status read_number(struct table *T, const lcl_stream *s,
                                   char **p)
{
    double value;
    char *end = lcl_parse_double(*p, &value);
    if (!end || !lcl_is_gap(*end) || !isfinite(value))
        return lcl_stream_fail(s, LCL_EFORMAT, "expected a number, found %s",
                               lcl_mm_found(*p).text);
    void *array = T->val;
    const enum lcl_status st =
        lcl_io_grow(&array, &T->capacity, T->count + 1, INT64_MAX / 2,
                    sizeof *T->val, lcl_stream_log(s));
    if (st < 0)
        return st;
    T->val = array;
    T->val[T->count++] = value;
    *p = lcl_skip_blanks(end);
    return LCL_OK;
}

static enum lcl_status read_row(struct table *T, const lcl_stream *s, char *p)
{
    const int64_t before = T->count;
    while (*p) {
        const enum lcl_status st = read_number(T, s, &p);
        if (st < 0)
            return st;
    }
    const int64_t found = T->count - before;
    if (T->cols == 0)
        T->cols = found;
    if (found != T->cols)
        return lcl_stream_fail(s, LCL_EFORMAT,
                               "expected %" PRId64 " number%s as in the lines "
                               "before, found %" PRId64,
                               T->cols, T->cols == 1 ? "" : "s", found);
    ++T->rows;
    return T->rows <= INT32_MAX
               ? LCL_OK
               : lcl_stream_fail(s, LCL_ERANGE,
                                 "expected fewer than 2^31 lines, found more");
}

static enum lcl_status read_lines(struct table *T, lcl_stream *s)
{
    for (;;) {
        char *p, *end;
        enum lcl_status st = lcl_stream_line(s, &p, &end);
        if (st < 0 || !p)
            return st;
        replace_separators(p);
        p = lcl_skip_blanks(p);
        if (*p == '\0' || *p == '#' || *p == '%')
            continue;
        if ((st = read_row(T, s, p)) < 0)
            return st;
    }
}

enum lcl_status lcl_columns_read(struct lcl_dense *X, lcl_stream *s,
                                 struct lcl_read_info *info)
{
    struct table T = {.count = 0};
    enum lcl_status st = read_lines(&T, s);
    if (st == LCL_OK && T.count == 0)
        st = lcl_stream_fail(s, LCL_EFORMAT, "expected numbers, found none");
    if (st == LCL_OK)
        st = lcl_io_by_columns(&T.val, T.rows, T.cols, 1, lcl_stream_log(s));
    if (st < 0) {
        lcl_free(T.val);
        return st;
    }
    *X = (struct lcl_dense){T.rows, T.cols, T.val};
    info->entries = T.count;
    info->bytes = lcl_stream_bytes(s);
    return LCL_OK;
}
