// SPDX-License-Identifier: Apache-2.0
#include "conformance/journey_run.h"

#include "api/document.h"
#include "api/encode.h"
#include "conformance/case_cluster.h"
#include "conformance/compare.h"
#include "conformance/evaluate.h"
#include "conformance/queue_hints.h"
#include "conformance/random_journey.h"
#include "conformance/random_parts.h"
#include "conformance/reference_cluster.h"
#include "scheduler/queue_profiles.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::conformance {
namespace {

using api::Value;

constexpr int64_t kNow = 1'000'000;  // seconds; later than anything in a journey

std::vector<std::string> TextsAt(const Value& map, std::string_view key) {
  std::vector<std::string> texts;
  if (const Value* list = map.Find(key)) {
    for (const Value& item : list->items()) texts.push_back(item.text());
  }
  return texts;
}

std::string TextOf(const Value* value) { return value == nullptr ? "nothing" : api::ToJson(*value); }

// If several nodes fail with an error, the order decides which one ends the cycle, so the messages may differ.
void AcceptWordsOfError(const Value& actual, Value& expected) {
  const Value* error = actual.Find("error");
  if (error != nullptr && expected.Find("error") != nullptr) expected.Set("error", *error);
}

class JourneyRun {
 public:
  JourneyRun(RandomJourney journey, std::unique_ptr<CaseCluster> cluster, std::unique_ptr<ReferenceCluster> reference)
      : journey_(std::move(journey)), case_cluster_(std::move(cluster)), reference_(std::move(reference)) {
    for (const api::Object& object : journey_.Objects()) Set(object);
    case_cluster_->BeginCycle();
    reference_->BeginCycle();
  }

  JourneyOutcome Run(bool write) {
    Value steps = Value::List();
    Value objects = Value::List();
    if (write) {
      for (const api::Object& object : journey_.Objects()) objects.Append(api::Encode(object));
    }
    while (const std::optional<JourneyStep> step = journey_.Next()) {
      Value expected;
      step->schedules ? Schedule(*step, expected) : Change(*step);
      if (write) steps.Append(Written(*step, std::move(expected)));
      ++outcome_.steps;
      if (outcome_.difference) break;
    }
    if (write) {
      outcome_.written = Value::Map();
      if (journey_.config()) outcome_.written.Set("config", *journey_.config());
      outcome_.written.Set("objects", std::move(objects));
      outcome_.written.Set("steps", std::move(steps));
    }
    return std::move(outcome_);
  }

 private:
  void Set(const api::Object& object) {
    case_cluster_->Set(object);
    reference_->Set(object);
    if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
      waiting_.erase((*pod)->meta.Key());
      if ((*pod)->node_name.empty()) waiting_[(*pod)->meta.Key()] = *pod;
    }
  }

  void Change(const JourneyStep& step) {
    if (step.after) {
      Set(*step.after);
    } else {
      case_cluster_->Remove(api::KindOf(*step.before), api::MetaOf(*step.before).Key());
      reference_->Remove(*step.before);
      if (std::holds_alternative<api::PodPtr>(*step.before)) waiting_.erase(api::MetaOf(*step.before).Key());
    }
    AskHints(step);
  }

  // Every pending pod sees the change, except that a change of a pending pod is seen only by that pod. A pod that was
  // just bound appears to the others as new.
  void AskHints(const JourneyStep& step) {
    const auto pod_of = [](const std::optional<api::Object>& object) {
      const auto* pod = object ? std::get_if<api::PodPtr>(&*object) : nullptr;
      return pod == nullptr ? api::PodPtr() : *pod;
    };
    const api::PodPtr old_pod = pod_of(step.before);
    const api::PodPtr new_pod = pod_of(step.after);
    const bool concerns_itself = new_pod != nullptr && new_pod->node_name.empty();
    const bool got_node = new_pod != nullptr && !concerns_itself && old_pod != nullptr && old_pod->node_name.empty();
    const api::Object* before = step.before && !got_node ? &*step.before : nullptr;
    const api::Object* after = step.after ? &*step.after : nullptr;
    std::vector<api::PodPtr> asked;
    std::vector<framework::PodInfoPtr> infos;
    for (const auto& [key, pod] : waiting_) {
      if (concerns_itself && pod != new_pod) continue;
      asked.push_back(pod);
      infos.push_back(case_cluster_->Info(pod));
    }
    if (asked.empty()) return;
    const queue::QueueProfile profile = scheduler::QueueProfileOf(case_cluster_->profile());
    const Value actual = EvaluateHintsAsQueue(profile, infos, before, after);
    const Value expected = reference_->Hints(asked, before, after);
    outcome_.hints += asked.size();
    Note(step, expected, actual);
  }

  void Schedule(const JourneyStep& step, Value& expected) {
    const api::PodPtr& pod = std::get<api::PodPtr>(*step.after);
    case_cluster_->BeginCycle();
    Value decided;
    Value actual = Evaluate(*case_cluster_, *case_cluster_->Info(pod), &decided);
    actual.Set("decided", std::move(decided));
    reference_->BeginCycle();
    expected = reference_->Judge(pod);
    ++outcome_.decisions;
    AcceptWordsOfError(actual, expected);
    Note(step, expected, actual);
    journey_.Resolve(TextsAt(*expected.Find("decided"), "choices"), EvictionsIn(expected));
  }

  // The evictions upstream could choose.
  static std::vector<Eviction> EvictionsIn(const Value& expected) {
    std::vector<Eviction> evictions;
    const Value* part = expected.Find("postFilter");
    if (part == nullptr || part->Find("candidates") == nullptr) return evictions;
    const std::vector<std::string> nominated = TextsAt(*part, "nominated");
    for (const Value& candidate : part->Find("candidates")->items()) {
      const std::string node = candidate.Find("node")->text();
      if (std::ranges::find(nominated, node) == nominated.end()) continue;
      evictions.push_back({node, TextsAt(candidate, "pods")});
    }
    return evictions;
  }

  void Note(const JourneyStep& step, const Value& expected, const Value& actual) {
    const std::vector<Difference> differences = Compare(expected, actual);
    if (differences.empty()) return;
    outcome_.difference = {outcome_.steps, fmt::format("{} {}", OperationOf(step), Subject(step)), {}};
    for (const Difference& difference : differences) {
      outcome_.difference->fields.push_back(fmt::format("{}: expected {}\n      actual {}", difference.field,
                                                        TextOf(difference.expected), TextOf(difference.actual)));
    }
  }

  static std::string Subject(const JourneyStep& step) {
    return api::MetaOf(step.after ? *step.after : *step.before).Key();
  }

  static std::string OperationOf(const JourneyStep& step) {
    if (step.schedules) return "schedule";
    const api::Object& object = step.after ? *step.after : *step.before;
    const std::string_view kind = std::holds_alternative<api::NodePtr>(object)  ? "Node"
                                  : std::holds_alternative<api::PodPtr>(object) ? "Pod"
                                                                                : "Object";
    return fmt::format("{}{}", !step.before ? "add" : !step.after ? "delete" : "update", kind);
  }

  static Value Written(const JourneyStep& step, Value expected) {
    Value written = Value::Map();
    written.Set("op", Value::String(OperationOf(step)));
    if (step.after) {
      written.Set("object", api::Encode(*step.after));
    } else {
      written.Set("kind", Value::String(std::string(api::KindOf(*step.before))));
      written.Set("name", Value::String(Subject(step)));
    }
    if (step.schedules) {
      std::erase_if(expected.mutable_members(), [](const Value::Member& member) { return member.key == "decided"; });
      written.Set("expect", std::move(expected));
    }
    return written;
  }

  RandomJourney journey_;
  std::unique_ptr<CaseCluster> case_cluster_;
  std::unique_ptr<ReferenceCluster> reference_;
  std::map<std::string, api::PodPtr> waiting_;
  JourneyOutcome outcome_;
};

}  // namespace

Result<JourneyOutcome> RunJourney(uint64_t seed, uint64_t number, const framework::Registry& registry, bool write) {
  RandomJourney journey(seed, number);
  const Value* config = journey.config() ? &*journey.config() : nullptr;
  const ManualClock clock(AtSecond(kNow));
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<CaseCluster> cluster, CaseCluster::Make(config, registry, &clock));
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<ReferenceCluster> reference, ReferenceCluster::Make(config, registry, clock));
  JourneyOutcome outcome = JourneyRun(std::move(journey), std::move(cluster), std::move(reference)).Run(write);
  if (write) {
    Value line = Value::Map();
    line.Set("id", Value::String(fmt::format("random-{}-{}", seed, number)));
    for (Value::Member& member : outcome.written.mutable_members()) line.Set(member.key, std::move(member.value));
    outcome.written = std::move(line);
  }
  return outcome;
}

}  // namespace berth::conformance
