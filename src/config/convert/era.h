// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace berth::config {

// The older versions of the configuration, oldest first, so that they can be compared.
enum class Era { V1Alpha1, V1Alpha2, V1Beta1, V1Beta2, V1Beta3 };

// The era of an apiVersion such as "kubescheduler.config.k8s.io/v1beta2"; nothing for any other.
std::optional<Era> EraOf(std::string_view api_version);

}  // namespace berth::config
