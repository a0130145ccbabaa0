// SPDX-License-Identifier: BSD-3-Clause
// Environment variables for finding faults.
#include "host/echo.h"

#include "host/cache.h"
#include "host/log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Maximum length of a printed line: an escape is up to ten times as long as the
// byte that it replaces.
enum { LINE = 4096 };

static const char *const words[LCL_LOG_COUNT] = {
    [LCL_LOG_NONE] = "none",   [LCL_LOG_ERROR] = "error",
    [LCL_LOG_WARN] = "warn",   [LCL_LOG_INFO] = "info",
    [LCL_LOG_DEBUG] = "debug", [LCL_LOG_TRACE] = "trace",
};

// ------------------------------------------------------------------- messages

static void deliver(void *user, enum lcl_log_level level, const char *text)
{
    const struct lcl_echo *echo = user;
    char line[LINE];
    if (level <= echo->level) {
        lcl_printable(line, sizeof line, text);
        fprintf(stderr, "levelcl: %s: %s\n", words[level], line);
    }
    if (lcl_log_wants(&echo->caller, level))
        echo->caller.fn(echo->caller.user, level, text);
}

// LCL_LOG_COUNT: none.
static enum lcl_log_level level_of(const char *word)
{
    int level = LCL_LOG_NONE;
    while (level < LCL_LOG_COUNT && strcmp(word, words[level]) != 0)
        ++level;
    return (enum lcl_log_level)level;
}

enum lcl_status lcl_echo_init(struct lcl_echo *echo, struct lcl_log *log,
                              const struct lcl_log *caller)
{
    const char *word = getenv("LEVELCL_LOG");
    *log = *caller;
    if (!word || !*word)
        return LCL_OK;
    const enum lcl_log_level level = level_of(word);
    if (level == LCL_LOG_COUNT)
        return lcl_fail(caller, LCL_EINVAL,
                        "LEVELCL_LOG=%s: expected none, error, warn, info, "
                        "debug or trace",
                        word);
    *echo = (struct lcl_echo){.caller = *caller, .level = level};
    *log = (struct lcl_log){
        .fn = deliver,
        .user = echo,
        .level = caller->fn && caller->level > level ? caller->level : level,
    };
    return LCL_OK;
}

// ------------------------------------------------------------------- sources

// The source is the end of the key; lines that name the device precede it.
static void write_head(FILE *file, const char *key, const char *source)
{
    const char *end = key + strlen(key) - strlen(source);
    while (key < end) {
        const int length = (int)strcspn(key, "\n");
        fprintf(file, "// %.*s\n", length, key);
        key += length + 1;
    }
}

void lcl_dump_source(const struct lcl_log *log, const char *name,
                     const char *key, const char *source)
{
    char path[PATH_MAX], why[128] = "unknown error";
    const char *folder = getenv("LEVELCL_DUMP");
    if (!folder || !*folder)
        return;
    snprintf(path, sizeof path, "%s/%.*s-%016" PRIx64 ".cl", folder,
             (int)strcspn(name, "."), name, lcl_cache_hash(key));
    FILE *file = fopen(path, "w");
    if (!file && errno == ENOENT && mkdir(folder, 0777) == 0)
        file = fopen(path, "w");
    bool written = file != NULL;
    if (file) {
        write_head(file, key, source);
        written = fputs(source, file) >= 0;
        written = fclose(file) == 0 && written;
    }
    if (written)
        return;
    strerror_r(errno, why, sizeof why);
    lcl_warn(log, "LEVELCL_DUMP: cannot write %s: %s", path, why);
}
