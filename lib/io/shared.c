// SPDX-License-Identifier: BSD-3-Clause
// Ranks that read one Matrix Market file together. Each parses a slice of its
// lines, without messages, and once more with messages if that fails: only then
// does it count the lines before, which the messages need.
#include "lib/io/shared.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/comm/consistency.h"
#include "lib/io/finish.h"
#include "lib/io/formats.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Entries of a message, of which an exchange has one for each pair of ranks.
enum { MESSAGE = 1 << 22 };
enum { CHUNK = 1 << 16 }; // bytes that are searched at once

struct shared {
    const char *path;
    struct lcl_comm *C;
    struct lcl_share share;
    lcl_stream *stream;
    bool slices; // a plain Matrix Market file
    struct lcl_mm_header header;
    int parts;         // real rows of a row of the file: 2 of a complex one
    int64_t body, end; // the bytes after the header
    struct lcl_rows *R;
    int64_t *first; // row of each rank, and the number of all
    // the numbers of entries from each rank to each other one, by sender
    int64_t *count;
    struct lcl_entry *out; // entries in the order of the ranks that own them
    struct lcl_entries in;
};

// ------------------------------------------------------------------- opening

// Whether the file can begin with a banner; all others have readers of their
// own, or a reason to be refused.
static bool is_matrix_market(const char *bytes, size_t size)
{
    return size > 0 && *bytes == '%' && !lcl_is_tar(bytes, size) &&
           !lcl_foreign_format(bytes, size);
}

static enum lcl_status look_at_file(struct shared *S)
{
    const char *bytes;
    size_t size;
    enum lcl_status st = lcl_stream_peek(S->stream, &bytes, &size);
    if (st < 0 || !lcl_stream_place(S->stream, &S->body, &S->end) ||
        !is_matrix_market(bytes, size))
        return st;
    S->slices = true;
    if ((st = lcl_mm_read_header(&S->header, S->stream)) < 0)
        return st;
    S->parts = S->header.field == LCL_MM_COMPLEX ? 2 : 1;
    lcl_stream_place(S->stream, &S->body, &S->end);
    if (S->header.rows != S->header.cols)
        return lcl_fail(&S->C->log, LCL_EFORMAT,
                        "expected a square matrix, found %" PRId64
                        " x %" PRId64,
                        S->header.rows, S->header.cols);
    return lcl_mm_check_sparse(&S->header, S->stream);
}

static enum lcl_status open_file(struct shared *S)
{
    const enum lcl_status st = lcl_stream_open(&S->stream, S->path, &S->C->log);
    return st < 0 ? st : look_at_file(S);
}

// Whether all ranks have opened the same file.
static enum lcl_status compare_files(const struct shared *S)
{
    const struct lcl_mm_header *h = &S->header;
    const struct lcl_common all[] = {
        {"the block size", S->share.block},
        {"its way to read the file", S->slices},
        {"the size of the file", (double)S->end},
        {"the number of rows", (double)h->rows},
        {"the number of entries", (double)h->entries},
        {"the symmetry of the file", h->symmetry},
        {"the kind of values", h->field},
    };
    return lcl_comm_expect_equal(S->C, S->path, all, sizeof all / sizeof *all);
}

// ------------------------------------------------------------------- slices

// Goes on behind the next line end from `at` - 1 on; *start is that place.
static enum lcl_status find_line(struct shared *S, int64_t at, int64_t *start)
{
    char chunk[CHUNK];
    size_t taken = 1;
    *start = at;
    if (at <= S->body)
        return LCL_OK;
    const enum lcl_status st = lcl_stream_slice(S->stream, --*start, S->end, 0);
    if (st < 0)
        return st;
    while (taken > 0) {
        if (!lcl_stream_copy(S->stream, chunk, sizeof chunk, &taken))
            return lcl_stream_report(S->stream);
        const char *newline = memchr(chunk, '\n', taken);
        *start += newline ? newline + 1 - chunk : (int64_t)taken;
        if (newline)
            break;
    }
    return LCL_OK;
}

static int64_t cut_of(const struct shared *S, int rank)
{
    const int64_t bytes = S->end - S->body, size = S->C->size;
    return S->body + bytes / size * rank + bytes % size * rank / size;
}

// The lines of a rank.
static enum lcl_status find_slice(struct shared *S, int rank, int64_t *from,
                                  int64_t *to)
{
    const enum lcl_status st = find_line(S, cut_of(S, rank), from);
    return st < 0 ? st : find_line(S, cut_of(S, rank + 1), to);
}

// Number of lines before `to`.
static enum lcl_status count_lines(struct shared *S, int64_t to, int64_t *lines)
{
    char chunk[CHUNK];
    size_t taken = 1;
    *lines = 0;
    const enum lcl_status st = lcl_stream_slice(S->stream, 0, to, 0);
    while (st == LCL_OK && taken > 0) {
        if (!lcl_stream_copy(S->stream, chunk, sizeof chunk, &taken))
            return lcl_stream_report(S->stream);
        for (size_t k = 0; k < taken; ++k)
            *lines += chunk[k] == '\n';
    }
    return st;
}

// All entries of the real form of a complex matrix.
static enum lcl_status read_pairs(const struct shared *S, lcl_stream *stream,
                                  struct lcl_entries *E, int64_t *lines)
{
    struct lcl_pairs P = {0};
    enum lcl_status st = lcl_mm_read_some_pairs(&P, stream, &S->header);
    *lines = P.re.count;
    if (st == LCL_OK)
        st = lcl_entries_of_pairs(E, &P, S->header.symmetry,
                                  lcl_stream_log(stream));
    lcl_pairs_finish(&P);
    return st;
}

static enum lcl_status read_entries(const struct shared *S, lcl_stream *stream,
                                    struct lcl_entries *E, int64_t *lines)
{
    const enum lcl_status st =
        S->parts == 2 ? read_pairs(S, stream, E, lines)
                      : lcl_mm_read_some_entries(E, stream, &S->header);
    if (S->parts == 1)
        *lines = E->count;
    return st;
}

static enum lcl_status parse_aloud(struct shared *S, int64_t from, int64_t to,
                                   struct lcl_entries *E, int64_t *lines)
{
    int64_t before;
    enum lcl_status st;
    lcl_entries_finish(E);
    if ((st = count_lines(S, from, &before)) < 0 ||
        (st = lcl_stream_slice(S->stream, from, to, before)) < 0)
        return st;
    return read_entries(S, S->stream, E, lines);
}

static enum lcl_status parse_quietly(const struct shared *S, int64_t from,
                                     int64_t to, struct lcl_entries *E,
                                     int64_t *lines)
{
    lcl_stream *stream;
    enum lcl_status st = lcl_stream_open(&stream, S->path, NULL);
    if (st == LCL_OK && (st = lcl_stream_slice(stream, from, to, 0)) == LCL_OK)
        st = read_entries(S, stream, E, lines);
    lcl_stream_close(&stream);
    return st;
}

static enum lcl_status parse_slice(struct shared *S, struct lcl_entries *E,
                                   int64_t *lines)
{
    int64_t from, to;
    enum lcl_status st = find_slice(S, S->C->rank, &from, &to);
    if (st < 0)
        return st;
    st = parse_quietly(S, from, to, E, lines);
    return st < 0 ? parse_aloud(S, from, to, E, lines) : st;
}

// ------------------------------------------------------------------- digests

// FNV-1a, by words.
static uint64_t digest(uint64_t hash, const char *bytes, size_t count)
{
    uint64_t word;
    for (size_t k = 0; k < count; k += sizeof word) {
        const size_t rest = count - k;
        word = 0;
        memcpy(&word, bytes + k, rest < sizeof word ? rest : sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 32;
    }
    return hash;
}

// Of the lines of `rank` in the file of this one.
static enum lcl_status digest_slice(uint64_t *hash, struct shared *S, int rank)
{
    char chunk[CHUNK];
    size_t taken = 1;
    int64_t from, to;
    enum lcl_status st;
    *hash = UINT64_C(14695981039346656037);
    if ((st = find_slice(S, rank, &from, &to)) < 0 ||
        (st = lcl_stream_slice(S->stream, from, to, 0)) < 0)
        return st;
    while (taken > 0) {
        if (!lcl_stream_copy(S->stream, chunk, sizeof chunk, &taken))
            return lcl_stream_report(S->stream);
        *hash = digest(*hash, chunk, taken);
    }
    return LCL_OK;
}

// The rank whose lines this one checks: on another host if each has at most
// half of the ranks.
static int checked_by(const struct lcl_comm *C, int rank)
{
    return (rank + C->size / 2) % C->size;
}

// Whether each rank's lines are those of the rank that checks them; of other
// plain files, whose bytes are compared in the same way, a rank reads others,
// too.
static enum lcl_status compare_slices(struct shared *S)
{
    struct lcl_comm *C = S->C;
    uint64_t own[2]; // of the own lines and of those to check
    const void *room;
    enum lcl_status st = digest_slice(&own[0], S, C->rank);
    if (st == LCL_OK)
        st = digest_slice(&own[1], S, checked_by(C, C->rank));
    if ((st = lcl_comm_agree(C, st, S->path)) < 0 ||
        (st = lcl_comm_all(C, own, sizeof own, &room)) < 0)
        return st;
    const uint64_t *all = room;
    for (int r = 0; r < C->size; ++r) {
        const int other = checked_by(C, r);
        if (all[2 * r + 1] != all[2 * other])
            return lcl_fail(&C->log, LCL_EINVAL,
                            "%s: ranks %d and %d have files that differ",
                            S->path, r < other ? r : other,
                            r < other ? other : r);
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- owners

// The entry of the other triangle; false if there is none. Of a complex matrix
// it is in the list.
static bool mirror(const struct lcl_mm_header *h, const struct lcl_entry *e,
                   struct lcl_entry *other)
{
    *other = (struct lcl_entry){
        e->col, e->row, h->symmetry == LCL_SKEW_SYMMETRIC ? -e->val : e->val};
    return h->symmetry != LCL_GENERAL && h->field != LCL_MM_COMPLEX &&
           e->row != e->col;
}

// Calls for both triangles: counts entries per owner or, with `at`, places them
// where at[owner] says.
static void deal(const struct shared *S, const struct lcl_entries *E,
                 int64_t *count, int64_t *at)
{
    for (int64_t k = 0; k < E->count; ++k) {
        struct lcl_entry pair[2] = {E->at[k]};
        const int entries = 1 + mirror(&S->header, &pair[0], &pair[1]);
        for (int p = 0; p < entries; ++p) {
            const int64_t owner = lcl_row_of(S->first, S->C->size, pair[p].row);
            if (at)
                S->out[at[owner]++] = pair[p];
            else
                ++count[owner];
        }
    }
}

static int64_t sum_of(const int64_t *count, int64_t stride, int size)
{
    int64_t sum = 0;
    for (int r = 0; r < size; ++r)
        sum += count[r * stride];
    return sum;
}

// Orders the entries by owner.
static enum lcl_status sort(struct shared *S, const struct lcl_entries *E)
{
    const int size = S->C->size;
    int64_t *own = S->count + (size_t)S->C->rank * (size_t)size;
    int64_t *at = lcl_malloc((size_t)size, sizeof *at);
    memset(own, 0, (size_t)size * sizeof *own);
    deal(S, E, own, NULL);
    S->out = lcl_malloc((size_t)sum_of(own, 1, size), sizeof *S->out);
    if (!at || !S->out) {
        lcl_free(at);
        return lcl_fail_memory(&S->C->log, "entries of other ranks");
    }
    int64_t next = 0;
    for (int r = 0; r < size; ++r) {
        at[r] = next;
        next += own[r];
    }
    deal(S, E, NULL, at);
    lcl_free(at);
    return LCL_OK;
}

static enum lcl_status read_slice(struct shared *S, int64_t *lines)
{
    struct lcl_entries E = {0};
    enum lcl_status st = parse_slice(S, &E, lines);
    if (st == LCL_OK)
        st = sort(S, &E);
    lcl_entries_finish(&E);
    return st;
}

// ------------------------------------------------------------------- exchange

struct exchange {
    struct lcl_exchange_plan plan;
    int64_t *from; // where the entries of each rank start in S->out; and
    int64_t *to;   // in S->in
};

static int64_t part_of(int64_t count, int64_t round)
{
    const int64_t rest = count - round * MESSAGE;
    return rest < 0 ? 0 : rest < MESSAGE ? rest : MESSAGE;
}

// Lists the messages of a round.
static void list(const struct shared *S, struct exchange *X, int64_t round)
{
    const int rank = S->C->rank, size = S->C->size;
    X->plan.outs = X->plan.ins = 0;
    for (int r = 0; r < size; ++r) {
        const int64_t out = part_of(S->count[rank * size + r], round);
        const int64_t in = part_of(S->count[r * size + rank], round);
        if (r == rank)
            continue;
        if (out > 0)
            X->plan.out[X->plan.outs++] =
                (struct lcl_message){r, S->out + X->from[r] + round * MESSAGE,
                                     (size_t)out * sizeof *S->out};
        if (in > 0)
            X->plan.in[X->plan.ins++] =
                (struct lcl_message){r, NULL, (size_t)in * sizeof *S->out};
    }
}

static enum lcl_status exchange_round(const struct shared *S,
                                      struct exchange *X, int64_t round)
{
    enum lcl_status st;
    list(S, X, round);
    if ((st = lcl_comm_begin(S->C, &X->plan)) < 0 ||
        (st = lcl_comm_end(S->C, &X->plan)) < 0)
        return st;
    for (int k = 0; k < X->plan.ins; ++k) {
        const struct lcl_message *in = &X->plan.in[k];
        memcpy(S->in.at + X->to[in->peer] + round * MESSAGE, in->data,
               in->bytes);
    }
    return LCL_OK;
}

static int64_t rounds_of(const struct shared *S)
{
    const int64_t pairs = (int64_t)S->C->size * S->C->size;
    int64_t most = 0;
    for (int64_t k = 0; k < pairs; ++k)
        most = S->count[k] > most ? S->count[k] : most;
    return (most + MESSAGE - 1) / MESSAGE;
}

static enum lcl_status exchange_all(struct shared *S, struct exchange *X)
{
    const int rank = S->C->rank, size = S->C->size;
    int64_t from = 0, to = 0;
    enum lcl_status st = LCL_OK;
    for (int r = 0; r < size; ++r) {
        X->from[r] = from;
        X->to[r] = to;
        from += S->count[rank * size + r];
        to += S->count[r * size + rank];
    }
    if (S->count[rank * size + rank] > 0)
        memcpy(S->in.at + X->to[rank], S->out + X->from[rank],
               (size_t)S->count[rank * size + rank] * sizeof *S->out);
    for (int64_t round = 0; round < rounds_of(S) && st == LCL_OK; ++round)
        st = exchange_round(S, X, round);
    return st;
}

// Sends entries to their owners, all in the order of the file.
static enum lcl_status exchange(struct shared *S)
{
    const size_t size = (size_t)S->C->size;
    struct exchange X = {.from = lcl_malloc(size, sizeof *X.from),
                         .to = lcl_malloc(size, sizeof *X.to)};
    X.plan.out = lcl_malloc(size, sizeof *X.plan.out);
    X.plan.in = lcl_malloc(size, sizeof *X.plan.in);
    S->in.count = sum_of(S->count + S->C->rank, S->C->size, S->C->size);
    S->in.at = lcl_malloc((size_t)S->in.count, sizeof *S->in.at);
    enum lcl_status st = X.from && X.to && X.plan.out && X.plan.in && S->in.at
                             ? LCL_OK
                             : lcl_fail_memory(&S->C->log, "entries");
    st = lcl_comm_agree(S->C, st, S->path);
    if (st == LCL_OK)
        st = lcl_comm_agree(S->C, exchange_all(S, &X), S->path);
    lcl_free(X.from);
    lcl_free(X.to);
    lcl_free(X.plan.out);
    lcl_free(X.plan.in);
    return st;
}

// ------------------------------------------------------------------- rows

static enum lcl_status make_rows(struct shared *S)
{
    struct lcl_rows *R = S->R;
    struct lcl_csr A = {.rows = R->rows, .cols = R->total};
    struct lcl_read_info info = {.is_complex = S->parts == 2};
    for (int64_t k = 0; k < S->in.count; ++k)
        S->in.at[k].row -= (int32_t)R->first;
    enum lcl_status st = lcl_csr_from_entries(&A, &S->in, LCL_GENERAL,
                                              &info.duplicates, &S->C->log);
    if (st == LCL_OK &&
        (st = lcl_io_finish_csr(&A, R->first, 1, S->stream, &info)) == LCL_OK)
        st = lcl_rows_adopt(R, &A, &S->C->log);
    lcl_csr_finish(&A);
    return st;
}

static enum lcl_status allocate(struct shared *S)
{
    const size_t size = (size_t)S->C->size;
    const int64_t total = S->parts * S->header.rows;
    if (S->parts == 2)
        S->share.block = lcl_block_of_pairs(S->share.block);
    const enum lcl_status st =
        lcl_rows_init(S->R, total, &S->share, &S->C->log);
    S->R->is_complex = S->parts == 2;
    if (st < 0)
        return st;
    S->first = lcl_malloc(size, sizeof *S->first);
    S->count = lcl_malloc(size, size * sizeof *S->count);
    if (!S->first || !S->count)
        return lcl_fail_memory(&S->C->log, "the rows of all ranks");
    for (int r = 0; r < S->C->size; ++r) {
        int64_t rows;
        lcl_rows_share(total, S->share.block, r, S->C->size, &S->first[r],
                       &rows);
    }
    return LCL_OK;
}

// Whether the slices have as many entries as the header says.
static enum lcl_status check_count(const struct shared *S, int64_t lines)
{
    double sum = (double)lines;
    const enum lcl_status st = lcl_comm_sum(S->C, &sum, 1);
    if (st < 0 || sum == (double)S->header.entries)
        return st;
    return lcl_fail(&S->C->log, LCL_EFORMAT,
                    "%s: expected %" PRId64 " entries, found %.0f", S->path,
                    S->header.entries, sum);
}

static enum lcl_status read_slices(struct shared *S)
{
    const size_t bytes = (size_t)S->C->size * sizeof *S->count;
    const size_t own = (size_t)S->C->rank * (size_t)S->C->size;
    int64_t lines = 0;
    enum lcl_status st = allocate(S);
    if (st == LCL_OK)
        st = read_slice(S, &lines);
    if ((st = lcl_comm_agree(S->C, st, S->path)) < 0 ||
        (st = check_count(S, lines)) < 0 ||
        (st = lcl_comm_gather(S->C, S->count + own, bytes, S->count)) < 0 ||
        (st = exchange(S)) < 0)
        return st;
    lcl_free(S->out);
    S->out = NULL;
    return make_rows(S);
}

// ------------------------------------------------------------------- files

// Each rank for itself; compressed files may differ.
static enum lcl_status read_alone(struct shared *S)
{
    enum lcl_status st =
        lcl_rows_read(S->R, S->path, S->share.block, S->share.rank,
                      S->share.size, &S->C->log);
    const struct lcl_common rows = {"the number of rows", (double)S->R->total};
    st = lcl_comm_agree(S->C, st, S->path);
    return st < 0 ? st : lcl_comm_expect_equal(S->C, S->path, &rows, 1);
}

static enum lcl_status read_file(struct shared *S)
{
    enum lcl_status st = lcl_share_check(&S->share, &S->C->log);
    if (st == LCL_OK)
        st = open_file(S);
    if ((st = lcl_comm_agree(S->C, st, S->path)) < 0 ||
        (st = compare_files(S)) < 0)
        return st;
    if (S->end > 0 && S->C->size > 1 && (st = compare_slices(S)) < 0)
        return st;
    st = S->slices ? read_slices(S) : read_alone(S);
    return lcl_comm_agree(S->C, st, S->path);
}

enum lcl_status lcl_rows_read_shared(struct lcl_rows *out, const char *path,
                                     int block, struct lcl_comm *C)
{
    struct shared S = {
        .path = path, .C = C, .share = {block, C->rank, C->size}, .R = out};
    struct lcl_c_locale locale;
    *out = (struct lcl_rows)LCL_ROWS_INIT;
    const bool entered = lcl_c_locale_enter(&locale);
    enum lcl_status st = lcl_comm_agree(
        C, entered ? LCL_OK : lcl_fail_memory(&C->log, "a locale"), path);
    if (st == LCL_OK)
        st = read_file(&S);
    if (entered)
        lcl_c_locale_leave(&locale);
    lcl_stream_close(&S.stream);
    lcl_free(S.first);
    lcl_free(S.count);
    lcl_free(S.out);
    lcl_entries_finish(&S.in);
    if (st < 0)
        lcl_rows_finish(out);
    return st;
}
