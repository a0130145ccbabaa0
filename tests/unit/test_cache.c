// SPDX-License-Identifier: BSD-3-Clause
// The disk cache returns what was stored, or nothing.
#include "host/cache.h"
#include "tests/support/capture.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <levelcl/context.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utime.h>

#define KEY  "a key\nof two lines"
#define BLOB "a blob with \0 inside"

static struct lcl_test_folder folder;
static struct lcl_cache cache;
static struct test_capture warnings;

static int setup(void **state)
{
    (void)state;
    lcl_test_folder_create(&folder);
    setenv("LEVELCL_STORE", "", 1);
    test_capture_init(&warnings, LCL_LOG_WARN);
    assert_int_equal(lcl_cache_init(&cache, folder.path, false, &warnings.log),
                     LCL_OK);
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

// The path of the only file in the folder.
static const char *only_file(void)
{
    static struct lcl_test_list files;
    lcl_test_folder_list(&files, &folder);
    assert_int_equal(files.count, 1);
    return files.path[0];
}

// Expects exactly one warning, with `part` and the folder.
static void expect_one_warning(const char *part)
{
    assert_int_equal(warnings.messages, 1);
    test_capture_expect(&warnings, cache.own.path);
    test_capture_expect(&warnings, part);
}

// Replaces the only file by `bytes` and expects a miss that deletes it.
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

// Magic, format, lengths, checksum, key and blob.
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

// Nobody can write below a regular file, not even root.
static void test_cache__impossible_folder_is_a_miss(void **state)
{
    (void)state;
    char file[LCL_TEST_PATH];
    lcl_test_path(file, &folder, "file");
    lcl_test_write_file(file, "", 0);
    const char *const impossible[] = {file, "/proc/levelcl", "/dev/null"};
    for (int i = 0; i < 3; ++i) {
        lcl_cache_finish(&cache);
        test_capture_init(&warnings, LCL_LOG_WARN);
        assert_int_equal(
            lcl_cache_init(&cache, impossible[i], false, &warnings.log),
            LCL_OK);
        store(KEY);
        assert_false(is_there(KEY));
        lcl_cache_drop(&cache, KEY);
        store(KEY);
        expect_one_warning(impossible[i]);
    }
}

static char only_folder[LCL_TEST_PATH]; // folder of the only file

static bool read_but_do_not_write(void)
{
    if (chmod(only_folder, 0500) != 0)
        return false;
    const bool read = is_there(KEY) && warnings.messages == 0;
    store(KEY);
    store("another key");
    return read && is_there(KEY) && warnings.messages == 1 &&
           strstr(warnings.last, folder.path) &&
           strstr(warnings.last, "cannot be written: Permission denied");
}

static void test_cache__read_only_folder_is_read(void **state)
{
    (void)state;
    store(KEY);
    snprintf(only_folder, sizeof only_folder, "%s", only_file());
    test_give_to_nobody(only_folder);
    *strrchr(only_folder, '/') = '\0';
    test_give_to_nobody(only_folder);
    test_give_to_nobody(folder.path);
    assert_true(test_try_as_nobody(read_but_do_not_write));
    assert_int_equal(chmod(only_folder, 0700), 0);
}

static bool warn_once(void)
{
    store(KEY);
    store("another key");
    return !is_there(KEY) && warnings.messages == 1 &&
           strstr(warnings.last, folder.path) &&
           strstr(warnings.last, "cannot be written: Permission denied");
}

static void test_cache__a_folder_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    test_give_to_nobody(folder.path);
    assert_int_equal(chmod(folder.path, 0500), 0);
    assert_true(test_try_as_nobody(warn_once));
    assert_int_equal(chmod(folder.path, 0700), 0);
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

// ------------------------------------------------------------------- safety

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

// With this mode of a file or folder the cache reads and stores nothing; with
// the original mode it works as before.
static void expect_unused(const char *path, mode_t mode)
{
    const mode_t before = mode_of(path);
    assert_int_equal(chmod(path, mode), 0);
    cache.own.warned = false;
    warnings.messages = 0;
    assert_false(is_there(KEY));
    expect_one_warning("may write");
    if (S_ISDIR(before)) {
        store("another key");
        assert_int_equal(lcl_test_folder_count(&folder), 1);
    }
    assert_int_equal(chmod(path, before), 0);
    assert_true(is_there(KEY));
}

static void test_cache__what_others_may_write_to_is_not_used(void **state)
{
    (void)state;
    char file[LCL_TEST_PATH], fan[LCL_TEST_PATH];
    store(KEY);
    snprintf(file, sizeof file, "%s", only_file());
    snprintf(fan, sizeof fan, "%s", file);
    *strrchr(fan, '/') = '\0';
    expect_unused(file, 0620);
    expect_unused(file, 0602);
    expect_unused(fan, 0770);
    expect_unused(fan, 0707);
    expect_unused(folder.path, 0720);
    expect_unused(folder.path, 01777);
}

static bool miss_and_warn(void)
{
    return !is_there(KEY) && warnings.messages == 1 &&
           strstr(warnings.last, folder.path) &&
           strstr(warnings.last, "belongs to another user");
}

static bool open_the_root(void)
{
    lcl_cache_finish(&cache);
    snprintf(folder.path, sizeof folder.path, "/");
    return lcl_cache_init(&cache, "/", false, &warnings.log) == LCL_OK &&
           miss_and_warn();
}

// Root can give files to another user; other users find files of root
// everywhere.
static void test_cache__what_belongs_to_others_is_not_used(void **state)
{
    (void)state;
    assert_true(test_try_as_nobody(open_the_root));
    if (geteuid() != 0)
        return;
    store(KEY);
    char path[LCL_TEST_PATH];
    snprintf(path, sizeof path, "%s", only_file());
    for (int i = 0; i < 3; ++i) {
        test_give_to_nobody(path);
        cache.own.warned = false;
        warnings.messages = 0;
        assert_true(miss_and_warn());
        assert_int_equal(chown(path, 0, 0), 0);
        assert_true(is_there(KEY));
        *strrchr(path, '/') = '\0';
    }
}

static void test_cache__folders_and_files_are_the_users_alone(void **state)
{
    (void)state;
    char deep[LCL_TEST_PATH], path[LCL_TEST_PATH];
    const mode_t mask = umask(0);
    lcl_test_path(deep, &folder, "not/yet");
    lcl_cache_finish(&cache);
    assert_int_equal(lcl_cache_init(&cache, deep, false, NULL), LCL_OK);
    store(KEY);
    umask(mask);
    snprintf(path, sizeof path, "%s", only_file());
    assert_int_equal(mode_of(path), 0600);
    for (int i = 0; i < 3; ++i) {
        *strrchr(path, '/') = '\0';
        assert_int_equal(mode_of(path), 0700);
    }
}

static void test_cache__a_link_to_the_folder_is_followed(void **state)
{
    (void)state;
    char link[LCL_TEST_PATH], real[LCL_TEST_PATH];
    lcl_test_path(link, &folder, "link");
    lcl_test_path(real, &folder, "real");
    assert_int_equal(mkdir(real, 0700), 0);
    assert_int_equal(symlink("real", link), 0);
    lcl_cache_finish(&cache);
    assert_int_equal(lcl_cache_init(&cache, link, false, NULL), LCL_OK);
    store(KEY);
    assert_true(is_there(KEY));
    assert_int_equal(chmod(real, 0777), 0);
    assert_false(is_there(KEY));
}

static void make_socket(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(strlen(path) < sizeof name.sun_path);
    memcpy(name.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    close(fd);
}

// Whatever replaces the file is a miss at once, and the next store replaces it.
static void expect_replaced(void)
{
    assert_false(is_there(KEY));
    store(KEY);
    assert_true(is_there(KEY));
    only_file();
}

// A pipe would block the reader until another process writes; the alarm ends
// that.
static void test_cache__pipes_sockets_and_links_are_not_read(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], elsewhere[LCL_TEST_PATH];
    store(KEY);
    snprintf(path, sizeof path, "%s", only_file());
    alarm(20);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_replaced();
    assert_int_equal(unlink(path), 0);
    make_socket(path);
    expect_replaced();
    lcl_test_path(elsewhere, &folder, "elsewhere");
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_false(is_there(KEY));
    assert_int_equal(unlink(elsewhere), 0);
    expect_replaced();
    alarm(0);
}

// ------------------------------------------------------------------- limit

// Sets the time of the file to `seconds` after the epoch.
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

// ------------------------------------------------------------------- store

#define SHARED "a blob of the store"

static char store_path[LCL_TEST_PATH], own_path[LCL_TEST_PATH];

// A cache with a store next to it, in which KEY has the blob SHARED.
static void open_with_store(void)
{
    lcl_test_path(store_path, &folder, "store");
    lcl_test_path(own_path, &folder, "own");
    lcl_cache_finish(&cache);
    assert_int_equal(lcl_cache_init(&cache, store_path, false, NULL), LCL_OK);
    lcl_cache_store(&cache, KEY, SHARED, sizeof SHARED);
    lcl_cache_finish(&cache);
    setenv("LEVELCL_STORE", store_path, 1);
    assert_int_equal(lcl_cache_init(&cache, own_path, false, &warnings.log),
                     LCL_OK);
}

static bool is_shared(void)
{
    size_t bytes = 0;
    void *blob = lcl_cache_load(&cache, KEY, &bytes);
    const bool shared =
        blob && bytes == sizeof SHARED && memcmp(blob, SHARED, bytes) == 0;
    free(blob);
    return shared;
}

// Opens the cache again, since a store is judged then.
static void reopen(void)
{
    lcl_cache_finish(&cache);
    cache.own.warned = false;
    warnings.messages = 0;
    assert_int_equal(lcl_cache_init(&cache, own_path, false, &warnings.log),
                     LCL_OK);
}

static void test_cache__store_comes_before_the_users_folder(void **state)
{
    (void)state;
    open_with_store();
    assert_true(is_shared());
    assert_int_equal(access(own_path, F_OK), -1);
    store(KEY);
    assert_true(is_shared());
    assert_int_equal(warnings.messages, 0);
}

static void test_cache__store_is_never_written(void **state)
{
    (void)state;
    open_with_store();
    assert_int_equal(lcl_test_folder_count(&folder), 1);
    store("another key");
    assert_true(is_there("another key"));
    lcl_cache_drop(&cache, "another key");
    assert_int_equal(lcl_test_folder_count(&folder), 1);
    assert_true(is_shared());
}

static void test_cache__damaged_file_of_the_store_is_passed_over(void **state)
{
    (void)state;
    size_t size;
    open_with_store();
    const char *path = only_file();
    char *bytes = lcl_test_read_file(path, &size);
    bytes[size - 1] ^= 1;
    lcl_test_write_file(path, bytes, size);
    free(bytes);
    assert_false(is_shared());
    assert_int_equal(lcl_test_folder_count(&folder), 1);
    store(KEY);
    assert_true(is_there(KEY));
    assert_int_equal(warnings.messages, 0);
}

static void test_cache__rejected_blob_ends_the_use_of_the_store(void **state)
{
    (void)state;
    open_with_store();
    store(KEY);
    assert_true(is_shared());
    assert_true(lcl_cache_drop(&cache, KEY));
    assert_true(is_there(KEY));
    assert_false(lcl_cache_drop(&cache, KEY));
    assert_false(is_there(KEY));
    reopen();
    assert_true(is_shared());
}

static void test_cache__missing_store_is_no_fault(void **state)
{
    (void)state;
    open_with_store();
    setenv("LEVELCL_STORE", "/dev/null/store", 1);
    reopen();
    assert_null(cache.store.path);
    setenv("LEVELCL_STORE", "", 1);
    reopen();
    assert_null(cache.store.path);
    assert_false(is_shared());
    assert_int_equal(warnings.messages, 0);
}

static void test_cache__store_that_others_may_write_is_not_used(void **state)
{
    (void)state;
    open_with_store();
    assert_int_equal(chmod(store_path, 0775), 0);
    reopen();
    assert_false(is_shared());
    assert_int_equal(warnings.messages, 1);
    test_capture_expect(&warnings, store_path);
    test_capture_expect(&warnings, "other users may write");
    assert_int_equal(chmod(only_file(), 0666), 0);
    assert_int_equal(chmod(store_path, 0755), 0);
    reopen();
    assert_false(is_shared());
    assert_int_equal(warnings.messages, 1);
}

static void test_cache__store_of_another_user_is_not_used(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("only root can give a store to another user\n");
        return;
    }
    open_with_store();
    char path[LCL_TEST_PATH];
    snprintf(path, sizeof path, "%s", only_file());
    for (; strlen(path) >= strlen(store_path); *strrchr(path, '/') = '\0') {
        assert_int_equal(chown(path, 1, 1), 0);
        reopen();
        assert_false(is_shared());
        assert_int_equal(warnings.messages, 1);
        test_capture_expect(&warnings, "belongs to another user");
        assert_int_equal(chown(path, 0, 0), 0);
        reopen();
        assert_true(is_shared());
    }
}

static bool is_shared_without_warning(void)
{
    lcl_cache_finish(&cache);
    return lcl_cache_init(&cache, own_path, false, &warnings.log) == LCL_OK &&
           is_shared() && warnings.messages == 0;
}

static bool misses_without_warning(void)
{
    lcl_cache_finish(&cache);
    return lcl_cache_init(&cache, own_path, false, &warnings.log) == LCL_OK &&
           !cache.store.path && warnings.messages == 0;
}

// A store that a user cannot read is as good as none.
static void test_cache__users_read_a_store_of_root(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH];
    open_with_store();
    snprintf(path, sizeof path, "%s", only_file());
    assert_int_equal(chmod(path, 0644), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(chmod(store_path, 0755), 0);
    assert_int_equal(chmod(folder.path, 0755), 0);
    assert_true(test_try_as_nobody(is_shared_without_warning));
    assert_int_equal(chmod(store_path, 0000), 0);
    assert_true(geteuid() != 0 || test_try_as_nobody(misses_without_warning));
    assert_int_equal(chmod(store_path, 0700), 0);
}

// ------------------------------------------------------------------- choice

static void expect_folder(const char *dir, const char *expected)
{
    struct lcl_cache chosen;
    assert_int_equal(lcl_cache_init(&chosen, dir, false, NULL), LCL_OK);
    if (expected)
        assert_string_equal(chosen.own.path, expected);
    else
        assert_null(chosen.own.path);
    lcl_cache_finish(&chosen);
}

static void test_cache__folder_is_cut_to_the_size_of_the_text(void **state)
{
    (void)state;
    char path[8] = "before";
    setenv("LEVELCL_CACHE_DIR", "/a/folder", 1);
    assert_int_equal(lcl_cache_folder(path, 4), strlen("/a/folder"));
    assert_string_equal(path, "/a/");
    unsetenv("LEVELCL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(lcl_cache_folder(path, sizeof path), 0);
    assert_string_equal(path, "/a/");
}

static void test_cache__folder_is_the_first_that_is_named(void **state)
{
    (void)state;
    setenv("LEVELCL_CACHE_DIR", "/own", 1);
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    setenv("HOME", "/", 1);
    expect_folder("/given", "/given");
    expect_folder(NULL, "/own");
    expect_folder("", "/own");
    setenv("LEVELCL_CACHE_DIR", "", 1);
    expect_folder(NULL, "/xdg/levelcl");
    unsetenv("LEVELCL_CACHE_DIR");
    expect_folder(NULL, "/xdg/levelcl");
    unsetenv("XDG_CACHE_HOME");
    expect_folder(NULL, "//.cache/levelcl");
    setenv("HOME", "/dev/null/me", 1); // a home that does not exist
    expect_folder(NULL, NULL);
    expect_folder("/given", "/given");
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
        TEST(a_folder_that_cannot_be_written_is_named),
        TEST(off_stores_nothing),
        TEST(what_others_may_write_to_is_not_used),
        TEST(what_belongs_to_others_is_not_used),
        TEST(folders_and_files_are_the_users_alone),
        TEST(a_link_to_the_folder_is_followed),
        TEST(pipes_sockets_and_links_are_not_read),
        TEST(oldest_file_goes_when_the_folder_is_full),
        TEST(blob_above_the_limit_is_not_kept),
        TEST(store_comes_before_the_users_folder),
        TEST(store_is_never_written),
        TEST(damaged_file_of_the_store_is_passed_over),
        TEST(rejected_blob_ends_the_use_of_the_store),
        TEST(missing_store_is_no_fault),
        TEST(store_that_others_may_write_is_not_used),
        TEST(store_of_another_user_is_not_used),
        TEST(users_read_a_store_of_root),
        TEST(folder_is_the_first_that_is_named),
        TEST(folder_is_cut_to_the_size_of_the_text),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
