// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/handle.h"
#include "remote/objects_writer.h"
#include "remote/told_nodes.h"
#include "remote/told_objects.h"
#include "remote/told_pods.h"

#include <map>
#include <string>
#include <vector>

namespace berth::remote {

// What a plugin has been told of the cluster in one session, and how it is brought up to date: whatever changed since
// the last time is found by looking. Engine thread only.
class ToldCluster {
 public:
  // Of a new session, which has been told nothing.
  explicit ToldCluster(const plugin::v1::Welcome& welcome) {
    objects_.SetKinds({welcome.kinds().begin(), welcome.kinds().end()});
    nodes_.SetTellsImages(welcome.images());
  }

  // Tells what has changed.
  void Sync(framework::Handle& handle, ObjectsWriter& out);
  ToldPods& pods() { return pods_; }
  const ToldNodes& nodes() const { return nodes_; }
  bool is_complete() const { return is_complete_; }

 private:
  void SyncNominations(framework::Nominator& nominator, ObjectsWriter& out);

  ToldPods pods_;
  ToldNodes nodes_;
  ToldObjects objects_;
  std::map<std::string, std::vector<framework::PodInfoPtr>> nominated_;  // by node
  bool is_complete_ = false;
};

}  // namespace berth::remote
