// SPDX-License-Identifier: BSD-3-Clause
// The method that a matrix suggests.
#pragma once

#include "host/runtime.h"
#include "lib/operator/operator.h"

#include <levelcl/solver.h>

#include <limits.h>

// Whether the caller names something that only subdomains have.
bool lcl_wants_subdomains(const struct lcl_precond_params *p);

// Symmetry of an operator and signs of its diagonal; rules have sets of them.
enum lcl_shape {
    LCL_SHAPE_DEFINITE = 1,   // symmetric, diagonal of one sign
    LCL_SHAPE_INDEFINITE = 2, // symmetric otherwise
    LCL_SHAPE_SYMMETRIC = LCL_SHAPE_DEFINITE | LCL_SHAPE_INDEFINITE,
    LCL_SHAPE_UNSYMMETRIC = 4,
    LCL_SHAPE_ANY = LCL_SHAPE_SYMMETRIC | LCL_SHAPE_UNSYMMETRIC,
    LCL_SHAPE_FREE = 8, // no matrix
};

// Fields of struct lcl_precond_params: factors of the whole matrix, level by
// level.
#define LCL_WHOLE                                                              \
 .trisolve = LCL_TRISOLVE_HEC_WAIT,                                            \
 .partition = {.type = LCL_PARTITION_NATURAL, .rows = INT_MAX}

// What the choice depends on.
struct lcl_traits {
    const struct lcl_properties *look;
    int64_t n; // rows, on all devices
    int block_size;
    bool distributed;
    bool reproducible; // on any number of devices
    bool serial;       // the device is a CPU
    bool modes;        // near-null vectors are given
    int pressure; // its number among the unknowns of a block; -1: none known
    // of the caller; zero unless they determine M
    enum lcl_solver_type solver;
    bool subdomains;  // lcl_wants_subdomains()
    bool transversal; // it is asked for
};

// Those of an operator with a matrix that was looked at.
static inline struct lcl_traits lcl_traits_of(const lcl_operator *A)
{
    const bool distributed = A->team || A->part;
    const bool serial =
        !distributed && lcl_context_caps(A->range.ctx)->width == 1;
    return (struct lcl_traits){
        .look = &A->look,
        .n = A->range.total,
        .block_size = A->info.block_size,
        .distributed = distributed,
        .reproducible = A->info.communication == LCL_COMMUNICATION_REPRODUCIBLE,
        .serial = serial,
        .pressure = -1,
    };
}

enum lcl_shape lcl_shape_of(const struct lcl_traits *T);

// A rule for M. tests/api/methods.py compares documents with these.
struct lcl_rule {
    enum lcl_shape shape;                      // the matrices that it is for
    bool (*holds)(const struct lcl_traits *T); // NULL: always
    enum lcl_precond_type precond;
    const char *reason;                    // a sentence
    const struct lcl_precond_params *fill; // of ILUT, ILUK and the rows of
                                           // BLOCK_JACOBI; or NULL
};

// Of the rules that hold, the first one decides.
extern const struct lcl_rule lcl_rules[];
extern const int lcl_rule_count;

// Whether diagonal entries are 0 or missing; false for blocks.
bool lcl_lacks_diagonals(const struct lcl_traits *T);

// Whether the choice depends on T->pressure (lib/chain/pressure.h).
bool lcl_seeks_pressure(const struct lcl_traits *T,
                        const struct lcl_precond_params *precond,
                        enum lcl_solver_type solver);

// Replaces types that are DEFAULT; *reason is the sentence of the rule for the
// matrix alone, whatever the caller names.
void lcl_choose(struct lcl_precond_params *precond,
                struct lcl_solver_params *solver, const char **reason,
                const struct lcl_traits *T);
