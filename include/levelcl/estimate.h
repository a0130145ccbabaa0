/* SPDX-License-Identifier: BSD-3-Clause */
/* What a solve will need, before anything is allocated on a device. */
#ifndef LEVELCL_ESTIMATE_H
#define LEVELCL_ESTIMATE_H

#include <levelcl/options.h>

LCL_BEGIN_DECLS

/* The objects in device memory. */
enum lcl_estimate_object {
    LCL_ESTIMATE_MATRIX = 0,
    LCL_ESTIMATE_PRODUCT, /* the copy that a product reads, if there may be one
                           */
    LCL_ESTIMATE_FACTORS, /* of subdomains, or inverses of diagonal blocks */
    LCL_ESTIMATE_COARSE,
    LCL_ESTIMATE_MULTIGRID,
    LCL_ESTIMATE_KRYLOV, /* vectors and basis of the solver */
    LCL_ESTIMATE_COUNT,
};

struct lcl_estimate {
    enum lcl_solver_type solver; /* the first method, never DEFAULT */
    enum lcl_precond_type precond;
    const char *reason;                 /* as lcl_chain_reason() */
    int64_t rows;                       /* on this device */
    int64_t parts;                      /* subdomains; 0: none */
    uint64_t bytes[LCL_ESTIMATE_COUNT]; /* in use during the solve */
    uint64_t total;                     /* their sum */
    uint64_t traffic; /* bytes that one iteration moves at least */
};

#define LCL_ESTIMATE_INIT LCL_ZERO

/* Estimates what lcl_chain_create() and lcl_chain_solve() will need on a device
 * with these capabilities for a square A whose rows are distributed among
 * `devices` devices, by the size of A and the values of its entries, which it
 * reads twice. The numbers differ from the true ones by a factor of 2 or less
 * for most matrices; fill, and the levels of multigrid, are a guess. Memory
 * that only the set-up needs is left out. NULL options mean the defaults.
 * Returns LCL_OK; LCL_EDEVMEM if the total exceeds the memory of the device,
 * where *out is set, too; LCL_EINVAL (an argument is NULL, A not square or
 * empty, or devices < 1) or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_estimate_solve(
    struct lcl_estimate *out, const struct lcl_caps *caps,
    const struct lcl_csr *A, const struct lcl_options *options, int devices,
    const struct lcl_log *log);

/* "matrix", "product", "factors", ... */
LCL_API const char *lcl_estimate_name(enum lcl_estimate_object object);

LCL_END_DECLS

#endif
