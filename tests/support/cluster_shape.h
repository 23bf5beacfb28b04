// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace berth::test {

// How large a random cluster is, and how likely each feature is in it (0 never, 1 as often as it makes sense).
struct ClusterShape {
  size_t nodes = 12;
  size_t pods = 24;
  double resources = 0.6;  // extended ones, huge pages, pod-level requests, overhead, resizes under way
  double taints = 0.4;
  double node_affinity = 0.4;
  double ports = 0.3;
  double images = 0.4;
  double spread = 0.4;
  double pod_affinity = 0.4;
  double volumes = 0.3;
  double workloads = 0.4;  // services, replica sets, … and pods they own
  double features = 0.2;
  double priorities = 0.5;
  bool huge_amounts = false;   // amounts that doubles no longer hold exactly
  bool zero_amounts = false;   // nodes that have nothing of a resource
  size_t extra_resources = 0;  // extended resources that pods ask for all at once
  bool unique_ports = false;   // no two pods ask for one host port
};

}  // namespace berth::test
