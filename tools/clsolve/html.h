// SPDX-License-Identifier: BSD-3-Clause
// Pieces of an HTML page without outside references, which is well-formed XML,
// too. All text is escaped.
#pragma once

#include "tools/clsolve/svg.h"

#include <stdbool.h>

void html_open(FILE *out, const char *title);
void html_close(FILE *out);

void html_open_section(FILE *out, const char *title);
void html_close_section(FILE *out);

// Pictures and tables side by side where there is room: in rows, or in two
// columns, one after the other.
void html_open_figures(FILE *out);
void html_open_columns(FILE *out);
void html_close_figures(FILE *out);
// A picture and below it what it shows; one of svg_open() stands between.
void html_open_figure(FILE *out);
void html_close_figure(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A paragraph in a class; "": none.
void html_paragraph(FILE *out, const char *class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A command.
void html_command(FILE *out, const char *text);

// A number as `format` prints it; scripts find its full value by the id.
void html_value(FILE *out, const char *id, double value, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

// A table; `head` has its titles, separated by '|'; "": none,
// for facts. Titles that start
// with '#' belong to numbers, which are aligned.
void html_open_table(FILE *out, const char *head);
void html_close_table(FILE *out);
void html_open_row(FILE *out);
void html_close_row(FILE *out);
void html_cell(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void html_number_cell(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A row of a name and what it means; between the two calls, its text.
void html_open_fact(FILE *out, const char *name);
void html_close_fact(FILE *out);
void html_fact(FILE *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void html_text(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A count with separators, as "1,000,000", for use in a format.
struct html_count {
    char text[32];
};
struct html_count html_count(int64_t count);
