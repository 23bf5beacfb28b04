// SPDX-License-Identifier: Apache-2.0
#include "conformance/evaluate_parts.h"

#include "plugins/default_preemption/default_preemption.h"
#include "plugins/default_preemption/pick_candidate.h"
#include "plugins/default_preemption/preemption.h"

#include <algorithm>

namespace berth::conformance {

using api::Value;
using framework::Code;
using framework::ExtensionPoint;
using framework::PodInfo;
using framework::Status;
using runtime::Cycle;
using runtime::Profile;

namespace {

// Every node where preemption would help, and which of them may be chosen.
void AddCandidates(Profile& profile, const Cycle& cycle, const PodInfo& pod, Value& part) {
  if (profile.plugins().Find(plugins::kDefaultPreemption) == nullptr) return;
  if (!plugins::PreemptionForbidden(profile.cluster(), pod, cycle.verdicts).empty()) return;
  plugins::PreemptionSearch search =
      plugins::FindCandidates(profile, cycle.state, pod, cycle.verdicts, /*start=*/0, /*wanted=*/0);
  if (search.candidates.empty()) return;
  std::vector<std::string> nominated;
  for (const plugins::PreemptionCandidate* best : plugins::BestCandidates(search.candidates, profile.clock().Now())) {
    nominated.push_back(best->node_name);
  }
  part.Set("nominated", StringList(Sorted(std::move(nominated))));
  std::sort(search.candidates.begin(), search.candidates.end(),
            [](const auto& a, const auto& b) { return a.node_name < b.node_name; });
  Value list = Value::List();
  for (const plugins::PreemptionCandidate& candidate : search.candidates) {
    Value entry = Value::Map();
    entry.Set("node", Value::String(candidate.node_name));
    std::vector<std::string> pods;
    for (const auto& victim : candidate.victims) pods.push_back(victim->pod->meta.Key());
    entry.Set("pods", StringList(pods));
    entry.Set("pdbViolations", Value::Int(candidate.pdb_violations));
    list.Append(std::move(entry));
  }
  part.Set("candidates", std::move(list));
}

}  // namespace

Value IntList(const std::vector<int64_t>& numbers) {
  Value list = Value::List();
  for (const int64_t number : numbers) list.Append(Value::Int(number));
  return list;
}

Value VerdictOf(const Status& status, bool with_plugin) {
  Value verdict = Value::Map();
  if (with_plugin && !status.plugin().empty()) verdict.Set("plugin", Value::String(std::string(status.plugin())));
  verdict.Set("code", Value::String(std::string(CodeName(status.code()))));
  if (!status.reasons().empty()) verdict.Set("reasons", StringList(status.reasons()));
  return verdict;
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Skipped(const Profile& profile, const runtime::SkipSet& skipped,
                                 std::initializer_list<ExtensionPoint> points) {
  std::vector<std::string> names;
  for (const ExtensionPoint point : points) {
    for (const std::string_view name : profile.plugins().NamesAt(point)) {
      if (skipped[profile.plugins().IndexOf(name)]) names.emplace_back(name);
    }
  }
  return Sorted(std::move(names));
}

Value PreFilterPart(const Profile& profile, const Cycle& cycle, const Status& status) {
  Value part = status.ok() ? VerdictOf(Status::Success(), false) : VerdictOf(status, true);
  // UnschedulableAndUnresolvable ends the step immediately, and the nodes selected by other plugins are discarded.
  const bool forgotten = status.code() == Code::UnschedulableAndUnresolvable && !status.plugin().empty();
  if (cycle.narrowed_to && !forgotten) {
    if (!cycle.narrowed_to->empty()) part.Set("nodeNames", StringList(*cycle.narrowed_to));
    part.Set("narrowed", Value::Bool(true));
  }
  const std::vector<std::string> skipped =
      Skipped(profile, cycle.state.Read(runtime::kSkippedFilters)->by_plugin, {ExtensionPoint::PreFilter});
  if (!skipped.empty()) part.Set("skipped", StringList(skipped));
  return part;
}

void PostFilterPart(Profile& profile, Cycle& cycle, const PodInfo& pod, Value& actual, std::string& failure) {
  Value part = Value::Map();
  AddCandidates(profile, cycle, pod, part);
  if (!profile.plugins().HasAnyAt(ExtensionPoint::PostFilter)) return;
  const framework::PostFilterResult result = profile.filtering().RunPostFilter(cycle, pod);
  part.Set("code", Value::String(std::string(CodeName(result.status.code()))));
  const std::string message = result.status.Message();
  if (!message.empty()) {
    part.Set("message", Value::String(message));
    failure += " " + message;
  }
  actual.Set("postFilter", std::move(part));
}

}  // namespace berth::conformance
