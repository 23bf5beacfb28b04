// SPDX-License-Identifier: Apache-2.0
// Plugins at the binding points read objects while they work on other threads.
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"

#include <array>
#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::Status;

// Waits in PreBind, on another thread, until the pod's claim is bound; notes in PostBind which volume it has.
struct ClaimReader final : framework::PreBindPlugin, framework::PostBindPlugin {
  static constexpr std::array kReads = {api::KindOf<api::PersistentVolumeClaim>()};

  framework::PreFlightResult PreBindPreFlight(framework::CycleState&, const framework::PodInfo&,
                                              std::string_view) override {
    return {Status::Success()};
  }
  framework::BindingProgress PreBind(framework::CycleState&, const framework::PodInfo& pod, std::string_view,
                                     const framework::Wake& wake, framework::BindingWork& work) override {
    if (wake.reason == framework::Wake::Reason::Answer) {
      return framework::BindingProgress::Done(wake.answer ? Status::Success() : Status::FromError(wake.answer.error()));
    }
    work.RunElsewhere([this, name = pod->meta.name](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        ++looks;
        const auto claim = handle->objects().Find<api::PersistentVolumeClaim>("default", name);
        if (claim != nullptr && claim->phase == "Bound") return Status::Success();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return Status::FromError("asked to stop");
    });
    return framework::BindingProgress::Wait();
  }
  void PostBind(framework::CycleState&, const framework::PodInfo& pod, std::string_view) override {
    const auto claim = handle->objects().Find<api::PersistentVolumeClaim>("default", pod->meta.name);
    if (claim != nullptr && claim->volume_name == "volume-of-" + pod->meta.name) ++confirmed;
  }

  framework::Handle* handle = nullptr;
  std::atomic<int> looks = 0;
  std::atomic<int> confirmed = 0;
};

store::Operation ClaimOperation(store::Operation::Type type, const std::string& name, bool bound) {
  store::Operation operation;
  operation.type = type;
  operation.key = {"PersistentVolumeClaim", "default", name};
  operation.uid = "uid-claim-" + name;
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{{"name":"{0}","namespace":"default"}},)"
      R"("spec":{{"volumeName":"{1}"}},"status":{{"phase":"{2}"}}}})",
      name, bound ? "volume-of-" + name : "", bound ? "Bound" : "Pending");
  return operation;
}

TEST(ReadElsewhere, WorkOnOtherThreadsSeesObjectsChange) {
  constexpr int kPods = 8;
  const auto reader = std::make_shared<ClaimReader>();
  RunningCluster cluster;
  PutFirst(cluster.registry, cluster.plans, EntryOf("ClaimReader", reader));
  cluster.AddNodes(2, "64");
  const auto scheduler = cluster.NewScheduler();
  scheduler->Start();
  std::vector<store::Operation> claims;
  for (int i = 0; i < kPods; ++i) {
    claims.push_back(ClaimOperation(store::Operation::Type::Create, fmt::format("p{}", i), false));
  }
  cluster.Write(std::move(claims));
  cluster.AddPods("p", kPods);
  ASSERT_TRUE(Eventually([&] { return reader->looks > 2 * kPods; }));
  EXPECT_EQ(cluster.UnboundPods(), static_cast<size_t>(kPods)) << "no claim is bound yet";
  for (int i = 0; i < kPods; ++i) {
    cluster.Write({ClaimOperation(store::Operation::Type::Update, fmt::format("p{}", i), true)});
  }
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound() && reader->confirmed == kPods; }));
  scheduler->Stop();
}

}  // namespace
}  // namespace berth::test
