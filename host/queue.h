// SPDX-License-Identifier: BSD-3-Clause
// Kernels that run side by side: on the context's queue and on a second one in
// order, which is made when first asked for. A device that does not overlap two
// queues runs all of them on the first.
#pragma once

#include "host/launch.h"

// What lcl_launch_beside() enqueues from now on starts after what is on the
// context's queue by now. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_fork(lcl_context *ctx);

// As lcl_launch(); between a fork and the join that follows it.
enum lcl_status lcl_launch_beside(lcl_kernel *kernel, int64_t groups,
                                  const struct lcl_arg *args, int count);

#define LCL_LAUNCH_BESIDE(kernel, groups, ...)                                 \
 lcl_launch_beside((kernel), (groups), (const struct lcl_arg[]){__VA_ARGS__},  \
                   (int)(sizeof((const struct lcl_arg[]){__VA_ARGS__}) /       \
                         sizeof(struct lcl_arg)))

// What is enqueued from now on starts after all that was launched beside. To be
// called after a fork that succeeded, whatever became of the launches; on an
// error the work beside is done. Returns as lcl_fork().
enum lcl_status lcl_join(lcl_context *ctx);

// Ends the second queue; for lcl_context_destroy().
void lcl_beside_finish(lcl_context *ctx);
