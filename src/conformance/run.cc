// SPDX-License-Identifier: Apache-2.0
#include "conformance/run.h"

#include "api/document.h"
#include "conformance/case_cluster.h"
#include "conformance/compare.h"
#include "conformance/evaluate.h"
#include "conformance/queue_hints.h"
#include "plugins/default_preemption/default_preemption.h"
#include "scheduler/queue_profiles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::conformance {

using api::Value;
using framework::PodInfoPtr;

namespace {

constexpr size_t kIdsShown = 8;
const std::string kJourneys = "journeys";
const std::string kHints = "hints";

// Most journeys record less about a step than about a pod judged on its own.
void KeepOnly(std::initializer_list<std::string_view> fields, Value& map) {
  std::erase_if(map.mutable_members(), [&](const Value::Member& member) {
    return std::find(fields.begin(), fields.end(), member.key) == fields.end();
  });
}

std::string TextAt(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value == nullptr ? std::string() : value->text();
}

// Judges cases and collects the differences.
class Runner {
 public:
  Runner(const RunOptions& options, const framework::Registry& registry, std::FILE* out)
      : options_(options), registry_(registry), out_(out) {}

  Result<void> RunFile(const std::string& path) {
    BERTH_ASSIGN_OR_RETURN(const std::vector<api::Document> documents, api::ReadDocumentsFromFile(path));
    for (const api::Document& document : documents) {
      const std::string id = TextAt(document.root, "id");
      if (id.empty()) {
        return InvalidError(fmt::format("{}:{}: not a golden case: it has no id", path, document.root.position().line));
      }
      if (!options_.only_case.empty() && options_.only_case != id) continue;
      Result<void> result = RunCase(id, document.root);
      if (!result) return InvalidError(fmt::format("{}: case {}: {}", path, id, result.error().message));
    }
    return {};
  }

  RunSummary Report() const {
    for (const auto& [group, ids] : mismatches_) {
      const size_t shown = std::min(kIdsShown, ids.size());
      fmt::print(out_, "{}: {} differs in {}: {}{}\n", group.first, group.second, ids.size(),
                 fmt::join(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shown), " "),
                 shown < ids.size() ? " …" : "");
    }
    fmt::print(out_, "{} passed, {} failed\n", summary_.passed, summary_.failed);
    return summary_;
  }

 private:
  Result<void> RunCase(const std::string& id, const Value& golden) {
    BERTH_ASSIGN_OR_RETURN(const features::FeatureGates gates, GatesFrom(golden.Find("featureGates")));
    BERTH_ASSIGN_OR_RETURN(std::unique_ptr<CaseCluster> cluster,
                           CaseCluster::Make(golden.Find("config"), registry_, nullptr, gates));
    if (const Value* objects = golden.Find("objects")) BERTH_RETURN_IF_ERROR(cluster->Load(*objects));
    if (const Value* pods = golden.Find("pods")) {
      const std::string category = TextAt(golden, "category");
      for (size_t i = 0; i < pods->items().size(); ++i) {
        const Value& entry = pods->items()[i];
        BERTH_RETURN_IF_ERROR(
            Judge(*cluster, category, fmt::format("{}#{}", id, i), entry.Find("pod"), entry.Find("expect")));
      }
    }
    if (const Value* steps = golden.Find("steps")) BERTH_RETURN_IF_ERROR(RunJourney(id, *steps, *cluster));
    if (const Value* cases = golden.Find("cases")) BERTH_RETURN_IF_ERROR(RunHints(id, *cases, *cluster));
    return {};
  }

  Result<void> RunJourney(const std::string& id, const Value& steps, CaseCluster& cluster) {
    for (size_t i = 0; i < steps.items().size(); ++i) {
      const Value& step = steps.items()[i];
      const std::string op = TextAt(step, "op");
      if (op == "deletePod") {
        cluster.RemovePod(TextAt(step, "name"));
      } else if (op == "deleteNode" || op == "deleteObject") {
        cluster.Remove(op == "deleteNode" ? "Node" : TextAt(step, "kind"), TextAt(step, "name"));
      } else if (op == "schedule") {
        BERTH_RETURN_IF_ERROR(
            Judge(cluster, kJourneys, fmt::format("{}#{}", id, i), step.Find("object"), step.Find("expect")));
        if (const std::string node = TextAt(step, "placed"); !node.empty()) {
          BERTH_RETURN_IF_ERROR(PlaceRunning(cluster, *step.Find("object"), node));
        }
      } else if (const Value* object = step.Find("object")) {
        BERTH_RETURN_IF_ERROR(cluster.Set(*object));
      } else {
        return InvalidError(fmt::format("step {}: unknown operation \"{}\"", i, op));
      }
    }
    return {};
  }

  Result<void> RunHints(const std::string& id, const Value& cases, CaseCluster& cluster) {
    queue::QueueProfile profile = scheduler::QueueProfileOf(cluster.profile());
    // Upstream registers its events only when preemption is asynchronous, which it was not for the golden cases.
    std::erase_if(profile.plugins, [](const auto& plugin) { return plugin.name == plugins::kDefaultPreemption; });
    for (size_t i = 0; i < cases.items().size(); ++i) {
      const Value& entry = cases.items()[i];
      const Value* pod = entry.Find("pod");
      if (pod == nullptr) return InvalidError("pod is missing");
      BERTH_ASSIGN_OR_RETURN(const PodInfoPtr info, cluster.ReadPod(*pod));
      BERTH_ASSIGN_OR_RETURN(const std::optional<api::Object> before, ReadOptional(entry.Find("old")));
      BERTH_ASSIGN_OR_RETURN(const std::optional<api::Object> after, ReadOptional(entry.Find("new")));
      Value expect = entry;
      KeepOnly({"events", "hints"}, expect);
      const Value actual =
          EvaluateHintsAsQueue(profile, {&info, 1}, before ? &*before : nullptr, after ? &*after : nullptr);
      Note(kHints, fmt::format("{}#{}", id, i), *pod, expect, *actual.Find((*info)->meta.Key()));
    }
    return {};
  }

  static Result<std::optional<api::Object>> ReadOptional(const Value* object) {
    if (object == nullptr) return std::optional<api::Object>();
    BERTH_ASSIGN_OR_RETURN(std::optional<api::Object> decoded, CaseCluster::ReadObject(*object));
    return decoded;
  }

  // A placed pod is running from then on, as a kubelet would report.
  static Result<void> PlaceRunning(CaseCluster& cluster, Value pod, const std::string& node) {
    Value status = Value::Map();
    status.Set("phase", Value::String("Running"));
    status.Set("startTime", Value::String("2026-01-01T03:00:00Z"));
    pod.Set("status", std::move(status));
    Value spec = *pod.Find("spec");
    spec.Set("nodeName", Value::String(node));
    pod.Set("spec", std::move(spec));
    return cluster.Set(pod);
  }

  Result<void> Judge(CaseCluster& cluster, const std::string& category, const std::string& id, const Value* pod,
                     const Value* expect) {
    if (pod == nullptr || expect == nullptr) return InvalidError("pod or expect is missing");
    BERTH_ASSIGN_OR_RETURN(const PodInfoPtr info, cluster.ReadPod(*pod));
    cluster.BeginCycle();
    Value actual = Evaluate(cluster, *info);
    if (category == kJourneys && expect->Find("preFilter") == nullptr) {
      KeepOnly({"feasible", "totals", "best", "failure", "postFilter", "error"}, actual);
    }
    Note(category, id, *pod, *expect, actual);
    return {};
  }

  // Compares, counts, and collects the differences.
  void Note(const std::string& category, const std::string& id, const Value& pod, const Value& expect,
            const Value& actual) {
    const std::vector<Difference> differences = Compare(expect, actual);
    ++(differences.empty() ? summary_.passed : summary_.failed);
    for (const Difference& difference : differences) mismatches_[{category, difference.field}].push_back(id);
    if (!options_.only_case.empty()) Show(id, pod, expect, actual, differences);
  }

  void Show(const std::string& id, const Value& pod, const Value& expect, const Value& actual,
            const std::vector<Difference>& differences) const {
    fmt::print(out_, "{} pod {}: {}\n", id, TextAt(*pod.Find("metadata"), "name"),
               differences.empty() ? "equal" : fmt::format("{} fields differ", differences.size()));
    for (const Difference& difference : differences) {
      fmt::print(out_, "  {}\n    expected {}\n    actual   {}\n", difference.field,
                 difference.expected == nullptr ? "nothing" : api::ToJson(*difference.expected),
                 difference.actual == nullptr ? "nothing" : api::ToJson(*difference.actual));
    }
    if (differences.empty()) return;
    fmt::print(out_, "  whole expectation {}\n  whole decision    {}\n", api::ToJson(expect), api::ToJson(actual));
  }

  const RunOptions& options_;
  const framework::Registry& registry_;
  std::FILE* out_;
  RunSummary summary_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> mismatches_;  // by category and field
};

}  // namespace

Result<RunSummary> Run(const RunOptions& options, const framework::Registry& registry, std::FILE* out) {
  Runner runner(options, registry, out);
  for (const std::string& path : options.files) BERTH_RETURN_IF_ERROR(runner.RunFile(path));
  return runner.Report();
}

}  // namespace berth::conformance
