// SPDX-License-Identifier: BSD-3-Clause
// A temporary folder with files. Failures here fail the test.
#pragma once

#include <stddef.h>

enum { LCL_TEST_PATH = 256, LCL_TEST_FILES = 64 };

struct lcl_test_folder {
    char path[LCL_TEST_PATH / 2];
};

void lcl_test_folder_create(struct lcl_test_folder *folder);

// Removes the folder and its contents.
void lcl_test_folder_remove(struct lcl_test_folder *folder);

// Number of files in the folder and its subfolders.
int lcl_test_folder_count(const struct lcl_test_folder *folder);

// Their paths.
struct lcl_test_list {
    char path[LCL_TEST_FILES][LCL_TEST_PATH];
    int count;
};
void lcl_test_folder_list(struct lcl_test_list *list,
                          const struct lcl_test_folder *folder);

// path = FOLDER/name
void lcl_test_path(char path[LCL_TEST_PATH],
                   const struct lcl_test_folder *folder, const char *name);

void lcl_test_write_file(const char *path, const void *bytes, size_t size);

// The bytes of a file, freed with free(); sets *size.
void *lcl_test_read_file(const char *path, size_t *size);

// Compressed copies, freed with free(); set *size.
void *lcl_test_gzip(const char *text, size_t *size);
void *lcl_test_xz(const char *text, size_t *size);

// The folder of a group of tests, with its set-up and teardown.
extern struct lcl_test_folder test_folder;
int test_folder_setup(void **state);
int test_folder_teardown(void **state);
