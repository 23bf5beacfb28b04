// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "api/object.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace berth::api {
namespace {

Value Parse(std::string_view text) {
  Result<std::vector<Document>> documents = ReadDocuments(text, "f");
  EXPECT_TRUE(documents.has_value()) << (documents ? "" : documents.error().message);
  return documents && !documents->empty() ? std::move(documents->front().root) : Value();
}

template <typename T>
T DecodeText(std::string_view text) {
  DecodeErrors errors;
  T object = Decode<T>(Parse(text), errors);
  EXPECT_TRUE(errors.empty()) << errors.Text("f");
  return object;
}

template <typename T>
std::string ErrorsOf(std::string_view text) {
  DecodeErrors errors;
  Decode<T>(Parse(text), errors);
  return errors.Text("f");
}

TEST(DecodePod, ReadsEverythingSchedulingNeeds) {
  const Pod pod = DecodeText<Pod>(R"(
metadata:
  name: web-0
  namespace: shop
  uid: u1
  resourceVersion: "7"
  generation: 3
  labels: {app: web}
  annotations: {note: x}
  creationTimestamp: "2026-01-01T03:00:00Z"
  deletionTimestamp: "2026-01-01T03:00:01.5+01:00"
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u2, controller: true}]
spec:
  nodeName: n1
  containers:
  - name: c
    image: web:1
    resources: {requests: {cpu: 100m}, limits: {cpu: 1, memory: 1Gi, example.com/gpu: 2}}
    ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.1, protocol: UDP}]
  initContainers:
  - {name: s, restartPolicy: Always, restartPolicyRules: [{action: Restart}, {action: RestartAllContainers}]}
  overhead: {memory: 1Mi}
  schedulerName: other
  priority: 10
  priorityClassName: high
  preemptionPolicy: Never
  nodeSelector: {disk: ssd}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: zone, operator: In, values: [a, b]}]
          matchFields: [{key: metadata.name, operator: NotIn, values: [n9]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 5, preference: {matchExpressions: [{key: fast, operator: Exists}]}}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {labelSelector: {matchLabels: {app: db}}, namespaces: [x], namespaceSelector: {}, topologyKey: zone}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 9, podAffinityTerm: {topologyKey: host}}
  tolerations:
  - {key: k, operator: Equal, value: v, effect: NoExecute, tolerationSeconds: 5}
  - {operator: Exists}
  topologySpreadConstraints:
  - maxSkew: 2
    topologyKey: zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: [x]}]}
    minDomains: 3
    nodeAffinityPolicy: Ignore
    nodeTaintsPolicy: Honor
    matchLabelKeys: [rev]
  schedulingGates: [{name: g}]
  resourceClaims: [{name: rc}]
  hostUsers: false
  terminationGracePeriodSeconds: 30
status:
  phase: Running
  nominatedNodeName: n2
  startTime: "2026-01-01T03:00:00Z"
  conditions: [{type: PodScheduled, status: "False", reason: r, message: m}]
  containerStatuses: [{name: c, resources: {requests: {cpu: 2}}, allocatedResources: {cpu: 3}}]
  resources: {requests: {cpu: 4}}
  allocatedResources: {cpu: 5}
)");
  EXPECT_EQ(pod.meta.Key(), "shop/web-0");
  EXPECT_EQ(pod.meta.generation, 3);
  EXPECT_EQ(pod.meta.Controller()->name, "web");
  EXPECT_EQ(*pod.meta.created - *pod.meta.deleted, std::chrono::minutes(60) - std::chrono::milliseconds(1500));
  EXPECT_EQ(pod.node_name, "n1");
  const PodSpec& spec = *pod.spec;
  EXPECT_EQ(spec.containers[0].resources.requests.Find("cpu")->MilliValue(), 100);
  EXPECT_EQ(spec.containers[0].resources.requests.Find("memory")->Value(), 1 << 30);
  EXPECT_EQ(spec.containers[0].resources.requests.Find("example.com/gpu")->Value(), 2);
  EXPECT_EQ(spec.containers[0].ports[0].host_ip, "10.0.0.1");
  EXPECT_EQ(spec.containers[0].ports[0].host_port, 8080);
  EXPECT_TRUE(spec.init_containers[0].is_sidecar());
  EXPECT_TRUE(spec.init_containers[0].restarts_all_containers);
  EXPECT_EQ(spec.scheduler_name, "other");
  EXPECT_EQ(pod.priority(), 10);
  EXPECT_EQ(spec.preemption_policy, "Never");
  EXPECT_EQ(spec.affinity->node->required->terms[0].match_fields[0].values[0], "n9");
  EXPECT_EQ(spec.affinity->node->preferred[0].weight, 5);
  EXPECT_EQ(*spec.affinity->pod->required[0].label_selector->match_labels.Find("app"), "db");
  EXPECT_TRUE(spec.affinity->pod->required[0].namespace_selector.has_value());
  EXPECT_FALSE(spec.affinity->anti->preferred[0].term.label_selector.has_value());
  EXPECT_EQ(spec.affinity->anti->preferred[0].weight, 9);
  EXPECT_EQ(spec.tolerations[0].effect, TaintEffect::NoExecute);
  EXPECT_EQ(spec.tolerations[1].effect, TaintEffect::None);
  const TopologySpreadConstraint& spread = spec.topology_spread_constraints[0];
  EXPECT_EQ(spread.max_skew, 2);
  EXPECT_EQ(spread.when_unsatisfiable, UnsatisfiableAction::ScheduleAnyway);
  EXPECT_EQ(spread.min_domains, 3);
  EXPECT_EQ(spread.node_affinity_policy, InclusionPolicy::Ignore);
  EXPECT_EQ(spread.node_taints_policy, InclusionPolicy::Honor);
  EXPECT_EQ(spread.match_label_keys, std::vector<std::string>{"rev"});
  EXPECT_EQ(spec.scheduling_gates, std::vector<std::string>{"g"});
  EXPECT_EQ(spec.resource_claims, std::vector<std::string>{"rc"});
  EXPECT_EQ(spec.host_users, false);
  EXPECT_EQ(spec.termination_grace_period_seconds, 30);
  EXPECT_EQ(pod.FindCondition("PodScheduled")->reason, "r");
  EXPECT_EQ(pod.FindCondition("Ready"), nullptr);
  EXPECT_EQ(pod.status->container_statuses[0].resources->requests.Find("cpu")->Value(), 2);
  EXPECT_EQ(pod.status->container_statuses[0].allocated_resources.Find("cpu")->Value(), 3);
  EXPECT_EQ(pod.status->resources->requests.Find("cpu")->Value(), 4);
  EXPECT_EQ(pod.status->allocated_resources.Find("cpu")->Value(), 5);
}

TEST(DecodePod, DefaultsWhatIsMissing) {
  const Pod bare = DecodeText<Pod>("metadata: {name: a}\nspec:\nstatus:\n");
  EXPECT_EQ(bare.meta.Key(), "default/a");
  EXPECT_EQ(bare.spec->scheduler_name, "default-scheduler");
  EXPECT_EQ(bare.spec->affinity, nullptr);
  EXPECT_EQ(bare.status->phase, "");
  EXPECT_EQ(bare.priority(), 0);

  const Pod host = DecodeText<Pod>(
      "metadata: {name: a}\nspec: {hostNetwork: true, containers: [{ports: [{containerPort: 80}, {containerPort: 81, "
      "hostPort: 9}]}]}\n");
  EXPECT_EQ(host.spec->containers[0].ports[0].host_port, 80);
  EXPECT_EQ(host.spec->containers[0].ports[1].host_port, 9);
}

TEST(DecodePod, DefaultsPodLevelResources) {
  const auto requests = [](std::string_view resources, std::string_view containers) {
    const Pod pod = DecodeText<Pod>("metadata: {name: a}\nspec: {resources: " + std::string(resources) +
                                    ", containers: " + std::string(containers) + "}\n");
    std::string text;
    for (const auto& [name, amount] : pod.spec->resources->requests) text += name + "=" + amount.ToString() + " ";
    return text;
  };
  EXPECT_EQ(requests("{limits: {cpu: 2}}", "[]"), "cpu=2 ");
  EXPECT_EQ(requests("{limits: {cpu: 2}}", "[{resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 500m}}}]"),
            "cpu=1500m ");
  EXPECT_EQ(requests("{requests: {cpu: 1}}", "[{resources: {requests: {memory: 1Ki}}}]"), "cpu=1 ");
  EXPECT_EQ(requests("{requests: {cpu: 1}, limits: {cpu: 3, memory: 2}}", "[]"), "cpu=1 memory=2 ");
  EXPECT_EQ(requests("{limits: {cpu: 2}}", "[{resources: {limits: {hugepages-2Mi: 4, example.com/x: 1}}}]"),
            "cpu=2 hugepages-2Mi=4 ");
}

TEST(DecodePod, RoundsResourcesToMilli) {
  const Pod pod = DecodeText<Pod>("metadata: {name: a}\nspec: {containers: [{resources: {requests: {cpu: 1u}}}]}\n");
  EXPECT_EQ(pod.spec->containers[0].resources.requests.Find("cpu")->ToString(), "1m");
}

TEST(DecodePod, NamesEveryError) {
  EXPECT_EQ(
      ErrorsOf<Pod>("spec:\n  priority: high\n  containers:\n  - resources: {requests: {cpu: 1x, memory: [1]}}\n"
                    "  - 5\n  tolerations: [{effect: Sometimes}]\n  nodeSelector: {a: 1}\nmetadata: {labels: 3}\n"),
      "f:8:20: metadata.labels: expected map, found integer\n"
      "f:8:11: metadata.name: a name is required\n"
      "f:4:33: spec.containers[0].resources.requests.cpu: \"1x\" is not a quantity: unknown suffix \"x\"\n"
      "f:4:45: spec.containers[0].resources.requests.memory: expected a quantity, found list\n"
      "f:5:5: spec.containers[1]: expected map, found integer\n"
      "f:2:13: spec.priority: expected integer, found string\n"
      "f:7:21: spec.nodeSelector.a: expected string, found integer\n"
      "f:6:26: spec.tolerations[0].effect: \"Sometimes\" is not a taint effect");
  EXPECT_EQ(ErrorsOf<Pod>("metadata: {name: 5}"), "f:1:18: metadata.name: expected string, found integer");
  EXPECT_EQ(ErrorsOf<Pod>("[]"), "f:1:1: expected map, found list");
  EXPECT_EQ(ErrorsOf<Pod>("metadata: {name: a, creationTimestamp: noon}"),
            "f:1:40: metadata.creationTimestamp: \"noon\" is not an RFC 3339 time");
  EXPECT_EQ(ErrorsOf<Pod>("metadata: {name: a}\nspec: {priority: 3000000000}"),
            "f:2:18: spec.priority: 3000000000 does not fit a 32-bit integer");
  EXPECT_EQ(ErrorsOf<Pod>("metadata: {name: a}\nspec: {topologySpreadConstraints: [{whenUnsatisfiable: Maybe}]}"),
            "f:2:56: spec.topologySpreadConstraints[0].whenUnsatisfiable: \"Maybe\" is neither DoNotSchedule nor "
            "ScheduleAnyway");
}

TEST(DecodeNode, Reads) {
  const Node node = DecodeText<Node>(R"(
metadata: {name: n1, namespace: ignored}
spec: {unschedulable: true, taints: [{key: k, value: v, effect: PreferNoSchedule}]}
status:
  capacity: {cpu: 4, memory: 8Gi, pods: "110"}
  images: [{names: [a, b], sizeBytes: 123}]
  declaredFeatures: [b, a]
  conditions: [{type: Ready, status: "True"}]
)");
  EXPECT_EQ(node.meta.Key(), "n1");
  EXPECT_TRUE(node.unschedulable);
  EXPECT_EQ(node.taints[0], (Taint{"k", "v", TaintEffect::PreferNoSchedule}));
  EXPECT_EQ(node.allocatable, node.capacity);
  EXPECT_EQ(node.images[0].size_bytes, 123);
  EXPECT_EQ(node.declared_features, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(node.conditions[0].type, "Ready");
  EXPECT_TRUE(
      DecodeText<Node>("metadata: {name: obj}\nstatus: {capacity: {cpu: 1}, allocatable: {}}").allocatable.empty());
}

TEST(DecodeWorkloads, ReadsEachKind) {
  EXPECT_EQ(
      *DecodeText<Namespace>("metadata: {name: a, labels: {b: c}}").meta.labels.Find("kubernetes.io/metadata.name"),
      "a");
  EXPECT_TRUE(DecodeText<Service>("metadata: {name: a}\nspec: {selector: {x: v}}").selector.Has("x"));
  EXPECT_TRUE(DecodeText<ReplicationController>("metadata: {name: a}\nspec: {template: {metadata: {labels: {x: v}}}}")
                  .selector.Has("x"));
  EXPECT_EQ(
      DecodeText<ReplicaSet>("metadata: {name: a}\nspec: {selector: {matchLabels: {x: v}}}").selector->match_labels,
      (Labels{{"x", "v"}}));
  EXPECT_FALSE(DecodeText<StatefulSet>("metadata: {name: a}\nspec: {}").selector.has_value());
  const auto budget = DecodeText<PodDisruptionBudget>(
      "metadata: {name: a}\nspec: {selector: {}}\nstatus: {disruptionsAllowed: 2, disruptedPods: {p: "
      "\"2026-01-01T00:00:00Z\", q: null}}");
  EXPECT_TRUE(budget.selector.has_value());
  EXPECT_EQ(budget.disruptions_allowed, 2);
  EXPECT_EQ(budget.disrupted_pods, (std::vector<std::string>{"p", "q"}));
  const auto priority = DecodeText<PriorityClass>("metadata: {name: a}\nvalue: 7\nglobalDefault: true");
  EXPECT_EQ(priority.value, 7);
  EXPECT_TRUE(priority.global_default);
}

TEST(DecodeObject, DispatchesByKind) {
  DecodeErrors errors;
  const Object object = DecodeObject(Parse("kind: CSINode\nmetadata: {name: obj}"), errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(KindOf(object), "CSINode");
  EXPECT_EQ(KindOf<CsiNode>(), "CSINode");
  EXPECT_EQ(MetaOf(object).name, "obj");
  DecodeObject(Parse("kind: ConfigMap\nmetadata: {name: obj}"), errors);
  DecodeObject(Parse("metadata: {name: obj}"), errors);
  EXPECT_EQ(errors.errors().size(), 2U);
  EXPECT_TRUE(IsSchedulingKind("Pod"));
  EXPECT_FALSE(IsSchedulingKind("Deployment"));
  EXPECT_TRUE(IsSchedulingKind("v1", "Service"));
  EXPECT_FALSE(IsSchedulingKind("serving.knative.dev/v1", "Service"));
}

TEST(FieldReader, RejectsUnknownFieldsOnDemand) {
  DecodeErrors errors;
  const Value map = Parse("a: 1\nb: 2\nc: 3\n");
  FieldReader reader(map, "top", errors);
  reader.Int32("a");
  reader.Bool("c");
  reader.RejectUnknown();
  EXPECT_EQ(errors.Text("f"), "f:3:4: top.c: expected bool, found integer\nf:2:1: top.b: unknown field");
}

size_t DecodeAll(const Value& value, DecodeErrors& errors) {
  const Value* kind = value.Find("kind");
  if (kind != nullptr && IsSchedulingKind(kind->text()) && value.Find("metadata") != nullptr) {
    DecodeObject(value, errors);
    return 1;
  }
  size_t count = 0;
  for (const Value& item : value.items()) count += DecodeAll(item, errors);
  for (const Value::Member& member : value.members()) count += DecodeAll(member.value, errors);
  return count;
}

TEST(DecodeObject, DecodesGoldenCases) {
  const std::filesystem::path folder = std::filesystem::path(BERTH_SOURCE_DIR) / "conformance/cases";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    Result<std::string> text = ReadText(entry.path().string());
    ASSERT_TRUE(text.has_value()) << text.error().message;
    // A part of each suffices, and keeps unoptimised builds quick.
    constexpr size_t kEnough = 300'000;
    const size_t end = text->find('\n', kEnough);
    const auto documents = ReadDocuments(std::string_view(*text).substr(0, end), "golden");
    ASSERT_TRUE(documents.has_value()) << documents.error().message;
    DecodeErrors errors;
    size_t count = 0;
    for (const Document& document : *documents) count += DecodeAll(document.root, errors);
    EXPECT_TRUE(errors.empty()) << errors.Text(entry.path().filename().string());
    EXPECT_GT(count, 0U);
  }
}

}  // namespace
}  // namespace berth::api
