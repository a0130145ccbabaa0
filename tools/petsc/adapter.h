// SPDX-License-Identifier: BSD-3-Clause
// levelcl in PETSc: shared by PCLEVELCL and KSPLEVELCL.
#pragma once

#include <levelcl/levelcl.h>

#include <petscksp.h>

#define LEVELCL "levelcl" // name of both types

// --------------------------------------------------------------------- errors

// The last sentence of the library at level error, for PETSc's error stack.
struct messages {
    char error[512];
};

struct lcl_log messages_log(struct messages *M);

// PETSc's error for a negative status.
PetscErrorCode messages_check(const struct messages *M, enum lcl_status st);

// -------------------------------------------------------------------- devices

struct device {
    char name[128]; // as the options say; "": chosen by the library
    lcl_context *ctx;
    struct messages messages;
    struct device *next;
};

// Of that name, created if there is none. It lives until PetscFinalize().
PetscErrorCode device_of(const char *name, struct device **out);

// -------------------------------------------------------------------- options

// Reads -PREFIX_KEY of all keys of the library whose field begins with
// `fields`; '-' in a key is '_'.
PetscErrorCode options_read(PetscOptionItems *PetscOptionsObject,
                            const char *prefix, const char *fields,
                            struct lcl_options *options);

// --------------------------------------------------------------------- matrix

// A Mat as an operator.
struct matrix {
    PetscObjectId id;
    PetscObjectState state, nonzero_state; // of the values in the operator
    Mat rows;     // those of this rank as SeqAIJ, columns as in the operator
    Mat function; // a matrix without entries, which multiplies by MatMult()
    Vec x, y;     // of the function
    lcl_operator *op;
};

enum change { CHANGE_NONE, CHANGE_VALUES, CHANGE_PATTERN };

enum change matrix_change(const struct matrix *A, Mat source);

// Replaces the operator of A. With `whole` it is the operator of all ranks,
// else that of the rank's own rows and columns, if it has any. `st` is the
// status of the library.
PetscErrorCode matrix_create(struct matrix *A, Mat source, PetscBool whole,
                             lcl_context *ctx,
                             const struct lcl_operator_params *params,
                             enum lcl_status *st);

// Takes new values for the same pattern.
PetscErrorCode matrix_update(struct matrix *A, Mat source, PetscBool whole,
                             enum lcl_status *st);

PetscErrorCode matrix_reset(struct matrix *A);

// Tells the operator the near-null vectors of A, or else those of `modes`,
// which may be NULL. Without effect if there are more than multigrid takes.
PetscErrorCode near_nullspace_set(lcl_operator *op, Mat A, MatNullSpace modes,
                                  enum lcl_status *st);

// Tells the operator the null spaces of A, or that it has none.
PetscErrorCode nullspace_set(lcl_operator *op, Mat A, enum lcl_status *st);

// --------------------------------------------------------------------- system

// One system on a device. Belongs to the PC; a KSP adds the solver.
struct system {
    struct lcl_options options; // those of the solver are the KSP's
    char name[128];             // of the device
    PetscBool whole;            // of all ranks
    struct device *device;      // NULL: not set up
    struct matrix pmat;
    struct matrix amat; // unused where Amat is Pmat
    MatNullSpace modes; // of PCSetCoordinates(), or NULL
    PetscBool chained;  // the KSP solves by a chain, and nobody needs M
    lcl_chain *C;
    lcl_precond *M;
    PetscObjectState factored; // state of pmat in C or M
    lcl_solver *S;             // with M
    MatNullSpace nullspace;    // of Amat, which C or S knows; only compared
    PetscInt setups, updates;
};

// NULL if pc is not PCLEVELCL.
PetscErrorCode system_of(PC pc, struct system **S);

// Creates the operator of `matrix` from source, or updates its values; `matrix`
// is one of S.
PetscErrorCode system_adopt(struct system *S, struct matrix *matrix, Mat source,
                            enum lcl_status *st);

// Creates C or M from the values of pmat, or updates it.
enum lcl_status system_factor(struct system *S);

// Passes the null spaces of Amat to `op`. If they have changed, C and S end.
PetscErrorCode system_nullspace(struct system *S, lcl_operator *op, Mat amat,
                                enum lcl_status *st);

// Frees all but the options.
PetscErrorCode system_reset(struct system *S);

PETSC_INTERN PetscErrorCode PCCreate_LEVELCL(PC pc);
PETSC_INTERN PetscErrorCode KSPCreate_LEVELCL(KSP ksp);

// PETSc calls it when it opens liblevelcl_petsc.so.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_levelcl_petsc(void);
