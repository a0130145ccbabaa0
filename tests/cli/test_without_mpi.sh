#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A clsolve that was built without MPI does not solve once in each process of a
# launcher. Usage: test_without_mpi.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"
export OCL_ICD_VENDORS="$dir/none"

# launched VARIABLE=VALUE...: one process of several is refused
launched()
{
    (
        export "$@"
        refused 2 'built without MPI; install MPI (Debian: libopenmpi-dev)' --problem lap3d:4
        finish 0
    ) || failed=$((failed + 1))
}

launched OMPI_COMM_WORLD_SIZE=4
launched PMI_SIZE=2
launched MPI_LOCALNRANKS=2 MPI_LOCALRANKID=0
launched PMIX_RANK=1
launched PMIX_RANK=0 SLURM_STEP_NUM_TASKS=3
refused 2 '--mpi on: this clsolve was built without MPI' --problem lap3d:4 --mpi on

# Without a device the solve ends with 4.
OMPI_COMM_WORLD_SIZE=4 refused 4 'OpenCL' --problem lap3d:4 --mpi off
OMPI_COMM_WORLD_SIZE=1 refused 4 'OpenCL' --problem lap3d:4
SLURM_STEP_NUM_TASKS=3 refused 4 'OpenCL' --problem lap3d:4

# What other commands do, each process does.
PMI_SIZE=2 ends 0 convert --problem lap3d:4 "$dir/out/A.mtx"
says stderr 'warning: one of several processes, each of which does all of clsolve convert'
PMI_SIZE=1 ends 0 convert --problem lap3d:4 "$dir/out/A.mtx"
[ ! -s "$dir/stderr" ] && pass || flunk 'a warning to one process'
finish 0
