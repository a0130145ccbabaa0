// SPDX-License-Identifier: BSD-3-Clause
// What a job leaves in its process, as levelcl(7) says: nothing.
#define _GNU_SOURCE // NSIG
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { TEXT = 1 << 16, PATH = 4096 };

struct process {
    int rounding;
    struct sigaction actions[NSIG];
    sigset_t mask;
    mode_t files;
    char environment[TEXT], folder[PATH], locale[PATH];
};

static mode_t mask_of_files(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

static void look(struct process *P)
{
    size_t used = 0;
    memset(P, 0, sizeof *P);
    P->rounding = fegetround();
    for (int s = 1; s < NSIG; ++s)
        sigaction(s, NULL, &P->actions[s]);
    sigprocmask(SIG_SETMASK, NULL, &P->mask);
    P->files = mask_of_files();
    for (char **e = environ; *e; ++e)
        used +=
            (size_t)snprintf(P->environment + used, TEXT - used, "%s\n", *e);
    assert_true(used < TEXT);
    assert_non_null(getcwd(P->folder, PATH));
    snprintf(P->locale, PATH, "%s", setlocale(LC_ALL, NULL));
}

// Without the flag that the C library of Linux adds to every action it sets
// (SA_RESTORER): an action that is put back unchanged has it.
static int flags(const struct sigaction *action)
{
    return action->sa_flags & ~0x04000000;
}

static void expect_equal(const struct process *a, const struct process *b)
{
    assert_int_equal(a->rounding, b->rounding);
    for (int s = 1; s < NSIG; ++s) {
        assert_true(a->actions[s].sa_handler == b->actions[s].sa_handler);
        assert_int_equal(flags(&a->actions[s]), flags(&b->actions[s]));
        assert_int_equal(sigismember(&a->mask, s), sigismember(&b->mask, s));
    }
    assert_int_equal(a->files, b->files);
    assert_string_equal(a->environment, b->environment);
    assert_string_equal(a->folder, b->folder);
    assert_string_equal(a->locale, b->locale);
}

static struct test_job job = {.context = {.no_cache = true}};

static void run(enum lcl_partition_type partition)
{
    job.precond.partition.type = partition;
    assert_int_equal(test_job_run(&job), LCL_OK);
    test_job_expect_solved(job.x);
}

static void keep(int signal)
{
    (void)signal;
}

static void test_process__settings_of_the_host_stay(void **state)
{
    static struct process before, after;
    sigset_t some;
    (void)state;
    signal(SIGTERM, keep);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, NULL);
    look(&before);
    run(LCL_PARTITION_METIS);
    look(&after);
    expect_equal(&before, &after);
}

// METIS draws from it, and NVIDIA's driver.
static void test_process__other_partitions_leave_rand_alone(void **state)
{
    (void)state;
    srand(7);
    const int first = rand();
    const int second = rand();
    srand(7);
    assert_int_equal(rand(), first);
    run(LCL_PARTITION_NATURAL);
    if (job.caps.type != LCL_DEVICE_CPU)
        skip();
    assert_int_equal(rand(), second);
    srand(7);
    assert_int_equal(rand(), first);
    run(LCL_PARTITION_MATCH);
    assert_int_equal(rand(), second);
}

static void test_process__flags_of_floating_point_stay(void **state)
{
    (void)state;
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_OVERFLOW);
    run(LCL_PARTITION_NATURAL);
    assert_true(fetestexcept(FE_OVERFLOW));
    assert_false(fetestexcept(FE_DIVBYZERO | FE_INVALID));
}

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    if (!dir)
        return -1;
    while (readdir(dir))
        ++count;
    closedir(dir);
    return count;
}

// The driver keeps threads and files of its own after its first use.
static void test_process__further_contexts_leave_no_threads_or_files(
    void **state)
{
    (void)state;
    run(LCL_PARTITION_METIS);
    const int files = entries("/proc/self/fd");
    const int threads = entries("/proc/self/task");
    for (int i = 0; i < 3; ++i)
        run(LCL_PARTITION_METIS);
    assert_int_equal(entries("/proc/self/fd"), files);
    assert_int_equal(entries("/proc/self/task"), threads);
}

static void test_process__nothing_is_printed(void **state)
{
    FILE *file = tmpfile();
    struct stat said;
    (void)state;
    assert_non_null(file);
    fflush(NULL);
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    const enum lcl_status st = test_job_run(&job);
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    assert_int_equal(st, LCL_OK);
    assert_int_equal(fstat(fileno(file), &said), 0);
    assert_int_equal(said.st_size, 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process__settings_of_the_host_stay),
        cmocka_unit_test(test_process__other_partitions_leave_rand_alone),
        cmocka_unit_test(test_process__flags_of_floating_point_stay),
        cmocka_unit_test(
            test_process__further_contexts_leave_no_threads_or_files),
        cmocka_unit_test(test_process__nothing_is_printed),
    };
    test_need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
