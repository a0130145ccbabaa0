// SPDX-License-Identifier: BSD-3-Clause
// A sequence of systems that are solved one after the other: what belongs to
// the pattern of the matrix is set up once, and new values are taken over.
#pragma once

#include "tools/clsolve/hints.h"

// What a step had to set up.
enum step_set_up {
    STEP_FULL = 0, // operator and preconditioner: a new pattern
    STEP_VALUES,   // both took new values
    STEP_OPERATOR, // the operator took new values
    STEP_NOTHING,  // the matrix of the step before
};

// Where its iteration started.
enum step_start { STEP_ZERO = 0, STEP_FILE, STEP_PREVIOUS };

struct step {
    const char *matrix, *rhs; // files; rhs NULL: made
    bool written;             // the file of its solution
    enum step_set_up set_up;
    enum step_start start;       // of the first right-hand side
    int columns, failed;         // right-hand sides
    enum lcl_status outcome;     // of the worst one
    struct lcl_report report;    // of the worst one, without history
    enum lcl_solver_type solver; // of the method at the end
    enum lcl_precond_type precond;
    int64_t iterations; // of all right-hand sides
    double read_seconds, set_up_seconds, solve_seconds;
};

struct sequence {
    struct step *step;
    int count;
    int current;        // the step that is read, solved or written
    int solved;         // the first steps, so many
    char *text;         // of the file of --sequence, cut into names
    char *folder;       // names with the folder of that file
    const char *output; // patterns of names, or NULL
    const char *history;
    int updated;      // the step in which the preconditioner took values last
    int previous;     // columns of the solution of the step before; 0: none
    double *x;        // that solution
    int64_t rows;     // and its rows
    int tried;        // the first step that did not converge, or -1
    struct hint hint; // advice on it
    bool advises;
};

const char *step_set_up_name(enum step_set_up set_up);
const char *step_start_name(enum step_start start);

// Lists the steps of the command line. Returns LCL_OK, or an error with its
// reason in the messages.
enum lcl_status sequence_list(struct sequence *S, struct job *job);

// Refuses inputs that cannot be read and outputs that cannot be written or are
// inputs, of all steps.
enum lcl_status sequence_check_files(const struct sequence *S, struct job *job);

void sequence_finish(struct sequence *S);

// Solved steps that did not converge.
int sequence_failed(const struct sequence *S);

// Solves all systems and reports. A system that does not converge does not end
// the sequence; an error or a signal does, and what was solved before is
// reported. Returns LCL_OK, the status of the first step that did not converge,
// or an error.
enum lcl_status sequence_solve(struct job *job);

// ---------------------------------------------------------------- reports

// The table, line by line; what follows the last one.
void text_sequence_begin(const struct job *job, const struct sequence *S);
void text_sequence_pattern(const struct job *job, int k);
void text_sequence_step(const struct sequence *S, int k);
void text_sequence_end(const struct job *job, const struct sequence *S);

// One record with an entry for each step, and the error that ended the sequence
// if `status` is one.
bool json_sequence(const struct job *job, const struct sequence *S,
                   enum lcl_status status, int exit_code);
