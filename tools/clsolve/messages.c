// SPDX-License-Identifier: BSD-3-Clause
// Keeps and prints the library's messages.
#include "tools/clsolve/messages.h"

#include "tools/clsolve/terminal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Several devices deliver from threads of their own.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void keep(char *place, const char *text)
{
    lcl_printable(place, MESSAGE_BYTES, text);
}

// Lines of the compiler start with a blank and come before the sentence.
static void keep_error(struct messages *messages, const char *text)
{
    char *details = messages->details;
    if (messages->complete)
        *details = '\0';
    messages->complete = *text != ' ';
    if (messages->complete) {
        keep(messages->error, text);
        return;
    }
    const size_t used = strlen(details), room = DETAILS_BYTES - used;
    const size_t length = lcl_printable(details + used, room - 1, text);
    if (length + 2 < room)
        strcat(details, "\n");
    else
        details[used] = '\0';
}

// A sentence that was kept before is counted.
static void keep_warning(struct messages *messages, const char *text)
{
    char printable[MESSAGE_BYTES];
    const int at = messages->warnings;
    keep(printable, text);
    for (int i = 0; i < at && i < MESSAGES_KEPT; ++i)
        if (strcmp(messages->warning[i], printable) == 0) {
            ++messages->times[i];
            return;
        }
    if (at < MESSAGES_KEPT) {
        strcpy(messages->warning[at], printable);
        messages->times[at] = 1;
    }
    ++messages->warnings;
}

static void deliver(void *user, enum lcl_log_level level, const char *text)
{
    struct messages *messages = user;
    pthread_mutex_lock(&lock);
    if (level == LCL_LOG_ERROR)
        keep_error(messages, text);
    else if (level == LCL_LOG_WARN)
        keep_warning(messages, text);
    else
        fprintf(stderr, "clsolve: %s\n", terminal_text(text).text);
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
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    keep(messages->error, text);
    *messages->details = '\0';
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

void messages_print_error(const struct messages *messages,
                          enum lcl_status status)
{
    fputs(messages->details, stderr);
    fprintf(stderr, "clsolve: %s\n",
            *messages->error ? messages->error : lcl_status_str(status));
}

void messages_print_warnings(const struct messages *messages)
{
    for (int i = 0; i < messages->warnings && i < MESSAGES_KEPT; ++i)
        if (messages->times[i] > 1)
            fprintf(stderr, "clsolve: warning: %s (%d times)\n",
                    messages->warning[i], messages->times[i]);
        else
            fprintf(stderr, "clsolve: warning: %s\n", messages->warning[i]);
    if (messages->warnings > MESSAGES_KEPT)
        fprintf(stderr, "clsolve: warning: and %d more\n",
                messages->warnings - MESSAGES_KEPT);
}
