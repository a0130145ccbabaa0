#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build into a scratch folder, builds the program beside this file
# against it the way a user would, runs it, and checks the soname it asks for.
# usage: run.sh cmake|pkg-config BUILD_DIR PREFIX LIBDIR SONAME
set -eu
how=$1 build=$2 prefix=$3 libdir=$4 soname=$5
here=$(cd "$(dirname "$0")" && pwd)
command -v "$how" >/dev/null || exit 77

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root"

case $how in
cmake)
    cmake -S "$here" -B "$root/build" "-DCMAKE_PREFIX_PATH=$root$prefix"
    cmake --build "$root/build"
    program=$root/build/consumer
    ;;
pkg-config)
    export PKG_CONFIG_PATH="$root$prefix/$libdir/pkgconfig"
    export PKG_CONFIG_SYSROOT_DIR="$root"
    program=$root/consumer
    # flags are several words
    # shellcheck disable=SC2046
    "${CC:-cc}" $(pkg-config --cflags levelcl) "$here/consumer.c" \
        -o "$program" $(pkg-config --libs levelcl)
    ;;
esac

# before the build folder, which the test runner puts there
export LD_LIBRARY_PATH="$root$prefix/$libdir:${LD_LIBRARY_PATH-}"
"$program"
readelf -d "$program" | grep -F "Shared library: [$soname]"
