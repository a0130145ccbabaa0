#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Embed kernel sources: embed.py OUT.c FILE ...

FILEs are kernels (.cl) and what they include (.cl.h). A kernel becomes the list
of its parts: the headers that it includes, each once and after those that it
needs itself, then its own text. The #include and #pragma once lines are left
blank, since lines keep their numbers."""
import json
import os
import re
import sys

INCLUDE = re.compile(r'^#include "(.*)"$', re.MULTILINE)


def read(paths):
    return {os.path.basename(p): open(p, encoding="ascii").read() for p in paths}


def parts(texts, name, seen=None):
    seen = [] if seen is None else seen
    for header in INCLUDE.findall(texts[name]):
        if header not in seen:
            parts(texts, header, seen)
    seen.append(name)
    return seen


def symbol(name):
    return "text_" + re.sub(r"\W", "_", name)


def literal(name, text):
    lines = [re.sub(r"^#(include .*|pragma once)$", "", line)
             for line in text.split("\n")]
    return "\n".join("    " + json.dumps(line + "\n")
                     for line in [f'#line 1 "{name}"'] + lines)


def main():
    texts = read(sys.argv[2:])
    kernels = [name for name in texts if name.endswith(".cl")]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "host/kernel_sources.h"\n')
        for name, text in texts.items():
            out.write(f"static const char {symbol(name)}[] =\n"
                      f"{literal(name, text)};\n")
        for name in kernels:
            listed = ", ".join(map(symbol, parts(texts, name)))
            out.write(f"static const char *const parts_of_{symbol(name)}[] = "
                      f"{{{listed}, 0}};\n")
        out.write("const struct lcl_source lcl_sources[] = {\n")
        for name in kernels:
            out.write(f'    {{"{name}", parts_of_{symbol(name)}}},\n')
        out.write("    {0, 0},\n};\n")


main()
