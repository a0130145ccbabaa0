#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a report of clsolve. usage: check_report.py HTML [JSON]

Fails unless the page is well-formed XML with one title and no reference to
anything outside; with the JSON record of the same run, unless their numbers are
the same."""
import html.parser
import json
import re
import sys
import xml.etree.ElementTree as tree

FORBIDDEN = ["http:", "https:", "src=", "href", "@import", "url(", "<script",
             "<link", "<object", "<iframe"]
CONVERGED = "rtol", "atol", "zero-rhs", "test"
faults = []


def expect(condition, text):
    if not condition:
        faults.append(text)


class Balance(html.parser.HTMLParser):
    """Counts open elements as a browser does."""
    void = {"meta", "br", "hr"}

    def __init__(self):
        super().__init__()
        self.path = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.path.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        expect(self.path and self.path[-1] == tag, f"</{tag}> closes {self.path[-1:]}")
        if self.path:
            self.path.pop()


def text_of(element):
    return "".join(element.itertext())


def same(a, b):
    return a == b or (None not in (a, b) and abs(a - b) <= 1e-14 * abs(b))


def check_page(text):
    for word in FORBIDDEN:
        expect(word not in text, f"'{word}' in the page")
    parser = Balance()
    parser.feed(text)
    parser.close()
    expect(not parser.path, f"open at the end: {parser.path}")
    root = tree.fromstring(text)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    expect(len(ids) == len(set(ids)), f"an id repeats: {ids}")
    expect(len(root.findall("head/title")) == 1, "no title")
    for picture in root.iter("svg"):
        expect(text_of(picture.find("title")).strip(), "a picture without title")
        for element in picture.iter():
            for name, value in element.attrib.items():
                expect("nan" not in value and "inf" not in value,
                       f"{name}={value}")
    for figure in root.iter("figure"):
        expect(text_of(figure.find("figcaption")).strip(), "no caption")
    return root


def check_values(root, record):
    matrix, result = record["matrix"], record.get("result", {})
    known = {"rows": matrix["rows"], "nnz": matrix.get("nnz"),
             "asymmetry": matrix.get("asymmetry"),
             "rtol": record.get("method", {}).get("rtol"),
             "iterations": result.get("iterations"),
             "residual": result.get("residual"),
             "true_residual": result.get("true_residual"),
             **record["memory"]}
    found = {e.get("id"): json.loads(e.get("value")) for e in root.iter("data")}
    expect(found, "no values")
    for name, value in found.items():
        expect(same(value, known[name]), f"{name}: {value}, JSON {known[name]}")
    for name in ["iterations", "residual", "true_residual"] if result else []:
        expect(name in found, f"no {name}")
    for name in "buffer_bytes", "buffer_bytes_max":
        expect(name in found, f"no {name}")


def check_times(root, seconds):
    picture = next(p for p in root.iter("svg")
                   if text_of(p.find("title")) == "Time by phase")
    texts = [text_of(t) for t in picture.iter("text")]
    phases = [p for p in seconds if not isinstance(seconds[p], dict)]
    for phase, text in zip(texts[0::2], texts[1::2]):
        expect(text.startswith(f"{seconds[phase]:.3f} s, "),
               f"{phase}: {text}, JSON {seconds[phase]}")
    expect(len(texts) == 2 * (len(phases) - 1), f"{len(texts)} texts")


def check_rows(root, head, rows):
    """The table with this head has these rows of text."""
    tables = [t for t in root.iter("table")
              if [text_of(c) for c in t.iter("th")][:1] == [head]]
    expect(len(tables) == 1, f"{len(tables)} tables of '{head}'")
    for table in tables:
        found = [[text_of(c) for c in row.findall("td")]
                 for row in table.find("tbody")]
        expect(found == rows, f"{found}, JSON {rows}")


def task_row(task):
    known = "bytes" in task
    return [task["task"], f"{task['ms']:.3f}",
            f"{1e-6 * task['bytes']:.3f}" if known else "-",
            f"{task['gbps']:.2f}" if known else "-",
            f"{100 * task['of_copy']:.1f}" if "of_copy" in task else "-",
            str(task["launches"])]


def attempt_row(number, attempt):
    solver = attempt["solver"]
    if "parameter" in attempt:
        solver += f"({attempt['parameter']})"
    method = f"{solver}, {attempt['precond']}"
    if attempt["variant"]:
        method += f" ({attempt['variant']})"
    stop = attempt["stop"]
    outcome = "converged" if stop in CONVERGED else stop
    return [str(number), method, outcome, f"{attempt['iterations']:,}",
            f"{attempt['true_residual']:.2e}",
            f"{attempt['seconds']['setup']:.3f}", f"{attempt['seconds']['solve']:.3f}"]


def column_row(number, column):
    outcome = "converged"
    if not column["converged"]:
        outcome = f"not converged: {column['stop']}"
    return [str(number), outcome, f"{column['iterations']:,}",
            f"{column['true_residual']:.2e}", f"{column['seconds']:.3f}"]


def check_result(root, result):
    columns = result.get("columns")
    if columns:
        check_rows(root, "column", [column_row(k + 1, c)
                                    for k, c in enumerate(columns)])
    worst = columns[result["column"] - 1] if columns else result
    check_rows(root, "no.", [attempt_row(k + 1, a)
                             for k, a in enumerate(worst["attempts"])])


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    root = check_page(text)
    if len(sys.argv) > 2:
        record = json.load(open(sys.argv[2], encoding="utf-8"))
        check_values(root, record)
        check_times(root, record["seconds"])
        if "profile" in record["seconds"]:
            check_rows(root, "set-up", [
                task_row(t) for t in record["seconds"]["profile"]["tasks"]])
        if "result" in record:
            check_result(root, record["result"])
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


main()
