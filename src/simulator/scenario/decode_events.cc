// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/decode_events.h"

#include "api/object.h"
#include "config/suggest.h"
#include "simulator/scenario/decode_parts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::simulator {

using api::FieldReader;
using api::Value;

namespace {

constexpr Duration kUsualPodsGoneAfter = std::chrono::seconds(40);  // the pod garbage collector's delay

// The index of the element that `key` names; reports an unknown name.
template <typename T>
std::optional<uint32_t> ReadIndex(FieldReader& reader, std::string_view key, std::string_view what,
                                  const std::vector<T>& all) {
  const std::optional<std::string> name = reader.OptionalString(key);
  if (!name) return std::nullopt;
  std::vector<std::string> names;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == *name) return static_cast<uint32_t>(i);
    names.push_back(all[i].name);
  }
  const std::string near = config::Nearest(*name, names);
  reader.Fail(key, fmt::format("there is no {} \"{}\"{}", what, *name,
                               near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  return std::nullopt;
}

// Reports an error unless exactly one of the two fields is given.
bool HasOneOf(FieldReader& reader, std::string_view a, std::string_view b) {
  const bool has_a = reader.Raw(a) != nullptr;
  const bool has_b = reader.Raw(b) != nullptr;
  if (has_a != has_b) return true;
  reader.errors().Add(reader.path(), reader.value().position(),
                      fmt::format("{} of \"{}\" and \"{}\" is needed", has_a ? "only one" : "one", a, b));
  return false;
}

NodeTarget ReadNodeTarget(FieldReader& reader, const Scenario& scenario) {
  NodeTarget target;
  if (!HasOneOf(reader, "node", "group")) return target;
  target.name = reader.String("node");
  target.group = ReadIndex(reader, "group", "node group", scenario.nodes);
  if (const auto count = ReadCount(reader, "count")) {
    target.count = *count;
    if (!target.name.empty()) reader.Fail("count", "goes with \"group\"");
  }
  return target;
}

PodTarget ReadPodTarget(FieldReader& reader, const Scenario& scenario) {
  PodTarget target;
  if (!HasOneOf(reader, "pod", "workload")) return target;
  target.key = reader.String("pod");
  if (!target.key.empty() && target.key.find('/') == std::string::npos) target.key.insert(0, "default/");
  target.workload = ReadIndex(reader, "workload", "workload", scenario.workloads);
  return target;
}

EventAction ReadObject(FieldReader& reader, const Scenario& scenario, std::string_view kind) {
  ApplyObject apply;
  apply.must_be_new = !kind.empty();
  reader.Map("object", [&](FieldReader& object) {
    apply.document = object.value();
    if (!kind.empty() && apply.document.Find("kind") == nullptr) {
      apply.document.Set("kind", Value::String(std::string(kind), object.value().position()));
    }
    if (const Value* own = apply.document.Find("kind"); !kind.empty() && own->text() != kind) {
      object.Fail("kind", fmt::format("expected {}", kind));
    }
    CheckObject(apply.document, scenario.custom_kinds, object.path(), object.value().position(), reader.errors());
  });
  if (reader.value().Find("object") == nullptr) reader.Fail("object", "an object is required");
  return apply;
}

EventAction ReadAddNode(FieldReader& reader, const Scenario& scenario) {
  if (!HasOneOf(reader, "object", "group")) return AddNodes{};
  if (reader.Raw("object") != nullptr) return ReadObject(reader, scenario, "Node");
  return AddNodes{ReadIndex(reader, "group", "node group", scenario.nodes).value_or(0),
                  ReadCount(reader, "count").value_or(1)};
}

EventAction ReadAddPod(FieldReader& reader, const Scenario& scenario) {
  if (!HasOneOf(reader, "object", "workload")) return AddPods{};
  if (reader.Raw("object") != nullptr) return ReadObject(reader, scenario, "Pod");
  return AddPods{ReadIndex(reader, "workload", "workload", scenario.workloads).value_or(0),
                 ReadCount(reader, "count").value_or(1)};
}

EventAction ReadExit(FieldReader& reader, const Scenario& scenario, NodeExit exit) {
  ExitNode action{ReadNodeTarget(reader, scenario), exit, kUsualPodsGoneAfter, ReadSpan(reader, "rejoin")};
  if (exit == NodeExit::Kill) {
    action.pods_gone_after = ReadTime(reader, "podsGoneAfter").value_or(kUsualPodsGoneAfter);
  }
  return action;
}

EventAction ReadScale(FieldReader& reader, const Scenario& scenario) {
  ScaleWorkload scale{ReadIndex(reader, "workload", "workload", scenario.workloads).value_or(0), 0};
  if (reader.value().Find("workload") == nullptr) reader.Fail("workload", "a workload is required");
  const std::optional<int64_t> replicas = reader.Int64("replicas");
  if (reader.value().Find("replicas") == nullptr) reader.Fail("replicas", "a number is required");
  if (replicas && *replicas < 0) reader.Fail("replicas", "must not be negative");
  scale.replicas = static_cast<uint64_t>(std::max<int64_t>(replicas.value_or(0), 0));
  return scale;
}

EventAction ReadDelete(FieldReader& reader, const Scenario& scenario) {
  DeleteObject action;
  for (const auto& [key, part] : {std::pair{"kind", &action.key.kind}, std::pair{"name", &action.key.name}}) {
    *part = reader.String(key);
    if (part->empty()) reader.Fail(key, "is required");
  }
  action.key.namespace_ = reader.String("namespace");
  const std::string& kind = action.key.kind;
  const bool is_custom = std::ranges::find(scenario.custom_kinds, kind) != scenario.custom_kinds.end();
  if (!kind.empty() && !is_custom && !api::IsSchedulingKind(kind)) {
    reader.Fail("kind", fmt::format("\"{}\" is not a kind that scheduling reads", kind));
  }
  return action;
}

using ActionReader = std::function<EventAction(FieldReader&, const Scenario&)>;

std::vector<std::pair<std::string, ActionReader>> Actions() {
  const auto exit = [](NodeExit how) {
    return [how](FieldReader& reader, const Scenario& scenario) { return ReadExit(reader, scenario, how); };
  };
  const auto cordon = [](bool on) {
    return [on](FieldReader& reader, const Scenario& scenario) -> EventAction {
      return CordonNode{ReadNodeTarget(reader, scenario), on};
    };
  };
  return {
      {"addNode", ReadAddNode},
      {"removeNode", exit(NodeExit::Remove)},
      {"killNode", exit(NodeExit::Kill)},
      {"drainNode", exit(NodeExit::Drain)},
      {"cordon", cordon(true)},
      {"uncordon", cordon(false)},
      {"addPod", ReadAddPod},
      {"deletePod",
       [](FieldReader& reader, const Scenario& scenario) -> EventAction {
         return DeletePod{ReadPodTarget(reader, scenario)};
       }},
      {"scale", ReadScale},
      {"ungate",
       [](FieldReader& reader, const Scenario& scenario) -> EventAction {
         return Ungate{ReadPodTarget(reader, scenario), reader.String("gate")};
       }},
      {"apply", [](FieldReader& reader, const Scenario& scenario) { return ReadObject(reader, scenario, ""); }},
      {"delete", ReadDelete},
  };
}

// Null when the event names no valid action.
ActionReader FindAction(FieldReader& reader) {
  const std::optional<std::string> name = reader.OptionalString("action");
  if (!name) {
    if (reader.value().Find("action") == nullptr) reader.Fail("action", "an action is required");
    return nullptr;
  }
  std::vector<std::string> names;
  for (const auto& [known, read] : Actions()) {
    if (known == *name) return read;
    names.push_back(known);
  }
  const std::string near = config::Nearest(*name, names);
  reader.Fail("action", near.empty() ? fmt::format("\"{}\" is none of {}", *name, fmt::join(names, ", "))
                                     : fmt::format("there is no \"{}\"; did you mean \"{}\"?", *name, near));
  return nullptr;
}

}  // namespace

void ReadEvents(FieldReader& reader, Scenario& scenario) {
  reader.ForEach("events", [&](FieldReader& event) {
    ScriptedEvent scripted;
    scripted.at = ReadTime(event, "at").value_or(Duration::zero());
    if (event.value().Find("at") == nullptr) event.Fail("at", "a time is required");
    const ActionReader read = FindAction(event);
    if (!read) return;
    scripted.action = read(event, scenario);
    event.RejectUnknown();
    scenario.events.push_back(std::move(scripted));
  });
}

void ReadFailures(FieldReader& reader, Scenario& scenario) {
  reader.ForEach("failures", [&](FieldReader& entry) {
    NodeFailures failures;
    failures.group = ReadIndex(entry, "group", "node group", scenario.nodes).value_or(0);
    if (entry.value().Find("group") == nullptr) entry.Fail("group", "a node group is required");
    const std::string action = entry.String("action", "killNode");
    if (action == "removeNode") {
      failures.exit = NodeExit::Remove;
    } else if (action == "drainNode") {
      failures.exit = NodeExit::Drain;
    } else if (action != "killNode") {
      entry.Fail("action", fmt::format("\"{}\" is none of killNode, drainNode, removeNode", action));
    }
    failures.times = ReadArrivals(entry, /*counted=*/true);
    if (failures.times.at_once()) {
      entry.errors().Add(entry.path(), entry.value().position(), "one of \"every\" and \"poisson\" is needed");
    }
    failures.rejoin = ReadSpan(entry, "rejoin");
    failures.pods_gone_after = ReadTime(entry, "podsGoneAfter").value_or(kUsualPodsGoneAfter);
    entry.RejectUnknown();
    scenario.failures.push_back(std::move(failures));
  });
}

}  // namespace berth::simulator
