#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the tables of publications.md: runs each of its commands, except those of
# files that are not in the current folder.
# usage: publications.sh LEVELBENCH [WORD]      WORD: commands that contain it only
set -eu
bench=$1 word=${2-}
page=$(dirname "$0")/publications.md

# lacks ARGUMENT...: whether a file is missing
lacks() {
    for argument; do
        case $argument in
        *.mtx) [ -e "$argument" ] || return 0 ;;
        esac
    done
    return 1
}

# the arguments are words
# shellcheck disable=SC2016,SC2086
grep -o '`levelbench [^`]*`' "$page" | tr -d '`' | sort -u | grep -e "$word" |
    while read -r name arguments; do
        echo "== $name $arguments"
        if lacks $arguments; then
            echo 'not run: a file is missing'
        else
            "$bench" $arguments </dev/null
        fi
        echo
    done
