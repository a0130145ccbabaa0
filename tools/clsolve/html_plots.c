// SPDX-License-Identifier: BSD-3-Clause
// Plots of the report: residuals, times, levels.
#include "tools/clsolve/html.h"
#include "tools/clsolve/html_report.h"
#include "tools/clsolve/residual_plot.h"
#include "tools/clsolve/svg_plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    WIDTH = 460,
    CHARACTER = 7, // width, about
    BAR = 22,      // from a bar to the next one
    BINS = 60,     // bars of a histogram, at most
};

// ---------------------------------------------------------------- residuals

// The last iterations of the attempts; returns their number.
static int find_ends(const struct job *job, int end[LCL_CHAIN_MAX])
{
    const struct column *column = &job->column[job->worst];
    int last = 0;
    for (int k = 0; k < column->attempts; ++k) {
        last += column->attempt[k].iterations;
        end[k] = last;
    }
    return column->attempts;
}

void html_convergence(FILE *out, const struct job *job)
{
    const struct lcl_report *report = &job->report;
    int end[LCL_CHAIN_MAX];
    const struct residuals R = {
        .history = report->history,
        .count = report->history_count,
        .end = end,
        .attempts = find_ends(job, end),
        .tolerance = job->solver.rtol,
        .x_iteration = report->x_iteration,
        .true_residual = report->true_residual,
    };
    if (R.count == 0) {
        html_paragraph(out, "pale", "No residual was computed.");
        return;
    }
    html_open_figure(out);
    const struct residual_remarks remarks = residual_plot(out, &R);
    html_close_figure(
        out,
        "Residual by the recurrence after each iteration. Dashed: the "
        "tolerance, %g. Ring: the true residual of x.%s%s%s",
        R.tolerance,
        R.attempts > 1 ? " The numbers are those of the methods tried." : "",
        remarks.gaps ? " Gaps: the residual was not finite." : "",
        remarks.zero ? " A residual of 0 is at the lower end." : "");
}

// ---------------------------------------------------------------- bars

struct bar {
    const char *name;
    double value;
    char text[128];
};

// The longest bar leaves room for the longest text.
static void draw_bars(FILE *out, const char *title, const struct bar *bar,
                      int count)
{
    double most = 0, text = 0;
    for (int k = 0; k < count; ++k) {
        most = fmax(most, bar[k].value);
        text = fmax(text, CHARACTER * (double)strlen(bar[k].text));
    }
    svg_open(out, WIDTH, BAR * count + 6, title);
    for (int k = 0; k < count; ++k) {
        const double y = BAR * k + 4;
        const double width =
            most > 0 ? (WIDTH - 96 - text) * bar[k].value / most : 0;
        svg_text(out, "end", (struct svg_point){82, y + 13}, bar[k].name);
        svg_rect(out, "bar", &(struct svg_box){90, y, width, BAR - 6});
        svg_text(out, "start", (struct svg_point){96 + width, y + 13},
                 bar[k].text);
    }
    svg_close(out);
}

static void set_time(struct bar *bar, const char *name, double seconds,
                     double total)
{
    bar->name = name;
    bar->value = seconds;
    snprintf(bar->text, sizeof bar->text, "%.3f s, %.1f %%", seconds,
             100 * seconds / total);
}

void html_times(FILE *out, const struct job *job)
{
    const struct job_times times = job_times(job);
    struct bar bar[LCL_PHASE_COUNT + 1];
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        set_time(&bar[p], lcl_phase_name((enum lcl_phase)p), times.phase[p],
                 times.total);
    set_time(&bar[LCL_PHASE_COUNT], "other", times.other, times.total);
    html_open_figure(out);
    draw_bars(out, "Time by phase", bar, LCL_PHASE_COUNT + 1);
    html_close_figure(out,
                      "Wall time by phase, of %.3f s for the whole run. Other: "
                      "opening the device, choosing the method, what is "
                      "between the phases.",
                      times.total);
}

void html_multigrid(FILE *out, const struct job *job)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    char name[LCL_AMG_LEVELS][24];
    struct bar bar[LCL_AMG_LEVELS];
    for (int l = 0; l < info->amg.levels; ++l) {
        snprintf(name[l], sizeof name[l], "level %d", l);
        bar[l] = (struct bar){name[l], (double)info->amg.rows[l], ""};
        snprintf(bar[l].text, sizeof bar[l].text, "%s rows, %s nonzeros",
                 html_count(info->amg.rows[l]).text,
                 html_count(info->amg.nnz[l]).text);
    }
    html_open_figure(out);
    draw_bars(out, "Rows by level of multigrid", bar, info->amg.levels);
    html_close_figure(out,
                      "Rows by level of multigrid. All matrices together have "
                      "%.2f times the entries of A; %s, smoother %s.",
                      info->amg.complexity,
                      lcl_amg_coarsening_name(info->amg.coarsening),
                      lcl_amg_smoother_name(info->amg.smoother));
}

// ---------------------------------------------------------------- levels

// Rows by level, `width` levels in each of the bins.
struct histogram {
    int64_t rows[BINS];
    int bins, width;
    int64_t most;
};

static struct histogram count_levels(const int32_t *level, int64_t n,
                                     int64_t levels)
{
    struct histogram H = {.width = (int)((levels + BINS - 1) / BINS)};
    H.bins = (int)((levels + H.width - 1) / H.width);
    for (int64_t i = 0; i < n; ++i)
        ++H.rows[level[i] / H.width];
    for (int k = 0; k < H.bins; ++k)
        H.most = H.rows[k] > H.most ? H.rows[k] : H.most;
    return H;
}

static void draw_histogram(FILE *out, const struct histogram *H, int64_t levels)
{
    struct svg_plot plot = {
        .area = {62, 10, WIDTH - 80, 210},
        .x = axis_to((double)levels, "level"),
        .y = axis_to(1.05 * (double)H->most, "rows"),
    };
    plot.x.whole = plot.y.whole = true;
    svg_open(out, WIDTH, 260, "Rows by level");
    svg_plot_axes(out, &plot);
    for (int k = 0; k < H->bins; ++k) {
        const struct svg_point corner =
            svg_plot_place(&plot, (double)k * H->width, (double)H->rows[k]);
        const double end = fmin((k + 1.0) * H->width, (double)levels);
        const struct svg_point base = svg_plot_place(&plot, end, 0);
        svg_rect(out, "bar",
                 &(struct svg_box){corner.x + 0.5, corner.y,
                                   base.x - corner.x - 1, base.y - corner.y});
    }
    svg_close(out);
}

void html_levels(FILE *out, const struct job *job, const struct html_rows *rows)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    const struct histogram H =
        count_levels(rows->level, info->rows, info->factors.levels_max);
    char width[64] = "";
    if (H.width > 1)
        snprintf(width, sizeof width, " Each bar stands for %d levels.",
                 H.width);
    html_open_figure(out);
    draw_histogram(out, &H, info->factors.levels_max);
    html_close_figure(
        out,
        "Rows of all subdomains by their level in the triangular solves. The "
        "rows of a level are computed at once; a subdomain has at most %" PRId64
        " levels, %.1f on average.%s",
        info->factors.levels_max, info->factors.levels_mean, width);
}
