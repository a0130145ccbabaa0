// SPDX-License-Identifier: BSD-3-Clause
// Application of the factors: one table of functions per published method.
#pragma once

#include "lib/factor/ildu0.h"
#include "lib/factor/pattern.h"
#include "lib/operator/operator.h"

#include <levelcl/precond.h>

struct lcl_trisolve_method;

// The parts of a factor that the host has.
struct lcl_host_factor {
    // Of a packed factor:
    struct lcl_host_schedule schedule;
    int32_t *row; // n: row i of the factor is row row[i] of the matrix, whose
                  // rows are eliminated in order; NULL: i is the order
    // Of a factor in levels:
    struct lcl_host_pattern pattern;
    int hec_width; // columns of the ELL parts, as far as rows fill them; 0: as
                   // in lcl_hec_split_init()
};

struct lcl_trisolve_ops {
    // lcl_trisolve_rows_most() of a method with these functions.
    int64_t (*rows_most)(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block);
    // Sets up T->state. On error the caller calls destroy().
    enum lcl_status (*create)(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_factor *host);
    // Converts the values of the factor after a factorisation; NULL if the
    // kernels read the factor directly.
    enum lcl_status (*update)(struct lcl_trisolve_method *T);
    // Enqueues y = M^-1 x.
    enum lcl_status (*apply)(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v);
    // Enqueues the lower solve alone: y = (L D)^-1 x, or L^-1 x if D is applied
    // separately. NULL if the method has no such launch.
    enum lcl_status (*lower)(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v);
    void (*destroy)(struct lcl_trisolve_method *T); // frees T->state, may be
                                                    // NULL
    // lcl_trisolve_prolong(), and y = M^-1 x + P w. NULL if the method does not
    // support them.
    enum lcl_status (*prolong)(struct lcl_trisolve_method *T, lcl_context *ctx,
                               const lcl_buffer *aggregate);
    enum lcl_status (*apply_add)(const struct lcl_trisolve_method *T,
                                 const struct lcl_operands *v);
    // lcl_operator_interleave(): out->range is set. NULL: unsupported.
    enum lcl_status (*interleave)(lcl_operator *out,
                                  const struct lcl_trisolve_method *T,
                                  int columns);
};

struct lcl_trisolve_method {
    lcl_operator op; // y = M^-1 x, in the numbering of the factor
    const struct lcl_trisolve_ops *ops;
    enum lcl_trisolve name;
    const struct lcl_factor *factor;
    void *state;  // of the method
    int barriers; // per application, the maximum over the subdomains
    int group;    // work-group size
    // Of L, if the method solves by levels of its own; levels_max 0: by those
    // of the factor
    int64_t levels_max;
    double levels_mean;
    const char *form; // autotuned variant ("ring", "straight"), or ""
};

extern const struct lcl_trisolve_ops lcl_trisolve_packed;
extern const struct lcl_trisolve_ops lcl_trisolve_packed_block;
extern const struct lcl_trisolve_ops lcl_trisolve_spin_loop_lds;
extern const struct lcl_trisolve_ops lcl_trisolve_dag_ec;
extern const struct lcl_trisolve_ops lcl_trisolve_dag_ec_fused;
extern const struct lcl_trisolve_ops lcl_trisolve_dag_vc_ILDU0_fused;
extern const struct lcl_trisolve_ops lcl_trisolve_hec_level;

// Creates the method of a given name for the block size and the storage of the
// factor, which must outlive it; T must not move. Statuses as
// lcl_precond_create(), and LCL_EUNSUPPORTED; *T is fit for
// lcl_trisolve_finish() in any case.
enum lcl_status lcl_trisolve_init(struct lcl_trisolve_method *T,
                                  enum lcl_trisolve name, lcl_context *ctx,
                                  const struct lcl_factor *factor,
                                  const struct lcl_host_factor *host);
// Applications of T->op fail from then on.
void lcl_trisolve_finish(struct lcl_trisolve_method *T);

void lcl_host_factor_finish(struct lcl_host_factor *host);

// The largest subdomain of a method, in rows of blocks: the data that its
// kernels keep for a subdomain fit in the local memory of the device, and rows
// have 16-bit numbers. 0: no subdomain fits.
int64_t lcl_trisolve_rows_most(enum lcl_trisolve name,
                               const struct lcl_caps *caps, int block);

// Whether the method builds its own arrays from the schedule on the host.
bool lcl_trisolve_reads_schedule(enum lcl_trisolve name);
// Whether it also reads the order of the rows in the matrix.
bool lcl_trisolve_reads_order(enum lcl_trisolve name);

// Whether the method applies factors in levels (lib/factor/level_ildu0.h),
// whose pattern it reads on the host. For methods that read nothing on the
// host, lcl_trisolve_init() takes NULL.
bool lcl_trisolve_supports_levels(enum lcl_trisolve name);

// Gives T->op a prolongation P, so that it supports LCL_APPLY_ADD: P w adds
// number aggregate[p] (uint32) of w, one value for each row of a block, to the
// rows of subdomain p. Returns LCL_OK, LCL_EBUILD or LCL_ENOMEM, and
// LCL_EUNSUPPORTED without a message if the method has no such kernel.
enum lcl_status lcl_trisolve_prolong(struct lcl_trisolve_method *T,
                                     const lcl_buffer *aggregate);

// Takes the values of the factor.
enum lcl_status lcl_trisolve_update(struct lcl_trisolve_method *T);
