// SPDX-License-Identifier: BSD-3-Clause
// A temporary folder with files.
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>

void lcl_test_folder_create(struct lcl_test_folder *folder)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/levelcl-XXXXXX",
             parent && strlen(parent) < LCL_TEST_PATH / 4 ? parent : "/tmp");
    assert_non_null(mkdtemp(folder->path));
}

// Visits the contents of `path`, each folder after its contents. Returns the
// number of files.
static int walk(const char *path,
                void (*visit)(void *user, const char *path, bool folder),
                void *user)
{
    int files = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char below[LCL_TEST_PATH];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const int n =
            snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        assert_in_range(n, 1, LCL_TEST_PATH - 1);
        struct stat info;
        assert_int_equal(lstat(below, &info), 0);
        const bool folder = S_ISDIR(info.st_mode);
        files += folder ? walk(below, visit, user) : 1;
        if (visit)
            visit(user, below, folder);
    }
    if (dir)
        closedir(dir);
    return files;
}

static void remove_entry(void *user, const char *path, bool folder)
{
    (void)user, (void)folder;
    assert_int_equal(remove(path), 0);
}

void lcl_test_folder_remove(struct lcl_test_folder *folder)
{
    walk(folder->path, remove_entry, NULL);
    assert_int_equal(rmdir(folder->path), 0);
}

int lcl_test_folder_count(const struct lcl_test_folder *folder)
{
    return walk(folder->path, NULL, NULL);
}

static void list_entry(void *user, const char *path, bool folder)
{
    struct lcl_test_list *list = user;
    if (folder)
        return;
    assert_true(list->count < LCL_TEST_FILES);
    memcpy(list->path[list->count++], path, strlen(path) + 1);
}

void lcl_test_folder_list(struct lcl_test_list *list,
                          const struct lcl_test_folder *folder)
{
    list->count = 0;
    walk(folder->path, list_entry, list);
}

void lcl_test_path(char path[LCL_TEST_PATH],
                   const struct lcl_test_folder *folder, const char *name)
{
    const int n = snprintf(path, LCL_TEST_PATH, "%s/%s", folder->path, name);
    assert_in_range(n, 1, LCL_TEST_PATH - 1);
}

void lcl_test_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void *lcl_test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

void *lcl_test_gzip(const char *text, size_t *size)
{
    z_stream z = {.next_in = (Bytef *)text, .avail_in = (uInt)strlen(text)};
    assert_int_equal(
        deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
        Z_OK);
    const size_t room = deflateBound(&z, z.avail_in) + 64;
    void *bytes = malloc(room);
    assert_non_null(bytes);
    z.next_out = bytes;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *size = z.total_out;
    deflateEnd(&z);
    return bytes;
}

void *lcl_test_xz(const char *text, size_t *size)
{
    const size_t length = strlen(text);
    const size_t room = lzma_stream_buffer_bound(length);
    unsigned char *bytes = malloc(room);
    assert_non_null(bytes);
    *size = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL,
                                             (const uint8_t *)text, length,
                                             bytes, size, room),
                     LZMA_OK);
    return bytes;
}

struct lcl_test_folder test_folder;

int test_folder_setup(void **state)
{
    (void)state;
    lcl_test_folder_create(&test_folder);
    return 0;
}

int test_folder_teardown(void **state)
{
    (void)state;
    lcl_test_folder_remove(&test_folder);
    return 0;
}
