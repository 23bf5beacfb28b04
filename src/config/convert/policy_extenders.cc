// SPDX-License-Identifier: Apache-2.0
#include "config/convert/policy_extenders.h"

#include "config/convert/edit.h"
#include "config/fields/go_duration.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace berth::config {
namespace {

using api::Value;

constexpr std::array<std::string_view, 22> kFields = {
    "urlPrefix", "filterVerb",  "preemptVerb",      "prioritizeVerb",   "weight",    "bindVerb", "enableHTTPS",
    "tlsConfig", "httpTimeout", "nodeCacheCapable", "managedResources", "ignorable", "name",     "ignoredByScheduler",
    "insecure",  "serverName",  "certFile",         "keyFile",          "caFile",    "certData", "keyData",
    "caData"};

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

void UpdateNames(Value& value) {
  if (value.is_list()) {
    for (Value& item : value.mutable_items()) UpdateNames(item);
  }
  if (!value.is_map()) return;
  for (Value::Member& member : value.mutable_members()) {
    const auto field =
        std::ranges::find_if(kFields, [&](std::string_view name) { return EqualIgnoringCase(name, member.key); });
    if (field != kFields.end()) member.key = *field;
    UpdateNames(member.value);
  }
}

void UpdateTimeout(Value& extender) {
  Value* timeout = FindIn(extender, "httpTimeout");
  if (timeout == nullptr || timeout->kind() != Value::Kind::Int) return;
  int64_t nanoseconds = 0;
  const std::string& text = timeout->text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanoseconds);
  if (error == std::errc{}) *timeout = Value::String(FormatGoDuration(Duration(nanoseconds)), timeout->position());
}

}  // namespace

Value ConvertPolicyExtenders(const Value& policy) {
  for (const std::string_view key : {"extenders", "extenderConfigs"}) {
    const Value* found = policy.Find(key);
    if (found == nullptr || found->is_null()) continue;
    Value extenders = *found;
    UpdateNames(extenders);
    if (extenders.is_list()) {
      for (Value& extender : extenders.mutable_items()) UpdateTimeout(extender);
    }
    return extenders;
  }
  return Value::Null();
}

}  // namespace berth::config
