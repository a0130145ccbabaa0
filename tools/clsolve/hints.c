// SPDX-License-Identifier: BSD-3-Clause
// Advice after a failed solve: what was not tried and may help.
#include "tools/clsolve/hints.h"
#include "tools/clsolve/cli_table.h"

#include <math.h>
#include <string.h>

enum { USUAL_ITERS = 10000 };

static void say(struct hint *hint, bool has_command, const char *text)
{
    snprintf(hint->text, sizeof hint->text, "%s", text);
    hint->has_command = has_command;
}

// ---------------------------------------------------------------- omissions

// Options that do not belong to the method.
static bool is_limit(const char *key)
{
    static const char *const limits[] = {
        "rtol", "atol",      "max-iters",    "stagnation",    "time-limit",
        "spmv", "hec-width", "kron-product", "kron-exchange", "communication"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        if (strcmp(key, limits[i]) == 0)
            return true;
    return false;
}

static bool is_of_solver(const char *key)
{
    return strcmp(key, "solver") == 0 || strcmp(key, "idr-s") == 0 ||
           strcmp(key, "restart") == 0 || strcmp(key, "basis") == 0 ||
           strcmp(key, "orthogonalisation") == 0 || strcmp(key, "side") == 0;
}

// Near-null vectors apply to amg only.
static bool keeps_precond(const struct cli *cli)
{
    return cli->coordinates || cli->near_null;
}

static bool is_dropped(const struct cli *cli, int i)
{
    const char *key = cli->given[i] ? lcl_options_help(i)->key : "";
    return cli->given[i] && !is_limit(key) &&
           (is_of_solver(key) || !keeps_precond(cli));
}

// "no --solver, no --restart and no --precond: ..."
static void omit_method(struct hint *hint)
{
    struct cli *cli = &hint->cli;
    int left = 0, dropped = 0;
    size_t at = 0;
    for (int i = 0; i < CLI_KEYS; ++i)
        left += is_dropped(cli, i);
    const int count = left;
    for (int i = 0; i < CLI_KEYS && at < sizeof hint->text; ++i) {
        if (!is_dropped(cli, i))
            continue;
        at += (size_t)snprintf(hint->text + at, sizeof hint->text - at,
                               "%sno --%s",
                               dropped == 0           ? ""
                               : dropped == count - 1 ? " and "
                                                      : ", ",
                               lcl_options_help(i)->key);
        ++dropped;
    }
    for (int i = 0; i < CLI_KEYS; ++i)
        if (is_dropped(cli, i))
            cli->given[i] = NULL;
    if (at < sizeof hint->text)
        snprintf(hint->text + at, sizeof hint->text - at,
                 ": levelcl then chooses %s by the matrix, and tries others if "
                 "%s",
                 count == 1 ? "it" : "them",
                 count == 1 ? "it fails" : "they fail");
    hint->has_command = true;
}

// Whether a method is named, so that no others were tried.
static bool is_alone(const struct cli *cli)
{
    return cli->options.solver.type ||
           (cli->options.precond.type && !keeps_precond(cli));
}

// ---------------------------------------------------------------- limits

static void set_number(struct hint *hint, const char *key, const char *why)
{
    hint->cli.given[cli_find_key(key)] = hint->number;
    snprintf(hint->text, sizeof hint->text, "--%s %s: %s", key, hint->number,
             why);
    hint->has_command = true;
}

// Iterations until the tolerance by the rate of the last half; INFINITY: the
// residual does not fall.
static double iterations_needed(const struct lcl_report *report, double rtol)
{
    const int last = report->history_count - 1, half = last / 2;
    if (last < 1 || !(report->history[last] > 0) || !(rtol > 0))
        return INFINITY;
    const double fall = log(report->history[half] / report->history[last]);
    const double left = log(report->history[last] / rtol);
    return fall > 0.1 ? last + left * (last - half) / fall : INFINITY;
}

// Many iterations without a preconditioner have a better remedy than more.
static bool fall_is_fast(const struct job *job, double needed)
{
    const int max_iters = job->solver.max_iters;
    const bool plain = job->cli.options.precond.type == LCL_PRECOND_NONE;
    return needed <= 4.0 * max_iters || (needed <= USUAL_ITERS && !plain);
}

static void allow_iterations(struct hint *hint, double count, const char *why)
{
    const double unit = pow(10, floor(log10(count)) - 1);
    snprintf(hint->number, sizeof hint->number, "%.0f",
             unit * ceil(count / unit));
    set_number(hint, "max-iters", why);
}

static bool reached_limit(const struct job *job)
{
    const int given = job->cli.options.solver.max_iters;
    return job->report.stop == LCL_STOP_MAX_ITERS ||
           job->report.iterations >= (given > 0 ? given : USUAL_ITERS);
}

// All methods of a chain share the limit, which a rate says nothing about.
static bool more_iterations(struct hint *hint, const struct job *job)
{
    const int used = job->report.iterations;
    const double needed = iterations_needed(&job->report, job->solver.rtol);
    if (!reached_limit(job) || used > 100 * USUAL_ITERS)
        return false;
    if (is_alone(&job->cli) && !fall_is_fast(job, needed))
        return false;
    if (is_alone(&job->cli))
        allow_iterations(hint, 1.5 * needed + 10,
                         "the residual falls, and takes about so many at its "
                         "rate");
    else
        allow_iterations(hint, used < USUAL_ITERS ? USUAL_ITERS : 4.0 * used,
                         "more iterations; each method got a share of them");
    return true;
}

static bool more_patience(struct hint *hint, const struct job *job)
{
    const int index = cli_find_key("stagnation");
    if (job->report.stop != LCL_STOP_STAGNATION || !job->cli.given[index] ||
        job->cli.options.solver.stagnation >= 2000)
        return false;
    hint->cli.given[index] = NULL;
    say(hint, true,
        "no --stagnation: the residual may fall again within the usual 2000 "
        "iterations");
    return true;
}

// Rounding errors may limit a residual that is this small.
static bool larger_tolerance(struct hint *hint, const struct job *job)
{
    const double reached = job->report.true_residual;
    if (!(reached > 0 && reached < 1e-4) || reached_limit(job))
        return false;
    snprintf(hint->number, sizeof hint->number, "%.0e", 3 * reached);
    set_number(hint, "rtol", "rounding errors may limit the residual");
    return true;
}

// ---------------------------------------------------------------- singular

static void project_constants(struct hint *hint, double share)
{
    hint->cli.nullspace = "constant";
    snprintf(hint->text, sizeof hint->text,
             "--nullspace constant: the rows and columns of the matrix add up "
             "to 0, so that no A x has the constant part of b, %.1e ||b||",
             share);
    hint->has_command = true;
}

static void project_components(struct hint *hint, const struct singularity *s)
{
    if (s->components > LCL_BLOCK_MAX) {
        snprintf(hint->text, sizeof hint->text,
                 "each part of the matrix alone: it has %lld parts without "
                 "couplings between them whose rows and columns add up to 0, "
                 "but --nullspace takes %d vectors",
                 (long long)s->components, LCL_BLOCK_MAX);
        return;
    }
    hint->cli.nullspace = "components";
    snprintf(hint->text, sizeof hint->text,
             "--nullspace components: the matrix has %lld part%s without "
             "couplings to others whose rows and columns add up to 0, so that "
             "no A x has the constant part of b there, %.1e ||b||",
             (long long)s->components, s->components == 1 ? "" : "s", s->share);
    hint->has_command = true;
}

static bool no_solution(struct hint *hint, const struct job *job)
{
    const struct singularity *s = &job->singular;
    if (s->overflows)
        snprintf(hint->text, sizeof hint->text,
                 "another scale: ||b|| / ||A||, and with it the solution, is "
                 "beyond the largest number in fp64, 1.8e308");
    else if (s->components > 0)
        project_components(hint, s);
    else if (s->constant)
        project_constants(hint, s->share);
    else if (s->found)
        snprintf(hint->text, sizeof hint->text,
                 "another right-hand side, or --nullspace FILE with the null "
                 "vectors of the matrix: it is singular or nearly so, and no "
                 "x in fp64 gives A x the part %.1e ||b|| of b along a vector "
                 "y with ||A^T y|| = %.1e ||A|| ||y||",
                 s->share, s->gradient);
    return s->found || s->overflows;
}

// ---------------------------------------------------------------- all

bool hint_find(struct hint *hint, const struct job *job)
{
    *hint = (struct hint){.cli = job->cli};
    if (job->outcome == LCL_OK || job_is_interrupted(job))
        return false;
    if (no_solution(hint, job) || more_patience(hint, job) ||
        more_iterations(hint, job))
        return true;
    if (is_alone(&job->cli)) {
        omit_method(hint);
        return true;
    }
    if (!larger_tolerance(hint, job))
        say(hint, false,
            "another program: none of the methods tried solves this system; "
            "the matrix may be singular or nearly so");
    return true;
}
