#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a program with MPI on this machine, as root or not.
# usage: run.sh RANKS PROGRAM ARGUMENT...
set -eu
command -v mpirun >/dev/null || exit 77
ranks=$1
shift
exec mpirun -n "$ranks" --oversubscribe --allow-run-as-root "$@"
