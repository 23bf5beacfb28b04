// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/clock.h"
#include "home/command.h"
#include "home/home.h"
#include "kube/client/api_client.h"
#include "kube/home/event_series.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::kube {

// Carries the scheduler's commands out at an API server. Each is tried once; the completion says whether it was done,
// surely not, or perhaps. What the system has not been given of a command when its terms end is not sent. Both clients
// run on one loop, on which everything here is called.
class KubeCommands {
 public:
  // The object as the feeds last told it. Any thread.
  using FindTold = std::function<std::optional<api::Object>(const store::Key&)>;

  // Everything lent outlives this. Events have a client of their own, as they have a rate limit of their own upstream.
  KubeCommands(ApiClient& writes, ApiClient& events, const Clock& clock, std::string host, FindTold find);

  // To be called before anything else; the listener outlives the commands.
  void Open(home::HomeListener& listener) { listener_ = &listener; }
  void Carry(home::Submission submission);
  // Everything but bindings ends as NotDone from now on. `idle` is called when nothing is under way any more.
  void Finish(std::function<void()> idle);
  // Writes the counts of event series that are due, a few at a time, and again those that could not be written. Does
  // nothing while it is still at it. To be called about once a minute.
  void WriteSeries();
  size_t under_way() const { return under_way_; }

 private:
  using Shared = std::shared_ptr<home::Submission>;

  void Bind(const Shared& submission);
  void SettleConflict(const Shared& submission, const std::string& why);
  home::PatchPodStatus AsTold(home::PatchPodStatus patch) const;
  void PatchStatus(const Shared& submission, const home::PatchPodStatus& patch);
  void Evict(const Shared& submission);
  void Delete(const Shared& submission);
  void Patch(const Shared& submission);
  void LookUp(const Shared& submission);
  void Record(const Shared& submission);
  void Count(const Shared& submission, const EventWrite& write);
  void SeriesAnswered(const home::EventNote& note, const ApiResponse& response);
  // Sends unless the submission's terms have ended by then.
  void Send(const Shared& submission, ApiClient& client, ApiRequest request, ApiClient::Done done);
  void Answer(const home::Submission& submission, home::Outcome outcome, std::string error = {},
              std::string answer = {}, std::optional<Duration> retry_after = {});
  void AnswerFailure(const home::Submission& submission, const ApiResponse& response);
  void AnswerStatusFailure(const home::Submission& submission, const ApiResponse& response);
  void Flush();

  ApiClient& writes_;
  ApiClient& events_;
  const Clock& clock_;
  home::HomeListener* listener_ = nullptr;  // set by Open
  const FindTold find_told_;
  EventSeries series_;
  std::vector<home::Completion> completions_;  // of this turn of the loop
  bool flush_posted_ = false;
  size_t under_way_ = 0;
  size_t counts_under_way_ = 0;  // of series, which are no submissions
  bool finishing_ = false;
  std::function<void()> idle_;
};

}  // namespace berth::kube
