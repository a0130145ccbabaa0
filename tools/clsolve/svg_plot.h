// SPDX-License-Identifier: BSD-3-Clause
// Plots in SVG: axes with ticks, places of values. Values on a logarithmic axis
// that are not positive have no place.
#pragma once

#include "tools/clsolve/svg.h"

#include <stdbool.h>

struct axis {
    double from, to; // from < to; logarithmic: both positive
    bool logarithmic;
    bool whole; // ticks are whole numbers
    const char *label;
};

struct svg_plot {
    struct svg_box area; // inside the axes
    struct axis x, y;    // y upwards
};

enum { SVG_PLOT_TICKS = 12, SVG_PLOT_LABEL = 32 };

// A linear axis from 0 that has `most` >= 0.01, which need not be a tick.
struct axis axis_to(double most, const char *label);
// A logarithmic axis of whole decades that has least to most, both positive;
// `most` above 1e300 or `least` below 1e-300 are cut.
struct axis axis_decades(double least, double most, const char *label);

// Round values on the axis, at most SVG_PLOT_TICKS; returns their number.
int axis_ticks(const struct axis *axis, double tick[SVG_PLOT_TICKS]);

// "0", "0.25", "150", "20k", "3M", "1e-8".
void axis_tick_label(char label[SVG_PLOT_LABEL], const struct axis *axis,
                     double value);

// NaN where the value has no place.
struct svg_point svg_plot_place(const struct svg_plot *plot, double x,
                                double y);

// Draws ticks, their labels and lines, and the labels of the axes.
void svg_plot_axes(FILE *out, const struct svg_plot *plot);
