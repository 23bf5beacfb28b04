// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_session.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

namespace berth::net {
namespace {

constexpr const char* kNotHttp2 = "the other side does not speak HTTP/2";

// The library wants bytes that may be written to; it copies them and writes nothing.
nghttp2_nv GrpcHeader(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view GrpcBytes(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace

class GrpcSession::Callbacks {
 public:
  static nghttp2_session* MakeSession(GrpcSession& self, Side side) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    nghttp2_session* session = nullptr;
    BERTH_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, Header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, FrameReceived);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, FrameSent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, StreamClosed);
    nghttp2_session_callbacks_set_error_callback2(callbacks, LibraryError);
    nghttp2_option_set_no_auto_window_update(option, 1);
    const auto make = side == Side::Client ? nghttp2_session_client_new2 : nghttp2_session_server_new2;
    BERTH_CHECK(make(&session, callbacks, &self, option) == 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }

  // Hands out what is outgoing.
  static ssize_t ReadOutgoing(nghttp2_session* /*session*/, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                              nghttp2_data_source* /*source*/, void* user) {
    GrpcSession& self = Self(user);
    Stream* stream = self.Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // the library resets it
    size_t filled = 0;
    while (filled < size && !stream->outgoing.empty()) {
      const std::string& first = stream->outgoing.front();
      const size_t count = std::min(size - filled, first.size() - stream->sent_of_first);
      std::copy_n(first.data() + stream->sent_of_first, count, buffer + filled);
      filled += count;
      stream->sent_of_first += count;
      if (stream->sent_of_first < first.size()) break;
      stream->outgoing.pop_front();
      stream->sent_of_first = 0;
    }
    stream->unsent -= filled;
    if (stream->outgoing.empty() && stream->end.has_value()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (self.side_ == Side::Server) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        self.SubmitTrailers(id, *stream->end);
      }
    } else if (filled == 0) {
      stream->waits_for_output = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(filled);
  }

 private:
  static GrpcSession& Self(void* user) { return *static_cast<GrpcSession*>(user); }

  static int BeginHeaders(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    GrpcSession& self = Self(user);
    const bool is_request = frame->headers.cat == NGHTTP2_HCAT_REQUEST;
    if (self.side_ == Side::Server && is_request) {
      self.streams_.try_emplace(frame->hd.stream_id, Stream{GrpcMessageReader(self.limits_.max_message_bytes)});
    }
    return 0;
  }

  static int Header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t /*flags*/, void* user) {
    GrpcSession& self = Self(user);
    Stream* stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr || stream->told_end) return 0;
    stream->head.Read(GrpcBytes(name, name_size), GrpcBytes(value, value_size));
    if (stream->head.bytes() > self.limits_.max_header_bytes) {
      self.Abort(frame->hd.stream_id, {GrpcCode::ResourceExhausted, fmt::format("the header is larger than {} bytes",
                                                                                self.limits_.max_header_bytes)});
    }
    return 0;
  }

  // The connection's window is given back at once, so that a stream that waits delays no other.
  static int Data(nghttp2_session* session, uint8_t /*flags*/, int32_t id, const uint8_t* data, size_t size,
                  void* user) {
    GrpcSession& self = Self(user);
    BERTH_CHECK(nghttp2_session_consume_connection(session, size) == 0);
    if (Stream* stream = self.Find(id)) self.DataReceived(id, *stream, GrpcBytes(data, size));
    return 0;
  }

  static int FrameReceived(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    GrpcSession& self = Self(user);
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_SETTINGS:
        if (!std::exchange(self.ready_, true)) self.events_.push_back({.kind = GrpcEvent::Kind::Ready});
        return 0;
      case NGHTTP2_GOAWAY: GoAway(self, frame->goaway); return 0;
      case NGHTTP2_HEADERS:
        if (Stream* stream = self.Find(frame->hd.stream_id)) self.HeadReceived(frame->hd.stream_id, *stream, is_last);
        break;
      case NGHTTP2_DATA: break;
      default: return 0;
    }
    if (!is_last) return 0;
    if (Stream* stream = self.Find(frame->hd.stream_id)) self.InputEnded(frame->hd.stream_id, *stream);
    return 0;
  }

  // A server that has answered waits for nothing that the client might still send.
  static int FrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (Self(user).side_ != Side::Server || !is_last) return 0;
    const int32_t id = frame->hd.stream_id;
    if (nghttp2_session_get_stream_remote_close(session, id) != 0) return 0;
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
    return 0;
  }

  static int StreamClosed(nghttp2_session* /*session*/, int32_t id, uint32_t code, void* user) {
    GrpcSession& self = Self(user);
    const Stream* stream = self.Find(id);
    if (stream == nullptr) return 0;
    if (self.side_ == Side::Server && stream->end.has_value()) {
      self.Finish(id, *stream->end);
    } else if (code == NGHTTP2_CANCEL) {
      self.Finish(id, {GrpcCode::Canceled, "the other side has canceled the stream"});
    } else {
      const std::string said = self.problem_.empty() ? "" : self.problem_ + "; ";
      self.Finish(id, {GrpcCode::Unavailable, said + "the stream was reset: " + nghttp2_http2_strerror(code)});
    }
    return 0;
  }

  static void GoAway(GrpcSession& self, const nghttp2_goaway& frame) {
    self.problem_ = "the other side leaves the connection (GOAWAY";
    if (frame.error_code != NGHTTP2_NO_ERROR) {
      self.problem_ += fmt::format(", {}", nghttp2_http2_strerror(frame.error_code));
    }
    if (frame.opaque_data_len > 0) {
      const size_t shown = std::min<size_t>(frame.opaque_data_len, 200);
      self.problem_ += fmt::format(": {}", GrpcBytes(frame.opaque_data, shown));
    }
    self.problem_ += ')';
  }

  static int LibraryError(nghttp2_session* /*session*/, int code, const char* text, size_t size, void* user) {
    Self(user).problem_ = code == NGHTTP2_ERR_SETTINGS_EXPECTED ? kNotHttp2 : std::string(text, size);
    return 0;
  }
};

GrpcSession::GrpcSession(Side side, const GrpcLimits& limits, std::string path)
    : side_(side), limits_(limits), path_(std::move(path)), session_(Callbacks::MakeSession(*this, side)) {
  const auto header_limit = static_cast<uint32_t>(std::min<size_t>(limits_.max_header_bytes, UINT32_MAX));
  const std::array<nghttp2_settings_entry, 3> settings = {
      {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits_.stream_window},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, header_limit},
       side == Side::Client ? nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}
                            : nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits_.max_streams}}};
  BERTH_CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0);
  BERTH_CHECK(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                                    static_cast<int32_t>(limits_.connection_window)) == 0);
}

GrpcSession::~GrpcSession() { nghttp2_session_del(session_); }

GrpcSession::Stream* GrpcSession::Find(StreamId stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

GrpcSession::StreamId GrpcSession::Open(const std::string& scheme, const std::string& authority) {
  const std::array<nghttp2_nv, 7> headers = {
      GrpcHeader(":method", "POST"),
      GrpcHeader(":scheme", scheme),
      GrpcHeader(":path", path_),
      GrpcHeader(":authority", authority),
      GrpcHeader("te", "trailers"),
      GrpcHeader("content-type", kGrpcContentType),
      GrpcHeader("user-agent", "grpc-berth"),
  };
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::ReadOutgoing;
  const StreamId id = nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &provider, nullptr);
  BERTH_CHECK(id > 0);
  streams_.emplace(id, Stream{GrpcMessageReader(limits_.max_message_bytes)});
  return id;
}

void GrpcSession::Accept(StreamId id) {
  Stream* stream = Find(id);
  if (stream == nullptr || std::exchange(stream->accepted, true)) return;
  const std::array<nghttp2_nv, 2> headers = {GrpcHeader(":status", "200"),
                                             GrpcHeader("content-type", kGrpcContentType)};
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::ReadOutgoing;
  // Fails only when the stream has just been closed, or memory is out.
  nghttp2_submit_response(session_, id, headers.data(), headers.size(), &provider);
}

void GrpcSession::Send(StreamId id, std::string message) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->end.has_value()) return;
  stream->unsent += kGrpcPrefixSize + message.size();
  if (stream->unsent > limits_.max_unsent_bytes) {
    return Reset(id, {GrpcCode::ResourceExhausted,
                      fmt::format("the other side takes nothing: {} bytes are waiting for it", stream->unsent)});
  }
  stream->outgoing.push_back(GrpcPrefix(message.size()));
  if (!message.empty()) stream->outgoing.push_back(std::move(message));
  Resume(id, *stream);
}

void GrpcSession::End(StreamId id, const GrpcStatus& status) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->end.has_value()) return;
  stream->end = status;
  if (side_ == Side::Server && !stream->accepted) return AnswerAtOnce(id, status);
  Resume(id, *stream);
}

void GrpcSession::Resume(StreamId id, Stream& stream) {
  if (std::exchange(stream.waits_for_output, false)) nghttp2_session_resume_data(session_, id);
}

void GrpcSession::Taken(StreamId id, size_t bytes) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  stream->untaken -= std::min(bytes, stream->untaken);
  if (stream->untaken > limits_.max_untaken_bytes || stream->withheld == 0) return;
  nghttp2_session_consume_stream(session_, id, std::exchange(stream->withheld, 0));
}

size_t GrpcSession::UnsentBytes(StreamId stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second.unsent;
}

void GrpcSession::Ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

void GrpcSession::Leave(const std::string& why) {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, reinterpret_cast<const uint8_t*>(why.data()), why.size());
}

void GrpcSession::Lose(const std::string& why) {
  std::vector<StreamId> open;
  open.reserve(streams_.size());
  for (const auto& [id, stream] : streams_) open.push_back(id);
  std::sort(open.begin(), open.end());
  for (const StreamId id : open) Finish(id, {GrpcCode::Unavailable, why});
}

Result<void> GrpcSession::Receive(std::string_view bytes) {
  const ssize_t count =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (count >= 0) return {};
  if (count == NGHTTP2_ERR_BAD_CLIENT_MAGIC) problem_ = kNotHttp2;
  if (!problem_.empty()) return InvalidError(problem_);
  return InvalidError(fmt::format("HTTP/2: {}", nghttp2_strerror(static_cast<int>(count))));
}

Result<void> GrpcSession::Produce(std::string& out, size_t limit) {
  while (out.size() < limit) {
    const uint8_t* data = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_, &data);
    if (count < 0) return InvalidError(nghttp2_strerror(static_cast<int>(count)));
    if (count == 0) break;
    out.append(GrpcBytes(data, static_cast<size_t>(count)));
  }
  return {};
}

std::vector<GrpcEvent> GrpcSession::TakeEvents() { return std::exchange(events_, {}); }

bool GrpcSession::over() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

void GrpcSession::HeadReceived(StreamId id, Stream& stream, bool is_last) {
  if (stream.told_end) return;
  if (side_ == Side::Server) {
    if (!stream.head.has_request() || stream.accepted) return;  // trailers
    return RequestReceived(id, stream);
  }
  // What is last has a status: InputEnded reads it.
  if (!is_last && !stream.accepted) ResponseReceived(id, stream);
}

void GrpcSession::RequestReceived(StreamId id, const Stream& stream) {
  if (refusal_.code != GrpcCode::Ok) return End(id, refusal_);
  if (const char* http_status = stream.head.HttpRefusal()) return RefuseHttp(id, http_status);
  const GrpcStatus refusal = stream.head.Refusal(path_);
  if (refusal.code != GrpcCode::Ok) return End(id, refusal);
  events_.push_back({.kind = GrpcEvent::Kind::Opened, .stream = id});
}

void GrpcSession::ResponseReceived(StreamId id, Stream& stream) {
  if (stream.head.is_interim()) return stream.head.Clear();
  const GrpcStatus problem = stream.head.Problem();
  if (problem.code != GrpcCode::Ok) return Abort(id, problem);
  stream.accepted = true;
}

void GrpcSession::DataReceived(StreamId id, Stream& stream, std::string_view bytes) {
  if (stream.told_end) return;
  std::vector<std::string> messages;
  const GrpcStatus status = stream.reader.Take(bytes, messages);
  for (std::string& message : messages) {
    stream.untaken += message.size();
    events_.push_back({.kind = GrpcEvent::Kind::Received, .stream = id, .message = std::move(message)});
  }
  if (status.code != GrpcCode::Ok) return Abort(id, status);
  stream.withheld += bytes.size();
  Taken(id, 0);
}

void GrpcSession::InputEnded(StreamId id, Stream& stream) {
  if (std::exchange(stream.input_ended, true) || stream.told_end) return;
  const bool is_cut = stream.reader.in_message();
  if (side_ == Side::Server) {
    if (is_cut) return Abort(id, {GrpcCode::Internal, "the stream ended within a message"});
    events_.push_back({.kind = GrpcEvent::Kind::InputEnded, .stream = id});
    return;
  }
  Abort(id, stream.head.End(is_cut));
}

void GrpcSession::RefuseHttp(StreamId id, const char* http_status) {
  const std::array<nghttp2_nv, 1> headers = {GrpcHeader(":status", http_status)};
  nghttp2_submit_response(session_, id, headers.data(), headers.size(), nullptr);
  streams_.erase(id);
}

// Without a message before it, the status comes in place of the header.
void GrpcSession::AnswerAtOnce(StreamId id, const GrpcStatus& status) {
  const std::string code = std::to_string(static_cast<int>(status.code));
  const std::string message = EncodeGrpcMessage(status.message);
  const std::array<nghttp2_nv, 4> headers = {GrpcHeader(":status", "200"), GrpcHeader("content-type", kGrpcContentType),
                                             GrpcHeader("grpc-status", code), GrpcHeader("grpc-message", message)};
  nghttp2_submit_response(session_, id, headers.data(), headers.size(), nullptr);
}

void GrpcSession::SubmitTrailers(StreamId id, const GrpcStatus& status) {
  const std::string code = std::to_string(static_cast<int>(status.code));
  const std::string message = EncodeGrpcMessage(status.message);
  const std::array<nghttp2_nv, 2> trailers = {GrpcHeader("grpc-status", code), GrpcHeader("grpc-message", message)};
  nghttp2_submit_trailer(session_, id, trailers.data(), trailers.size());
}

// Ends a stream on which nothing of the other side counts any more. A server says why.
void GrpcSession::Abort(StreamId id, const GrpcStatus& status) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->told_end) return;
  if (side_ == Side::Client) return Reset(id, status);
  stream->outgoing.clear();
  stream->sent_of_first = 0;
  stream->unsent = 0;
  End(id, status);
  stream->told_end = true;
  events_.push_back({.kind = GrpcEvent::Kind::Ended, .stream = id, .status = status});
}

void GrpcSession::Reset(StreamId id, const GrpcStatus& status) {
  if (nghttp2_session_get_stream_local_close(session_, id) != 1) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  Finish(id, status);
}

void GrpcSession::Finish(StreamId id, const GrpcStatus& status) {
  const auto ended = streams_.extract(id);
  if (ended.empty() || ended.mapped().told_end) return;
  events_.push_back({.kind = GrpcEvent::Kind::Ended, .stream = id, .status = status});
}

}  // namespace berth::net
