// SPDX-License-Identifier: BSD-3-Clause
// Writes Matrix Market files. Threads print chunks of lines into memory; the
// caller writes them in order.
#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/io/mm.h"
#include "lib/matrix/csr.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>

// Values of a complex entry in real form.
enum { BLOCK = 4 };
// Lines of a chunk, maximum length of a line, chunks printed at once.
enum { LINES = 4096, LINE_BYTES = 96, CHUNKS = 32 };

// Prints lines from ... to-1; returns the number of characters.
typedef size_t print_fn(const void *object, int64_t from, int64_t to,
                        char *text);

struct printer {
    const void *object;
    print_fn *print;
    locale_t locale;
    int64_t first, lines; // of the chunks
    char *text;           // chunk c starts at LINES LINE_BYTES c
    size_t size[CHUNKS];
};

static void print_chunk(void *arg, int64_t chunk)
{
    struct printer *P = arg;
    const int64_t from = P->first + chunk * LINES;
    const int64_t to = from + LINES < P->lines ? from + LINES : P->lines;
    const locale_t before = uselocale(P->locale);
    P->size[chunk] =
        P->print(P->object, from, to, P->text + chunk * LINES * LINE_BYTES);
    uselocale(before);
}

static void write_lines(lcl_sink *sink, struct printer *P)
{
    bool ok = true;
    for (; ok && P->first < P->lines; P->first += CHUNKS * LINES) {
        const int64_t left = (P->lines - P->first + LINES - 1) / LINES;
        const int64_t chunks = left < CHUNKS ? left : CHUNKS;
        lcl_parallel(chunks, print_chunk, P);
        for (int64_t c = 0; ok && c < chunks; ++c)
            ok = lcl_sink_write(sink, P->text + c * LINES * LINE_BYTES,
                                P->size[c]);
    }
}

static enum lcl_status write_all(lcl_sink *sink, const void *object,
                                 print_fn *print, int64_t lines)
{
    const int64_t chunks = lines / LINES + 1;
    struct printer P = {.object = object,
                        .print = print,
                        .locale = uselocale((locale_t)0),
                        .lines = lines};
    P.text = lcl_malloc((size_t)(chunks < CHUNKS ? chunks : CHUNKS),
                        LINES * LINE_BYTES);
    if (!P.text)
        return lcl_fail_memory(lcl_sink_log(sink), "the text of a file");
    write_lines(sink, &P);
    lcl_free(P.text);
    return LCL_OK;
}

// ------------------------------------------------------------------- matrices

static size_t print_entries(const void *object, int64_t from, int64_t to,
                            char *text)
{
    const struct lcl_csr *A = object;
    char *p = text;
    int64_t i = lcl_csr_row_of(A, from);
    for (int64_t k = from; k < to; ++k) {
        while (k >= A->row_ptr[i + 1])
            ++i;
        p += snprintf(p, LINE_BYTES, "%" PRId64 " %" PRId32 " %.17g\n", i + 1,
                      A->col_ind[k] + 1, A->val[k]);
    }
    return (size_t)(p - text);
}

static size_t print_values(const void *object, int64_t from, int64_t to,
                           char *text)
{
    const struct lcl_dense *X = object;
    char *p = text;
    for (int64_t k = from; k < to; ++k)
        p += snprintf(p, LINE_BYTES, "%.17g\n", X->val[k]);
    return (size_t)(p - text);
}

// Entries of the real form are those of the blocks [[a, -b], [b, a]].
static size_t print_pairs(const void *object, int64_t from, int64_t to,
                          char *text)
{
    const struct lcl_csr *A = object;
    char *p = text;
    int64_t i = lcl_csr_row_of(A, BLOCK * from) / 2;
    for (int64_t k = from; k < to; ++k) {
        while (BLOCK * k >= A->row_ptr[2 * i + 2])
            ++i;
        const int64_t at =
            A->row_ptr[2 * i + 1] + 2 * k - A->row_ptr[2 * i] / 2;
        p +=
            snprintf(p, LINE_BYTES, "%" PRId64 " %" PRId32 " %.17g %.17g\n",
                     i + 1, A->col_ind[at] / 2 + 1, A->val[at + 1], A->val[at]);
    }
    return (size_t)(p - text);
}

static size_t print_pair_values(const void *object, int64_t from, int64_t to,
                                char *text)
{
    const struct lcl_dense *X = object;
    char *p = text;
    for (int64_t k = from; k < to; ++k)
        p += snprintf(p, LINE_BYTES, "%.17g %.17g\n", X->val[2 * k],
                      X->val[2 * k + 1]);
    return (size_t)(p - text);
}

static void write_header(lcl_sink *sink, const char *kind, const char *sizes)
{
    char text[128];
    const int size =
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s general\n%s\n",
                 kind, sizes);
    lcl_sink_write(sink, text, (size_t)size);
}

enum lcl_status lcl_mm_write_csr(lcl_sink *sink, const void *matrix)
{
    const struct lcl_csr *A = matrix;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%" PRId64 " %" PRId64 " %" PRId64, A->rows,
             A->cols, A->nnz);
    write_header(sink, "coordinate real", sizes);
    return write_all(sink, A, print_entries, A->nnz);
}

enum lcl_status lcl_mm_write_dense(lcl_sink *sink, const void *matrix)
{
    const struct lcl_dense *X = matrix;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%" PRId64 " %" PRId64, X->rows, X->cols);
    write_header(sink, "array real", sizes);
    return write_all(sink, X, print_values, X->rows * X->cols);
}

enum lcl_status lcl_mm_write_csr_pairs(lcl_sink *sink, const void *matrix)
{
    const struct lcl_csr *A = matrix;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%" PRId64 " %" PRId64 " %" PRId64,
             A->rows / 2, A->cols / 2, A->nnz / BLOCK);
    write_header(sink, "coordinate complex", sizes);
    return write_all(sink, A, print_pairs, A->nnz / BLOCK);
}

enum lcl_status lcl_mm_write_dense_pairs(lcl_sink *sink, const void *matrix)
{
    const struct lcl_dense *X = matrix;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%" PRId64 " %" PRId64, X->rows / 2, X->cols);
    write_header(sink, "array complex", sizes);
    return write_all(sink, X, print_pair_values, X->rows / 2 * X->cols);
}
