// SPDX-License-Identifier: BSD-3-Clause
// Without the library for zstd.
#include "lib/io/codec.h"

const struct lcl_codec lcl_codec_zstd = {
    .name = "zstd",
    .magic = LCL_MAGIC_ZSTD,
    .magic_size = 4,
    .remedy = "zstdcat unpacks it",
};
