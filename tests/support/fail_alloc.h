// SPDX-License-Identifier: BSD-3-Clause
// Makes the n-th allocation fail. The test links with
// -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc, which affects our objects but
// not shared libraries.
#pragma once

#include <stdbool.h>

// The n-th allocation of all threads from now on fails, once; 0: none fails.
void lcl_test_fail_alloc_at(long n);

// Whether an allocation has failed.
bool lcl_test_alloc_failed(void);
