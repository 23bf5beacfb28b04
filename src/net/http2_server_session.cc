// SPDX-License-Identifier: Apache-2.0
#include "net/http2_server_session.h"

#include "base/check.h"
#include "net/http1_server_session.h"
#include "net/request_target.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

namespace berth::net {
namespace {

// The library wants bytes that may be written to; it copies them and writes nothing.
nghttp2_nv ResponseHeader(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view ReceivedBytes(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace

class Http2ServerSession::Callbacks {
 public:
  static nghttp2_session* MakeSession(Http2ServerSession& self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    BERTH_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, Header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, FrameReceived);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, StreamClosed);
    nghttp2_session* session = nullptr;
    BERTH_CHECK(nghttp2_session_server_new(&session, callbacks, &self) == 0);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }

  static ssize_t ReadBody(nghttp2_session* /*session*/, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source* /*source*/, void* user) {
    Stream* stream = Self(user).Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t count = std::min(size, stream->body.size() - stream->sent);
    std::copy_n(stream->body.data() + stream->sent, count, buffer);
    stream->sent += count;
    Self(user).response_bytes_ += count;
    if (stream->sent == stream->body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

 private:
  static Http2ServerSession& Self(void* user) { return *static_cast<Http2ServerSession*>(user); }

  static int BeginHeaders(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) Self(user).streams_.try_emplace(frame->hd.stream_id);
    return 0;
  }

  static int Header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t /*flags*/, void* user) {
    Http2ServerSession& self = Self(user);
    Stream* stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // trailers are passed over
    if (stream->refusal != 0) return 0;
    // As HPACK counts it. What is sent may be a single byte.
    const size_t bytes = name_size + value_size + 32;
    if (stream->held + bytes > self.limits_.max_header_bytes) {
      self.Refuse(*stream, 431);
      return 0;
    }
    if (!self.Hold(frame->hd.stream_id, *stream, bytes)) return 0;
    const std::string_view key = ReceivedBytes(name, name_size);
    const std::string_view text = ReceivedBytes(value, value_size);
    ServerRequest& request = stream->request;
    if (key == ":method") {
      request.method = text;
    } else if (key == ":path") {
      request.target = text;
    } else if (key == ":authority") {
      request.headers.emplace_back("host", text);
    } else if (!key.starts_with(':')) {
      request.headers.emplace_back(key, text);
    }
    return 0;
  }

  static int Data(nghttp2_session* /*session*/, uint8_t /*flags*/, int32_t id, const uint8_t* data, size_t size,
                  void* user) {
    Http2ServerSession& self = Self(user);
    Stream* stream = self.Find(id);
    if (stream == nullptr || stream->refusal != 0) return 0;
    std::string& body = stream->request.body;
    if (body.size() + size > self.limits_.max_body_bytes) {
      // Whoever sends that much would also ignore an answer.
      self.Reset(id, NGHTTP2_ENHANCE_YOUR_CALM);
    } else if (self.Hold(id, *stream, size)) {
      body += ReceivedBytes(data, size);
    }
    return 0;
  }

  static int FrameReceived(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    const bool of_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (of_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) Self(user).RequestEnded(frame->hd.stream_id);
    return 0;
  }

  static int StreamClosed(nghttp2_session* /*session*/, int32_t id, uint32_t /*code*/, void* user) {
    Self(user).Forget(id);
    return 0;
  }
};

Http2ServerSession::Http2ServerSession(ServerSessionLimits limits, ServerSessionEvents& events)
    : limits_(limits), events_(events), session_(Callbacks::MakeSession(*this)) {
  const auto header_limit = static_cast<uint32_t>(std::min<size_t>(limits_.max_header_bytes, UINT32_MAX));
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits_.max_streams},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, header_limit}}};
  BERTH_CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0);
}

Http2ServerSession::~Http2ServerSession() { nghttp2_session_del(session_); }

Http2ServerSession::Stream* Http2ServerSession::Find(StreamId stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

// Whether the connection may make us remember that much more. If not, the stream is gone.
bool Http2ServerSession::Hold(StreamId id, Stream& stream, size_t bytes) {
  if (held_ + bytes > limits_.max_unanswered_bytes) {
    Reset(id, NGHTTP2_REFUSED_STREAM);
    return false;
  }
  held_ += bytes;
  stream.held += bytes;
  return true;
}

// Answers with this status when the rest of the request has come, of which nothing is kept.
void Http2ServerSession::Refuse(Stream& stream, int status) {
  stream.refusal = status;
  stream.request = {};
  held_ -= std::exchange(stream.held, 0);
}

void Http2ServerSession::Reset(StreamId id, uint32_t code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
  Forget(id);
}

void Http2ServerSession::Forget(StreamId id) {
  const auto stream = streams_.extract(id);
  if (!stream.empty()) held_ -= stream.mapped().held;
}

void Http2ServerSession::RequestEnded(StreamId id) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->received) return;
  if (unanswered_.size() >= limits_.max_streams) return Reset(id, NGHTTP2_REFUSED_STREAM);
  stream->received = true;
  ++requests_;
  std::optional<RequestTarget> target = ParseTarget(stream->request.target);
  if (!target.has_value() && stream->refusal == 0) Refuse(*stream, 400);
  if (stream->refusal != 0) {
    const std::string text = fmt::format("{} {}", stream->refusal, StatusText(stream->refusal));
    return Respond(id, {stream->refusal, {{"content-type", "text/plain; charset=utf-8"}}, text});
  }
  stream->only_head = stream->request.method == "HEAD";
  ServerRequest request = std::move(stream->request);
  request.http_major = 2;
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  unanswered_.emplace(id, std::exchange(stream->held, 0));
  events_.TakeRequest(id, std::move(request));
}

Result<void> Http2ServerSession::Receive(std::string_view bytes) {
  const ssize_t count =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (count >= 0) return {};
  return Error{ErrorCode::Invalid, fmt::format("HTTP/2: {}", nghttp2_strerror(static_cast<int>(count)))};
}

void Http2ServerSession::Respond(StreamId id, ServerResponse response) {
  if (const auto asked = unanswered_.extract(id); !asked.empty()) held_ -= asked.mapped();
  // Whoever has reset the stream does not escape that.
  const std::pair<std::string, std::string> last = {"connection", "close"};
  if (std::find(response.headers.begin(), response.headers.end(), last) != response.headers.end()) Leave();
  Stream* stream = Find(id);
  if (stream == nullptr || !stream->received || stream->answered) return;
  stream->answered = true;
  const std::string status = std::to_string(response.status);
  const std::string length = std::to_string(response.body.size());
  const std::string date = HttpDate();
  std::vector<nghttp2_nv> headers = {ResponseHeader(":status", status)};
  for (const auto& [name, value] : response.headers) {
    if (name != "connection") headers.push_back(ResponseHeader(name, value));  // is said in another way here
  }
  headers.push_back(ResponseHeader("date", date));
  headers.push_back(ResponseHeader("content-length", length));
  stream->body = std::move(response.body);
  const bool has_body = !stream->body.empty() && !stream->only_head;
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::ReadBody;
  // Fails only when the stream has just been closed, or memory is out.
  nghttp2_submit_response(session_, id, headers.data(), headers.size(), has_body ? &provider : nullptr);
}

Result<void> Http2ServerSession::Produce(std::string& out, size_t limit) {
  while (out.size() < limit) {
    const uint8_t* data = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_, &data);
    if (count < 0) return Error{ErrorCode::Invalid, nghttp2_strerror(static_cast<int>(count))};
    if (count == 0) break;
    out.append(ReceivedBytes(data, static_cast<size_t>(count)));
  }
  return {};
}

// The client hears the number of the last request that is answered; the others it may send elsewhere.
void Http2ServerSession::Leave() {
  if (std::exchange(leaving_, true)) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
}

bool Http2ServerSession::over() const {
  if (nghttp2_session_want_write(session_) != 0) return false;
  return nghttp2_session_want_read(session_) == 0 || (leaving_ && streams_.empty());
}

ServerSession::State Http2ServerSession::state() const {
  State state = streams_.empty() ? State::Idle : State::Receiving;
  for (const auto& [id, stream] : streams_) {
    // Before all others: a client that takes nothing must not hide behind another request that is being answered.
    if (stream.answered) return State::Sending;
    if (stream.received) state = State::Answering;
  }
  return state;
}

}  // namespace berth::net
