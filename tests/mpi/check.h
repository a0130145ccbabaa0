// SPDX-License-Identifier: BSD-3-Clause
// Checks on ranks, where cmocka's assertions would end one process of several.
#pragma once

#include <stdio.h>

// Ends a function of type bool with false unless the condition holds; prints
// the rank and what its log said last.
#define CHECK_ON(rank, said, condition)                                        \
 do {                                                                          \
  if (!(condition)) {                                                          \
   fprintf(stderr, "%s:%d: rank %d: not %s: %s\n", __FILE__, __LINE__, (rank), \
           #condition, (said));                                                \
   return false;                                                               \
  }                                                                            \
 } while (0)

// The same for tests that print only the condition.
#define CHECK_HERE(condition)                                                  \
 do {                                                                          \
  if (!(condition)) {                                                          \
   fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition);         \
   return false;                                                               \
  }                                                                            \
 } while (0)
