#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares the exports of the shared library with the declarations in its headers.
# usage: exports.sh prefix LIBRARY               only lcl_ names are exported
#        exports.sh declared LIBRARY HEADER...   everything marked LCL_API is exported
set -eu
mode=$1 library=$2; shift 2

# Without the three marks of sections that the linker gold exports by itself.
exported() {
    nm -D --defined-only "$library" | awk '{print $3}' |
        grep -vx -e __bss_start -e _edata -e _end | sort -u
}

# The name before the first parenthesis of each declaration with LCL_API.
declared() {
    cat "$@" | sed '/^ *#/d' | tr '\n' ' ' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' |
        tr ';{}' '[\n*]' | sed -n 's/.*LCL_API[^(]*[ *]\(lcl_[a-z0-9_]*\) *(.*/\1/p' |
        sort -u
}

case $mode in
prefix)
    foreign=$(exported | grep -v '^lcl_' || true)
    message="exported without the prefix lcl_"
    ;;
declared)
    list=$(mktemp)
    trap 'rm -f "$list"' EXIT
    exported >"$list"
    foreign=$(declared "$@" | comm -23 - "$list")
    message="declared, not exported"
    ;;
esac
[ -z "$foreign" ] || { printf '%s:\n%s\n' "$message" "$foreign"; exit 1; }
echo "$(exported | wc -l) symbols"
