#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A check that cannot fail checks nothing: feeds the checks of tools/ trees that they must refuse."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent / "tools"


class Tree(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_tool(self, tool, folder):
        done = subprocess.run([sys.executable, TOOLS / tool, folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def refused(self, reason):
        code, output = self.check()
        self.assertNotEqual(code, 0, output)
        self.assertIn(reason, output)

    def accepted(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)


class LayersTest(Tree):
    def setUp(self):
        super().setUp()
        self.write(
            "layers.txt",
            "base:\napi: base\nplugins/shared: base\nplugins/*: plugins/shared base\n"
            "plugins: plugins/*\ntests of plugins: api\n<yaml-cpp/>: api\n",
        )
        for file in ("base/a.h", "api/b.h", "plugins/shared/s.h", "plugins/one/one.h", "plugins/two/two.h"):
            self.write(file, "#pragma once\n")
        self.write("plugins/registry.cc", '#include "plugins/one/one.h"\n#include "plugins/two/two.h"\n')

    def check(self):
        return self.run_tool("check_layers.py", self.root)

    def test_accepts_what_the_rules_allow(self):
        self.write("api/b.cc", '#include "api/b.h"\n#include "base/a.h"\n#include <yaml-cpp/parser.h>\n')
        self.write("plugins/one/one.cc", '#include "plugins/one/one.h"\n#include "plugins/shared/s.h"\n')
        self.accepted()

    def test_refuses_an_upward_include(self):
        self.write("base/a.cc", '#include "api/b.h"\n')
        self.refused("a.cc:1: base must not include api/b.h")

    def test_refuses_a_plugin_that_includes_another(self):
        self.write("plugins/one/one.cc", '#include "base/a.h"\n#include "plugins/two/two.h"\n')
        self.refused("one.cc:2: plugins/one must not include plugins/two/two.h")

    def test_holds_public_headers_to_the_rules(self):
        self.root = self.root / "src"
        project = self.root.parent
        self.write("layers.txt", "base:\napi: base\ninclude: base\nsdk: include\n")
        self.write("base/a.h", "")
        self.write("../include/berth/p.h", '#include "base/a.h"\n')
        self.write("sdk/s.cc", '#include "berth/p.h"\n')
        self.accepted()
        self.write("api/b.h", "")
        (project / "include/berth/q.h").write_text('#include "berth/p.h"\n#include "api/b.h"\n#include <fmt/core.h>\n')
        self.refused("q.h:2: include/berth must not include api/b.h")
        self.refused("q.h:3: include/berth must not use <fmt/>")
        self.write("api/b.cc", '#include "berth/p.h"\n')
        self.refused("b.cc:1: api must not include include/berth/p.h")

    def test_lets_tests_include_more(self):
        self.write("plugins/one/one_test.cc", '#include "api/b.h"\n')
        self.accepted()
        self.write("plugins/one/one.cc", '#include "api/b.h"\n')
        self.refused("one.cc:1: plugins/one must not include api/b.h")

    def test_refuses_a_folder_without_a_rule(self):
        self.write("misc/m.cc", "")
        self.refused("no rule for the folder misc")

    def test_lets_one_subfolder_use_a_library(self):
        self.write("layers.txt", "plugins/*:\nplugins: plugins/*\n<yaml-cpp/>: plugins/one\n")
        (self.root / "api/b.h").unlink()
        (self.root / "base/a.h").unlink()
        self.write("plugins/one/one.cc", "#include <yaml-cpp/parser.h>\n")
        self.accepted()
        self.write("plugins/two/two.cc", "#include <yaml-cpp/parser.h>\n")
        self.refused("plugins/two must not use <yaml-cpp/>")

    def test_refuses_a_library_in_the_wrong_folder(self):
        self.write("base/a.cc", "#include <yaml-cpp/parser.h>\n")
        self.refused("base must not use <yaml-cpp/>")

    def test_refuses_a_library_in_a_header(self):
        self.write("api/c.h", "#include <yaml-cpp/parser.h>\n")
        self.refused("a header must not include <yaml-cpp/parser.h>")

    def test_refuses_test_code_in_the_product(self):
        self.write("base/test_clock.h", "")
        self.write("base/a.cc", '#include "base/test_clock.h"\n')
        self.refused("base/test_clock.h is for tests only")

    def test_refuses_rules_that_could_form_a_circle(self):
        self.write("layers.txt", "base: api\napi: base\n")
        self.refused("base names api, which has no rule above")

    def test_refuses_an_empty_tree(self):
        for file in self.root.rglob("*.h"):
            file.unlink()
        (self.root / "plugins/registry.cc").unlink()
        self.refused("0 files")


class DocsTest(Tree):
    def setUp(self):
        super().setUp()
        self.write("src/base/a.h", "")
        self.write("src/plugins/registry.cc", "      NodeNameEntry(),\n")
        self.write("ARCHITECTURE.md", "# Folders\n| `src/base/` | x |\n| [`src/plugins/`](src/plugins) | y |\n")
        self.write("docs/plugins.md", "| `NodeName` | Filter |\n")

    def check(self):
        return self.run_tool("check_docs.py", self.root)

    def test_accepts_documents_that_are_true(self):
        self.write("README.md", "[a](docs/plugins.md) [b](ARCHITECTURE.md#folders) [c](https://example.org) `src/base/a.h`\n")
        self.accepted()

    def test_refuses_a_broken_link(self):
        self.write("docs/a.md", "see\n[this](../gone.md)\n")
        self.refused("a.md:2: ../gone.md leads nowhere")

    def test_refuses_a_missing_heading(self):
        self.write("README.md", "[this](ARCHITECTURE.md#threads)\n")
        self.refused("no such heading")

    def test_refuses_a_path_that_is_gone(self):
        self.write("README.md", "open `src/base/b.h`\n")
        self.refused("src/base/b.h does not exist")

    def test_refuses_a_folder_that_is_not_listed(self):
        self.write("src/queue/q.h", "")
        self.refused("folder queue is missing")

    def test_refuses_a_listed_folder_that_is_gone(self):
        self.write("ARCHITECTURE.md", "| `src/base/` |\n| `src/plugins/` |\n| `src/store/` |\n")
        self.refused("folder store does not exist")

    def test_refuses_a_plugin_that_is_not_listed(self):
        self.write("src/plugins/registry.cc", "      NodeNameEntry(),\n      NodePortsEntry(),\n")
        self.refused("plugin NodePorts is missing")

    def test_refuses_a_listed_plugin_that_is_gone(self):
        self.write("docs/plugins.md", "| `NodeName` |\n| `NodePorts` |\n")
        self.refused("plugin NodePorts does not exist")


if __name__ == "__main__":
    unittest.main()
