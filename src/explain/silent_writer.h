// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/writer.h"

#include <string>
#include <string_view>

namespace berth::explain {

// Accepts every change and makes none: for questions. Thread-safe.
class SilentWriter final : public framework::Writer, public framework::EventRecorder {
 public:
  Result<void> Bind(const api::Pod&, std::string_view) override { return {}; }
  Result<void> Evict(const api::Pod&, std::string_view, std::string_view) override { return {}; }
  Result<void> ClearNomination(const api::Pod&) override { return {}; }
  void Record(const api::Pod&, std::string_view, std::string_view, std::string_view, std::string) override {}
};

}  // namespace berth::explain
