// SPDX-License-Identifier: BSD-3-Clause
// Reads Rutherford-Boeing and Harwell-Boeing files: a matrix by columns, in
// fields of the widths that Fortran formats give. Arrays grow with the data
// read: a header may lie.
#include "lib/io/formats.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/finish.h"
#include "lib/io/grow.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIELD_MAX = 60, FORMAT_BYTES = 32, PER_LINE_MAX = 1000 };
#define ENTRIES_MAX (INT64_C(1) << 50)

// `count` fields of `width` characters in a line.
struct format {
    int count, width;
};

struct header {
    char type[4]; // lower case
    int64_t rows, cols, entries;
    bool has_rhs; // a line about right-hand sides follows the formats
    struct format pointers, indices, values;
};

// ------------------------------------------------------------------- header

static enum lcl_status next_line(lcl_stream *s, const char *what, char **line,
                                 char **end)
{
    const enum lcl_status st = lcl_stream_line(s, line, end);
    return st < 0 || *line
               ? st
               : lcl_stream_fail(s, LCL_EFORMAT,
                                 "expected %s, found the end of the file",
                                 what);
}

// Integers of a line, at least `least` of them; *count = how many there are.
static enum lcl_status parse_integers(const lcl_stream *s, char *p,
                                      int64_t *number, int least, int most,
                                      int *count)
{
    for (*count = 0; *count < most; ++*count) {
        p = lcl_skip_blanks(p);
        char *end = *p ? lcl_parse_int(p, &number[*count]) : NULL;
        if (!end || !lcl_is_gap(*end))
            break;
        p = end;
    }
    return *count >= least
               ? LCL_OK
               : lcl_stream_fail(s, LCL_EFORMAT,
                                 "expected %d numbers of a Rutherford-Boeing "
                                 "header, found %s",
                                 least, lcl_mm_found(p).text);
}

// Lines of right-hand sides, if the line has five numbers.
static enum lcl_status read_counts(struct header *h, lcl_stream *s)
{
    int64_t number[5];
    int count;
    char *p, *end;
    enum lcl_status st = next_line(s, "the numbers of lines", &p, &end);
    if (st == LCL_OK)
        st = parse_integers(s, p, number, 4, 5, &count);
    h->has_rhs = st == LCL_OK && count == 5 && number[4] > 0;
    return st;
}

static enum lcl_status check_type(const struct header *h, const lcl_stream *s)
{
    const char *type = h->type;
    if (!strchr("rip", type[0]) || type[1] == 'h' || type[2] != 'a')
        return lcl_stream_fail(s, LCL_EUNSUPPORTED,
                               "expected an assembled matrix of real or "
                               "integer numbers or a pattern, found type '%s'",
                               type);
    return LCL_OK;
}

static enum lcl_status check_sizes(const struct header *h, const lcl_stream *s)
{
    const struct lcl_mm_header sizes = {
        .layout = LCL_MM_COORDINATE, .rows = h->rows, .entries = h->entries};
    if (h->rows < 1 || h->cols < 1 || h->entries < 0)
        return lcl_stream_fail(s, LCL_EFORMAT,
                               "expected at least one row and column and a "
                               "number of entries");
    if (h->rows > INT32_MAX || h->cols > INT32_MAX || h->entries > ENTRIES_MAX)
        return lcl_stream_fail(s, LCL_ERANGE,
                               "expected at most %d rows and columns, found "
                               "%" PRId64 " x %" PRId64,
                               INT32_MAX, h->rows, h->cols);
    if (strchr("sz", h->type[1]) && h->rows != h->cols)
        return lcl_stream_fail(s, LCL_EFORMAT,
                               "expected a square matrix, because it is "
                               "symmetric, found %" PRId64 " x %" PRId64,
                               h->rows, h->cols);
    return lcl_mm_check_sparse(&sizes, s);
}

static enum lcl_status read_type(struct header *h, lcl_stream *s)
{
    int64_t number[4];
    int count;
    char *p, *end;
    enum lcl_status st = next_line(s, "the type of the matrix", &p, &end);
    if (st < 0)
        return st;
    for (int i = 0; i < 3 && p[i]; ++i)
        h->type[i] = (char)tolower((unsigned char)p[i]);
    if ((st = check_type(h, s)) < 0 ||
        (st = parse_integers(s, p + 3, number, 3, 4, &count)) < 0)
        return st;
    h->rows = number[0];
    h->cols = number[1];
    h->entries = number[2];
    return check_sizes(h, s);
}

// "(13I6)", "(1P,3E25.16)": the count and the width around the letter of the
// type.
static enum lcl_status parse_format(struct format *F, const lcl_stream *s,
                                    const char *text, bool integer)
{
    const char *letter = strpbrk(text, integer ? "iI" : "eEdDfFgG");
    const char *digits = letter;
    int64_t count = 1, width = 0;
    char number[FORMAT_BYTES];
    while (digits && digits > text && isdigit((unsigned char)digits[-1]))
        --digits;
    if (digits && digits < letter) {
        snprintf(number, sizeof number, "%.*s", (int)(letter - digits), digits);
        lcl_parse_int(number, &count);
    }
    if (letter) {
        snprintf(number, sizeof number, "%s", letter + 1);
        lcl_parse_int(number, &width);
    }
    *F = (struct format){(int)count, (int)width};
    return *text == '(' && count >= 1 && count <= PER_LINE_MAX && width >= 1 &&
                   width <= FIELD_MAX
               ? LCL_OK
               : lcl_stream_fail(s, LCL_EUNSUPPORTED,
                                 "expected a format of Fortran such as %s, "
                                 "found '%s'",
                                 integer ? "(13I6)" : "(3E25.16)", text);
}

// The text of a format in columns `from` .. `from` + bytes - 1 of a line.
static void cut(char text[FORMAT_BYTES], const char *line, int64_t length,
                int from, int bytes)
{
    while (bytes > 0 && from < length && line[from] == ' ') {
        ++from;
        --bytes;
    }
    const int64_t rest = from < length ? length - from : 0;
    int n = rest < bytes ? (int)rest : bytes;
    while (n > 0 && line[from + n - 1] == ' ')
        --n;
    snprintf(text, FORMAT_BYTES, "%.*s", n, n > 0 ? line + from : "");
}

static enum lcl_status read_formats(struct header *h, lcl_stream *s)
{
    char text[FORMAT_BYTES], *p, *end;
    enum lcl_status st = next_line(s, "the formats", &p, &end);
    if (st < 0)
        return st;
    cut(text, p, end - p, 0, 16);
    if ((st = parse_format(&h->pointers, s, text, true)) < 0)
        return st;
    cut(text, p, end - p, 16, 16);
    if ((st = parse_format(&h->indices, s, text, true)) < 0)
        return st;
    cut(text, p, end - p, 32, 20);
    if (h->type[0] != 'p')
        st = parse_format(&h->values, s, text, h->type[0] == 'i');
    return st < 0 || !h->has_rhs
               ? st
               : next_line(s, "the kind of right-hand sides", &p, &end);
}

static enum lcl_status read_header(struct header *h, lcl_stream *s)
{
    enum lcl_status st;
    char *title, *end;
    *h = (struct header){.has_rhs = false};
    if ((st = next_line(s, "a title", &title, &end)) < 0 ||
        (st = read_counts(h, s)) < 0 || (st = read_type(h, s)) < 0)
        return st;
    return read_formats(h, s);
}

// ------------------------------------------------------------------- fields

// A number of a field, which a NUL follows.
static enum lcl_status parse_field(const lcl_stream *s, char *text,
                                   bool integer, double *value)
{
    int64_t whole = 0;
    char *p = lcl_skip_blanks(text);
    char *end = integer ? lcl_parse_int(p, &whole) : lcl_parse_double(p, value);
    if (integer)
        *value = (double)whole;
    if (!end || *lcl_skip_blanks(end) || !isfinite(*value))
        return lcl_stream_fail(s, LCL_EFORMAT, "expected %s, found %s",
                               integer ? "an integer" : "a number",
                               lcl_mm_found(p).text);
    return LCL_OK;
}

// Reads the fields of one line, at most up to `most` numbers in all.
static enum lcl_status read_fields(const lcl_stream *s, const struct format *F,
                                   char *line, int64_t length, bool integer,
                                   double *values, int *count, int64_t most)
{
    *count = 0;
    for (int k = 0; k < F->count && *count < most; ++k) {
        const int64_t from = (int64_t)k * F->width;
        const int64_t rest = length - from;
        char field[FIELD_MAX + 1];
        if (rest <= 0)
            break;
        snprintf(field, sizeof field, "%.*s",
                 (int)(rest < F->width ? rest : F->width), line + from);
        const enum lcl_status st =
            parse_field(s, field, integer, &values[*count]);
        if (st < 0)
            return st;
        ++*count;
    }
    return LCL_OK;
}

// Reads `count` numbers, integers as exact doubles; the caller frees *array.
static enum lcl_status read_numbers(lcl_stream *s, const struct format *F,
                                    bool integer, int64_t count,
                                    const char *what, double **array)
{
    double values[PER_LINE_MAX];
    int64_t capacity = 0, done = 0;
    while (done < count) {
        int n;
        char *line, *end;
        void *grown = *array;
        enum lcl_status st = next_line(s, what, &line, &end);
        if (st < 0 ||
            (st = read_fields(s, F, line, end - line, integer, values, &n,
                              count - done)) < 0 ||
            (st = lcl_io_grow(&grown, &capacity, done + n, count,
                              sizeof **array, lcl_stream_log(s))) < 0)
            return st;
        *array = grown;
        memcpy(*array + done, values, (size_t)n * sizeof *values);
        done += n;
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- matrix

struct arrays {
    double *pointer, *index, *value;
};

static enum lcl_status check_pointers(const struct header *h,
                                      const lcl_stream *s,
                                      const double *pointer)
{
    bool good = pointer[0] == 1 && pointer[h->cols] == (double)h->entries + 1;
    for (int64_t j = 0; j < h->cols; ++j)
        good = good && pointer[j] <= pointer[j + 1];
    return good ? LCL_OK
                : lcl_stream_fail(s, LCL_EFORMAT,
                                  "expected pointers to columns that ascend "
                                  "from 1 to %" PRId64 ", found others",
                                  h->entries + 1);
}

static enum lcl_status read_arrays(struct arrays *R, lcl_stream *s,
                                   const struct header *h)
{
    enum lcl_status st;
    if ((st = read_numbers(s, &h->pointers, true, h->cols + 1,
                           "pointers to columns", &R->pointer)) < 0 ||
        (st = check_pointers(h, s, R->pointer)) < 0 ||
        (st = read_numbers(s, &h->indices, true, h->entries, "row indices",
                           &R->index)) < 0)
        return st;
    for (int64_t k = 0; k < h->entries; ++k)
        if (R->index[k] < 1 || R->index[k] > (double)h->rows)
            return lcl_stream_fail(s, LCL_EFORMAT,
                                   "expected row indices from 1 to %" PRId64
                                   ", found %.0f as index %" PRId64,
                                   h->rows, R->index[k], k + 1);
    return h->type[0] == 'p' ? LCL_OK
                             : read_numbers(s, &h->values, h->type[0] == 'i',
                                            h->entries, "values", &R->value);
}

static enum lcl_status make_entries(struct lcl_entries *E, const lcl_stream *s,
                                    const struct header *h,
                                    const struct arrays *R)
{
    E->at = lcl_malloc((size_t)(h->entries ? h->entries : 1), sizeof *E->at);
    if (!E->at)
        return lcl_fail_memory(lcl_stream_log(s), "the entries of the file");
    E->count = h->entries;
    for (int64_t j = 0; j < h->cols; ++j)
        for (int64_t k = (int64_t)R->pointer[j] - 1;
             k < (int64_t)R->pointer[j + 1] - 1; ++k) {
            const int32_t row = (int32_t)R->index[k] - 1;
            E->at[k] =
                (struct lcl_entry){row, (int32_t)j, R->value ? R->value[k] : 1};
            if (h->type[1] == 'z' && row == j)
                return lcl_stream_fail(s, LCL_EFORMAT,
                                       "expected no diagonal entries, because "
                                       "the matrix is skew-symmetric, found "
                                       "one in row %" PRId32,
                                       row + 1);
        }
    return LCL_OK;
}

static enum lcl_status build(struct lcl_csr *A, lcl_stream *s,
                             const struct header *h, const struct arrays *R,
                             struct lcl_read_info *info)
{
    const enum lcl_symmetry symmetry = h->type[1] == 's'   ? LCL_SYMMETRIC
                                       : h->type[1] == 'z' ? LCL_SKEW_SYMMETRIC
                                                           : LCL_GENERAL;
    struct lcl_entries E = {0};
    enum lcl_status st = make_entries(&E, s, h, R);
    A->rows = h->rows;
    A->cols = h->cols;
    if (st == LCL_OK)
        st = lcl_csr_from_entries(A, &E, symmetry, &info->duplicates,
                                  lcl_stream_log(s));
    if (st == LCL_OK)
        st = lcl_io_finish_csr(A, 0, 1, s, info);
    lcl_entries_finish(&E);
    info->entries = h->entries;
    info->bytes = lcl_stream_bytes(s);
    info->symmetric = symmetry;
    info->pattern = h->type[0] == 'p';
    return st;
}

enum lcl_status lcl_rutherford_boeing_read(struct lcl_csr *A, lcl_stream *s,
                                           struct lcl_read_info *info)
{
    struct header h;
    struct arrays R = {.pointer = NULL};
    enum lcl_status st = read_header(&h, s);
    if (st == LCL_OK)
        st = read_arrays(&R, s, &h);
    if (st == LCL_OK)
        st = build(A, s, &h, &R, info);
    lcl_free(R.pointer);
    lcl_free(R.index);
    lcl_free(R.value);
    if (st < 0)
        lcl_csr_finish(A);
    return st;
}
