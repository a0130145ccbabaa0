#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiles a program that uses <levelcl/levelcl.hpp> with every C++ compiler that
# is there, as C++17 and as C++20, and runs that of the first one.
# usage: run.sh SOURCE INCLUDE_DIR LIBRARY_DIR
set -eu
source=$1 include=$2 library=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The header between macros of other libraries: the words that it uses, and those
# of OpenFOAM, X11 and macOS.
header=$include/levelcl/levelcl.hpp
words=$(grep -o '\<[A-Z][a-z][A-Za-z]*' "$header" | sort -u)
{
    grep -h '^#include <[a-z]*>' "$header"
    echo '#include <cmath>'
    for word in $words Bool False Info None Status Success True; do
        echo "#define $word if (Foam::messageStream::level > 0) Foam::$word"
    done
    for word in check log max min require verify; do
        echo "#define $word(...) ((void)0)"
    done
    echo '#include <levelcl/levelcl.hpp>'
    for word in $words check log max; do
        printf '#ifndef %s\n#error %s is gone\n#endif\n' "$word" "$word"
    done
} >"$folder/macros.cpp"
grep -q 'define Solver' "$folder/macros.cpp"

for cxx in g++ clang++; do
    command -v "$cxx" >/dev/null || continue
    "$cxx" -pedantic -Wall -Wextra -Werror "-I$include" -std=c++17 \
        -fsyntax-only "$folder/macros.cpp"
    set -- "$cxx" -pedantic -Wall -Wextra -Werror "-I$include" "$source"
    "$@" -std=c++17 -fsyntax-only
    if [ -e "$folder/program" ]; then
        "$@" -std=c++20 -fsyntax-only
    else
        "$@" -std=c++20 -o "$folder/program" "-L$library" -llevelcl
    fi
done
[ -e "$folder/program" ] || exit 77
LD_LIBRARY_PATH="$library:${LD_LIBRARY_PATH-}" "$folder/program"
