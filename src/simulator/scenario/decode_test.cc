// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/decode.h"

#include "api/document.h"
#include "simulator/scenario/templates.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kHead = "apiVersion: berth/v1alpha1\nkind: Scenario\n";

Result<Scenario> Read(const std::string& yaml) {
  return DecodeScenario(api::ReadDocuments(yaml, "day.yaml").value().front());
}

// The error of a scenario that is `yaml` from its third line on.
std::string Problem(const std::string& yaml) {
  const Result<Scenario> scenario = Read(kHead + yaml);
  return scenario ? "none" : scenario.error().message;
}

TEST(DecodeScenario, ReadsEveryPart) {
  const Result<Scenario> read = Read(std::string(kHead) + R"(
metadata: {name: day}
seed: 7
start: 2026-03-01T00:00:00Z
duration: 24h
files: [cluster.yaml]
objects:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
nodes:
- name: general
  count: 3
  zones: [a, b]
  labels: {pool: general}
  taints: [{key: k, effect: NoSchedule}]
  allocatable: {cpu: 8, memory: 32Gi}
  join: {from: 1m, every: 30s, batch: 2}
workloads:
- name: web
  namespace: shop
  priority: 10
  poisson: {perHour: 120}
  from: 1h
  until: 2h
  lifetime: {exponential: 30m}
  restart: true
  end: delete
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}]}
failures:
- {group: general, poisson: {perHour: 1}, rejoin: {uniform: [5m, 10m]}, podsGoneAfter: 5s}
events:
- {at: 10m, action: drainNode, node: general-1}
- {at: 20m, action: scale, workload: web, replicas: 4}
volumes: {bindAfter: 1s, provisionAfter: 10s}
)");
  ASSERT_TRUE(read) << read.error().message;
  const Scenario& scenario = *read;
  EXPECT_EQ(scenario.name, "day");
  EXPECT_EQ(scenario.seed, 7U);
  EXPECT_EQ(scenario.duration, std::chrono::hours(24));
  EXPECT_EQ(scenario.files, std::vector<std::string>{"cluster.yaml"});
  ASSERT_EQ(scenario.nodes.size(), 1U);
  EXPECT_EQ(scenario.nodes[0].join.count, 3U);
  EXPECT_EQ(scenario.nodes[0].join.batch, 2U);
  EXPECT_EQ(api::ToJson(NodeDocument(scenario.nodes[0], 2)),
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"general-2","labels":{"pool":"general",)"
            R"("kubernetes.io/hostname":"general-2","topology.kubernetes.io/zone":"b"}},"spec":{"taints":[{"key":"k",)"
            R"("effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":8,"memory":"32Gi","pods":"110"}}})");
  ASSERT_EQ(scenario.workloads.size(), 1U);
  const Workload& web = scenario.workloads[0];
  EXPECT_EQ(web.lifetime, (Span{Span::Shape::Exponential, minutes(30), {}}));
  EXPECT_TRUE(web.restart);
  EXPECT_EQ(web.end, Workload::End::Delete);
  EXPECT_EQ(api::ToJson(PodDocument(web, "web-1")),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","labels":{"app":"web"},"namespace":"shop"},)"
            R"("spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}],"priority":10}})");
  ASSERT_EQ(scenario.failures.size(), 1U);
  EXPECT_EQ(scenario.failures[0].rejoin, (Span{Span::Shape::Uniform, minutes(5), minutes(10)}));
  EXPECT_EQ(scenario.failures[0].pods_gone_after, seconds(5));
  ASSERT_EQ(scenario.events.size(), 2U);
  EXPECT_EQ(std::get<ExitNode>(scenario.events[0].action).exit, NodeExit::Drain);
  EXPECT_EQ(std::get<ScaleWorkload>(scenario.events[1].action).replicas, 4U);
  EXPECT_EQ(scenario.volume_delays.bind, seconds(1));
  EXPECT_EQ(scenario.volume_delays.provision, seconds(10));
}

struct Wrong {
  const char* name;
  std::string yaml;
  std::string problem;
};

class DecodeScenarioErrors : public ::testing::TestWithParam<Wrong> {};

TEST_P(DecodeScenarioErrors, AreNamedWithTheirPlace) { EXPECT_EQ(Problem(GetParam().yaml), GetParam().problem); }

const std::string kNode = "nodes: [{name: m, allocatable: {cpu: 1}}]\n";
const std::string kPod = "template: {spec: {containers: [{name: c}]}}";

INSTANTIATE_TEST_SUITE_P(
    All, DecodeScenarioErrors,
    ::testing::Values(
        Wrong{"UnknownField", "nodez: []\n", "day.yaml:3:1: nodez: unknown field"},
        Wrong{"WrongType", "nodes: 3\n", "day.yaml:3:8: nodes: expected list, found integer"},
        Wrong{"Duration", "duration: 5 minutes\n",
              "day.yaml:3:11: duration: \"5 minutes\" is no duration such as \"15s\" or \"1m30s\""},
        Wrong{"NoDuration", "duration: 0s\n", "day.yaml:3:11: duration: must be longer than nothing"},
        Wrong{"Centuries", "duration: 1000000h\n", "day.yaml:3:11: duration: is more than a hundred years"},
        Wrong{"Start", "start: tomorrow\n", "day.yaml:3:8: start: \"tomorrow\" is not an RFC 3339 time"},
        Wrong{"LateStart", "start: 2200-01-01T00:00:00Z\n", "day.yaml:3:8: start: is later than 2100"},
        Wrong{"Seed", "seed: -1\n", "day.yaml:3:7: seed: must not be negative"},
        Wrong{"NoName", "nodes:\n- {allocatable: {cpu: 1}}\n", "day.yaml:4:3: nodes[0].name: a name is required"},
        Wrong{"BadName", "nodes:\n- {name: A b, allocatable: {cpu: 1}}\n",
              "day.yaml:4:10: nodes[0].name: \"A b\" is no name: objects are named after it, so lower case letters, "
              "digits, \"-\" and \".\" make it up"},
        Wrong{"NoResources", "nodes:\n- {name: m}\n",
              "day.yaml:4:3: nodes[0].allocatable: nodes without resources take no pods"},
        Wrong{"Twice", "nodes:\n- {name: m, allocatable: {cpu: 1}}\n- {name: m, allocatable: {cpu: 1}}\n",
              "day.yaml:5:10: nodes[1].name: \"m\" is there twice"},
        Wrong{"Quantity", "nodes:\n- {name: m, allocatable: {cpu: lots}}\n",
              "day.yaml:4:32: nodes[0].template.status.allocatable.cpu: \"lots\" is not a quantity: unknown suffix "
              "\"lots\""},
        Wrong{"Template", "workloads:\n- {name: w}\n",
              "day.yaml:4:3: workloads[0].template: a template with the pods' spec is required"},
        Wrong{"NamedTemplate", "workloads:\n- name: w\n  template: {metadata: {name: x}, spec: {containers: []}}\n",
              "day.yaml:5:31: workloads[0].template.metadata.name: is made for each object: leave it out"},
        Wrong{"Endless", "workloads:\n- {name: w, every: 1s, " + kPod + "}\n",
              "day.yaml:1:1: duration: is required: the pods of workload w without \"count\" or \"until\" never end"},
        Wrong{"BothPaces", "workloads:\n- {name: w, every: 1s, count: 1, poisson: {perHour: 1}, " + kPod + "}\n",
              "day.yaml:4:43: workloads[0].poisson: \"every\" and \"poisson\" exclude each other"},
        Wrong{"Rate", "workloads:\n- {name: w, count: 1, poisson: {perHour: -1}, " + kPod + "}\n",
              "day.yaml:4:42: workloads[0].poisson.perHour: must be more than nothing and at most a billion"},
        Wrong{"Until", "workloads:\n- {name: w, every: 1s, from: 1m, until: 1m, " + kPod + "}\n",
              "day.yaml:4:41: workloads[0].until: is not after \"from\""},
        Wrong{"Count", "workloads:\n- {name: w, count: 0, " + kPod + "}\n",
              "day.yaml:4:20: workloads[0].count: must be from 1 to 10000000"},
        Wrong{"Lifetime", "workloads:\n- {name: w, lifetime: {normal: 1m}, " + kPod + "}\n",
              "day.yaml:4:24: workloads[0].lifetime.normal: unknown field"},
        Wrong{"Uniform", "workloads:\n- {name: w, lifetime: {uniform: [2m, 1m]}, " + kPod + "}\n",
              "day.yaml:4:33: workloads[0].lifetime.uniform: the shortest comes first"},
        Wrong{"End", "workloads:\n- {name: w, end: explode, " + kPod + "}\n",
              "day.yaml:4:18: workloads[0].end: \"explode\" is none of succeed, delete"},
        Wrong{"Action", "events:\n- {at: 1s, action: drainnode, node: m}\n",
              "day.yaml:4:20: events[0].action: there is no \"drainnode\"; did you mean \"drainNode\"?"},
        Wrong{"NoTime", "events:\n- {action: cordon, node: m}\n", "day.yaml:4:3: events[0].at: a time is required"},
        Wrong{"Group", kNode + "events:\n- {at: 1s, action: cordon, group: mm}\n",
              "day.yaml:5:35: events[0].group: there is no node group \"mm\"; did you mean \"m\"?"},
        Wrong{"Target", kNode + "events:\n- {at: 1s, action: cordon}\n",
              "day.yaml:5:3: events[0]: one of \"node\" and \"group\" is needed"},
        Wrong{"Object", "events:\n- {at: 1s, action: apply, object: {kind: Deployment, metadata: {name: d}}}\n",
              "day.yaml:4:42: events[0].object.kind: \"Deployment\" is not a kind that scheduling reads"},
        Wrong{"FieldOfAnotherAction", "events:\n- {at: 1s, action: cordon, node: m, replicas: 2}\n",
              "day.yaml:4:37: events[0].replicas: unknown field"},
        Wrong{"Failures", kNode + "failures:\n- {group: m}\n",
              "day.yaml:5:3: failures[0]: one of \"every\" and \"poisson\" is needed"},
        Wrong{"Several", "seed: x\nduration: soon\n",
              "day.yaml:3:7: seed: expected integer, found string\n"
              "day.yaml:4:11: duration: \"soon\" is no duration such as \"15s\" or \"1m30s\""}),
    [](const auto& test) { return test.param.name; });

TEST(DecodeScenario, WantsItsVersion) {
  EXPECT_EQ(Read("apiVersion: berth/v2\nkind: Scenario\n").error().message,
            "day.yaml:1:13: apiVersion: \"berth/v2\" is not known; write \"berth/v1alpha1\"");
  EXPECT_TRUE(IsScenario(api::ReadDocuments("apiVersion: berth/v2\nkind: Scenario\n", "x").value().front().root));
  EXPECT_FALSE(IsScenario(api::ReadDocuments("apiVersion: v1\nkind: Scenario\n", "x").value().front().root));
}

TEST(DecodeScenario, TheExamplesAreGood) {
  for (const char* name : {"burst", "day", "failures", "gates"}) {
    const std::string path = std::string(BERTH_SOURCE_DIR "/examples/scenarios/") + name + ".yaml";
    const Result<Scenario> scenario = DecodeScenario(api::ReadDocumentsFromFile(path).value().front());
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(scenario->name, name);
  }
}

}  // namespace
}  // namespace berth::simulator
