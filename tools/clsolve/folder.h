// SPDX-License-Identifier: BSD-3-Clause
// Folders of compiled kernels.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FOLDER_BYTES = 4096 };

// Whether a driver with a cache of its own chose the folder of
// lcl_context_folder(); `dir` is the cache_dir of the context.
bool folder_is_of_driver(const char *folder, const char *dir);

// Kernels that PoCL has put into its folder in the last seconds.
int64_t folder_new_kernels(const char *folder, double seconds);

// Creates a folder and its parents, which all users may read. Returns 0 or
// errno, also if the folder is not writable.
int folder_make_shared(const char *path);

// Lets all users read a folder and what is in it. Returns 0 or errno.
int folder_share(const char *path);
