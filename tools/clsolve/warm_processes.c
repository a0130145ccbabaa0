// SPDX-License-Identifier: BSD-3-Clause
// clsolve warm: one process per class, because compilers of OpenCL hold a lock
// while they compile.
#include "tools/clsolve/json.h"
#include "tools/clsolve/warm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS = 16, OUTPUT = 1 << 16 };

// `clsolve warm --for CLASS --json`, whose record comes through a pipe.
struct child {
    pid_t pid;
    int pipe;
    double started;
    const struct warm_class *class;
    size_t used;
    char output[OUTPUT];
};

struct children {
    struct child *all;
    int count, most;
};

// ---------------------------------------------------------------- start

static void list_arguments(char *argument[ARGUMENTS], const struct job *job,
                           const struct warm_class *class, const char *store)
{
    const char *const words[] = {
        job->cli.argv[0],
        "warm",
        "--json",
        "--for",
        class->name,
        job->cli.device ? "--device" : NULL,
        job->cli.device,
        store ? "--to" : NULL,
        store,
        job->cli.verbose > 0 ? "-v" : NULL,
        job->cli.verbose > 1 ? "-v" : NULL,
        job->cli.verbose > 2 ? "-v" : NULL,
    };
    int count = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (words[i])
            argument[count++] = (char *)words[i];
    argument[count] = NULL;
}

// The program itself, by its name where /proc is not mounted.
static int spawn(pid_t *pid, int output, char *const argument[])
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!code)
        code = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argument,
                           environ);
    if (code == ENOENT)
        code =
            posix_spawnp(pid, argument[0], &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static void close_on_exec(int fd)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int start(struct child *child, const struct job *job,
                 const struct warm_class *class, const char *store)
{
    char *argument[ARGUMENTS];
    int ends[2];
    if (pipe(ends) != 0)
        return errno;
    close_on_exec(ends[0]);
    close_on_exec(ends[1]);
    list_arguments(argument, job, class, store);
    child->class = class;
    child->started = job_clock();
    child->used = 0;
    child->pipe = ends[0];
    const int code = spawn(&child->pid, ends[1], argument);
    close(ends[1]);
    if (code)
        close(ends[0]);
    return code;
}

// ---------------------------------------------------------------- end

static int count_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(item) ? item->valueint : 0;
}

static void take_record(struct warm_result *result, const char *text)
{
    cJSON *record = cJSON_Parse(text);
    const cJSON *list = cJSON_GetObjectItem(record, "classes");
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    const cJSON *error = cJSON_GetObjectItem(record, "error");
    const cJSON *message = cJSON_GetObjectItem(error, "message");
    result->builds.compiled =
        count_of(first, "programs") - count_of(first, "from_cache");
    result->builds.from_cache = count_of(first, "from_cache");
    if (cJSON_IsString(message))
        snprintf(result->message, sizeof result->message, "%s",
                 message->valuestring);
    cJSON_Delete(record);
}

static void take_status(struct warm_result *result, int status)
{
    result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 4;
    if (WIFSIGNALED(status))
        snprintf(result->message, sizeof result->message,
                 "the process was ended by signal %d", WTERMSIG(status));
    else if (result->exit_code && !*result->message)
        snprintf(result->message, sizeof result->message,
                 "the process ended with exit status %d", result->exit_code);
}

static void take_result(struct warming *warming, struct child *child)
{
    struct warm_result *result = &warming->result[warming->count++];
    int status = 0;
    *result = (struct warm_result){
        .class = child->class,
        .seconds = job_clock() - child->started,
    };
    close(child->pipe);
    child->output[child->used] = '\0';
    take_record(result, child->output);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    take_status(result, status);
}

// Whether the child has closed the pipe.
static bool read_some(struct child *child)
{
    const size_t room = sizeof child->output - 1 - child->used;
    const ssize_t got = read(child->pipe, child->output + child->used, room);
    if (got > 0)
        child->used += (size_t)got;
    return got == 0 || (got < 0 && errno != EINTR);
}

// Waits for output of one of them; takes those that have ended.
static void attend(struct children *C, struct warming *warming, struct job *job,
                   warm_done_fn *done)
{
    struct pollfd pipes[WARM_CLASSES];
    for (int k = 0; k < C->count; ++k)
        pipes[k] = (struct pollfd){.fd = C->all[k].pipe, .events = POLLIN};
    if (poll(pipes, (nfds_t)C->count, -1) < 0)
        return;
    for (int k = C->count - 1; k >= 0; --k) {
        if (!pipes[k].revents || !read_some(&C->all[k]))
            continue;
        take_result(warming, &C->all[k]);
        done(warming, job);
        C->all[k] = C->all[--C->count];
    }
}

enum lcl_status warm_in_processes(struct warming *warming, struct job *job,
                                  const bool wanted[WARM_CLASSES],
                                  warm_done_fn *done)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct children C = {.most = processors > 1 ? (int)processors : 1};
    int code = 0;
    C.all = calloc(WARM_CLASSES, sizeof *C.all);
    if (!C.all)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the processes");
    for (int k = 0; k < WARM_CLASSES && !code; ++k) {
        if (!wanted[k])
            continue;
        while (C.count == C.most)
            attend(&C, warming, job, done);
        code = start(&C.all[C.count], job, warm_class_at(k), job->store);
        C.count += code == 0;
    }
    while (C.count > 0)
        attend(&C, warming, job, done);
    free(C.all);
    return code ? messages_fail(&job->messages, LCL_EIO,
                                "cannot start a process: %s", strerror(code))
                : LCL_OK;
}

struct lcl_build_info warm_sum(const struct warming *warming)
{
    struct lcl_build_info sum = warming->opening;
    for (int k = 0; k < warming->count; ++k) {
        sum.compiled += warming->result[k].builds.compiled;
        sum.from_cache += warming->result[k].builds.from_cache;
    }
    return sum;
}
