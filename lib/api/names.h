// SPDX-License-Identifier: BSD-3-Clause
// Names of the enums that users select. If value 0 is a default, it has the
// name of the value that it selects, so parsers must use the last match.
#pragma once

#include "host/names.h"

extern const struct lcl_names lcl_precond_names;
extern const struct lcl_names lcl_trisolve_names;
extern const struct lcl_names lcl_partition_names;
extern const struct lcl_names lcl_pivot_names;
extern const struct lcl_names lcl_factor_storage_names;
extern const struct lcl_names lcl_block_extraction_names;
extern const struct lcl_names lcl_block_apply_names;
extern const struct lcl_names lcl_basis_storage_names;
extern const struct lcl_names lcl_orthogonalisation_names;
extern const struct lcl_names lcl_side_names;
extern const struct lcl_names lcl_norm_names;
extern const struct lcl_names lcl_weights_names;
extern const struct lcl_names lcl_coarse_names;
extern const struct lcl_names lcl_amg_coarsening_names;
extern const struct lcl_names lcl_amg_smoother_names;
extern const struct lcl_names lcl_amg_refresh_names;
extern const struct lcl_names lcl_refresh_names;
extern const struct lcl_names lcl_elimination_names;
extern const struct lcl_names lcl_order_names;
extern const struct lcl_names lcl_kron_names;
extern const struct lcl_names lcl_communication_names;
extern const struct lcl_names lcl_kron_exchange_names;
extern const struct lcl_names lcl_spmv_names;
extern const struct lcl_names lcl_batch_kernel_names;
extern const struct lcl_names lcl_batch_precision_names;
extern const struct lcl_names lcl_batch_singular_names;
