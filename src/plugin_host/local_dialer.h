// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin_host/session.h"
#include "remote/channel.h"

#include <memory>
#include <utility>

namespace berth::plugin_host {

// Opens sessions with a plugin of this process. Every message is written and read as if it went to another one, and
// each session has a thread of its own.
class LocalDialer final : public remote::Dialer {
 public:
  explicit LocalDialer(OpenSession open) : open_(std::move(open)) {}
  std::unique_ptr<remote::Channel> Dial(remote::ChannelListener& listener) override;

 private:
  const OpenSession open_;
};

}  // namespace berth::plugin_host
