// SPDX-License-Identifier: Apache-2.0
#include "cmd/explain_past_command.h"

#include "api/document.h"
#include "cmd/pod_target.h"
#include "cmd/replay_command.h"
#include "config/suggest.h"
#include "simulator/record/pod_past.h"
#include "text/style.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

using scheduler::DecisionRecord;
using simulator::PodPast;

int Fail(const Error& error, const Streams& streams, int code = kExitFailed) {
  *streams.err << "berth: " << error.message << '\n';
  return code;
}

Error NoSuchPod(const simulator::RunRecord& record, const std::string& pod, const std::string& file) {
  std::vector<std::string> known;
  for (const simulator::RecordedInput& recorded : record.inputs) {
    const store::Key& key = recorded.input.key;
    if (key.kind == "Pod") known.push_back(key.namespace_ + "/" + key.name);
  }
  const std::string near = config::Nearest(pod, known);
  return NotFoundError(fmt::format("{} tells of no pod {}{}", file, pod,
                                   near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

void Print(const PodPast& past, const ExplainOptions& options, const Streams& streams) {
  if (options.output == "json") {
    *streams.out << api::ToJson(PodPastDocument(past, options.attempt), 2) << '\n';
  } else if (options.output == "yaml") {
    *streams.out << api::ToYaml(PodPastDocument(past, options.attempt));
  } else {
    const text::Style style{text::Painter(options.colour), streams.width, options.output == "wide"};
    *streams.out << PodPastText(past, options.attempt, style);
  }
}

}  // namespace

int RunExplainPast(const ExplainOptions& options, const framework::Registry& registry, const Streams& streams) {
  const Result<std::string> key = PodKeyFrom(options.target);
  if (!key) return Fail(key.error(), streams, kExitUsage);
  std::vector<DecisionRecord> attempts;
  const auto keep = [&](const DecisionRecord& decision) {
    if (decision.pod == *key) attempts.push_back(decision);
  };
  const Result<Replayed> replayed = ReplayFile(options.record, registry, /*with_scores=*/true, keep, *streams.err);
  if (!replayed) return Fail(replayed.error(), streams);
  PodPast past = PastOf(replayed->record, *key);
  past.attempts = std::move(attempts);
  if (past.changes.empty()) return Fail(NoSuchPod(replayed->record, *key, options.record), streams);
  const auto asked = [&](const DecisionRecord& record) { return record.attempt == *options.attempt; };
  if (options.attempt && std::none_of(past.attempts.begin(), past.attempts.end(), asked)) {
    return Fail(
        NotFoundError(fmt::format("pod {} has no attempt {}, but {}", *key, *options.attempt, past.attempts.size())),
        streams);
  }
  Print(past, options, streams);
  if (!replayed->outcome.difference) return past.is_placed() ? kExitOk : kExitNo;
  *streams.err << fmt::format(
      "berth: warning: decision {} of {} is made differently now: what came after is not told; see berth replay\n",
      replayed->outcome.difference->number, options.record);
  return kExitNo;
}

}  // namespace berth::cmd
