// SPDX-License-Identifier: BSD-3-Clause
// A set of columns 0 .. end - 1 that is read in ascending order: a bitmap, and
// a bitmap of its words that are not 0.
#pragma once

#include "host/alloc.h"

#include <stdbool.h>
#include <stdint.h>

struct lcl_column_set {
    uint64_t *word, *group;
    int32_t end; // the column after the last one; always in the set
};

// Creates the empty set with room for `most` columns; false: no memory. It is
// fit for lcl_column_set_finish() in any case.
static inline bool lcl_column_set_init(struct lcl_column_set *S, int64_t most)
{
    S->word = lcl_calloc((size_t)(most / 64 + 1), sizeof *S->word);
    S->group = lcl_calloc((size_t)(most / 4096 + 1), sizeof *S->group);
    return S->word && S->group;
}

static inline void lcl_column_set_finish(struct lcl_column_set *S)
{
    lcl_free(S->word);
    lcl_free(S->group);
}

static inline bool lcl_column_set_has(const struct lcl_column_set *S, int32_t c)
{
    return S->word[c / 64] >> c % 64 & 1;
}

static inline void lcl_column_set_add(struct lcl_column_set *S, int32_t c)
{
    S->word[c / 64] |= UINT64_C(1) << c % 64;
    S->group[c / 4096] |= UINT64_C(1) << c / 64 % 64;
}

static inline void lcl_column_set_remove(struct lcl_column_set *S, int32_t c)
{
    S->word[c / 64] &= ~(UINT64_C(1) << c % 64);
    if (S->word[c / 64] == 0)
        S->group[c / 4096] &= ~(UINT64_C(1) << c / 64 % 64);
}

// Moves the end of an empty set.
static inline void lcl_column_set_end(struct lcl_column_set *S, int32_t end)
{
    lcl_column_set_remove(S, S->end);
    lcl_column_set_add(S, end);
    S->end = end;
}

// The smallest column from c on, or S->end; c <= S->end.
static inline int32_t lcl_column_set_from(const struct lcl_column_set *S,
                                          int32_t c)
{
    int32_t w = c / 64;
    const uint64_t rest = S->word[w] & ~UINT64_C(0) << c % 64;
    if (rest)
        return 64 * w + __builtin_ctzll(rest);
    int32_t g = ++w / 64;
    uint64_t words = S->group[g] & ~UINT64_C(0) << w % 64;
    while (!words)
        words = S->group[++g];
    w = 64 * g + __builtin_ctzll(words);
    return 64 * w + __builtin_ctzll(S->word[w]);
}
