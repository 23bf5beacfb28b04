// SPDX-License-Identifier: Apache-2.0
#include "store/continue_token.h"
#include "store/hub/hub.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::store {
namespace {

constexpr size_t kKeysPerLock = 1024;

Error TooNewError(Revision revision, Revision head) {
  return {ErrorCode::TooNew, fmt::format("cannot list at revision {}: the store is at {}", revision, head)};
}

Error ExpiredError(Revision revision, Revision floor) {
  return {ErrorCode::Expired,
          fmt::format("cannot list at revision {}: the history begins at {}, list again", revision, floor)};
}

}  // namespace

Result<Revision> Hub::ChooseRevision(const ListOptions& options) {
  switch (options.match) {
    case ListOptions::Match::Latest:
    case ListOptions::Match::Any: break;
    case ListOptions::Match::NotOlderThan:
      BERTH_RETURN_IF_ERROR(AwaitRevision(options.revision, options.patience));
      break;
    case ListOptions::Match::Exact:
      if (options.revision <= 0) return InvalidError("an exact list needs a revision above zero");
      if (options.revision > versions_.head()) return TooNewError(options.revision, versions_.head());
      if (options.revision < versions_.floor()) return ExpiredError(options.revision, versions_.floor());
      return options.revision;
  }
  return versions_.head();
}

Result<Page> Hub::List(const ListOptions& options) {
  ListOptions settled{.match = options.match, .revision = options.revision, .patience = options.patience};
  ObjectTable::Walk walk;
  if (!options.continue_token.empty()) {
    BERTH_ASSIGN_OR_RETURN(ContinueToken token, DecodeContinueToken(options.continue_token));
    walk = {std::move(token.after), true};
    settled.match = ListOptions::Match::Exact;
    settled.revision = token.revision;
  }
  Page page;
  {
    MutexLock lock(mutex_);
    BERTH_ASSIGN_OR_RETURN(page.revision, ChooseRevision(settled));
    versions_.Pin(page.revision);
  }
  Visit(options.selection, page.revision, std::move(walk), [&](const RecordPtr& object) {
    if (options.limit > 0 && page.objects.size() == options.limit) {
      page.continue_token = EncodeContinueToken({page.revision, page.objects.back()->key});
      return false;
    }
    page.objects.push_back(object);
    return true;
  });
  Unpin(page.revision);
  return page;
}

void Hub::Visit(const Selection& selection, Revision revision, ObjectTable::Walk walk, const Keep& keep) {
  std::vector<std::string> kinds = selection.kinds;
  std::ranges::sort(kinds);
  bool wanted = true;
  bool finished = false;
  while (wanted && !finished) {
    MutexLock lock(mutex_);
    finished =
        versions_.table().Scan(kinds, selection.namespace_, kKeysPerLock, walk, [&](const ObjectTable::Entry& entry) {
          const RecordPtr& object = entry.second.At(revision);
          if (object == nullptr || !selection.Matches(*object)) return true;
          wanted = keep(object);
          return wanted;
        });
  }
}

std::optional<Hub::Snapshot> Hub::TakeSnapshot(const Selection& selection) {
  Snapshot snapshot;
  {
    MutexLock lock(mutex_);
    if (closed_) return std::nullopt;
    snapshot.revision = versions_.head();
    versions_.Pin(snapshot.revision);
  }
  Visit(selection, snapshot.revision, {}, [&](const RecordPtr& object) {
    snapshot.objects.push_back(object);
    return true;
  });
  Unpin(snapshot.revision);
  return snapshot;
}

void Hub::Unpin(Revision revision) {
  Versions::Dropped dropped;  // outlives the lock
  MutexLock lock(mutex_);
  dropped = versions_.Unpin(revision);
}

}  // namespace berth::store
