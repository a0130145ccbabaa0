// SPDX-License-Identifier: BSD-3-Clause
// Near-null vectors of a matrix, from a file or rigid body modes of nodes, and
// null vectors.
#include "tools/clsolve/components.h"
#include "tools/clsolve/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum lcl_status read_dense(struct lcl_dense *X, const struct job *job,
                                  const char *path)
{
    const struct cli *cli = &job->cli;
    return cli->problem && strcmp(path, cli->problem) == 0
               ? lcl_problem_coordinates(X, path, &job->log)
               : lcl_dense_read(X, path, NULL, &job->log);
}

static enum lcl_status make_rigid_body_modes(struct job *job)
{
    const char *path = job->cli.coordinates;
    struct lcl_dense X;
    enum lcl_status st = read_dense(&X, job, path);
    if (st < 0)
        return st;
    if (X.rows > 0 && X.cols > 0 && job->unknowns / X.cols == X.rows &&
        job->unknowns % X.cols == 0)
        st = lcl_rigid_body_modes(&job->modes, &X, &job->log);
    else
        st = messages_fail(&job->messages, LCL_EFORMAT,
                           "%s is %" PRId64 " x %" PRId64
                           ": expected the coordinates of nodes with as many "
                           "rows of %s, which has %" PRId64 ", as axes",
                           path, X.rows, X.cols, job_title(job), job->unknowns);
    if (st == LCL_OK && job->cli.options.op.block_size == 0)
        job->cli.options.op.block_size = (int)X.cols;
    lcl_dense_finish(&X);
    return st;
}

static enum lcl_status read_vectors(struct job *job, struct lcl_dense *X,
                                    const char *path)
{
    const enum lcl_status st = read_dense(X, job, path);
    return st < 0 || X->rows == job->unknowns
               ? st
               : messages_fail(&job->messages, LCL_EFORMAT,
                               "%s is %" PRId64 " x %" PRId64
                               ", but the vectors of %s have %" PRId64 " rows",
                               path, X->rows, X->cols, job_title(job),
                               job->unknowns);
}

static enum lcl_status make_indicators(struct job *job)
{
    struct components C;
    enum lcl_status st = LCL_OK;
    if (!components_find(&C, &job->A))
        st = LCL_ENOMEM;
    else if (C.singular == 0)
        st = messages_fail(&job->messages, LCL_EFORMAT,
                           "--nullspace components: of %" PRId64
                           " component%s of %s, none has rows and columns that "
                           "add up to 0",
                           C.count, C.count == 1 ? "" : "s", job_title(job));
    else if (C.singular > LCL_BLOCK_MAX)
        st = messages_fail(&job->messages, LCL_EUNSUPPORTED,
                           "--nullspace components: the rows and columns of "
                           "%" PRId64 " components of %s add up to 0, at most "
                           "%d null vectors are supported",
                           C.singular, job_title(job), LCL_BLOCK_MAX);
    else if (!(job->made_null = components_indicators(&C, job->A.rows)))
        st = LCL_ENOMEM;
    else
        job->null_vectors =
            (struct lcl_dense){job->A.rows, C.singular, job->made_null};
    components_finish(&C);
    return st == LCL_ENOMEM
               ? messages_fail(&job->messages, st,
                               "out of memory: no room for null vectors")
               : st;
}

void job_drop_modes(struct job *job)
{
    lcl_dense_finish(&job->modes);
    if (job->made_null)
        job->null_vectors = (struct lcl_dense){0};
    lcl_dense_finish(&job->null_vectors);
    free(job->made_null);
    job->made_null = NULL;
}

enum lcl_status job_read_modes(struct job *job)
{
    const char *null_file = cli_null_file(&job->cli);
    enum lcl_status st = LCL_OK;
    if (job->cli.coordinates)
        st = make_rigid_body_modes(job);
    else if (job->cli.near_null)
        st = read_vectors(job, &job->modes, job->cli.near_null);
    if (st >= 0 && cli_has_components(&job->cli))
        st = make_indicators(job);
    return st < 0 || !null_file
               ? st
               : read_vectors(job, &job->null_vectors, null_file);
}
