// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/model.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"
#include "support/dice.h"
#include "support/rounds.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::store::contract {
namespace {

using Kind = WatchItem::Kind;
using Match = ListOptions::Match;
using test::Dice;

constexpr Duration kModelTtl = std::chrono::seconds(2);

// Does the same to a store and to its model, at random, and compares whatever can be seen.
class Play {
 public:
  Play(Harness& harness, uint64_t seed)
      : harness_(harness), store_(harness.store()), dice_(seed), model_(Head(store_)), floor_(store_.CompactFloor()) {}

  void Step() {
    const size_t die = dice_.Below(100);
    if (die < 40) {
      CommitSomething();
    } else if (die < 52) {
      BindSomething();
    } else if (die < 57) {
      LeaseSomething();
    } else if (die < 59) {
      CompactSomething();
    } else if (die < 68) {
      ListSomething();
    } else if (die < 76) {
      TurnAPage();
    } else if (die < 80) {
      OpenAWatch();
    } else if (!watches_.empty()) {
      ReadOn(dice_.OneOf(watches_));
    }
    ASSERT_EQ(Head(store_), model_.head());
    ASSERT_EQ(store_.GetStats().objects, model_.now().size());
  }

  // Every watch to its end.
  void Finish() {
    for (const std::unique_ptr<Watched>& watch : watches_) {
      while (!watch->ended && watch->reader.position() < model_.head() && !testing::Test::HasFailure()) ReadOn(watch);
    }
    EXPECT_EQ(ToTexts(ListNow(store_).objects), model_.ListAt(model_.head(), {}));
  }

 private:
  struct Watched {
    Watched(Store& store, const WatchOptions& options) : selection(options.selection), reader(store, options) {}
    Selection selection;
    Reader reader;
    std::vector<std::string> initial = {};
    bool ended = false;
  };
  struct PagedList {
    ListOptions options;
    Revision revision = 0;
    std::vector<std::string> seen = {};
  };

  Key SomeKey() {
    return dice_.Chance(0.8) ? Pod(Numbered("p", dice_.Below(8))) : Node(dice_.Pick({"n1", "n2", "n3"}));
  }
  Fields SomeFields() {
    return {dice_.Pick({"", "", "n1", "n2"}), dice_.Pick({"Pending", "Running"}), dice_.Pick({"berth", "other"})};
  }
  std::string SomeUid(const Key& key) {
    const RecordPtr record = model_.Find(key);
    return record == nullptr || dice_.Chance(0.15) ? dice_.Pick({"u1", "u2"}) : record->uid;
  }
  // Often a revision that plays a role.
  Revision SomeRevision(const Key& key) {
    const RecordPtr record = model_.Find(key);
    if (record == nullptr || dice_.Chance(0.2)) return model_.head();
    return dice_.Chance(0.6) ? record->modified : record->created;
  }
  Revision PastRevision() {
    return model_.head() -
           static_cast<Revision>(dice_.Below(static_cast<size_t>(std::min<Revision>(40, model_.head() + 1))));
  }
  Selection SomeSelection() {
    Selection selection;
    if (dice_.Chance(0.5)) selection.kinds = {dice_.Pick({"Pod", "Node", "Lease"})};
    if (dice_.Chance(0.3)) selection.namespace_ = "default";
    if (dice_.Chance(0.4)) {
      selection.fields.push_back({Selection::Field::NodeName, dice_.Pick({"", "n1"}), dice_.Chance(0.7)});
    }
    if (dice_.Chance(0.3)) selection.fields.push_back({Selection::Field::Phase, "Pending", dice_.Chance(0.7)});
    return selection;
  }
  Operation SomeOperation(const Key& key) {
    // Mostly one that can succeed.
    const bool there = (model_.Find(key) != nullptr) != dice_.Chance(0.1);
    if (there && dice_.Chance(0.3)) return Delete(key);
    Operation operation = there ? Update(key) : Create(key);
    operation.uid = there ? "" : dice_.Pick({"u1", "u2", "u3"});
    operation.value = std::to_string(dice_.Below(1000));
    operation.fields = SomeFields();
    return operation;
  }
  Precondition SomePrecondition() {
    using enum Precondition::Test;
    const Key key = SomeKey();
    return {key, dice_.PickOf({Absent, Exists, Exists, ModifiedAt, CreatedAt, UidIs}), SomeRevision(key), SomeUid(key)};
  }
  std::optional<Fence> SomeFence() {
    if (dice_.Chance(0.8)) return std::nullopt;
    return Fence{"leader", lease_ && dice_.Chance(0.8) ? lease_->token : model_.head()};
  }
  bool Stands(const std::optional<Fence>& fence) const {
    const RecordPtr lease = model_.Find({"Lease", "", "leader"});
    return !fence || (lease != nullptr && lease->created == fence->token);
  }

  void CommitSomething() {
    Transaction transaction{.fence = SomeFence()};
    for (size_t count = dice_.Below(3); count > 0; --count) transaction.preconditions.push_back(SomePrecondition());
    for (size_t count = dice_.Below(5); count > 0; --count) {
      const Key key = SomeKey();
      const auto same = [&](const Operation& operation) { return operation.key == key; };
      if (std::ranges::none_of(transaction.operations, same)) transaction.operations.push_back(SomeOperation(key));
    }
    const auto outcome = store_.Commit(transaction);
    if (!Stands(transaction.fence)) {
      ASSERT_FALSE(outcome.has_value());
      ASSERT_EQ(outcome.error().code, ErrorCode::Fenced);
      return;
    }
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    const CommitOutcome expected = model_.Judge(transaction);
    ASSERT_EQ(outcome->committed, expected.committed);
    if (!expected.committed) {
      ASSERT_EQ(outcome->index, expected.index);
      ASSERT_EQ(outcome->current == nullptr ? "" : ToText(*outcome->current),
                expected.current == nullptr ? "" : ToText(*expected.current));
    } else if (transaction.operations.empty()) {
      ASSERT_EQ(outcome->revision, model_.head());
    } else {
      model_.Apply(transaction, outcome->revision);
    }
  }

  void BindSomething() {
    std::vector<Binding> bindings;
    for (size_t count = dice_.Below(5); count > 0; --count) {
      const Key pod = Pod(Numbered("p", dice_.Below(8)));
      const std::string node = dice_.Pick({"n1", "n2", "n3"});
      bindings.push_back({pod, SomeUid(pod), node, dice_.Chance(0.5) ? 0 : SomeRevision(pod),
                          dice_.Chance(0.7) ? 0 : SomeRevision(Node(node))});
    }
    const std::optional<Fence> fence = SomeFence();
    const auto reply = store_.Bind(bindings, fence);
    if (!Stands(fence)) {
      ASSERT_FALSE(reply.has_value());
      ASSERT_EQ(reply.error().code, ErrorCode::Fenced);
      return;
    }
    ASSERT_TRUE(reply.has_value()) << reply.error().message;
    ASSERT_EQ(reply->items, model_.Bind(bindings, reply->revision));
  }

  void LeaseSomething() {
    const Key key{"Lease", "", "leader"};
    const RecordPtr before = model_.Find(key);
    if (dice_.Chance(0.3)) harness_.PassTime(2 * kModelTtl);
    if (lease_ && dice_.Chance(0.3)) {
      const auto done = store_.ReleaseLease(*lease_);
      ASSERT_EQ(done.has_value(), before != nullptr && before->created == lease_->token);
      if (done) model_.Adopt(key, nullptr, Head(store_));
    } else if (lease_ && dice_.Chance(0.3)) {
      const auto done = store_.RenewLease(*lease_, kModelTtl);
      ASSERT_EQ(done.has_value(), before != nullptr && before->created == lease_->token);
      if (done) model_.Adopt(key, Get(store_, key), Head(store_));
    } else if (const auto taken = store_.AcquireLease("leader", dice_.Pick({"one", "two"}), kModelTtl)) {
      lease_ = *taken;
      model_.Adopt(key, Get(store_, key), Head(store_));
      ASSERT_EQ(model_.Find(key)->created, taken->token);
      ASSERT_TRUE(taken->token == model_.head() || (before != nullptr && before->created == taken->token));
    } else {
      ASSERT_EQ(taken.error().code, ErrorCode::Conflict);
    }
  }

  void CompactSomething() {
    const Revision revision = PastRevision();
    ASSERT_TRUE(store_.Compact(revision).has_value());
    floor_ = std::max(floor_, revision);
    ASSERT_EQ(store_.CompactFloor(), floor_);
  }

  void ListSomething() {
    const Selection selection = SomeSelection();
    const Revision revision = PastRevision();
    if (dice_.Chance(0.3) || revision == 0) {
      const Page page = ListNow(store_, selection);
      ASSERT_EQ(page.revision, model_.head());
      ASSERT_EQ(ToTexts(page.objects), model_.ListAt(page.revision, selection));
      return;
    }
    const auto page = store_.List({.selection = selection, .match = Match::Exact, .revision = revision});
    ASSERT_EQ(page.has_value(), revision >= floor_);
    if (!page) {
      ASSERT_EQ(page.error().code, ErrorCode::Expired);
    } else {
      ASSERT_EQ(ToTexts(page->objects), model_.ListAt(revision, selection));
    }
  }

  // One page of a list that began a while ago, perhaps.
  void TurnAPage() {
    if (!paged_) paged_ = PagedList{{.selection = SomeSelection(), .limit = 1 + dice_.Below(4)}, model_.head()};
    const auto page = store_.List(paged_->options);
    if (!page) {
      ASSERT_EQ(page.error().code, ErrorCode::Expired);
      ASSERT_LT(paged_->revision, floor_);
      paged_.reset();
      return;
    }
    ASSERT_EQ(page->revision, paged_->revision);
    for (std::string& text : ToTexts(page->objects)) paged_->seen.push_back(std::move(text));
    paged_->options.continue_token = page->continue_token;
    if (!page->continue_token.empty()) return;
    ASSERT_EQ(paged_->seen, model_.ListAt(paged_->revision, paged_->options.selection));
    paged_.reset();
  }

  void OpenAWatch() {
    if (watches_.size() > 10) watches_.erase(watches_.begin());
    const WatchOptions options{
        .selection = SomeSelection(), .after = PastRevision(), .initial_events = dice_.Chance(0.3)};
    watches_.push_back(std::make_unique<Watched>(store_, options));
  }

  void ReadOn(const std::unique_ptr<Watched>& watch) {
    ASSERT_TRUE(store_.WaitFor(model_.head(), kPatience).has_value());
    const Revision before = watch->reader.position();
    const WatchItem item = watch->reader.Poll();
    if (watch->ended) {
      ASSERT_EQ(item.kind, Kind::Expired);
      return;
    }
    const std::optional<Revision> next = model_.NextChange(std::max<Revision>(before, 0), watch->selection);
    switch (item.kind) {
      case Kind::Batch: {
        if (before < 0) {
          for (const Event& event : item.events) watch->initial.push_back(ToText(*event.object));
          return;
        }
        std::vector<std::string> events;
        for (const Event& event : item.events) events.push_back(ToText(event));
        std::ranges::sort(events);
        ASSERT_EQ(item.revision, next);
        ASSERT_EQ(events, model_.ChangesAt(item.revision, watch->selection));
        return;
      }
      case Kind::Bookmark:
        if (item.end_of_initial) {
          std::vector<std::string> state = model_.ListAt(item.revision, watch->selection);
          std::ranges::sort(state);
          std::ranges::sort(watch->initial);
          ASSERT_EQ(watch->initial, state);
        } else {
          ASSERT_TRUE(!next || *next > item.revision);
        }
        return;
      case Kind::Expired:
        watch->ended = true;
        ASSERT_LT(before, item.revision);
        ASSERT_LE(item.revision, floor_);
        return;
      case Kind::Timeout: ASSERT_EQ(next, std::nullopt); return;
      case Kind::Closed: FAIL() << "nobody has cancelled it";
    }
  }

  Harness& harness_;
  Store& store_;
  Dice dice_;
  Model model_;
  Revision floor_;
  std::optional<Lease> lease_;
  std::optional<PagedList> paged_;
  std::vector<std::unique_ptr<Watched>> watches_;
};

TEST_P(StoreContract, AnyPlayGoesAsWithTheModel) {
  for (uint64_t seed = 1; seed <= test::Rounds(15); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Start({});
    Play play(harness(), seed);
    for (size_t i = 0; i < 400; ++i) {
      ASSERT_NO_FATAL_FAILURE(play.Step()) << "step " << i;
      ASSERT_FALSE(HasFailure()) << "step " << i;
    }
    play.Finish();
  }
}

}  // namespace
}  // namespace berth::store::contract
