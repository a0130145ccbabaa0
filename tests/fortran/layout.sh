#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The constants and structs of levelcl.f90 are those of the headers, as a C
# compiler sees them.
# usage: layout.sh INCLUDE_DIR        (CC: the compiler)
set -eu
include=$1
asserts=$(awk '
    /parameter.*:: LCL_/ { print "_Static_assert(" $(NF - 2) " == " $NF ", \"" $(NF - 2) "\");" }
    /parameter.*:: OPTIONS_WORDS/ { print "_Static_assert(sizeof(struct lcl_options) == 8 * " $NF ", \"options\");" }
    /parameter.*:: (PRECOND|SOLVER)_WORD/ {
        field = tolower($(NF - 2)); sub(/_word/, "", field)
        print "_Static_assert(offsetof(struct lcl_options, " field ") == 8 * " $NF ", \"" field "\");"
    }
    /^ *type, bind\(c\)/ { struct = $NF; members = ""; count = 0; next }
    /^ *end type/ && struct != "" {
        print "struct f_" struct " {" members " };"
        print "_Static_assert(sizeof(struct f_" struct ") == sizeof(struct " struct "), \"" struct "\");"
        for (i = 0; i < count; ++i) {
            print "_Static_assert(offsetof(struct f_" struct ", " name[i] ") == offsetof(struct " struct ", " name[i] "), \"" name[i] "\");"
            print "_Static_assert(REAL(((struct f_" struct " *)0)->" name[i] ") == REAL(((struct " struct " *)0)->" name[i] "), \"" name[i] "\");"
        }
        struct = ""
    }
    struct != "" {
        type = $1
        sub(/integer\(c_int\)/, "int", type); sub(/integer\(c_int64_t\)/, "int64_t", type)
        sub(/real\(c_double\)/, "double", type); sub(/logical\(c_bool\)/, "bool", type)
        sub(/type\(c_(ptr|funptr)\)/, "void *", type); sub(/type\(lcl_log\)/, "struct f_lcl_log", type)
        name[count++] = $3
        members = members " " type " " $3 ";"
    }' "$include/levelcl/levelcl.f90")
# how many of each there are at least
[ "$(echo "$asserts" | grep -c 'LCL_')" -ge 22 ]
[ "$(echo "$asserts" | grep -c 'offsetof')" -ge 40 ]
${CC:-cc} -std=c11 "-I$include" -fsyntax-only -x c - <<END
#include <levelcl/levelcl.h>
#include <stddef.h>
#define REAL(x) _Generic((x), double: 1, default: 0)
$asserts
END
