// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/writer.h"

#include <string>
#include <string_view>

namespace berth::conformance {

// Nothing a plugin writes goes anywhere.
class SilentWriter final : public framework::Writer, public framework::EventRecorder {
 public:
  Result<void> Bind(const api::Pod& /*pod*/, std::string_view /*node*/) override { return {}; }
  Result<void> Evict(const api::Pod& /*pod*/, std::string_view /*message*/,
                     std::string_view /*preemptor_uid*/) override {
    return {};
  }
  Result<void> ClearNomination(const api::Pod& /*pod*/) override { return {}; }
  void Record(const api::Pod& /*about*/, std::string_view /*type*/, std::string_view /*reason*/,
              std::string_view /*action*/, std::string /*message*/) override {}
};

}  // namespace berth::conformance
