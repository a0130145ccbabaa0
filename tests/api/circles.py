#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds circular includes in host/ and lib/. usage: circles.py SOURCE_ROOT

A header and its source count as one file. Fails if files or folders of lib/
include each other in a circle, or if production code includes lib/ref."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include "((?:host|lib)/[^"]+)"', re.MULTILINE)


def includes(root):
    """Yields (file, included file), both without extension."""
    for top in "host", "lib":
        for path in sorted((root / top).rglob("*.[ch]")):
            name = path.relative_to(root).with_suffix("")
            for target in INCLUDE.findall(path.read_text(encoding="ascii")):
                yield name, pathlib.PurePath(target).with_suffix("")


def graph(pairs):
    edges = {}
    for user, used in pairs:
        if user != used:
            edges.setdefault(user, set()).add(used)
    return edges


def circle(edges):
    """Returns a closed path, or None (depth-first search)."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for used in sorted(edges.get(node, ())):
            found = visit(used)
            if found:
                return found
        done.add(path.pop())
        return None

    for node in sorted(edges):
        found = visit(node)
        if found:
            return found
    return None


def main():
    pairs = list(includes(pathlib.Path(sys.argv[1])))
    ref = pathlib.PurePath("lib/ref")
    faults = [f"{user} includes {used}" for user, used in pairs
              if used.parent == ref and user.parent != ref]
    for edges in (graph(pairs),
                  graph((user.parent, used.parent) for user, used in pairs)):
        found = circle(edges)
        if found:
            faults.append("circle: " + " -> ".join(map(str, found)))
    print("\n".join(faults) or f"{len(pairs)} includes, no circle")
    sys.exit(1 if faults or not pairs else 0)


main()
