// SPDX-License-Identifier: BSD-3-Clause
// Disk cache of small blobs under a text key. It may only make things faster:
// whatever is wrong with a file, or with the folder, is a miss. Programs in it
// are run as the user: folders and files that belong to somebody else, or that
// somebody else may write to, are not used.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lcl_cache {
    char *dir;          // NULL: off
    uint64_t max_bytes; // oldest files go when the folder grows past it
    struct lcl_log log;
    bool warned; // that the folder cannot be used, or not be written to
};

// Chooses the folder: `dir`, else $LEVELCL_CACHE_DIR, $XDG_CACHE_HOME/levelcl,
// ~/.cache/levelcl; none of them: off. Creates nothing yet.
enum lcl_status lcl_cache_init(struct lcl_cache *cache, const char *dir,
                               bool off, const struct lcl_log *log);
void lcl_cache_finish(struct lcl_cache *cache);

// The blob stored under `key`, to be freed with lcl_free(); NULL on a miss. A
// file that is truncated, damaged or under another key is deleted.
void *lcl_cache_load(struct lcl_cache *cache, const char *key, size_t *bytes);

// Stores a blob: written to a temporary name, then renamed, so that processes
// may share the folder. A folder that cannot be written to is no error; the
// log is warned once.
void lcl_cache_store(struct lcl_cache *cache, const char *key, const void *blob,
                     size_t bytes);

// Forgets a blob that its user refused.
void lcl_cache_drop(struct lcl_cache *cache, const char *key);
