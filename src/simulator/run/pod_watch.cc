// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/pod_watch.h"

namespace berth::simulator {

using store::Event;
using store::WatchItem;

Result<PodWatch> PodWatch::Open(store::Store& store) {
  store::WatchOptions options;
  options.selection.kinds = {"Pod"};
  BERTH_ASSIGN_OR_RETURN(options.after, store.CurrentRevision());
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<store::Watch> watch, store.OpenWatch(options));
  return PodWatch(std::move(watch));
}

Result<void> PodWatch::Tell(const Sight& bound, const Sight& deleted) {
  while (true) {
    const WatchItem item = watch_->Next(Duration::zero());
    switch (item.kind) {
      case WatchItem::Kind::Timeout: return {};
      case WatchItem::Kind::Bookmark: continue;
      case WatchItem::Kind::Expired:
      case WatchItem::Kind::Closed:
        return Error{ErrorCode::Internal, "too much happened at one moment: the store forgot part of it"};
      case WatchItem::Kind::Batch: break;
    }
    for (const Event& event : item.events) {
      const store::Record& pod = *event.object;
      if (event.type == Event::Type::Deleted) {
        deleted(pod);
      } else if (event.type == Event::Type::Modified && event.previous->fields.node_name.empty() &&
                 !pod.fields.node_name.empty()) {
        bound(pod);
      }
    }
  }
}

}  // namespace berth::simulator
