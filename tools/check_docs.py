#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the documents to the tree: folders, links, paths and the list of plugins.

Usage: check_docs.py [ROOT]         ROOT is this repository unless given
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img[^>]*\bsrc=\"([^\"]+)\"")
PATH = re.compile(r"`((?:src|docs|tools|tests|conformance|deploy|examples|bench|cmake|\.ci)/[\w./-]+)`")
FOLDER_ROW = re.compile(r"^\| \[?`src/(\w+)/`")
PLUGIN_ROW = re.compile(r"^\| \[?`(\w+)`")
ENTRY = re.compile(r"^\s+(\w+)Entry\(\),")


def documents(root):
    yield from sorted(root.glob("*.md"))
    for folder in ("docs", "examples", "conformance", "deploy", "src"):
        yield from sorted((root / folder).rglob("*.md"))


def prose(file):
    """The numbered lines of a document outside its code blocks."""
    fenced = False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(file):
    """The names that headings can be linked by."""
    for _, line in prose(file):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower().replace("`", "")
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
            yield re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def broken_links(root, file):
    for number, line in prose(file):
        for match in LINK.finditer(line):
            link = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (file.parent / path) if path else file
            if not target.exists():
                yield f"{file}:{number}: {link} leads nowhere"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{file}:{number}: {link}: no such heading"
        for path in PATH.findall(line):
            if not (root / path.rstrip(".")).exists():
                yield f"{file}:{number}: {path} does not exist"


def rows(file, pattern):
    return [match.group(1) for _, line in prose(file) if (match := pattern.match(line))]


def compare(file, what, listed, real):
    for name in sorted(set(real) - set(listed)):
        yield f"{file}: {what} {name} is missing"
    for name in sorted(set(listed) - set(real)):
        yield f"{file}: {what} {name} does not exist"
    for name in sorted({n for n in listed if listed.count(n) > 1}):
        yield f"{file}: {what} {name} stands there twice"


def problems(root):
    for file in documents(root):
        yield from broken_links(root, file)
    architecture = root / "ARCHITECTURE.md"
    folders = [p.name for p in (root / "src").iterdir() if p.is_dir()]
    yield from compare(architecture, "folder", rows(architecture, FOLDER_ROW), folders)
    plugins = root / "docs/plugins.md"
    registry = (root / "src/plugins/registry.cc").read_text().splitlines()
    entries = [match.group(1) for line in registry if (match := ENTRY.match(line))]
    yield from compare(plugins, "plugin", rows(plugins, PLUGIN_ROW), entries)
    if not folders or not entries:
        yield f"{root}: no folders or no plugins found"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = list(problems(root))
    for problem in found:
        print(problem)
    print(f"{len(list(documents(root)))} documents, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
