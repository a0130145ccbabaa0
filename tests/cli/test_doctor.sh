#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve doctor: each line is ok or says what to do; exit status 0 only if all
# is ok. Usage: test_doctor.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"
export LEVELCL_CACHE_DIR="$dir/cache"

# ---------------------------------------------------------------- no device

export OCL_ICD_VENDORS="$dir/none" LEVELCL_STORE=
ends 1 doctor
says stdout '^driver  *no ICD file in .*none, where OCL_ICD_VENDORS points'
says stdout '^  *to do: install the OpenCL driver of your GPU, or PoCL'
says stdout '^cache  *ok: .* does not exist yet'
says stdout '^device  *no OpenCL platform'
grep -q '^context' "$dir/stdout" && flunk 'a context without a device' || pass
ends 1 doctor --json
is_json "$dir/stdout" && pass || flunk 'doctor --json'
says stdout '"check":"driver","ok":false,"text":.*"to_do":"install'
says stdout '"exit":1'
ends 1 doctor -q
[ ! -s "$dir/stdout" ] && [ ! -s "$dir/stderr" ] && pass || flunk '-q: not quiet'
mkdir "$dir/icd"
: >"$dir/icd/empty.icd"
echo "$dir/nowhere/libdriver.so" >"$dir/icd/missing.icd"
OCL_ICD_VENDORS="$dir/icd" ends 1 doctor
says stdout '^driver  *.*empty.icd names no library'
says stdout '^driver  *.*missing.icd: .*nowhere/libdriver.so'
says stdout 'to do: install the driver again'
OCL_ICD_VENDORS="$dir/icd/empty.icd" ends 1 doctor
says stdout 'empty.icd names no library'
grep -q missing.icd "$dir/stdout" && flunk 'a file that is not the driver' || pass

# ---------------------------------------------------------------- cache

# cache WORDS: expects this line about the cache in $LEVELCL_CACHE_DIR.
cache()
{
    ends 1 doctor
    says stdout "^cache  *$1"
}

mkdir -p "$dir/cache/00"
echo 12345 >"$dir/cache/00/blob"
chmod 700 "$dir/cache"
cache 'ok: .*: owner .*, mode 700, [0-9.]* MB in 1 files, writable'
chmod 777 "$dir/cache"
cache '.*mode 777'
says stdout 'to do: take the right to write from others: chmod go-w'
chmod 700 "$dir/cache"
LEVELCL_CACHE_DIR="$dir/cache/00/blob" cache '.*blob: '
says stdout 'to do: remove the file, or set LEVELCL_CACHE_DIR'
LEVELCL_CACHE_DIR='' XDG_CACHE_HOME='' HOME='' cache 'there is no folder'
says stdout 'to do: set LEVELCL_CACHE_DIR, or HOME'
HOME="$dir/nowhere" LEVELCL_CACHE_DIR='' XDG_CACHE_HOME='' cache 'there is no folder.*nowhere is no folder'
says stdout '^home  *.*nowhere: No such file'
[ ! -e "$dir/nowhere" ] && pass || flunk 'a home is created'
grep -q '^store' "$dir/stdout" && flunk 'a store that there is not' || pass
export LEVELCL_STORE="$dir/cache"
ends 1 doctor
says stdout '^store  *ok: .*: owner .*, mode 700, [0-9.]* MB in 1 files, writable'
chmod 770 "$dir/cache"
ends 1 doctor
says stdout '^store  *.*mode 770'
chmod 700 "$dir/cache"
export LEVELCL_STORE=
path=$PATH
unset PATH
ends 1 doctor
PATH=$path
says stdout '^path  *PATH is not set'
says stdout 'to do: set PATH, as in'
unset OCL_ICD_VENDORS

# ---------------------------------------------------------------- usage

refused 2 'precond does not apply to clsolve doctor' doctor --precond amg
refused 2 "unexpected argument 'two.mtx'" doctor two.mtx
refused 2 "did you mean 'doctor'" docter

# ---------------------------------------------------------------- a device

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }
ends 0 doctor
for check in levelcl built driver cache device context build launch exchange copy self-test; do
    says stdout "^$check  *ok: "
done
grep -q 'to do' "$dir/stdout" && flunk 'something to do' || pass
cp "$dir/stdout" "$dir/with"
says stdout '^build  *ok: [1-9][0-9]* kernels'
# A driver that does not start is one.
(
    ulimit -v 150000 && "$clsolve" --version >"$dir/stdout" 2>&1 || exit 0
    grep -q 'Portable Computing Language' "$dir/with" || exit 0
    refused 4 'no OpenCL driver of those in .* starts, in 15[0-9] MB of address space' devices
    ends 1 doctor
    says stdout '^limit  *the address space is limited to 15[0-9] MB'
    finish 0
) || failed=$((failed + 1))
ends 0 doctor --device 0 --json
is_json "$dir/stdout" && pass || flunk 'doctor --json with a device'
says stdout '"check":"self-test","ok":true'
ends 1 doctor --device nowhere
says stdout "^context  *no device 'nowhere'"
finish 0
