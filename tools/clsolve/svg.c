// SPDX-License-Identifier: BSD-3-Clause
// Pictures in SVG.
#include "tools/clsolve/svg.h"

#include <levelcl/log.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SHADES = 9 };

// ---------------------------------------------------------------- text

static void put_escaped(FILE *out, char c)
{
    switch (c) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        fputc(c, out);
    }
}

void svg_escape_part(FILE *out, const char *text, size_t bytes)
{
    char *part = strndup(text, bytes);
    const size_t length = part ? lcl_printable(NULL, 0, part) : 0;
    char *shown = malloc(length + 1);
    if (part && shown) {
        lcl_printable(shown, length + 1, part);
        for (const char *at = shown; *at; ++at)
            put_escaped(out, *at);
    }
    free(shown);
    free(part);
}

void svg_escape(FILE *out, const char *text)
{
    svg_escape_part(out, text, strlen(text));
}

void svg_number(FILE *out, double number)
{
    const double limit = 1e9;
    const double within = fmax(-limit, fmin(limit, number));
    const long long hundredths = llround(fabs(within) * 100);
    const int rest = (int)(hundredths % 100);
    fprintf(out, "%s%lld", within < 0 && hundredths > 0 ? "-" : "",
            hundredths / 100);
    if (rest > 0)
        fprintf(out, rest % 10 ? ".%02d" : ".%d", rest % 10 ? rest : rest / 10);
}

static void put(FILE *out, const char *name, double number)
{
    fprintf(out, " %s=\"", name);
    svg_number(out, number);
    fputc('"', out);
}

// ---------------------------------------------------------------- frames

void svg_open(FILE *out, double width, double height, const char *title)
{
    fputs("<svg role=\"img\" viewBox=\"0 0 ", out);
    svg_number(out, width);
    fputc(' ', out);
    svg_number(out, height);
    fputs("\">\n<title>", out);
    svg_escape(out, title);
    fputs("</title>\n", out);
}

void svg_close(FILE *out)
{
    fputs("</svg>\n", out);
}

void svg_open_group(FILE *out, double x, double y, double scale)
{
    fputs("<g transform=\"translate(", out);
    svg_number(out, x);
    fputc(' ', out);
    svg_number(out, y);
    fputs(") scale(", out);
    svg_number(out, scale);
    fputs(")\">\n", out);
}

void svg_close_group(FILE *out)
{
    fputs("</g>\n", out);
}

// ---------------------------------------------------------------- shapes

void svg_line(FILE *out, const char *class, struct svg_point from,
              struct svg_point to)
{
    fprintf(out, "<line class=\"%s\"", class);
    put(out, "x1", from.x);
    put(out, "y1", from.y);
    put(out, "x2", to.x);
    put(out, "y2", to.y);
    fputs("/>\n", out);
}

void svg_rect(FILE *out, const char *class, const struct svg_box *box)
{
    fprintf(out, "<rect class=\"%s\"", class);
    put(out, "x", box->x);
    put(out, "y", box->y);
    put(out, "width", box->width);
    put(out, "height", box->height);
    fputs("/>\n", out);
}

void svg_circle(FILE *out, const char *class, struct svg_point at, double r)
{
    fprintf(out, "<circle class=\"%s\"", class);
    put(out, "cx", at.x);
    put(out, "cy", at.y);
    put(out, "r", r);
    fputs("/>\n", out);
}

static void put_text(FILE *out, const char *text)
{
    fputc('>', out);
    svg_escape(out, text);
    fputs("</text>\n", out);
}

void svg_text(FILE *out, const char *class, struct svg_point at,
              const char *text)
{
    fprintf(out, "<text class=\"%s\"", class);
    put(out, "x", at.x);
    put(out, "y", at.y);
    put_text(out, text);
}

void svg_text_up(FILE *out, const char *class, struct svg_point at,
                 const char *text)
{
    fprintf(out, "<text class=\"%s\" transform=\"translate(", class);
    svg_number(out, at.x);
    fputc(' ', out);
    svg_number(out, at.y);
    fputs(") rotate(-90)\"", out);
    put_text(out, text);
}

void svg_polyline(FILE *out, const char *class, const struct svg_point *point,
                  int count)
{
    bool drawing = false;
    fprintf(out, "<path class=\"%s\" d=\"", class);
    for (int i = 0; i < count; ++i) {
        const bool finite = isfinite(point[i].x) && isfinite(point[i].y);
        if (finite) {
            fputc(drawing ? 'L' : 'M', out);
            svg_number(out, point[i].x);
            fputc(' ', out);
            svg_number(out, point[i].y);
        }
        drawing = finite;
    }
    fputs("\"/>\n", out);
}

// ---------------------------------------------------------------- cells

// The squares of one shade as rectangles along the rows.
static void put_runs(FILE *out, const struct svg_cells *cells, int shade)
{
    for (int y = 0; y < cells->rows; ++y) {
        const uint8_t *row = cells->shade + (size_t)y * (size_t)cells->cols;
        for (int x = 0; x < cells->cols; ++x) {
            const int first = x;
            while (x < cells->cols && row[x] == shade)
                ++x;
            if (x > first)
                fprintf(out, "M%d %dh%dv1h-%dz", first, y, x - first,
                        x - first);
        }
    }
}

void svg_cells(FILE *out, const char *class, const struct svg_cells *cells)
{
    bool used[UINT8_MAX + 1] = {false};
    for (int k = 0; k < cells->rows * cells->cols; ++k)
        used[cells->shade[k]] = true;
    for (int shade = 1; shade <= SHADES; ++shade) {
        if (!used[shade])
            continue;
        fprintf(out, "<path class=\"%s%d\" d=\"", class, shade);
        put_runs(out, cells, shade);
        fputs("\"/>\n", out);
    }
}

// Lines between rows y - 1 and y.
static void put_horizontal(FILE *out, int y, int cols, const int32_t *number)
{
    const int32_t *row = number + (size_t)y * (size_t)cols, *above = row - cols;
    for (int x = 0; x < cols; ++x) {
        const int first = x;
        while (x < cols && row[x] != above[x])
            ++x;
        if (x > first)
            fprintf(out, "M%d %dh%d", first, y, x - first);
    }
}

// Lines between columns x - 1 and x.
static void put_vertical(FILE *out, int x, int rows, int cols,
                         const int32_t *number)
{
    for (int y = 0; y < rows; ++y) {
        const int first = y;
        for (; y < rows; ++y) {
            const int32_t *at = number + (size_t)y * (size_t)cols + x;
            if (at[0] == at[-1])
                break;
        }
        if (y > first)
            fprintf(out, "M%d %dv%d", x, first, y - first);
    }
}

void svg_borders(FILE *out, const char *class, int rows, int cols,
                 const int32_t *number)
{
    fprintf(out, "<path class=\"%s\" d=\"", class);
    for (int y = 1; y < rows; ++y)
        put_horizontal(out, y, cols, number);
    for (int x = 1; x < cols; ++x)
        put_vertical(out, x, rows, cols, number);
    fputs("\"/>\n", out);
}
