// SPDX-License-Identifier: BSD-3-Clause
// Operators, which can be applied to vectors: matrices, Kronecker operators,
// callbacks, preconditioners, triangular solves.
#pragma once

#include "host/program.h"
#include "lib/comm/share.h"
#include "lib/storage/matrix.h"
#include "lib/storage/properties.h"
#include "lib/vector/numbering.h"
#include "lib/vector/operands.h"
#include "lib/vector/space.h"

#include <levelcl/operator.h>

#define LCL_MODE_BIT(mode) (1u << (mode))

// X and Y: column q starts at x[q * ldx] and y[q * ldy].
struct lcl_columns {
    const lcl_buffer *x;
    int64_t ldx;
    lcl_buffer *y;
    int64_t ldy;
};

// An orthonormal basis of a null space.
struct lcl_null_vectors {
    int count;                // 0: none
    double value;             // > 0: of every entry of the single vector
    struct lcl_dense vectors; // in the caller's numbering, unless `value` > 0
};

struct lcl_kron;   // <levelcl/kron.h>
struct lcl_judged; // lib/operator/judge.h

// A^T as an operator, see lcl_operator_transposed().
struct lcl_transposed {
    lcl_operator *op; // NULL: not made yet; in the caller's numbering of A
    // Block of op, before op is renumbered -> block of A. The second map is for
    // L of a Kronecker system.
    lcl_buffer *map[2];
    lcl_kernel *values;
    uint64_t version; // of A's values in op
    int renumbered;   // A's count when op was made
};

struct lcl_operator_ops {
    // Builds the kernels of an application on the first call. NULL: no kernels.
    enum lcl_status (*prepare)(lcl_operator *A);
    // Enqueues an application in A's numbering; `mode` is one of A->modes.
    enum lcl_status (*apply)(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v);
    // lcl_judge(). NULL: the entries of A are unknown.
    enum lcl_status (*judge)(lcl_operator *A, const struct lcl_judged *v);
    // y = A x for host vectors in the caller's numbering; blocking. For
    // operators whose vectors are on several devices. NULL: through `apply`.
    enum lcl_status (*apply_host)(lcl_operator *A, const double *x, double *y);
    // Enqueues Y = A X in the caller's numbering. NULL: column by column.
    enum lcl_status (*apply_many)(lcl_operator *A, const struct lcl_columns *v,
                                  int64_t vectors);
    // lcl_operator_interleave(). NULL: unsupported.
    enum lcl_status (*interleave)(lcl_operator *out, lcl_operator *A,
                                  int columns);
    // Writes info.nnz finite values to A. NULL: A has no such values.
    enum lcl_status (*update)(lcl_operator *A, const double *val);
    // The same for values in a buffer, which may be larger than needed. If some
    // are not finite, returns LCL_EFORMAT without a message and leaves A
    // unchanged; waits for this check. NULL: A has no such values on one
    // device.
    enum lcl_status (*update_buffer)(lcl_operator *A, const lcl_buffer *val);
    // The same for a Kronecker system. NULL: A is no such system, or a rank's
    // rows of one.
    enum lcl_status (*update_kron)(lcl_operator *A, const struct lcl_kron *K);
    // Makes A->transposed.op = A^T with A's values in A's numbering, and counts
    // its memory; on error the caller frees A->transposed. NULL: unsupported.
    enum lcl_status (*transpose)(lcl_operator *A);
    // Copies A's present values to A->transposed.op. NULL where `transpose` is.
    enum lcl_status (*transpose_values)(const lcl_operator *A);
    // Sets A->look. NULL: computed from A->matrix.
    enum lcl_status (*look)(lcl_operator *A);
    // Adds the entries that A->matrix lacks to the sums of the asymmetry
    // (lib/storage/properties.h). NULL: there are none.
    void (*add_asymmetry)(const lcl_operator *A, double sum[2]);
    // Frees A->state, which may be NULL. NULL: nothing to free.
    void (*destroy)(lcl_operator *A);
};

// A correction that LCL_APPLY_DOT includes in the sums but leaves out of y, to
// save a pass over y: y_i lacks e[owner[i]] (owner: int32).
struct lcl_late {
    const lcl_buffer *e, *owner; // NULL: nothing
};

struct lcl_operator {
    const struct lcl_operator_ops *ops;
    unsigned modes; // LCL_MODE_BIT()s of modes with own kernels
    struct lcl_space range, domain;
    const struct lcl_numbering *numbering; // of vectors, for square operators
    struct lcl_device_matrix *matrix;      // NULL: matrix-free
    // In a distributed operator: the operator of the rank's rows and columns,
    // with `numbering` and `matrix`; NULL: one device
    lcl_operator *part;
    struct lcl_share share;         // of such a part
    struct lcl_team_operator *team; // parts on several devices; NULL: none
    struct lcl_comm *comm; // owned, freed by end_comm(); NULL: the caller's
    void (*end_comm)(struct lcl_comm **comm);
    void *state;
    int launches;         // of LCL_APPLY
    bool identity;        // Op x = x
    struct lcl_late late; // only from lcl_operator_interleave()
    bool ordered;         // factors keep the order of rows within a subdomain
    bool detected;        // the caller has not declared the blocks of `matrix`
    int hec_width;        // of struct lcl_operator_params
    lcl_kernel *complete; // lib/operator/modes.h; NULL until first needed
    lcl_buffer *x, *y;    // for vectors of the caller, created on first use
    struct lcl_transposed transposed;
    // Only in operators that the caller has created:
    struct lcl_numbering own;   // `numbering` points to it
    int users;                  // preconditioners and solvers; no renumbering
                                // while > 0
    int renumbered;             // counts the changes of `own`
    struct lcl_dense near_null; // in the caller's numbering; cols 0: none
    // Of A and of A^T; left_null.count 0: those of A serve for both
    struct lcl_null_vectors null, left_null;
    uint64_t version; // counts the updates of values
    bool looked;      // `look` has been set for the current values
    struct lcl_properties look;
    struct lcl_operator_info info;
};

// Adds to the number of A's users.
static inline void lcl_operator_use(lcl_operator *A, int users)
{
    A->users += users;
    if (A->part)
        A->part->users += users;
}

// Reports wrong values in buffers. Returns LCL_EFORMAT.
enum lcl_status lcl_operator_refuse_values(const lcl_operator *A);

// The operator of a rank's rows and columns, from which preconditioners are
// made; on one device A itself.
static inline lcl_operator *lcl_operator_own(lcl_operator *A)
{
    return A->part ? A->part : A;
}

// Whether A has its own kernel for a mode.
static inline bool lcl_operator_has(const lcl_operator *A, enum lcl_mode mode)
{
    return A->modes & LCL_MODE_BIT(mode);
}

// Whether A is a matrix, on one device or several.
static inline bool lcl_operator_is_matrix(const lcl_operator *A)
{
    return A->matrix || (A->team && !A->info.kron);
}

// Initialises *A without numbering and modes other than LCL_APPLY.
void lcl_operator_init(lcl_operator *A, const struct lcl_operator_ops *ops,
                       struct lcl_space range, struct lcl_space domain);
void lcl_operator_finish(lcl_operator *A);

// The operator I on a space.
void lcl_identity_init(lcl_operator *A, struct lcl_space V,
                       const struct lcl_numbering *numbering);

// Builds the kernels of applications in `mode`, so that none of them has to
// wait for the compiler.
enum lcl_status lcl_operator_prepare(lcl_operator *A, enum lcl_mode mode);

// Enqueues an application. A mode without its own kernel is computed by
// LCL_APPLY and one vector kernel.
enum lcl_status lcl_apply(lcl_operator *A, enum lcl_mode mode,
                          const struct lcl_operands *v);

// Initialises *out = A (x) I: A for vectors of `columns` interleaved columns,
// row i of column q at i * columns + q; 2, 4 or 8 columns. One pass over the
// data of A serves all columns. Sums have out->range.groups partial sums per
// row: row q is for column q, row columns + q for <y, y> of column q. A must
// keep its values and outlive *out. out->modes are the supported modes;
// lcl_apply() does not complete others. w of APPLY_DOT is x, and y may lack
// out->late. The caller calls lcl_operator_finish() in any case. Returns
// LCL_OK, LCL_EUNSUPPORTED without a message, LCL_EDEVMEM, LCL_EDEVICE,
// LCL_EBUILD or LCL_ENOMEM.
enum lcl_status lcl_operator_interleave(lcl_operator *out, lcl_operator *A,
                                        int columns);

// Launches of one application.
int lcl_operator_launches(const lcl_operator *A, enum lcl_mode mode);

// y = A x for host vectors in the caller's numbering; blocking.
enum lcl_status lcl_apply_host(lcl_operator *A, const double *x, double *y);
// The same for device buffers; enqueued.
enum lcl_status lcl_apply_buffers(lcl_operator *A, const lcl_buffer *x,
                                  lcl_buffer *y);

// Common start of all functions that create an operator from A: sets *out to
// NULL, replaces NULL params by the defaults, checks arguments and parameters.
// Returns LCL_OK or LCL_EINVAL.
enum lcl_status lcl_operator_begin(lcl_operator **out, const lcl_context *ctx,
                                   const void *A, const char *function,
                                   const struct lcl_operator_params **params);

// Allocates an operator for the caller of the library, in the caller's
// numbering, with rows in blocks of `block`. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_operator_allocate(lcl_operator **out, lcl_context *ctx,
                                      const struct lcl_operator_ops *ops,
                                      int64_t rows, int64_t cols, int block);

// Sets A->look, the properties of the square matrix A, unless it belongs to the
// current values. Returns LCL_OK or a status of lcl_properties_sums().
// Collective.
enum lcl_status lcl_operator_look(lcl_operator *A);

// Whether the caller has given near-null vectors, on this rank.
bool lcl_operator_has_near_nullspace(lcl_operator *A);

// Checks that A is symmetric, as `who` requires; sets A->look. Returns LCL_OK,
// also for a callback, whose symmetry is not tested; LCL_EUNSUPPORTED if A is
// not symmetric; or a status of lcl_properties_sums().
enum lcl_status lcl_operator_require_symmetric(lcl_operator *A,
                                               const char *who);
