// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"

#include <string>

namespace berth::cmd {

struct ManifestsOptions {
  std::string overlay = "second-scheduler";  // the name of one of Overlays()
  std::string image;                         // empty: the one in deploy/
  std::string name_space;                    // empty: the overlay's own
};

// `berth manifests`: prints what runs Berth in a Kubernetes cluster, for kubectl apply. Without options these are
// exactly the documents that kustomize makes of deploy/overlays/.
int RunManifests(const ManifestsOptions& options, const Streams& streams);

}  // namespace berth::cmd
