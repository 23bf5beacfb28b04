// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "net/grpc_head.h"
#include "net/grpc_message.h"
#include "net/grpc_status.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

struct nghttp2_session;

namespace berth::net {

struct GrpcLimits {
  size_t max_message_bytes = size_t{64} << 20U;
  // Messages of one stream that the other side has not taken: beyond this the stream ends.
  size_t max_unsent_bytes = size_t{512} << 20U;
  // Messages of one stream that this side has not taken: beyond this the other side has to wait.
  size_t max_untaken_bytes = size_t{8} << 20U;
  uint32_t stream_window = uint32_t{4} << 20U;
  uint32_t connection_window = uint32_t{16} << 20U;
  uint32_t max_streams = 100;  // of one connection, at a server
  size_t max_header_bytes = size_t{16} << 10U;
  // From the connection on, for everything until HTTP/2's settings have come.
  Duration greeting_timeout = std::chrono::seconds(10);
  // Servers end connections of clients that ask more often than every five minutes.
  Duration ping_after = std::chrono::seconds(330);
  Duration ping_timeout = std::chrono::seconds(20);
};

// What has happened on a connection.
struct GrpcEvent {
  enum class Kind : uint8_t {
    Ready,       // the other side speaks HTTP/2
    Opened,      // at a server: somebody calls
    Received,    // a message
    InputEnded,  // the other side will send nothing more
    Ended,       // nothing follows on this stream
  };
  Kind kind = Kind::Ready;
  int32_t stream = 0;
  std::string message = {};
  GrpcStatus status = {};  // with Ended
};

// gRPC at either end of one HTTP/2 connection, without socket, clock or thread: bytes from the other side in, bytes for
// it and events out. Streams carry messages both ways until one side ends them. One thread.
class GrpcSession {
 public:
  using StreamId = int32_t;
  enum class Side : uint8_t { Client, Server };
  // `path` is the one method there is: "/package.Service/Method".
  GrpcSession(Side side, const GrpcLimits& limits, std::string path);
  ~GrpcSession();
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;

  // At a client.
  StreamId Open(const std::string& scheme, const std::string& authority);
  // At a server: tells the client that its call is served.
  void Accept(StreamId stream);

  // Streams that have ended are ignored by all of these.
  void Send(StreamId stream, std::string message);
  // Ends it when what was sent before has gone: a client says that it will send nothing more, a server answers.
  void End(StreamId stream, const GrpcStatus& status);
  // So many bytes of messages are done with: the other side may send more.
  void Taken(StreamId stream, size_t bytes);
  size_t UnsentBytes(StreamId stream) const;

  // The other side is to show that it is there.
  void Ping();
  // At a server: every call is answered in this way.
  void Refuse(GrpcStatus status) { refusal_ = std::move(status); }
  // The other side hears why the connection ends.
  void Leave(const std::string& why);
  // The connection is lost: all streams end.
  void Lose(const std::string& why);

  // The error says why the connection cannot go on; Produce has what the other side is told of it.
  Result<void> Receive(std::string_view bytes);
  // Appends to `out`, until there is nothing more or it has about `limit` bytes.
  Result<void> Produce(std::string& out, size_t limit);
  // Events since the last call, in order.
  std::vector<GrpcEvent> TakeEvents();
  bool has_events() const { return !events_.empty(); }

  bool ready() const { return ready_; }
  size_t open_streams() const { return streams_.size(); }
  // Nothing can happen on the connection any more.
  bool over() const;
  // What the other side or the protocol said about the connection's end; empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  class Callbacks;  // what the library calls
  struct Stream {
    GrpcMessageReader reader;
    std::deque<std::string> outgoing = {};  // messages, each after its prefix
    size_t sent_of_first = 0;
    size_t unsent = 0;
    bool waits_for_output = false;       // the library is to be told when there is some
    std::optional<GrpcStatus> end = {};  // when what is outgoing has gone
    bool accepted = false;               // by us at a server, by the server at a client
    bool input_ended = false;
    bool told_end = false;  // of a stream that we broke off: only its status is still to be sent
    size_t untaken = 0;
    size_t withheld = 0;  // bytes that came, of which the other side is not told yet
    GrpcHead head = {};   // what the other side says
  };
  Stream* Find(StreamId stream);
  void HeadReceived(StreamId id, Stream& stream, bool is_last);
  void RequestReceived(StreamId id, const Stream& stream);
  void ResponseReceived(StreamId id, Stream& stream);
  void DataReceived(StreamId id, Stream& stream, std::string_view bytes);
  void InputEnded(StreamId id, Stream& stream);
  void RefuseHttp(StreamId id, const char* http_status);
  void AnswerAtOnce(StreamId id, const GrpcStatus& status);
  void SubmitTrailers(StreamId id, const GrpcStatus& status);
  void Resume(StreamId id, Stream& stream);
  void Abort(StreamId id, const GrpcStatus& status);
  void Reset(StreamId id, const GrpcStatus& status);
  void Finish(StreamId id, const GrpcStatus& status);

  const Side side_;
  const GrpcLimits limits_;
  const std::string path_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<StreamId, Stream> streams_;
  std::vector<GrpcEvent> events_;
  bool ready_ = false;
  GrpcStatus refusal_;  // unless Ok
  std::string problem_;
};

}  // namespace berth::net
