// SPDX-License-Identifier: BSD-3-Clause
// What one rank finds out by itself: launchers, its device, its rows.
#include "tools/clsolve/ranks.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- launchers

static int number_in(const char *variable)
{
    const char *value = getenv(variable);
    return value ? atoi(value) : 0;
}

// Tasks of a step of Slurm belong together if it starts them with PMIx.
bool ranks_are_several(void)
{
    const bool pmix = getenv("PMIX_RANK") != NULL;
    return number_in("OMPI_COMM_WORLD_SIZE") > 1 || number_in("PMI_SIZE") > 1 ||
           number_in("MPI_LOCALNRANKS") > 1 || number_in("PMIX_RANK") > 0 ||
           (pmix && number_in("SLURM_STEP_NUM_TASKS") > 1);
}

bool ranks_are_wanted(const struct cli *cli)
{
    switch (cli->mpi) {
    case CLI_MPI_ON:
        return true;
    case CLI_MPI_OFF:
        return false;
    case CLI_MPI_AUTO:
        break;
    }
    // Open MPI; MPICH, Intel MPI and Slurm; other launchers by PMIx
    return ranks_are_several() || getenv("PMIX_RANK") != NULL ||
           getenv("MPI_LOCALRANKID") != NULL;
}

// ---------------------------------------------------------------- devices

// Name number `at` of a list with commas, again from the start past its end.
static void name_at(char name[128], const char *list, int at)
{
    int count = 1;
    for (const char *p = list; *p; ++p)
        count += *p == ',';
    for (at %= count; at > 0; --at)
        list += strcspn(list, ",") + 1;
    snprintf(name, 128, "%.*s", (int)strcspn(list, ","), list);
}

// As the library chooses: GPUs come before other devices.
static enum lcl_device_type type_of(const struct lcl_caps *caps, int count)
{
    for (int k = 0; k < count; ++k)
        if (caps[k].type == LCL_DEVICE_GPU && caps[k].fp64)
            return LCL_DEVICE_GPU;
    return LCL_DEVICE_CPU;
}

static void choose_of_type(struct ranks *R, const struct lcl_caps *caps,
                           int count)
{
    const enum lcl_device_type type = type_of(caps, count);
    int fit = 0;
    for (int k = 0; k < count; ++k)
        fit += caps[k].type == type && caps[k].fp64;
    int at = fit > 0 ? R->local % fit : 0;
    for (int k = 0; k < count && fit > 1; ++k)
        if (caps[k].type == type && caps[k].fp64 && at-- == 0)
            snprintf(R->device, sizeof R->device, "%d", k);
}

static enum lcl_status choose(struct job *job, struct lcl_caps *caps, int count)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < count && st == LCL_OK; ++k)
        st = lcl_device_caps(&caps[k], k, &job->log);
    if (st == LCL_OK)
        choose_of_type(job->ranks, caps, count);
    return st;
}

static enum lcl_status choose_any(struct job *job)
{
    int count = 0;
    enum lcl_status st = lcl_device_count(&count, &job->log);
    if (st < 0 || count < 2)
        return st;
    struct lcl_caps *caps = calloc((size_t)count, sizeof *caps);
    if (!caps)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the list of devices");
    st = choose(job, caps, count);
    free(caps);
    return st;
}

enum lcl_status ranks_choose_device(struct job *job)
{
    struct ranks *R = job->ranks;
    struct cli *cli = &job->cli;
    enum lcl_status st = LCL_OK;
    job->phase = JOB_DEVICE;
    if (cli->devices)
        name_at(R->device, cli->devices, R->local);
    else if (!cli->device)
        st = choose_any(job);
    cli->devices = NULL;
    if (*R->device)
        cli->device = R->device;
    return st;
}

// ---------------------------------------------------------------- facts

// Only columns of the rank itself count: others cannot be on the diagonal.
enum lcl_status ranks_facts(struct job *job)
{
    const struct lcl_rows *R = &job->ranks->rows;
    const int64_t nnz = R->row_ptr[R->rows];
    struct lcl_csr own = {.rows = R->rows,
                          .cols = R->rows,
                          .nnz = nnz,
                          .row_ptr = R->row_ptr,
                          .val = R->val};
    own.col_ind = malloc((size_t)(nnz > 0 ? nnz : 1) * sizeof *own.col_ind);
    if (!own.col_ind)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for columns");
    for (int64_t k = 0; k < nnz; ++k) {
        const int64_t column = R->col[k] - R->first;
        own.col_ind[k] = column >= 0 && column < R->rows ? (int32_t)column : -1;
    }
    facts_rows(&job->facts, &own);
    free(own.col_ind);
    return LCL_OK;
}
