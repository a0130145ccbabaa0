#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve with complex systems.
# Usage: test_complex.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# file NAME KIND: a Matrix Market file of the standard input
file()
{
    {
        echo "%%MatrixMarket matrix $2"
        cat
    } >"$1"
}

# numbers FILE WORDS...: x of FILE is complex and differs from these numbers by
# rounding alone
numbers()
{
    name=$1
    shift
    echo "$@" | awk -v name="$name" '{
        getline banner <name
        getline sizes <name
        good = banner == "%%MatrixMarket matrix array complex general"
        for (k = 1; k <= NF; k += 2) {
            if ((getline line <name) <= 0)
                exit 1
            split(line, part, " ")
            d = part[1] - $k
            e = part[2] - $(k + 1)
            good = good && d * d + e * e < 1e-14
        }
        exit !good || (getline line <name) > 0
    }' && pass || { flunk "$name is not $*:"; cat "$name"; }
}

# x = (1, i)
file A.mtx 'coordinate complex general' <<'EOF'
2 2 3
1 1 1 1
2 1 2 0
2 2 3 -1
EOF
printf '2 1\n1 1\n3 3\n' | file b.mtx 'array complex general'
# the same, transposed and conjugated where it is mirrored: b = H (1, i)
file H.mtx 'coordinate complex hermitian' <<'EOF'
2 2 3
1 1 4 0
2 1 1 2
2 2 5 0
EOF
printf '2 2\n6 1\n1 7\n4 0\n1 2\n' | file bh.mtx 'array complex general'
printf '2 1\n1\n0\n' | file real.mtx 'array real general'
printf '3 1\n1\n0\n0\n' | file long.mtx 'array real general'
printf '2 2 2\n1 1 2\n2 2 4\n' | file R.mtx 'coordinate real general'
printf '2 2 1\n1 1 2 0\n' | file empty.mtx 'coordinate complex general'
printf '2 2 1\n1 1 2 1\n' | file bad.mtx 'coordinate complex hermitian'

# ---------------------------------------------------------------- refused

refused 3 'b.mtx is complex, but R.mtx is real' R.mtx -b b.mtx
refused 3 'b.mtx is complex, but R.mtx is real' R.mtx --x0 b.mtx
refused 3 'long.mtx is 3 x 1, but A.mtx needs a right-hand side of 2 x 1' A.mtx -b long.mtx
refused 3 'row 2 of empty.mtx has no nonzero entry' empty.mtx
refused 3 'bad.mtx:3: expected a real entry on the diagonal' bad.mtx
refused 2 'nullspace needs a real matrix, but A.mtx is complex' A.mtx --nullspace constant
refused 2 'near-null needs a real matrix' A.mtx --near-null b.mtx

# ---------------------------------------------------------------- solved

ends 0 A.mtx -b b.mtx -o x.mtx --rtol 1e-12
says stdout '^matrix  *A.mtx: 2 complex rows, 3 nonzeros$'
says stdout '^real form  *4 rows, '
numbers x.mtx 1 0 0 1

ends 0 H.mtx -b bh.mtx -o x.mtx --rtol 1e-12 --json
says stdout '"complex_rows":2,"rows":4,"cols":4,"nnz":16,'
says stdout '"solver":"cg"'
numbers x.mtx 1 0 0 1 1 0 0 0

ends 0 R.mtx -b real.mtx -o y.mtx
says in/y.mtx '^%%MatrixMarket matrix array real general$'

# real right-hand side: x = (1 - i) / 2, -2 / (3 - i) x_1
ends 0 A.mtx -b real.mtx --x0 real.mtx -o x.mtx --rtol 1e-12
numbers x.mtx 0.5 -0.5 -0.4 0.2

ends 0 --problem helmholtz:8,3 --rhs A*ones --rtol 1e-10
says stdout '^matrix  *helmholtz:8,3: 512 complex rows, 3200 nonzeros$'
says stdout '^error  *[0-9.]*e-[01][0-9]'

# ---------------------------------------------------------------- converted

ends 0 convert H.mtx G.mtx
says stdout '(Hermitian file)'
says in/G.mtx '^1 2 1 -2$'
says in/G.mtx '^2 1 1 2$'
ends 0 convert b.mtx c.mtx --json
says stdout '"vector":{"name":"b.mtx","complex_rows":2,"rows":4,"cols":1}'
numbers c.mtx 1 1 3 3

finish 0
