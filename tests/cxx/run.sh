#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiles a program that uses <levelcl/levelcl.hpp> with every C++ compiler that
# is there, as C++17 and as C++20, and runs that of the first one.
# usage: run.sh SOURCE INCLUDE_DIR LIBRARY_DIR
set -eu
source=$1 include=$2 library=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for cxx in g++ clang++; do
    command -v "$cxx" >/dev/null || continue
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
