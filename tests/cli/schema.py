# SPDX-License-Identifier: BSD-3-Clause
# Checks JSON records against a JSON schema, as far as clsolve.schema.json uses
# the language. Usage:
#   schema.py check SCHEMA RECORD     prints what is wrong
#   schema.py mutants SCHEMA RECORD   prints damaged records that pass
#   schema.py members SCHEMA          prints the names of all members
#   schema.py steady RECORD           prints the record without "seconds"
import copy
import json
import sys

KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "minimum",
         "items", "oneOf", "required", "properties", "additionalProperties"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}


def is_a(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def find(root, schema, value, where):
    """The faults of a value, as sentences."""
    if set(schema) - KNOWN:
        raise ValueError(f"unknown keywords: {set(schema) - KNOWN}")
    if "$ref" in schema:
        yield from find(root, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, where)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_a(value, t) for t in types):
        yield f"{where}: expected {' or '.join(types)}, found {value!r}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{where}: expected {schema['const']!r}, found {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: expected one of {schema['enum']}, found {value!r}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where}: {value!r} is too small"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from find(root, schema.get("items", {}), item, f"{where}[{i}]")
    if isinstance(value, dict):
        yield from find_members(root, schema, value, where)
    if "oneOf" in schema:
        yield from find_choice(root, schema["oneOf"], value, where)


def find_members(root, schema, value, where):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}.{name}: missing"
    for name, item in value.items():
        if name in properties:
            yield from find(root, properties[name], item, f"{where}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{where}.{name}: unknown"


def find_choice(root, choices, value, where):
    faults = [list(find(root, choice, value, where)) for choice in choices]
    fits = sum(not f for f in faults)
    if fits > 1:
        yield f"{where}: fits {fits} of the choices"
    if fits == 0:
        yield from min(faults, key=len)


def mutants(value):
    """Copies of a record with a member removed, added or of another type."""
    if isinstance(value, dict):
        for name in value:
            if name not in OPTIONAL:
                yield {k: v for k, v in value.items() if k != name}
            for other in mutants(value[name]):
                yield {**value, name: other}
        yield {**value, "no_such_member": 1}
    elif isinstance(value, list) and value:
        for other in mutants(value[0]):
            yield [other] + value[1:]
    else:
        yield {"of": "another type"}


OPTIONAL = set()


def note_optional(schema):
    if isinstance(schema, dict):
        OPTIONAL.update(set(schema.get("properties", {})) - set(schema.get("required", [])))
        for part in schema.values():
            note_optional(part)
    elif isinstance(schema, list):
        for part in schema:
            note_optional(part)


def members(schema):
    if isinstance(schema, list):
        return set().union(*map(members, schema))
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})).union(*map(members, schema.values()))


def steady(value):
    if isinstance(value, list):
        return [steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {k: steady(v) for k, v in value.items() if k != "seconds"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(what, path, *record):
    first = load(path)
    if what == "members":
        print("\n".join(sorted(members(first))))
        return 0
    if what == "steady":
        print(json.dumps(steady(first), indent=1))
        return 0
    value = load(record[0])
    if what == "check":
        wrong = list(find(first, first, value, "record"))
    else:
        note_optional(first)
        wrong = [json.dumps(m) for m in mutants(value) if not list(find(first, first, m, ""))]
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
