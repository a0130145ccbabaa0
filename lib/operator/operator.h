// SPDX-License-Identifier: BSD-3-Clause
// Everything that is applied to a vector: matrices, Kronecker operators,
// callbacks, preconditioners, triangular solves.
#pragma once

#include "host/program.h"
#include "lib/comm/share.h"
#include "lib/storage/look.h"
#include "lib/storage/matrix.h"
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
    double value;             // > 0: of every entry of the only vector
    struct lcl_dense vectors; // in the caller's numbering, unless `value` > 0
};

struct lcl_kron;   // <levelcl/kron.h>
struct lcl_judged; // lib/operator/judge.h

// A^T as an operator, see lcl_operator_transposed().
struct lcl_transposed {
    lcl_operator *op; // NULL: not made; its caller's numbering is that of A
    // Block of op, before it is renumbered -> block of A; the second one is of
    // L of a Kronecker system
    lcl_buffer *map[2];
    lcl_kernel *values;
    uint64_t version; // of A's values
    int renumbered;   // of A when op was made
};

struct lcl_operator_ops {
    // Builds the kernels of an application on the first call. NULL: none.
    enum lcl_status (*prepare)(lcl_operator *A);
    // Enqueues an application in A's numbering; `mode` is one of A->modes.
    enum lcl_status (*apply)(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v);
    // lcl_judge(). NULL: the entries of A are unknown.
    enum lcl_status (*judge)(lcl_operator *A, const struct lcl_judged *v);
    // y = A x for host vectors in the caller's numbering, for operators whose
    // vectors are not on one device; blocking. NULL: through `apply`.
    enum lcl_status (*apply_host)(lcl_operator *A, const double *x, double *y);
    // Enqueues Y = A X in the caller's numbering. NULL: column by column.
    enum lcl_status (*apply_many)(lcl_operator *A, const struct lcl_columns *v,
                                  int64_t vectors);
    // lcl_operator_interleave(). NULL: unsupported.
    enum lcl_status (*interleave)(lcl_operator *out, lcl_operator *A,
                                  int columns);
    // Takes info.nnz finite values. NULL: A has no such values.
    enum lcl_status (*update)(lcl_operator *A, const double *val);
    // The same for values in a buffer, which may be larger and may contain
    // values that are not finite: LCL_EFORMAT without a message, and no change.
    // Waits for the check. NULL: A has no such values on one device.
    enum lcl_status (*update_buffer)(lcl_operator *A, const lcl_buffer *val);
    // The same for a Kronecker system. NULL: A is none, or has rows of one.
    enum lcl_status (*update_kron)(lcl_operator *A, const struct lcl_kron *K);
    // Makes A->transposed.op = A^T with A's values in A's numbering, and counts
    // its memory; on error the caller frees A->transposed. NULL: unsupported.
    enum lcl_status (*transpose)(lcl_operator *A);
    // Gives it A's present values. NULL where `transpose` is.
    enum lcl_status (*transpose_values)(const lcl_operator *A);
    // Sets A->look. NULL: from A->matrix.
    enum lcl_status (*look)(lcl_operator *A);
    // Adds to the sums of the asymmetry (lib/storage/look.h) what A->matrix
    // lacks. NULL: nothing.
    void (*add_asymmetry)(const lcl_operator *A, double sum[2]);
    // Frees A->state, which may be NULL. NULL: nothing to free.
    void (*destroy)(lcl_operator *A);
};

// What y of LCL_APPLY_DOT lacks although the sums include it, to save a pass
// over y: row i of y lacks row owner[i] (int32) of e.
struct lcl_late {
    const lcl_buffer *e, *owner; // NULL: nothing
};

struct lcl_operator {
    const struct lcl_operator_ops *ops;
    unsigned modes; // LCL_MODE_BIT()s of the modes with kernels of their own
    struct lcl_space range, domain;
    const struct lcl_numbering *numbering; // of vectors, for square operators
    struct lcl_device_matrix *matrix;      // NULL: matrix-free
    // Of a distributed operator: the rank's rows and columns, with `numbering`
    // and `matrix`; NULL: one device
    lcl_operator *part;
    struct lcl_share share;         // of such a part
    struct lcl_team_operator *team; // parts on several devices; NULL: none
    struct lcl_comm *comm; // owned, freed by end_comm(); NULL: by the caller
    void (*end_comm)(struct lcl_comm **comm);
    void *state;
    int launches;         // of LCL_APPLY
    bool identity;        // Op x = x
    struct lcl_late late; // only of lcl_operator_interleave()
    bool ordered;         // factors keep the order of rows within a subdomain
    bool detected;        // blocks of `matrix` that nobody has declared
    int hec_width;        // of struct lcl_operator_params
    lcl_kernel *complete; // lib/operator/modes.h; NULL until first needed
    lcl_buffer *x, *y;    // for vectors of the caller, created on first use
    struct lcl_transposed transposed;
    // Only of operators that the caller has created:
    struct lcl_numbering own;   // `numbering` points to it
    int users;                  // preconditioners and solvers: no renumbering
    int renumbered;             // counts the changes of `own`
    struct lcl_dense near_null; // in the caller's numbering; cols 0: none
    // of A and of A^T; left_null.count 0: those of A
    struct lcl_null_vectors null, left_null;
    uint64_t version; // counts the updates of values
    bool looked;      // for the current values
    struct lcl_look look;
    struct lcl_operator_info info;
};

// Adds to the number of A's users.
static inline void lcl_operator_use(lcl_operator *A, int users)
{
    A->users += users;
    if (A->part)
        A->part->users += users;
}

// LCL_EFORMAT with a message about new values in buffers.
enum lcl_status lcl_operator_refuse_values(const lcl_operator *A);

// The operator of a rank's rows and columns, of which preconditioners are made;
// of one device A itself.
static inline lcl_operator *lcl_operator_own(lcl_operator *A)
{
    return A->part ? A->part : A;
}

// Whether A has a kernel of its own for a mode.
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

// Enqueues an application. A mode without a kernel of its own is LCL_APPLY and
// one vector kernel.
enum lcl_status lcl_apply(lcl_operator *A, enum lcl_mode mode,
                          const struct lcl_operands *v);

// Initialises *out = A (x) I: A for vectors of `columns` interleaved columns,
// row i of column q at i * columns + q; 2, 4 or 8 columns. One pass over the
// data of A serves all columns. With out->range.groups partial sums in a row,
// sums of column q are in row q, those of <y, y> in row columns + q. A must
// keep its values and outlive *out. out->modes tells which modes there are;
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

// Allocates an operator that the caller of the library will own, in the
// caller's numbering, with rows in blocks of `block`. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_operator_allocate(lcl_operator **out, lcl_context *ctx,
                                      const struct lcl_operator_ops *ops,
                                      int64_t rows, int64_t cols, int block);

// What A, a square matrix, looks like; A->look keeps it for the current values.
// Returns LCL_OK or a status of lcl_look_sums(). Collective.
enum lcl_status lcl_operator_look(lcl_operator *A);

// Whether the caller has given near-null vectors, on this rank.
bool lcl_operator_has_near_nullspace(lcl_operator *A);

// Looks at A, too. Returns LCL_OK, also for a callback, whose symmetry is not
// tested; LCL_EUNSUPPORTED if A is not symmetric, which `who` requires; or a
// status of lcl_look_sums().
enum lcl_status lcl_operator_require_symmetric(lcl_operator *A,
                                               const char *who);
