#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks rules of the source tree that no compiler checks.
# usage: style.sh SOURCE_ROOT
set -u
cd "$1" || exit 1
rc=0

# report RULE: fails if the standard input is not empty, and prints it. It runs in
# a subshell at the end of a pipe: only its status leaves that.
report() {
    lines=$(cat)
    [ -z "$lines" ] && return
    printf '%s:\n%s\n' "$1" "$lines"
    return 1
}

# The source files of some folders.
sources() {
    find "$@" -name '*.[ch]' -o -name '*.cl' -o -name '*.[ch]pp'
}

# Include lines of the files on standard input, as FILE:LINE:#include ...
includes() {
    xargs -r grep -nHE '^[[:space:]]*#[[:space:]]*include'
}

sources include host lib tools tests | includes |
    grep -E '[<"]CL/' | grep -vE '^(host/|include/levelcl/opencl\.h:)' |
    report 'OpenCL outside host/ and <levelcl/opencl.h>' || rc=1
sources include host lib tools | includes | grep -F '<mpi.h>' |
    grep -vE '^lib/comm/mpi\.c:' |
    report 'MPI outside lib/comm/mpi.c' || rc=1
sources include | includes | grep -E '"|<(host|lib|cl|tools|tests)/' |
    report 'include/ needs more than public and system headers' || rc=1
sources host | includes | grep -E '[<"](lib|tools|tests)/' |
    report 'host/ needs a layer above it' || rc=1
sources lib | includes | grep -E '[<"](tools|tests)/' |
    report 'lib/ needs a layer above it' || rc=1
sources cl | includes | grep -vE '"[a-z0-9_]+\.cl\.h"|^cl/bundles/' |
    report 'cl/ needs more than its own headers' || rc=1
sources include host cl lib tools tests | includes | grep -F '../' |
    report 'include by a relative path' || rc=1
sources include host cl lib tools tests | xargs -r awk '
    FNR == 1 && /SPDX-License-Identifier: BSD-3-Clause/ { ok[FILENAME] }
    END { for (i = 1; i < ARGC; ++i) if (!(ARGV[i] in ok)) print ARGV[i] }' |
    report 'no SPDX line at the top' || rc=1

# number NAME: the number or string that <levelcl/version.h> defines
number() {
    awk -v name="$1" '$2 == name { gsub(/"/, ""); print $3 }' include/levelcl/version.h
}

version=$(number LCL_VERSION)
head -n 1 debian/changelog | grep -vF "levelcl ($version-" |
    report 'another version in debian/changelog' || rc=1
grep '^version:' CITATION.cff | grep -vxF "version: $version" |
    report 'another version in CITATION.cff' || rc=1
grep -noE 'liblevelcl[0-9]+' debian/control debian/rules |
    grep -v ":liblevelcl$(number LCL_SOVERSION)\$" |
    report 'another soversion in debian/' || rc=1
exit $rc
