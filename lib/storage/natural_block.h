// SPDX-License-Identifier: BSD-3-Clause
// The natural block size of a matrix on the device.
#pragma once

#include "lib/storage/matrix.h"

// As lcl_csr_natural_block(), for entries on the device. Returns LCL_OK,
// LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM. Blocking.
enum lcl_status lcl_natural_block(int *block, lcl_context *ctx,
                                  const struct lcl_device_matrix *A);
