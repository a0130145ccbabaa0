#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PETSc's own examples, unchanged, with its block-Jacobi of ILU(0) and with
# levelcl, on two ranks. Prints the iterations of the first solve of each.
# usage: examples.sh liblevelcl_petsc.so FOLDER_OF_EXAMPLES
set -eu
library=$1
sources=$2
command -v mpirun >/dev/null && command -v mpicc >/dev/null || exit 77
[ -e "$sources/ksp/ksp/tutorials/ex2.c" ] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# solves NAME OPTION...: every solve converges, and there is one
solves() {
    name=$1
    shift
    if ! mpirun -n 2 --oversubscribe --allow-run-as-root "$folder/$name" \
        -ksp_converged_reason -ksp_rtol 1e-6 "$@" >"$folder/said" 2>&1 ||
        ! grep -q 'converged due to CONVERGED' "$folder/said" ||
        grep -q 'did not converge' "$folder/said"; then
        echo "$name $*:" >&2
        cat "$folder/said" >&2
        return 1
    fi
    its=$(sed -n '/converged due/{s/.*iterations //p;q}' "$folder/said")
}

# example NAME SOURCE OPTION...
example() {
    name=$1
    # the flags are words
    # shellcheck disable=SC2046
    mpicc $(pkg-config --cflags petsc) "$sources/$2" -o "$folder/$name" \
        $(pkg-config --libs petsc) -lm
    shift 2
    solves "$name" -pc_type bjacobi "$@"
    bjacobi=$its
    solves "$name" -dll_append "$library" -pc_type levelcl "$@"
    pc=$its
    solves "$name" -dll_append "$library" -pc_type levelcl -ksp_type levelcl "$@"
    echo "$name: bjacobi $bjacobi, -pc_type levelcl $pc, -ksp_type levelcl $its"
    [ "$pc" -le $((2 * bjacobi)) ]
}

example ex2 ksp/ksp/tutorials/ex2.c -m 30 -n 30
example ex45 ksp/ksp/tutorials/ex45.c
example ex19 snes/tutorials/ex19.c -da_refine 1
example ts_ex13 ts/tutorials/ex13.c -ts_max_steps 2
