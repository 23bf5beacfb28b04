// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin/v1/plugin.pb.h>
#include <memory>
#include <string>

namespace berth::remote {

using plugin::v1::PluginMessage;
using plugin::v1::SchedulerMessage;

// Hears what comes from a plugin's process. On a thread of the transport; never inside a call of the channel.
class ChannelListener {
 public:
  virtual void Connected() = 0;
  virtual void Received(PluginMessage message) = 0;
  // The stream is over, or was never opened. Nothing comes after this.
  virtual void Lost(const std::string& why) = 0;

 protected:
  ~ChannelListener() = default;
};

// One session's stream of messages, whatever carries it: see proto/berth/plugin/v1/plugin.proto.
class Channel {
 public:
  // Closes the stream; the listener hears nothing more once this has returned. Not on the transport's thread.
  virtual ~Channel() = default;
  // In the order of calls. Any thread; returns without waiting for the network. What cannot be sent any more is
  // dropped: the listener hears that the stream is lost.
  virtual void Send(const SchedulerMessage& message) = 0;
};

// Opens streams to one plugin.
class Dialer {
 public:
  virtual ~Dialer() = default;
  // The listener outlives the channel.
  virtual std::unique_ptr<Channel> Dial(ChannelListener& listener) = 0;
};

}  // namespace berth::remote
