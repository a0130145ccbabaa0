#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The records of clsolve --json: they agree with the schema, which accepts no
# others, and do not differ from run to run outside "seconds".
# Usage: test_json.sh CLSOLVE SCHEMA
set -u
schema=$2 checker=$(cd "$(dirname "$0")" && pwd)/schema.py
. "$(dirname "$0")/checks.sh"

command -v python3 >/dev/null || { echo 'no python3'; finish 77; }

check()
{
    python3 -B "$checker" "$@"
}

# agrees CODE ARGS...: runs clsolve with --json and checks the record.
agrees()
{
    want=$1
    shift
    ends "$want" "$@" --json
    if wrong=$(check check "$schema" "$dir/stdout"); then
        pass
    else
        flunk "clsolve $* --json: $wrong"
    fi
}

# rejects_others: damaged copies of the last record do not pass
rejects_others()
{
    if accepted=$(check mutants "$schema" "$dir/stdout"); then
        pass
    else
        flunk "the schema accepts $accepted"
    fi
}

# repeats ARGS...: two records are equal without "seconds"
repeats()
{
    for run in 1 2; do
        ends 0 "$@" --json
        check steady "$dir/stdout" >"record$run.txt"
    done
    if cmp -s record1.txt record2.txt; then
        pass
    else
        flunk "two runs of clsolve $* differ:"
        diff record1.txt record2.txt
    fi
}

# number WORD: the number of a member, or of the last member of that name
number()
{
    sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$dir/stdout"
}

# adds_up COPIES: the objects of the last record take all memory, and the
# solver's at least 4 vectors of 512 rows a device
adds_up()
{
    sed 's/.*"memory"/"memory"/' "$dir/stdout" >memory.json
    op=$(number operator_bytes) precond=$(number precond_bytes)
    other=$(number other_bytes) sum=$(number buffer_bytes)
    own=$(sed 's/.*"operator":{[^}]*"bytes":\([0-9]*\).*/\1/' "$dir/stdout")
    factors=$(number factor_bytes) coarse=$(number coarse_bytes)
    [ $((op + precond + other)) = "$sum" ] && pass ||
        flunk "$op + $precond + $other bytes, but $sum in all"
    [ "$other" -ge 16384 ] && pass || flunk "only $other bytes for vectors"
    [ "$(number buffer_bytes_max)" -ge "$sum" ] && [ "$(number device_bytes)" -ge "$sum" ] &&
        [ "$(number pinned_bytes)" -gt 0 ] && [ "$(number buffers)" -gt "$1" ] && pass ||
        flunk "memory: $(cat memory.json)"
}

for name in $(check members "$schema"); do
    case $name in
    *[!a-z0-9_]*) flunk "$name has another style" ;;
    *) pass ;;
    esac
done

printf '1 1 4\n1 2 1\n2 1 1\n2 2 3\n' | matrix two.mtx 2 2 4
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n' >b.mtx

agrees 2 two.mtx --rtol 2
rejects_others
agrees 3 missing.mtx
agrees 0 convert two.mtx "$dir/out/A.petsc"
rejects_others
agrees 0 convert b.mtx "$dir/out/b.mtx"

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }
agrees 4 two.mtx --device 99
agrees 0 devices
rejects_others
agrees 0 devices --device 0
agrees 0 warm --for indefinite
rejects_others
clsolve doctor --json
wrong=$(check check "$schema" "$dir/stdout") && pass || flunk "clsolve doctor: $wrong"
agrees 0 two.mtx --dry-run
rejects_others
agrees 0 info two.mtx
agrees 0 info --problem lap3d:8 --precond amg --amg-coarse-rows 50
agrees 0 two.mtx -b b.mtx --x0 b.mtx -o "$dir/out/x.mtx"
says stdout '"columns":\['
agrees 0 two.mtx -b b.mtx --precond jacobi
says stdout '"columns":.*"precond_solves":1,"precond_updates":0,.*"precond_solves":2,"precond_updates":0,'
agrees 0 two.mtx --rhs 'A*ones' --solver gmres --precond block-jacobi
agrees 1 --problem lap3d:8 --max-iters 2
says stdout '"history":\[1,[0-9.e-]*,[0-9.e-]*\],'
agrees 0 --problem lap3d:8 --solver idr --precond ildu0 --profile
rejects_others
agrees 0 --problem kron:2,2,2,2
for args in '--precond ildu0 --coarse mult' '--precond amg --amg-coarse-rows 50' '--precond none --solver gmres'; do
    # shellcheck disable=SC2086
    agrees 0 --problem lap3d:12 $args
    adds_up 1
    [ $((own + factors + coarse)) = $((op + precond)) ] && pass ||
        flunk "$args: $own + $factors + $coarse bytes, but $op + $precond"
done
agrees 0 tune two.mtx --solver bicgstab --precond jacobi
agrees 0 compare two.mtx --runs 6 --a '--solver bicgstab --precond jacobi' \
    --b '--solver cg --precond jacobi'

# LeakSanitizer crashes now and then with several devices of PoCL.
export POCL_DEVICES='pthread pthread' ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
clsolve devices
if [ "$(grep -c '^[0-9]' "$dir/stdout")" -ge 2 ]; then
    agrees 0 --problem lap3d:8 --devices 0,1
    rejects_others
    adds_up 2
    agrees 0 --problem kron:2,2,2,2 --devices 0,1
    agrees 0 devices --bandwidth
fi
unset POCL_DEVICES

repeats --problem lap3d:8
repeats info --problem lap3d:8
finish 0
