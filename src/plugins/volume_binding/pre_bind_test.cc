// SPDX-License-Identifier: Apache-2.0
// What VolumeBinding does between Reserve and the pod's binding.
#include "plugins/volume_binding/test_objects.h"
#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_binding/volume_binding_args.h"
#include "runtime/pre_bind_run.h"
#include "support/fake_binding_work.h"
#include "support/volume_test_bed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using namespace test_objects;
using framework::ObjectKey;
using framework::ObjectPatch;
using framework::PodInfoPtr;
using Names = std::vector<std::string>;

const std::string kVersion1 = ", resourceVersion: \"1\"";

std::string Annotated(const std::string& version, const std::string& annotations) {
  return fmt::format(", resourceVersion: \"{}\", annotations: {{{}}}", version, annotations);
}

// One pod's way from Reserve to the end of PreBind.
struct Attempt {
  PodInfoPtr pod;
  const runtime::Profile& profile;
  std::string node;
  runtime::Cycle cycle;
  runtime::PreBindPlan plan;
  test::FakeBindingWork work;
  runtime::PreBindRun run;

  Attempt(PodInfoPtr its_pod, const runtime::Profile& its_profile, std::string its_node)
      : pod(std::move(its_pod)), profile(its_profile), node(std::move(its_node)) {}

  framework::Status Reserve(test::VolumeTestBed& bed) {
    EXPECT_FALSE(bed.FeasibleFor(profile, *pod, cycle).empty());
    EXPECT_TRUE(profile.binding().RunReserve(cycle.state, *pod, node).ok());
    return profile.binding().RunPreBindPreFlight(cycle.state, *pod, node, plan);
  }
  runtime::PreBindRun::Outcome Start() { return run.Start(profile.plugins(), cycle.state, *pod, node, plan, work); }
  // The last thing asked for succeeded, and the object has this version now.
  runtime::PreBindRun::Outcome Written(const std::string& version) { return run.Answer(work.last, version); }
  void Unreserve() { profile.binding().RunUnreserve(cycle.state, *pod, node); }
};

class VolumePreBind : public testing::Test {
 protected:
  VolumePreBind() {
    bed_.Load(Node("a") + Node("b") + Class("local", "kubernetes.io/no-provisioner") + Class("csi", "csi.example.com"));
  }
  std::unique_ptr<Attempt> Reserved(const std::string& pod, const Names& claims, const std::string& node) {
    auto attempt = std::make_unique<Attempt>(bed_.PodWithClaims(pod, claims), bed_.profile(), node);
    EXPECT_TRUE(attempt->Reserve(bed_).ok());
    return attempt;
  }
  // A pod whose claim "c" gets the volume "pv" on node a; the volume's claimRef is written, and the cluster shows it.
  std::unique_ptr<Attempt> Prebound() {
    bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1));
    auto attempt = Reserved("p", {"c"}, "a");
    EXPECT_FALSE(attempt->Start().has_value());
    EXPECT_FALSE(attempt->Written("2").has_value());
    bed_.Load(PreboundVolume("2"));
    return attempt;
  }
  static std::string PreboundVolume(const std::string& version) {
    return LocalVolume("pv", "a", "1Gi", version, ", claimRef: {namespace: default, name: c, uid: c}");
  }
  // A pod for whose claim "c" a volume is to be made on node a; the node is written, and the cluster shows it.
  std::unique_ptr<Attempt> Provisioning() {
    bed_.Load(Claim("c", "csi", "1Gi", kVersion1));
    auto attempt = Reserved("p", {"c"}, "a");
    EXPECT_FALSE(attempt->Start().has_value());
    EXPECT_FALSE(attempt->Written("2").has_value());
    bed_.Load(Claim("c", "csi", "1Gi", Annotated("2", kOnNodeA)));
    return attempt;
  }
  Names FeasibleFor(const Names& claims) {
    runtime::Cycle cycle;
    return bed_.FeasibleFor(*bed_.PodWithClaims("another", claims), cycle);
  }
  static std::string MessageOf(const runtime::PreBindRun::Outcome& outcome) {
    return outcome ? outcome->Message() : "goes on";
  }

  static constexpr const char* kOnNodeA = "volume.kubernetes.io/selected-node: a";
  static constexpr const char* kBound = "pv.kubernetes.io/bind-completed: \"yes\"";
  const ObjectKey volume_{"PersistentVolume", "", "pv"};
  const ObjectKey claim_{"PersistentVolumeClaim", "default", "c"};
  test::VolumeTestBed bed_;
};

TEST_F(VolumePreBind, HasNothingToDoForBoundClaims) {
  bed_.Load(Claim("c", "csi", "1Gi", Annotated("1", kBound), ", volumeName: pv") + LocalVolume("pv", "a", "1Gi"));
  Attempt attempt(bed_.PodWithClaims("p", {"c"}), bed_.profile(), "a");
  EXPECT_TRUE(attempt.Reserve(bed_).is_skip());
  Attempt without(bed_.PodWithClaims("p", {}), bed_.profile(), "a");
  EXPECT_TRUE(without.Reserve(bed_).is_skip());
}

TEST_F(VolumePreBind, WritesTheClaimIntoTheVolumeAndWaitsForItsBinding) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  ASSERT_EQ(attempt->work.patches.size(), 1);
  const ObjectPatch& patch = attempt->work.patches.front();
  EXPECT_EQ(patch.object, volume_);
  EXPECT_EQ(patch.uid, "pv");
  EXPECT_EQ(patch.resource_version, "1");
  EXPECT_EQ(patch.merge_patch,
            R"({"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},"spec":{"claimRef":)"
            R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"default","name":"c","uid":"c"}}})");

  EXPECT_FALSE(attempt->Written("2").has_value());
  bed_.Load(PreboundVolume("2"));
  EXPECT_FALSE(attempt->run.Changed(volume_).has_value());
  bed_.Load(Claim("c", "local", "1Gi", Annotated("3", kBound), ", volumeName: pv"));
  const runtime::PreBindRun::Outcome outcome = attempt->run.Changed(claim_);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->ok()) << outcome->Message();
}

TEST_F(VolumePreBind, LeavesTheMarkOfAVolumeThatAUserSetAside) {
  bed_.Load(LocalVolume("pv", "a", "1Gi", "1", ", claimRef: {namespace: default, name: c}") +
            Claim("c", "local", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_EQ(attempt->work.patches.at(0).merge_patch,
            R"({"spec":{"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"default",)"
            R"("name":"c","uid":"c"}}})");
}

TEST_F(VolumePreBind, WritesTheNodeIntoAClaimAndWaitsForItsVolume) {
  bed_.Load(Claim("c", "csi", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  ASSERT_EQ(attempt->work.patches.size(), 1);
  const ObjectPatch& patch = attempt->work.patches.front();
  EXPECT_EQ(patch.object, claim_);
  EXPECT_EQ(patch.uid, "c");
  EXPECT_EQ(patch.resource_version, "1");
  EXPECT_EQ(patch.merge_patch, R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"a"}}})");

  EXPECT_FALSE(attempt->Written("2").has_value()) << "the cluster still shows the claim as it was";
  bed_.Load(Claim("c", "csi", "1Gi", Annotated("2", kOnNodeA)));
  EXPECT_FALSE(attempt->run.Changed(claim_).has_value());
  const std::string both = fmt::format("{}, {}", kOnNodeA, kBound);
  bed_.Load(Claim("c", "csi", "1Gi", Annotated("3", both), ", volumeName: pv"));
  EXPECT_FALSE(attempt->run.Changed(claim_).has_value()) << "its volume has not been told yet";
  bed_.Load(LocalVolume("pv", "a", "1Gi"));
  EXPECT_TRUE(attempt->run.Changed(volume_)->ok());
}

TEST_F(VolumePreBind, WaitsForChangesOfWhatItReadsAndForTheDeadline) {
  const auto attempt = Prebound();
  const std::vector<ObjectKey> expected = {{"Node", "", "a"}, {"CSINode", "", "a"}, volume_, claim_};
  const auto watched = attempt->run.wake_on();
  EXPECT_EQ(std::vector(watched.begin(), watched.end()), expected);
  EXPECT_EQ(attempt->run.wake_at(), bed_.clock().Now() + std::chrono::seconds(600));
}

TEST_F(VolumePreBind, WritesVolumesBeforeClaimsAndOneAfterTheOther) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1) +
            Claim("d", "csi", "1Gi", kVersion1) + Claim("e", "csi", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"e", "d", "c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_EQ(attempt->work.patches.size(), 1);
  EXPECT_FALSE(attempt->Written("2").has_value());
  EXPECT_EQ(attempt->work.patches.size(), 2);
  EXPECT_FALSE(attempt->Written("3").has_value());
  ASSERT_EQ(attempt->work.patches.size(), 3);
  EXPECT_EQ(attempt->work.patches[0].object.name, "pv");
  EXPECT_EQ(attempt->work.patches[1].object.name, "e");
  EXPECT_EQ(attempt->work.patches[2].object.name, "d");
}

TEST_F(VolumePreBind, ARefusedWriteEndsTheAttemptInItsOwnWords) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1) +
            Claim("d", "csi", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c", "d"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  const auto outcome = attempt->run.Answer(1, Error{ErrorCode::Conflict, "the object has been modified"});
  EXPECT_EQ(MessageOf(outcome), "running PreBind plugin \"VolumeBinding\": the object has been modified");
  EXPECT_EQ(attempt->work.patches.size(), 1) << "nothing more is written";
}

TEST_F(VolumePreBind, WhatIsWrittenAlreadyIsNotWrittenAgain) {
  bed_.Load(PreboundVolume("5") + Claim("c", "local", "1Gi", kVersion1) +
            Claim("d", "csi", "1Gi", Annotated("1", kOnNodeA)));
  const auto attempt = Reserved("p", {"c", "d"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_TRUE(attempt->work.patches.empty());
  bed_.Load(Claim("c", "local", "1Gi", Annotated("6", kBound), ", volumeName: pv"));
  EXPECT_FALSE(attempt->run.Changed(claim_).has_value());
  bed_.Load(Claim("d", "csi", "1Gi", Annotated("7", fmt::format("{}, {}", kOnNodeA, kBound)), ", volumeName: pv"));
  EXPECT_TRUE(attempt->run.Changed({"PersistentVolumeClaim", "default", "d"})->ok());
}

TEST_F(VolumePreBind, AWriteThatChangedNothingIsNotWaitedFor) {
  bed_.Load(Claim("c", "csi", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_EQ(MessageOf(attempt->Written("1")),
            "running PreBind plugin \"VolumeBinding\": binding volumes: selectedNode annotation reset for PVC \"c\"");
}

TEST_F(VolumePreBind, AClaimThatAPodUsesTwiceIsWrittenOnce) {
  bed_.Load(Claim("c", "csi", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c", "c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_FALSE(attempt->Written("2").has_value());
  EXPECT_EQ(attempt->work.patches.size(), 1);
}

TEST_F(VolumePreBind, GivesUpWhenTimeRunsOut) {
  const auto attempt = Prebound();
  bed_.clock().Advance(std::chrono::seconds(599));
  EXPECT_FALSE(attempt->run.Deadline(bed_.clock().Now()).has_value());
  bed_.clock().Advance(std::chrono::seconds(1));
  EXPECT_EQ(MessageOf(attempt->run.Deadline(bed_.clock().Now())),
            "running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded");
}

TEST_F(VolumePreBind, TheTimeItHasIsConfigured) {
  auto args = std::make_shared<VolumeBindingArgs>();
  args->bind_timeout_seconds = 7;
  const std::unique_ptr<runtime::Profile> hasty = bed_.MakeProfile(args);
  bed_.Load(Claim("c", "csi", "1Gi", kVersion1));
  Attempt attempt(bed_.PodWithClaims("p", {"c"}), *hasty, "a");
  EXPECT_TRUE(attempt.Reserve(bed_).ok());
  EXPECT_FALSE(attempt.Start().has_value());
  bed_.clock().Advance(std::chrono::hours(1));  // the writes take as long as they take
  EXPECT_FALSE(attempt.Written("2").has_value());
  EXPECT_EQ(attempt.run.wake_at(), bed_.clock().Now() + std::chrono::seconds(7));
}

// What can go wrong while the volume controller binds, and what is said then.
TEST_F(VolumePreBind, AStaticBindingFailsWhen) {
  struct Case {
    std::string what;
    std::function<void(test::VolumeTestBed&)> happens;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"the node goes", [](auto& bed) { bed.cluster().RemoveNode("a"); },
       "failed to get node \"a\": node \"a\" not found"},
      {"the volume goes", [](auto& bed) { bed.cluster().RemoveObject("PersistentVolume", "pv"); },
       "failed to check binding: persistentvolumes \"pv\" not found"},
      {"the claim goes", [](auto& bed) { bed.cluster().RemoveObject("PersistentVolumeClaim", "default/c"); },
       "failed to check binding: persistentvolumeclaims \"default/c\" not found"},
      {"the volume is out of reach",
       [](auto& bed) {
         bed.Load("---\nkind: Node\napiVersion: v1\nmetadata: {name: a, labels: {kubernetes.io/hostname: other}}\n");
       },
       "pv \"pv\" node affinity doesn't match node \"a\": no matching NodeSelectorTerms"},
      {"the controller lets go of the volume", [](auto& bed) { bed.Load(LocalVolume("pv", "a", "1Gi", "3")); },
       "ClaimRef got reset for pv \"pv\""},
      {"the claim's identity is taken from the volume",
       [](auto& bed) { bed.Load(LocalVolume("pv", "a", "1Gi", "3", ", claimRef: {namespace: default, name: c}")); },
       "ClaimRef got reset for pv \"pv\""},
  };
  for (const Case& c : cases) {
    bed_.Load(Node("a"));
    const auto attempt = Prebound();
    EXPECT_FALSE(attempt->run.Changed(volume_).has_value()) << c.what;
    c.happens(bed_);
    EXPECT_EQ(MessageOf(attempt->run.Changed(volume_)),
              "running PreBind plugin \"VolumeBinding\": binding volumes: " + c.message)
        << c.what;
    attempt->Unreserve();
  }
}

TEST_F(VolumePreBind, ProvisioningFailsWhen) {
  struct Case {
    std::string what;
    std::function<void(test::VolumeTestBed&)> happens;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"the claim goes", [](auto& bed) { bed.cluster().RemoveObject("PersistentVolumeClaim", "default/c"); },
       "failed to check provisioning pvc: persistentvolumeclaims \"default/c\" not found"},
      {"all annotations go", [](auto& bed) { bed.Load(Claim("c", "csi", "1Gi", ", resourceVersion: \"3\"")); },
       "selectedNode annotation reset for PVC \"c\""},
      {"the provisioner gives the node back",
       [](auto& bed) { bed.Load(Claim("c", "csi", "1Gi", Annotated("3", "other: thing"))); },
       "provisioning failed for PVC \"c\""},
      {"another node is chosen",
       [](auto& bed) { bed.Load(Claim("c", "csi", "1Gi", Annotated("3", "volume.kubernetes.io/selected-node: b"))); },
       "provisioning failed for PVC \"c\""},
      {"the volume is made elsewhere",
       [](auto& bed) {
         bed.Load(LocalVolume("elsewhere", "b", "1Gi") +
                  Claim("c", "csi", "1Gi", Annotated("3", kOnNodeA), ", volumeName: elsewhere"));
       },
       "pv \"elsewhere\" node affinity doesn't match node \"a\": no matching NodeSelectorTerms"},
  };
  for (const Case& c : cases) {
    const auto attempt = Provisioning();
    EXPECT_FALSE(attempt->run.Changed(claim_).has_value()) << c.what;
    c.happens(bed_);
    EXPECT_EQ(MessageOf(attempt->run.Changed(claim_)),
              "running PreBind plugin \"VolumeBinding\": binding volumes: " + c.message)
        << c.what;
    attempt->Unreserve();
  }
}

TEST_F(VolumePreBind, WhatWasNotWrittenIsGivenBack) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1) +
            Claim("other", "local", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_EQ(FeasibleFor({"other"}), Names{});
  attempt->run.Reset();
  attempt->Unreserve();
  EXPECT_EQ(FeasibleFor({"other"}), Names{"a"});
  attempt->Unreserve();  // twice does no harm
}

TEST_F(VolumePreBind, WhatWasWrittenStaysTakenUntilTheClusterTells) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1) +
            Claim("other", "local", "1Gi", kVersion1));
  const auto attempt = Reserved("p", {"c"}, "a");
  EXPECT_FALSE(attempt->Start().has_value());
  EXPECT_FALSE(attempt->Written("2").has_value());
  attempt->run.Reset();
  attempt->Unreserve();
  EXPECT_EQ(FeasibleFor({"other"}), Names{}) << "the write is on its way";
  EXPECT_EQ(FeasibleFor({"c"}), Names{"a"});
  bed_.Load(LocalVolume("pv", "a", "1Gi", "3"));
  EXPECT_EQ(FeasibleFor({"other"}), Names{"a"}) << "the cluster's word is newer";
}

TEST_F(VolumePreBind, PodsThatShareAClaimBothWriteAndOneIsRefused) {
  bed_.Load(Claim("c", "csi", "1Gi", kVersion1));
  const auto first = Reserved("p", {"c"}, "a");
  const auto second = Reserved("q", {"c"}, "a");
  EXPECT_FALSE(first->Start().has_value());
  EXPECT_FALSE(second->Start().has_value());
  ASSERT_EQ(second->work.patches.size(), 1) << "what the first assumes is not written yet";
  EXPECT_EQ(second->work.patches.front().resource_version, first->work.patches.front().resource_version);
}

// Each profile has assumptions of its own. That two profiles choose one volume is settled by the versions they ask for.
TEST_F(VolumePreBind, ProfilesThatChooseOneVolumeAskForTheSameVersionOfIt) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("c", "local", "1Gi", kVersion1) +
            Claim("d", "local", "1Gi", kVersion1));
  const std::unique_ptr<runtime::Profile> other = bed_.MakeProfile();
  const auto first = Reserved("p", {"c"}, "a");
  Attempt second(bed_.PodWithClaims("q", {"d"}), *other, "a");
  EXPECT_TRUE(second.Reserve(bed_).ok());
  EXPECT_FALSE(first->Start().has_value());
  EXPECT_FALSE(second.Start().has_value());
  EXPECT_EQ(first->work.patches.at(0).resource_version, "1");
  EXPECT_EQ(second.work.patches.at(0).resource_version, "1");

  EXPECT_FALSE(first->Written("2").has_value());
  bed_.Load(PreboundVolume("2"));
  const auto refused = second.run.Answer(1, Error{ErrorCode::Conflict, "the object has been modified"});
  EXPECT_EQ(MessageOf(refused), "running PreBind plugin \"VolumeBinding\": the object has been modified");
  second.Unreserve();
  runtime::Cycle again;
  EXPECT_EQ(bed_.FeasibleFor(*other, *second.pod, again), Names{}) << "now it sees whose the volume is";
}

}  // namespace
}  // namespace berth::plugins
