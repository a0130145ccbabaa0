#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the library into a temporary folder, builds consumer.c against it as
# users do, runs it and checks whether it depends on the soname. Uses the shared
# library of an existing build, or builds archives itself.
# usage: run.sh cmake|pkg-config shared BUILD_DIR PREFIX LIBDIR SONAME
#        run.sh 'cmake pkg-config' static SOURCE_DIR PREFIX LIBDIR
set -eu
ways=$1 kind=$2 build=$3 prefix=$4 libdir=$5
here=$(cd "$(dirname "$0")" && pwd)
for way in $ways; do
    command -v "$way" >/dev/null || exit 77
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
if [ "$kind" = static ]; then
    meson setup "$root/archive" "$build" --prefix="$prefix" --libdir="$libdir" \
        -Ddefault_library=static -Dtests=false -Dtools=false --buildtype=plain
    ninja -C "$root/archive" -j2
    build=$root/archive
fi
meson install -C "$build" --no-rebuild --quiet --destdir "$root"

# the settings of the test runner refer to the build folder
export LD_LIBRARY_PATH="$root$prefix/$libdir:${LD_LIBRARY_PATH-}"
export PKG_CONFIG_PATH="$root$prefix/$libdir/pkgconfig"
export PKG_CONFIG_SYSROOT_DIR="$root"
program=$root/build/consumer
for way in $ways; do
    rm -rf "$root/build"
    mkdir "$root/build"
    case $way in
    cmake)
        cmake -S "$here" -B "$root/build" "-DCMAKE_PREFIX_PATH=$root$prefix"
        cmake --build "$root/build"
        ;;
    pkg-config)
        # the flags are several words
        # shellcheck disable=SC2046
        "${CC:-cc}" $(pkg-config --cflags levelcl) "$here/consumer.c" \
            -o "$program" $(pkg-config --libs levelcl)
        ;;
    esac
    "$program"
    if [ "$kind" = static ]; then
        ! readelf -d "$program" | grep -F levelcl || exit 1
    else
        readelf -d "$program" | grep -F "Shared library: [$6]"
    fi
done
