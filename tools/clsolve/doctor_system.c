// SPDX-License-Identifier: BSD-3-Clause
// clsolve doctor: the ICD files of the drivers, the folder of the cache.
#define _GNU_SOURCE // RTLD_NODELETE

#include "tools/clsolve/doctor.h"

#include <levelcl/context.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char install[] =
    "install the OpenCL driver of your GPU, or PoCL to solve on the CPU "
    "(Debian: apt-get install pocl-opencl-icd)";

// ---------------------------------------------------------------- drivers

// The first line of an ICD file: the library of the driver.
static bool read_library(char library[PATH_MAX], const char *path)
{
    FILE *file = fopen(path, "r");
    const bool read = file && fgets(library, PATH_MAX, file);
    if (file)
        fclose(file);
    if (read)
        library[strcspn(library, "\r\n")] = '\0';
    return read && *library;
}

static void check_icd(struct doctor *doctor, const char *path)
{
    char library[PATH_MAX];
    if (!read_library(library, path)) {
        doctor_add(doctor, "driver", "install the driver again",
                   "%s names no library", path);
        return;
    }
    // LLVM in a driver cannot be loaded a second time.
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        doctor_add(doctor, "driver",
                   "install the driver again, or remove the ICD file if the "
                   "driver is not wanted",
                   "%s: %s", path, dlerror());
    else
        doctor_add(doctor, "driver", NULL, "%s: %s", path, library);
    if (handle)
        dlclose(handle);
}

static bool is_icd(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

// Returns the number of ICD files.
static int check_folder(struct doctor *doctor, const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[PATH_MAX];
        if (!is_icd(e->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        check_icd(doctor, path);
        ++count;
    }
    if (dir)
        closedir(dir);
    return count;
}

// The variable names a folder or, for some loaders, one ICD file.
void doctor_drivers(struct doctor *doctor)
{
    const char *variable = getenv("OCL_ICD_VENDORS");
    const bool given = variable && *variable;
    const char *place = given ? variable : "/etc/OpenCL/vendors";
    if (given && is_icd(place)) {
        check_icd(doctor, place);
        return;
    }
    if (check_folder(doctor, place) == 0)
        doctor_add(doctor, "driver", install, "no ICD file in %s%s", place,
                   given ? ", where OCL_ICD_VENDORS points" : "");
}

// ---------------------------------------------------------------- causes

static void check_limit(struct doctor *doctor)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        doctor_add(doctor, "limit", "raise it with ulimit -v",
                   "the address space is limited to %.0f MB, drivers need "
                   "more than a GB",
                   1e-6 * (double)limit.rlim_cur);
}

// Drivers, among them PoCL, start with a folder of their own there.
static void check_home(struct doctor *doctor)
{
    static const char to_do[] =
        "set HOME or XDG_CACHE_HOME to a folder that you can write to";
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *place = cache && *cache ? cache : home;
    struct stat info;
    if (!place || !*place)
        doctor_add(doctor, "home", to_do, "HOME is not set");
    else if (stat(place, &info) != 0)
        doctor_add(doctor, "home", to_do, "%s: %s", place, strerror(errno));
    else if (access(place, W_OK | X_OK) != 0)
        doctor_add(doctor, "home", to_do, "%s is not writable", place);
}

// Before a device is used: some drivers end the process then.
void doctor_path(struct doctor *doctor)
{
    const char *path = getenv("PATH");
    if (!path || !*path)
        doctor_add(
            doctor, "path", "set PATH, as in PATH=/usr/bin:/bin",
            "PATH is not set: PoCL finds no linker and ends the process");
}

void doctor_causes(struct doctor *doctor)
{
    check_limit(doctor);
    check_home(doctor);
}

// ---------------------------------------------------------------- cache

// Files and bytes in a folder and the folders in it.
struct size {
    int64_t files, bytes;
};

static void measure(struct size *size, const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[PATH_MAX];
        struct stat info;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (lstat(path, &info) != 0)
            continue;
        if (S_ISREG(info.st_mode)) {
            ++size->files;
            size->bytes += (int64_t)info.st_size;
        } else if (S_ISDIR(info.st_mode) && depth > 0) {
            measure(size, path, depth - 1);
        }
    }
    if (dir)
        closedir(dir);
}

// A folder that does not exist yet is created in the nearest one that does.
static void check_parent(struct doctor *doctor, const char *folder)
{
    char parent[PATH_MAX];
    struct stat info;
    snprintf(parent, sizeof parent, "%s", folder);
    for (char *slash; (slash = strrchr(parent, '/')) && slash > parent;) {
        *slash = '\0';
        if (stat(parent, &info) == 0)
            break;
    }
    const bool writable = access(parent, W_OK) == 0;
    doctor_add(doctor, "cache",
               writable ? NULL
                        : "set LEVELCL_CACHE_DIR to a folder that you can "
                          "write to",
               "%s does not exist yet; %s is %swritable", folder, parent,
               writable ? "" : "not ");
}

static const char *fault_of(const char *folder, const struct stat *info)
{
    return !S_ISDIR(info->st_mode)
               ? "remove the file, or set LEVELCL_CACHE_DIR to a folder"
           : info->st_uid != geteuid()
               ? "set LEVELCL_CACHE_DIR to a folder of your own"
           : info->st_mode & (S_IWGRP | S_IWOTH)
               ? "take the right to write from others: chmod go-w"
           : access(folder, W_OK) != 0
               ? "give yourself the right to write: chmod u+w"
               : NULL;
}

// A folder that exists.
static void add_folder(struct doctor *doctor, const char *check,
                       const char *folder, const struct stat *info,
                       const char *to_do)
{
    struct size size = {0};
    const struct passwd *owner = getpwuid(info->st_uid);
    measure(&size, folder, 1);
    doctor_add(doctor, check, to_do,
               "%s: owner %s, mode %03o, %.2f MB in %lld files, %swritable",
               folder, owner ? owner->pw_name : "unknown",
               (unsigned)info->st_mode & 0777, 1e-6 * (double)size.bytes,
               (long long)size.files, access(folder, W_OK) == 0 ? "" : "not ");
}

void doctor_cache(struct doctor *doctor)
{
    char folder[PATH_MAX];
    struct stat info;
    const size_t length = lcl_cache_folder(folder, sizeof folder);
    if (length == 0 || length >= sizeof folder) {
        const char *home = getenv("HOME");
        const bool given = home && *home;
        doctor_add(doctor, "cache", "set LEVELCL_CACHE_DIR, or HOME",
                   "there is no folder for compiled kernels: HOME%s%s%s",
                   given ? "=" : "", given ? home : "",
                   given ? " is no folder" : " is not set");
        return;
    }
    if (stat(folder, &info) != 0) {
        check_parent(doctor, folder);
        return;
    }
    add_folder(doctor, "cache", folder, &info, fault_of(folder, &info));
}

static const char *store_fault_of(const struct stat *info)
{
    return !S_ISDIR(info->st_mode) ? "remove the file"
           : info->st_uid != 0 && info->st_uid != geteuid()
               ? "give it to root: chown -R root"
           : info->st_mode & (S_IWGRP | S_IWOTH)
               ? "take the right to write from others: chmod go-w"
               : NULL;
}

// Most installations have none.
void doctor_store(struct doctor *doctor)
{
    char folder[PATH_MAX];
    struct stat info;
    const size_t length = lcl_store_folder(folder, sizeof folder);
    if (length > 0 && length < sizeof folder && stat(folder, &info) == 0)
        add_folder(doctor, "store", folder, &info, store_fault_of(&info));
}
