// SPDX-License-Identifier: Apache-2.0
#include "plugins/priority_sort/priority_sort.h"

namespace berth::plugins {
namespace {

using namespace framework;

class PrioritySort final : public QueueSortPlugin {
 public:
  bool Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const override {
    const int32_t priority_a = (*a.pod)->priority();
    const int32_t priority_b = (*b.pod)->priority();
    return priority_a != priority_b ? priority_a > priority_b : a.queued < b.queued;
  }
};

}  // namespace

PluginEntry PrioritySortEntry() { return Entry<PrioritySort>(kPrioritySort); }

}  // namespace berth::plugins
