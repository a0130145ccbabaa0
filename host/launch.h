// SPDX-License-Identifier: BSD-3-Clause
// Sets kernel arguments and enqueues launches.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

#include <stdint.h>

struct lcl_arg {
    const lcl_buffer *buffer; // or, if NULL, `bytes` of `value`
    size_t bytes;
    union {
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } value;
};

static inline struct lcl_arg lcl_arg_buffer(const lcl_buffer *buffer)
{
    return (struct lcl_arg){.buffer = buffer};
}

static inline struct lcl_arg lcl_arg_int(int32_t value)
{
    return (struct lcl_arg){.bytes = 4, .value.i32 = value};
}

static inline struct lcl_arg lcl_arg_long(int64_t value)
{
    return (struct lcl_arg){.bytes = 8, .value.i64 = value};
}

static inline struct lcl_arg lcl_arg_float(float value)
{
    return (struct lcl_arg){.bytes = 4, .value.f32 = value};
}

static inline struct lcl_arg lcl_arg_double(double value)
{
    return (struct lcl_arg){.bytes = 8, .value.f64 = value};
}

// Maximum number of groups of `group` work-items per launch: some drivers count
// work-items in 31 bits.
static inline int64_t lcl_launch_most(int group)
{
    return INT32_MAX / group;
}

// Number of groups for a kernel over `count` elements that processes `each`
// elements per group and round: enough for one round, limited by
// lcl_launch_most().
static inline int64_t lcl_launch_groups(int64_t count, int64_t each, int group)
{
    const int64_t groups = (count + each - 1) / each;
    const int64_t most = lcl_launch_most(group);
    return groups < most ? groups : most;
}

// Enqueues `groups` work-groups; 0 is valid. The arguments follow the kernel's
// order. Returns LCL_OK, LCL_ERANGE, LCL_EDEVICE or LCL_ECANCELLED
// (host/limit.h).
typedef enum lcl_status lcl_launch_fn(lcl_kernel *kernel, int64_t groups,
                                      const struct lcl_arg *args, int count);
lcl_launch_fn lcl_launch;

// LCL_LAUNCH_BY(launch, kernel, groups, arg, ...): launch() with the arguments
// listed; LCL_LAUNCH(kernel, ...) is that of lcl_launch().
#define LCL_LAUNCH_BY(launch, kernel, groups, ...)                             \
 (launch)((kernel), (groups), (const struct lcl_arg[]){__VA_ARGS__},           \
          (int)(sizeof((const struct lcl_arg[]){__VA_ARGS__}) /                \
                sizeof(struct lcl_arg)))
#define LCL_LAUNCH(kernel, groups, ...)                                        \
 LCL_LAUNCH_BY(lcl_launch, kernel, groups, __VA_ARGS__)
