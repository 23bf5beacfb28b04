// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "base/clock.h"
#include "framework/pod_info.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

// Objects for tests, a line each: MakeNode("a").Label("disk", "ssd").Allocatable("cpu", "4").
// Quantities and selectors are written as text; text that does not parse stops the test program.
namespace berth::test {

using Amounts = std::initializer_list<std::pair<std::string_view, std::string_view>>;

api::Quantity Amount(std::string_view text);
api::ResourceList Resources(Amounts amounts);
// Pods start and end at whole seconds after a fixed moment.
Timestamp AtSecond(int64_t second);

class NodeBuilder {
 public:
  // The node is labelled with its host name and takes 110 pods.
  explicit NodeBuilder(std::string_view name);
  NodeBuilder& Label(std::string_view key, std::string_view value);
  NodeBuilder& Allocatable(std::string_view resource, std::string_view amount);
  NodeBuilder& Taint(std::string_view key, std::string_view value, api::TaintEffect effect);
  NodeBuilder& Unschedulable();
  NodeBuilder& Image(std::string_view name, int64_t size_bytes);
  api::NodePtr Build() const;
  operator api::NodePtr() const { return Build(); }  // NOLINT(google-explicit-constructor)

 private:
  api::Node node_;
};

class PodBuilder {
 public:
  // `name` is "name" or "namespace/name"; the uid is the key. The pod has one container, which asks for nothing.
  explicit PodBuilder(std::string_view name);
  PodBuilder& Uid(std::string_view uid);
  PodBuilder& Label(std::string_view key, std::string_view value);
  PodBuilder& Node(std::string_view name);
  PodBuilder& Nominated(std::string_view node);
  PodBuilder& Priority(int32_t priority);
  PodBuilder& PreemptNever();
  PodBuilder& Started(int64_t second);
  PodBuilder& Terminating();
  PodBuilder& Condition(std::string_view type, std::string_view status, std::string_view reason);

  // What the first container asks for.
  PodBuilder& Request(std::string_view resource, std::string_view amount);
  PodBuilder& Container(Amounts requests);
  PodBuilder& InitContainer(Amounts requests);
  PodBuilder& Sidecar(Amounts requests);
  PodBuilder& Overhead(Amounts amounts);
  PodBuilder& PodLevel(Amounts requests);
  // What the first container holds on its node: in force, and granted.
  PodBuilder& InForce(Amounts requests);
  PodBuilder& Granted(Amounts requests);

  PodBuilder& HostPort(int32_t port, std::string_view ip = {}, std::string_view protocol = {});
  PodBuilder& Claim(std::string_view claim);
  PodBuilder& Tolerate(std::string_view key, api::TaintEffect effect = api::TaintEffect::None);
  PodBuilder& NodeSelector(std::string_view key, std::string_view value);
  // Pods with the label, counted by the topology key.
  PodBuilder& Near(std::string_view key, std::string_view value, std::string_view topology_key);
  PodBuilder& Away(std::string_view key, std::string_view value, std::string_view topology_key);
  PodBuilder& Spread(std::string_view key, std::string_view value, std::string_view topology_key, int32_t max_skew);

  // For what no method above says.
  api::PodSpec& spec() { return spec_; }
  api::PodStatus& status() { return status_; }
  api::Affinity& affinity() { return affinity_; }
  api::ObjectMeta& meta() { return pod_.meta; }

  api::PodPtr Build() const;
  operator api::PodPtr() const { return Build(); }  // NOLINT(google-explicit-constructor)
  framework::PodInfoPtr Info(framework::ResourceNames& names) const { return framework::MakePodInfo(Build(), names); }

 private:
  api::ContainerStatus& FirstStatus();

  api::Pod pod_;
  api::PodSpec spec_;
  api::PodStatus status_;
  api::Affinity affinity_;
};

inline NodeBuilder MakeNode(std::string_view name) { return NodeBuilder(name); }
inline PodBuilder MakePod(std::string_view name) { return PodBuilder(name); }

}  // namespace berth::test
