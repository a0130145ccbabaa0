// SPDX-License-Identifier: BSD-3-Clause
// Writing dense matrices as Matrix Market arrays.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/number.h"
#include "lib/io/stream.h"

#include <levelcl/matrix.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX = 48, TRIES = 100 };

// A file under a temporary name beside the final one.
struct draft {
    char *name;
    FILE *file;
};

// Renaming onto a device or a FIFO would replace it.
static enum lcl_status check_target(const char *path, const struct lcl_log *log)
{
    struct stat info;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
        return LCL_OK;
    return lcl_fail(log, LCL_EIO, "%s: cannot write: it is not a regular file",
                    path);
}

// Not mkstemp(), which would leave the result readable by its owner alone.
static int open_exclusive(char *name, size_t size, const char *path)
{
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; ++i) {
        snprintf(name, size, "%s.%ld.%d.tmp", path, (long)getpid(), i);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static enum lcl_status draft_open(struct draft *d, const char *path,
                                  const struct lcl_log *log)
{
    const size_t size = strlen(path) + SUFFIX;
    d->name = lcl_malloc(size, 1);
    if (!d->name)
        return lcl_fail_memory(log, "a file name");
    const int fd = open_exclusive(d->name, size, path);
    if (fd < 0)
        return lcl_fail_errno(log, path, "write");
    d->file = fdopen(fd, "w");
    if (d->file)
        return LCL_OK;
    close(fd);
    unlink(d->name);
    return lcl_fail_memory(log, "a file buffer");
}

// Gives the file its final name, or removes it where `st` or writing failed.
static enum lcl_status draft_close(struct draft *d, enum lcl_status st,
                                   const char *path, const struct lcl_log *log)
{
    if (st == LCL_OK && fflush(d->file) != 0)
        st = lcl_fail_errno(log, path, "write");
    if (fclose(d->file) != 0 && st == LCL_OK)
        st = lcl_fail_errno(log, path, "write");
    if (st == LCL_OK && rename(d->name, path) != 0)
        st = lcl_fail_errno(log, path, "write");
    if (st < 0)
        unlink(d->name);
    return st;
}

static enum lcl_status write_array(FILE *file, const struct lcl_dense *X,
                                   const char *path, const struct lcl_log *log)
{
    bool ok = fprintf(file,
                      "%%%%MatrixMarket matrix array real general\n"
                      "%" PRId64 " %" PRId64 "\n",
                      X->rows, X->cols) > 0;
    for (int64_t k = 0; ok && k < X->rows * X->cols; ++k)
        ok = fprintf(file, "%.17g\n", X->val[k]) > 0;
    return ok ? LCL_OK : lcl_fail_errno(log, path, "write");
}

enum lcl_status lcl_dense_write(const struct lcl_dense *X, const char *path,
                                const struct lcl_log *log)
{
    if (!X || !X->val || !path)
        return lcl_misuse(log, "a file to write: X or path is NULL");
    enum lcl_status st = check_target(path, log);
    if (st < 0)
        return st;
    struct draft draft = {0};
    struct lcl_c_locale locale;
    if (!lcl_c_locale_enter(&locale))
        return lcl_fail_memory(log, "a locale");
    if ((st = draft_open(&draft, path, log)) == LCL_OK) {
        st = write_array(draft.file, X, path, log);
        st = draft_close(&draft, st, path, log);
    }
    lcl_free(draft.name);
    lcl_c_locale_leave(&locale);
    return st;
}
