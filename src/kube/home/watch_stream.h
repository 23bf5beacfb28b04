// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"
#include "kube/client/api_client.h"
#include "kube/proto/frame_splitter.h"
#include "net/http.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// One event of a watch.
struct WatchedEvent {
  enum class Type : uint8_t {
    Set,
    Deleted,
    Bookmark,    // everything up to the version has been told
    InitialEnd,  // the same, and that was all there is: of a watch that begins with a list
  };
  Type type = Type::Set;
  std::string namespace_ = {};
  std::string name = {};
  std::string uid = {};
  std::string resource_version = {};
  // Of Set: the object's message, or its document where JSON is spoken; both only until the listener returns.
  std::string_view message = {};
  const api::Value* document = nullptr;
};

// The event of an object, with what names it read from its message or document.
Result<WatchedEvent> IdentityOf(std::string_view message, WatchedEvent::Type type);
WatchedEvent IdentityOf(const api::Value& document, WatchedEvent::Type type);

// Hears what a watch says, on the loop. May cancel the watch meanwhile.
class WatchListener {
 public:
  // The server has accepted it: what comes now are events.
  virtual void WatchBegan() = 0;
  virtual void WatchTold(const WatchedEvent& event) = 0;
  // All events that came together have been told: a good moment to hand them on.
  virtual void WatchPaused() = 0;
  // The watch is over. Without an error the server ended it, as it does after some minutes; `status` is HTTP's, or that
  // of an error event. What cannot be read is an internal error, as at client-go.
  virtual void WatchEnded(const ApiError& error, std::optional<Duration> retry_after) = 0;

 protected:
  ~WatchListener() = default;
};

// Takes the response of a watch apart: protobuf frames or lines of JSON, by its content type. On the loop.
class WatchStream final : public net::ResponseHandler {
 public:
  // The listener outlives this, or it is silenced before.
  explicit WatchStream(WatchListener& listener) : listener_(&listener) {}
  // Nothing is told any more.
  void Silence() { listener_ = nullptr; }

  void TakeHead(const net::ResponseHead& head) override;
  void TakeBody(std::string_view piece) override;
  void TakeEnd(net::ExchangeEnd end, const std::string& error) override;

 private:
  Result<void> TakeFrame(std::string_view frame);
  Result<void> TakeLine(std::string_view line);
  void Fail(ApiError error);

  WatchListener* listener_;  // null: nothing is told any more
  ApiResponse response_;     // the head, and the body of a refusal
  bool in_protobuf_ = false;
  proto::FrameSplitter frames_;
  std::string line_;  // not whole yet
  bool failed_ = false;
};

}  // namespace berth::kube
