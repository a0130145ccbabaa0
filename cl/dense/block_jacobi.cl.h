// SPDX-License-Identifier: BSD-3-Clause
// How block_jacobi.cl extracts diagonal blocks: values of its EXTRACTION,
// shared with the host.
#pragma once

#define LCL_EXTRACTION_CACHED           1
#define LCL_EXTRACTION_SHARED           2
#define LCL_EXTRACTION_BISECT           3
#define LCL_EXTRACTION_SHARED_QUADRATIC 4
