#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank that falls silent stops the others, which the launcher leaves alone.
# usage: silent.sh RANKS PROGRAM sleeps|exits|is_killed|is_late
set -u
export LEVELCL_RANK_TIMEOUT=1
living=$(($1 - 1))
case $3 in sleeps | is_late) living=$1 ;; esac
out=$("$(dirname "$0")/run.sh" "$1" --enable-recovery "$2" "$3")
[ $? = 77 ] && exit 77
echo "$out"
[ "$(echo "$out" | grep -c '^the others stopped$')" = "$living" ]
