/* SPDX-License-Identifier: BSD-3-Clause */
/* The log callback: the only place to which the library sends text. */
#ifndef LEVELCL_LOG_H
#define LEVELCL_LOG_H

#include <levelcl/export.h>

LCL_BEGIN_DECLS

enum lcl_log_level {
    LCL_LOG_NONE = 0,
    LCL_LOG_ERROR, /* why the call that returns now failed: one sentence */
    LCL_LOG_WARN, /* the result stands, the user should know: pivots repaired */
    LCL_LOG_INFO, /* what was chosen: device, partition, kernels */
    LCL_LOG_DEBUG, /* builds, cache hits, sizes, build logs with source */
    LCL_LOG_TRACE, /* every OpenCL call */
    LCL_LOG_COUNT,
};

/* A logger. All zero is silent. `fn` gets one line without a newline; `text`
 * lives until it returns. Calls come from the thread that uses the object.
 * Wherever a `const struct lcl_log *` is taken, NULL means silent; the struct
 * is copied, so it need live only until the call returns. */
struct lcl_log {
    void (*fn)(void *user, enum lcl_log_level level, const char *text);
    void *user;
    enum lcl_log_level level; /* the most verbose level that is passed on */
};

LCL_END_DECLS

#endif
