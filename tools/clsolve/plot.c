// SPDX-License-Identifier: BSD-3-Clause
// A residual history as a plot in text.
#include "tools/clsolve/plot.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    HEIGHT = 13,
    LABEL = 9,
    MARGIN = LABEL + 2,
    WIDTH_LEAST = 20 - MARGIN,
    WIDTH_MOST = 100,
};

struct plot {
    char cell[HEIGHT][WIDTH_MOST];
    int width;
    double top, bottom; // decimal logarithms
};

static bool is_shown(double residual)
{
    return residual > 0 && isfinite(residual);
}

// Whole decades, at least one; returns the number of values shown.
static int find_range(struct plot *P, const double *history, int count)
{
    int shown = 0;
    P->top = -INFINITY;
    P->bottom = INFINITY;
    for (int i = 0; i < count; ++i) {
        if (!is_shown(history[i]))
            continue;
        P->top = fmax(P->top, ceil(log10(history[i])));
        P->bottom = fmin(P->bottom, floor(log10(history[i])));
        ++shown;
    }
    if (P->top == P->bottom)
        --P->bottom;
    return shown;
}

static int row_of(const struct plot *P, double residual)
{
    return (int)lround((P->top - log10(residual)) / (P->top - P->bottom) *
                       (HEIGHT - 1));
}

static void draw(struct plot *P, const double *history, int count)
{
    memset(P->cell, ' ', sizeof P->cell);
    for (int i = 0; i < count; ++i) {
        const int column =
            (int)((double)i / (count > 1 ? count - 1 : 1) * (P->width - 1));
        if (is_shown(history[i]))
            P->cell[row_of(P, history[i])][column] = '*';
    }
}

static void print_row(FILE *out, const struct plot *P, int row)
{
    int length = P->width;
    while (length > 0 && P->cell[row][length - 1] == ' ')
        --length;
    if (row % 4 == 0)
        fprintf(out, "%*.1e |", LABEL,
                pow(10, P->top - row * (P->top - P->bottom) / (HEIGHT - 1)));
    else
        fprintf(out, "%*s |", LABEL, "");
    fprintf(out, "%.*s\n", length, P->cell[row]);
}

void plot_history(FILE *out, const double *history, int count, int width)
{
    struct plot P = {.width = width - MARGIN};
    P.width = P.width < WIDTH_LEAST  ? WIDTH_LEAST
              : P.width > WIDTH_MOST ? WIDTH_MOST
                                     : P.width;
    if (find_range(&P, history, count) < 2)
        return;
    draw(&P, history, count);
    for (int row = 0; row < HEIGHT; ++row)
        print_row(out, &P, row);
    fprintf(out, "%*s +", LABEL, "");
    for (int i = 0; i < P.width; ++i)
        fputc('-', out);
    fprintf(out, "\n%*s0%*d\n", MARGIN, "", P.width - 1, count - 1);
}
