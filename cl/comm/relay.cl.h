// SPDX-License-Identifier: BSD-3-Clause
// Words that a kernel and the host hand each other while both run. Words of
// requests and answers have the tag of the message in their upper half; a
// double is two of them. A word is written at once: if its tag is the expected
// one it is there, whatever the order in which words arrive. (As the LL
// protocol of NVIDIA's NCCL.)
#pragma once

#include "types.cl.h"

// A request for sums holds three words for each row: the double, and the number
// of rows; an answer two. Requests follow a word that is 1 once a kernel has
// waited in vain. Messages with odd and with even tags have places of their
// own.
#define RELAY_ROWS          32 // of sums at once
#define RELAY_ASK(tag, q)   (1 + 3 * ((tag) % 2 * RELAY_ROWS + (q)))
#define RELAY_ASK_WORDS     (1 + 3 * 2 * RELAY_ROWS)
#define RELAY_REPLY(tag, q) (2 * ((tag) % 2 * RELAY_ROWS + (q)))
#define RELAY_REPLY_WORDS   (2 * 2 * RELAY_ROWS)

// A message: a word for each group that packs or unpacks it, and `count`
// doubles. What is sent is there when the words of all groups that pack it have
// the tag, what is received when any has; they are apart, because devices read
// the same line of the host's memory one after the other.
#define RELAY_GROUPS 64
#define RELAY_APART  16
#define RELAY_MESSAGE(tag, count)                                              \
 ((tag) % 2 * (RELAY_GROUPS * RELAY_APART + (count)))
#define RELAY_DATA(tag, count)                                                 \
 (RELAY_MESSAGE(tag, count) + RELAY_GROUPS * RELAY_APART)
#define RELAY_MESSAGE_WORDS(count) (2 * (RELAY_GROUPS * RELAY_APART + (count)))

static inline lcl_u64 relay_word(lcl_u32 tag, lcl_u32 bits)
{
    return (lcl_u64)tag << 32 | bits;
}

static inline int relay_is(lcl_u64 word, lcl_u32 tag)
{
    return (lcl_u32)(word >> 32) == tag;
}
