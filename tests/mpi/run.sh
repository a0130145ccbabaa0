#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a program with MPI on this machine, as root or not.
# usage: run.sh RANKS PROGRAM
set -eu
command -v mpirun >/dev/null || exit 77
exec mpirun -n "$1" --oversubscribe --allow-run-as-root "$2"
