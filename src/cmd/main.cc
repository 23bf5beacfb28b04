// SPDX-License-Identifier: Apache-2.0
#include "conformance/run.h"
#include "plugins/registry.h"

#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

int main(int argc, char** argv) {
  CLI::App app{"Berth: a general-purpose scheduler"};
  app.require_subcommand(1);
  berth::conformance::RunOptions conformance;
  CLI::App* command = app.add_subcommand("conformance", "Compare decisions with golden cases");
  command->add_option("files", conformance.files, "Golden case files")->required();
  command->add_option("--case", conformance.only_case, "Show one case side by side");
  CLI11_PARSE(app, argc, argv);
  auto summary = berth::conformance::Run(conformance, berth::plugins::InTreeRegistry(), stdout);
  if (!summary) {
    fmt::print(stderr, "berth: {}\n", summary.error().message);
    return 1;
  }
  return summary->failed == 0 ? 0 : 3;
}
