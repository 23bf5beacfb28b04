// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace berth::conformance {

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
  double room = 0;             // nodes that have plenty of cpu, memory and room for pods
  bool huge_amounts = false;   // amounts that doubles no longer hold exactly
  bool zero_amounts = false;   // nodes that have nothing of a resource
  size_t extra_resources = 0;  // extended resources that pods ask for all at once
  bool unique_ports = false;   // no two pods ask for one host port
  double urgent = 0;           // waiting pods that are more important than most that run
  double gates = 0;            // pods that may not be tried yet
  double claims = 0;           // pods that ask for dynamically allocated resources
  bool oddities = true;        // what an API server would not accept, but a scheduler has rules for
  bool stored = false;         // nothing is missing that an API server would have filled in
};

}  // namespace berth::conformance
