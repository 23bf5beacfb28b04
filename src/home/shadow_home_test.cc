// SPDX-License-Identifier: Apache-2.0
#include "home/shadow_home.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::home {
namespace {

// The home beneath: tells what the test wants, and remembers what it is asked to do.
class ToldHome final : public Home, public Leases {
 public:
  Capabilities capabilities() const override { return {}; }
  Leases& leases() override { return *this; }
  void Open(HomeListener& told, std::vector<std::string>) override { listener = &told; }
  void Start() override {}
  bool Stop() override { return true; }
  void Submit(std::vector<Submission>& commands) override {
    std::move(commands.begin(), commands.end(), std::back_inserter(asked));
    commands.clear();
  }
  bool PumpFeeds() override { return false; }
  bool PumpCommands() override { return false; }
  std::optional<Timestamp> NextDue() const override { return std::nullopt; }
  store::Revision FeedProgress() const override { return 0; }
  FeedStats feed_stats() const override { return {}; }
  std::optional<api::Object> FindTold(const store::Key&) const override { return std::nullopt; }
  std::vector<api::Object> ToldOfKind(std::string_view) const override { return {}; }
  Result<store::Lease> Acquire(std::string_view, std::string_view, Duration) override { return store::Lease{}; }
  Result<store::Lease> Renew(const store::Lease& lease, Duration) override { return lease; }
  Result<void> Release(const store::Lease&) override { return {}; }

  HomeListener* listener = nullptr;
  std::vector<Submission> asked;
};

// The scheduler: hears completions and changes.
class Hearing final : public HomeListener {
 public:
  bool TakeChanges(std::vector<ObjectChange>& changes) override {
    changes_heard += changes.size();
    return true;
  }
  void Synced() override {}
  void TakeCompletions(std::vector<Completion>& completions) override {
    for (const Completion& completion : completions) done += completion.outcome == Outcome::Done ? 1 : 0;
  }
  void TakeProblem(FeedProblem) override {}

  size_t changes_heard = 0;
  size_t done = 0;
};

class ShadowHomeTest : public testing::Test {
 protected:
  ShadowHomeTest() {
    auto beneath = std::make_unique<ToldHome>();
    beneath_ = beneath.get();
    shadow_ = std::make_unique<ShadowHome>(std::move(beneath), clock_, std::vector<std::string>{"default-scheduler"});
    shadow_->SetWhyNot([](const api::Pod&, const std::string& node) {
      return node == "as-good" ? std::string() : "it scored less here";
    });
    shadow_->Open(hearing_, {"Pod"});
  }

  static api::PodPtr Pod(const std::string& name, const std::string& node = {},
                         const std::string& scheduler = "default-scheduler") {
    auto pod = std::make_shared<api::Pod>();
    pod->meta.namespace_ = "shop";
    pod->meta.name = name;
    pod->meta.uid = "uid-" + name;
    pod->node_name = node;
    api::PodSpec spec;
    spec.scheduler_name = scheduler;
    pod->spec = std::make_shared<const api::PodSpec>(std::move(spec));
    pod->status = std::make_shared<const api::PodStatus>();
    return pod;
  }
  void Tell(const api::PodPtr& pod, ObjectChange::Type type = ObjectChange::Type::Set) {
    std::vector<ObjectChange> changes;
    changes.push_back({type, pod});
    beneath_->listener->TakeChanges(changes);
  }
  void Decide(Command command) {
    std::vector<Submission> commands;
    commands.push_back({++ticket_, std::move(command), {}});
    shadow_->Submit(commands);
  }
  void Bind(const std::string& pod, const std::string& node) {
    auto on = std::make_shared<api::Node>();
    on->meta.name = node;
    Decide(BindPod{Pod(pod), on});
  }

  ManualClock clock_;
  ToldHome* beneath_ = nullptr;
  std::unique_ptr<ShadowHome> shadow_;
  Hearing hearing_;
  Ticket ticket_ = 0;
};

TEST_F(ShadowHomeTest, PodsOfOtherSchedulersAreNotCompared) {
  Tell(Pod("theirs", {}, "another"));
  Tell(Pod("theirs", "n", "another"));
  Tell(Pod("ours"));
  Tell(Pod("ours", "n"));
  EXPECT_EQ(shadow_->report().undecided, 1U);
}

TEST_F(ShadowHomeTest, NothingIsWrittenAndEverythingIsAnswered) {
  Bind("a", "n");
  Decide(PatchPodStatus{Pod("b")});
  Decide(EvictPod{Pod("c"), {}});
  EventNote note;
  note.about = Pod("d");
  Decide(note);
  EXPECT_EQ(hearing_.done, 4U);
  EXPECT_TRUE(beneath_->asked.empty());
  Decide(LookUpPod{Pod("e")});
  EXPECT_EQ(beneath_->asked.size(), 1U) << "questions change nothing";
  EXPECT_EQ(shadow_->report().evictions, 1U);
}

TEST_F(ShadowHomeTest, DecisionsAreComparedWhenTheOtherHasMadeIts) {
  for (const char* name : {"same", "tie", "other", "refused", "early", "gone"}) Tell(Pod(name));
  Bind("same", "n");
  Bind("tie", "n");
  Bind("other", "n");
  Bind("gone", "n");
  Decide(PatchPodStatus{Pod("refused"), ConditionPatch{{"PodScheduled", "False", "Unschedulable", "no room"}}, {}});
  EXPECT_EQ(shadow_->report().waiting, 4U);
  Tell(Pod("same", "n"));
  Tell(Pod("tie", "as-good"));
  Tell(Pod("other", "m"));
  Tell(Pod("refused", "m"));
  Tell(Pod("early", "m"));
  Tell(Pod("gone"), ObjectChange::Type::Deleted);
  Tell(Pod("known", "m"));  // it had a node when it was first seen
  const ShadowReport report = shadow_->report();
  EXPECT_EQ(report.agreed, 1U);
  EXPECT_EQ(report.tied, 1U);
  EXPECT_EQ(report.differed, 0U);
  EXPECT_EQ(report.crossed, 1U);
  EXPECT_EQ(report.only_theirs, 1U);
  EXPECT_EQ(report.undecided, 1U);
  EXPECT_EQ(report.waiting, 0U);
  ASSERT_EQ(report.differences.size(), 2U);
  EXPECT_EQ(report.differences[0].pod, "shop/other");
  EXPECT_EQ(report.differences[0].ours, "n");
  EXPECT_EQ(report.differences[0].theirs, "m");
  EXPECT_EQ(report.differences[0].reason, "it scored less here (other pods were being placed meanwhile)");
  EXPECT_EQ(report.differences[1].reason, "no room");
  EXPECT_EQ(hearing_.changes_heard, 13U) << "the scheduler hears of everything";
}

TEST_F(ShadowHomeTest, OnlyDecisionsAboutTheSameClusterAreCalledDifferent) {
  for (const char* name : {"alone", "first", "second", "third", "gone", "last"}) Tell(Pod(name));
  Bind("alone", "n");
  Tell(Pod("alone", "m"));
  EXPECT_EQ(shadow_->report().differed, 1U);
  EXPECT_EQ(shadow_->report().differences[0].reason, "it scored less here");
  // The second is decided before the first is confirmed, and the first is not the latest any more.
  Bind("first", "n");
  Bind("second", "n");
  Tell(Pod("first", "m"));
  Tell(Pod("second", "m"));
  EXPECT_EQ(shadow_->report().crossed, 2U);
  // The other places a pod that was not decided here yet.
  Bind("third", "n");
  Tell(Pod("last", "m"));
  Tell(Pod("third", "m"));
  EXPECT_EQ(shadow_->report().crossed, 3U);
  // One that goes is waited for no more.
  Tell(Pod("again"));
  Bind("gone", "n");
  Tell(Pod("gone"), ObjectChange::Type::Deleted);
  Bind("again", "n");
  Tell(Pod("again", "m"));
  EXPECT_EQ(shadow_->report().differed, 2U);
  EXPECT_EQ(shadow_->report().crossed, 3U);
}

}  // namespace
}  // namespace berth::home
