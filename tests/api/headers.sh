#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header compiles on its own, included twice, as C11, C99 and C++11.
# usage: headers.sh INCLUDE_DIR HEADER...        (CC, CXX: the compilers)
set -u
include=$1; shift
rc=0

# alone HEADER COMPILER LANGUAGE STANDARD
alone() {
    # the last line: ISO C forbids an empty translation unit
    printf '#include <levelcl/%s>\n#include <levelcl/%s>\nextern int used;\n' \
        "$1" "$1" |
        $2 -x "$3" "-std=$4" -pedantic -Wall -Wextra -Werror -I"$include" \
            -fsyntax-only - || { echo "FAIL $1 as $4"; rc=1; }
}

command -v "${CXX:-c++}" >/dev/null || echo "no C++ compiler: C only"
for header; do
    name=${header##*/}
    alone "$name" "${CC:-cc}" c c11
    alone "$name" "${CC:-cc}" c c99
    if command -v "${CXX:-c++}" >/dev/null; then
        alone "$name" "${CXX:-c++}" c++ c++11
    fi
done
exit $rc
