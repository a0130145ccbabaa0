// SPDX-License-Identifier: BSD-3-Clause
// Parses the rest of a text file on all cores. Threads parse the pieces of one
// batch while one of them reads the next batch. They report no errors: a piece
// that they refuse is parsed again, by the caller and in order.
#include "lib/io/pieces.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/io/grow.h"
#include "lib/io/number.h"

#include <locale.h>
#include <string.h>

// Bytes of a batch and least bytes of a piece; a batch holds the longest line.
#define BATCH_BYTES ((size_t)1 << 22)
#define PIECE_BYTES ((size_t)1 << 17)
enum { PIECES_MAX = BATCH_BYTES / PIECE_BYTES + 2 };

// Whole lines, and the elements that they may hold.
struct piece {
    char *begin, *end;
    int64_t lines;
    int64_t room;  // maximum number of elements
    int64_t first; // where the first element is stored
    int64_t count;
    bool is_sound;
};

struct batch {
    char *text; // BATCH_BYTES + 1
    size_t size;
    size_t cut; // text[cut .. size) is the start of a line
    int pieces;
    bool is_last; // no text follows
    bool failed;  // reading failed behind the text
    struct piece piece[PIECES_MAX];
};

struct reader {
    const struct lcl_grammar *G;
    lcl_stream *stream;
    locale_t locale;
    char *elements;
    int64_t count, capacity;
    struct batch *now, *next;
};

// ------------------------------------------------------------------- cutting

// Bytes that a condition counts: short sums, so that compilers vectorise them.
enum { RUN = 128 };

static int64_t count_lines(const char *text, size_t size)
{
    int64_t lines = 0;
    for (size_t from = 0; from < size; from += RUN) {
        const size_t to = from + RUN < size ? from + RUN : size;
        unsigned char sum = 0;
        for (size_t i = from; i < to; ++i)
            sum += text[i] == '\n';
        lines += sum;
    }
    return lines;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

// Words end before white space; the text ends with a line end.
static int64_t count_words(const char *text, size_t size)
{
    int64_t words = 0;
    for (size_t from = 0; from + 1 < size; from += RUN) {
        const size_t to = from + RUN < size - 1 ? from + RUN : size - 1;
        unsigned char sum = 0;
        for (size_t i = from; i < to; ++i)
            sum +=
                (unsigned)!is_space(text[i]) & (unsigned)is_space(text[i + 1]);
        words += sum;
    }
    return words;
}

// The end of the piece that starts at `from`; `from` if there is no line end.
static size_t piece_end(const struct batch *B, size_t from)
{
    size_t end = B->size;
    if (end - from > PIECE_BYTES) {
        const char *target = B->text + from + PIECE_BYTES - 1;
        const char *newline =
            memchr(target, '\n', end - from - PIECE_BYTES + 1);
        if (newline)
            return (size_t)(newline + 1 - B->text);
    }
    while (end > from && B->text[end - 1] != '\n')
        --end;
    return end;
}

static void cut(struct batch *B, bool is_words)
{
    size_t from = 0, end;
    for (B->pieces = 0; (end = piece_end(B, from)) > from; from = end) {
        char *text = B->text + from;
        const int64_t lines = count_lines(text, end - from);
        B->piece[B->pieces++] = (struct piece){
            .begin = text,
            .end = B->text + end,
            .lines = lines,
            .room = is_words ? count_words(text, end - from) : lines};
    }
    B->cut = from;
}

// Fills B with the unfinished line of the batch before, if there is one, and
// text behind it.
static void fill(struct reader *R, struct batch *B, const struct batch *before)
{
    const size_t carried = before ? before->size - before->cut : 0;
    const size_t room = BATCH_BYTES - carried;
    size_t taken;
    if (carried > 0)
        memcpy(B->text, before->text + before->cut, carried);
    B->failed = !lcl_stream_copy(R->stream, B->text + carried, room, &taken);
    B->is_last = B->failed || taken < room;
    B->size = carried + taken;
    if (B->is_last && !B->failed && B->size > 0 && B->text[B->size - 1] != '\n')
        B->text[B->size++] = '\n';
    cut(B, R->G->is_words);
}

// ------------------------------------------------------------------- parsing

static enum lcl_status parse_line(const struct lcl_grammar *G,
                                  struct lcl_cursor *at)
{
    while (*(at->p = lcl_skip_blanks(at->p)) != '\0') {
        if (at->stream && at->index == G->most)
            return G->fail_count(G, at->stream, at->index, at->p);
        const enum lcl_status st = G->parse(G, at);
        if (st < 0)
            return st;
        at->to = (char *)at->to + G->size;
        ++at->index;
    }
    return LCL_OK;
}

// Puts a NUL at the end of each line while it is parsed. With a stream, checks
// and counts the lines.
static enum lcl_status parse_lines(const struct lcl_grammar *G, struct piece *P,
                                   struct lcl_cursor *at, lcl_stream *stream)
{
    const int64_t first = at->index;
    for (char *p = P->begin; p < P->end;) {
        enum lcl_status st = LCL_OK;
        char *newline = memchr(p, '\n', (size_t)(P->end - p));
        char *stop = newline - (newline > p && newline[-1] == '\r');
        const char kept = *stop;
        if (stream)
            st = lcl_stream_check_line(stream, p, newline + 1);
        *stop = '\0';
        at->p = p;
        if (st == LCL_OK)
            st = parse_line(G, at);
        *stop = kept;
        if (st < 0)
            return st;
        p = newline + 1;
    }
    P->count = at->index - first;
    return LCL_OK;
}

// Lines have no NUL and are not too long: only the last one may be.
static bool has_plain_lines(const struct piece *P)
{
    const size_t size = (size_t)(P->end - P->begin);
    return size <= LCL_LINE_MAX && !memchr(P->begin, '\0', size);
}

static void parse_quietly(struct reader *R, struct piece *P)
{
    const struct lcl_grammar *G = R->G;
    struct lcl_cursor at = {.to = R->elements + (size_t)P->first * G->size};
    const locale_t before = uselocale(R->locale);
    P->is_sound = has_plain_lines(P) && parse_lines(G, P, &at, NULL) == LCL_OK;
    uselocale(before);
}

// Chunk 0 reads the next batch, unless there is none.
static void read_or_parse(void *arg, int64_t chunk)
{
    struct reader *R = arg;
    if (R->now->is_last)
        parse_quietly(R, &R->now->piece[chunk]);
    else if (chunk == 0)
        fill(R, R->next, R->now);
    else
        parse_quietly(R, &R->now->piece[chunk - 1]);
}

// ------------------------------------------------------------------- order

// Makes room for the elements of all pieces and places them there.
static enum lcl_status place(struct reader *R)
{
    struct batch *B = R->now;
    int64_t needed = R->count;
    for (int p = 0; p < B->pieces; ++p) {
        B->piece[p].first = needed;
        needed += B->piece[p].room;
    }
    void *elements = R->elements;
    const enum lcl_status st =
        lcl_io_grow(&elements, &R->capacity, needed, R->G->most, R->G->size,
                    lcl_stream_log(R->stream));
    R->elements = elements;
    return st;
}

static bool is_accepted(const struct reader *R, const struct piece *P)
{
    const struct lcl_grammar *G = R->G;
    return P->is_sound && P->count <= G->most - R->count &&
           (!G->fits || G->fits(R->elements, R->count, P->count));
}

// Appends the elements of a piece to those before: pieces with blank lines have
// less than they have room for.
static enum lcl_status append(struct reader *R, struct piece *P)
{
    const size_t size = R->G->size;
    char *to = R->elements + (size_t)R->count * size;
    enum lcl_status st = LCL_OK;
    if (P->is_sound && P->first != R->count)
        memmove(to, R->elements + (size_t)P->first * size,
                (size_t)P->count * size);
    if (is_accepted(R, P)) {
        lcl_stream_advance(R->stream, P->lines);
    } else {
        struct lcl_cursor at = {
            .stream = R->stream, .to = to, .index = R->count};
        st = parse_lines(R->G, P, &at, R->stream);
    }
    R->count += P->count;
    return st;
}

// Parses one batch and reads the next one meanwhile.
static enum lcl_status step(struct reader *R)
{
    struct batch *B = R->now;
    enum lcl_status st = place(R);
    if (st < 0)
        return st;
    lcl_parallel(B->pieces + !B->is_last, read_or_parse, R);
    for (int p = 0; p < B->pieces && st == LCL_OK; ++p)
        st = append(R, &B->piece[p]);
    if (st < 0)
        return st;
    if (B->failed)
        return lcl_stream_report(R->stream);
    if (!B->is_last && B->size - B->cut >= LCL_LINE_MAX)
        return lcl_stream_check_line(R->stream, B->text + B->cut,
                                     B->text + B->size);
    R->now = R->next;
    R->next = B;
    return LCL_OK;
}

static enum lcl_status read_batches(struct reader *R)
{
    enum lcl_status st;
    bool was_last;
    fill(R, R->now, NULL);
    if (!R->now->is_last) {
        R->next->text = lcl_malloc(BATCH_BYTES + 1, 1);
        if (!R->next->text)
            return lcl_fail_memory(lcl_stream_log(R->stream), "the text");
    }
    do {
        was_last = R->now->is_last;
        if ((st = step(R)) < 0)
            return st;
    } while (!was_last);
    lcl_stream_advance(R->stream, 1);
    return R->count < R->G->least
               ? R->G->fail_count(R->G, R->stream, R->count, NULL)
               : LCL_OK;
}

enum lcl_status lcl_pieces_read(const struct lcl_grammar *G, lcl_stream *stream,
                                void **elements, int64_t *count)
{
    struct batch *batch = lcl_calloc(2, sizeof *batch);
    if (!batch)
        return lcl_fail_memory(lcl_stream_log(stream), "the text");
    struct reader R = {.G = G,
                       .stream = stream,
                       .locale = uselocale((locale_t)0),
                       .now = &batch[0],
                       .next = &batch[1]};
    enum lcl_status st = LCL_OK;
    batch[0].text = lcl_malloc(BATCH_BYTES + 1, 1);
    if (batch[0].text)
        st = read_batches(&R);
    else
        st = lcl_fail_memory(lcl_stream_log(stream), "the text");
    *elements = R.elements;
    *count = R.count;
    lcl_free(batch[0].text);
    lcl_free(batch[1].text);
    lcl_free(batch);
    return st;
}
