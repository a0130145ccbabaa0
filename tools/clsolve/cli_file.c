// SPDX-License-Identifier: BSD-3-Clause
// Files of options: key=value lines, # comments.
#include "tools/clsolve/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// All of an open file as one text; NULL: errno, or 0 if it is no text.
static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t bytes = 0;
    errno = 0;
    const ssize_t length = getdelim(&text, &bytes, '\0', file);
    if (length >= 0 && strlen(text) == (size_t)length)
        return text;
    free(text);
    return length < 0 && feof(file) && !ferror(file) ? calloc(1, 1) : NULL;
}

char *cli_read_options(const char *path, enum lcl_status *status,
                       struct messages *messages)
{
    FILE *file = fopen(path, "r");
    char *text = file ? read_all(file) : NULL;
    const int reason = errno;
    if (file)
        fclose(file);
    if (!text)
        *status = messages_fail(
            messages, reason == ENOMEM ? LCL_ENOMEM : LCL_EIO, "%s: %s", path,
            reason ? strerror(reason) : "expected text, found a NUL byte");
    return text;
}

// A comment starts the line or follows a blank.
static void cut_comment(char *line)
{
    for (char *hash = strchr(line, '#'); hash; hash = strchr(hash + 1, '#')) {
        if (hash > line && !strchr(" \t", hash[-1]))
            continue;
        *hash = '\0';
        return;
    }
}

// Characters of %d or %0Nd at `text`; 0: there is none. *digits = N, or 1.
static int conversion(const char *text, int *digits)
{
    int length = 1;
    *digits = 1;
    if (text[0] != '%')
        return 0;
    if (text[1] == '0' && text[2] >= '1' && text[2] <= '9') {
        *digits = text[2] - '0';
        length = 3;
    }
    return text[length] == 'd' ? length + 1 : 0;
}

bool cli_step_name(char name[CLI_PATH], const char *pattern, int step)
{
    int at = 0, places = 0;
    for (const char *text = pattern; *text; ++text) {
        int digits;
        const int length = conversion(text, &digits);
        if (at > CLI_PATH - 32 || (!length && *text == '%' && text[1] != '%'))
            return false;
        if (length) {
            at += sprintf(name + at, "%0*d", digits, step);
            ++places;
        } else {
            name[at++] = *text;
        }
        text += length ? length - 1 : *text == '%';
    }
    name[at] = '\0';
    return places == 1;
}

char *cli_next_line(char **rest, int *line)
{
    static const char blanks[] = " \t\r";
    char *text = *rest;
    if (!*text)
        return NULL;
    const size_t length = strcspn(text, "\n");
    *rest = text + length + (text[length] == '\n');
    text[length] = '\0';
    ++*line;
    cut_comment(text);
    text += strspn(text, blanks);
    for (size_t end = strlen(text); end > 0 && strchr(blanks, text[end - 1]);)
        text[--end] = '\0';
    return text;
}
