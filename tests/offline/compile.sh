#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiles kernel sources offline for GPUs and prints the resources of each. The
# name of a source selects its targets:
#   NAME.W64.*-amd.cl   gfx90a
#   NAME.W32.*-amd.cl   gfx1030
#   NAME-nv_ptx.cl      sm_90
#   NAME-khr.cl         syntax only: no target has these shuffles
#   NAME-intel.cl       not compiled: clang does not know all these shuffles
#   any other NAME.cl   syntax only: the same kernels without shuffles
# NAME.system_fence-... has fences that order what the host sees.
# NAME.full...-amd.cl has the largest subdomains of the published solves: no
# register is spilled; NAME.full_add...-amd.cl only for gfx90a, whose instruction
# adds fp64 in local memory.
# No source for AMD needs more than 64 KiB of local memory.
# Sources of a default solve also for gfx942, gfx1100 and sm_80; no register of
# theirs may be spilled.
# Without clang-19, libclc-19 and rocm-device-libs: syntax only.
# usage: compile.sh FOLDER           every .cl file in it
#        compile.sh FOLDER DUMPER    empties the folder, then DUMPER FOLDER fills it
# Exit status 77: clang is not installed.
set -u
here=$(cd "$(dirname "$0")" && pwd)

# ------------------------------------------------------------------ compilers

# local variables belong to the group: one work-item sets them for all
opencl='-x cl -Xclang -finclude-default-header -Dasm=__asm__ -Wall -Werror -Wno-unused-function -Wno-sometimes-uninitialized'
nv_ext=+cl_khr_fp64,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics
libclc=/usr/lib/clc/nvptx64--nvidiacl.bc

find_compilers() {
    for clang in clang-19 clang-15 clang-14 clang ''; do
        command -v "$clang" >/dev/null && break
    done
    rocm=$(find /usr/lib/*/amdgcn/bitcode /opt/rocm/amdgcn/bitcode \
        -name ocml.bc 2>/dev/null | head -n 1)
    rocm=${rocm%/ocml.bc}
    full=no
    [ "$clang" = clang-19 ] && [ -n "$rocm" ] && [ -e $libclc ] && full=yes
    ptxas=$(command -v ptxas || command -v /usr/local/cuda/bin/ptxas)
    export clang rocm full ptxas
}

# the flags are several words
# shellcheck disable=SC2086
{
syntax() {
    case $1 in
    *-amd.cl) target='amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib' ;;
    *-nv_ptx.cl) target=nvptx64-nvidia-nvcl ;;
    *) target=spir64-unknown-unknown ;;
    esac
    $clang $opencl -cl-std=CL2.0 -target $target -fsyntax-only \
        -Xclang -cl-ext=+cl_khr_subgroup_shuffle -Wno-ignored-pragmas "$1" ||
        return
    note "syntax"
}

# amd FILE CHIP [FLAG]
amd() {
    $clang $opencl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa "-mcpu=$2" ${3-} \
        "--rocm-device-lib-path=$rocm" -O3 -S -o "$tmp/out.s" "$1" || return
    if grep -q s_swappc_b64 "$tmp/out.s"; then
        echo "a call is left: $(grep -o '[A-Za-z0-9_]*@rel32@lo' \
            "$tmp/out.s" | sort -u | tr '\n' ' ')"
        return 1
    fi
    case $2 in
    gfx9*) expect_fence "$1" "$tmp/out.s" buffer_wbl2 ;;
    *) expect_fence "$1" "$tmp/out.s" buffer_gl1_inv ;;
    esac || return
    if [ "$(most group_segment_fixed_size)" -gt 65536 ]; then
        echo "$(most group_segment_fixed_size) B of local memory on $2"
        return 1
    fi
    note "$2: $(most vgpr_count) VGPR, $(most vgpr_spill_count) spilled," \
        "$(most private_segment_fixed_size) B scratch," \
        "$(most group_segment_fixed_size) B local"
}

# amd_like FILE CHIP ISA WAVE: a chip that the device libraries do not know, with
# those of another one and a wave64 that is on or off
amd_like() {
    libraries=
    for l in opencl ocml ockl "oclc_isa_version_$3" "oclc_wavefrontsize64_$4" \
        oclc_finite_only_off oclc_unsafe_math_off oclc_daz_opt_off \
        oclc_correctly_rounded_sqrt_on oclc_abi_version_500; do
        libraries="$libraries -Xclang -mlink-builtin-bitcode -Xclang $rocm/$l.bc"
    done
    amd "$1" "$2" "-nogpulib -mcode-object-version=5 $libraries"
}

# nvidia FILE CHIP
nvidia() {
    $clang $opencl -cl-std=CL1.2 --target=nvptx64-nvidia-nvcl \
        -Xclang -target-cpu -Xclang "$2" -Xclang "-cl-ext=$nv_ext" \
        -Xclang -mlink-builtin-bitcode -Xclang $libclc -Wno-linker-warnings \
        -include "$here/nv_atomics.h" -O3 -S -o "$tmp/out.ptx" "$1" &&
        expect_fence "$1" "$tmp/out.ptx" membar.sys || return
    if [ -z "$ptxas" ]; then
        undefined=$(undefined_ptx "$tmp/out.ptx")
        [ -z "$undefined" ] || { echo "a call is left: $undefined"; return 1; }
        note "$2: PTX"
        return
    fi
    "$ptxas" -v "-arch=$2" -o "$tmp/out.cubin" "$tmp/out.ptx" \
        >"$tmp/ptxas" 2>&1 || { cat "$tmp/ptxas"; return 1; }
    note "$2: $(largest 'registers' "$tmp/ptxas") registers," \
        "$(largest 'bytes spill stores' "$tmp/ptxas") B spilled," \
        "$(largest 'bytes smem' "$tmp/ptxas") B local"
}
}

# --------------------------------------------------------------- measurements

# The largest value of a field among the kernels of an AMD assembly file.
most() {
    awk -v field=".$1:" '$1 == field || $2 == field {
        if ($NF + 0 > m) m = $NF + 0 } END {print m + 0}' "$tmp/out.s"
}

# largest UNIT FILE: the largest "N UNIT" of ptxas.
largest() {
    grep -oE "[0-9]+ $1" "$2" | awk '$1 > m {m = $1} END {print m + 0}'
}

# Functions that a PTX file declares but does not define.
undefined_ptx() {
    awk '/\.(func|entry)/ {gsub(/\([^)]*\)/, ""); sub(/\($/, ""); name = $NF}
        /^;/ {declared[name]} /^{/ {defined[name]}
        END {for (f in declared) if (!(f in defined)) print f}' "$1"
}

# expect_fence FILE CODE INSTRUCTION: a source of this name has it twice, in the
# kernel that sends and in the one that receives
expect_fence() {
    case $1 in
    *.system_fence-*)
        [ "$(grep -c "$3" "$2")" -ge 2 ] ||
            { echo "no fence of the system: $3"; return 1; } ;;
    esac
}

note() {
    report="$report | $*"
}

# -------------------------------------------------------------------- sources

compile() {
    case $full$1 in
    *-intel.cl) note "not compiled" ;;
    no*) syntax "$1" ;;
    *-nv_ptx.cl) nvidia "$1" sm_90 ;;
    *.W64.*-amd.cl) amd "$1" gfx90a ;;
    *-amd.cl) amd "$1" gfx1030 ;;
    *) syntax "$1" ;;
    esac
}

# The same for newer and older chips, and no spills.
compile_default() {
    [ "$full" = yes ] || return 0
    case $1 in
    *-nv_ptx.cl) nvidia "$1" sm_80 ;;
    *.W64.*-amd.cl) amd_like "$1" gfx942 90a on ;;
    *.W32.*-amd.cl) amd_like "$1" gfx1100 1030 off ;;
    *) ;;
    esac || return
    expect_no_spill
}

expect_no_spill() {
    case $report in
    *[1-9]' spilled'* | *[1-9]0' spilled'* | *[1-9]' B spilled'* | \
    *[1-9]0' B spilled'*)
        echo "registers are spilled:$report"
        return 1 ;;
    esac
}

is_default() {
    case ${1##*/} in
    check_csr.* | match.* | contract.* | number.* | prefix_sum.* | \
    symbolic.* | ildu0.* | dilu.* | store.* | packed.* | packed_block.* | \
    coarse.* | coarse_pattern.* | dense.* | csr.* | sliced.* | slices.* | \
    vector.* | bicgstab.* | cg.* | cg_pipelined.* | minres.* | diagonal.* | properties.* | \
    natural_block.* | to_blocks.* | spgemm.* | spgemm_long.* | transpose.* | cycle.* | prolongator.* | \
    strength.* | aggregate.* | judge.* | verify.*)
        true ;;
    *) false ;;
    esac
}

is_full() {
    case ${1##*/} in *.full*) true ;; *) false ;; esac
}

# Prints one line per file, and the compiler's output after a failure.
one() {
    tmp=$(mktemp -d) || exit 1
    trap 'rm -rf "$tmp"' EXIT
    report=
    if {
        compile "$1" && { ! is_default "$1" || compile_default "$1"; } &&
            { ! is_full "$1" || expect_no_spill; }
    } >"$tmp/said" 2>&1; then
        echo "${1##*/}$report"
    else
        echo "FAIL ${1##*/}$report"
        cat "$tmp/said"
        exit 1
    fi
}

if [ "$1" = --one ]; then
    one "$2"
    exit
fi

find_compilers
[ -n "$clang" ] || { echo "no clang"; exit 77; }
if [ $# -gt 1 ]; then
    rm -rf "$1"
    mkdir -p "$1"
    "$2" "$1" >/dev/null || { echo "$2 failed"; exit 1; }
fi
echo "$clang, full compile: $full, ptxas: ${ptxas:-none}"
find "$1" -name '*.cl' | grep -q . || { echo "no source in $1"; exit 1; }
find "$1" -name '*.cl' -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" "$0" --one
