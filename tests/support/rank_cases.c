// SPDX-License-Identifier: BSD-3-Clause
// Cases for ranks that any transport connects. Lengths and contents of messages
// are hashes of round, sender and receiver.
#include "tests/support/rank_cases.h"

#include "lib/comm/consistency.h"
#include "tests/support/capture.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { RANKS_MAX = 8, ROUNDS = 2000, WORDS = 16, LARGE = 1 << 15 };

#define CHECK(condition)                                                       \
 do {                                                                          \
  if (!(condition)) {                                                          \
   fprintf(stderr, "%s:%d: rank %d of %d: not %s\n", __FILE__, __LINE__,       \
           C->rank, C->size, #condition);                                      \
   return LCL_ESELFTEST;                                                       \
  }                                                                            \
 } while (0)

#define TRY(call)                                                              \
 do {                                                                          \
  const enum lcl_status tried = (call);                                        \
  if (tried < 0)                                                               \
   return tried;                                                               \
 } while (0)

// Source of the constants: Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators" (2014).
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t hash(int round, int from, int to)
{
    return mix(mix(mix((uint64_t)round + 1) + (uint64_t)from) + (uint64_t)to);
}

// ------------------------------------------------------------------- gathers

static enum lcl_status gather_words(struct lcl_comm *C, int round, int words)
{
    uint64_t own[WORDS], all[WORDS * RANKS_MAX];
    const uint64_t first = hash(round, C->rank, 0);
    for (int i = 0; i < words; ++i)
        own[i] = first + (uint64_t)i;
    TRY(lcl_comm_gather(C, own, (size_t)words * sizeof *own, all));
    for (int r = 0; r < C->size; ++r)
        for (int i = 0; i < words; ++i)
            CHECK(all[r * words + i] == hash(round, r, 0) + (uint64_t)i);
    return LCL_OK;
}

static enum lcl_status gathers(struct lcl_comm *C)
{
    for (int round = 0; round < ROUNDS; ++round)
        TRY(gather_words(C, round, (int)(hash(round, 0, 0) % WORDS)));
    return LCL_OK;
}

// Number i of rank r, of a size that makes rounding depend on the order.
static double summand(int r, int i)
{
    const uint64_t h = hash(i, r, 0);
    const double x = ldexp((double)(h >> 11), (int)(h % 50) - 53);
    return h & 1024 ? -x : x;
}

static enum lcl_status sums(struct lcl_comm *C)
{
    enum { COUNT = 200 };
    double sum[COUNT];
    int depend = 0;
    for (int i = 0; i < COUNT; ++i)
        sum[i] = summand(C->rank, i);
    TRY(lcl_comm_sum(C, sum, COUNT));
    for (int i = 0; i < COUNT; ++i) {
        double forward = summand(0, i), backward = summand(C->size - 1, i);
        for (int r = 1; r < C->size; ++r) {
            forward += summand(r, i);
            backward += summand(C->size - 1 - r, i);
        }
        CHECK(memcmp(&sum[i], &forward, sizeof forward) == 0);
        depend += forward != backward;
    }
    CHECK(C->size < 3 || depend > 0);
    return lcl_comm_sum(C, NULL, 0);
}

// Sums that start before an exchange around the ring and end after it.
static enum lcl_status started_sums(struct lcl_comm *C)
{
    for (int round = 0; round < 200; ++round) {
        const double data = summand(C->rank, round);
        const int next = (C->rank + 1) % C->size;
        const int before = (C->rank + C->size - 1) % C->size;
        struct lcl_message out = {next, &data, sizeof data};
        struct lcl_message in = {before, NULL, sizeof data};
        struct lcl_exchange_plan P = {&out, &in, 1, 1};
        double sum[3] = {round, C->rank, 1}, ranks = C->size;
        TRY(lcl_comm_start(C, sum, sizeof sum));
        TRY(lcl_comm_begin(C, &P));
        TRY(lcl_comm_end(C, &P));
        const double expected = summand(before, round);
        CHECK(memcmp(in.data, &expected, sizeof expected) == 0);
        TRY(lcl_comm_sum(C, sum, 3));
        CHECK(sum[0] == ranks * round && sum[2] == ranks);
        CHECK(sum[1] == ranks * (ranks - 1) / 2);
    }
    return LCL_OK;
}

static enum lcl_status largest(struct lcl_comm *C)
{
    for (int winner = 0; winner < C->size; ++winner) {
        int64_t x = C->rank == winner ? -5 : INT64_MIN + C->rank;
        TRY(lcl_comm_max(C, &x));
        CHECK(x == -5);
        x = C->rank == winner ? INT64_MAX : C->rank;
        TRY(lcl_comm_max(C, &x));
        CHECK(x == INT64_MAX);
    }
    return LCL_OK;
}

// ---------------------------------------------------------------- agreements

// The last rank has another second number; then all have the same.
static enum lcl_status common_numbers(struct lcl_comm *C)
{
    struct test_capture capture;
    const struct lcl_log log = C->log;
    const int last = C->size - 1;
    for (int wrong = 1; wrong >= 0; --wrong) {
        const bool is_other = wrong && C->rank == last;
        const struct lcl_common all[] = {
            {"first", 1}, {"second", is_other ? 3 : 2}, {"third", NAN}};
        char message[80] = "";
        if (wrong && last > 0)
            snprintf(message, sizeof message,
                     "work: second is 2 on rank 0, but 3 on rank %d:", last);
        test_capture_init(&capture, LCL_LOG_ERROR);
        C->log = capture.log;
        const enum lcl_status st = lcl_comm_expect_equal(C, "work", all, 3);
        C->log = log;
        CHECK(st == (*message ? LCL_EINVAL : LCL_OK));
        CHECK(strstr(capture.last, message));
    }
    return LCL_OK;
}

static enum lcl_status results(struct lcl_comm *C)
{
    CHECK(lcl_comm_agree(C, LCL_OK, "work") == LCL_OK);
    for (int r = 0; r < C->size; ++r) {
        const enum lcl_status own = C->rank == r   ? LCL_NOT_FINITE
                                    : C->rank == 0 ? LCL_STAGNATION
                                                   : LCL_OK;
        CHECK(lcl_comm_agree(C, own, "work") == LCL_NOT_FINITE);
    }
    return LCL_OK;
}

// All ranks from `first` on fail, each with an error of its own.
static enum lcl_status agree_on_first(struct lcl_comm *C, int first)
{
    char message[64];
    struct test_capture capture;
    const struct lcl_log log = C->log;
    const int own = C->rank < first ? LCL_DIVERGED : LCL_EINVAL - C->rank;
    test_capture_init(&capture, LCL_LOG_INFO);
    C->log = capture.log;
    const int st = lcl_comm_agree(C, (enum lcl_status)own, "the set-up");
    C->log = log;
    CHECK(st == LCL_EINVAL - first);
    CHECK(capture.messages == 1);
    snprintf(message, sizeof message, "the set-up: rank %d failed: %.20s",
             first, lcl_status_str((enum lcl_status)st));
    CHECK(strstr(capture.last, message));
    return LCL_OK;
}

static enum lcl_status errors(struct lcl_comm *C)
{
    for (int first = 0; first < C->size; ++first)
        TRY(agree_on_first(C, first));
    return LCL_OK;
}

// One rank has failed, which the others have noticed.
static enum lcl_status causes(struct lcl_comm *C)
{
    for (int cause = 0; cause < C->size; ++cause) {
        const enum lcl_status own = C->rank == cause ? LCL_EPIVOT : LCL_EDEVICE;
        CHECK(lcl_comm_agree(C, own, "work") == LCL_EPIVOT);
    }
    CHECK(lcl_comm_agree(C, LCL_EDEVICE, "work") == LCL_EDEVICE);
    return LCL_OK;
}

// ----------------------------------------------------------------- exchanges

// Messages of a rank, each of less than `words` words.
struct halo {
    struct lcl_message out[RANKS_MAX], in[RANKS_MAX];
    struct lcl_exchange_plan plan;
    size_t words;
};

// What ranks send in three exchanges. Others may still read it when a rank has
// ended, so that it belongs to none.
static uint64_t sent[RANKS_MAX][3][RANKS_MAX][LARGE];

static void add_message(struct lcl_message *to, int *count, int peer,
                        uint64_t kind, size_t words)
{
    const size_t bytes = (kind >> 8) % words * sizeof(uint64_t);
    if (kind % 3 > 0)
        to[(*count)++] = (struct lcl_message){peer, NULL, bytes};
}

// About two of three pairs send, most of them in one direction only.
static void connect_halo(struct halo *H, const struct lcl_comm *C, int seed)
{
    H->plan = (struct lcl_exchange_plan){.out = H->out, .in = H->in};
    for (int r = C->size - 1; r >= 0; --r) {
        if (r == C->rank)
            continue;
        add_message(H->out, &H->plan.outs, r, hash(seed, C->rank, r), H->words);
        add_message(H->in, &H->plan.ins, r, hash(seed, r, C->rank), H->words);
    }
}

static void fill_halo(struct halo *H, const struct lcl_comm *C, int round,
                      int buffer)
{
    for (int k = 0; k < H->plan.outs; ++k) {
        uint64_t *data = sent[C->rank][buffer][k];
        const uint64_t first = hash(round, C->rank, H->out[k].peer);
        for (size_t i = 0; i < H->out[k].bytes / sizeof *data; ++i)
            data[i] = first + i;
        H->out[k].data = data;
    }
}

static bool is_halo_right(const struct halo *H, const struct lcl_comm *C,
                          int round)
{
    for (int k = 0; k < H->plan.ins; ++k) {
        const uint64_t first = hash(round, H->in[k].peer, C->rank);
        for (size_t i = 0; i < H->in[k].bytes / sizeof first; ++i) {
            uint64_t word;
            memcpy(&word, (const char *)H->in[k].data + i * sizeof word,
                   sizeof word);
            if (word != first + i)
                return false;
        }
    }
    return true;
}

// Some ranks are late to begin, and late to read.
static void dawdle(const struct lcl_comm *C, int round)
{
    if (hash(round, C->rank, 99) % 8 == 0)
        sched_yield();
}

static enum lcl_status exchange_round(struct halo *H, struct lcl_comm *C,
                                      int round, int buffer)
{
    fill_halo(H, C, round, buffer);
    dawdle(C, round);
    TRY(lcl_comm_begin(C, &H->plan));
    TRY(lcl_comm_end(C, &H->plan));
    dawdle(C, round + 1);
    CHECK(is_halo_right(H, C, round));
    return LCL_OK;
}

// One plan with two buffers in turn.
static enum lcl_status repeat(struct halo *H, struct lcl_comm *C, int rounds)
{
    connect_halo(H, C, 7);
    for (int round = 0; round < rounds; ++round) {
        TRY(exchange_round(H, C, round, round % 2));
        if (hash(round, 0, 1) % 4 == 0)
            TRY(gather_words(C, round, 3));
    }
    return LCL_OK;
}

// A plan for each round, with three buffers in turn.
static enum lcl_status change(struct halo *H, struct lcl_comm *C, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
        connect_halo(H, C, round);
        TRY(exchange_round(H, C, round, round % 3));
        if (hash(round, 0, 2) % 4 == 0)
            TRY(gather_words(C, round, 5));
    }
    return LCL_OK;
}

static enum lcl_status one_plan(struct lcl_comm *C)
{
    struct halo H = {.words = WORDS};
    return repeat(&H, C, ROUNDS);
}

static enum lcl_status changing_plans(struct lcl_comm *C)
{
    struct halo H = {.words = WORDS};
    return change(&H, C, ROUNDS);
}

static enum lcl_status large_messages(struct lcl_comm *C)
{
    struct halo H = {.words = LARGE};
    return change(&H, C, 10);
}

enum lcl_status lcl_test_rank_mix(struct lcl_comm *C, int rounds)
{
    struct halo H = {.words = WORDS};
    return repeat(&H, C, rounds);
}

// ------------------------------------------------------------- wrong lengths

// Calls `run` with a log of its own; it has to fail with this message.
static enum lcl_status expect_refused(struct lcl_comm *C,
                                      enum lcl_status (*run)(struct lcl_comm *,
                                                             size_t),
                                      size_t bytes, const char *message)
{
    struct test_capture capture;
    const struct lcl_log log = C->log;
    test_capture_init(&capture, LCL_LOG_ERROR);
    C->log = capture.log;
    const enum lcl_status st = run(C, bytes);
    C->log = log;
    CHECK(st == (*message ? LCL_EINVAL : LCL_OK));
    CHECK(capture.messages == (*message != 0));
    CHECK(strstr(capture.last, message));
    return LCL_OK;
}

static enum lcl_status gather_bytes(struct lcl_comm *C, size_t bytes)
{
    static const char own[1 << 10];
    char all[RANKS_MAX << 10];
    return lcl_comm_gather(C, own, bytes, all);
}

// The last rank has another length than the others.
static enum lcl_status gathered_lengths(struct lcl_comm *C)
{
    static const int bytes[][2] = {{8, 16},      {16, 8},   {8, 0},
                                   {1000, 1008}, {8, 1000}, {1000, 0}};
    const int last = C->size - 1;
    for (int k = 0; last > 0 && k < 6; ++k) {
        const int is_last = C->rank == last;
        char message[80];
        snprintf(message, sizeof message,
                 "a message of %d bytes from rank %d, expected %d",
                 bytes[k][!is_last], is_last ? 0 : last, bytes[k][is_last]);
        TRY(expect_refused(C, gather_bytes, (size_t)bytes[k][is_last],
                           message));
        TRY(gather_words(C, k, 2));
    }
    return LCL_OK;
}

// 80 bytes to the next rank, `expected` from the rank before.
static enum lcl_status exchange_bytes(struct lcl_comm *C, size_t expected)
{
    static const char data[80];
    struct lcl_message out = {(C->rank + 1) % C->size, data, sizeof data};
    struct lcl_message in = {(C->rank + C->size - 1) % C->size, NULL, expected};
    struct lcl_exchange_plan P = {&out, &in, 1, 1};
    TRY(lcl_comm_begin(C, &P));
    return lcl_comm_end(C, &P);
}

// Rank 0 expects another length than it gets.
static enum lcl_status exchanged_lengths(struct lcl_comm *C)
{
    static const size_t expected[] = {81, 100, 40, 0};
    for (int k = 0; C->size > 1 && k < 4; ++k) {
        char message[80] = "";
        if (C->rank == 0)
            snprintf(message, sizeof message,
                     "bytes from rank %d, expected %zu", C->size - 1,
                     expected[k]);
        TRY(expect_refused(C, exchange_bytes, *message ? expected[k] : 80,
                           message));
        TRY(gather_words(C, k, 2));
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- calls

enum lcl_status lcl_test_rank_sum(struct lcl_comm *C)
{
    double x = 1;
    return lcl_comm_sum(C, &x, 1);
}

enum lcl_status lcl_test_rank_sums(struct lcl_comm *C)
{
    double x[1000] = {0};
    return lcl_comm_sum(C, x, 1000);
}

enum lcl_status lcl_test_rank_ring(struct lcl_comm *C)
{
    static char data[1 << 20];
    struct lcl_message out = {(C->rank + 1) % C->size, data, sizeof data};
    struct lcl_message in = {(C->rank + C->size - 1) % C->size, NULL,
                             sizeof data};
    struct lcl_exchange_plan P = {&out, &in, 1, 1};
    TRY(lcl_comm_begin(C, &P));
    return lcl_comm_end(C, &P);
}

const struct lcl_test_rank_case lcl_test_rank_cases[] = {
    {"gathers of many lengths", gathers},
    {"sums in the order of the ranks", sums},
    {"sums that start before an exchange", started_sums},
    {"the largest number", largest},
    {"numbers that have to be equal", common_numbers},
    {"agreement on a result", results},
    {"agreement on an error", errors},
    {"agreement on the cause of errors", causes},
    {"exchanges by one plan", one_plan},
    {"exchanges by changing plans", changing_plans},
    {"exchanges of large messages", large_messages},
    {"gathers of different lengths", gathered_lengths},
    {"messages of other lengths than expected", exchanged_lengths},
    {NULL, NULL},
};
