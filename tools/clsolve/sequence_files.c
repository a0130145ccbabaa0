// SPDX-License-Identifier: BSD-3-Clause
// The files of a sequence: lists of the command line or of --sequence.
#include "tools/clsolve/sequence.h"

#include "host/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_WORDS = 2 };

static enum lcl_status no_memory(struct job *job)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for the steps of a sequence");
}

static enum lcl_status allocate(struct sequence *S, struct job *job, int count)
{
    S->step = calloc((size_t)count, sizeof *S->step);
    S->count = S->step ? count : 0;
    return S->step ? LCL_OK : no_memory(job);
}

// ---------------------------------------------------------------- lists

static const char *file_at(const char *first, const struct cli_files *more,
                           int k)
{
    return k == 0 || more->count == 0 ? first : more->path[k - 1];
}

// One of a kind serves all steps.
static enum lcl_status list_words(struct sequence *S, struct job *job)
{
    const struct cli *cli = &job->cli;
    const int more = cli->matrices.count > cli->rhss.count ? cli->matrices.count
                                                           : cli->rhss.count;
    const enum lcl_status st = allocate(S, job, more + 1);
    for (int k = 0; k < S->count; ++k) {
        S->step[k].matrix = file_at(cli->matrix, &cli->matrices, k);
        S->step[k].rhs = file_at(cli->rhs, &cli->rhss, k);
    }
    return st;
}

// ---------------------------------------------------------------- the file

static int count_lines(const char *text)
{
    int count = 1;
    for (; (text = strchr(text, '\n')); ++text)
        ++count;
    return count;
}

// Cuts a line into words; returns their number, which may exceed LINE_WORDS.
static int cut(char *text, const char *word[LINE_WORDS])
{
    int count = 0;
    for (char *rest = text, *next; (next = strtok_r(NULL, " \t", &rest));
         ++count)
        if (count < LINE_WORDS)
            word[count] = next;
    return count;
}

// A file beside the list, unless its path is absolute. The names lie one after
// the other in S->folder, of which *at bytes are used.
static const char *beside(struct sequence *S, const char *list,
                          const char *name, size_t *at)
{
    const char *slash = strrchr(list, '/');
    if (!name || *name == '/' || !slash)
        return name;
    char *path = S->folder + *at;
    *at +=
        (size_t)sprintf(path, "%.*s%s", (int)(slash + 1 - list), list, name) +
        1;
    return path;
}

static enum lcl_status bad_line(struct job *job, int line, const char *what)
{
    return messages_fail(&job->messages, LCL_EFORMAT,
                         "%s:%d: expected a matrix and a right-hand side, or a "
                         "matrix alone, found %s",
                         job->cli.sequence, line, what);
}

static enum lcl_status list_lines(struct sequence *S, struct job *job)
{
    char *rest = S->text, *text;
    size_t at = 0;
    int line = 0, steps = 0;
    while ((text = cli_next_line(&rest, &line))) {
        const char *word[LINE_WORDS] = {NULL};
        const int words = cut(text, word);
        if (words == 0)
            continue;
        if (words > LINE_WORDS)
            return bad_line(job, line, "more");
        for (int i = 0; i < words; ++i)
            if (cli_is_stdin(word[i]))
                return bad_line(job, line, "the standard input");
        struct step *step = &S->step[steps++];
        step->matrix = beside(S, job->cli.sequence, word[0], &at);
        step->rhs = beside(S, job->cli.sequence, word[1], &at);
    }
    S->count = steps;
    return steps > 0 ? LCL_OK
                     : messages_fail(&job->messages, LCL_EFORMAT,
                                     "%s lists no systems", job->cli.sequence);
}

static enum lcl_status list_file(struct sequence *S, struct job *job)
{
    const char *path = job->cli.sequence;
    enum lcl_status st = LCL_OK;
    job->phase = JOB_INPUT;
    S->text = cli_read_options(path, &st, &job->messages);
    if (!S->text)
        return st;
    const int lines = count_lines(S->text);
    const size_t names = (size_t)LINE_WORDS * (size_t)lines;
    S->folder = malloc(names * (strlen(path) + 1) + strlen(S->text) + 1);
    if (!S->folder)
        return no_memory(job);
    st = allocate(S, job, lines);
    return st < 0 ? st : list_lines(S, job);
}

enum lcl_status sequence_list(struct sequence *S, struct job *job)
{
    struct cli *cli = &job->cli;
    const enum lcl_status st =
        cli->sequence ? list_file(S, job) : list_words(S, job);
    S->output = cli->output;
    S->history = cli->history;
    // Commands of advice have one system.
    cli->sequence = cli->every_text = NULL;
    return st;
}

void sequence_finish(struct sequence *S)
{
    free(S->step);
    free(S->text);
    free(S->folder);
    free(S->x);
}

// ---------------------------------------------------------------- checks

// Reads a file's device and number; false: it is no regular file.
static bool identify(struct lcl_keyed *file, const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
        return false;
    *file = (struct lcl_keyed){(int64_t)found.st_dev, (int64_t)found.st_ino};
    return true;
}

// The inputs of all steps, sorted.
struct inputs {
    struct lcl_keyed *file;
    int64_t count;
};

static enum lcl_status add_input(struct inputs *I, struct job *job,
                                 const char *path)
{
    if (!path)
        return LCL_OK;
    if (access(path, R_OK) != 0)
        return messages_fail(&job->messages, LCL_EIO, "%s: cannot open: %s",
                             path, strerror(errno));
    I->count += identify(&I->file[I->count], path);
    return LCL_OK;
}

static enum lcl_status list_inputs(struct inputs *I, const struct sequence *S,
                                   struct job *job)
{
    enum lcl_status st = LCL_OK;
    job->phase = JOB_INPUT;
    I->file = calloc((size_t)S->count, 2 * sizeof *I->file);
    if (!I->file)
        return no_memory(job);
    for (int k = 0; k < S->count && st >= 0; ++k)
        if ((st = add_input(I, job, S->step[k].matrix)) >= 0)
            st = add_input(I, job, S->step[k].rhs);
    lcl_sort_keyed(I->file, I->count);
    return st;
}

static enum lcl_status check_output(const struct inputs *I, struct job *job,
                                    const char *path)
{
    struct lcl_keyed file;
    return path && identify(&file, path) &&
                   bsearch(&file, I->file, (size_t)I->count, sizeof file,
                           lcl_order_keyed)
               ? job_refuse_input(job, path)
               : LCL_OK;
}

// The written files of a step against the inputs of all steps.
static enum lcl_status check_outputs(const struct inputs *I,
                                     const struct sequence *S, struct job *job,
                                     int k)
{
    char output[CLI_PATH], history[CLI_PATH];
    struct cli *cli = &job->cli;
    if (S->output && cli_step_name(output, S->output, k + 1))
        cli->output = output;
    if (S->history && cli_step_name(history, S->history, k + 1))
        cli->history = history;
    enum lcl_status st = job_check_paths(job);
    if (st >= 0 && (st = check_output(I, job, cli->output)) >= 0)
        st = check_output(I, job, cli->history);
    cli->output = S->output;
    cli->history = S->history;
    return st;
}

enum lcl_status sequence_check_files(const struct sequence *S, struct job *job)
{
    struct inputs I = {.count = 0};
    enum lcl_status st = list_inputs(&I, S, job);
    for (int k = 0; k < S->count && st >= 0; ++k)
        if (S->output || S->history)
            st = check_outputs(&I, S, job, k);
    free(I.file);
    return st;
}
