// SPDX-License-Identifier: BSD-3-Clause
// Plots in SVG.
#include "tools/clsolve/svg_plot.h"

#include <math.h>

enum {
    WANTED = 6,     // ticks
    TICK_ROOM = 16, // below the axis, for the labels of ticks
    LABEL_ROOM = 34,
};

// ---------------------------------------------------------------- axes

struct axis axis_to(double most, const char *label)
{
    return (struct axis){.to = most, .label = label};
}

struct axis axis_decades(double least, double most, const char *label)
{
    const double first = floor(log10(fmax(least, 1e-300)) + 1e-9);
    const double last = ceil(log10(fmin(most, 1e300)) - 1e-9);
    return (struct axis){.from = pow(10, first),
                         .to = pow(10, fmax(last, first + 1)),
                         .logarithmic = true,
                         .label = label};
}

// The smallest of 1, 2 and 5 times a power of 10 that is at least `step`.
static double round_up(double step)
{
    const double power = pow(10, floor(log10(step)));
    const double times[] = {1, 2, 5};
    for (int k = 0; k < 3; ++k)
        if (step <= times[k] * power * (1 + 1e-9))
            return times[k] * power;
    return 10 * power;
}

static int log_ticks(const struct axis *axis, double tick[SVG_PLOT_TICKS])
{
    const int first = (int)lround(log10(axis->from));
    const int last = (int)lround(log10(axis->to));
    const int step = (last - first + WANTED - 1) / WANTED;
    int count = 0;
    for (int e = last; e >= first && count < SVG_PLOT_TICKS; e -= step)
        tick[count++] = pow(10, e);
    return count;
}

int axis_ticks(const struct axis *axis, double tick[SVG_PLOT_TICKS])
{
    if (axis->logarithmic)
        return log_ticks(axis, tick);
    double step = round_up((axis->to - axis->from) / WANTED);
    if (axis->whole && step < 1)
        step = 1;
    const double first = ceil(axis->from / step - 1e-9);
    int count = 0;
    while (count < SVG_PLOT_TICKS &&
           (first + count) * step <= axis->to + 1e-9 * step) {
        tick[count] = (first + count) * step;
        ++count;
    }
    return count;
}

// At most three decimals, and no more than needed.
static void print_decimal(char label[SVG_PLOT_LABEL], double value,
                          const char *unit)
{
    const long long thousandths = llround(value * 1000);
    const int rest = (int)(thousandths % 1000);
    if (rest == 0)
        snprintf(label, SVG_PLOT_LABEL, "%lld%s", thousandths / 1000, unit);
    else
        snprintf(label, SVG_PLOT_LABEL, "%lld.%0*d%s", thousandths / 1000,
                 rest % 10    ? 3
                 : rest % 100 ? 2
                              : 1,
                 rest % 10    ? rest
                 : rest % 100 ? rest / 10
                              : rest / 100,
                 unit);
}

void axis_tick_label(char label[SVG_PLOT_LABEL], const struct axis *axis,
                     double value)
{
    if (axis->logarithmic && value == 1)
        snprintf(label, SVG_PLOT_LABEL, "1");
    else if (axis->logarithmic)
        snprintf(label, SVG_PLOT_LABEL, "1e%ld", lround(log10(value)));
    else if (axis->to >= 1e7)
        print_decimal(label, 1e-6 * value, value > 0 ? "M" : "");
    else if (axis->to >= 1e4)
        print_decimal(label, 1e-3 * value, value > 0 ? "k" : "");
    else
        print_decimal(label, value, "");
}

// From 0 to 1; NaN: none.
static double share(const struct axis *axis, double value)
{
    if (!axis->logarithmic)
        return (value - axis->from) / (axis->to - axis->from);
    return value > 0 ? log10(value / axis->from) / log10(axis->to / axis->from)
                     : NAN;
}

// ---------------------------------------------------------------- plots

struct svg_point svg_plot_place(const struct svg_plot *plot, double x, double y)
{
    const struct svg_box *area = &plot->area;
    return (struct svg_point){
        area->x + area->width * share(&plot->x, x),
        area->y + area->height * (1 - share(&plot->y, y)),
    };
}

static void draw_x(FILE *out, const struct svg_plot *plot)
{
    const double bottom = plot->area.y + plot->area.height;
    double tick[SVG_PLOT_TICKS];
    char label[SVG_PLOT_LABEL];
    const int count = axis_ticks(&plot->x, tick);
    for (int k = 0; k < count; ++k) {
        const struct svg_point at = svg_plot_place(plot, tick[k], plot->y.from);
        axis_tick_label(label, &plot->x, tick[k]);
        svg_line(out, "axis", (struct svg_point){at.x, bottom},
                 (struct svg_point){at.x, bottom + 4});
        svg_text(out, "mid", (struct svg_point){at.x, bottom + TICK_ROOM},
                 label);
    }
    svg_text(out, "mid",
             (struct svg_point){plot->area.x + plot->area.width / 2,
                                bottom + LABEL_ROOM},
             plot->x.label);
}

static void draw_y(FILE *out, const struct svg_plot *plot)
{
    const struct svg_box *area = &plot->area;
    double tick[SVG_PLOT_TICKS];
    char label[SVG_PLOT_LABEL];
    const int count = axis_ticks(&plot->y, tick);
    for (int k = 0; k < count; ++k) {
        const struct svg_point at = svg_plot_place(plot, plot->x.from, tick[k]);
        axis_tick_label(label, &plot->y, tick[k]);
        svg_line(out, "grid", (struct svg_point){area->x, at.y},
                 (struct svg_point){area->x + area->width, at.y});
        svg_text(out, "end", (struct svg_point){area->x - 6, at.y + 4}, label);
    }
    svg_text_up(out, "mid", (struct svg_point){12, area->y + area->height / 2},
                plot->y.label);
}

void svg_plot_axes(FILE *out, const struct svg_plot *plot)
{
    const struct svg_box *area = &plot->area;
    const struct svg_point corner = {area->x, area->y + area->height};
    draw_y(out, plot);
    draw_x(out, plot);
    svg_line(out, "axis", corner,
             (struct svg_point){corner.x + area->width, corner.y});
    svg_line(out, "axis", corner, (struct svg_point){corner.x, area->y});
}
