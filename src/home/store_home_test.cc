// SPDX-License-Identifier: Apache-2.0
#include "home/store_home.h"

#include "home/retry_backoff.h"
#include "store/memory/memory_store.h"

#include <atomic>
#include <map>
#include <thread>

#include <gtest/gtest.h>

namespace berth::home {
namespace {

// Keeps what a home delivers.
struct Delivered final : HomeListener {
  bool TakeChanges(std::vector<ObjectChange>& changes) override {
    std::move(changes.begin(), changes.end(), std::back_inserter(told));
    return true;
  }
  void Synced() override { ++synced; }
  void TakeCompletions(std::vector<Completion>& completions) override {
    for (Completion& completion : completions) answers[completion.ticket] = std::move(completion);
  }
  void TakeProblem(FeedProblem problem) override { problems.push_back(std::move(problem)); }
  std::vector<ObjectChange> told;
  std::vector<FeedProblem> problems;
  std::map<Ticket, Completion> answers;
  int synced = 0;
};

class StoreHomeTest : public testing::Test {
 protected:
  StoreHomeTest() { home_.Open(delivered_, {"Pod", "PersistentVolumeClaim"}); }

  void Create(const std::string& kind, const std::string& name, const std::string& uid) {
    store::Transaction transaction;
    store::Operation create;
    create.key = {kind, "default", name};
    create.uid = uid;
    create.value = R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"namespace":"default","name":")" + name +
                   R"("},"spec":{}})";
    transaction.operations.push_back(std::move(create));
    ASSERT_TRUE(store_.Commit(std::move(transaction))->committed);
  }
  static api::PodPtr Pod(const std::string& name, const std::string& uid) {
    api::Pod pod;
    pod.meta.namespace_ = "default";
    pod.meta.name = name;
    pod.meta.uid = uid;
    return std::make_shared<const api::Pod>(std::move(pod));
  }
  static api::NodePtr Node(const std::string& name) {
    api::Node node;
    node.meta.name = name;
    return std::make_shared<const api::Node>(std::move(node));
  }
  const Completion& Carry(Command command, std::shared_ptr<const WriteTerms> terms = nullptr) {
    std::vector<Submission> commands;
    commands.push_back({++ticket_, std::move(command), std::move(terms)});
    home_.Submit(commands);
    EXPECT_TRUE(home_.PumpCommands());
    return delivered_.answers.at(ticket_);
  }
  void Hear() {
    while (home_.PumpFeeds()) {
    }
  }

  ManualClock clock_{Timestamp(std::chrono::hours(1))};
  store::MemoryStore store_{clock_};
  StoreHome home_{store_, clock_};
  Delivered delivered_;
  Ticket ticket_ = 0;
};

TEST_F(StoreHomeTest, TellsOfTheWantedKindsWithTheirUidsAndVersions) {
  Create("Pod", "p", "uid-p");
  Create("PersistentVolumeClaim", "c", "uid-c");
  Create("Service", "s", "uid-s");
  Hear();
  EXPECT_EQ(delivered_.synced, 1);
  ASSERT_EQ(delivered_.told.size(), 2U) << "nobody asked for services";
  for (const ObjectChange& change : delivered_.told) {
    EXPECT_EQ(api::MetaOf(change.object).uid.substr(0, 4), "uid-");
    EXPECT_FALSE(api::MetaOf(change.object).resource_version.empty());
  }
}

// What a home of its own tells last of the pod and the node "x", before and after the pod is placed on the node "a".
std::vector<std::string> KeptTexts(api::KeptDocuments keep_documents) {
  ManualClock clock{Timestamp(std::chrono::hours(1))};
  store::MemoryStore store(clock);
  store::Transaction transaction;
  for (const std::string kind : {"Pod", "Node"}) {
    store::Operation create;
    create.key = {kind, kind == "Pod" ? "default" : "", "x"};
    create.uid = "uid-x";
    create.value = R"({"kind":")" + kind + R"(","metadata":{"name":"x","managedFields":[{}]},"spec":{"more":1}})";
    transaction.operations.push_back(std::move(create));
  }
  EXPECT_TRUE(store.Commit(std::move(transaction))->committed);
  Delivered delivered;
  StoreHome home(store, clock, {.keep_documents = keep_documents});
  home.Open(delivered, {"Pod", "Node"});
  std::vector<std::string> texts;
  const auto add = [&](const std::string& kind, const std::string& ns) {
    while (home.PumpFeeds()) {
    }
    std::visit(
        [&]<typename T>(const std::shared_ptr<const T>& object) {
          if constexpr (std::is_same_v<T, api::Pod> || std::is_same_v<T, api::Node>) {
            texts.push_back(object->document == nullptr ? "" : *object->document);
          }
        },
        *home.FindTold({kind, ns, "x"}));
  };
  add("Node", "");
  add("Pod", "default");
  auto pod = std::make_shared<api::Pod>();
  pod->meta.namespace_ = "default";
  pod->meta.name = "x";
  pod->meta.uid = "uid-x";
  auto node = std::make_shared<api::Node>();
  node->meta.name = "a";
  std::vector<Submission> commands;
  commands.push_back({1, BindPod{pod, node}, nullptr});
  home.Submit(commands);
  home.PumpCommands();
  add("Pod", "default");
  EXPECT_EQ(std::get<api::PodPtr>(*home.FindTold({"Pod", "default", "x"}))->node_name, "a");
  return texts;
}

TEST(StoreHomeDocuments, AreKeptAsTheStoreHasTheObjectsIfSomebodyAsks) {
  EXPECT_EQ(KeptTexts({}), (std::vector<std::string>{"", "", ""}));
  const std::string node =
      R"({"kind":"Node","metadata":{"name":"x","uid":"uid-x","resourceVersion":"1"},"spec":{"more":1}})";
  const std::string waiting =
      R"({"kind":"Pod","metadata":{"name":"x","uid":"uid-x","resourceVersion":"1"},"spec":{"more":1}})";
  const std::string placed =
      R"({"kind":"Pod","metadata":{"name":"x","uid":"uid-x","resourceVersion":"2"},"spec":{"more":1,"nodeName":"a"}})";
  EXPECT_EQ(KeptTexts({.nodes = true}), (std::vector<std::string>{node, "", ""}));
  EXPECT_EQ(KeptTexts({.waiting_pods = true}), (std::vector<std::string>{"", waiting, ""}));
  EXPECT_EQ(KeptTexts({.placed_pods = true}), (std::vector<std::string>{"", "", placed}));
  EXPECT_EQ(KeptTexts({true, true, true}), (std::vector<std::string>{node, waiting, placed}));
}

TEST_F(StoreHomeTest, BindsOnceAndForAll) {
  Create("Pod", "p", "uid-p");
  EXPECT_EQ(Carry(BindPod{Pod("p", "uid-p"), Node("a")}).outcome, Outcome::Done);
  EXPECT_EQ(Carry(BindPod{Pod("p", "uid-p"), Node("a")}).outcome, Outcome::Done);
  EXPECT_EQ(Carry(BindPod{Pod("p", "uid-p"), Node("b")}).outcome, Outcome::Conflict);
  EXPECT_EQ(Carry(BindPod{Pod("p", "uid-q"), Node("a")}).outcome, Outcome::Gone);
  EXPECT_EQ(Carry(LookUpPod{Pod("p", "uid-p")}).answer, "a");
  EXPECT_EQ(Carry(LookUpPod{Pod("p", "uid-q")}).outcome, Outcome::Gone);
}

TEST_F(StoreHomeTest, PatchesAnyObjectUnderItsPreconditions) {
  Create("PersistentVolumeClaim", "c", "uid-c");
  const store::Key key{"PersistentVolumeClaim", "default", "c"};
  const std::string version = std::to_string(store_.Get(key).value()->modified);
  const char* patch = R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"a"}}})";
  EXPECT_EQ(Carry(PatchObject{key, "uid-other", "", patch}).outcome, Outcome::Gone);
  EXPECT_EQ(Carry(PatchObject{key, "uid-c", "999", patch}).outcome, Outcome::Conflict);
  const Completion& done = Carry(PatchObject{key, "uid-c", version, patch});
  EXPECT_EQ(done.outcome, Outcome::Done);
  EXPECT_EQ(done.answer, std::to_string(store_.Get(key).value()->modified));
  EXPECT_NE(store_.Get(key).value()->value->find("selected-node"), std::string::npos);
  EXPECT_EQ(Carry(PatchObject{key, "uid-c", version, patch}).outcome, Outcome::Conflict) << "the version has moved on";
}

TEST_F(StoreHomeTest, EvictsTheVeryPod) {
  Create("Pod", "p", "uid-p");
  EXPECT_EQ(Carry(EvictPod{Pod("p", "uid-old"), {}}).outcome, Outcome::Gone);
  EXPECT_TRUE(store_.Get({"Pod", "default", "p"}));
  EXPECT_EQ(Carry(EvictPod{Pod("p", "uid-p"), {{"DisruptionTarget", "True", "", ""}, 1}}).outcome, Outcome::Done);
  EXPECT_FALSE(store_.Get({"Pod", "default", "p"}));
}

TEST_F(StoreHomeTest, WritesNothingOnceTheLeaseIsNotSurelyHeld) {
  Create("Pod", "p", "uid-p");
  const store::Lease lease = store_.AcquireLease("leader", "me", std::chrono::seconds(15)).value();
  const auto terms = std::make_shared<const WriteTerms>(
      WriteTerms{{lease.name, lease.token}, clock_.Steady() + std::chrono::seconds(10)});
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(Carry(BindPod{Pod("p", "uid-p"), Node("a")}, terms).outcome, Outcome::Fenced);
  EXPECT_EQ(Carry(PatchPodStatus{Pod("p", "uid-p"), {}, "a"}, terms).outcome, Outcome::Fenced);
  EXPECT_EQ(store_.Get({"Pod", "default", "p"}).value()->fields.node_name, "");
}

TEST(RetryBackoff, DoublesUpToALimitAndBeginsAnewAfterAWhile) {
  RetryBackoff backoff(1);
  Timestamp now{std::chrono::hours(1)};
  Duration base = RetryBackoff::kFirst;
  for (int i = 0; i < 10; ++i) {
    const Duration pause = backoff.NextPause(now);
    EXPECT_GE(pause, base);
    EXPECT_LT(pause, 2 * base);
    now += pause;
    base = std::min(2 * base, RetryBackoff::kLongest);
  }
  now += std::chrono::minutes(5);
  EXPECT_LT(backoff.NextPause(now), 2 * RetryBackoff::kFirst);
}

TEST_F(StoreHomeTest, ObjectsOfOtherKindsAreToldAsDocumentsToThoseWhoAsk) {
  StoreHome home{store_, clock_};
  Delivered delivered;
  home.Open(delivered, {"Tenant.example.com"});
  store::Operation create;
  create.key = {"Tenant.example.com", "", "blue"};
  create.uid = "uid-blue";
  create.value = R"({"apiVersion":"example.com/v1","kind":"Tenant","metadata":{"name":"blue"},"spec":{"quota":3}})";
  ASSERT_TRUE(store_.Commit({{}, {create}, {}})->committed);
  while (home.PumpFeeds()) {
  }
  ASSERT_EQ(delivered.told.size(), 1U);
  const auto* tenant = std::get_if<api::CustomObjectPtr>(&delivered.told.front().object);
  ASSERT_NE(tenant, nullptr);
  EXPECT_EQ((*tenant)->kind, "Tenant.example.com");
  EXPECT_EQ((*tenant)->meta.uid, "uid-blue");
  EXPECT_EQ((*tenant)->document->Find("spec")->Find("quota")->text(), "3");
  EXPECT_TRUE(home.FindTold(create.key).has_value());
}

class UnreadableTest : public StoreHomeTest {
 protected:
  void Write(store::Operation::Type type, const std::string& value) {
    store::Operation operation;
    operation.type = type;
    operation.key = {"PersistentVolumeClaim", "default", "c"};
    operation.uid = "uid-c";
    operation.value = value;
    ASSERT_TRUE(store_.Commit({{}, {operation}, {}})->committed);
    Hear();
  }
  std::vector<FeedProblem::Kind> Problems() {
    std::vector<FeedProblem::Kind> kinds;
    for (const FeedProblem& problem : delivered_.problems) kinds.push_back(problem.kind);
    return kinds;
  }
  using Type = store::Operation::Type;
  using Kind = FeedProblem::Kind;
  static constexpr const char* kGood = R"({"kind":"PersistentVolumeClaim","metadata":{"name":"c"}})";
  static constexpr const char* kBad = R"({"kind":"PersistentVolumeClaim","metadata":{"name":7}})";
};

TEST_F(UnreadableTest, AnObjectThatCannotBeReadIsReportedUntilItCan) {
  Write(Type::Create, kBad);
  ASSERT_EQ(Problems(), std::vector{Kind::Unreadable});
  EXPECT_EQ(delivered_.problems.front().object, "PersistentVolumeClaim default/c");
  EXPECT_NE(delivered_.problems.front().error.find("metadata.name"), std::string::npos);
  EXPECT_EQ(home_.feed_stats().undecodable, 1U);
  Write(Type::Update, kGood);
  EXPECT_EQ(Problems(), (std::vector{Kind::Unreadable, Kind::Readable}));
  EXPECT_EQ(delivered_.told.size(), 1U);
}

TEST_F(UnreadableTest, ItsDeletionEndsTheProblem) {
  Write(Type::Create, kGood);
  Write(Type::Update, kBad);
  EXPECT_TRUE(home_.FindTold({"PersistentVolumeClaim", "default", "c"}).has_value()) << "as it was before";
  Write(Type::Delete, "");
  EXPECT_EQ(Problems(), (std::vector{Kind::Unreadable, Kind::Readable}));
  EXPECT_FALSE(home_.FindTold({"PersistentVolumeClaim", "default", "c"}).has_value());
}

TEST_F(UnreadableTest, ItsDeletionWhileNobodyWatchesEndsTheProblem) {
  Write(Type::Create, kBad);
  store::Operation gone;
  gone.type = Type::Delete;
  gone.key = {"PersistentVolumeClaim", "default", "c"};
  ASSERT_TRUE(store_.Commit({{}, {gone}, {}})->committed);
  Create("Pod", "p", "uid-p");
  ASSERT_TRUE(store_.Compact(*store_.CurrentRevision()));
  Hear();
  EXPECT_EQ(Problems(), (std::vector{Kind::Unreadable, Kind::Interrupted, Kind::Readable, Kind::Recovered}));
}

TEST_F(StoreHomeTest, AnyThreadFindsObjectsAsTheyWereToldLast) {
  constexpr int kClaims = 50;
  for (int i = 0; i < kClaims; ++i) Create("PersistentVolumeClaim", "c" + std::to_string(i), "uid");
  Hear();
  std::atomic<bool> done = false;
  std::atomic<int> missed = 0;
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < 3; ++t) {
      readers.emplace_back([&, t] {
        for (int i = t; !done; ++i) {
          const std::string name = "c" + std::to_string(i % kClaims);
          const std::optional<api::Object> found = home_.FindTold({"PersistentVolumeClaim", "default", name});
          if (!found || api::MetaOf(*found).name != name) ++missed;
        }
      });
    }
    for (int i = 0; i < 200; ++i) {
      store::Operation update;
      update.type = store::Operation::Type::Update;
      update.key = {"PersistentVolumeClaim", "default", "c" + std::to_string(i % kClaims)};
      update.value =
          R"({"kind":"PersistentVolumeClaim","metadata":{"name":"c)" + std::to_string(i % kClaims) + R"("}})";
      ASSERT_TRUE(store_.Commit({{}, {update}, {}})->committed);
      Hear();
    }
    done = true;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_FALSE(home_.FindTold({"PersistentVolumeClaim", "default", "never"}).has_value());
  EXPECT_FALSE(home_.FindTold({"Service", "default", "c1"}).has_value());
}

}  // namespace
}  // namespace berth::home
