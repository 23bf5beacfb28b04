// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace berth::conformance {

// How large a random cluster is, and how likely each feature is in it (0 never, 1 as often as it makes sense).
struct ClusterShape {
  size_t nodes = 12;
  size_t pods = 24;
  double resources = 0.6;  // extended resources, huge pages, pod-level requests, overhead, resizes in progress
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
  double room = 0;             // nodes with plenty of cpu, memory and pod slots
  bool huge_amounts = false;   // amounts that a double cannot represent exactly
  bool zero_amounts = false;   // nodes with none of a resource
  size_t extra_resources = 0;  // extended resources that a pod requests all at once
  bool unique_ports = false;   // no two pods use the same host port
  double urgent = 0;           // pending pods with a higher priority than most running ones
  double gates = 0;            // pods with scheduling gates
  double claims = 0;           // pods with resource claims
  bool oddities = true;        // objects an API server would reject but the scheduler has rules for
  bool stored = false;         // objects carry every default an API server fills in
};

}  // namespace berth::conformance
