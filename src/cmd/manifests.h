// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace berth::cmd {

// One way to run Berth in a Kubernetes cluster: a file of deploy/manifests/, which the build makes part of the program.
struct Overlay {
  std::string_view name;
  std::string_view manifests;  // YAML documents
};

std::span<const Overlay> Overlays();

}  // namespace berth::cmd
