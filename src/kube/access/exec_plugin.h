// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/surroundings.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

inline constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr std::string_view kExecV1beta1 = "client.authentication.k8s.io/v1beta1";

struct ExecLimits {
  Duration time_limit = std::chrono::seconds(60);  // not for a plugin that talks with the user
  size_t max_output_bytes = size_t{1} << 20U;
};

// What a plugin gives: a token, a client certificate, or both.
struct ExecCredential {
  std::string token = {};
  KeyPair key_pair = {};
  std::optional<Timestamp> expires = {};
};

// Runs the plugin once. The error says what failed, with the end of what the plugin wrote to standard error; it never
// contains what the plugin printed as its credential. Blocks until the plugin has ended, or was killed because `stop`
// has become true; any thread.
Result<ExecCredential> RunExecPlugin(const ExecPlugin& plugin, const Surroundings& surroundings,
                                     const ExecLimits& limits, const std::atomic<bool>* stop = nullptr);

// Shows control characters other than blanks as "U+001B", so that a text cannot upset a terminal.
std::string WithoutControlCharacters(std::string_view text);

}  // namespace berth::kube
