// SPDX-License-Identifier: BSD-3-Clause
// Disk cache of small blobs under a text key.
#include "host/cache.h"

#include "host/alloc.h"
#include "host/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_BYTES = 256 << 20, PATH_BYTES = 4096 };

// A file is this header, the key and the blob. The hash in its name only finds
// it; the key text decides.
struct header {
    char magic[8];
    uint32_t format;
    uint32_t crc; // of key and blob
    uint64_t key_bytes;
    uint64_t blob_bytes;
};
static const struct header blank = {.magic = "levelcl", .format = 1};

enum lcl_status lcl_cache_init(struct lcl_cache *cache, const char *dir,
                               bool off, const struct lcl_log *log)
{
    *cache = (struct lcl_cache){.max_bytes = MAX_BYTES};
    if (log)
        cache->log = *log;
    if (off)
        return LCL_OK;
    const char *const base[] = {dir, getenv("LEVELCL_CACHE_DIR"),
                                getenv("XDG_CACHE_HOME"), getenv("HOME")};
    const char *const below[] = {"", "", "/levelcl", "/.cache/levelcl"};
    for (int i = 0; i < 4; ++i) {
        if (!base[i] || !*base[i])
            continue;
        const size_t bytes = strlen(base[i]) + strlen(below[i]) + 1;
        cache->dir = lcl_malloc(bytes, 1);
        if (!cache->dir)
            return lcl_fail_memory(log, "the cache folder's name");
        snprintf(cache->dir, bytes, "%s%s", base[i], below[i]);
        break;
    }
    return LCL_OK;
}

void lcl_cache_finish(struct lcl_cache *cache)
{
    lcl_free(cache->dir);
    *cache = (struct lcl_cache){0};
}

// FNV-1a
static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; ++text)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static bool path_of(char *path, const struct lcl_cache *cache, const char *key)
{
    const uint64_t h = hash(key);
    const int n = snprintf(path, PATH_BYTES, "%s/%02x/%014llx", cache->dir,
                           (unsigned)(h >> 56),
                           (unsigned long long)(h & 0xffffffffffffffu));
    return n > 0 && n < PATH_BYTES;
}

static uint32_t crc_of(const char *key, const void *blob, size_t bytes)
{
    uLong crc = crc32_z(0, (const Bytef *)key, strlen(key));
    return (uint32_t)crc32_z(crc, blob, bytes);
}

static void *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    char *text = NULL;
    if (!file)
        return NULL;
    if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size <= MAX_BYTES) {
        *bytes = (size_t)info.st_size;
        text = lcl_malloc(*bytes, 1);
        if (text && fread(text, 1, *bytes, file) != *bytes) {
            lcl_free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

// Where the blob starts in a sound file of `bytes` bytes; 0 if it is not sound.
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

void *lcl_cache_load(const struct lcl_cache *cache, const char *key,
                     size_t *bytes)
{
    char path[PATH_BYTES];
    if (!cache->dir || !path_of(path, cache, key))
        return NULL;
    char *text = read_file(path, bytes);
    if (!text)
        return NULL;
    const size_t at = blob_offset(text, *bytes, key);
    if (at == 0) {
        lcl_debug(&cache->log, "cache: %s is damaged or foreign, deleted",
                  path);
        unlink(path);
        lcl_free(text);
        return NULL;
    }
    *bytes -= at;
    memmove(text, text + at, *bytes);
    return text;
}

// Creates every folder of `path` up to its last slash.
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

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
    char path[PATH_BYTES];
    time_t time;
};

// Adds up the files of one fan-out folder and remembers the oldest.
static uint64_t measure(const char *dir, struct old_file *oldest)
{
    uint64_t sum = 0;
    DIR *folder = opendir(dir);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char path[PATH_BYTES];
        struct stat info;
        const int n = snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (n >= PATH_BYTES || lstat(path, &info) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        sum += (uint64_t)info.st_size;
        if (!*oldest->path || info.st_mtime < oldest->time) {
            oldest->time = info.st_mtime;
            memcpy(oldest->path, path, sizeof path);
        }
    }
    if (folder)
        closedir(folder);
    return sum;
}

static void keep_below_limit(const struct lcl_cache *cache)
{
    for (;;) {
        struct old_file oldest = {.path = ""};
        uint64_t sum = 0;
        for (unsigned i = 0; i < 256; ++i) {
            char dir[PATH_BYTES];
            if (snprintf(dir, sizeof dir, "%s/%02x", cache->dir, i) <
                PATH_BYTES)
                sum += measure(dir, &oldest);
        }
        if (sum <= cache->max_bytes || unlink(oldest.path) != 0)
            return;
    }
}

void lcl_cache_store(const struct lcl_cache *cache, const char *key,
                     const void *blob, size_t bytes)
{
    char path[PATH_BYTES], temp[PATH_BYTES + 8];
    if (!cache->dir || !path_of(path, cache, key))
        return;
    make_folders(path);
    snprintf(temp, sizeof temp, "%s.XXXXXX", path);
    const int fd = mkstemp(temp);
    if (fd < 0) {
        lcl_debug(&cache->log, "cache: %s cannot be written", cache->dir);
        return;
    }
    struct header head = blank;
    head.key_bytes = strlen(key);
    head.blob_bytes = bytes;
    head.crc = crc_of(key, blob, bytes);
    const bool written = write_all(fd, &head, sizeof head) &&
                         write_all(fd, key, head.key_bytes) &&
                         write_all(fd, blob, bytes);
    if (close(fd) != 0 || !written || rename(temp, path) != 0)
        unlink(temp);
    else
        keep_below_limit(cache);
}

void lcl_cache_drop(const struct lcl_cache *cache, const char *key)
{
    char path[PATH_BYTES];
    if (cache->dir && path_of(path, cache, key))
        unlink(path);
}
