// SPDX-License-Identifier: BSD-3-Clause
// The report of --report: one page of HTML about a run.
#define _XOPEN_SOURCE 700 // gmtime_r()

#include "tools/clsolve/html_report.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/hints.h"
#include "tools/clsolve/html.h"
#include "tools/clsolve/method.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/utsname.h>

struct page {
    FILE *out;
    const struct job *job;
    struct html_rows rows;
};

bool html_solves(const struct job *job)
{
    return job->cli.command == &cmd_solve;
}

int html_attempts(const struct job *job)
{
    return html_solves(job) ? job->column[job->worst].attempts : 0;
}

// ---------------------------------------------------------------- summary

// "cg with ic0 (packed)", "3 methods, the last of them idr(8) with ras,"
struct phrase {
    char text[3 * METHOD_TITLE];
};

static struct phrase method_phrase(const struct job *job)
{
    const int count = html_attempts(job);
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    const bool plain = !info || info->type == LCL_PRECOND_NONE;
    char solver[METHOD_TITLE], precond[METHOD_TITLE], before[64] = "";
    struct phrase phrase;
    if (count > 1)
        snprintf(before, sizeof before, "%d methods, the last of them ", count);
    method_solver(solver, job);
    method_precond(precond, job);
    snprintf(phrase.text, sizeof phrase.text, "%s%s %s%s", before, solver,
             plain ? "without " : "with ", plain ? "preconditioner" : precond);
    if (count > 1)
        strcat(phrase.text, ",");
    return phrase;
}

static void lead_of_solve(FILE *out, const struct job *job)
{
    const struct lcl_report *report = &job->report;
    const double seconds = job_times(job).total;
    const struct phrase method = method_phrase(job);
    const struct html_count equations = html_count(job->unknowns),
                            iterations = html_count(report->iterations);
    if (job->outcome == LCL_OK)
        html_paragraph(out, "lead good",
                       "Converged in %s iteration%s: %s solved %s equation%s "
                       "to a true residual of %.2e in %.3f s.",
                       iterations.text, report->iterations == 1 ? "" : "s",
                       method.text, equations.text,
                       job->unknowns == 1 ? "" : "s", report->true_residual,
                       seconds);
    else
        html_paragraph(out, "lead bad",
                       "Not converged: %s. %s iteration%s of %s left %s "
                       "equation%s with a true residual of %.2e after %.3f s.",
                       lcl_stop_str(report->stop), iterations.text,
                       report->iterations == 1 ? "" : "s", method.text,
                       equations.text, job->unknowns == 1 ? "" : "s",
                       report->true_residual, seconds);
}

static void lead_of_columns(FILE *out, const struct job *job)
{
    const struct column_sums sums = columns_sum(job->column, job->columns);
    if (sums.failed == 0)
        html_paragraph(out, "lead good",
                       "Converged: %d right-hand sides in %s iterations and "
                       "%.3f s. The largest true residual, %.2e, is that of "
                       "column %d, which this page describes.",
                       job->columns, html_count(sums.iterations).text,
                       job_times(job).total, job->report.true_residual,
                       job->worst + 1);
    else
        html_paragraph(out, "lead bad",
                       "Not converged: %d of %d right-hand sides. This page "
                       "describes column %d: %s.",
                       sums.failed, job->columns, job->worst + 1,
                       lcl_stop_str(job->report.stop));
}

static void lead_of_info(FILE *out, const struct job *job)
{
    html_paragraph(out, "lead",
                   "Set up in %.3f s: %s for %s equation%s. Nothing was "
                   "solved.",
                   job_times(job).total, method_phrase(job).text,
                   html_count(job->unknowns).text,
                   job->unknowns == 1 ? "" : "s");
}

static void put_command(FILE *out, const struct cli *cli,
                        void (*print)(FILE *out, const struct cli *cli))
{
    char *command = cli_printed(cli, print);
    if (command)
        html_command(out, command);
    free(command);
}

static void put_advice(FILE *out, const struct job *job)
{
    struct hint hint;
    if (!html_solves(job) || !hint_find(&hint, job))
        return;
    html_paragraph(out, "", "To try: %s", hint.text);
    if (hint.has_command)
        put_command(out, &hint.cli, cli_print_command);
}

// ---------------------------------------------------------------- result

static void put_result(FILE *out, const struct job *job)
{
    html_open_section(out, html_solves(job) ? "What was solved, and how"
                                            : "What was set up, and how");
    html_open_figures(out);
    if (html_solves(job))
        html_convergence(out, job);
    html_facts(out, job);
    html_close_figures(out);
    html_close_section(out);
}

// ---------------------------------------------------------------- run

static void put_column(FILE *out, const struct column *column, int number)
{
    const struct lcl_report *report = &column->report;
    html_open_row(out);
    html_number_cell(out, "%d", number);
    if (column->outcome == LCL_OK)
        html_cell(out, "converged");
    else
        html_cell(out, "not converged: %s", lcl_stop_name(report->stop));
    html_number_cell(out, "%s", html_count(report->iterations).text);
    html_number_cell(out, "%.2e", report->true_residual);
    html_number_cell(out, "%.3f", report->seconds);
    html_close_row(out);
}

static void put_columns(FILE *out, const struct job *job)
{
    html_open_section(out, "Right-hand sides");
    html_open_table(out,
                    "#column|outcome|#iterations|#true residual|#solve, s");
    for (int k = 0; k < job->columns; ++k)
        put_column(out, &job->column[k], k + 1);
    html_close_table(out);
    html_close_section(out);
}

static void put_attempt(FILE *out, const struct lcl_attempt *a, int number)
{
    char title[METHOD_TITLE];
    html_open_row(out);
    html_number_cell(out, "%d", number);
    html_cell(out, "%s", method_attempt(title, a));
    html_cell(out, "%s", method_outcome(a));
    html_number_cell(out, "%s", html_count(a->iterations).text);
    if (a->stop)
        html_number_cell(out, "%.2e", a->true_residual);
    else
        html_number_cell(out, "-");
    html_number_cell(out, "%.3f", a->setup_seconds);
    html_number_cell(out, "%.3f", a->solve_seconds);
    html_close_row(out);
}

static void put_attempts(FILE *out, const struct job *job)
{
    const struct column *column = &job->column[job->worst];
    html_open_section(out, "Methods tried");
    html_open_table(out, "#no.|method|outcome|#iterations|#true residual|"
                         "#set-up, s|#solve, s");
    for (int k = 0; k < column->attempts; ++k)
        put_attempt(out, &column->attempt[k], k + 1);
    html_close_table(out);
    if (column->attempts > 1)
        html_paragraph(out, "pale",
                       "Each method starts from the best x so far.");
    html_close_section(out);
}

// ---------------------------------------------------------------- matrix

static enum lcl_status put_matrix_figures(const struct page *page)
{
    const struct lcl_precond_info *info = lcl_precond_info(page->job->M);
    enum lcl_status st = html_pattern(page->out, page->job);
    if (st == LCL_OK && page->rows.part && info->factors.parts > 1)
        st = html_partition(page->out, page->job, &page->rows);
    if (page->rows.level)
        html_levels(page->out, page->job, &page->rows);
    if (info && info->amg.levels > 0)
        html_multigrid(page->out, page->job);
    return st;
}

static enum lcl_status put_pictures(const struct page *page)
{
    html_open_section(page->out, "Matrix and preconditioner");
    html_open_columns(page->out);
    const enum lcl_status st = put_matrix_figures(page);
    html_close_figures(page->out);
    html_close_section(page->out);
    return st;
}

// ---------------------------------------------------------------- tasks

static void put_task(FILE *out, const char *name,
                     const struct lcl_task_info *task, double copy)
{
    const double rate = (double)task->bytes / task->seconds;
    html_open_row(out);
    html_cell(out, "%s", name);
    html_number_cell(out, "%.3f", 1e3 * task->seconds);
    html_number_cell(out, task->bytes > 0 ? "%.3f" : "-",
                     1e-6 * (double)task->bytes);
    html_number_cell(out, task->bytes > 0 ? "%.2f" : "-", 1e-9 * rate);
    html_number_cell(out, task->bytes > 0 && copy > 0 ? "%.1f" : "-",
                     100 * rate / copy);
    html_number_cell(out, "%" PRId64, task->launches);
    html_close_row(out);
}

static void put_iterations(FILE *out, const struct job *job)
{
    const struct column_sums sums = columns_sum(job->column, job->columns);
    if (html_solves(job) && sums.iterations > 0)
        html_paragraph(
            out, "", "One iteration: %.4f ms and %d launches of kernels.",
            1e3 * sums.seconds / (double)sums.iterations, job->report.launches);
}

static void put_task_table(FILE *out, const struct profile *P)
{
    html_open_table(out, "set-up|#ms|#MB|#GB/s|#% of copy|#launches");
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        if (P->task[t].seconds > 0)
            put_task(out, lcl_task_name((enum lcl_task)t), &P->task[t],
                     P->copy);
    html_close_table(out);
}

static void explain_tasks(FILE *out, const struct job *job)
{
    const double copy = job->profile.copy;
    const char *first = html_attempts(job) > 1 ? " of the first method" : "";
    if (copy > 0)
        html_paragraph(
            out, "pale",
            "Table: the set-up%s. MB: least memory traffic, each array "
            "once. A "
            "copy between two buffers of the device moves %.1f "
            "GB/s.",
            first, 1e-9 * copy);
    else
        html_paragraph(
            out, "pale",
            "Table: the set-up%s. MB: least memory traffic, each array "
            "once. "
            "The device may complete the work of a task during a "
            "later one, unless clsolve is run with --profile, which "
            "also gives the share of copy bandwidth.",
            first);
}

static void put_times(FILE *out, const struct job *job)
{
    html_open_section(out, "Time");
    html_open_figures(out);
    html_times(out, job);
    put_task_table(out, &job->profile);
    html_close_figures(out);
    put_iterations(out, job);
    explain_tasks(out, job);
    html_close_section(out);
}

// ---------------------------------------------------------------- end

static void put_warnings(const struct page *page)
{
    const struct messages *messages = &page->job->messages;
    if (messages->warnings == 0)
        return;
    html_open_section(page->out, "Warnings");
    for (int i = 0; i < messages->warnings && i < MESSAGES_KEPT; ++i)
        html_paragraph(page->out, "", "%s", messages->warning[i]);
    html_close_section(page->out);
}

static void put_device(FILE *out, const struct lcl_caps *caps)
{
    html_fact(out, "device", "%s (%s), %d compute units, %.1f GiB", caps->name,
              lcl_device_type_name(caps->type), caps->compute_units,
              (double)caps->global_bytes / (double)(1 << 30));
    html_fact(out, "driver", "%s; %s; driver %s", caps->platform, caps->version,
              caps->driver);
}

static void put_host(FILE *out)
{
    struct utsname host;
    if (uname(&host) == 0)
        html_fact(out, "host", "%s %s, %s", host.sysname, host.release,
                  host.machine);
}

static void put_date(FILE *out)
{
    char text[64] = "";
    const time_t now = time(NULL);
    struct tm date;
    if (gmtime_r(&now, &date) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &date) > 0)
        html_fact(out, "date", "%s", text);
}

static void put_environment(const struct page *page)
{
    const struct job *job = page->job;
    const struct lcl_build_info builds = lcl_context_builds(job->ctx);
    FILE *out = page->out;
    html_open_section(out, "Environment");
    html_open_table(out, "");
    html_fact(out, "clsolve", "%s", lcl_version());
    for (int k = 0; k < job->devices.count; ++k)
        put_device(out, lcl_context_caps(job->devices.ctx[k]));
    html_fact(out, "kernels", "%d compiled, %d from the cache", builds.compiled,
              builds.from_cache);
    put_host(out);
    put_date(out);
    html_close_table(out);
    html_close_section(out);
    html_open_section(out, "To repeat");
    put_command(out, &job->cli, cli_print_given);
    html_close_section(out);
}

// ---------------------------------------------------------------- page

static bool has_rows(const struct job *job)
{
    return job_has_subdomains(job) && !cli_is_kron(&job->cli) &&
           job->devices.count == 1;
}

// Without an answer, the pictures of subdomains and levels are left out.
static void find_rows(struct page *page)
{
    const size_t n = (size_t)page->job->unknowns;
    struct html_rows *rows = &page->rows;
    if (!has_rows(page->job))
        return;
    rows->part = malloc(n * sizeof *rows->part);
    rows->level = malloc(n * sizeof *rows->level);
    if (rows->part && rows->level &&
        lcl_precond_locate(page->job->M, rows->part, rows->level) == LCL_OK)
        return;
    free(rows->part);
    free(rows->level);
    *rows = (struct html_rows){0};
}

static enum lcl_status write_page(struct page *page)
{
    const struct job *job = page->job;
    char title[METHOD_TITLE + 1024];
    snprintf(title, sizeof title,
             html_solves(job) ? "%s, solved by clsolve"
                              : "%s: matrix and preconditioner",
             job_title(job));
    html_open(page->out, title);
    if (!html_solves(job))
        lead_of_info(page->out, job);
    else if (job->columns > 1)
        lead_of_columns(page->out, job);
    else
        lead_of_solve(page->out, job);
    put_advice(page->out, job);
    put_result(page->out, job);
    if (job->columns > 1)
        put_columns(page->out, job);
    if (html_solves(job))
        put_attempts(page->out, job);
    put_times(page->out, job);
    const enum lcl_status st = put_pictures(page);
    put_warnings(page);
    put_environment(page);
    html_close(page->out);
    return st;
}

// The page as text, which the caller frees; NULL: out of memory.
static char *make_page(const struct job *job, size_t *bytes)
{
    char *text = NULL;
    struct page page = {.out = open_memstream(&text, bytes), .job = job};
    if (!page.out)
        return NULL;
    find_rows(&page);
    const enum lcl_status st = write_page(&page);
    free(page.rows.part);
    free(page.rows.level);
    if (fclose(page.out) == 0 && st == LCL_OK)
        return text;
    free(text);
    return NULL;
}

enum lcl_status html_report(struct job *job)
{
    size_t bytes;
    if (!job->cli.report)
        return LCL_OK;
    char *text = make_page(job, &bytes);
    const enum lcl_status st =
        text ? job_write_report(job, text, bytes)
             : messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    free(text);
    return st;
}
