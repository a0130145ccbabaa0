#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiles the Fortran module and its tests, and runs them.
# usage: run.sh SOURCE INCLUDE_DIR LIBRARY_DIR
set -eu
source=$1 include=$2 library=$3
fc=${FC:-gfortran}
command -v "$fc" >/dev/null || { echo "no $fc"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# gfortran 12 takes arrays that an assignment allocates for uninitialised
"$fc" -std=f2018 -pedantic -Wall -Wextra -Werror -fcheck=all \
    -Wno-maybe-uninitialized "$include/levelcl/levelcl.f90" "$source" -o program "-L$library" -llevelcl
export LD_LIBRARY_PATH="$library:${LD_LIBRARY_PATH-}"
./program

# an error without `status` ends the program
if ./program stop >said 2>&1; then
    cat said
    exit 1
fi
grep -F nosuchdevice said
! grep -F 'went on' said
