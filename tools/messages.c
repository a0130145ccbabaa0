// SPDX-License-Identifier: BSD-3-Clause
// Keeps and prints the library's messages.
#include "tools/messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Several devices deliver from threads of their own.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int messages_utf8_length(const char *at)
{
    const unsigned char *text = (const unsigned char *)at, head = *text;
    const int length = head >= 0xf0 && head <= 0xf4   ? 4
                       : head >= 0xe0 && head <= 0xef ? 3
                       : head >= 0xc2 && head <= 0xdf ? 2
                                                      : 0;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    // overlong forms, surrogates, code points out of range
    if ((head == 0xe0 && text[1] < 0xa0) || (head == 0xed && text[1] > 0x9f) ||
        (head == 0xf0 && text[1] < 0x90) || (head == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

void messages_clean(char *text)
{
    while (*text) {
        const int length = messages_utf8_length(text);
        if (length == 0 && (*text < 0x20 || *text >= 0x7f))
            *text = '?';
        text += length ? length : 1;
    }
}

static void keep(char *place, const char *text)
{
    snprintf(place, MESSAGE_BYTES, "%s", text);
    messages_clean(place);
}

static void keep_warning(struct messages *messages, const char *text)
{
    if (messages->warnings < MESSAGES_KEPT)
        keep(messages->warning[messages->warnings], text);
    ++messages->warnings;
}

static void deliver(void *user, enum lcl_log_level level, const char *text)
{
    struct messages *messages = user;
    pthread_mutex_lock(&lock);
    if (level == LCL_LOG_ERROR)
        keep(messages->error, text);
    else if (level == LCL_LOG_WARN)
        keep_warning(messages, text);
    else
        fprintf(stderr, "clsolve: %s\n", text);
    pthread_mutex_unlock(&lock);
}

struct lcl_log messages_log(struct messages *messages)
{
    const int level = LCL_LOG_WARN + messages->verbose;
    return (struct lcl_log){
        .fn = deliver,
        .user = messages,
        .level =
            level < LCL_LOG_TRACE ? (enum lcl_log_level)level : LCL_LOG_TRACE,
    };
}

enum lcl_status messages_fail(struct messages *messages, enum lcl_status status,
                              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(messages->error, MESSAGE_BYTES, format, args);
    va_end(args);
    messages_clean(messages->error);
    return status;
}

void messages_warn(struct messages *messages, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    keep_warning(messages, text);
}

void messages_print_warnings(const struct messages *messages)
{
    for (int i = 0; i < messages->warnings && i < MESSAGES_KEPT; ++i)
        fprintf(stderr, "clsolve: warning: %s\n", messages->warning[i]);
    if (messages->warnings > MESSAGES_KEPT)
        fprintf(stderr, "clsolve: warning: and %d more\n",
                messages->warnings - MESSAGES_KEPT);
}
