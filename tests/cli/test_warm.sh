#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve warm: one line for each class, nothing new the second time; a store that
# all users may read; errors. Usage: test_warm.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"
# nobody else compiles into these
mkdir -m 700 "$dir/pocl"
export LEVELCL_CACHE_DIR="$dir/cache" POCL_CACHE_DIR="$dir/pocl" LEVELCL_STORE=

# ---------------------------------------------------------------- usage

refused 2 "unknown value 'spam' for --for: expected all, spd, " warm --for spam
refused 2 "unknown value 'spd,' for --for" warm --for spd,
refused 2 "unknown value 'one' for --for" warm --for one
refused 2 "precond does not apply to clsolve warm" warm --precond amg
refused 2 "unexpected argument 'two.mtx'" warm two.mtx
refused 2 'to does not apply to a solve' --problem lap3d:4 --to "$dir/store"
refused 3 "cannot write the folder '/dev/null/x'" warm --to /dev/null/x
refused 3 'names no folder' warm --to store

OCL_ICD_VENDORS="$dir/none" refused 4 '' warm --for indefinite

# ---------------------------------------------------------------- a device

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }
pocl=no
grep -q 'Portable Computing Language' "$dir/stdout" && pocl=yes

refused 4 "no device 'nowhere'" warm --device nowhere
[ $pocl = no ] ||
    POCL_KERNEL_CACHE=0 refused 3 'compiled kernels are not kept' warm --for indefinite

ends 0 warm --for indefinite
says stdout '^device '
says stdout '^indefinite .* [1-9][0-9]* programs'
says stdout '^total '
says stdout '^kept in  *..*'
ends 0 warm --for indefinite
if [ $pocl = yes ]; then
    says stdout '^total .* 0 kernels compiled'
else
    says stdout '^total .* 0 compiled'
fi
ends 0 warm --for indefinite -q
[ ! -s "$dir/stdout" ] && pass || flunk '-q: not quiet'

# two classes, hence two processes
ends 0 warm --for indefinite,blackoil
for class in indefinite blackoil; do
    says stdout "^$class .* programs"
done
ends 0 warm --for indefinite,blackoil --json
is_json "$dir/stdout" && pass || flunk 'warm --json'
says stdout '"classes":\[{.*},{.*}\]'
says stdout '"compiled":0,'

# ---------------------------------------------------------------- a store

# As a strict user: all others may read the store nevertheless.
umask 077
ends 0 warm --for indefinite --to "$dir/a/store"
umask 022
[ $pocl = no ] || says stderr 'warning: the driver .* keeps kernels itself'
files=$(find "$dir/a" -type f -perm 644 | wc -l)
[ "$files" -gt 0 ] && [ -z "$(find "$dir/a" -type f ! -perm 644)" ] &&
    [ -z "$(find "$dir/a" -type d ! -perm 755)" ] && pass ||
    flunk "the store: $(ls -lR "$dir/a")"

# A user without a cache finds all of it, and changes nothing.
find "$dir/a" -type f -printf '%p %T@\n' | sort >before.txt
rm -rf "$dir/cache"
LEVELCL_STORE="$dir/a/store" ends 0 --problem lap3d:10 --solver minres
find "$dir/a" -type f -printf '%p %T@\n' | sort >after.txt
cmp -s before.txt after.txt && pass || flunk 'the store has changed'
[ ! -e "$dir/cache" ] && pass || flunk 'a cache beside the store'
LEVELCL_STORE="$dir/b" ends 0 warm --for indefinite --to store
[ -d "$dir/b" ] && pass || flunk 'no store'
finish 0
