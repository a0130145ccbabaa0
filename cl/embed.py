#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Embed kernel sources: embed.py OUT.c HEADER.cl.h ... -- KERNEL.cl ...

The #include lines of the files are for tools and are left out: headers are
put before every kernel in the order given here."""
import json
import os
import re
import sys


def literal(path):
    name = os.path.basename(path)
    lines = open(path, encoding="ascii").read().split("\n")
    lines = [re.sub(r"^#include .*$", "", line) for line in lines]
    text = [f'#line 1 "{name}"'] + lines
    return name, "\n".join("    " + json.dumps(line + "\n") for line in text)


def table(out, symbol, paths):
    out.write(f"const struct lcl_source {symbol}[] = {{\n")
    for path in paths:
        name, text = literal(path)
        out.write(f'    {{"{name}",\n{text}}},\n')
    out.write("    {0, 0},\n};\n")


def main():
    target, rest = sys.argv[1], sys.argv[2:]
    split = rest.index("--")
    with open(target, "w", encoding="ascii") as out:
        out.write('#include "host/sources.h"\n')
        table(out, "lcl_source_headers", rest[:split])
        table(out, "lcl_source_kernels", rest[split + 1:])


main()
