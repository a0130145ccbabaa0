// SPDX-License-Identifier: BSD-3-Clause
// Finds a matrix in a tar archive. Source of the format: POSIX.1-2017, pax.
#include "lib/io/formats.h"

#include <string.h>

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SIZE = 12, TYPE_AT = 156 };

// The octal number of a header; -1: it is none.
static int64_t octal(const char *at, int digits)
{
    int64_t value = 0;
    int k = 0;
    while (k < digits && at[k] == ' ')
        ++k;
    const int first = k;
    for (; k < digits && at[k] >= '0' && at[k] <= '7'; ++k)
        value = 8 * value + (at[k] - '0');
    return k > first && (k == digits || at[k] == ' ' || at[k] == '\0') ? value
                                                                       : -1;
}

// Whether the name is FOLDER/FOLDER and .mtx or .rb, or of a right-hand side
// _b.mtx.
static bool is_wanted(const char *name, bool rhs)
{
    const char *slash = strrchr(name, '/');
    if (!slash || slash == name)
        return false;
    const char *folder = slash;
    while (folder > name && folder[-1] != '/')
        --folder;
    const size_t stem = (size_t)(slash - folder);
    if (strncmp(slash + 1, folder, stem) != 0)
        return false;
    const char *tail = slash + 1 + stem;
    if (rhs)
        return strcmp(tail, "_b.mtx") == 0;
    return strcmp(tail, ".mtx") == 0 || strcmp(tail, ".rb") == 0;
}

enum lcl_status lcl_tar_enter(lcl_stream *s, bool rhs)
{
    for (;;) {
        char block[BLOCK], name[NAME + 1] = "";
        size_t taken;
        if (!lcl_stream_copy(s, block, sizeof block, &taken))
            return lcl_stream_report(s);
        if (taken < sizeof block || *block == '\0')
            return lcl_stream_refuse(
                s, LCL_EFORMAT,
                rhs ? "the tar archive has no right-hand side "
                      "NAME/NAME_b.mtx"
                    : "the tar archive has no matrix NAME/NAME.mtx "
                      "or NAME/NAME.rb");
        const int64_t size = octal(block + SIZE_AT, SIZE);
        if (!lcl_is_tar(block, sizeof block) || size < 0)
            return lcl_stream_refuse(
                s, LCL_EFORMAT,
                "expected the header of a member of a tar archive");
        memcpy(name, block, NAME);
        const bool file = block[TYPE_AT] == '0' || block[TYPE_AT] == '\0';
        if (file && is_wanted(name, rhs)) {
            lcl_stream_limit(s, size);
            return LCL_OK;
        }
        const enum lcl_status st = lcl_stream_skip_all(
            s, (size + BLOCK - 1) / BLOCK * BLOCK, LCL_EFORMAT,
            "the tar archive ends within a member");
        if (st < 0)
            return st;
    }
}
