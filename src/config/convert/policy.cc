// SPDX-License-Identifier: Apache-2.0
#include "config/convert/policy.h"

#include "api/document.h"
#include "config/convert/edit.h"
#include "config/convert/old_plugins.h"
#include "config/convert/policy_extenders.h"
#include "config/convert/policy_names.h"
#include "config/convert/profile_editor.h"
#include "config/convert/scoring.h"
#include "config/known_plugins.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::Value;

class PolicyConverter {
 public:
  PolicyConverter(const Value& policy, Value& profile, std::vector<std::string>& notes, api::DecodeErrors& errors)
      : policy_(policy), profile_(profile), notes_(notes), errors_(errors) {}

  void Convert() {
    const Value* predicates = ListAt("predicates");
    const Value* priorities = ListAt("priorities");
    // TaintToleration and NodeUnschedulable filter regardless of the policy and are not in PolicyPlugins.
    if (predicates != nullptr) ReadPredicates(*predicates);
    if (priorities != nullptr) ReadPriorities(*priorities);
    DisableTheRest(predicates != nullptr, priorities != nullptr);
    FoldResourceScorers(profile_, priorities == nullptr ? "NodeResourcesLeastAllocated" : "", notes_);
    if (priorities == nullptr) KeepOldWeights(profile_);
    const Value* weight = policy_.Find("hardPodAffinitySymmetricWeight");
    if (weight != nullptr && !weight->is_null()) {
      if (Value* args = profile_.Args("InterPodAffinity")) args->Set("hardPodAffinityWeight", *weight);
    }
    const Value* always = policy_.Find("alwaysCheckAllPredicates");
    if (always != nullptr && always->bool_value()) {
      notes_.emplace_back("alwaysCheckAllPredicates was dropped: a node's first failing filter ends its check");
    }
    RejectUnknown();
  }

 private:
  // Absent means "the defaults", an empty list means "none".
  const Value* ListAt(std::string_view key) {
    const Value* list = policy_.Find(key);
    if (list == nullptr || list->is_null()) return nullptr;
    if (list->is_list()) return list;
    errors_.Add(std::string(key), list->position(),
                fmt::format("expected list, found {}", api::KindName(list->kind())));
    return nullptr;
  }

  void ReadPredicates(const Value& list) {
    for (size_t i = 0; i < list.items().size(); ++i) {
      const Value& entry = list.items()[i];
      const std::string name = NameOf(entry);
      const std::string path = fmt::format("predicates[{}]", i);
      const Value* argument = entry.Find("argument");
      if (argument != nullptr && argument->is_map()) {
        ReadPredicateArgument(name, *argument, path);
        continue;
      }
      const PredicateMeaning meaning = MeaningOfPredicate(name);
      if (!meaning.known) {
        errors_.Add(path + ".name", entry.position(), fmt::format("unknown predicate \"{}\"", name));
      }
      if (!meaning.gone.empty()) notes_.push_back(fmt::format("{} {}", name, meaning.gone));
      filters_.insert(meaning.plugins.begin(), meaning.plugins.end());
    }
  }

  void ReadPredicateArgument(const std::string& name, const Value& argument, const std::string& path) {
    if (const Value* presence = argument.Find("labelsPresence")) {
      const Value* labels = presence->Find("labels");
      const Value* wanted = presence->Find("presence");
      if (labels != nullptr && AddLabelConditions(profile_, *labels, wanted != nullptr && wanted->bool_value())) {
        filters_.insert("NodeAffinity");
        notes_.push_back(fmt::format("{} became NodeAffinity's addedAffinity: NodeLabel was removed in 1.23", name));
        return;
      }
    } else if (argument.Find("serviceAffinity") != nullptr) {
      notes_.push_back(fmt::format("{} was dropped: ServiceAffinity was removed in 1.23: use InterPodAffinity", name));
      return;
    }
    errors_.Add(path + ".argument", argument.position(), "expected labelsPresence or serviceAffinity");
  }

  void ReadPriorities(const Value& list) {
    for (size_t i = 0; i < list.items().size(); ++i) {
      const Value& entry = list.items()[i];
      const std::string name = NameOf(entry);
      const std::string path = fmt::format("priorities[{}]", i);
      const Value* argument = entry.Find("argument");
      if (argument != nullptr && argument->is_map() && !ReadPriorityArgument(name, *argument)) continue;
      const bool has_ratio = argument != nullptr && argument->Find("requestedToCapacityRatioArguments") != nullptr;
      const PriorityMeaning meaning = MeaningOfPriority(has_ratio ? "RequestedToCapacityRatioPriority" : name);
      if (!meaning.known) {
        errors_.Add(path + ".name", entry.position(), fmt::format("unknown priority \"{}\"", name));
      } else if (!meaning.gone.empty()) {
        notes_.push_back(fmt::format("{} {}", name, meaning.gone));
      } else {
        Score(name, meaning.plugin, entry);
      }
    }
  }

  // Two priorities may map to the same plugin: the direct match decides its weight.
  void Score(const std::string& name, std::string_view plugin, const Value& entry) {
    const bool stands_in = name == "SelectorSpreadPriority" || name == "ServiceSpreadingPriority";
    if (stands_in)
      notes_.push_back(fmt::format("{} became PodTopologySpread, whose system defaults do its work", name));
    if (scores_.contains(plugin)) {
      if (stands_in) return;
      profile_.Remove("score", "enabled", plugin);
    }
    scores_.insert(plugin);
    Value list = Value::List({NamedEntry(plugin)});
    const Value* weight = entry.Find("weight");
    if (weight != nullptr) list.mutable_items().front().Set("weight", *weight);
    Value* plugins = MapIn(profile_.profile(), "plugins");
    Value* score = plugins == nullptr ? nullptr : MapIn(*plugins, "score");
    Value* enabled = score == nullptr ? nullptr : ListIn(*score, "enabled");
    if (enabled != nullptr) enabled->Append(std::move(list.mutable_items().front()));
  }

  // Returns whether the priority still has an effect.
  bool ReadPriorityArgument(const std::string& name, const Value& argument) {
    if (const Value* ratio = argument.Find("requestedToCapacityRatioArguments")) {
      if (Value* args = profile_.Args("RequestedToCapacityRatio")) *args = *ratio;
      return true;
    }
    const bool by_label = argument.Find("labelPreference") != nullptr;
    notes_.push_back(fmt::format("{} was dropped: {} was removed in 1.23: use {}", name,
                                 by_label ? "NodeLabel" : "ServiceAffinity",
                                 by_label ? "NodeAffinity" : "InterPodAffinity"));
    return false;
  }

  bool Scores(std::string_view plugin) const {
    if (plugin != "NodeResourcesFit") return scores_.contains(plugin);
    return true;  // left to FoldResourceScorers
  }

  void DisableTheRest(bool has_predicates, bool has_priorities) {
    for (const PolicyPlugin& plugin : PolicyPlugins()) {
      const bool filters = plugin.filters && (!has_predicates || filters_.contains(plugin.name));
      const bool scores = plugin.scores && (!has_priorities || Scores(plugin.name));
      if (!filters && !scores) {
        profile_.Disable("multiPoint", plugin.name);
        continue;
      }
      if (plugin.pre_filters && !filters) profile_.Disable("preFilter", plugin.name);
      if (plugin.filters && !filters) profile_.Disable("filter", plugin.name);
      if (plugin.pre_scores && !scores) profile_.Disable("preScore", plugin.name);
      if (plugin.scores && !scores) profile_.Disable("score", plugin.name);
    }
    if (has_priorities && !scores_.contains("TaintToleration")) {
      profile_.Disable("preScore", "TaintToleration");
      profile_.Disable("score", "TaintToleration");
    }
  }

  void RejectUnknown() {
    static const std::set<std::string_view> kFields = {"apiVersion",
                                                       "kind",
                                                       "predicates",
                                                       "priorities",
                                                       "hardPodAffinitySymmetricWeight",
                                                       "extenders",
                                                       "extenderConfigs",
                                                       "alwaysCheckAllPredicates"};
    for (const Value::Member& member : policy_.members()) {
      if (!kFields.contains(member.key)) errors_.Add(member.key, member.key_position, "unknown field");
    }
  }

  const Value& policy_;
  ProfileEditor profile_;
  std::vector<std::string>& notes_;
  api::DecodeErrors& errors_;
  std::set<std::string_view> filters_;
  std::set<std::string_view> scores_;
};

void ApplyPolicy(const Value& policy, Value& profile, Value& root, std::vector<std::string>& notes,
                 api::DecodeErrors& errors) {
  PolicyConverter(policy, profile, notes, errors).Convert();
  Value extenders = ConvertPolicyExtenders(policy);
  if (!extenders.is_null()) root.Set("extenders", std::move(extenders));
}

}  // namespace

Converted ConvertPolicy(const Value& policy, api::DecodeErrors& errors) {
  Converted converted;
  Value& root = converted.document;
  root.Set("apiVersion", Value::String(std::string(kApiVersion)));
  root.Set("kind", Value::String(std::string(kKind)));
  Value profile = Value::Map();
  profile.Set("schedulerName", Value::String(std::string(kDefaultSchedulerName)));
  ApplyPolicy(policy, profile, root, converted.notes, errors);
  root.Set("profiles", Value::List({std::move(profile)}));
  return converted;
}

void ApplyReferredPolicy(const Value& reference, Value& profile, Value& root, std::vector<std::string>& notes,
                         api::DecodeErrors& errors) {
  const Value* file = reference.Find("file");
  const std::string path = file == nullptr ? "" : TextIn(*file, "path");
  if (path.empty()) {
    errors.Add("algorithmSource.policy", reference.position(),
               "only a policy in a file can be converted: save the ConfigMap's policy.cfg and convert that");
    return;
  }
  std::error_code ignored;
  Result<std::vector<api::Document>> documents = std::filesystem::is_regular_file(path, ignored)
                                                     ? api::ReadDocumentsFromFile(path)
                                                     : NotFoundError(fmt::format("{} is no file here", path));
  if (!documents || documents->empty()) {
    errors.Add("algorithmSource.policy.file.path", file->position(),
               documents ? path + " is empty" : documents.error().message);
    return;
  }
  ApplyPolicy(documents->front().root, profile, root, notes, errors);
}

}  // namespace berth::config
