// SPDX-License-Identifier: BSD-3-Clause
// Disk cache of small blobs under a text key. It may only make things faster:
// any problem with a file or the folder counts as a miss. Cached programs run
// with the user's rights, so the cache does not use folders or files that
// belong to another user or that others may write to.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lcl_cache_folder {
    char *path;  // NULL: none
    bool shared; // root may own it, and nothing in it is ever changed
    bool warned; // it is unusable or not writable, and was reported
    struct lcl_log log;
};

struct lcl_cache {
    struct lcl_cache_folder store; // of the installation, searched first
    struct lcl_cache_folder own;   // of the user
    uint64_t max_bytes;            // evicts the oldest files above this size
    bool from_store;               // the blob loaded last
};

// Chooses the user's folder: `dir`, else $LEVELCL_CACHE_DIR,
// $XDG_CACHE_HOME/levelcl, ~/.cache/levelcl; none if nothing is set. Creates
// nothing yet. The store is lcl_store_folder() if that exists and is safe.
enum lcl_status lcl_cache_init(struct lcl_cache *cache, const char *dir,
                               bool off, const struct lcl_log *log);
void lcl_cache_finish(struct lcl_cache *cache);

// Whether stored blobs are likely to be found again: the folder is safe, or can
// be created.
bool lcl_cache_keeps(const struct lcl_cache *cache);

// Whether the folder, or the nearest one above it that exists, is writable.
bool lcl_folder_is_writable(const char *path);

// Hash of a key. Its 16 hexadecimal digits form the names of the folder (two
// digits) and of the file.
uint64_t lcl_cache_hash(const char *key);

// The blob stored under `key`, freed with lcl_free(); NULL on a miss. Deletes a
// file of the user's folder that is truncated, damaged or of another key.
void *lcl_cache_load(struct lcl_cache *cache, const char *key, size_t *bytes);

// Stores a blob in the user's folder: writes a temporary file and renames it,
// so that processes may share the folder. A folder that is not writable is no
// error; it is logged once as a warning.
void lcl_cache_store(struct lcl_cache *cache, const char *key, const void *blob,
                     size_t bytes);

// Deletes the blob loaded last, which its user has rejected. If it came from
// the store, stops searching the store and returns true: the user's folder may
// contain another one.
bool lcl_cache_drop(struct lcl_cache *cache, const char *key);
