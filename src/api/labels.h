// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

// Labels or annotations: a small map from string to string, sorted by key.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries);

  const std::string* Find(std::string_view key) const;  // null when absent
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  void Set(std::string_view key, std::string_view value);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  friend bool operator==(const Labels&, const Labels&) = default;

 private:
  std::vector<Entry> entries_;
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
