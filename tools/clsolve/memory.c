// SPDX-License-Identifier: BSD-3-Clause
// Device memory in use, by object.
#include "tools/clsolve/memory.h"

#include "tools/clsolve/job.h"

static struct lcl_memory_info sum(const struct devices *D)
{
    struct lcl_memory_info all = {0};
    for (int k = 0; k < D->count; ++k) {
        const struct lcl_memory_info one = lcl_context_memory(D->ctx[k]);
        all.buffers += one.buffers;
        all.buffer_bytes += one.buffer_bytes;
        all.buffer_bytes_max += one.buffer_bytes_max;
        all.device_bytes += one.device_bytes;
        all.pinned_bytes += one.pinned_bytes;
    }
    return all;
}

struct memory memory_in_use(const struct job *job)
{
    const struct lcl_operator_info *op = lcl_operator_info(job->op);
    const struct lcl_precond_info *M = lcl_precond_info(job->M);
    struct memory memory = {.all = sum(&job->devices)};
    memory.op = op ? op->bytes : 0;
    memory.precond = M ? M->bytes + M->coarse.bytes : 0;
    const uint64_t known = memory.op + memory.precond;
    if (memory.all.buffer_bytes > known)
        memory.other = memory.all.buffer_bytes - known;
    return memory;
}
