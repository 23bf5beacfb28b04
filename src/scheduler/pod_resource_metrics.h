// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"

#include <span>
#include <string>

namespace berth::scheduler {

// What pods ask for and may use, by resource, in Prometheus' text format: kube_pod_resource_request and
// kube_pod_resource_limit, which kube-scheduler serves under /metrics/resources while it leads. Pods that have ended
// use nothing and are left out. Sizes grow with the cluster: a few hundred bytes for each pod.
std::string PodResourceMetrics(std::span<const api::PodPtr> pods);

}  // namespace berth::scheduler
