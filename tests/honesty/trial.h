// SPDX-License-Identifier: BSD-3-Clause
// A random system with everything that is asked of the library about it.
#pragma once

#include "tests/honesty/matrix.h"

#include <levelcl/kron.h>
#include <levelcl/options.h>

enum form { FORM_MATRIX, FORM_CALLBACK, FORM_KRON };
enum { TRIAL_OPTIONS = 16, TRIAL_OPTION_LENGTH = 40 };

struct trial {
    uint64_t seed;
    char kind[128]; // of the matrix, with its changes
    enum form form;
    struct lcl_csr A; // not for FORM_KRON
    struct lcl_kron K;
    struct lcl_bsr kron_M, kron_L;
    double kron_A[9], kron_B[9];
    int64_t n;
    int steps, columns, devices;
    double *val; // of each step
    double *b;   // of each column of each step
    double *x0;  // of each column
    char option[TRIAL_OPTIONS][TRIAL_OPTION_LENGTH]; // key=value
    int options;
    enum lcl_relative_to relative_to;
    double reference;
    bool chain;     // instead of one solver
    bool warm;      // a step starts from the solution before it
    bool stale;     // the preconditioner does not take new values
    bool constants; // are given as null space
    int give_up;    // iteration at which the monitor gives up; 0: none
};

// The same trial for the same seed. Only kinds whose name contains `kind`, if
// that is not NULL; no more kernels than CI has time to compile if `few`.
void trial_start(struct trial *T, uint64_t seed, const char *kind, bool few);
// A chain that solves A x = b of two files from x = 0. Returns false if they
// cannot be read or do not fit.
bool trial_read(struct trial *T, const char *matrix, const char *rhs);
void trial_finish(struct trial *T);

struct lcl_options trial_options(const struct trial *T);

// The rows and columns for which keep[i] holds, of a matrix or callback.
struct trial trial_part(const struct trial *T, const bool *keep);
// Column `column` of step `step` alone, started from x.
struct trial trial_column(const struct trial *T, int step, int column,
                          const double *x);

// Writes matrix, b and x0 to FOLDER/SEED*.mtx and prints a command that solves
// the system.
void trial_write(const struct trial *T, const char *folder);
void trial_describe(const struct trial *T);
