// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

// Labels or annotations: a small map from string to string, sorted by key. Copies share their entries, which never
// change: Set makes new ones.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;
  using Entries = std::vector<Entry>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries) : Labels(Entries(entries)) {}
  // In any order; of those with one key the last counts.
  explicit Labels(Entries entries);
  // Sorted, each key once.
  explicit Labels(std::shared_ptr<const Entries> sorted) : entries_(std::move(sorted)) {}

  const std::string* Find(std::string_view key) const;  // null when absent
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  void Set(std::string_view key, std::string_view value);
  bool empty() const { return entries_ == nullptr; }
  size_t size() const { return entries_ == nullptr ? 0 : entries_->size(); }
  const Entry* begin() const { return entries_ == nullptr ? nullptr : entries_->data(); }
  const Entry* end() const { return begin() + size(); }

  friend bool operator==(const Labels& a, const Labels& b) {
    return a.entries_ == b.entries_ || std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::shared_ptr<const Entries> entries_;  // null when there are none
};

// A LabelSelector as objects carry it. Absent (nullopt in its owner) and empty mean different things:
// absent selects nothing, empty selects everything.
struct LabelSelector {
  struct Requirement {
    std::string key;
    std::string op;  // In, NotIn, Exists, DoesNotExist
    std::vector<std::string> values;
    friend bool operator==(const Requirement&, const Requirement&) = default;
  };
  Labels match_labels;
  std::vector<Requirement> match_expressions;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// A selector ready to be matched against labels. Immutable.
class Selector {
 public:
  enum class Op : uint8_t { In, NotIn, Exists, DoesNotExist };
  struct Requirement {
    std::string key;
    Op op = Op::In;
    std::vector<std::string> values;  // sorted, unique
    bool Matches(const Labels& labels) const;
    friend bool operator==(const Requirement&, const Requirement&) = default;
  };

  // Selects nothing.
  Selector() = default;
  static Selector Nothing() { return {}; }
  static Selector Everything();
  // Absent selects nothing, empty selects everything. Fails on operators or values that do not fit together.
  static Result<Selector> From(const std::optional<LabelSelector>& selector);
  // All pairs must be present.
  static Selector FromLabels(const Labels& labels);
  // The text form of kubectl -l: "a=b,c!=d,e in (f,g),h notin (i),j,!k".
  static Result<Selector> Parse(std::string_view text);

  bool Matches(const Labels& labels) const;
  bool selects_nothing() const { return nothing_; }
  bool selects_everything() const { return !nothing_ && requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  void Add(Requirement requirement);
  // Equal selectors have equal texts: usable as a key.
  std::string ToString() const;
  void AppendText(std::string& text) const;

  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  std::vector<Requirement> requirements_;  // sorted by key
  bool nothing_ = true;
};

}  // namespace berth::api
