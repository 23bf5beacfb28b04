// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"
#include "support/dice.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::store::contract {

// How long a test waits for what must come. Only a broken store makes it wait that long.
constexpr Duration kPatience = std::chrono::seconds(30);

Key Pod(std::string_view name);
Key Node(std::string_view name);
Selection Of(std::string_view kind);

// "p-0042": equal lengths, so that bytewise order is numeric order.
std::string Numbered(std::string_view prefix, size_t number);

// The uid is "uid of" the name.
Operation Create(const Key& key, std::string_view value = "", Fields fields = {});
Operation Update(const Key& key, std::string_view value = "", Fields fields = {});
Operation Delete(const Key& key);

// One that may or may not succeed, on one of so many pods.
Operation RandomOperation(test::Dice& dice, size_t pods);

// Each expects to succeed, and may be called from any thread.
Revision Write(Store& store, std::vector<Operation> operations);
CommitOutcome Commit(Store& store, Transaction transaction);
RecordPtr Get(Store& store, const Key& key);
Page List(Store& store, const ListOptions& options);
Page ListNow(Store& store, const Selection& selection = {});
Page ListAt(Store& store, Revision revision, const Selection& selection = {});
// All pages of a list, put together; each page is held to the rules of paging.
Page ListInPages(Store& store, const Selection& selection, size_t limit);
Revision Head(Store& store);
std::unique_ptr<Watch> Open(Store& store, const WatchOptions& options);

// "Pod default/a@7(1)=value{node,phase,scheduler}": everything that makes a record, for comparison and for messages.
std::string ToText(const Record& record);
std::vector<std::string> ToTexts(const std::vector<RecordPtr>& records);
// "Modified Pod …, was Pod …".
std::string ToText(const Event& event);
// A line of revision and kind, then one per event.
std::string ToText(const WatchItem& item);
std::vector<std::string> ToTexts(const std::vector<WatchItem>& items);

}  // namespace berth::store::contract
