// SPDX-License-Identifier: BSD-3-Clause
// Makes threads that are created fail. The test links with
// -Wl,--wrap=pthread_create, which affects our objects but not shared
// libraries.
#pragma once

// So many more threads can be created; < 0: all.
void lcl_test_threads_left(int count);
