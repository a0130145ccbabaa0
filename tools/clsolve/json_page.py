#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual page of the JSON records: the members as the schema
describes them, in the place of @MEMBERS@ of the page.
usage: json_page.py SCHEMA PAGE OUTPUT"""
import json
import sys
import textwrap

COMMON = {"schema", "version", "command", "exit"}  # the page describes them


def members(part, prefix=""):
    """Paths and schemas of all members of an object, a choice or a list."""
    for choice in part.get("oneOf", []):
        yield from members(choice, prefix)
    if "items" in part:
        yield from members(part["items"], prefix)
    for name, member in part.get("properties", {}).items():
        yield prefix + name, member
        yield from members(member, f"{prefix}{name}.")


def section_of(name, part):
    return part.get("title", name.removesuffix("_record"))


def text_of(member, defs):
    """The description, and the section of what the member refers to."""
    name = (member.get("$ref") or member.get("items", {}).get("$ref", "")).removeprefix("#/$defs/")
    part = defs.get(name, {})
    see = f"see {section_of(name, part)}" if "properties" in part or "oneOf" in part else ""
    return "; ".join(filter(None, [member.get("description"), see]))


def sections(defs):
    """Records first; parts with one title share a section."""
    found = {}
    for name in sorted(defs, key=lambda name: not name.endswith("_record")):
        part = defs[name]
        for path, member in members(part):
            section = found.setdefault(section_of(name, part), {})
            section[path] = section.get(path) or text_of(member, defs)
            if "properties" in member and not section[path]:
                del section[path]  # its members say all
    return found


def introductions(defs):
    return {section_of(name, part): part["description"] for name, part in reversed(defs.items())
            if "description" in part}


def sentence(text):
    text = (text[0].upper() + text[1:] + ".").replace("\\", "\\e").replace("-", "\\-")
    return textwrap.fill(text, 78, break_on_hyphens=False)


def page(defs):
    intro = introductions(defs)
    for title, section in sections(defs).items():
        yield f".Ss {title}"
        if title in intro:
            yield sentence(intro[title])
        yield ".Bl -tag -width Ds"
        for path, text in section.items():
            if path in COMMON and not text:
                continue
            if not text:
                sys.exit(f"{title}: {path} has no description")
            yield f".It Cm {path}\n{sentence(text)}"
        yield ".El"


def main(schema, template, output):
    with open(schema, encoding="utf-8") as file:
        defs = json.load(file)["$defs"]
    with open(template, encoding="utf-8") as file:
        text = file.read()
    with open(output, "w", encoding="utf-8") as file:
        file.write(text.replace("@MEMBERS@", "\n".join(page(defs))))


main(*sys.argv[1:])
