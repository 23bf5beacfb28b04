// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/pod_spec.h"

#include "kube/proto/scan.h"

#include <cstdint>

namespace berth::kube::proto {

Result<PodSpecBytes> FindPodSpec(std::string_view pod_message) {
  constexpr uint32_t kSpec = 2;
  constexpr uint32_t kNodeName = 10;
  PodSpecBytes spec;
  BERTH_RETURN_IF_ERROR(ScanFields(pod_message, "Pod", [&](const WireField& field) -> Result<void> {
    if (field.number == kSpec) spec.whole = field.bytes;
    return {};
  }));
  spec.before = spec.whole;
  BERTH_RETURN_IF_ERROR(ScanFields(spec.whole, "PodSpec", [&](const WireField& field) -> Result<void> {
    if (field.number != kNodeName) return {};
    const auto start = static_cast<size_t>(field.whole.data() - spec.whole.data());
    spec.before = spec.whole.substr(0, start);
    spec.after = spec.whole.substr(start + field.whole.size());
    spec.node_name = field.bytes;
    return {};
  }));
  return spec;
}

}  // namespace berth::kube::proto
