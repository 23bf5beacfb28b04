// SPDX-License-Identifier: Apache-2.0
#include "store_contract/words.h"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::store::contract {
namespace {

template <typename T>
T Expected(Result<T> result) {
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? std::move(*result) : T{};
}

}  // namespace

Key Pod(std::string_view name) { return {"Pod", "default", std::string(name)}; }
Key Node(std::string_view name) { return {"Node", "", std::string(name)}; }
Selection Of(std::string_view kind) { return {.kinds = {std::string(kind)}}; }
std::string Numbered(std::string_view prefix, size_t number) { return fmt::format("{}-{:06}", prefix, number); }

Operation Create(const Key& key, std::string_view value, Fields fields) {
  return {Operation::Type::Create, key, "uid of " + key.name, std::string(value), std::move(fields)};
}

Operation Update(const Key& key, std::string_view value, Fields fields) {
  return {Operation::Type::Update, key, "", std::string(value), std::move(fields)};
}

Operation Delete(const Key& key) { return {.type = Operation::Type::Delete, .key = key}; }

Operation RandomOperation(test::Dice& dice, size_t pods) {
  const Key key = Pod(Numbered("p", dice.Below(pods)));
  const Fields fields{dice.Pick({"", "n1", "n2"}), dice.Pick({"Pending", "Running"}), dice.Pick({"berth", "other"})};
  const std::string value = std::to_string(dice.Below(1000));
  if (dice.Chance(0.3)) return Create(key, value, fields);
  return dice.Chance(0.3) ? Delete(key) : Update(key, value, fields);
}

Revision Write(Store& store, std::vector<Operation> operations) {
  const CommitOutcome outcome = Commit(store, {.operations = std::move(operations)});
  EXPECT_TRUE(outcome.committed) << "operation " << outcome.index;
  return outcome.revision;
}

CommitOutcome Commit(Store& store, Transaction transaction) { return Expected(store.Commit(std::move(transaction))); }

RecordPtr Get(Store& store, const Key& key) {
  RecordPtr record = Expected(store.Get(key));
  return record != nullptr ? record : std::make_shared<const Record>();
}

Page List(Store& store, const ListOptions& options) { return Expected(store.List(options)); }
Page ListNow(Store& store, const Selection& selection) { return List(store, {.selection = selection}); }

Page ListAt(Store& store, Revision revision, const Selection& selection) {
  return List(store, {.selection = selection, .match = ListOptions::Match::Exact, .revision = revision});
}

Page ListInPages(Store& store, const Selection& selection, size_t limit) {
  Page all;
  ListOptions options{.selection = selection, .limit = limit};
  do {
    Page page = List(store, options);
    EXPECT_LE(page.objects.size(), limit);
    if (!options.continue_token.empty()) {
      EXPECT_EQ(page.revision, all.revision);
    }
    all.revision = page.revision;
    for (RecordPtr& object : page.objects) all.objects.push_back(std::move(object));
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty() && !testing::Test::HasFailure());
  return all;
}

Revision Head(Store& store) { return Expected(store.CurrentRevision()); }
std::unique_ptr<Watch> Open(Store& store, const WatchOptions& options) { return Expected(store.OpenWatch(options)); }

std::string ToText(const Record& record) {
  return fmt::format("{} [{}] @{}(created {})={} {{{},{},{}}}", ToText(record.key), record.uid, record.modified,
                     record.created, *record.value, record.fields.node_name, record.fields.phase,
                     record.fields.scheduler_name);
}

std::vector<std::string> ToTexts(const std::vector<RecordPtr>& records) {
  std::vector<std::string> texts;
  texts.reserve(records.size());
  for (const RecordPtr& record : records) texts.push_back(ToText(*record));
  return texts;
}

std::string ToText(const Event& event) {
  constexpr const char* kTypes[] = {"Added", "Modified", "Deleted"};
  return fmt::format("{} {}, was {}", kTypes[static_cast<size_t>(event.type)], ToText(*event.object),
                     event.previous == nullptr ? "nothing" : ToText(*event.previous));
}

std::string ToText(const WatchItem& item) {
  constexpr const char* kKinds[] = {"Batch", "Bookmark", "Expired", "Closed", "Timeout"};
  std::string text = fmt::format("{} {}{}", kKinds[static_cast<size_t>(item.kind)], item.revision,
                                 item.end_of_initial ? ", end of initial" : "");
  for (const Event& event : item.events) text += "\n  " + ToText(event);
  return text;
}

std::vector<std::string> ToTexts(const std::vector<WatchItem>& items) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const WatchItem& item : items) texts.push_back(ToText(item));
  return texts;
}

}  // namespace berth::store::contract
