// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::cmd {

// What Berth makes of a flag.
enum class FlagEffect : uint8_t {
  Honoured,  // does what it does in kube-scheduler
  Checked,   // a value that kube-scheduler refuses is refused; there is nothing it could change
};
std::string_view FlagEffectName(FlagEffect effect);  // "honoured", "no effect"

struct KubeFlagEffect {
  std::string_view flag;
  FlagEffect effect;
  std::string_view remark;  // why it has no effect, or how it differs; may be empty
};

// Of every flag, sorted by name.
std::span<const KubeFlagEffect> KubeFlagEffects();

}  // namespace berth::cmd
