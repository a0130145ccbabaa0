#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve(1) explains every word of the report, every option and method, and its
# synopsis has all options of clsolve itself.
# Usage: test_manual.sh CLSOLVE TOOLS
set -u
page=$2/clsolve.1 tools=$2
. "$(dirname "$0")/checks.sh"

# section NAME: its lines
section()
{
    awk -v name="$1" '/^\.Sh / { on = $0 == ".Sh " name } on' "$page"
}

# lacks SECTION WORD PATTERN: unless a line of the section matches
lacks()
{
    section "$1" | grep -Eq -e "$3" && pass || flunk "clsolve(1), $1 lacks $2"
}

clsolve --help
sed -n '/^Input and output/,/^Method/p' "$dir/stdout" | grep -oE '^  -[^ ]*( --[^ ]*)?' |
    tr -d ' ' | tr , '\n' >own.txt
sed -n '/^Method/,/^Exit/p' "$dir/stdout" | grep -oE '^  --[^ ]*' | tr -d ' ' >method.txt
[ -s own.txt ] && [ -s method.txt ] && pass || flunk 'no options in the help'
while read -r option; do
    name=${option#-}
    lacks SYNOPSIS "$option" "Fl ([a-z]*$name[a-z]*|$name)( |\$|[|])|[|] $name( |\$)"
    lacks DESCRIPTION "$option" "^\.It .*(Fl|,) $name( |\$)"
done <own.txt
while read -r option; do
    lacks DESCRIPTION "$option" "^\.It Fl ${option#-}( |\$)"
done <method.txt

# Words of the report stand in the first column, or after two blanks.
sed -n 's/.*\(line\|rows_with\)("\([a-z][a-z ]*\)".*/\2/p' "$tools"/report_text.c | sort -u |
    while read -r word; do
        section REPORT | grep -Eq "^\.It Cm (.* , )*$word( ,|\$)" || echo "$word"
    done >missing.txt
[ ! -s missing.txt ] && pass || flunk "clsolve(1), REPORT lacks $(tr '\n' ' ' <missing.txt)"
for phase in read partition symbolic compile numeric upload solve other; do
    lacks REPORT "$phase" "^\.Cm $phase( ,)?\$"
done

# The first paragraphs name all methods.
for kind in solver precond; do
    for name in $(grep -oE "^  --$kind [^ ]*" "$dir/stdout" | sed 's/.* //' | tr '|' ' '); do
        [ "$name" = auto ] && continue
        section DESCRIPTION | sed '/^\.Ss/q' | grep -Eq "^\.Cm (.* , )*$name( [,;.]|\$)" &&
            pass || flunk "DESCRIPTION does not name $name"
    done
done
finish 0
