// SPDX-License-Identifier: BSD-3-Clause
// Tables of text: a title, headings, one row per problem.
#include "tools/levelbench/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN = 10, TEXT = 96 };

int bench_table_wider(int width, const char *text)
{
    return width > (int)strlen(text) ? width : (int)strlen(text);
}

void bench_table_head(int width, const char *title, const char *const *heads)
{
    printf("\n%s\n%-*s", title, width, "problem");
    for (; *heads; ++heads)
        printf("  %*s", bench_table_wider(COLUMN, *heads), *heads);
    putchar('\n');
}

void bench_table_cell(const char *head, const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("  %*s", bench_table_wider(COLUMN, head), text);
}
