#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the documents as HTML into a folder, with the manual pages and the files
# that pages link to. Needs mkdocs and mandoc, Debian's packages of these names.
# usage: build.sh FOLDER
set -eu
[ $# -eq 1 ] || { echo 'usage: build.sh FOLDER' >&2 && exit 2; }
out=$(realpath -m "$1")
top=$(cd "$(dirname "$0")/.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# MkDocs wants its pages below its own file: a copy of the tree, as far as links go.
mkdir "$stage/tree"
cp "$top/docs/mkdocs.yml" "$stage"
cd "$top"
for page in *.md cl/README.md docs/*.md; do
    mkdir -p "$stage/tree/$(dirname "$page")"
    # manual pages become HTML
    sed -E 's|(\]\([^)]*\.[0-9])\)|\1.html)|g' "$page" >"$stage/tree/$page"
    grep -oE '\]\([^)#:]+' "$page" | cut -c 3- | while read -r target; do
        file=$(realpath --relative-to=. "$(dirname "$page")/$target")
        mkdir -p "$stage/tree/$(dirname "$file")"
        case $file in
        *.md) ;;
        *.[0-9]) mandoc -T html -O "man=%N.%S.html" "$file" >"$stage/tree/$file.html" ;;
        *) cp "$file" "$stage/tree/$file" ;;
        esac
    done
done
mkdocs build --quiet --strict --config-file "$stage/mkdocs.yml" --site-dir "$out"
