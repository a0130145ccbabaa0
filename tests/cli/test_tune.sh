#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve tune: configurations that fit the matrix and the given options, ranked;
# the best one as a command that works, as key=value text, as C that compiles.
# Usage: test_tune.sh CLSOLVE INCLUDE_FOLDER...
set -u
. "$(dirname "$0")/checks.sh"
shift
includes=
for folder; do includes="$includes -I$folder"; done

printf '1 1 4\n1 2 1\n2 1 1\n2 2 3\n' | matrix 'two 2.mtx' 2 2 4
printf '1 1 1\n2 2 2\n3 3 1\n1 2 1\n2 1 1\n2 3 1\n3 2 1\n' | matrix singular.mtx 3 3 7

refused 2 'no matrix given' tune
refused 2 "unknown value 'two' for --for: expected one or many" tune --problem lap3d:4 --for two
refused 2 'for does not apply to a solve' --problem lap3d:4 --for one
refused 2 'o does not apply to clsolve tune' tune --problem lap3d:4 -o x.mtx
refused 2 "did you mean 'tune'" tun --problem lap3d:4

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }

# rows: the rows of the table; ranked COLUMNS: the first of these columns add up
# to the total, which grows from row to row, in all rows that have one.
rows()
{
    sed '1,/^ *set-up .*iterations$/d; /^$/,$d' "$dir/stdout"
}
ranked()
{
    if rows | awk -v first="$1" '
        $4 != "-" { d = $first + $3 - $4; if (d * d > 1e-7 || $4 < last) exit 1; last = $4; n++ }
        END { exit n == 0 }'; then
        pass
    else
        flunk 'the rows are not ranked:'
        cat "$dir/stdout"
    fi
}

ends 0 tune --problem lap3d:12
ranked 1
rows | grep -q ' as given: [a-z]' && pass || flunk 'the defaults are not tried'
rows | grep -q -e '--solver cg --precond ic0' && pass || flunk 'cg is not tried'
rows | grep -q -e '--precond ilut' && flunk 'ilut for a definite matrix' || pass
given=$(rows | sed -n 's/.*  as given: \([^ ]*\) \([a-z0-9-]*\).*/--solver \1 --precond \2/p')
[ -n "$given" ] && pass || flunk 'no method of the defaults'
rows | grep -q -e "  $given\$" -e "  $given  (" && flunk "$given is listed twice" || pass
ends 0 tune --problem lap3d:8 --precond ic0 --for many
says stdout '^ranked by   refresh + solve'
ranked 2
ends 0 tune --problem convdiff:8,5 --solver bicgstab --rtol 1e-10
rows | grep -q -e '--solver idr' && flunk 'another solver than given' || pass
says stdout '^as text     solver=bicgstab rtol=1e-10'
ends 0 tune --problem lap3d:8 --solver cg --subdomain-rows 100
rows | grep -q -e '--precond jacobi' && flunk 'a method without subdomains' || pass
ends 0 tune --problem kron:2,4,4,4
rows | grep -q -e '--precond block-jacobi' && pass || flunk 'kron: no block-jacobi'

# The command that it prints solves the system.
ends 0 tune 'two 2.mtx' --rhs 'A*ones' --pivot shift --precond ic0
command=$(sed -n 's/^best  *clsolve //p' "$dir/stdout")
case $command in
"'two 2.mtx' --rhs 'A*ones' "*'--pivot shift'*) pass ;;
*) flunk "the command is $command" ;;
esac
eval "ends 0 $command"
says stdout '^error .*largest'

# What it prints as C compiles.
ends 0 tune --problem lap3d:4 --precond ras --partition geometric:2,2,2 --grid 4,4,4 \
    --transversal off --ilut-p 5 --rtol 1e-9 --factor-storage fp64 --spmv csr
says stdout '^options.precond.partition.box\[2\] = 2;$'
if command -v "${CC:-cc}" >/dev/null 2>&1; then
    {
        echo '#include <levelcl/levelcl.h>'
        echo 'int main(void) {'
        sed '1,/^in C:/d' "$dir/stdout"
        echo 'return options.solver.rtol != 1e-9 || options.precond.transversal ||'
        echo 'options.precond.type != LCL_PRECOND_RAS || options.precond.partition.grid[1] != 4; }'
    } >best.c
    # shellcheck disable=SC2086
    if "${CC:-cc}" $includes -Wall -Werror best.c -o best && ./best; then
        pass
    else
        flunk 'the lines of C:'
        cat best.c
    fi
fi

ends 0 tune --problem lap3d:8 --precond ic0 --json
is_json "$dir/stdout" && pass || flunk 'tune --json'
for word in '"for":"one"' '"trials":\[{"options":' '"end":"converged"' '"refresh":' \
    '"best":{"command":"clsolve --problem lap3d:8' '"c":"struct lcl_options options' '"exit":0'; do
    says stdout "$word"
done
ends 0 tune --problem lap3d:8 --precond ic0 -q
[ ! -s "$dir/stdout" ] && [ ! -s "$dir/stderr" ] && pass || flunk '-q: not quiet'

# Nothing solves a singular system whose right-hand side is not in its range.
ends 1 tune singular.mtx --solver bicgstab --max-iters 50
says stdout '^no configuration has solved the system'
says stdout '(not converged: '
grep -q '^best' "$dir/stdout" && flunk 'a best one that fails' || pass

# An interrupt ends the search.
LEVELCL_LOG=trace "$clsolve" tune --problem lap3d:20 --precond jacobi $endless \
    >"$dir/stdout" 2>"$dir/stderr" &
child=$!
interrupt device
[ "$code" = 1 ] && pass || flunk 'an interrupt does not end the search in order'
says stderr '^clsolve: warning: interrupted: 1 of the configurations were not tried'
finish 0
