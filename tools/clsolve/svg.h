// SPDX-License-Identifier: BSD-3-Clause
// Pictures in SVG, as a part of an HTML page that has the colours of their
// classes. Coordinates are finite; they are written with two decimals, in every
// locale as in C.
#pragma once

#include <stdint.h>
#include <stdio.h>

struct svg_point {
    double x, y;
};

struct svg_box {
    double x, y, width, height;
};

// A byte or a number for each cell, by rows.
struct svg_cells {
    int rows, cols;
    const uint8_t *shade; // 0: empty
};

// Writes text, escaped for HTML and XML. Bytes that are neither printable ASCII
// nor UTF-8 become '?'.
void svg_escape(FILE *out, const char *text);
// The same for its first bytes, which do not end inside a character.
void svg_escape_part(FILE *out, const char *text, size_t bytes);

void svg_number(FILE *out, double number);

// A picture in a frame of its own; `title` tells it to those who cannot see it.
void svg_open(FILE *out, double width, double height, const char *title);
void svg_close(FILE *out);

// A group that is moved and scaled.
void svg_open_group(FILE *out, double x, double y, double scale);
void svg_close_group(FILE *out);

void svg_line(FILE *out, const char *class, struct svg_point from,
              struct svg_point to);
void svg_rect(FILE *out, const char *class, const struct svg_box *box);
void svg_circle(FILE *out, const char *class, struct svg_point at, double r);

// Text that starts at a point, is centred there or ends there, by its class.
void svg_text(FILE *out, const char *class, struct svg_point at,
              const char *text);
// The same, upwards.
void svg_text_up(FILE *out, const char *class, struct svg_point at,
                 const char *text);

// A line through points; it is interrupted where one is not finite.
void svg_polyline(FILE *out, const char *class, const struct svg_point *point,
                  int count);

// Unit squares in the classes `class`1 to `class`9 of their shades.
void svg_cells(FILE *out, const char *class, const struct svg_cells *cells);

// The lines between neighbouring unit squares of different numbers.
void svg_borders(FILE *out, const char *class, int rows, int cols,
                 const int32_t *number);
