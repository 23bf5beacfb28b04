// SPDX-License-Identifier: Apache-2.0
#include "kube/home/after_watch.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {

static void PrintTo(NextStep step, std::ostream* out) {
  constexpr const char* kNames[] = {"GoOn", "RetryLater", "ListSoon", "ListLater", "ListInPages", "ListInPagesAlways"};
  *out << kNames[static_cast<size_t>(step)];
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Case {
  std::string what;
  WatchEnd end;
  NextStep next;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& each : cases) EXPECT_EQ(AfterWatch(each.end), each.next) << each.what;
}

const ApiError kNone;
const ApiError kCut = {0, "", "the connection was lost"};
const ApiError kExpired = {410, "Expired", "too old resource version: 1 (2)"};
const ApiError kAhead = {504, "Timeout", "Too large resource version: 3, current: 2"};
const ApiError kBusy = {429, "TooManyRequests", "too many requests"};
const ApiError kFailed = {500, "InternalError", "no such bucket"};
const ApiError kForbidden = {403, "Forbidden", "no"};

ApiError Status(int status) { return {status, "", "no"}; }

TEST(AfterWatchTest, OfAWatchThatGoesOnFromAVersion) {
  Check({
      {"the server ends it, as it does after some minutes", {.error = kNone, .told = true}, NextStep::GoOn},
      {"it told nothing, but lasted", {.error = kNone, .served = kServed}, NextStep::GoOn},
      {"it was ended at once", {.error = kNone, .served = kServed - milliseconds(1)}, NextStep::RetryLater},
      {"the network cut it", {.error = kCut, .told = true}, NextStep::GoOn},
      {"the network cut it after long silence", {.error = kCut, .served = seconds(60)}, NextStep::GoOn},
      {"there is no server", {.error = kCut}, NextStep::RetryLater},
      {"its version is forgotten", {.error = kExpired}, NextStep::ListSoon},
      {"by that reason", {.error = {0, "Gone", "gone"}}, NextStep::ListSoon},
      {"after long service", {.error = kExpired, .told = true, .served = seconds(300)}, NextStep::ListSoon},
      {"its version is not reached yet", {.error = kAhead, .failures_there = 1}, NextStep::ListSoon},
      {"the server is busy, and the request waited for long",
       {.error = kBusy, .retry_after = seconds(1)},
       NextStep::RetryLater},
      {"it does not say for how long", {.error = kBusy}, NextStep::RetryLater},
      {"it became busy", {.error = kBusy, .told = true, .served = seconds(60)}, NextStep::RetryLater},
      {"it asks for patience",
       {.error = Status(503), .retry_after = seconds(7), .served = seconds(60)},
       NextStep::RetryLater},
      {"it refuses", {.error = kForbidden}, NextStep::RetryLater},
      {"it does not serve that any more", {.error = Status(404)}, NextStep::RetryLater},
      {"it fails", {.error = kFailed, .failures_there = 1}, NextStep::RetryLater},
      {"it fails at once, though it told something",
       {.error = kFailed, .told = true, .failures_there = 1},
       NextStep::RetryLater},
      {"it fails after long service", {.error = kFailed, .served = seconds(60), .failures_there = 1}, NextStep::GoOn},
      {"it fails once more", {.error = kFailed, .failures_there = 4}, NextStep::RetryLater},
      {"it fails at that version again and again", {.error = kFailed, .failures_there = 5}, NextStep::ListLater},
      {"however long that takes", {.error = kFailed, .served = seconds(60), .failures_there = 5}, NextStep::ListLater},
  });
}

TEST(AfterWatchTest, OfAWatchThatWasToBeginWithAList) {
  Check({
      {"it cannot begin with a list: 400", {.listing = true, .error = Status(400)}, NextStep::ListInPagesAlways},
      {"406", {.listing = true, .error = Status(406)}, NextStep::ListInPagesAlways},
      {"422", {.listing = true, .error = Status(422)}, NextStep::ListInPagesAlways},
      {"we may not watch, for now", {.listing = true, .error = kForbidden}, NextStep::ListInPages},
      {"it fails", {.listing = true, .error = kFailed, .failures_there = 1}, NextStep::ListInPages},
      {"again and again", {.listing = true, .error = kFailed, .failures_there = 9}, NextStep::ListInPages},
      {"after a while",
       {.listing = true, .error = kFailed, .told = true, .served = seconds(60)},
       NextStep::ListInPages},
      {"its cache does not catch up", {.listing = true, .error = kAhead}, NextStep::ListInPages},
      {"its version is forgotten", {.listing = true, .error = kExpired}, NextStep::ListSoon},
      {"it is busy", {.listing = true, .error = kBusy}, NextStep::RetryLater},
      {"it asks for patience", {.listing = true, .error = kAhead, .retry_after = seconds(1)}, NextStep::RetryLater},
      {"there is no server", {.listing = true, .error = kCut}, NextStep::RetryLater},
      {"the network cut it",
       {.listing = true, .error = kCut, .told = true, .served = seconds(60)},
       NextStep::RetryLater},
      {"the server ended it", {.listing = true, .error = kNone, .told = true}, NextStep::RetryLater},
  });
}

}  // namespace
}  // namespace berth::kube
