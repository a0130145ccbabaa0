// SPDX-License-Identifier: BSD-3-Clause
// Banner, comments and sizes of a Matrix Market file.
#include "lib/io/mm.h"
#include "lib/io/number.h"

#include <inttypes.h>
#include <string.h>

#include <strings.h>

// Maximum number of entries: more cannot be addressed with working space.
#define ENTRIES_MAX (INT64_MAX / 64)

// Valid values of one word of the banner.
struct choice {
    const char *expected;
    struct {
        const char *word;
        int value;
    } words[5];
};

// clang-format off
static const struct choice banner_choice = {
    "'%%MatrixMarket'", {{"%%MatrixMarket", 0}}};
static const struct choice object_choice = {
    "'matrix'", {{"matrix", 0}}};
static const struct choice layout_choice = {
    "'coordinate' or 'array'",
    {{"coordinate", LCL_MM_COORDINATE}, {"array", LCL_MM_ARRAY}}};
static const struct choice field_choice = {
    "'real', 'complex', 'integer' or 'pattern'",
    {{"real", LCL_MM_REAL}, {"integer", LCL_MM_INTEGER},
     {"pattern", LCL_MM_PATTERN}, {"complex", LCL_MM_COMPLEX}}};
static const struct choice symmetry_choice = {
    "'general', 'symmetric', 'skew-symmetric' or 'Hermitian'",
    {{"general", LCL_GENERAL}, {"symmetric", LCL_SYMMETRIC},
     {"skew-symmetric", LCL_SKEW_SYMMETRIC}, {"Hermitian", LCL_HERMITIAN}}};
// clang-format on

const char *lcl_mm_symmetry(const struct lcl_mm_header *h)
{
    size_t k = 0;
    while (symmetry_choice.words[k].value != (int)h->symmetry)
        ++k;
    return symmetry_choice.words[k].word;
}

struct lcl_found lcl_mm_found(const char *p)
{
    struct lcl_found found = {"the end of the line"};
    if (lcl_is_gap(*p))
        return found;
    const size_t most = sizeof found.text - 6;
    size_t n = 0;
    found.text[n++] = '\'';
    for (; n < most && !lcl_is_gap(*p); ++p)
        found.text[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
    strcpy(found.text + n, lcl_is_gap(*p) ? "'" : "...'");
    return found;
}

// Reads the next word of the banner and converts it to its value.
static enum lcl_status read_word(const lcl_stream *stream, char **p,
                                 const struct choice *choice, int *value)
{
    char *word = lcl_skip_blanks(*p);
    const size_t length = strcspn(word, " \t");
    *p = word + length;
    for (size_t i = 0; choice->words[i].word; ++i) {
        const char *known = choice->words[i].word;
        if (strlen(known) != length || strncasecmp(known, word, length) != 0)
            continue;
        *value = choice->words[i].value;
        return LCL_OK;
    }
    return lcl_stream_fail(stream, LCL_EFORMAT, "expected %s, found %s",
                           choice->expected, lcl_mm_found(word).text);
}

static enum lcl_status expect_end(const lcl_stream *stream, char *p)
{
    p = lcl_skip_blanks(p);
    if (*p == '\0')
        return LCL_OK;
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected the end of the line, found %s",
                           lcl_mm_found(p).text);
}

// Rejects combinations that the format excludes.
static enum lcl_status check_kind(const lcl_stream *stream,
                                  const struct lcl_mm_header *h)
{
    if (h->symmetry == LCL_HERMITIAN && h->field != LCL_MM_COMPLEX)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected 'complex' for a Hermitian matrix");
    if (h->field != LCL_MM_PATTERN)
        return LCL_OK;
    if (h->layout == LCL_MM_ARRAY)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected 'real', 'complex' or 'integer' for an "
                               "array, found 'pattern'");
    if (h->symmetry == LCL_SKEW_SYMMETRIC)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected 'general' or 'symmetric' for a "
                               "pattern, found 'skew-symmetric'");
    return LCL_OK;
}

static enum lcl_status read_banner(lcl_stream *stream, struct lcl_mm_header *h)
{
    enum lcl_status st;
    char *p, *end;
    int ignored, layout, field, symmetry;
    if ((st = lcl_stream_line(stream, &p, &end)) < 0)
        return st;
    if (!p)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected %s, found an empty file",
                               banner_choice.expected);
    if ((st = read_word(stream, &p, &banner_choice, &ignored)) < 0 ||
        (st = read_word(stream, &p, &object_choice, &ignored)) < 0 ||
        (st = read_word(stream, &p, &layout_choice, &layout)) < 0 ||
        (st = read_word(stream, &p, &field_choice, &field)) < 0 ||
        (st = read_word(stream, &p, &symmetry_choice, &symmetry)) < 0 ||
        (st = expect_end(stream, p)) < 0)
        return st;
    h->layout = (enum lcl_mm_layout)layout;
    h->field = (enum lcl_mm_field)field;
    h->symmetry = (enum lcl_symmetry)symmetry;
    return check_kind(stream, h);
}

// Reads the next line that is neither blank nor a comment.
static enum lcl_status find_size_line(lcl_stream *stream, char **p)
{
    char *line, *end;
    do {
        const enum lcl_status st = lcl_stream_line(stream, &line, &end);
        if (st < 0)
            return st;
        if (!line)
            return lcl_stream_fail(stream, LCL_EFORMAT,
                                   "expected the sizes of the matrix, found "
                                   "the end of the file");
        line = lcl_skip_blanks(line);
    } while (line == end || *line == '%');
    *p = line;
    return LCL_OK;
}

static enum lcl_status read_size(const lcl_stream *stream, char **p,
                                 const char *what, int64_t *size)
{
    char *word = lcl_skip_blanks(*p);
    *p = lcl_parse_int(word, size);
    if (*p && *size == INT64_MAX)
        return lcl_stream_fail(stream, LCL_ERANGE,
                               "expected fewer than 2^63 %s, found %s", what,
                               lcl_mm_found(word).text);
    if (*p && *size >= 0 && lcl_is_gap(**p))
        return LCL_OK;
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected the number of %s, found %s", what,
                           lcl_mm_found(word).text);
}

static enum lcl_status check_shape(const lcl_stream *stream,
                                   const struct lcl_mm_header *h)
{
    if (h->rows == 0 || h->cols == 0)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected at least one row and column, found "
                               "an empty matrix");
    const int32_t most = INT32_MAX / (h->field == LCL_MM_COMPLEX ? 2 : 1);
    if (h->rows > most || h->cols > most)
        return lcl_stream_fail(stream, LCL_ERANGE,
                               "expected at most %" PRId32
                               " rows and columns, found %" PRId64
                               " x %" PRId64,
                               most, h->rows, h->cols);
    if (h->symmetry != LCL_GENERAL && h->rows != h->cols)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected a square matrix, because it is "
                               "%s, found %" PRId64 " x %" PRId64,
                               lcl_mm_symmetry(h), h->rows, h->cols);
    return LCL_OK;
}

// Number of values in an array file.
static int64_t array_entries(const struct lcl_mm_header *h)
{
    if (h->symmetry == LCL_GENERAL)
        return h->rows * h->cols;
    const bool skew = h->symmetry == LCL_SKEW_SYMMETRIC;
    return h->rows * (skew ? h->rows - 1 : h->rows + 1) / 2;
}

// Entries beyond the number of matrix elements are duplicates.
static enum lcl_status check_entries(const lcl_stream *stream,
                                     const struct lcl_mm_header *h)
{
    if (h->entries > ENTRIES_MAX)
        return lcl_stream_fail(stream, LCL_ERANGE,
                               "expected at most %" PRId64 " entries, found "
                               "%" PRId64,
                               ENTRIES_MAX, h->entries);
    return LCL_OK;
}

static enum lcl_status read_sizes(lcl_stream *stream, struct lcl_mm_header *h)
{
    enum lcl_status st;
    char *p;
    if ((st = find_size_line(stream, &p)) < 0 ||
        (st = read_size(stream, &p, "rows", &h->rows)) < 0 ||
        (st = read_size(stream, &p, "columns", &h->cols)) < 0)
        return st;
    if (h->layout == LCL_MM_COORDINATE &&
        (st = read_size(stream, &p, "entries", &h->entries)) < 0)
        return st;
    if ((st = expect_end(stream, p)) < 0 || (st = check_shape(stream, h)) < 0)
        return st;
    if (h->layout == LCL_MM_ARRAY)
        h->entries = array_entries(h);
    return check_entries(stream, h);
}

enum lcl_status lcl_mm_read_header(struct lcl_mm_header *h, lcl_stream *stream)
{
    *h = (struct lcl_mm_header){0};
    const enum lcl_status st = read_banner(stream, h);
    return st < 0 ? st : read_sizes(stream, h);
}
