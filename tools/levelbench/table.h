// SPDX-License-Identifier: BSD-3-Clause
// Tables of text: a title, headings, one row per problem.
#pragma once

// The maximum of `width` and the length of `text`.
int bench_table_wider(int width, const char *text);

// Prints an empty line, the title and the headings, which NULL ends; the first
// column, `width` wide, holds the names of the problems.
void bench_table_head(int width, const char *title, const char *const *heads);

// Prints a cell below its heading.
void bench_table_cell(const char *head, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
