// SPDX-License-Identifier: Apache-2.0
#include "api/field_selector.h"
#include "api/labels.h"
#include "api/time_text.h"
#include "base/check.h"

#include <cstdint>

using namespace berth::api;

// A label selector equals what its text parses to; field selectors and times are parsed or refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto fields = FieldSelector::Parse(text)) fields->Matches([](std::string_view) { return std::string(); });
  static_cast<void>(ParseRfc3339(text));
  const auto selector = Selector::Parse(text);
  if (!selector) return 0;
  const auto again = Selector::Parse(selector->ToString());
  BERTH_CHECK(again.has_value() && *again == *selector);
  const Labels labels{{"a", "b"}, {"c", ""}};
  BERTH_CHECK(again->Matches(labels) == selector->Matches(labels));
  return 0;
}
