#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The meson.build of a folder must name every tests/FOLDER/test_NAME.c as 'NAME':
# a test that is not built never fails.
# usage: registered.sh TESTS_FOLDER
set -u
cd "$1" || exit 1
rc=0
for file in */test_*.c; do
    folder=${file%/*}
    name=${file##*/test_}
    name=${name%.c}
    grep -qs "'$name'" "$folder/meson.build" && continue
    echo "tests/$file is not in tests/$folder/meson.build" >&2
    rc=1
done
exit $rc
