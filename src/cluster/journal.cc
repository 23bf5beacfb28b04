// SPDX-License-Identifier: Apache-2.0
#include "cluster/journal.h"

namespace berth::cluster {

uint64_t Journal::Append(framework::NodeId node, decltype(Change::what) what) {
  if (changes_.size() == capacity_) changes_.pop_front();
  changes_.push_back({++revision_, node, std::move(what), cycle_});
  return revision_;
}

}  // namespace berth::cluster
