// SPDX-License-Identifier: BSD-3-Clause
// The seeds of a fuzz target: the readers accept ok_* and refuse bad_*.
#include "tests/support/capture.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

// Reads a file as a matrix or a vector, by its kind.
static enum lcl_status read_any(const char *path, const struct lcl_log *log)
{
    struct lcl_csr A;
    struct lcl_dense X;
    enum lcl_status st = lcl_csr_read(&A, path, NULL, NULL);
    lcl_csr_finish(&A);
    if (st == LCL_OK)
        return st;
    st = lcl_dense_read(&X, path, NULL, log);
    lcl_dense_finish(&X);
    return st;
}

static void check_file(const char *folder, const char *name)
{
    struct test_capture capture;
    char path[1024];
    test_capture_init(&capture, LCL_LOG_ERROR);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const enum lcl_status st = read_any(path, &capture.log);
    if (strncmp(name, "ok_", 3) == 0 && st != LCL_OK)
        fail_msg("%s", capture.last);
    if (strncmp(name, "bad_", 4) == 0 && (st == LCL_OK || !capture.messages))
        fail_msg("%s was read", path);
}

static void test_corpus__names_say_what_happens(void **state)
{
    if (!*state)
        skip();
    DIR *dir = opendir(*state);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)); ++count)
        check_file(*state, entry->d_name);
    closedir(dir);
    assert_true(count > 20);
}

// usage: corpus FOLDER
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_corpus__names_say_what_happens,
                                  argc > 1 ? argv[1] : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
