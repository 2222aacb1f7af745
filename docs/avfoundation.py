"""Fills the tables of docs/avfoundation.md from Tests/PortingTests/rows.tsv.

usage: avfoundation.py [--check]

The page has a comment `<!-- rows: SUBJECT -->` above each table; the table is made of the rows of
that subject, in their order. With `--check` nothing is written: the exit status is 1 if the page
differs, or if a subject has no table or several.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "avfoundation.md"
ROWS = ROOT / "Tests" / "PortingTests" / "rows.tsv"
COLUMNS = ["subject", "name", "Swift", "job", "state", "test"]
STATES = ["works", "another way", "not on Linux"]
HEADER = "| AVFoundation | in Swift | in a job | state |\n| --- | --- | --- | --- |\n"


def rows():
    """The rows of each subject, as lists of cells."""
    header, *lines = ROWS.read_text(encoding="utf-8").splitlines()
    if header.split("\t") != COLUMNS:
        sys.exit(f"{ROWS}:1: the columns are {', '.join(COLUMNS)}")
    found = {}
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            sys.exit(f"{ROWS}:{number}: {len(cells)} cells; give it {len(COLUMNS)}")
        if cells[4] not in STATES:
            sys.exit(f"{ROWS}:{number}: the state '{cells[4]}' is none of {', '.join(STATES)}")
        found.setdefault(cells[0], []).append(cells)
    return found


def filled(text, subjects):
    """The page with its tables made anew."""
    left = dict(subjects)

    def table(match):
        if match[1] not in left:
            sys.exit(f"{PAGE}: the subject '{match[1]}' has no rows, or a table before this one")
        lines = [" | ".join(["", *cells[1:5], ""]).strip() for cells in left.pop(match[1])]
        return match[0].split("\n")[0] + "\n" + HEADER + re.sub(" {2,}", " ", "\n".join(lines)) + "\n"

    text = re.sub(r"<!-- rows: (\w+) -->\n(?:\|.*\n)*", table, text)
    if left:
        sys.exit(f"{PAGE}: no table for {', '.join(left)}; add '<!-- rows: SUBJECT -->'")
    return text


def main(arguments):
    text = PAGE.read_text(encoding="utf-8")
    made = filled(text, rows())
    if arguments == ["--check"]:
        if made != text:
            sys.exit(f"{PAGE} differs from {ROWS}; docs/avfoundation.py writes it")
    elif arguments:
        sys.exit("usage: avfoundation.py [--check]")
    else:
        PAGE.write_text(made, encoding="utf-8")


main(sys.argv[1:])
