// SPDX-License-Identifier: BSD-3-Clause
// Tables of text: a title, heads, a row a problem.
#pragma once

// The larger of a width and a text's.
int bench_table_wider(int width, const char *text);

// An empty line, the title, and the heads right of a column for the names of
// problems, `width` wide; NULL ends them.
void bench_table_head(int width, const char *title, const char *const *heads);

// A cell below its head.
void bench_table_cell(const char *head, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
