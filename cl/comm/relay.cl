// SPDX-License-Identifier: BSD-3-Clause
// Sums and exchanges of ranks whose host carries the words of relay.cl.h
// between devices while their queues run on: a kernel that needs an answer
// waits for it, at most for `polls` reads, and then takes NaN and sets *late.
#include "relay.cl.h"
#include "wave.cl.h"

#ifndef FENCE
# define FENCE 0 // enum lcl_fence; 0: the host reads after the kernel's end
#endif

typedef volatile global lcl_u64 *words_t;

static inline void put(words_t low, words_t high, lcl_u32 tag, double value)
{
    const lcl_u64 bits = as_ulong(value);
    *low = relay_word(tag, (lcl_u32)bits);
    *high = relay_word(tag, (lcl_u32)(bits >> 32));
}

static inline int await(words_t word, lcl_u32 tag, long polls)
{
    while (polls > 0 && !relay_is(*word, tag))
        --polls;
    return polls > 0;
}

static inline double take(words_t low, words_t high, lcl_u32 tag, long polls,
                          words_t late)
{
    if (!await(low, tag, polls) || !await(high, tag, polls)) {
        *late = 1;
        return NAN;
    }
    return as_double(*high << 32 | (*low & 0xffffffff));
}

// This group's row becomes its sum over all ranks and zeros.
INLINE void sum_row(global double *row, uint groups, uint rows, words_t ask,
                    words_t reply, lcl_u32 tag, long polls, words_t late,
                    local double *scratch)
{
    double sum = 0;
    for (uint g = get_local_id(0); g < groups; g += LCL_GROUP) {
        sum += row[g];
        row[g] = 0;
    }
    sum = group_sum(sum, scratch);
    if (get_local_id(0) > 0)
        return;
    put(ask, ask + 1, tag, sum);
    ask[2] = relay_word(tag, rows);
    row[0] = take(reply, reply + 1, tag, polls, late);
}

// Rows first .. first + rows - 1 of `sums`, `groups` numbers each, become sums
// over all ranks and zeros; at most RELAY_ROWS. Launch: a group for each row,
// or fewer.
WORK_GROUP
kernel void relay_sum(global double *sums, int first, int rows, int groups,
                      words_t ask, words_t reply, int tag, long polls)
{
    local double scratch[LCL_GROUP];
    for (uint q = get_group_id(0); q < (uint)rows; q += get_num_groups(0))
        sum_row(sums + ((long)first + q) * groups, groups, rows,
                ask + RELAY_ASK((lcl_u32)tag, q),
                reply + RELAY_REPLY((lcl_u32)tag, q), tag, polls, ask, scratch);
}

// What this work-item has written before is seen, by the host too, before what
// it writes after; what it reads after is not older than what it read before.
// mem_fence() is for its group alone: on GPUs it does not order what the host
// sees (NVIDIA H100: ghosts of the exchange before, 2026-11).
#if FENCE == 1
# define HOST_FENCE() __sync_synchronize()
#elif FENCE == 2
# define HOST_FENCE()                                                          \
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,           \
                         memory_scope_all_svm_devices)
#elif FENCE == 3
# define HOST_FENCE() asm volatile("membar.sys;" : : : "memory")
#elif FENCE == 4
# define HOST_FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "")
#else
# define HOST_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

// Sends x[row[k]], k < count. Launch: at most RELAY_GROUPS groups.
WORK_GROUP
kernel void relay_pack(long count, global const int *restrict row,
                       global const double *restrict x, words_t out, int tag)
{
    words_t there = out + RELAY_MESSAGE((lcl_u32)tag, count);
    volatile global double *data =
        (volatile global double *)(out + RELAY_DATA((lcl_u32)tag, count));
    for (RANGE(k, count))
        data[k] = x[row[k]];
    HOST_FENCE();
    GROUP_BARRIER_GLOBAL();
    if (get_local_id(0) == 0)
        there[get_group_id(0) * RELAY_APART] =
            relay_word(tag, get_num_groups(0));
}

// Waits for ghost[at + k], k < count. Launch: at most RELAY_GROUPS groups.
WORK_GROUP
kernel void relay_unpack(long count, words_t in, global double *ghost, long at,
                         int tag, long polls, words_t late)
{
    words_t there = in + RELAY_MESSAGE((lcl_u32)tag, count);
    volatile global const double *data =
        (volatile global const double *)(in + RELAY_DATA((lcl_u32)tag, count));
    if (get_local_id(0) == 0 &&
        !await(there + get_group_id(0) * RELAY_APART, tag, polls))
        *late = 1;
    HOST_FENCE();
    GROUP_BARRIER_GLOBAL();
    for (RANGE(k, count))
        ghost[at + k] = data[k];
}
