// SPDX-License-Identifier: BSD-3-Clause
// Folders of compiled kernels.
#include "tools/clsolve/folder.h"

#include <levelcl/context.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 6 }; // of PoCL's folder: AB/CDEF.../kernel/1-1-1/kernel.so

bool folder_is_of_driver(const char *folder, const char *dir)
{
    char own[FOLDER_BYTES];
    if (dir)
        return strcmp(folder, dir) != 0;
    const size_t length = lcl_cache_folder(own, sizeof own);
    return length == 0 || strcmp(folder, own) != 0;
}

// A file or folder; returns 0, or errno to end the walk.
typedef int visit_fn(void *user, const char *path, const struct stat *info);

static int walk(const char *path, int depth, visit_fn *visit, void *user)
{
    DIR *dir = opendir(path);
    int code = dir ? 0 : errno;
    for (struct dirent *e; !code && (e = readdir(dir));) {
        char below[PATH_MAX];
        struct stat info;
        const int length =
            snprintf(below, sizeof below, "%s/%s", path, e->d_name);
        // another process may remove a temporary file
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            length >= (int)sizeof below || lstat(below, &info) != 0)
            continue;
        code = visit(user, below, &info);
        if (!code && S_ISDIR(info.st_mode) && depth > 1)
            code = walk(below, depth - 1, visit, user);
    }
    if (dir)
        closedir(dir);
    return code;
}

// ---------------------------------------------------------------- new kernels

struct count {
    double since; // seconds of CLOCK_REALTIME
    int64_t kernels;
};

static double seconds_of(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

static int count_kernel(void *user, const char *path, const struct stat *info)
{
    struct count *C = user;
    const char *dot = strrchr(path, '.');
    C->kernels += S_ISREG(info->st_mode) && dot && strcmp(dot, ".so") == 0 &&
                  seconds_of(&info->st_mtim) > C->since;
    return 0;
}

int64_t folder_new_kernels(const char *folder, double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct count C = {.since = seconds_of(&now) - seconds};
    (void)walk(folder, DEPTH, count_kernel, &C);
    return C.kernels;
}

// ---------------------------------------------------------------- sharing

// Whatever the mask of file modes is.
static int make(const char *path)
{
    if (mkdir(path, 0755) != 0)
        return errno == EEXIST ? 0 : errno;
    return chmod(path, 0755) == 0 ? 0 : errno;
}

int folder_make_shared(const char *path)
{
    char part[PATH_MAX];
    int code = 0;
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return ENAMETOOLONG;
    for (char *slash = part; !code && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        code = make(part);
        *slash = '/';
    }
    if (!code)
        code = make(part);
    return code ? code : access(path, R_OK | W_OK | X_OK) == 0 ? 0 : errno;
}

static int share(void *user, const char *path, const struct stat *info)
{
    const mode_t mode = S_ISDIR(info->st_mode) ? 0755 : 0644;
    (void)user;
    if ((!S_ISDIR(info->st_mode) && !S_ISREG(info->st_mode)) ||
        chmod(path, mode) == 0 || errno == ENOENT)
        return 0;
    return errno;
}

int folder_share(const char *path)
{
    const int code = chmod(path, 0755) == 0 ? 0 : errno;
    return code ? code : walk(path, 2, share, NULL);
}
