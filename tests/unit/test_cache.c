// SPDX-License-Identifier: BSD-3-Clause
// The disk cache: it gives back what was stored, or nothing.
#include "host/cache.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define KEY  "a key\nof two lines"
#define BLOB "a blob with \0 inside"

static struct lcl_test_folder folder;
static struct lcl_cache cache;

static int setup(void **state)
{
    (void)state;
    lcl_test_folder_create(&folder);
    assert_int_equal(lcl_cache_init(&cache, folder.path, false, NULL), LCL_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lcl_cache_finish(&cache);
    lcl_test_folder_remove(&folder);
    return 0;
}

static void store(const char *key)
{
    lcl_cache_store(&cache, key, BLOB, sizeof BLOB);
}

static bool is_there(const char *key)
{
    size_t bytes = 0;
    void *blob = lcl_cache_load(&cache, key, &bytes);
    if (blob) {
        assert_int_equal(bytes, sizeof BLOB);
        assert_memory_equal(blob, BLOB, sizeof BLOB);
    }
    free(blob);
    return blob != NULL;
}

// The path of the one file in the folder.
static const char *only_file(void)
{
    static struct lcl_test_list files;
    lcl_test_folder_list(&files, &folder);
    assert_int_equal(files.count, 1);
    return files.path[0];
}

// Puts `bytes` in place of the one file and expects a miss that deletes it.
static void expect_deleted(const void *bytes, size_t size)
{
    lcl_test_write_file(only_file(), bytes, size);
    assert_false(is_there(KEY));
    assert_int_equal(lcl_test_folder_count(&folder), 0);
}

// ------------------------------------------------------------------- contents

static void test_cache__stored_blob_is_loaded(void **state)
{
    (void)state;
    assert_false(is_there(KEY));
    store(KEY);
    assert_true(is_there(KEY));
    assert_true(is_there(KEY));
    assert_false(is_there("another key"));
}

static void test_cache__later_blob_replaces_the_first(void **state)
{
    (void)state;
    lcl_cache_store(&cache, KEY, "old and longer than the other", 20);
    store(KEY);
    assert_true(is_there(KEY));
    only_file();
}

static void test_cache__empty_blob_is_a_blob(void **state)
{
    (void)state;
    size_t bytes = 1;
    lcl_cache_store(&cache, KEY, "", 0);
    void *blob = lcl_cache_load(&cache, KEY, &bytes);
    assert_non_null(blob);
    assert_int_equal(bytes, 0);
    free(blob);
}

static void test_cache__dropped_blob_is_gone(void **state)
{
    (void)state;
    store(KEY);
    lcl_cache_drop(&cache, KEY);
    assert_false(is_there(KEY));
    lcl_cache_drop(&cache, KEY);
}

static void test_cache__truncated_file_is_a_miss_and_is_deleted(void **state)
{
    (void)state;
    size_t size;
    store(KEY);
    char *bytes = lcl_test_read_file(only_file(), &size);
    for (size_t length = 0; length < size; ++length) {
        store(KEY);
        expect_deleted(bytes, length);
    }
    free(bytes);
}

static void test_cache__longer_file_is_a_miss_and_is_deleted(void **state)
{
    (void)state;
    size_t size;
    store(KEY);
    char *bytes = lcl_test_read_file(only_file(), &size);
    char longer[512] = {0};
    memcpy(longer, bytes, size);
    expect_deleted(longer, size + 1);
    free(bytes);
}

// Magic, format, lengths, checksum, key and blob alike.
static void test_cache__any_flipped_byte_is_a_miss_and_is_deleted(void **state)
{
    (void)state;
    size_t size;
    store(KEY);
    char *bytes = lcl_test_read_file(only_file(), &size);
    for (size_t i = 0; i < size; ++i) {
        store(KEY);
        bytes[i] = (char)(bytes[i] ^ 0x10);
        expect_deleted(bytes, size);
        bytes[i] = (char)(bytes[i] ^ 0x10);
    }
    free(bytes);
}

// The file name is a hash, which two keys may share.
static void test_cache__file_of_another_key_is_a_miss_and_is_deleted(
    void **state)
{
    (void)state;
    size_t size;
    store("another key");
    char *bytes = lcl_test_read_file(only_file(), &size);
    lcl_cache_drop(&cache, "another key");
    store(KEY);
    expect_deleted(bytes, size);
    free(bytes);
}

// ------------------------------------------------------------------- folders

static void test_cache__folder_in_place_of_a_file_is_a_miss(void **state)
{
    (void)state;
    store(KEY);
    char path[LCL_TEST_PATH];
    snprintf(path, sizeof path, "%s", only_file());
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(is_there(KEY));
    store(KEY);
    assert_false(is_there(KEY));
    assert_int_equal(lcl_test_folder_count(&folder), 0);
}

static void test_cache__missing_folders_are_made(void **state)
{
    (void)state;
    char deep[LCL_TEST_PATH];
    lcl_test_path(deep, &folder, "not/yet/there");
    lcl_cache_finish(&cache);
    assert_int_equal(lcl_cache_init(&cache, deep, false, NULL), LCL_OK);
    assert_false(is_there(KEY));
    assert_int_equal(access(deep, F_OK), -1);
    store(KEY);
    assert_true(is_there(KEY));
}

// Below a regular file nobody can write, root neither.
static void test_cache__impossible_folder_is_a_miss(void **state)
{
    (void)state;
    char file[LCL_TEST_PATH];
    lcl_test_path(file, &folder, "file");
    lcl_test_write_file(file, "", 0);
    const char *const impossible[] = {file, "/proc/levelcl", "/dev/null"};
    for (int i = 0; i < 3; ++i) {
        lcl_cache_finish(&cache);
        assert_int_equal(lcl_cache_init(&cache, impossible[i], false, NULL),
                         LCL_OK);
        store(KEY);
        assert_false(is_there(KEY));
        lcl_cache_drop(&cache, KEY);
    }
}

static void test_cache__read_only_folder_is_read(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip();
    store(KEY);
    char path[LCL_TEST_PATH];
    snprintf(path, sizeof path, "%s", only_file());
    *strrchr(path, '/') = '\0';
    assert_int_equal(chmod(path, 0500), 0);
    assert_true(is_there(KEY));
    store("another key");
    store(KEY);
    assert_true(is_there(KEY));
    assert_int_equal(chmod(path, 0700), 0);
}

static void test_cache__off_stores_nothing(void **state)
{
    (void)state;
    lcl_cache_finish(&cache);
    assert_int_equal(lcl_cache_init(&cache, folder.path, true, NULL), LCL_OK);
    store(KEY);
    assert_false(is_there(KEY));
    lcl_cache_drop(&cache, KEY);
    assert_int_equal(lcl_test_folder_count(&folder), 0);
}

// ------------------------------------------------------------------- limit

// As if the file had been written `seconds` after the epoch.
static void store_at(const char *key, time_t seconds)
{
    static struct lcl_test_list before, after;
    const struct utimbuf times = {seconds, seconds};
    lcl_test_folder_list(&before, &folder);
    store(key);
    lcl_test_folder_list(&after, &folder);
    for (int i = 0; i < after.count; ++i) {
        bool old = false;
        for (int j = 0; j < before.count; ++j)
            old |= strcmp(after.path[i], before.path[j]) == 0;
        if (!old)
            assert_int_equal(utime(after.path[i], &times), 0);
    }
}

static void test_cache__oldest_file_goes_when_the_folder_is_full(void **state)
{
    (void)state;
    struct stat info;
    store_at("1", 3000);
    assert_int_equal(stat(only_file(), &info), 0);
    cache.max_bytes = 3 * (uint64_t)info.st_size;
    store_at("2", 1000);
    store_at("3", 2000);
    assert_true(is_there("1") && is_there("2") && is_there("3"));
    store("4");
    assert_true(is_there("1") && is_there("3") && is_there("4"));
    assert_false(is_there("2"));
    store("5");
    assert_false(is_there("3"));
    assert_true(is_there("1") && is_there("4") && is_there("5"));
}

static void test_cache__blob_above_the_limit_is_not_kept(void **state)
{
    (void)state;
    cache.max_bytes = 8;
    store(KEY);
    assert_false(is_there(KEY));
    assert_int_equal(lcl_test_folder_count(&folder), 0);
}

// ------------------------------------------------------------------- choice

static void expect_folder(const char *dir, const char *expected)
{
    struct lcl_cache chosen;
    assert_int_equal(lcl_cache_init(&chosen, dir, false, NULL), LCL_OK);
    if (expected)
        assert_string_equal(chosen.dir, expected);
    else
        assert_null(chosen.dir);
    lcl_cache_finish(&chosen);
}

static void test_cache__folder_is_the_first_that_is_named(void **state)
{
    (void)state;
    setenv("LEVELCL_CACHE_DIR", "/own", 1);
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    setenv("HOME", "/home/me", 1);
    expect_folder("/given", "/given");
    expect_folder(NULL, "/own");
    expect_folder("", "/own");
    setenv("LEVELCL_CACHE_DIR", "", 1);
    expect_folder(NULL, "/xdg/levelcl");
    unsetenv("LEVELCL_CACHE_DIR");
    expect_folder(NULL, "/xdg/levelcl");
    unsetenv("XDG_CACHE_HOME");
    expect_folder(NULL, "/home/me/.cache/levelcl");
    unsetenv("HOME");
    expect_folder(NULL, NULL);
}

int main(void)
{
#define TEST(name)                                                             \
 cmocka_unit_test_setup_teardown(test_cache__##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(stored_blob_is_loaded),
        TEST(later_blob_replaces_the_first),
        TEST(empty_blob_is_a_blob),
        TEST(dropped_blob_is_gone),
        TEST(truncated_file_is_a_miss_and_is_deleted),
        TEST(longer_file_is_a_miss_and_is_deleted),
        TEST(any_flipped_byte_is_a_miss_and_is_deleted),
        TEST(file_of_another_key_is_a_miss_and_is_deleted),
        TEST(folder_in_place_of_a_file_is_a_miss),
        TEST(missing_folders_are_made),
        TEST(impossible_folder_is_a_miss),
        TEST(read_only_folder_is_read),
        TEST(off_stores_nothing),
        TEST(oldest_file_goes_when_the_folder_is_full),
        TEST(blob_above_the_limit_is_not_kept),
        TEST(folder_is_the_first_that_is_named),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
