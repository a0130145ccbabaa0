#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build into a temporary folder, compiles an example by the command in
# its head, as users do, and runs it. Skipped without the compiler or a package
# of the command.
# usage: example.sh BUILD_DIR PREFIX LIBDIR SOURCE ARGUMENT...
set -eu
build=$1 prefix=$2 libdir=$3 source=$4
shift 4
command -v pkg-config >/dev/null || exit 77

# the line of the first comment that is indented by five columns
command=$(awk '!/^(\/\/|!)/ { exit } sub(/^(\/\/|!)     /, "")' "$source")
compiler=${command%% *}
[ -n "$compiler" ] || { echo "$source has no command" >&2; exit 1; }
command -v "$compiler" >/dev/null || { echo "no $compiler"; exit 77; }
packages=$(echo "$command" | sed -n 's/.*--libs \([^)]*\)).*/\1/p')
for package in $packages; do
    [ "$package" = levelcl ] || pkg-config --exists "$package" || {
        echo "no package $package"
        exit 77
    }
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
unset LD_LIBRARY_PATH # of the test runner
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
lib=$root$prefix/$libdir
# as if the folder were the prefix
sed -i "s|^prefix=.*|prefix=$root$prefix|" "$lib/pkgconfig/levelcl.pc"
export PKG_CONFIG_PATH="$lib/pkgconfig"

cp "$source" "$root"
cd "$root"
(eval "set -x; $command -o '$root/example' -Wl,-rpath,'$lib'")
ldd "$root/example" | grep -F "liblevelcl.so" | grep -F "$root"
"$root/example" "$@"
