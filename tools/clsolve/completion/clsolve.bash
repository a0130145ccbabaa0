# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash. Commands, options and values come from clsolve --help.

# The words of a section of the help text.
_clsolve_commands()
{
    awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'
}

_clsolve_options()
{
    awk '/^  -/ { sub(/,/, "", $1); print $1; if ($2 ~ /^--/) print $2 }'
}

# _clsolve_values OPTION: the values that are words, not placeholders.
_clsolve_values()
{
    awk -v option="$1" '/^  -/ && $1 == option {
        n = split($2, value, "|")
        for (i = 1; i <= n; ++i)
            if (value[i] !~ /[A-Z]/ && value[i] ~ /^[a-z]/) print value[i]
    }'
}

_clsolve()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} help words=
    [[ $prev = = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $cur = = ]] && cur= prev=${COMP_WORDS[COMP_CWORD - 1]}
    help=$("${COMP_WORDS[0]}" --help 2>/dev/null) || return
    if [[ $prev = --* ]]; then
        words=$(_clsolve_values "$prev" <<<"$help")
    fi
    if [[ -z $words && $cur = -* ]]; then
        words=$(_clsolve_options <<<"$help")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ -z $words && $COMP_CWORD = 1 ]]; then
        words=$(_clsolve_commands <<<"$help")
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur" && compgen -f -- "$cur")
    fi
}

# Without a reply, files.
complete -o default -F _clsolve clsolve
