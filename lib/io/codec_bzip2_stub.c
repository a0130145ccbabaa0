// SPDX-License-Identifier: BSD-3-Clause
// Without the library for bzip2.
#include "lib/io/codec.h"

const struct lcl_codec lcl_codec_bzip2 = {
    .name = "bzip2",
    .magic = LCL_MAGIC_BZIP2,
    .magic_size = 3,
    .remedy = "bzcat unpacks it",
};
