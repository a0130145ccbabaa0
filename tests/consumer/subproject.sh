#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds consumer.c in a project that has the library as a Meson subproject, and
# runs it; neither tools nor tests of the library are built.
# usage: subproject.sh SOURCE_DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir "$root/subprojects"
ln -s "$1" "$root/subprojects/levelcl"
cp "$here/consumer.c" "$root"
cat >"$root/meson.build" <<'END'
project('consumer', 'c', default_options: ['buildtype=plain', 'default_library=static'])
executable('consumer', 'consumer.c', dependencies: dependency('levelcl'))
END
cat >"$root/subprojects/levelcl.wrap" <<'END'
[wrap-file]
directory = levelcl

[provide]
dependency_names = levelcl
END
meson setup "$root/build" "$root"
ninja -C "$root/build" -j2 >"$root/said" || { cat "$root/said"; exit 1; }
"$root/build/consumer"
[ -z "$(find "$root/build" -name clsolve -o -name 'test_*')" ]
