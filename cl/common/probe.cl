// SPDX-License-Identifier: BSD-3-Clause
// Small tests from which the host learns the capabilities of a device. Every
// wait is bounded: a device without forward progress gives a wrong result
// instead of hanging.
#include "atomic.cl.h"
#include "wave.cl.h"

#define PROBE_EXCHANGE 1
#define PROBE_LOCAL    2
#define PROBE_WAITS    3
#define PROBE_ADD      4
#ifndef PROBE
# define PROBE PROBE_EXCHANGE
#endif

#ifndef LOCAL_DOUBLES
# define LOCAL_DOUBLES 64 // size of local memory for PROBE_LOCAL
#endif

#define POLLS (1 << 18)

#if PROBE == PROBE_EXCHANGE
// out[i] = sum of the lane numbers in the wave of item i
WORK_GROUP
kernel void exchange(global double *out)
{
    local double scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    out[lid] = wave_sum((double)(lid % LCL_WIDTH), LCL_WIDTH, scratch);
}

#elif PROBE == PROBE_LOCAL
// out[0] = LOCAL_DOUBLES - 1, passed through the last double of local memory
WORK_GROUP
kernel void local_memory(global double *out)
{
    local double room[LOCAL_DOUBLES];
    const uint lid = get_local_id(0);
    for (uint i = lid; i < LOCAL_DOUBLES; i += LCL_GROUP)
        room[i] = (double)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = room[LOCAL_DOUBLES - 1];
}

#elif PROBE == PROBE_WAITS
// Item i waits for item i - stride: in its own wave with stride 1, in the
// preceding wave with stride LCL_WIDTH. out[i] = 1 if the wait ended in time.
kernel void progress(global double *out, volatile global int *flag, int stride)
{
    const int i = (int)get_global_id(0);
    int left = POLLS;
    while (i >= stride && left > 0 && atomic_add(&flag[i - stride], 0) == 0)
        --left;
    atomic_xchg(&flag[i], 1);
    out[i] = left > 0;
}

// One queue waits for a value that a later launch on another queue sets.
kernel void wait_for_flag(global double *out, volatile global int *flag)
{
    int left = POLLS;
    if (get_global_id(0) > 0)
        return;
    while (left > 0 && atomic_add(flag, 0) == 0)
        --left;
    out[0] = left > 0;
}

kernel void set_flag(volatile global int *flag)
{
    atomic_xchg(flag, 1);
}

#else
// out[0] = 0 + 1 + ... + (LCL_GROUP - 1)
WORK_GROUP
kernel void local_add(global double *out)
{
    local double sum;
    const uint lid = get_local_id(0);
    if (lid == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add_local(&sum, (double)lid);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        out[0] = sum;
}
#endif
