// SPDX-License-Identifier: BSD-3-Clause
// Runs of clsolve in several processes that MPI connects, each with some of the
// rows: mpirun -n 4 clsolve A.mtx. In a build without MPI the functions of
// ranks_mpi.c refuse.
#pragma once

#include "tools/job.h"

struct ranks {
    int rank, size;
    int local;            // number of the rank on its host
    struct lcl_rows rows; // of the rank
    char device[128];     // that the rank takes; "": the default one
};

// Whether the command line or the environment asks for MPI: launchers tell each
// process how many there are, or that they have started it.
bool ranks_are_wanted(const struct cli *cli);

// The number of a device for the rank of a host among the devices of its type;
// leaves *device empty if there is only one. Returns LCL_OK or LCL_EDEVICE.
enum lcl_status ranks_choose_device(struct job *job);

// The properties of the rank's rows.
enum lcl_status ranks_facts(struct job *job);

// ---------------------------------------------------------------- with MPI

// Starts MPI; sets job->ranks if there are several processes. Those but rank 0
// print nothing.
enum lcl_status ranks_begin(struct job *job);

// Solves on all ranks; rank 0 calls print_header(), print_method() and
// print_result(), which ends the job, in between. An error of one rank is one
// on all, with its message.
struct ranks_report {
    void (*print_header)(const struct job *job);
    void (*print_method)(const struct job *job);
    enum lcl_status (*print_result)(struct job *job);
};
enum lcl_status ranks_solve(struct job *job, const struct ranks_report *report);

enum lcl_status ranks_make_operator(struct job *job);

// Element r of `each`, `bytes` bytes, is that of rank r; afterwards rank 0 has
// all.
void ranks_gather(const struct ranks *R, void *each, size_t bytes);

// Ends MPI, after job_finish(); ends the other ranks if one of them has failed.
void ranks_end(enum lcl_status status, int code);
