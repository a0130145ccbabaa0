// SPDX-License-Identifier: BSD-3-Clause
// Included by every test: cmocka and the headers that it requires.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
