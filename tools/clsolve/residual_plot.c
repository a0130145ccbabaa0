// SPDX-License-Identifier: BSD-3-Clause
// The plot of residuals by iteration.
#include "tools/clsolve/residual_plot.h"
#include "tools/clsolve/svg_plot.h"

#include <math.h>

enum {
    WIDTH = 460,
    COLUMNS = 400, // of points of a curve, at most
    KINDS = 6,     // of curves
    LABEL_WIDTH = 24,
};

struct range {
    double least, most;
    struct residual_remarks remarks;
};

static void widen(struct range *range, double value)
{
    if (!isfinite(value)) {
        range->remarks.gaps = true;
    } else if (value > 0) {
        range->least = fmin(range->least, value);
        range->most = fmax(range->most, value);
    } else {
        range->remarks.zero = true;
    }
}

static struct range find_range(const struct residuals *R)
{
    struct range range = {.least = R->tolerance, .most = R->tolerance};
    for (int i = 0; i < R->count; ++i)
        widen(&range, R->history[i]);
    if (isfinite(R->true_residual))
        widen(&range, R->true_residual);
    return range;
}

static struct svg_plot make_plot(const struct residuals *R,
                                 const struct range *range)
{
    const int last = R->count - 1;
    const double least =
        range->remarks.zero ? 0.05 * range->least : range->least;
    struct svg_plot plot = {
        .area = {62, 10, WIDTH - 80, 250},
        .x = axis_to(last > 1 ? last : 1, "iteration"),
        .y = axis_decades(least, range->most, "residual ||r|| / ||b||"),
    };
    plot.x.whole = true;
    return plot;
}

// A residual of 0 is at the lower end.
static struct svg_point place_residual(const struct svg_plot *plot, double x,
                                       double residual)
{
    return svg_plot_place(plot, x, residual == 0 ? plot->y.from : residual);
}

// The smallest and the largest residual of some iterations, in their order; a
// gap if one of them has no place.
static int add_points(struct svg_point *point, const struct svg_plot *plot,
                      const double *history, int first, int end)
{
    int low = first, high = first, count = 0;
    for (int i = first; i < end; ++i) {
        const struct svg_point at = place_residual(plot, i, history[i]);
        if (!isfinite(at.y)) {
            point[count++] = (struct svg_point){NAN, NAN};
            return count;
        }
        low = history[i] < history[low] ? i : low;
        high = history[i] > history[high] ? i : high;
    }
    const int one = low < high ? low : high, other = low < high ? high : low;
    point[count++] = place_residual(plot, one, history[one]);
    if (other != one)
        point[count++] = place_residual(plot, other, history[other]);
    return count;
}

// The residuals of an attempt, the last of which is that of iteration `last`.
static void draw_curve(FILE *out, const struct svg_plot *plot,
                       const double *history, int first, int last, int attempt)
{
    struct svg_point point[2 * COLUMNS] = {{0, 0}};
    char class[] = "k1";
    const int step = (last - first) / COLUMNS + 1;
    int count = 0;
    class[1] = (char)('1' + attempt % KINDS);
    for (int i = first; i <= last; i += step)
        count += add_points(point + count, plot, history, i,
                            i + step <= last ? i + step : last + 1);
    svg_polyline(out, class, point, count);
    if (count == 1 && isfinite(point[0].y))
        svg_circle(out, class, point[0], 3);
}

// Attempts whose curves start so close to each other that one label numbers
// all.
struct label {
    double x;        // of the plot
    int first, last; // attempts, from 1; 0: none
};

static void put_label(FILE *out, const struct svg_plot *plot,
                      const struct label *label)
{
    char text[32];
    if (label->first == 0)
        return;
    snprintf(text, sizeof text, label->first < label->last ? "%d-%d" : "%d",
             label->first, label->last);
    svg_text(out, "start", (struct svg_point){label->x + 3, plot->area.y + 12},
             text);
}

// Draws where an attempt starts, and the label before unless it takes this
// attempt's number, too.
static void number_curve(FILE *out, const struct svg_plot *plot, double x,
                         int attempt, struct label *label)
{
    const struct svg_point top = svg_plot_place(plot, x, plot->y.to);
    if (attempt > 0)
        svg_line(out, "grid", top,
                 (struct svg_point){top.x, top.y + plot->area.height});
    if (label->first > 0 && top.x < label->x + LABEL_WIDTH) {
        label->last = attempt + 1;
        return;
    }
    put_label(out, plot, label);
    *label = (struct label){top.x, attempt + 1, attempt + 1};
}

// One curve for each attempt, from where the one before ended. Attempts without
// iterations have no number.
static void draw_curves(FILE *out, const struct svg_plot *plot,
                        const struct residuals *R)
{
    struct label label = {.first = 0};
    for (int k = 0, first = 0; k < R->attempts; ++k) {
        const bool is_last = k == R->attempts - 1 || R->end[k] >= R->count;
        const int last = is_last ? R->count - 1 : R->end[k];
        draw_curve(out, plot, R->history, first, last, k);
        if (R->attempts > 1 && last > first)
            number_curve(out, plot, first, k, &label);
        first = last;
    }
    put_label(out, plot, &label);
}

static void draw_limits(FILE *out, const struct svg_plot *plot,
                        const struct residuals *R)
{
    const struct svg_point from =
                               svg_plot_place(plot, plot->x.from, R->tolerance),
                           to = svg_plot_place(plot, plot->x.to, R->tolerance),
                           ring = place_residual(plot, R->x_iteration,
                                                 R->true_residual);
    svg_line(out, "limit", from, to);
    if (isfinite(ring.y))
        svg_circle(out, "mark", ring, 4);
}

struct residual_remarks residual_plot(FILE *out, const struct residuals *R)
{
    const struct range range = find_range(R);
    const struct svg_plot plot = make_plot(R, &range);
    svg_open(out, WIDTH, 300, "Residual by iteration");
    svg_plot_axes(out, &plot);
    draw_limits(out, &plot, R);
    draw_curves(out, &plot, R);
    svg_close(out);
    return range.remarks;
}
