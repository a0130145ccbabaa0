// SPDX-License-Identifier: BSD-3-Clause
// Disk cache of small blobs under a text key.
#include "host/cache.h"

#include "host/alloc.h"
#include "host/log.h"

#include <levelcl/context.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_BYTES = 256 << 20, TEMPORARY = 100 };

// A file is this header, the key and the blob. The hash in the file name only
// locates it; a hit requires an equal key text.
struct header {
    char magic[8];
    uint32_t format;
    uint32_t crc; // of key and blob
    uint64_t key_bytes;
    uint64_t blob_bytes;
};
static const struct header blank = {.magic = "levelcl", .format = 1};

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// A home that does not exist is not created.
size_t lcl_cache_folder(char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"LEVELCL_CACHE_DIR", ""},
                  {"XDG_CACHE_HOME", "/levelcl"},
                  {"HOME", "/.cache/levelcl"}};
    enum { HOME = sizeof places / sizeof *places - 1 };
    for (int i = 0; i <= HOME; ++i) {
        const char *base = getenv(places[i].variable);
        if (base && *base && (i < HOME || is_folder(base)))
            return (size_t)snprintf(path, path ? size : 0, "%s%s", base,
                                    places[i].below);
    }
    return 0;
}

size_t lcl_store_folder(char *path, size_t size)
{
    const char *given = getenv("LEVELCL_STORE");
    return (size_t)snprintf(path, path ? size : 0, "%s",
                            given ? given : LCL_STORE_DIR);
}

// Copies the name that `name` writes, if there is one.
static enum lcl_status set_path(struct lcl_cache_folder *F,
                                size_t (*name)(char *path, size_t size))
{
    const size_t length = name(NULL, 0);
    if (length == 0)
        return LCL_OK;
    F->path = lcl_malloc(length + 1, 1);
    if (!F->path)
        return lcl_fail_memory(&F->log, "the cache folder's name");
    (void)name(F->path, length + 1);
    return LCL_OK;
}

static void forget(struct lcl_cache_folder *F)
{
    lcl_free(F->path);
    F->path = NULL;
}

void lcl_cache_finish(struct lcl_cache *cache)
{
    forget(&cache->store);
    forget(&cache->own);
    *cache = (struct lcl_cache){0};
}

// FNV-1a
uint64_t lcl_cache_hash(const char *key)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *key; ++key)
        h = (h ^ (unsigned char)*key) * 0x100000001b3u;
    return h;
}

// Path of a key's file: FOLDER/fan/name.
struct place {
    char fan[3], name[15];
};

static struct place place_of(const char *key)
{
    const uint64_t h = lcl_cache_hash(key);
    struct place p;
    snprintf(p.fan, sizeof p.fan, "%02x", (unsigned)(h >> 56));
    snprintf(p.name, sizeof p.name, "%014llx",
             (unsigned long long)(h & 0xffffffffffffffu));
    return p;
}

static uint32_t crc_of(const char *key, const void *blob, size_t bytes)
{
    uLong crc = crc32_z(0, (const Bytef *)key, strlen(key));
    return (uint32_t)crc32_z(crc, blob, bytes);
}

// ------------------------------------------------------------------- folders

// Warns once per folder that kernels will be compiled each time, and why.
static void warn(struct lcl_cache_folder *F, const char *what, const char *why)
{
    if (!F->warned)
        lcl_warn(&F->log, "the kernel %s in %s cannot be %s: %s",
                 F->shared ? "store" : "cache", F->path, what, why);
    F->warned = true;
}

static void warn_errno(struct lcl_cache_folder *F, const char *what, int code)
{
    char why[128] = "unknown error";
    strerror_r(code, why, sizeof why);
    warn(F, what, why);
}

// Anyone who can write to a file or folder of the cache can run code as the
// user; root can do so anyway.
static const char *fault_of(const struct lcl_cache_folder *F,
                            const struct stat *info)
{
    const bool trusted =
        info->st_uid == geteuid() || (F->shared && info->st_uid == 0);
    return !trusted ? "a part of it belongs to another user"
           : info->st_mode & (S_IWGRP | S_IWOTH)
               ? "other users may write to a part of it"
               : NULL;
}

static bool is_safe(struct lcl_cache_folder *F, const struct stat *info)
{
    const char *fault = fault_of(F, info);
    if (fault)
        warn(F, "used", fault);
    return !fault;
}

static int make_folder(int at, const char *path)
{
    return mkdirat(at, path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

// Creates a folder and its parents. Returns the first error, 0 if none.
static int make_folders(char *path)
{
    int error = 0;
    for (char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int code = make_folder(AT_FDCWD, path);
        error = error ? error : code;
        *slash = '/';
    }
    const int last = make_folder(AT_FDCWD, path);
    return error ? error : last;
}

bool lcl_folder_is_writable(const char *path)
{
    char parent[PATH_MAX];
    struct stat info;
    if (strlen(path) >= sizeof parent)
        return false;
    strcpy(parent, path);
    char *slash = parent + strlen(parent);
    while (stat(parent, &info) != 0 && errno == ENOENT &&
           (slash = strrchr(parent, '/')) && slash > parent)
        *slash = '\0';
    return is_folder(slash == parent ? "/" : parent) &&
           access(slash == parent ? "/" : parent, W_OK | X_OK) == 0;
}

bool lcl_cache_keeps(const struct lcl_cache *cache)
{
    const struct lcl_cache_folder *F = &cache->own;
    struct stat info;
    if (!F->path || !lcl_folder_is_writable(F->path))
        return false;
    return stat(F->path, &info) != 0 || !fault_of(F, &info);
}

// Opens a folder of the cache. Returns -1 if it does not exist or is not safe
// to use; `made` is the error of an attempt to create it. A store that this
// process cannot read is as good as none.
static int open_folder(struct lcl_cache_folder *F, int at, const char *path,
                       int flags, int made)
{
    struct stat info;
    const int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0) {
        if (made)
            warn_errno(F, "written", made);
        else if (errno != ENOENT && !F->shared)
            warn_errno(F, "used", errno);
        return -1;
    }
    if (fstat(fd, &info) == 0 && is_safe(F, &info))
        return fd;
    close(fd);
    return -1;
}

// The top folder of the cache may be a symbolic link, the others may not.
static int open_top(struct lcl_cache_folder *F, bool make)
{
    return open_folder(F, AT_FDCWD, F->path, 0,
                       make ? make_folders(F->path) : 0);
}

// The folder of a key's file.
static int open_fan(struct lcl_cache_folder *F, const struct place *p,
                    bool make)
{
    const int top = F->path ? open_top(F, make) : -1;
    if (top < 0)
        return -1;
    const int fan = open_folder(F, top, p->fan, O_NOFOLLOW,
                                make ? make_folder(top, p->fan) : 0);
    close(top);
    return fan;
}

static enum lcl_status init_own(struct lcl_cache_folder *F, const char *dir)
{
    if (!dir || !*dir)
        return set_path(F, lcl_cache_folder);
    F->path = lcl_strdup(dir);
    return F->path ? LCL_OK
                   : lcl_fail_memory(&F->log, "the cache folder's name");
}

// Most installations have no store: a single attempt to open it suffices.
static enum lcl_status init_store(struct lcl_cache_folder *F)
{
    const enum lcl_status st = set_path(F, lcl_store_folder);
    const int top = F->path ? open_top(F, false) : -1;
    if (top >= 0)
        close(top);
    else
        forget(F);
    return st;
}

enum lcl_status lcl_cache_init(struct lcl_cache *cache, const char *dir,
                               bool off, const struct lcl_log *log)
{
    enum lcl_status st = LCL_OK;
    *cache = (struct lcl_cache){.store.shared = true, .max_bytes = MAX_BYTES};
    if (log)
        cache->store.log = cache->own.log = *log;
    if (!off && (st = init_own(&cache->own, dir)) == LCL_OK &&
        (st = init_store(&cache->store)) < 0)
        lcl_cache_finish(cache);
    return st;
}

// ------------------------------------------------------------------- loading

static bool read_all(int fd, void *data, size_t bytes)
{
    for (char *p = data; bytes > 0;) {
        const ssize_t n = read(fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void *read_file(struct lcl_cache_folder *F, int fd, size_t *bytes)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !is_safe(F, &info) ||
        info.st_size > MAX_BYTES)
        return NULL;
    *bytes = (size_t)info.st_size;
    char *text = lcl_malloc(*bytes, 1);
    if (text && !read_all(fd, text, *bytes)) {
        lcl_free(text);
        text = NULL;
    }
    return text;
}

// Does not block on a pipe or a device in place of the file.
static void *read_below(struct lcl_cache_folder *F, int fan, const char *name,
                        size_t *bytes)
{
    const int fd =
        openat(fan, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *text = read_file(F, fd, bytes);
    close(fd);
    return text;
}

// Offset of the blob in a valid file of `bytes` bytes; 0 if the file is
// invalid.
static size_t blob_offset(const char *text, size_t bytes, const char *key)
{
    struct header head;
    const size_t key_bytes = strlen(key);
    if (bytes < sizeof head + key_bytes)
        return 0;
    memcpy(&head, text, sizeof head);
    const size_t blob_bytes = bytes - sizeof head - key_bytes;
    if (memcmp(head.magic, blank.magic, sizeof head.magic) != 0 ||
        head.format != blank.format || head.key_bytes != key_bytes ||
        head.blob_bytes != blob_bytes ||
        memcmp(text + sizeof head, key, key_bytes) != 0 ||
        head.crc != crc_of(key, text + sizeof head + key_bytes, blob_bytes))
        return 0;
    return sizeof head + key_bytes;
}

static void *load_from(struct lcl_cache_folder *F, const char *key,
                       size_t *bytes)
{
    const struct place p = place_of(key);
    const int fan = open_fan(F, &p, false);
    if (fan < 0)
        return NULL;
    char *text = read_below(F, fan, p.name, bytes);
    const size_t at = text ? blob_offset(text, *bytes, key) : 0;
    if (text && at == 0) {
        lcl_debug(&F->log,
                  "cache: %s %s/%s/%s, which is damaged or has another key",
                  F->shared ? "ignored" : "deleted", F->path, p.fan, p.name);
        if (!F->shared)
            unlinkat(fan, p.name, 0);
        lcl_free(text);
        text = NULL;
    }
    close(fan);
    if (!text)
        return NULL;
    *bytes -= at;
    memmove(text, text + at, *bytes);
    return text;
}

void *lcl_cache_load(struct lcl_cache *cache, const char *key, size_t *bytes)
{
    void *blob = load_from(&cache->store, key, bytes);
    cache->from_store = blob != NULL;
    return blob ? blob : load_from(&cache->own, key, bytes);
}

// ------------------------------------------------------------------- storing

static bool write_all(int fd, const void *data, size_t bytes)
{
    for (const char *p = data; bytes > 0;) {
        const ssize_t n = write(fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

struct old_file {
    char path[NAME_MAX + 4]; // fan/name
    time_t time;
};

// Sums the file sizes of one fan-out folder and records the oldest file.
static uint64_t measure(int top, const char *fan, struct old_file *oldest)
{
    uint64_t sum = 0;
    const int fd =
        openat(top, fan, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        struct stat info;
        if (fstatat(fd, e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        sum += (uint64_t)info.st_size;
        if (!*oldest->path || info.st_mtime < oldest->time) {
            oldest->time = info.st_mtime;
            snprintf(oldest->path, sizeof oldest->path, "%s/%s", fan,
                     e->d_name);
        }
    }
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    return sum;
}

static void keep_below_limit(struct lcl_cache *cache)
{
    const int top = open_top(&cache->own, false);
    while (top >= 0) {
        struct old_file oldest = {.path = ""};
        uint64_t sum = 0;
        for (unsigned i = 0; i < 256; ++i) {
            char fan[3];
            snprintf(fan, sizeof fan, "%02x", i);
            sum += measure(top, fan, &oldest);
        }
        if (sum <= cache->max_bytes || unlinkat(top, oldest.path, 0) != 0)
            break;
    }
    if (top >= 0)
        close(top);
}

// Creates a temporary file next to the file that it will replace.
static int create_temporary(int fan, const char *name, char temp[64])
{
    int fd = -1;
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < TEMPORARY; ++i) {
        snprintf(temp, 64, "%s.%ld-%d", name, (long)getpid(), i);
        fd = openat(fan, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    return fd;
}

static bool write_file(int fd, const char *key, const void *blob, size_t bytes)
{
    struct header head = blank;
    head.key_bytes = strlen(key);
    head.blob_bytes = bytes;
    head.crc = crc_of(key, blob, bytes);
    const bool written = write_all(fd, &head, sizeof head) &&
                         write_all(fd, key, head.key_bytes) &&
                         write_all(fd, blob, bytes);
    return close(fd) == 0 && written;
}

void lcl_cache_store(struct lcl_cache *cache, const char *key, const void *blob,
                     size_t bytes)
{
    char temp[64];
    const struct place p = place_of(key);
    const int fan = open_fan(&cache->own, &p, true);
    if (fan < 0)
        return;
    const int fd = create_temporary(fan, p.name, temp);
    const bool stored = fd >= 0 && write_file(fd, key, blob, bytes) &&
                        renameat(fan, temp, fan, p.name) == 0;
    if (!stored) {
        warn_errno(&cache->own, "written", errno);
        if (fd >= 0)
            unlinkat(fan, temp, 0);
    }
    close(fan);
    if (stored)
        keep_below_limit(cache);
}

bool lcl_cache_drop(struct lcl_cache *cache, const char *key)
{
    const struct place p = place_of(key);
    if (cache->from_store) {
        forget(&cache->store);
        cache->from_store = false;
        return true;
    }
    const int fan = open_fan(&cache->own, &p, false);
    if (fan < 0)
        return false;
    unlinkat(fan, p.name, 0);
    close(fan);
    return false;
}
