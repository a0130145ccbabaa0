// SPDX-License-Identifier: BSD-3-Clause
// Writes matrices and vectors: to standard streams, or to files, which never
// are partial.
#define _XOPEN_SOURCE 700 // realpath()

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"
#include "lib/io/petsc.h"
#include "lib/matrix/pairs.h"

#include <levelcl/matrix.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX = 48, TRIES = 100 };

// ------------------------------------------------------------------- target

// The file that a path refers to.
struct target {
    char path[PATH_MAX]; // without symbolic links
    bool exists;
    struct stat info; // if it exists
};

static enum lcl_status refuse(const char *path, const char *why,
                              const struct lcl_log *log)
{
    return lcl_fail(log, LCL_EIO, "%s: cannot write: %s", path, why);
}

static enum lcl_status find_new(struct target *T, const char *path,
                                const struct lcl_log *log)
{
    if (lstat(path, &T->info) == 0)
        return refuse(path, "it is a symbolic link to a missing file", log);
    if (strlen(path) >= sizeof T->path)
        return refuse(path, "its name is too long", log);
    strcpy(T->path, path);
    return LCL_OK;
}

// Renaming would replace a symbolic link, a device or a FIFO: follows links and
// refuses the others.
static enum lcl_status find_target(struct target *T, const char *path,
                                   const struct lcl_log *log)
{
    T->exists = realpath(path, T->path) && stat(T->path, &T->info) == 0;
    if (!T->exists && errno == ENOENT)
        return find_new(T, path, log);
    if (T->exists && !S_ISREG(T->info.st_mode))
        return refuse(path, "it is not a regular file", log);
    if (!T->exists || faccessat(AT_FDCWD, T->path, W_OK, AT_EACCESS) != 0)
        return lcl_fail_errno(log, path, "write");
    return LCL_OK;
}

// ------------------------------------------------------------------- draft

// A file under a temporary name in the folder of the final one.
struct draft {
    char *name;
    FILE *file;
};

// Not mkstemp(): its file would be readable by the owner only.
static int open_exclusive(char *name, size_t size, const struct target *T)
{
    const mode_t mode = T->exists ? T->info.st_mode & 0777 : 0666;
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; ++i) {
        snprintf(name, size, "%s.%ld.%d.tmp", T->path, (long)getpid(), i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

// Copies the mode of the file to be replaced; owner and group if the process
// may change them.
static bool keep_rights(int fd, const struct target *T)
{
    if (!T->exists)
        return true;
    if (fchown(fd, T->info.st_uid, T->info.st_gid) != 0 &&
        fchown(fd, (uid_t)-1, T->info.st_gid) != 0)
        errno = 0;
    return fchmod(fd, T->info.st_mode & 0777) == 0;
}

static enum lcl_status draft_open(struct draft *d, const struct target *T,
                                  const char *path, const struct lcl_log *log)
{
    const size_t size = strlen(T->path) + SUFFIX;
    d->name = lcl_malloc(size, 1);
    if (!d->name)
        return lcl_fail_memory(log, "a file name");
    const int fd = open_exclusive(d->name, size, T);
    if (fd < 0)
        return lcl_fail_errno(log, path, "write");
    enum lcl_status st = LCL_OK;
    if (!keep_rights(fd, T))
        st = lcl_fail_errno(log, path, "write");
    else if (!(d->file = fdopen(fd, "w")))
        st = lcl_fail_memory(log, "a file buffer");
    if (st == LCL_OK)
        return LCL_OK;
    close(fd);
    unlink(d->name);
    return st;
}

static enum lcl_status draft_close(struct draft *d, const struct target *T,
                                   enum lcl_status st, const char *path,
                                   const struct lcl_log *log)
{
    if (st == LCL_OK && fflush(d->file) != 0)
        st = lcl_fail_errno(log, path, "write");
    if (fclose(d->file) != 0 && st == LCL_OK)
        st = lcl_fail_errno(log, path, "write");
    if (st == LCL_OK && rename(d->name, T->path) != 0)
        st = lcl_fail_errno(log, path, "write");
    if (st < 0)
        unlink(d->name);
    return st;
}

// ------------------------------------------------------------------- write

// Writes an object to a sink. Need not report failures of the sink.
typedef enum lcl_status format_fn(lcl_sink *sink, const void *object);

static enum lcl_status write_open(FILE *file, const char *path,
                                  format_fn *format, const void *object,
                                  const struct lcl_log *log)
{
    lcl_sink *sink;
    enum lcl_status st = lcl_sink_open(&sink, file, path, log);
    if (st == LCL_OK)
        st = format(sink, object);
    return lcl_sink_close(&sink, st);
}

static enum lcl_status write_file(const char *path, format_fn *format,
                                  const void *object, const struct lcl_log *log)
{
    struct target target;
    struct draft draft = {0};
    enum lcl_status st = find_target(&target, path, log);
    if (st == LCL_OK &&
        (st = draft_open(&draft, &target, path, log)) == LCL_OK) {
        st = write_open(draft.file, path, format, object, log);
        st = draft_close(&draft, &target, st, path, log);
    }
    lcl_free(draft.name);
    return st;
}

// The descriptor of the standard stream that a path names, or -1.
static int standard_descriptor(const char *path)
{
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    return strcmp(path, "/dev/stderr") == 0 ? STDERR_FILENO : -1;
}

// Uses its own stream: after a failure stdout would keep the rest.
static enum lcl_status write_stream(int descriptor, format_fn *format,
                                    const void *object,
                                    const struct lcl_log *log)
{
    const bool out = descriptor == STDOUT_FILENO;
    const char *name = out ? "standard output" : "standard error output";
    fflush(out ? stdout : stderr);
    const int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        const enum lcl_status st = lcl_fail_errno(log, name, "write");
        if (fd >= 0)
            close(fd);
        return st;
    }
    enum lcl_status st = write_open(file, name, format, object, log);
    if (fclose(file) != 0 && st == LCL_OK)
        st = lcl_fail_errno(log, name, "write");
    return st;
}

static enum lcl_status write_path(const char *path, format_fn *format,
                                  const void *object, const struct lcl_log *log)
{
    if (strcmp(path, "/dev/null") == 0)
        return LCL_OK;
    struct lcl_c_locale locale;
    if (!lcl_c_locale_enter(&locale))
        return lcl_fail_memory(log, "a locale");
    const int descriptor = standard_descriptor(path);
    const enum lcl_status st =
        descriptor >= 0 ? write_stream(descriptor, format, object, log)
                        : write_file(path, format, object, log);
    lcl_c_locale_leave(&locale);
    return st;
}

static bool is_petsc(const char *path)
{
    return lcl_path_has(path, ".petsc");
}

enum lcl_status lcl_csr_write(const struct lcl_csr *A, const char *path,
                              const struct lcl_log *log)
{
    if (!A || !A->row_ptr || (A->nnz > 0 && (!A->col_ind || !A->val)) || !path)
        return lcl_misuse(log, "lcl_csr_write: an argument is NULL");
    return write_path(
        path, is_petsc(path) ? lcl_petsc_write_csr : lcl_mm_write_csr, A, log);
}

enum lcl_status lcl_dense_write(const struct lcl_dense *X, const char *path,
                                const struct lcl_log *log)
{
    if (!X || !X->val || !path)
        return lcl_misuse(log, "lcl_dense_write: an argument is NULL");
    return write_path(
        path, is_petsc(path) ? lcl_petsc_write_dense : lcl_mm_write_dense, X,
        log);
}

enum lcl_status lcl_csr_write_complex(const struct lcl_csr *A, const char *path,
                                      const struct lcl_log *log)
{
    enum lcl_status st = LCL_OK;
    if (!path)
        return lcl_misuse(log, "lcl_csr_write_complex: an argument is NULL");
    if ((st = lcl_csr_check(A, log)) < 0 ||
        (st = lcl_csr_check_pairs(A, log)) < 0)
        return st;
    return write_path(
        path, is_petsc(path) ? lcl_petsc_write_csr : lcl_mm_write_csr_pairs, A,
        log);
}

enum lcl_status lcl_dense_write_complex(const struct lcl_dense *X,
                                        const char *path,
                                        const struct lcl_log *log)
{
    if (!X || !X->val || !path)
        return lcl_misuse(log, "lcl_dense_write_complex: an argument is NULL");
    if (X->rows % 2 != 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "complex columns of %lld numbers, expected pairs",
                        (long long)X->rows);
    return write_path(
        path, is_petsc(path) ? lcl_petsc_write_dense : lcl_mm_write_dense_pairs,
        X, log);
}
