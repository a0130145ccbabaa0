// SPDX-License-Identifier: BSD-3-Clause
// One run of clsolve: its state and its steps.
#pragma once

#include "tools/clsolve/cli.h"
#include "tools/clsolve/columns.h"
#include "tools/clsolve/devices.h"
#include "tools/clsolve/exchange.h"
#include "tools/clsolve/facts.h"
#include "tools/clsolve/messages.h"
#include "tools/clsolve/profile.h"
#include "tools/clsolve/progress.h"
#include "tools/clsolve/singular.h"

#include <levelcl/levelcl.h>

// The phase of a run; it determines the exit status of an error.
enum job_phase {
    JOB_USAGE = 0,
    JOB_INPUT,
    JOB_DEVICE,
    JOB_WORK,
    JOB_OUTPUT,
};

struct ranks;

struct job {
    struct cli cli;
    lcl_ranks *mpi;      // NULL: MPI is not in use
    struct ranks *ranks; // of MPI; NULL: one process
    bool silent;         // another rank reports
    struct messages messages;
    struct lcl_log log;
    enum job_phase phase;
    double started;
    double read_seconds;

    struct lcl_csr A;          // or
    struct lcl_kron_data kron; // cli_is_kron()
    int64_t unknowns;
    struct lcl_read_info read;
    struct facts facts;
    struct lcl_dense rhs;          // -b
    struct lcl_dense guess;        // --x0
    double *made_rhs;              // the matrix times a vector of ones
    struct lcl_dense modes;        // near-null vectors; cols 0: none
    struct lcl_dense null_vectors; // of the file of --nullspace
    double *made_null;             // or indicator vectors of components
    const double *b;               // one of the two
    double *x;                     // as many vectors as b has
    int columns;                   // right-hand sides
    struct column *column;         // their results
    int worst; // the number of the column that `report` is of
    int32_t *labels;
    int64_t labels_count;

    int reserved; // descriptor of the standard output; 0: not reserved

    struct profile profile; // of the set-up
    double ended;           // on job_clock(); 0: not yet
    bool told;              // the JSON record is printed
    struct progress progress;
    struct live_line line;
    const char *store; // clsolve warm --to; NULL: the user's cache
    struct devices devices;
    lcl_context *ctx; // the first of them
    lcl_operator *op;
    lcl_chain *chain;
    const lcl_precond *M;            // in use; NULL: no method could be set up
    struct lcl_solver_params solver; // of the method set up last
    struct lcl_report report;
    struct singularity singular; // found before a solve or after its failure
    bool several_systems;        // the set-up serves for further ones
    bool one_method; // no further ones are tried: no x can solve the system
    struct exchanges exchanges; // of the solve
    enum lcl_status outcome;
    bool failed; // the exit status is 1, whatever the status
};

struct job_times {
    double phase[LCL_PHASE_COUNT];
    double other;
    double total;
};

double job_clock(void);

// Whether the live line is wanted.
bool job_is_live(const struct job *job);

// Refuses paths for -o, --history and --report that are inputs or not writable.
enum lcl_status job_check_paths(struct job *job);

// Refuses to write a file because it is an input.
enum lcl_status job_refuse_input(struct job *job, const char *path);

// If one of them writes to the standard output, reserves it for that file:
// all other output, including that of drivers, goes to the standard error
// output.
enum lcl_status job_reserve_stdout(struct job *job);

// Reads or generates the matrix, computes its properties, and reads the labels.
enum lcl_status job_read(struct job *job);

// Reads or generates a Kronecker system; on success it is valid.
enum lcl_status job_read_kron(struct job *job);

// Its steps for the rows of a rank: A and B; the largest block size that fills
// the blocks of M and L; their conversion to blocks, of which the matrices,
// whose columns are those of the whole system, have all rows.
enum lcl_status job_read_stages(struct job *job);
int job_common_block(const struct lcl_csr *M, const struct lcl_csr *L);
enum lcl_status job_into_blocks(struct job *job, const struct lcl_csr *M,
                                const struct lcl_csr *L, int block);

// Refuses an empty matrix and one that is not square.
enum lcl_status job_check_square(struct job *job);

// Refuses rows of zeros.
enum lcl_status job_check_zero_rows(struct job *job);

// The same; warns about missing diagonals.
enum lcl_status job_check_rows(struct job *job);

// Reads the right-hand sides of a file, and counts them.
enum lcl_status job_read_rhs(struct job *job);

// Refuses a row of zeros; reads or computes the right-hand side; reads the
// initial guess.
enum lcl_status job_prepare(struct job *job);

// Reads or makes the right-hand sides and the initial guess; allocates x.
enum lcl_status job_read_vectors(struct job *job);

// Frees the right-hand sides, x and the results of its columns.
void job_drop_vectors(struct job *job);

// Sets x to the initial guess.
void job_restart(struct job *job);

// Reads the near-null vectors, or the coordinates from which it makes them.
enum lcl_status job_read_modes(struct job *job);
void job_drop_modes(struct job *job);

enum lcl_status job_open_device(struct job *job);
// Creates the operator and the chain of methods, and sets up the first one.
enum lcl_status job_set_up(struct job *job);

// Destroys what job_set_up() has created.
void job_drop_method(struct job *job);

// Solves for one right-hand side after the other. The outcome and the report
// are those of the worst one; an interrupt leaves the others unsolved.
enum lcl_status job_solve(struct job *job);

// Writes the files of -o and --history.
enum lcl_status job_write(struct job *job);

// Stops the clock and completes the profile, so that all reports tell the same;
// with --profile, measures the copy bandwidth.
void job_end(struct job *job);

// Writes the text of the report of --report.
enum lcl_status job_write_report(struct job *job, const char *text,
                                 size_t bytes);

void job_finish(struct job *job);

// ---------------------------------------------------------------- queries

// The name of an input file in a report.
const char *job_input_title(const char *path);

// The matrix by the name that the user gave.
const char *job_title(const struct job *job);

// Real numbers of a complex number, 2, if the system is complex; else 1. Its
// matrix and vectors are in real form (levelcl/matrix.h).
int job_parts(const struct job *job);

// Part k of the number 1, of which A*ones and ones have vectors.
double job_one(const struct job *job, int64_t k);

// The file of the right-hand side, or NULL.
const char *job_rhs(const struct job *job);

// The same, or a description of the default right-hand side.
const char *job_rhs_title(const struct job *job);

// Whether a signal or the monitor ended the solve.
bool job_is_interrupted(const struct job *job);

// Whether the solution is known, a vector of ones; the largest error of x.
bool job_knows_solution(const struct job *job);
double job_error(const struct job *job);

// Rows of one stage of a Kronecker system.
int64_t job_stage_rows(const struct job *job);

// The numbers of blocks of M and L, of all ranks.
struct job_blocks {
    int64_t M, L;
};
struct job_blocks job_blocks(const struct job *job);

struct job_times job_times(const struct job *job);

int job_exit_code(const struct job *job, enum lcl_status status);

// Whether the preconditioner works on subdomains.
bool job_has_subdomains(const struct job *job);
// The pivot policy in use.
enum lcl_pivot job_pivot(const struct job *job);
// Whether the solver keeps a Krylov basis.
bool job_has_basis(const struct job *job);

// Samples the residual history for a table: the entry after entry i, or the
// number of entries after the last one.
int job_next_sample(const struct job *job, int i);
