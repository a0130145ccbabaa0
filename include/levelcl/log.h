/* SPDX-License-Identifier: BSD-3-Clause */
/* The log callback: the only channel for the library's messages. */
#ifndef LEVELCL_LOG_H
#define LEVELCL_LOG_H

#include <levelcl/export.h>

#include <stddef.h>

LCL_BEGIN_DECLS

enum lcl_log_level {
    LCL_LOG_NONE = 0,
    LCL_LOG_ERROR, /* one sentence: why the current call failed; before it, of a
                    * kernel that does not compile, the compiler's lines, which
                    * start with a blank */
    LCL_LOG_WARN,  /* a valid result with a caveat, e.g. repaired pivots */
    LCL_LOG_INFO,  /* choices made: device, partition, kernels */
    LCL_LOG_DEBUG, /* builds, cache hits, sizes, source that does not compile */
    LCL_LOG_TRACE, /* every OpenCL call */
    LCL_LOG_COUNT,
};

/* A logger. All zero is silent. `fn` gets one line without a newline; `text` is
 * valid until `fn` returns. The thread that uses the object calls `fn`, and
 * during lcl_solver_enqueue_cl() also that of the solve; `fn` must not use the
 * context. A NULL `const struct
 * lcl_log *` argument means silent. The library copies the struct, which need
 * live only until the call returns. */
struct lcl_log {
    void (*fn)(void *user, enum lcl_log_level level, const char *text);
    void *user;
    enum lcl_log_level level; /* the most verbose level passed to `fn` */
};

/* A function for `fn`: prints "levelcl: " and the text as lcl_printable() makes
 * it, as one line on stderr. Without `user`, from any thread. */
LCL_API void lcl_log_stderr(void *user, enum lcl_log_level level,
                            const char *text);

/* Copies a text for a terminal, cut to `size` bytes with the final NUL; `out`
 * may be NULL, a text that is NULL is empty. A control character and a byte
 * that is not UTF-8 become "\x1b", characters that change the direction or the
 * place of others or that have no width become "\u202e". Messages have names of
 * files and text from them as they are: print them by this function. Returns
 * the number of bytes of the whole result, without the NUL. */
LCL_API size_t lcl_printable(char *out, size_t size, const char *text);

LCL_END_DECLS

#endif
