// SPDX-License-Identifier: Apache-2.0
#include "kube/home/after_watch.h"

#include <string>

namespace berth::kube {
namespace {

// The version is one that the server's cache, or a server restored from a backup, has not reached.
bool IsAheadOfServer(const ApiError& error) {
  return error.message.find("Too large resource version") != std::string::npos;
}

// A server that is busy may have let the request wait for long before it said so: that was no service.
bool AsksForPatience(const WatchEnd& end) { return end.error.status == 429 || end.retry_after.has_value(); }

// Not 403: who may not watch yet may be allowed to later.
bool CannotStreamLists(int status) { return status == 400 || status == 406 || status == 422; }

NextStep AfterList(const WatchEnd& end) {
  if (IsExpired(end.error)) return NextStep::ListSoon;
  // Without an answer, pages would fare no better.
  if (AsksForPatience(end) || end.error.status == 0) return NextStep::RetryLater;
  // Servers rely on being asked for a plain list whenever they cannot stream one, as where their storage cannot tell
  // how far it is, or their cache never catches up.
  return CannotStreamLists(end.error.status) ? NextStep::ListInPagesAlways : NextStep::ListInPages;
}

}  // namespace

bool IsExpired(const ApiError& error) {
  return error.status == 410 || error.reason == "Expired" || error.reason == "Gone";
}

NextStep AfterWatch(const WatchEnd& end) {
  if (end.listing) return AfterList(end);
  if (IsExpired(end.error) || IsAheadOfServer(end.error)) return NextStep::ListSoon;
  // What the server cannot send, or we cannot read, may be passed over by a list.
  if (end.failures_there >= kMostFailuresThere) return NextStep::ListLater;
  if (AsksForPatience(end)) return NextStep::RetryLater;
  // A watch that the network cut goes on at once; a server that refuses is left alone for a while.
  const bool has_served = end.served >= kServed || (end.error.status == 0 && end.told);
  return has_served ? NextStep::GoOn : NextStep::RetryLater;
}

}  // namespace berth::kube
