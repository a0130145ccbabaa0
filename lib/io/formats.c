// SPDX-License-Identifier: BSD-3-Clause
// Recognises formats of files by their first bytes.
#include "lib/io/formats.h"

#include <string.h>
#include <strings.h>

// The characters of a type in the third line of a Rutherford-Boeing file.
enum { TYPE_LINE = 2, TYPE_BYTES = 3, TAR_MAGIC = 257 };

static bool starts_with(const char *bytes, size_t size, const char *magic,
                        size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

bool lcl_is_npy(const char *bytes, size_t size)
{
    return starts_with(bytes, size, "\x93NUMPY", 6);
}

bool lcl_is_tar(const char *bytes, size_t size)
{
    return size > TAR_MAGIC &&
           starts_with(bytes + TAR_MAGIC, size - TAR_MAGIC, "ustar", 5);
}

// The begin of the line after `line` others; NULL: it is not there.
static const char *find_line(const char *bytes, size_t size, int line)
{
    const char *end = bytes + size;
    for (; bytes && line > 0; --line) {
        bytes = memchr(bytes, '\n', (size_t)(end - bytes));
        bytes = bytes ? bytes + 1 : NULL;
    }
    return bytes;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

bool lcl_is_rutherford_boeing(const char *bytes, size_t size)
{
    const char *type = find_line(bytes, size, TYPE_LINE);
    return !starts_with(bytes, size, "%", 1) && type &&
           bytes + size - type > TYPE_BYTES &&
           is_one_of(type[0], "rcipqRCIPQ") &&
           is_one_of(type[1], "suhzrSUHZR") && is_one_of(type[2], "aeAE") &&
           type[3] == ' ';
}

// A line after % that is no banner, not even a misspelt one.
static bool is_comment(const char *bytes, size_t size)
{
    static const char banner[] = "MatrixMarket";
    size_t at = 0;
    while (at < size && is_one_of(bytes[at], "% \t"))
        ++at;
    return size > 1 && bytes[1] != '%' &&
           !(size - at >= strlen(banner) &&
             strncasecmp(bytes + at, banner, strlen(banner)) == 0);
}

bool lcl_is_columns(const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && is_one_of(bytes[at], " \t\r\n"))
        ++at;
    if (at == size || bytes[at] == '#')
        return at < size;
    if (bytes[at] == '%')
        return is_comment(bytes + at, size - at);
    return is_one_of(bytes[at], "0123456789+-.");
}

const char *lcl_foreign_format(const char *bytes, size_t size)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *what;
    } foreign[] = {
        {"MATLAB 7.3", 10,
         "a MATLAB file of version 7.3: save() it with -v7, or write a Matrix "
         "Market file by mmwrite()"},
        {"MATLAB", 6, "a MATLAB file: write a Matrix Market file by mmwrite()"},
        {"\x89HDF\r\n\x1a\n", 8,
         "an HDF5 file: write a Matrix Market or a PETSc binary file"},
        {"7z\xbc\xaf\x27\x1c", 6, "a 7-Zip archive: 7z x unpacks it"},
        {"SIMPLE  =", 9, "a FITS file"},
        {"CDF", 3, "a NetCDF file"},
        {"%PDF", 4, "a PDF file"},
        {"\x7f"
         "ELF",
         4, "a program"},
        {"<", 1, "a page of HTML or XML, perhaps of a download that failed"},
        {"{", 1, "a JSON file"},
        {"version https://git-lfs", 23,
         "a pointer of Git LFS: git lfs pull fetches the file"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i)
        if (starts_with(bytes, size, foreign[i].magic, foreign[i].length))
            return foreign[i].what;
    return NULL;
}
