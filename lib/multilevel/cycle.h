// SPDX-License-Identifier: BSD-3-Clause
// The V-cycle of a hierarchy of matrices, in fp32; those of levels in bf16 if
// wanted (cl/multilevel/cycle.cl).
#pragma once

#include "lib/dense/inverse.h"
#include "lib/multilevel/cycle_matrix.h"
#include "lib/multilevel/level_halo.h"
#include "lib/multilevel/power.h"
#include "lib/multilevel/relaxation.h"

#include <levelcl/precond.h>

enum { LCL_LEVELS_MOST = LCL_AMG_LEVELS };

// Ghosts of the vectors that A, P and R multiply, behind the rank's own
// entries; NULL: none.
struct lcl_cycle_halos {
    struct lcl_level_halo *A, *P, *R;
};

// All vectors but t are fp32.
struct lcl_cycle_level {
    int64_t n;
    struct lcl_cycle_matrix A, P, R; // P and R to and from the next level
    const struct lcl_device_matrix *matrix;
    lcl_buffer *t;      // n, fp64: scales the level (cycle.cl)
    lcl_buffer *lambda; // 1 fp64: largest eigenvalue of D^-1 A
    float loss;         // largest sum of rounding errors of a row of A in bf16,
                        // relative to its diagonal; 0: not tried
    lcl_buffer *b, *x, *y, *r;
    struct lcl_relaxation relaxation; // for ILDU0
    struct lcl_cycle_halos halos;
};

// x = what the levels below make of b, fp32; enqueued.
typedef enum lcl_status lcl_cycle_below_fn(const void *arg, const lcl_buffer *b,
                                           lcl_buffer *x,
                                           const struct lcl_operands *v);

struct lcl_cycle {
    lcl_context *ctx;
    enum lcl_amg_smoother smoother;  // not DEFAULT
    enum lcl_factor_storage storage; // FP32 or BF16, of the matrices of levels
    int levels;
    struct lcl_cycle_level level[LCL_LEVELS_MOST];
    const struct lcl_inverse *coarsest; // of the last level; NULL: two sweeps
                                        // of the smoother instead
    const struct lcl_space *space;      // of several ranks; NULL: one device
    lcl_cycle_below_fn *below;          // for the last level; NULL: coarsest
    const void *below_arg;
    lcl_kernel *scale, *enter, *leave, *dense, *diagonal, *spread;
    lcl_buffer *largest; // groups fp64
    lcl_buffer *lost; // uint32: values out of the range of fp32; then the bits
                      // of the loss of each level
    struct lcl_power power;
    int groups;
};

// Gets the kernels that do not depend on a level; smoother, storage and what
// follows are set by the caller. Returns LCL_OK, LCL_EBUILD,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM, as all functions here; *C is fit for
// lcl_cycle_finish() in any case.
enum lcl_status lcl_cycle_init(struct lcl_cycle *C, lcl_context *ctx);
void lcl_cycle_finish(struct lcl_cycle *C);

// Appends a level with the matrix A and, unless it is the last one, the
// prolongation P to the next one and R = P^T; lambda is NULL if the level needs
// no smoother. On ranks these are the rank's rows, and `room` is the number of
// ghosts that vectors of the level have at most. The matrices and what halos
// point to must outlive *C.
enum lcl_status lcl_cycle_append(
    struct lcl_cycle *C, const struct lcl_device_matrix *A,
    const struct lcl_device_matrix *P, const struct lcl_device_matrix *R,
    lcl_buffer *lambda, const struct lcl_cycle_halos *halos, int64_t room);

// Has level l, which has a smoother, smoothed by M, which must outlive *C and
// reads `traffic` bytes besides its vectors.
enum lcl_status lcl_cycle_relax_by(struct lcl_cycle *C, int l, lcl_operator *M,
                                   double traffic);

// Enqueues estimates of what smoothers need, after lcl_cycle_update() and
// changes of M: dampings, or lambda where it has become larger.
enum lcl_status lcl_cycle_estimate(const struct lcl_cycle *C);

// Takes the values of all matrices. A level that loses too much in bf16 is
// stored in fp32 from then on. Collective if C has ranks. Returns also
// LCL_ERANGE, with a message, if some values are out of the range of fp32.
enum lcl_status lcl_cycle_update(struct lcl_cycle *C);

// Enqueues V->matrix = the scaled matrix of the last level; V->matrix must be
// all 0.
enum lcl_status lcl_cycle_spread(const struct lcl_cycle *C,
                                 const struct lcl_inverse *V);

// v->y = M^-1 v->x, where M is symmetric if A is; enqueued.
enum lcl_status lcl_cycle_apply(const struct lcl_cycle *C,
                                const struct lcl_operands *v);
int lcl_cycle_launches(const struct lcl_cycle *C);

// Bytes on the device; bytes that an application moves at least.
uint64_t lcl_cycle_bytes(const struct lcl_cycle *C);
double lcl_cycle_traffic(const struct lcl_cycle *C);
