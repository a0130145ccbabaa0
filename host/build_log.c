// SPDX-License-Identifier: BSD-3-Clause
// Logs why a program does not compile, line by line.
#include "host/build_log.h"

#include "host/log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Maximum numbers of lines of the compiler, of places that they name, and of
// source lines on each side of a place.
enum { LINES = 60, PLACES = 4, AROUND = 2, NAME = 64 };

static const char *next_line(const char *text)
{
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

// A line of a file that #line names.
struct place {
    char name[NAME];
    long line;
};

// ------------------------------------------------------------------- places

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// Finds "packed.cl:12:" or "wave.cl.h:7:" in a line of the compiler.
static bool find_file(struct place *place, const char *text, size_t length)
{
    for (size_t i = 1; i + 4 < length; ++i) {
        if (strncmp(text + i, ".cl", 3) != 0)
            continue;
        size_t from = i, to = i + 3;
        while (from > 0 && in_name(text[from - 1]))
            --from;
        while (to < length && in_name(text[to]))
            ++to;
        if ((text[to] != ':' && text[to] != '(') || to - from >= NAME)
            continue;
        place->line = strtol(text + to + 1, NULL, 10);
        snprintf(place->name, NAME, "%.*s", (int)(to - from), text + from);
        return place->line > 0;
    }
    return false;
}

// Reads `#line 1 "name"`, after which the named file starts.
static bool read_name(char name[NAME], const char *source)
{
    return sscanf(source, "#line 1 \"%63[^\"\n]\"", name) == 1;
}

// NVIDIA's compiler ignores #line: "<kernel>:236:12:" counts lines of the whole
// text.
static bool find_line(struct place *place, const char *text, const char *source)
{
    static const char head[] = "<kernel>:";
    if (strncmp(text, head, sizeof head - 1) != 0)
        return false;
    *place = (struct place){.line = 0};
    for (long left = strtol(text + sizeof head - 1, NULL, 10);
         left > 1 && *source; --left) {
        place->line = read_name(place->name, source) ? 1 : place->line + 1;
        source = next_line(source);
    }
    return *place->name != '\0' && *source != '\0';
}

static bool find_place(struct place *place, const char *text, size_t length,
                       const char *source)
{
    return find_line(place, text, source) || find_file(place, text, length);
}

static bool is_known(const struct place *all, int count, const struct place *p)
{
    while (count > 0 && (strcmp(all[count - 1].name, p->name) != 0 ||
                         labs(all[count - 1].line - p->line) > AROUND))
        --count;
    return count > 0;
}

// ------------------------------------------------------------------- source

static bool starts_file(const char *source, const char *name)
{
    char found[NAME];
    return read_name(found, source) && strcmp(found, name) == 0;
}

static void log_nearby_lines(const struct lcl_log *log,
                             const struct place *place, const char *source)
{
    while (*source && !starts_file(source, place->name))
        source = next_line(source);
    source = next_line(source);
    for (long at = 1; *source && at <= place->line + AROUND; ++at) {
        if (strncmp(source, "#line ", 6) == 0)
            break;
        if (at >= place->line - AROUND)
            lcl_log_msg(log, LCL_LOG_ERROR, " %s %s:%ld  %.*s",
                        at == place->line ? ">" : " ", place->name, at,
                        (int)strcspn(source, "\n"), source);
        source = next_line(source);
    }
}

void lcl_log_build(const struct lcl_log *log, const char *text,
                   const char *source)
{
    struct place place[PLACES];
    int places = 0;
    for (int line = 0; *text && line < LINES; text = next_line(text)) {
        const size_t length = strcspn(text, "\n");
        if (length == 0)
            continue;
        lcl_log_msg(log, LCL_LOG_ERROR, " %.*s", (int)length, text);
        ++line;
        if (places < PLACES &&
            find_place(&place[places], text, length, source) &&
            !is_known(place, places, &place[places]))
            ++places;
    }
    for (int k = 0; k < places; ++k)
        log_nearby_lines(log, &place[k], source);
}

// ------------------------------------------------------------------- fault

void lcl_build_fault(char *fault, size_t size, const char *text)
{
    const char *found = text + strspn(text, "\n");
    for (const char *line = found; *line; line = next_line(line)) {
        const char *error = strstr(line, "error");
        if (error && error < line + strcspn(line, "\n")) {
            found = line;
            break;
        }
    }
    snprintf(fault, size, "%.*s", (int)strcspn(found, "\n"), found);
}
