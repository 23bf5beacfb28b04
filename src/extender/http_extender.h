// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"
#include "extender/call_channel.h"
#include "extender/extender_url.h"
#include "framework/extender.h"
#include "kube/access/surroundings.h"
#include "net/loop.h"

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::extender {

// An extender as a configuration names it, asked as kube-scheduler v1.36 asks: a POST of JSON for every question. Any
// thread may ask; questions and answers are written and read on the loop, where answers are told, too.
class HttpExtender final : public framework::Extender {
 public:
  // The loop outlives this. An error says which file or option of the configuration cannot be used; a URL that cannot
  // is told whenever the extender is asked, as upstream does.
  static Result<std::unique_ptr<HttpExtender>> Make(net::Loop& loop, const config::Extender& config,
                                                    const CallLimits& limits, const kube::Surroundings& surroundings);

  std::string_view name() const override { return config_.url_prefix; }
  bool is_ignorable() const override { return config_.ignorable; }
  bool filters() const override { return !config_.filter_verb.empty(); }
  bool prioritizes() const override { return !config_.prioritize_verb.empty(); }
  bool preempts() const override { return !config_.preempt_verb.empty(); }
  bool binds() const override { return !config_.bind_verb.empty(); }
  int64_t weight() const override { return config_.weight; }
  bool IsInterested(const api::PodSpec& spec) const override;

  // The extender fails when it names a node as passed that it was not asked about.
  void Filter(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
              std::function<void(FilterAnswer)> answered) override;
  void Prioritize(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
                  std::function<void(PrioritizeAnswer)> answered) override;
  void Preempt(const api::PodPtr& pod, std::vector<Candidate> candidates,
               std::function<void(PreemptAnswer)> answered) override;
  void Bind(const api::PodPtr& pod, std::string_view node, std::function<void(BindAnswer)> answered) override;

  // Whatever is asked from now on is answered with an error at once. Any thread.
  void Refuse() { refuses_ = true; }
  // Answers what is not answered yet in the same way. On the loop.
  void Close();

 private:
  HttpExtender(net::Loop& loop, const config::Extender& config);

  bool Manages(const std::vector<api::Container>& containers) const;
  // `read` makes the answer of the response's body.
  template <typename Answer>
  void Ask(const std::string& verb, std::function<std::string()> question,
           std::function<Result<Answer>(std::string_view)> read, std::function<void(Answer)> answered);

  net::Loop& loop_;
  const config::Extender config_;
  std::set<std::string, std::less<>> managed_;
  std::unique_ptr<CallChannel> channel_;  // null: the URL cannot be used
  std::atomic<bool> refuses_ = false;
};

}  // namespace berth::extender
