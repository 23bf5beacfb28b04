// SPDX-License-Identifier: Apache-2.0
// What plugins may read in Filter and Score, read there from several threads at once. It is the thread sanitizer that
// judges: .ci/run runs this with it.
#include "base/mutex.h"
#include "plugins/registry.h"
#include "support/builders.h"
#include "support/random_cluster.h"
#include "support/test_bed.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::ClusterView;
using framework::CycleState;
using framework::Handle;
using framework::IndexedCluster;
using framework::Lister;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PreFilterResult;
using framework::Status;
using framework::TermKind;

constexpr size_t kNodes = 256;
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

// Adds up what is read, so that every thread can tell whether it has read the same.
class Sum {
 public:
  void Add(int64_t value) { value_ = value_ * 31 + static_cast<uint64_t>(value); }
  void Add(const Bitset& nodes) {
    nodes.ForEach([&](size_t node) { Add(static_cast<int64_t>(node)); });
  }
  template <typename T>
  void AddColumn(std::span<const T> column) {
    for (const T value : column) Add(static_cast<int64_t>(value));
  }
  template <typename T>
  void AddObject(const T* object) {
    Add(object == nullptr ? -1 : static_cast<int64_t>(object->meta.name.size()));
  }
  template <typename T>
  void AddObjects(const std::vector<const T*>& objects) {
    for (const T* object : objects) AddObject(object);
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

void ReadCluster(const ClusterView& cluster, Sum& sum) {
  sum.Add(static_cast<int64_t>(cluster.node_slots() + cluster.node_count()));
  sum.Add(cluster.live_nodes());
  sum.Add(cluster.FindNode("n7"));
  sum.Add(cluster.FindNode("absent"));
  sum.Add(static_cast<int64_t>(cluster.node(7).pods.size()));
  for (uint32_t id = 0; id < 6; ++id) {  // the last ones no node has
    const framework::ResourceColumn column = cluster.resource(static_cast<framework::ResourceId>(id));
    sum.AddColumn(column.allocatable);
    sum.AddColumn(column.requested);
  }
  sum.AddColumn(cluster.nonzero_cpu());
  sum.AddColumn(cluster.nonzero_memory());
  sum.AddColumn(cluster.pod_count());
  sum.AddColumn(cluster.allowed_pods());
  sum.AddColumn(cluster.lowest_priority());
  sum.AddColumn(cluster.row_version());
  sum.AddColumn(cluster.row_cycle());
  sum.Add(cluster.unschedulable_nodes());
  sum.AddColumn(cluster.taints().set_of_node);
  sum.Add(static_cast<int64_t>(cluster.taints().sets.size()));
  sum.Add(cluster.image("absent") == nullptr ? 0 : 1);
  if (const framework::ImageState* image = cluster.image("app:1")) {
    sum.Add(image->nodes);
    sum.Add(static_cast<int64_t>(image->HoldersSeenFrom(cluster.row_cycle()[7])));
  }
  sum.Add(cluster.nodes_with_host_ports());
  sum.Add(cluster.ClaimUsers("default/data"));
  sum.Add(cluster.ClaimUsers("default/absent"));
}

void ReadObjects(const Lister& lister, Sum& sum) {
  sum.AddObjects(lister.Namespaces());
  sum.AddObjects(lister.Services("default"));
  sum.AddObjects(lister.PodDisruptionBudgets());
  sum.AddObjects(lister.PriorityClasses());
  sum.AddObjects(lister.PersistentVolumesOfClass("fast"));
  sum.AddObjects(lister.StorageCapacities());
  sum.AddObjects(lister.VolumeAttachments());
  sum.AddObjects(lister.VolumeAttachmentsOf("n7"));
  for (const std::string_view name : {"one", "absent"}) {
    sum.AddObject(lister.FindNamespace(name));
    sum.AddObject(lister.FindReplicationController("default", name));
    sum.AddObject(lister.FindReplicaSet("default", name));
    sum.AddObject(lister.FindStatefulSet("default", name));
    sum.AddObject(lister.FindPriorityClass(name));
    sum.AddObject(lister.FindPersistentVolume(name));
    sum.AddObject(lister.FindClaim("default", name));
    sum.AddObject(lister.FindStorageClass(name));
    sum.AddObject(lister.FindCsiNode(name));
    sum.AddObject(lister.FindCsiDriver(name));
  }
  for (const std::string_view kind : {"Namespace", "PersistentVolume", "CSINode", "absent"}) {
    sum.Add(static_cast<int64_t>(lister.Version(kind)));
  }
}

// What PreFilter found in indexes, for Filter and Score to read.
struct FoundInIndexes : framework::CloneableState<FoundInIndexes> {
  const framework::TopologyColumn* zones = nullptr;
  const Bitset* in_zone = nullptr;
  const framework::NodeCounts* pods = nullptr;
  std::vector<const framework::CarriedTerm*> terms;

  void AddTo(Sum& sum) const {
    sum.AddColumn(std::span<const int32_t>(zones->domain_of_node));
    sum.Add(*in_zone);
    for (NodeId node = 0; node < kNodes; ++node) sum.Add(pods->Get(node));
    for (const framework::CarriedTerm* term : terms) sum.Add(term->carriers.total());
  }
};
constexpr framework::StateKey<FoundInIndexes> kFound{"ReadsEverything"};

struct Expected : framework::CloneableState<Expected> {
  uint64_t sum = 0;
};
constexpr framework::StateKey<Expected> kExpected{"ReadsEverything/Expected"};

// Holds threads back until a second one has come. Afterwards it costs nothing and orders nothing, for what is ordered
// by a lock cannot race.
class Meeting {
 public:
  void Attend() BERTH_EXCLUDES(mutex_) {
    if (is_over_.load(std::memory_order_relaxed)) return;
    const MutexLock lock(mutex_);
    present_.insert(std::this_thread::get_id());
    if (present_.size() > 1) {
      is_over_.store(true, std::memory_order_relaxed);
      more_came_.NotifyAll();
    }
    while (present_.size() < 2) more_came_.Wait(mutex_);
  }
  void Reset() BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    present_.clear();
    is_over_.store(false, std::memory_order_relaxed);
  }

 private:
  Mutex mutex_;
  CondVar more_came_;
  std::set<std::thread::id> present_ BERTH_GUARDED_BY(mutex_);
  std::atomic<bool> is_over_{false};
};

// Reads all it can get hold of, for every node, in the plain forms of Filter and Score.
class ReadsEverything final : public framework::PreFilterPlugin,
                              public framework::FilterPlugin,
                              public framework::PreScorePlugin,
                              public framework::ScorePlugin {
 public:
  explicit ReadsEverything(Handle& handle) : handle_(handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    FoundInIndexes& found = state.Write(kFound);
    found.zones = &cluster.topology(kZone);
    found.in_zone = &cluster.NodesMatching({std::string(kZone), "In", {"zone-1"}});
    const framework::AffinityTerm* const term = &pod.traits->required_affinity[0];
    found.pods = &cluster.CountPods({.all_of = {&term, 1}});
    cluster.FindCarriedTerms(TermKind::RequiredAntiAffinity, pod->meta.labels, found.terms);
    state.Write(kExpected).sum = Read(state);
    meeting_.Reset();
    return {};
  }
  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    return ReadsAsExpected(state, node) ? Status::Success() : Status::Unschedulable("reads differ");
  }
  Status PreScore(CycleState&, const PodInfo&, IndexedCluster&, std::span<const NodeId>) override {
    meeting_.Reset();
    return Status::Success();
  }
  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    return ReadsAsExpected(state, node) ? 100 : 0;
  }

 private:
  bool ReadsAsExpected(const CycleState& state, const NodeInfo& node) const {
    meeting_.Attend();
    // Seldom, for these take a lock.
    if (node.id % 32 == 0 && !NamesResource(fmt::format("example.com/{}", node.id % 7))) return false;
    return Read(state) == state.Read(kExpected)->sum;
  }
  bool NamesResource(const std::string& name) const {
    framework::ResourceNames& names = handle_.resource_names();
    return names.Name(names.Intern(name)) == name && names.size() > 3;
  }
  uint64_t Read(const CycleState& state) const {
    Sum sum;
    ReadCluster(handle_.cluster(), sum);
    ReadObjects(handle_.lister(), sum);
    state.Read(kFound)->AddTo(sum);
    return sum.value();
  }

  Handle& handle_;
  mutable Meeting meeting_;
};

template <typename T>
void AddObject(cluster::ClusterState& cluster, std::string_view ns, T object = {}) {
  object.meta.name = "one";
  object.meta.namespace_ = ns;
  cluster.SetObject(std::make_shared<const T>(std::move(object)));
}

void AddObjects(cluster::ClusterState& cluster) {
  AddObject<api::Service>(cluster, "default");
  AddObject<api::ReplicationController>(cluster, "default");
  AddObject<api::ReplicaSet>(cluster, "default");
  AddObject<api::StatefulSet>(cluster, "default");
  AddObject<api::PodDisruptionBudget>(cluster, "default");
  AddObject<api::PersistentVolumeClaim>(cluster, "default");
  AddObject<api::CsiStorageCapacity>(cluster, "default");
  AddObject<api::Namespace>(cluster, "");
  AddObject<api::PriorityClass>(cluster, "");
  AddObject<api::StorageClass>(cluster, "");
  AddObject<api::CsiNode>(cluster, "");
  AddObject<api::CsiDriver>(cluster, "");
  api::PersistentVolume volume;
  volume.storage_class_name = "fast";
  AddObject(cluster, "", volume);
  api::VolumeAttachment attachment;
  attachment.node_name = "n7";
  AddObject(cluster, "", attachment);
}

void AddNode(TestBed& bed, size_t i) {
  const std::string name = fmt::format("n{}", i);
  NodeBuilder node = MakeNode(name).Label(kZone, fmt::format("zone-{}", i % 5)).Allocatable("cpu", "8");
  if (i % 3 == 0) node.Taint("dedicated", fmt::format("{}", i % 4), api::TaintEffect::PreferNoSchedule);
  if (i % 4 == 0) node.Image("app:1", 1'000'000);
  if (i % 50 == 0) node.Unschedulable();
  bed.cluster.SetNode(node);
}

void AddPod(TestBed& bed, size_t i) {
  const PodBuilder pod = MakePod(fmt::format("p{}", i))
                             .Label("app", "web")
                             .Request("cpu", "1")
                             .Claim("data")
                             .HostPort(80)
                             .Away("app", "web", "rack");
  bed.cluster.PlacePod(pod.Info(bed.names), fmt::format("n{}", i * 7 % kNodes));
}

TEST(PluginThreads, FilterAndScoreReadTheClusterFromSeveralThreads) {
  TestBed bed;
  WorkerPool workers(4);
  bed.workers = &workers;
  framework::Registry registry;
  ASSERT_TRUE(registry.Add(framework::Entry<ReadsEverything>("ReadsEverything")));
  const runtime::Profile& profile = bed.AddProfile(PlanOf(registry), registry);
  for (size_t i = 0; i < kNodes; ++i) AddNode(bed, i);
  const framework::PodInfoPtr pod = MakePod("new").Label("app", "web").Near("app", "web", kZone).Info(bed.names);

  runtime::Cycle cycle;
  for (size_t round = 0; round < 4; ++round) {
    // The cluster changes between cycles, and with it the indexes that exist by now.
    AddNode(bed, round * 64);
    AddPod(bed, round);
    AddObjects(bed.cluster);
    bed.cluster.BeginCycle();
    cycle.Reset();
    ASSERT_TRUE(profile.filtering().RunPreFilter(cycle, *pod).ok());
    ASSERT_TRUE(profile.filtering().RunFilter(cycle, *pod).ok());
    ASSERT_EQ(cycle.feasible.size(), kNodes) << "a thread read something else";
    ASSERT_TRUE(profile.scoring().RunPreScore(cycle, *pod).ok());
    ASSERT_TRUE(profile.scoring().RunScore(cycle, *pod).ok());
    ASSERT_EQ(cycle.totals, std::vector<int64_t>(kNodes, 100)) << "a thread read something else";
  }
}

// The in-tree plugins come with columnar forms, which hide their plain ones from the pool: these are asked here.
TEST(PluginThreads, InTreePluginsJudgeFromSeveralThreadsAsFromOne) {
  TestBed bed;
  WorkerPool workers(4);
  RandomCluster random(11, {.nodes = 200, .pods = 300, .volumes = 0.6, .room = 0.8}, bed.names);
  random.FillIn(bed.cluster);
  const framework::Registry registry = framework::WithoutColumns(plugins::InTreeRegistry());
  const config::ProfilePlan plan = PlansOf({}, registry).front();
  const runtime::Profile& alone = bed.AddProfile(plan, registry);
  bed.workers = &workers;
  const runtime::Profile& shared = bed.AddProfile(plan, registry);

  size_t scored = 0;
  runtime::Cycle expected;
  runtime::Cycle cycle;
  for (int i = 0; i < 40; ++i) {
    bed.cluster.Apply(random.NextChange());
    bed.cluster.BeginCycle();
    const framework::PodInfoPtr pod = random.PendingPod();
    expected.Reset();
    cycle.Reset();
    ASSERT_EQ(shared.filtering().RunPreFilter(cycle, *pod).code(),
              alone.filtering().RunPreFilter(expected, *pod).code());
    ASSERT_EQ(shared.filtering().RunFilter(cycle, *pod).code(), alone.filtering().RunFilter(expected, *pod).code());
    ASSERT_EQ(cycle.feasible, expected.feasible);
    if (cycle.feasible.empty()) continue;
    ASSERT_EQ(shared.scoring().RunPreScore(cycle, *pod).code(), alone.scoring().RunPreScore(expected, *pod).code());
    ASSERT_EQ(shared.scoring().RunScore(cycle, *pod).code(), alone.scoring().RunScore(expected, *pod).code());
    ASSERT_EQ(cycle.totals, expected.totals);
    ++scored;
  }
  EXPECT_GT(scored, 10U);
}

}  // namespace
}  // namespace berth::test
