// SPDX-License-Identifier: BSD-3-Clause
// Reads arrays of NumPy. The array grows with the data read: a header may lie.
#include "lib/io/formats.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/finish.h"
#include "lib/io/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 1 << 16, BLOCK = 1 << 12, PREFIX = 8 };

struct header {
    char kind; // f, i, u
    int bytes; // of a real number
    int parts; // 2 of complex numbers
    bool big;  // the first byte is the highest one
    bool by_columns;
    int64_t rows, cols;
};

static enum lcl_status take(lcl_stream *s, void *to, size_t size)
{
    return lcl_stream_copy_all(s, to, size, LCL_EFORMAT,
                               "expected more bytes of a NumPy array, found "
                               "the end of the file");
}

// ------------------------------------------------------------------- header

// The text after 'key': in the header.
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, " :");
}

// One or two digits before the quote; 0: something else.
static int parse_bytes(const char *at)
{
    int bytes = 0;
    for (int k = 0; k < 2 && *at >= '0' && *at <= '9'; ++k)
        bytes = 10 * bytes + *at++ - '0';
    return *at == '\'' ? bytes : 0;
}

static bool parse_type(struct header *h, const char *text)
{
    const char *at = value_of(text, "'descr'");
    if (!at || *at++ != '\'' || !*at || !strchr("<>|=", *at))
        return false;
    h->big = *at++ == '>';
    h->kind = *at ? *at++ : '\0';
    h->parts = h->kind == 'c' ? 2 : 1;
    if (h->kind == 'c')
        h->kind = 'f';
    h->bytes = parse_bytes(at) / h->parts;
    const bool power = h->bytes > 0 && (h->bytes & (h->bytes - 1)) == 0;
    return power && h->bytes <= 8 &&
           ((h->kind == 'f' && h->bytes >= 4) || h->kind == 'i' ||
            h->kind == 'u');
}

static bool parse_order(struct header *h, const char *text)
{
    const char *at = value_of(text, "'fortran_order'");
    h->by_columns = at && strncmp(at, "True", 4) == 0;
    return at && (h->by_columns || strncmp(at, "False", 5) == 0);
}

// Digits at *at, and what follows them up to the next size or the end.
static bool parse_size(const char **at, int64_t *size)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    const unsigned long long value = strtoull(*at, &end, 10);
    *size = value > INT32_MAX ? INT64_MAX : (int64_t)value;
    *at = end + strspn(end, " ,L");
    return true;
}

// (rows,) or (rows, cols)
static bool parse_shape(struct header *h, const char *text)
{
    const char *at = value_of(text, "'shape'");
    h->cols = 1;
    if (!at || *at++ != '(' || !parse_size(&at, &h->rows))
        return false;
    return (*at == ')' || parse_size(&at, &h->cols)) && *at == ')';
}

static enum lcl_status parse_header(struct header *h, const lcl_stream *s,
                                    const char *text)
{
    if (!parse_type(h, text))
        return lcl_stream_refuse(
            s, LCL_EUNSUPPORTED,
            "expected a NumPy array of real, complex or integer numbers, real "
            "ones of up to 8 bytes, found another type");
    if (!parse_order(h, text))
        return lcl_stream_refuse(
            s, LCL_EFORMAT, "expected the order of a NumPy array, found none");
    if (!parse_shape(h, text))
        return lcl_stream_refuse(
            s, LCL_EUNSUPPORTED,
            "expected a NumPy array of one or two dimensions, found "
            "another shape");
    if (h->rows < 1 || h->cols < 1)
        return lcl_stream_refuse(
            s, LCL_EFORMAT,
            "expected at least one row and column, found an empty "
            "array");
    return h->rows <= INT32_MAX / h->parts && h->cols <= INT32_MAX
               ? LCL_OK
               : lcl_stream_refuse(
                     s, LCL_ERANGE,
                     "expected fewer than 2^31 rows and columns, found more");
}

static enum lcl_status read_header(struct header *h, lcl_stream *s)
{
    unsigned char prefix[PREFIX], bytes[4] = {0};
    enum lcl_status st = take(s, prefix, sizeof prefix);
    if (st < 0 || (st = take(s, bytes, prefix[6] == 1 ? 2 : 4)) < 0)
        return st;
    const uint32_t size = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                          (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (prefix[6] < 1 || prefix[6] > 3 || size > HEADER_MAX)
        return lcl_stream_refuse(
            s, LCL_EUNSUPPORTED,
            "expected a NumPy array of format 1 to 3 with a short "
            "header, found another one");
    char *text = lcl_calloc((size_t)size + 1, 1);
    if (!text)
        return lcl_fail_memory(lcl_stream_log(s), "a header");
    st = take(s, text, size);
    if (st == LCL_OK)
        st = parse_header(h, s, text);
    lcl_free(text);
    return st;
}

// ------------------------------------------------------------------- numbers

static double number(const struct header *h, const unsigned char *at)
{
    uint64_t bits = 0;
    for (int i = 0; i < h->bytes; ++i)
        bits = bits << 8 | at[h->big ? i : h->bytes - 1 - i];
    if (h->kind == 'f' && h->bytes == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (h->kind == 'f') {
        const uint32_t half = (uint32_t)bits;
        float x;
        memcpy(&x, &half, sizeof x);
        return x;
    }
    const uint64_t sign = UINT64_C(1) << (8 * h->bytes - 1);
    return h->kind == 'i' && (bits & sign)
               ? -(double)(sign - (bits & (sign - 1)))
               : (double)bits;
}

static enum lcl_status read_numbers(struct lcl_dense *X, lcl_stream *s,
                                    const struct header *h)
{
    const int64_t count = h->rows * h->cols * h->parts;
    int64_t capacity = 0;
    unsigned char bytes[BLOCK * 8];
    for (int64_t done = 0; done < count;) {
        const int64_t n = count - done < BLOCK ? count - done : BLOCK;
        enum lcl_status st = take(s, bytes, (size_t)(n * h->bytes));
        void *array = X->val;
        if (st < 0 || (st = lcl_io_grow(&array, &capacity, done + n, count,
                                        sizeof *X->val, lcl_stream_log(s))) < 0)
            return st;
        X->val = array;
        for (int64_t i = 0; i < n; ++i, ++done) {
            X->val[done] = number(h, bytes + i * h->bytes);
            if (!isfinite(X->val[done]))
                return lcl_stream_refuse(
                    s, LCL_EFORMAT,
                    "expected a finite number, found %g as number %" PRId64,
                    X->val[done], done);
        }
    }
    char more;
    size_t taken;
    if (!lcl_stream_copy(s, &more, 1, &taken))
        return lcl_stream_report(s);
    return taken == 0 ? LCL_OK
                      : lcl_stream_refuse(
                            s, LCL_EFORMAT,
                            "expected the end of the file after the numbers "
                            "of a NumPy array, found more bytes");
}

enum lcl_status lcl_npy_read(struct lcl_dense *X, lcl_stream *s,
                             struct lcl_read_info *info)
{
    struct header h = {.rows = 0};
    enum lcl_status st = read_header(&h, s);
    if (st < 0)
        return st;
    st = read_numbers(X, s, &h);
    if (st == LCL_OK && !h.by_columns)
        st = lcl_io_by_columns(&X->val, h.rows, h.cols, h.parts,
                               lcl_stream_log(s));
    if (st < 0) {
        lcl_dense_finish(X);
        return st;
    }
    X->rows = h.rows * h.parts;
    X->cols = h.cols;
    info->entries = h.rows * h.cols;
    info->is_complex = h.parts == 2;
    info->bytes = lcl_stream_bytes(s);
    return LCL_OK;
}
