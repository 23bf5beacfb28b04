#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every file under a source folder to the folder's layers.txt, and those of include/ beside it.

Usage: check_layers.py [SRC]        SRC is src/ of this repository unless given
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
GENERATED = "berth"  # our own headers, made from proto/
TEST_FILE = re.compile(r"(_test\.cc|/test_[^/]*\.(h|cc))$")


class Layers:
    """The rules of one layers.txt."""

    def __init__(self, path):
        self.allowed = {}  # folder → folders it may include
        self.named = set()  # folders that some rule so far allows
        self.for_tests = {}  # folder → folders its tests may include besides
        self.libraries = {}  # third-party folder → folders that may use it
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.partition("#")[0].strip()
            if not line:
                continue
            name, colon, rest = line.partition(":")
            if not colon:
                raise SystemExit(f"{path}:{number}: expected 'folder: folders'")
            if name.startswith("<"):
                self.libraries[name.strip("<>/")] = rest.split()
            elif name.startswith("tests of "):
                self.for_tests[name.removeprefix("tests of ")] = rest.split()
            else:
                self._add_rule(name, rest.split(), f"{path}:{number}")

    def _add_rule(self, name, targets, where):
        # A folder's rule stands above everyone who includes it, which rules out circles.
        for target in targets:
            if target not in self.allowed and self.unit(target)[0] is None:
                raise SystemExit(f"{where}: {name} names {target}, which has no rule above")
        if name in self.allowed or name in self.named:
            raise SystemExit(f"{where}: the rule of {name} comes too late or twice")
        self.allowed[name] = targets
        self.named.update(targets)

    def unit(self, folder):
        """What a folder is part of ("plugins/node_name"), and the rule for it ("plugins/*")."""
        parts = folder.split("/")
        for length in range(len(parts), 0, -1):
            unit = "/".join(parts[:length])
            if unit in self.allowed:
                return unit, unit
            wildcard = "/".join(parts[: length - 1] + ["*"])
            if wildcard in self.allowed:
                return unit, wildcard
        return None, None

    def may_include(self, folder, target, is_test):
        unit, rule = self.unit(folder)
        target_unit, _ = self.unit(target)
        allowed = list(self.allowed[rule])
        if is_test:
            allowed += self.for_tests.get(folder.split("/")[0], [])
        return unit == target_unit or target_unit in allowed or target_unit.rpartition("/")[0] + "/*" in allowed

    def may_use(self, folder, library):
        users = self.libraries.get(library, [])
        unit = self.unit(folder)[0]
        return "*" in users or unit in users or unit.split("/")[0] in users


def problems_of(file, relative, layers, src):
    folder = relative.parent.as_posix()
    is_test = bool(TEST_FILE.search("/" + relative.as_posix()))
    if layers.unit(folder)[0] is None:
        yield 1, f"layers.txt has no rule for the folder {folder}"
        return
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        own, system = match.groups()
        if own is not None:
            if is_test and (src.parent / "tests" / own).is_file():
                continue  # what tests share
            if (src.parent / "include" / own).is_file():
                own = f"include/{own}"  # as the rules call it
            elif not (src / own).is_file():
                yield number, f'"{own}" is not a path below {src.name}/'
                continue
            if layers.unit(Path(own).parent.as_posix())[0] is None:
                yield number, f"layers.txt has no rule for the folder of {own}"
            elif not layers.may_include(folder, Path(own).parent.as_posix(), is_test):
                yield number, f"{folder} must not include {own}"
            elif not is_test and TEST_FILE.search("/" + own):
                yield number, f"{own} is for tests only"
        elif "/" in system and system.split("/")[0] not in ("sys", "netinet", "arpa"):
            library = system.split("/")[0]
            if not layers.may_use(folder, library):
                yield number, f"{folder} must not use <{library}/>"
            elif file.suffix == ".h" and library != GENERATED:
                yield number, f"a header must not include <{system}>: keep third-party headers in .cc files"


def main():
    src = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src"
    layers = Layers(src / "layers.txt")
    public = sorted((src.parent / "include").rglob("*.h"))
    files = sorted(p for p in src.rglob("*") if p.suffix in (".h", ".cc")) + public
    failures = 0
    for file in files:
        relative = file.relative_to(src.parent if file in public else src)
        for number, problem in problems_of(file, relative, layers, src):
            print(f"{file}:{number}: {problem}")
            failures += 1
    print(f"{len(files)} files, {failures} forbidden includes")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
