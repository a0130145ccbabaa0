// SPDX-License-Identifier: BSD-3-Clause
// Factors in a storage.
#include "dilu.cl"
#include "packed_serial.cl"
