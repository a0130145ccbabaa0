#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The example of the README and each LCL_*_INIT macro compile as C and as C++.
# usage: cxx.sh INCLUDE_DIR EXAMPLE HEADER...        (CC, CXX: the compilers)
set -u
include=$1 example=$2
shift 2
cxx=${CXX:-c++}
command -v "$cxx" >/dev/null || exit 77
rc=0

# compiles COMPILER LANGUAGE STANDARD, the source on the standard input
compiles() {
    $1 -x "$2" "-std=$3" -pedantic -Wall -Wextra -Werror -I"$include" \
        -fsyntax-only - || { echo "FAIL as $3"; rc=1; }
}

# A function that initialises one struct with each macro; LCL_REPORT_INIT is for
# struct lcl_report.
macros() {
    echo '#include <levelcl/levelcl.h>'
    echo 'int main(void)'
    echo '{'
    cat "$@" | sed -n 's/^#define LCL_\([A-Z_]*\)_INIT.*/\1/p' |
        while read -r name; do
            type=lcl_$(echo "$name" | tr '[:upper:]' '[:lower:]')
            echo "    struct $type $type = LCL_${name}_INIT;"
            echo "    (void)$type;"
        done
    echo '    return 0;'
    echo '}'
}

found=$(macros "$@" | grep -c _INIT)
[ "$found" -ge 9 ] || { echo "FAIL: only $found macros found"; rc=1; }
macros "$@" | compiles "${CC:-cc}" c c11
macros "$@" | compiles "$cxx" c++ c++11
macros "$@" | compiles "$cxx" c++ c++17
compiles "${CC:-cc}" c c99 <"$example"
compiles "$cxx" c++ c++11 <"$example"
compiles "$cxx" c++ c++17 <"$example"
exit $rc
