#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares numbers in documents with those in the code.
usage: documented.py SOURCE_ROOT TABLE

TABLE has a paragraph for each number: a line with its name, then lines
"FILE: TEXT", each of which FILE must contain, white space and comment marks
aside. Fails if a text is missing or its number has more digits."""
import pathlib
import re
import sys

MARKS = re.compile(r"^\s*(?:/\*|\*/|\*|//|\.[A-Z][a-z] )\s?|\s*\*/\s*$", re.MULTILINE)


def plain(path):
    text = path.read_text(encoding="utf-8")
    return " ".join(MARKS.sub(" ", text).replace("\\", " ").split())


def holds(text, fragment):
    return re.search(r"(?<![\d.])" + re.escape(fragment) + r"(?!\d|\.\d|e-?\d)", text)


def paragraphs(table):
    for block in table.read_text(encoding="ascii").strip().split("\n\n"):
        lines = [line for line in block.split("\n") if not line.startswith("#")]
        if lines:
            yield lines[0], [tuple(line.strip().split(": ", 1)) for line in lines[1:]]


def missing(root, table):
    texts = {}
    for name, lines in paragraphs(table):
        for file, fragment in lines:
            text = texts.setdefault(file, plain(root / file))
            if not holds(text, fragment):
                yield f"{name}: {file} does not say: {fragment}"


def main():
    root, table = map(pathlib.Path, sys.argv[1:3])
    faults = list(missing(root, table))
    print("\n".join(faults) or f"{sum(1 for _ in paragraphs(table))} numbers")
    return bool(faults)


sys.exit(main())
