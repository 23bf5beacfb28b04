// SPDX-License-Identifier: Apache-2.0
#include "conformance/compare.h"

#include <algorithm>

namespace berth::conformance {

using api::Value;

namespace {

std::vector<std::string> SortedTexts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.items()) texts.push_back(item.text());
  std::sort(texts.begin(), texts.end());
  return texts;
}

bool Equal(const Value& a, const Value& b);

bool EqualMaps(const Value& a, const Value& b) {
  if (a.members().size() != b.members().size()) return false;
  return std::all_of(a.members().begin(), a.members().end(), [&](const Value::Member& member) {
    const Value* other = b.Find(member.key);
    if (other == nullptr) return false;
    if (member.key == "reasons") return SortedTexts(member.value) == SortedTexts(*other);
    return Equal(member.value, *other);
  });
}

bool Equal(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_map()) return EqualMaps(a, b);
  if (a.is_list()) return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), Equal);
  return a.text() == b.text();
}

}  // namespace

std::vector<Difference> Compare(const Value& expected, const Value& actual) {
  std::vector<Difference> differences;
  for (const Value::Member& member : expected.members()) {
    const Value* other = actual.Find(member.key);
    if (other == nullptr || !Equal(member.value, *other)) differences.push_back({member.key, &member.value, other});
  }
  for (const Value::Member& member : actual.members()) {
    if (expected.Find(member.key) == nullptr) differences.push_back({member.key, nullptr, &member.value});
  }
  return differences;
}

}  // namespace berth::conformance
