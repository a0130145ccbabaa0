/* SPDX-License-Identifier: BSD-3-Clause */
/* The log callback: the only channel for the library's messages. */
#ifndef LEVELCL_LOG_H
#define LEVELCL_LOG_H

#include <levelcl/export.h>

LCL_BEGIN_DECLS

enum lcl_log_level {
    LCL_LOG_NONE = 0,
    LCL_LOG_ERROR, /* one sentence: why the current call failed */
    LCL_LOG_WARN,  /* a valid result with a caveat, e.g. repaired pivots */
    LCL_LOG_INFO,  /* choices made: device, partition, kernels */
    LCL_LOG_DEBUG, /* builds, cache hits, sizes, build logs with source */
    LCL_LOG_TRACE, /* every OpenCL call */
    LCL_LOG_COUNT,
};

/* A logger. All zero is silent. `fn` gets one line without a newline; `text` is
 * valid until `fn` returns. The thread that uses the object calls `fn`, and
 * during lcl_solver_enqueue_cl() also that of the solve. A NULL `const struct
 * lcl_log *` argument means silent. The library copies the struct, which need
 * live only until the call returns. */
struct lcl_log {
    void (*fn)(void *user, enum lcl_log_level level, const char *text);
    void *user;
    enum lcl_log_level level; /* the most verbose level passed to `fn` */
};

LCL_END_DECLS

#endif
