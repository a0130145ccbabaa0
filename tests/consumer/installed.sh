#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build into a temporary folder and runs from there, without
# LD_LIBRARY_PATH: the programs, the plug-in for PETSc, and quickstart.c compiled
# by the line of the README.
# usage: installed.sh BUILD_DIR PREFIX BINDIR LIBDIR README.md QUICKSTART
set -eu
build=$1 prefix=$2 bindir=$3 libdir=$4 readme=$5 quickstart=$6
here=$(cd "$(dirname "$0")" && pwd)
command -v pkg-config >/dev/null || exit 77
unset LD_LIBRARY_PATH # of the test runner

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
lib=$root$prefix/$libdir
# as if the folder were the prefix
sed -i "s|^prefix=.*|prefix=$root$prefix|" "$lib/pkgconfig/levelcl.pc"
export PKG_CONFIG_PATH="$lib/pkgconfig"

# uses_installed FILE: it finds the library in the temporary folder
uses_installed()
{
    found=$(ldd "$1" | awk '/liblevelcl\.so/ { print $3 }')
    [ "$(realpath "$found")" = "$(realpath "$lib/liblevelcl.so")" ] || {
        echo "$1 finds the library in: $found" >&2
        exit 1
    }
}

uses_installed "$root$prefix/$bindir/clsolve"
"$root$prefix/$bindir/clsolve" --version
"$root$prefix/$bindir/levelbench" --help >/dev/null

if [ -e "$lib/liblevelcl_petsc.so" ]; then
    "${CC:-cc}" "$here/load.c" -o "$root/load" -ldl
    uses_installed "$lib/liblevelcl_petsc.so"
    "$root/load" "$lib/liblevelcl_petsc.so"
fi

# the block between ```sh and ``` below the mark
line=$(awk '/^```$/ { on = 0 } on
    /^```sh$/ && marked { on = 1 } { marked = /^<!-- compile -->$/ }' "$readme")
cd "$root"
cp "$quickstart" x.c
eval "$line"
uses_installed ./a.out

"$root$prefix/$bindir/clsolve" devices -q || exit 77
"$root$prefix/$bindir/clsolve" --problem lap3d:4 --solver cg --precond jacobi
./a.out
