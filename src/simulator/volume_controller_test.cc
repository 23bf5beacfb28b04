// SPDX-License-Identifier: Apache-2.0
#include "simulator/volume_controller.h"

#include "api/document.h"
#include "api/object.h"
#include "runtime/pre_bind_run.h"
#include "simulator/run/virtual_clock.h"
#include "store/memory/memory_store.h"
#include "support/fake_binding_work.h"
#include "support/volume_test_bed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

using api::PersistentVolume;
using api::PersistentVolumeClaim;
using api::Value;
using std::chrono::seconds;

constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

std::string VolumeYaml(const std::string& name, const std::string& size, const std::string& spec = "") {
  return fmt::format(
      "---\nkind: PersistentVolume\nmetadata: {{name: {}}}\nspec: {{storageClassName: static, accessModes: "
      "[ReadWriteOnce], capacity: {{storage: {}}}, hostPath: {{path: /x}}{}}}\n",
      name, size, spec);
}

std::string ClaimYaml(const std::string& name, const std::string& storage_class, const std::string& size = "1Gi",
                      const std::string& annotations = "", const std::string& spec = "") {
  return fmt::format(
      "---\nkind: PersistentVolumeClaim\nmetadata: {{name: {0}, uid: uid-{0}, annotations: {{{1}}}}}\nspec: "
      "{{storageClassName: {2}, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {3}}}}}{4}}}\n",
      name, annotations, storage_class, size, spec);
}

std::string ClassYaml(const std::string& name, const std::string& provisioner, const std::string& mode,
                      const std::string& more = "") {
  return fmt::format("---\nkind: StorageClass\nmetadata: {{name: {}}}\nprovisioner: {}\nvolumeBindingMode: {}\n{}",
                     name, provisioner, mode, more);
}

std::string NodeYaml(const std::string& name, const std::string& zone) {
  return fmt::format("---\nkind: Node\nmetadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}, zone: {1}}}}}\n",
                     name, zone);
}

const std::string kClasses = ClassYaml("static", "kubernetes.io/no-provisioner", "Immediate") +
                             ClassYaml("static-later", "kubernetes.io/no-provisioner", "WaitForFirstConsumer") +
                             ClassYaml("fast", "csi.example.com", "Immediate") +
                             ClassYaml("fast-later", "csi.example.com", "WaitForFirstConsumer");

// A store with classes and the nodes a (zone x) and b (zone y), and a controller.
class VolumeControllerTest : public testing::Test {
 protected:
  explicit VolumeControllerTest(const VolumeDelays& delays = {}) {
    controller_ = *VolumeController::Make(store_, writer_, clock_, delays);
    Apply(kClasses + NodeYaml("a", "x") + NodeYaml("b", "y"));
  }

  void Apply(const std::string& yaml) {
    const Result<std::vector<api::Document>> documents = api::ReadDocuments(yaml, "test");
    for (const api::Document& document : *documents) EXPECT_TRUE(writer_.Apply(document.root).has_value());
    Settle();
  }
  void Delete(const std::string& kind, const std::string& name) {
    EXPECT_TRUE(writer_.Delete(KeyFor(kind, name)).has_value());
    Settle();
  }
  void Settle() {
    do {
      const Result<void> committed = writer_.Commit();
      EXPECT_TRUE(committed.has_value()) << committed.error().message;
      const Result<void> pumped = controller_->Pump();
      EXPECT_TRUE(pumped.has_value()) << pumped.error().message;
    } while (writer_.has_changes());
  }

  static store::Key KeyFor(const std::string& kind, const std::string& name) {
    return {kind, kind == "PersistentVolumeClaim" ? "default" : "", name};
  }
  template <typename T>
  std::optional<T> Find(const std::string& name) {
    const Result<store::RecordPtr> record = store_.Get(KeyFor(std::string(api::KindOf<T>()), name));
    if (!record) return std::nullopt;
    api::DecodeErrors errors;
    return api::Decode<T>(api::ReadDocuments(*(*record)->value, name)->front().root, errors);
  }
  // The volume a claim is bound to, both ways; empty when it is not.
  std::string BoundTo(const std::string& name) {
    const PersistentVolumeClaim claim = Find<PersistentVolumeClaim>(name).value();
    if (claim.volume_name.empty() || !claim.meta.annotations.Has(kBindCompleted) || claim.phase != "Bound") return "";
    const PersistentVolume volume = Find<PersistentVolume>(claim.volume_name).value();
    EXPECT_EQ(volume.claim_ref->name, name);
    EXPECT_EQ(volume.claim_ref->uid, claim.meta.uid);
    EXPECT_EQ(volume.phase, "Bound");
    return claim.volume_name;
  }

  VirtualClock clock_{Timestamp{}};
  store::MemoryStore store_{clock_};
  ClusterWriter writer_{store_, clock_, [](const Input&) {}};
  std::unique_ptr<VolumeController> controller_;
};

TEST_F(VolumeControllerTest, NewVolumesAreAvailable) {
  Apply(VolumeYaml("v", "1Gi"));
  EXPECT_EQ(Find<PersistentVolume>("v")->phase, "Available");
}

TEST_F(VolumeControllerTest, AVolumeThatNamesAClaimIsBoundToIt) {
  Apply(ClaimYaml("c", "static-later") +
        VolumeYaml("v", "1Gi", ", claimRef: {namespace: default, name: c, uid: uid-c}"));
  EXPECT_EQ(BoundTo("c"), "v");
  EXPECT_TRUE(Find<PersistentVolumeClaim>("c")->meta.annotations.Has(kBoundByController));
  EXPECT_FALSE(Find<PersistentVolume>("v")->meta.annotations.Has(kBoundByController)) << "somebody else named it";
}

TEST_F(VolumeControllerTest, AClaimThatNamesAVolumeIsBoundToIt) {
  Apply(ClaimYaml("c", "static", "1Gi", "", ", volumeName: v"));
  EXPECT_EQ(BoundTo("c"), "");
  Apply(VolumeYaml("v", "1Gi"));
  EXPECT_EQ(BoundTo("c"), "v");
  EXPECT_FALSE(Find<PersistentVolumeClaim>("c")->meta.annotations.Has(kBoundByController));
}

TEST_F(VolumeControllerTest, ClaimsThatDoNotWaitGetTheSmallestVolumeThatWillDo) {
  Apply(VolumeYaml("large", "9Gi") + VolumeYaml("middle", "5Gi") + VolumeYaml("small", "1Gi"));
  Apply(ClaimYaml("c", "static", "2Gi") + ClaimYaml("d", "static", "2Gi") + ClaimYaml("e", "static", "2Gi"));
  EXPECT_EQ(BoundTo("c"), "middle");
  EXPECT_EQ(BoundTo("d"), "large");
  EXPECT_EQ(BoundTo("e"), "") << "none is left";
  Apply(VolumeYaml("late", "2Gi"));
  EXPECT_EQ(BoundTo("e"), "late");
}

TEST_F(VolumeControllerTest, ClaimsThatWaitForAPodAreLeftAlone) {
  Apply(ClaimYaml("c", "fast-later") + ClaimYaml("d", "static-later"));
  EXPECT_EQ(BoundTo("c"), "");
  EXPECT_EQ(Find<PersistentVolumeClaim>("c")->phase, "Pending");
  EXPECT_EQ(BoundTo("d"), "");
}

TEST_F(VolumeControllerTest, AVolumeIsMadeForAClaimThatDoesNotWait) {
  Apply(ClaimYaml("c", "fast", "3Gi"));
  EXPECT_EQ(BoundTo("c"), "pvc-uid-c");
  const PersistentVolume volume = Find<PersistentVolume>("pvc-uid-c").value();
  EXPECT_EQ(volume.csi_driver, "csi.example.com");
  EXPECT_EQ(volume.storage_class_name, "fast");
  EXPECT_EQ(volume.storage, Find<PersistentVolumeClaim>("c")->storage_request);
  EXPECT_EQ(volume.node_affinity, std::nullopt);
}

TEST_F(VolumeControllerTest, AClaimIsServedOnceItsClassIsThere) {
  Apply(ClaimYaml("c", "later"));
  EXPECT_EQ(BoundTo("c"), "");
  Apply(ClassYaml("later", "csi.example.com", "Immediate"));
  EXPECT_EQ(BoundTo("c"), "pvc-uid-c");
}

TEST_F(VolumeControllerTest, ANewVolumeIsReachedFromWhereTheClassAllowsIt) {
  Apply(ClassYaml("zonal", "csi.example.com", "WaitForFirstConsumer",
                  "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [w, x]}]}]\n"));
  Apply(ClaimYaml("c", "zonal", "1Gi", fmt::format("{}: a", kSelectedNode)));
  EXPECT_EQ(BoundTo("c"), "pvc-uid-c");
  const api::NodeSelector reached = Find<PersistentVolume>("pvc-uid-c")->node_affinity.value();
  EXPECT_TRUE(api::Matches(reached, Find<api::Node>("a")->meta.labels, ""));
  EXPECT_FALSE(api::Matches(reached, Find<api::Node>("b")->meta.labels, ""));
}

TEST_F(VolumeControllerTest, ANewVolumeIsReachedByTheLabelsItsDriverGoesBy) {
  Apply(
      "---\nkind: CSINode\nmetadata: {name: a}\n"
      "spec: {drivers: [{name: csi.example.com, nodeID: a, topologyKeys: [kubernetes.io/hostname]}]}\n" +
      NodeYaml("c", "x"));
  Apply(ClaimYaml("c", "fast-later", "1Gi", fmt::format("{}: a", kSelectedNode)));
  const api::NodeSelector reached = Find<PersistentVolume>("pvc-uid-c")->node_affinity.value();
  EXPECT_TRUE(api::Matches(reached, Find<api::Node>("a")->meta.labels, ""));
  EXPECT_FALSE(api::Matches(reached, Find<api::Node>("c")->meta.labels, "")) << "same zone, other host";
}

TEST_F(VolumeControllerTest, ANodeThatCannotBeServedIsGivenBack) {
  Apply(ClassYaml("zonal", "csi.example.com", "WaitForFirstConsumer",
                  "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [x]}]}]\n"));
  Apply(ClaimYaml("gone", "fast-later", "1Gi", fmt::format("{}: nowhere", kSelectedNode)) +
        ClaimYaml("out", "zonal", "1Gi", fmt::format("{}: b", kSelectedNode)));
  EXPECT_FALSE(Find<PersistentVolumeClaim>("gone")->meta.annotations.Has(kSelectedNode));
  EXPECT_FALSE(Find<PersistentVolumeClaim>("out")->meta.annotations.Has(kSelectedNode));
  EXPECT_EQ(BoundTo("gone"), "");
}

TEST_F(VolumeControllerTest, AVolumeThatWasMadeGoesWithItsClaim) {
  Apply(ClaimYaml("c", "fast"));
  Delete("PersistentVolumeClaim", "c");
  EXPECT_FALSE(Find<PersistentVolume>("pvc-uid-c").has_value());
}

TEST_F(VolumeControllerTest, OtherVolumesAreReleased) {
  Apply(ClassYaml("kept", "csi.example.com", "Immediate", "reclaimPolicy: Retain\n") + VolumeYaml("v", "1Gi") +
        ClaimYaml("c", "static") + ClaimYaml("d", "kept"));
  EXPECT_EQ(BoundTo("c"), "v");
  Delete("PersistentVolumeClaim", "c");
  Delete("PersistentVolumeClaim", "d");
  EXPECT_EQ(Find<PersistentVolume>("v")->phase, "Released");
  EXPECT_EQ(Find<PersistentVolume>("pvc-uid-d")->phase, "Released");
  Apply(ClaimYaml("e", "static"));
  EXPECT_EQ(BoundTo("e"), "") << "a released volume is nobody's";
}

TEST_F(VolumeControllerTest, AClaimWhoseVolumeGoesIsLost) {
  Apply(VolumeYaml("v", "1Gi") + ClaimYaml("c", "static"));
  Delete("PersistentVolume", "v");
  EXPECT_EQ(Find<PersistentVolumeClaim>("c")->phase, "Lost");
}

class SlowVolumeController : public VolumeControllerTest {
 protected:
  SlowVolumeController() : VolumeControllerTest({seconds(2), seconds(10)}) {}
};

TEST_F(SlowVolumeController, TakesItsTime) {
  Apply(VolumeYaml("v", "1Gi") + ClaimYaml("c", "static") + ClaimYaml("d", "fast"));
  EXPECT_EQ(controller_->NextDeadline(), Timestamp(seconds(2)));
  clock_.JumpTo(Timestamp(seconds(1)));
  Settle();
  EXPECT_EQ(BoundTo("c"), "");
  clock_.JumpTo(Timestamp(seconds(2)));
  Settle();
  EXPECT_EQ(BoundTo("c"), "v");
  EXPECT_EQ(BoundTo("d"), "");
  EXPECT_EQ(controller_->NextDeadline(), Timestamp(seconds(10)));
  clock_.JumpTo(Timestamp(seconds(10)));
  Settle();
  EXPECT_EQ(BoundTo("d"), "pvc-uid-d");
  EXPECT_EQ(controller_->NextDeadline(), std::nullopt);
}

TEST_F(SlowVolumeController, ForgetsWhatIsNoLongerWanted) {
  Apply(ClaimYaml("c", "fast"));
  Delete("PersistentVolumeClaim", "c");
  EXPECT_EQ(controller_->NextDeadline(), std::nullopt);
}

// The plugin's patches, the store and the controller together: what VolumeBinding writes is what the controller needs.
class VolumeJourney : public VolumeControllerTest {
 protected:
  // Lets the plugin see what the store has, with the store's versions.
  void TellPlugin() {
    for (const char* kind : {"Node", "StorageClass", "PersistentVolume", "PersistentVolumeClaim"}) {
      store::ListOptions options;
      options.selection.kinds = {kind};
      const Result<store::Page> page = store_.List(options);
      for (const store::RecordPtr& record : page->objects) {
        Value document = api::ReadDocuments(*record->value, "store")->front().root;
        Merge(document, api::ReadDocuments(
                            fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}}}})", record->modified), "version")
                            ->front()
                            .root);
        api::DecodeErrors errors;
        cluster_.Set(api::DecodeObject(document, errors));
      }
    }
  }
  // RFC 7386, without removals.
  static void Merge(Value& target, const Value& patch) {
    for (const Value::Member& member : patch.members()) {
      const Value* present = target.Find(member.key);
      if (!member.value.is_map() || present == nullptr || !present->is_map()) {
        target.Set(member.key, member.value);
        continue;
      }
      Value merged = *present;
      Merge(merged, member.value);
      target.Set(member.key, std::move(merged));
    }
  }
  // Writes what the plugin asked for, if its object is as it was; returns the new version.
  Result<std::string> Write(const framework::ObjectPatch& patch) {
    const store::Key key{patch.object.kind, patch.object.namespace_, patch.object.name};
    const Result<store::RecordPtr> record = store_.Get(key);
    if (!record) return record.error();
    if (std::to_string((*record)->modified) != patch.resource_version) return Error{ErrorCode::Conflict, "changed"};
    Value document = api::ReadDocuments(*(*record)->value, "store")->front().root;
    Merge(document, api::ReadDocuments(patch.merge_patch, "patch")->front().root);
    EXPECT_TRUE(writer_.Apply(std::move(document)).has_value());
    EXPECT_TRUE(writer_.Commit().has_value());
    return std::to_string((*store_.Get(key))->modified);
  }
  // Runs PreBind to its end for a pod with these claims on the node.
  framework::Status PreBind(const std::vector<std::string>& claims, const std::string& node) {
    TellPlugin();
    const framework::PodInfoPtr pod = cluster_.PodWithClaims("p", claims);
    runtime::Cycle cycle;
    runtime::PreBindPlan plan;
    EXPECT_FALSE(cluster_.FeasibleFor(*pod, cycle).empty());
    EXPECT_TRUE(cluster_.profile().binding().RunReserve(cycle.state, *pod, node).ok());
    EXPECT_TRUE(cluster_.profile().binding().RunPreBindPreFlight(cycle.state, *pod, node, plan).ok());
    test::FakeBindingWork work;
    runtime::PreBindRun run;
    runtime::PreBindRun::Outcome outcome = run.Start(cluster_.profile().plugins(), cycle.state, *pod, node, plan, work);
    while (!outcome && work.last > answered_) {
      outcome = run.Answer(++answered_, Write(work.patches.back()));
    }
    Settle();
    TellPlugin();
    const std::vector<framework::ObjectKey> watched(run.wake_on().begin(), run.wake_on().end());
    for (const framework::ObjectKey& object : watched) {
      if (!outcome) outcome = run.Changed(object);
    }
    return outcome.value_or(framework::Status::Wait());
  }

  framework::WorkTicket answered_ = 0;
  test::VolumeTestBed cluster_;
};

TEST_F(VolumeJourney, AStaticVolumeIsBound) {
  Apply(ClaimYaml("c", "static-later") +
        "---\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {storageClassName: "
        "static-later, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}\n");
  EXPECT_TRUE(PreBind({"c"}, "a").ok());
  EXPECT_EQ(BoundTo("c"), "v");
  EXPECT_TRUE(Find<PersistentVolume>("v")->meta.annotations.Has(kBoundByController));
}

TEST_F(VolumeJourney, VolumesAreMade) {
  Apply(ClaimYaml("c", "fast-later") + ClaimYaml("d", "fast-later"));
  EXPECT_TRUE(PreBind({"c", "d"}, "a").ok());
  EXPECT_EQ(BoundTo("c"), "pvc-uid-c");
  EXPECT_EQ(BoundTo("d"), "pvc-uid-d");
}

TEST_F(VolumeJourney, ANodeThatIsGivenBackIsAFailure) {
  Apply(ClaimYaml("c", "fast-later", "1Gi", "other: thing"));
  TellPlugin();
  Delete("Node", "a");
  EXPECT_EQ(PreBind({"c"}, "a").Message(),
            "running PreBind plugin \"VolumeBinding\": binding volumes: provisioning failed for PVC \"c\"");
}

}  // namespace
}  // namespace berth::simulator
