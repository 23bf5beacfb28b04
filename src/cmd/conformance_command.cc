// SPDX-License-Identifier: Apache-2.0
#include "cmd/conformance_command.h"

#include "cmd/twin_registry.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string_view>

namespace berth::cmd {

int RunConformance(const conformance::RunOptions& options, const std::vector<std::string>& twins,
                   const framework::Registry& program, const Streams& streams) {
  const Result<framework::Registry> with_twins = WithTwins(program, twins, DialHere(program));
  if (!with_twins) {
    *streams.err << "berth: " << with_twins.error().message << '\n';
    return kExitUsage;
  }
  const framework::Registry& registry = *with_twins;
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  if (out == nullptr) {
    *streams.err << "berth: out of memory\n";
    return kExitFailed;
  }
  const Result<conformance::RunSummary> summary = conformance::Run(options, registry, out);
  std::fclose(out);
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  *streams.out << std::string_view(text, size);
  if (!summary) {
    *streams.err << "berth: " << summary.error().message << '\n';
    return kExitFailed;
  }
  if (!options.only_case.empty() && summary->passed + summary->failed == 0) {
    *streams.err << "berth: no case " << options.only_case << " in these files\n";
    return kExitFailed;
  }
  return summary->failed == 0 ? kExitOk : kExitNo;
}

int RunRandomConformance(const conformance::RandomOptions& options, const framework::Registry& registry,
                         const Streams& streams) {
  const Result<conformance::RandomSummary> summary =
      conformance::RunRandom(options, registry, *streams.out, *streams.err);
  if (!summary) {
    *streams.err << "berth: " << summary.error().message << '\n';
    return kExitFailed;
  }
  return summary->differences == 0 ? kExitOk : kExitNo;
}

}  // namespace berth::cmd
