// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "framework/binding_work.h"
#include "framework/pod_info.h"
#include "remote/wire.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::remote {

class PluginCalls;

// PreBind or Bind of one pod by a remote plugin: wakes become calls, one at a time, and what an answer asks for is
// passed on. Engine thread only.
class RemoteBindingRun {
 public:
  enum class Step : uint8_t { PreBind, Bind };

  // `pod` is the one that is being bound.
  RemoteBindingRun(PluginCalls& calls, Step step, uint64_t cycle, const framework::PodInfo& pod, std::string_view node)
      : calls_(calls), step_(step), cycle_(cycle), pod_(pod), node_(node) {}

  // `bind` is null in PreBind. An error means that a call has failed.
  Result<framework::BindingProgress> Wake(const framework::Wake& wake, framework::BindingWork& work,
                                          framework::BindWork* bind);

 private:
  // What the plugin is still to be told, in order.
  struct News {
    wire::BindingCall::Reason reason = wire::BindingCall::START;
    uint32_t work = 0;
    std::string error;
    std::string result;
  };

  // Says whether the wake was for us.
  bool Note(const framework::Wake& wake);
  Result<void> AskNext(framework::BindingWork& work);
  Result<void> Take(const framework::Wake& wake, framework::BindingWork& work, framework::BindWork* bind);
  void NoteChangesSinceAsked();

  PluginCalls& calls_;
  const Step step_;
  const uint64_t cycle_;
  const framework::PodInfo pod_;
  const std::string node_;

  std::deque<News> news_;
  std::optional<framework::WorkTicket> call_;  // under way
  uint64_t call_id_ = 0;
  std::map<std::string, uint64_t> versions_;  // of the kinds that the plugin knows, when it was asked
  api::NodePtr node_object_;                  // likewise
  std::map<framework::WorkTicket, uint32_t> works_;
  uint32_t last_work_ = 0;
  std::optional<framework::WorkTicket> wake_;  // for when the plugin goes on by itself
  std::shared_ptr<void> awaits_wake_;
  framework::BindingProgress progress_ = framework::BindingProgress::Wait();
};

}  // namespace berth::remote
