// SPDX-License-Identifier: BSD-3-Clause
// What the terminal allows: its width, colours, a line that is written anew.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// A text as a terminal may show it: see lcl_printable(). What comes from files,
// arguments and drivers is printed as terminal_text(text).text.
struct terminal_text {
    char text[4096];
};
struct terminal_text terminal_text(const char *text);

// Characters of a line of the terminal at a descriptor; 80 if it has no width
// or there is no terminal.
int terminal_width(int fd);

enum colour { COLOUR_NONE = 0, COLOUR_GOOD, COLOUR_BAD, COLOUR_NOTE };

// What switches a colour on, or off for COLOUR_NONE; "" unless `out` and the
// standard error output are terminals with colours and NO_COLOR is not set.
const char *terminal_colour(FILE *out, enum colour colour);

// A line on the terminal of the standard error output. All zero: not wanted.
struct live_line {
    bool live; // there is a terminal and the line is wanted
    bool shown;
};

void live_line_begin(struct live_line *line, bool wanted);
// Replaces the line by the text, cut to the width of the terminal.
void live_line_show(struct live_line *line, const char *text);
// Erases the line, before other output.
void live_line_clear(struct live_line *line);
