// SPDX-License-Identifier: BSD-3-Clause
// Entries and values of a Matrix Market file.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"
#include "lib/io/pieces.h"

#include <inttypes.h>
#include <math.h>

// An entry with its imaginary part.
struct pair {
    struct lcl_entry re;
    double im;
};

// Reports a surplus entry at p or, if p is NULL, missing ones.
static enum lcl_status fail_count(const struct lcl_grammar *G,
                                  const lcl_stream *stream, int64_t count,
                                  const char *p)
{
    if (!p)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected %" PRId64 " entries, found the end of "
                               "the file after %" PRId64,
                               G->least, count);
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected the end of the file after entry %" PRId64
                           ", found %s",
                           count, lcl_mm_found(p).text);
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

static enum lcl_status expect_end(struct lcl_cursor *at)
{
    if (*at->p == '\0')
        return LCL_OK;
    return lcl_stream_fail(at->stream, LCL_EFORMAT,
                           "expected the end of the line, found %s",
                           lcl_mm_found(at->p).text);
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
                           skew ? "below" : "on or below", lcl_mm_symmetry(h),
                           e->row + 1, e->col + 1);
}

static enum lcl_status parse_position(struct lcl_cursor *at,
                                      const struct lcl_mm_header *h,
                                      struct lcl_entry *e)
{
    char *next = parse_index(at->p, h->rows, &e->row);
    if (!next)
        return fail_index(at->stream, "row", h->rows, at->p);
    at->p = next;
    if (!(next = parse_index(at->p, h->cols, &e->col)))
        return fail_index(at->stream, "column", h->cols, at->p);
    at->p = next;
    return LCL_OK;
}

static enum lcl_status parse_number(struct lcl_cursor *at,
                                    const struct lcl_mm_header *h,
                                    double *value)
{
    char *next = parse_value(at->p, h->field, value);
    if (!next)
        return fail_value(at->stream, h->field, at->p);
    at->p = next;
    return LCL_OK;
}

static enum lcl_status parse_entry(const struct lcl_grammar *G,
                                   struct lcl_cursor *at)
{
    const struct lcl_mm_header *h = G->user;
    struct lcl_entry *e = at->to;
    enum lcl_status st = parse_position(at, h, e);
    e->val = 1;
    if (st < 0 ||
        (h->field != LCL_MM_PATTERN &&
         (st = parse_number(at, h, &e->val)) < 0) ||
        (st = expect_end(at)) < 0)
        return st;
    return check_triangle(at->stream, h, e);
}

static enum lcl_status check_diagonal(const lcl_stream *stream,
                                      const struct lcl_mm_header *h,
                                      const struct pair *e)
{
    if (h->symmetry != LCL_HERMITIAN || e->re.row != e->re.col || e->im == 0)
        return LCL_OK;
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected a real entry on the diagonal, because the "
                           "matrix is Hermitian, found an imaginary part of %g",
                           e->im);
}

static enum lcl_status parse_pair(const struct lcl_grammar *G,
                                  struct lcl_cursor *at)
{
    const struct lcl_mm_header *h = G->user;
    struct pair *e = at->to;
    enum lcl_status st = parse_position(at, h, &e->re);
    if (st < 0 || (st = parse_number(at, h, &e->re.val)) < 0 ||
        (st = parse_number(at, h, &e->im)) < 0 || (st = expect_end(at)) < 0 ||
        (st = check_triangle(at->stream, h, &e->re)) < 0)
        return st;
    return check_diagonal(at->stream, h, e);
}

// An element of an array: a number, or both parts of a complex one.
static enum lcl_status parse_element(const struct lcl_grammar *G,
                                     struct lcl_cursor *at)
{
    const struct lcl_mm_header *h = G->user;
    double *to = at->to;
    enum lcl_status st = parse_number(at, h, to);
    if (st == LCL_OK && h->field == LCL_MM_COMPLEX)
        st = parse_number(at, h, to + 1);
    return st < 0 ? st : expect_end(at);
}

// *at = *count elements of `size` bytes, one for each line, at least `least`.
static enum lcl_status read_lines(void **at, int64_t *count, lcl_stream *stream,
                                  const struct lcl_mm_header *h, int64_t least,
                                  size_t size, lcl_parse_fn *parse)
{
    const struct lcl_grammar G = {.size = size,
                                  .least = least,
                                  .most = h->entries,
                                  .user = h,
                                  .parse = parse,
                                  .fail_count = fail_count};
    *at = NULL;
    *count = 0;
    return lcl_pieces_read(&G, stream, at, count);
}

static enum lcl_status read_entries(struct lcl_entries *E, lcl_stream *stream,
                                    const struct lcl_mm_header *h,
                                    int64_t least)
{
    void *at;
    const enum lcl_status st = read_lines(&at, &E->count, stream, h, least,
                                          sizeof *E->at, parse_entry);
    E->at = at;
    return st;
}

enum lcl_status lcl_mm_read_entries(struct lcl_entries *E, lcl_stream *stream,
                                    const struct lcl_mm_header *h)
{
    return read_entries(E, stream, h, h->entries);
}

enum lcl_status lcl_mm_read_some_entries(struct lcl_entries *E,
                                         lcl_stream *stream,
                                         const struct lcl_mm_header *h)
{
    return read_entries(E, stream, h, 0);
}

static struct lcl_entry imaginary_part(const struct pair *e)
{
    return (struct lcl_entry){e->re.row, e->re.col, e->im};
}

static enum lcl_status split(struct lcl_pairs *P, const struct pair *at,
                             int64_t count, const lcl_stream *stream)
{
    P->re.at = lcl_malloc((size_t)count, sizeof *P->re.at);
    P->im.at = lcl_malloc((size_t)count, sizeof *P->im.at);
    if (!P->re.at || !P->im.at)
        return lcl_fail_memory(lcl_stream_log(stream),
                               "the entries of the file");
    for (int64_t k = 0; k < count; ++k) {
        P->re.at[k] = at[k].re;
        P->im.at[k] = imaginary_part(&at[k]);
    }
    P->re.count = P->im.count = count;
    return LCL_OK;
}

static enum lcl_status read_pairs(struct lcl_pairs *P, lcl_stream *stream,
                                  const struct lcl_mm_header *h, int64_t least)
{
    void *at;
    int64_t count;
    enum lcl_status st = read_lines(&at, &count, stream, h, least,
                                    sizeof(struct pair), parse_pair);
    if (st == LCL_OK)
        st = split(P, at, count, stream);
    lcl_free(at);
    return st;
}

enum lcl_status lcl_mm_read_pairs(struct lcl_pairs *P, lcl_stream *stream,
                                  const struct lcl_mm_header *h)
{
    return read_pairs(P, stream, h, h->entries);
}

enum lcl_status lcl_mm_read_some_pairs(struct lcl_pairs *P, lcl_stream *stream,
                                       const struct lcl_mm_header *h)
{
    return read_pairs(P, stream, h, 0);
}

enum lcl_status lcl_mm_read_values(double **values, lcl_stream *stream,
                                   const struct lcl_mm_header *h)
{
    const size_t parts = h->field == LCL_MM_COMPLEX ? 2 : 1;
    void *array;
    int64_t count;
    const enum lcl_status st =
        read_lines(&array, &count, stream, h, h->entries,
                   parts * sizeof **values, parse_element);
    *values = array;
    return st;
}
