// SPDX-License-Identifier: BSD-3-Clause
// Runs of clsolve in several processes that MPI connects, each with some of the
// rows: mpirun -n 4 clsolve A.mtx.
#pragma once

#include "tools/clsolve/job.h"

enum { RANKS_WORDS = 5 };

struct ranks {
    int rank, size;
    int local;            // number of the rank on its host
    struct lcl_rows rows; // of the rank; of a Kronecker system, those of one
                          // stage, without entries
    int stages;           // of a vector, one after the other; 1: a matrix
    struct job_blocks blocks; // of a Kronecker system, of all ranks
    int64_t start;            // where job->kron has the rank's rows
    char device[128];         // that the rank takes; "": the default one
    int64_t words[];          // RANKS_WORDS numbers of each rank
};

// Whether the command line or the environment asks for MPI: launchers tell each
// process how many there are, or that they have started it.
bool ranks_are_wanted(const struct cli *cli);

// Whether a launcher started other processes with this one, as far as the
// environment tells.
bool ranks_are_several(void);

// The number of a device for the rank of a host among the devices of its type;
// leaves *device empty if there is only one. Returns LCL_OK or LCL_EDEVICE.
enum lcl_status ranks_choose_device(struct job *job);

// The properties of the rank's rows.
enum lcl_status ranks_facts(struct job *job);

// Hashes of what all ranks must have in common: options and input files; A and
// B of a system.
uint64_t ranks_hash_options(const struct cli *cli);
uint64_t ranks_hash_kron(const struct lcl_kron *K);

// ---------------------------------------------------------------- Kronecker

// Sets the rank's rows of the system that has been generated as a whole.
// LCL_EINVAL: there are more ranks than block rows.
enum lcl_status ranks_share_kron(struct job *job);

// Blocks of rows that stay on one rank, of `total` rows: of all sizes up to
// LCL_BLOCK_MAX that divide it, as far as there are enough for all ranks.
int ranks_common_cut(int64_t total, int ranks);

// The matrix of a rank's rows, which *A shares but for the columns; the caller
// frees these. Returns LCL_OK, LCL_ERANGE or LCL_ENOMEM.
enum lcl_status ranks_csr_of(struct job *job, struct lcl_csr *A,
                             const struct lcl_rows *R);

// The rank's block rows; K points into the struct. Values are those of
// job->kron. Returns LCL_OK or LCL_ENOMEM; to be finished in both cases.
struct ranks_kron {
    struct lcl_kron_rows K;
    struct lcl_rows M, L;
};
enum lcl_status ranks_cut_kron(struct job *job, struct ranks_kron *part);
void ranks_finish_kron(struct ranks_kron *part);

// The rank's part of (A (x) M + tau B (x) L) * ones.
void ranks_multiply_ones_kron(const struct ranks *R, const struct lcl_kron *K,
                              double *y);

// ---------------------------------------------------------------- agreement

// Connects the processes, as job->mpi; sets job->ranks if there are several.
// Those but rank 0 print nothing. LCL_EUNSUPPORTED: a build without MPI.
enum lcl_status ranks_begin(struct job *job);

// Ends MPI, after job_finish(); ends the other ranks if one of them has failed.
void ranks_end(struct job *job, enum lcl_status status, int code);

// The error of one rank on all, with its message and its phase. The run ends
// here, on all ranks, if another one does not answer; so it does in the
// functions below, and in ranks_must() for an error of lcl_ranks.
enum lcl_status ranks_agree(struct job *job, enum lcl_status st);
void ranks_must(const struct job *job, enum lcl_status st);

// Element r of `each`, `bytes` bytes, is that of rank r; afterwards all ranks
// have all.
void ranks_gather(const struct job *job, void *each, size_t bytes);

// Combines the numbers of all ranks, at most RANKS_WORDS.
void ranks_combine(const struct job *job, int64_t *values, int count,
                   int64_t (*combine)(int64_t a, int64_t b));
int64_t ranks_sum(int64_t a, int64_t b);
int64_t ranks_least(int64_t a, int64_t b);
int64_t ranks_most(int64_t a, int64_t b);
int64_t ranks_common_bits(int64_t a, int64_t b);

// The first rank whose number is not that of rank 0; `size`: all have the same.
int ranks_find_other(const struct job *job, uint64_t own);

// ---------------------------------------------------------------- solve

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
