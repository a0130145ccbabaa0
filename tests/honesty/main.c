// SPDX-License-Identifier: BSD-3-Clause
// A fuzzer of honesty: random systems, all methods and norms; a judge in higher
// precision finds false successes, NaN, wrong reports and hangs.
#include "tests/honesty/runner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: honesty [--seed N] [--count N] [--seconds S] [--kind NAME]\n"
    "               [--only FAULT] [--write FOLDER] [--few] [--verbose]\n"
    "Solves systems number N, N + 1, ... for a count or a time. Again:\n"
    "--seed N --count 1. --write makes a faulty system small and writes it for\n"
    "clsolve; --few needs fewer kernels.\n"
    "       honesty --matrix A.mtx --rhs B.mtx [--option KEY=VALUE]...\n"
    "Solves this system by a chain.\n";

enum { HANG_SECONDS = 120, SHOWN = 5, SKIPPED = 77 };

struct plan {
    unsigned long long seed, count;
    double seconds;
    const char *kind, *only, *folder, *matrix, *rhs;
    const char *option[TRIAL_OPTIONS];
    int options;
    bool few, verbose;
};

struct tally {
    unsigned long long systems;
    int faults[FAULT_COUNT];
    long solved, failed, refused;
};

// ------------------------------------------------------------------- arguments

static double number(const char *text)
{
    char *end;
    errno = 0;
    const double value = text ? strtod(text, &end) : 0;
    if (!text || errno || *end || end == text || value < 0) {
        fputs(usage, stderr);
        exit(2);
    }
    return value;
}

static bool read_switch(struct plan *plan, const char *name)
{
    if (strcmp(name, "--few") == 0)
        plan->few = true;
    else if (strcmp(name, "--verbose") == 0)
        plan->verbose = true;
    else
        return false;
    return true;
}

static bool read_value(struct plan *plan, const char *name, const char *value)
{
    if (strcmp(name, "--seed") == 0)
        plan->seed = (unsigned long long)number(value);
    else if (strcmp(name, "--count") == 0)
        plan->count = (unsigned long long)number(value);
    else if (strcmp(name, "--seconds") == 0)
        plan->seconds = number(value);
    else if (strcmp(name, "--kind") == 0)
        plan->kind = value;
    else if (strcmp(name, "--only") == 0)
        plan->only = value;
    else if (strcmp(name, "--write") == 0)
        plan->folder = value;
    else if (strcmp(name, "--matrix") == 0)
        plan->matrix = value;
    else if (strcmp(name, "--rhs") == 0)
        plan->rhs = value;
    else if (strcmp(name, "--option") == 0 && plan->options < TRIAL_OPTIONS)
        plan->option[plan->options++] = value;
    else
        return false;
    return value != NULL;
}

static struct plan read_plan(int argc, char **argv)
{
    struct plan plan = {.seed = 1};
    for (int k = 1; k < argc; ++k) {
        if (read_switch(&plan, argv[k]))
            continue;
        if (!read_value(&plan, argv[k], argv[k + 1])) {
            fputs(usage, stderr);
            exit(2);
        }
        ++k;
    }
    if (plan.matrix)
        plan.count = 1;
    else if (!plan.count && !(plan.seconds > 0))
        plan.count = 100;
    return plan;
}

// --------------------------------------------------------------------- signals

static char current[64];

// A hang or a crash ends the program with the seed.
static void die(int number_of_signal)
{
    static const char hang[] = "HANG at ", crash[] = "CRASH at ";
    const bool late = number_of_signal == SIGALRM;
    ssize_t done = late ? write(1, hang, sizeof hang - 1)
                        : write(1, crash, sizeof crash - 1);
    done += write(1, current, strlen(current));
    _exit(done ? 3 : 4);
}

static void watch(unsigned long long seed)
{
    snprintf(current, sizeof current, "seed %llu\n", seed);
    alarm(HANG_SECONDS);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        signal(numbers[k], die);
}

// ----------------------------------------------------------------------- loop

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_fault(struct runner *R, const struct plan *plan,
                       struct trial *T, const struct outcome *out)
{
    printf("%s: seed %llu, step %d, column %d: %s\n", fault_names[out->fault],
           (unsigned long long)T->seed, out->step, out->column, out->text);
    trial_describe(T);
    if (!plan->folder)
        return;
    runner_shrink(R, T, out->fault);
    trial_describe(T);
    trial_write(T, plan->folder);
}

static void start_trial(struct trial *T, const struct plan *plan,
                        unsigned long long seed)
{
    if (!plan->matrix) {
        trial_start(T, seed, plan->kind, plan->few);
        return;
    }
    if (!plan->rhs || !trial_read(T, plan->matrix, plan->rhs)) {
        fputs(usage, stderr);
        exit(2);
    }
    for (int k = 0; k < plan->options; ++k)
        snprintf(T->option[T->options++], TRIAL_OPTION_LENGTH, "%s",
                 plan->option[k]);
}

static void try_seed(struct runner *R, const struct plan *plan,
                     struct tally *tally, unsigned long long seed)
{
    struct trial T;
    watch(seed);
    start_trial(&T, plan, seed);
    if (plan->verbose) {
        printf("seed %llu:\n", seed);
        trial_describe(&T);
        fflush(stdout);
    }
    struct outcome out = runner_try(R, &T);
    ++tally->systems;
    tally->solved += out.solved;
    tally->failed += out.failed;
    tally->refused += out.refused;
    const bool wanted =
        !plan->only || !strcmp(plan->only, fault_names[out.fault]);
    if (out.fault && wanted && tally->faults[out.fault]++ < SHOWN)
        show_fault(R, plan, &T, &out);
    fflush(stdout);
    free(out.x);
    trial_finish(&T);
}

static int summarise(const struct runner *R, const struct tally *tally,
                     double seconds)
{
    int sum = 0, programs = 0;
    double compilation = 0;
    for (int k = 0; k < TRIAL_DEVICES; ++k) {
        const struct lcl_build_info builds = lcl_context_builds(R->ctx[k]);
        programs += builds.compiled + builds.from_cache;
        compilation += lcl_context_seconds(R->ctx[k], LCL_PHASE_COMPILE);
    }
    printf("%llu systems in %.1f s, %.1f s of it for %d programs; solved %ld, "
           "failed %ld, refused %ld\n",
           tally->systems, seconds, compilation, programs, tally->solved,
           tally->failed, tally->refused);
    for (int fault = 1; fault < FAULT_COUNT; ++fault) {
        printf("%s %d  ", fault_names[fault], tally->faults[fault]);
        sum += tally->faults[fault];
    }
    printf("\n");
    return sum > 0;
}

int main(int argc, char **argv)
{
    const struct plan plan = read_plan(argc, argv);
    struct tally tally = {0};
    struct runner R;
    const enum lcl_status st = runner_start(&R);
    if (st != LCL_OK)
        printf("%s\n", lcl_status_str(st));
    catch_signals();
    const double start = now();
    for (unsigned long long k = 0; st == LCL_OK; ++k) {
        const bool late = plan.seconds > 0 && now() - start >= plan.seconds;
        if (late || (plan.count && k >= plan.count))
            break;
        try_seed(&R, &plan, &tally, plan.seed + k);
    }
    const int rc = st == LCL_ENODEVICE ? SKIPPED
                   : st != LCL_OK      ? 1
                                       : summarise(&R, &tally, now() - start);
    runner_finish(&R);
    return rc;
}
