// SPDX-License-Identifier: Apache-2.0
#include "cmd/live_answers.h"

#include "api/document.h"
#include "api/time_text.h"
#include "explain/explain.h"
#include "explain/explanation_document.h"
#include "explain/explanation_text.h"
#include "queue/scheduling_queue.h"
#include "text/duration.h"
#include "text/style.h"
#include "text/table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

using api::Value;
using queue::Place;
using queue::QueuedPod;

std::string_view NameOf(Place place) {
  switch (place) {
    case Place::Active: return "active";
    case Place::Backoff: return "backoff";
    case Place::ErrorBackoff: return "error-backoff";
    case Place::Unschedulable: return "unschedulable";
    case Place::Gated: return "gated";
    case Place::InFlight: return "in-flight";
    case Place::None: break;
  }
  return "none";
}

struct WaitingPod {
  std::string pod;
  std::string profile;
  std::string_view place;
  int attempts = 0;
  Timestamp queued;
  std::vector<std::string> rejectors;
};

std::vector<WaitingPod> WaitingPods(const scheduler::Engine& engine) {
  std::vector<WaitingPod> waiting;
  engine.queue().ForEach([&](const QueuedPod& pod) {
    const queue::QueueProfile& profile = engine.queue().profile(pod.profile);
    WaitingPod entry{pod.pod->pod->meta.Key(), profile.scheduler_name, NameOf(pod.place), pod.attempts, pod.queued, {}};
    for (size_t i = 0; i < profile.plugins.size(); ++i) {
      if (pod.rejectors.test(i)) entry.rejectors.push_back(profile.plugins[i].name);
    }
    if (pod.gating_plugin >= 0) entry.rejectors = {profile.plugins[static_cast<size_t>(pod.gating_plugin)].name};
    waiting.push_back(std::move(entry));
  });
  return waiting;
}

Value Text(std::string_view text) { return Value::String(std::string(text)); }

Value ToValue(const WaitingPod& pod) {
  Value rejectors = Value::List();
  for (const std::string& name : pod.rejectors) rejectors.Append(Text(name));
  Value value = Value::Map();
  value.Set("pod", Text(pod.pod));
  value.Set("schedulerName", Text(pod.profile));
  value.Set("queue", Text(pod.place));
  value.Set("attempts", Value::Int(pod.attempts));
  value.Set("since", Text(api::ToRfc3339(pod.queued)));
  value.Set("rejectedBy", std::move(rejectors));
  return value;
}

Value Headed(std::string_view kind) {
  Value value = Value::Map();
  value.Set("apiVersion", Text("berth/v1alpha1"));
  value.Set("kind", Text(kind));
  return value;
}

// The pod as the engine has it, placed or waiting; null when there is none of that name.
framework::PodInfoPtr FindPod(const scheduler::Engine& engine, const api::Pod& pod) {
  if (const QueuedPod* queued = engine.queue().Find(pod.meta.uid)) return queued->pod;
  return framework::MakePodInfo(std::make_shared<const api::Pod>(pod), engine.cluster().resource_names());
}

}  // namespace

Result<LiveAnswer> LiveAnswers::Queue(const std::string& output) {
  std::vector<WaitingPod> waiting;
  scheduler_.Ask([&](scheduler::Engine& engine) { waiting = WaitingPods(engine); });
  if (output == "json") {
    Value pods = Value::List();
    for (const WaitingPod& pod : waiting) pods.Append(ToValue(pod));
    Value document = Headed("Queue");
    document.Set("leads", Value::Bool(scheduler_.leads()));
    document.Set("pods", std::move(pods));
    return LiveAnswer{api::ToJson(document, 2) + "\n"};
  }
  const std::string standing = scheduler_.leads() ? ""
                               : scheduler_.synced()
                                   ? "this scheduler stands by: another one leads\n"
                                   : "this scheduler does not decide yet: it has not read all objects\n";
  if (waiting.empty()) return LiveAnswer{standing + "no pod waits\n"};
  const Timestamp now = clock_.Now();
  text::Table table({"POD", "SCHEDULER", "QUEUE", "ATTEMPTS", "SINCE", "REJECTED BY"});
  for (const WaitingPod& pod : waiting) {
    table.Add({{pod.pod},
               {pod.profile},
               {std::string(pod.place)},
               {std::to_string(pod.attempts)},
               {text::DurationText(now - pod.queued)},
               {fmt::format("{}", fmt::join(pod.rejectors, ", "))}});
  }
  return LiveAnswer{standing + table.ToText(text::Painter(false))};
}

Result<LiveAnswer> LiveAnswers::Explain(const std::string& pod, const std::string& node, const std::string& output) {
  const size_t slash = pod.find('/');
  const std::optional<api::Object> told =
      slash == std::string::npos ? std::nullopt
                                 : scheduler_.home().FindTold({"Pod", pod.substr(0, slash), pod.substr(slash + 1)});
  if (!told) return NotFoundError(fmt::format("the scheduler knows no pod {}", pod));
  const api::Pod& found = *std::get<api::PodPtr>(*told);
  Result<explain::Explanation> explanation = NotFoundError(fmt::format("the scheduler knows no node {}", node));
  scheduler_.Ask([&](scheduler::Engine& engine) {
    if (!node.empty() && engine.cluster().FindNode(node) == framework::kNoNode) return;
    const auto& profiles = engine.profiles();
    const auto its = std::ranges::find_if(
        profiles, [&](const auto& profile) { return profile->profile_name() == found.spec->scheduler_name; });
    if (its == profiles.end()) {
      explanation = NotFoundError(fmt::format("pod {} is for the scheduler {}, which is none of the profiles here", pod,
                                              found.spec->scheduler_name));
      return;
    }
    explanation = explain::Explain({engine.cluster(), engine.nominated(), (*its)->plan(), registry_, clock_},
                                   FindPod(engine, found));
  });
  if (!explanation) return explanation.error();
  constexpr size_t kWidth = 100;
  const text::Style style{text::Painter(false), kWidth, output == "wide"};
  LiveAnswer answer;
  answer.yes = explanation->Agrees(node);
  if (output == "json") {
    answer.text = api::ToJson(ExplanationDocument(*explanation, node), 2) + "\n";
  } else if (output == "yaml") {
    answer.text = api::ToYaml(ExplanationDocument(*explanation, node));
  } else {
    answer.text = node.empty() ? ExplanationText(*explanation, style) : NodeAnswerText(*explanation, node, style);
  }
  return answer;
}

Result<LiveAnswer> LiveAnswers::Decisions(const std::string& pod) {
  std::vector<scheduler::DecisionRecord> records;
  scheduler_.Ask([&](scheduler::Engine& engine) { records = engine.log().OfPod(pod); });
  if (records.empty()) return NotFoundError(fmt::format("no decision about {} is remembered", pod));
  std::string text;
  for (const scheduler::DecisionRecord& record : records) text += ToLine(record) + "\n";
  return LiveAnswer{std::move(text)};
}

std::string ShadowText(const home::ShadowReport& report) {
  const uint64_t compared = report.agreed + report.tied + report.differed + report.crossed + report.only_theirs;
  std::string text = fmt::format(
      "shadow: {} pods compared: {} on the same node, {} on a node that was just as good, {} elsewhere while other "
      "pods were being placed, {} elsewhere, {} placed by the other only\n"
      "{} placed before a decision was made here, {} decided here and not placed yet, {} evictions decided here\n",
      compared, report.agreed, report.tied, report.crossed, report.differed, report.only_theirs, report.undecided,
      report.waiting, report.evictions);
  if (report.differences.empty()) return text;
  text::Table table({"POD", "HERE", "THERE", "WHY NOT HERE"});
  for (const home::ShadowDifference& difference : report.differences) {
    table.Add({{difference.pod},
               {difference.ours.empty() ? "-" : difference.ours},
               {difference.theirs},
               {difference.reason}});
  }
  return text + table.ToText(text::Painter(false));
}

Result<LiveAnswer> LiveAnswers::Shadow(const std::string& output) {
  if (shadow_ == nullptr) return NotFoundError("this scheduler does not run as a shadow");
  const home::ShadowReport report = shadow_->report();
  if (output != "json") return LiveAnswer{ShadowText(report)};
  Value document = Headed("ShadowReport");
  const auto set = [&](std::string_view key, uint64_t count) {
    document.Set(key, Value::Int(static_cast<int64_t>(count)));
  };
  set("agreed", report.agreed);
  set("tied", report.tied);
  set("differed", report.differed);
  set("crossed", report.crossed);
  set("onlyTheirs", report.only_theirs);
  set("undecided", report.undecided);
  set("waiting", report.waiting);
  set("evictions", report.evictions);
  Value differences = Value::List();
  for (const home::ShadowDifference& difference : report.differences) {
    Value value = Value::Map();
    value.Set("pod", Text(difference.pod));
    value.Set("ours", Text(difference.ours));
    value.Set("theirs", Text(difference.theirs));
    value.Set("reason", Text(difference.reason));
    value.Set("time", Text(api::ToRfc3339(difference.time)));
    differences.Append(std::move(value));
  }
  document.Set("differences", std::move(differences));
  return LiveAnswer{api::ToJson(document, 2) + "\n"};
}

std::vector<std::string> LiveAnswers::StateDump() {
  std::vector<std::string> lines;
  scheduler_.Ask([&](scheduler::Engine& engine) {
    const cluster::ClusterState& cluster = engine.cluster();
    lines.push_back(fmt::format("Dump of cached NodeInfo: {} nodes", cluster.live_nodes().Count()));
    cluster.live_nodes().ForEach([&](size_t id) {
      const framework::NodeInfo& node = cluster.node(static_cast<framework::NodeId>(id));
      std::vector<std::string> pods;
      for (const framework::PodInfoPtr& pod : node.pods) pods.push_back(pod->pod->meta.Key());
      lines.push_back(fmt::format("Node {}: {} pods [{}]", node.node->meta.name, pods.size(), fmt::join(pods, " ")));
    });
    const std::vector<WaitingPod> waiting = WaitingPods(engine);
    lines.push_back(fmt::format("Dump of scheduling queue: {} pods, {} attempts under way", waiting.size(),
                                engine.attempts_under_way()));
    for (const WaitingPod& pod : waiting) {
      lines.push_back(fmt::format("Pod {}: {}, attempts {}, rejected by [{}]", pod.pod, pod.place, pod.attempts,
                                  fmt::join(pod.rejectors, " ")));
    }
  });
  return lines;
}

std::vector<api::PodPtr> LiveAnswers::Pods() {
  std::vector<api::PodPtr> pods;
  for (const api::Object& object : scheduler_.home().ToldOfKind("Pod")) pods.push_back(std::get<api::PodPtr>(object));
  return pods;
}

}  // namespace berth::cmd
