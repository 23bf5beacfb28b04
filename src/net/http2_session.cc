// SPDX-License-Identifier: Apache-2.0
#include "net/http2_session.h"

#include "net/request_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

namespace berth::net {
namespace {

// The library wants bytes that may be written to; it copies them and writes nothing.
nghttp2_nv HeaderView(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view BytesView(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

struct FreeSessionSetup {
  void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

}  // namespace

class Http2Session::Callbacks {
 public:
  static std::unique_ptr<nghttp2_session_callbacks, FreeSessionSetup> Make() {
    nghttp2_session_callbacks* callbacks = nullptr;
    BERTH_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, Header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, FrameReceived);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, StreamClosed);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, FrameSent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, FrameNotSent);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, InvalidFrame);
    nghttp2_session_callbacks_set_error_callback2(callbacks, LibraryError);
    return std::unique_ptr<nghttp2_session_callbacks, FreeSessionSetup>(callbacks);
  }

  // Hands out the body of a request.
  static ssize_t ReadBody(nghttp2_session* /*session*/, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source* /*source*/, void* user) {
    Stream* stream = Self(user).Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // cancelled: the library resets it
    const size_t count = std::min(size, stream->body.size() - stream->body_sent);
    std::copy_n(stream->body.data() + stream->body_sent, count, buffer);
    stream->body_sent += count;
    if (stream->body_sent == stream->body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

 private:
  static Http2Session& Self(void* user) { return *static_cast<Http2Session*>(user); }

  // Interim responses (1xx) are passed over; trailers do not change the head, which is told by then.
  static int BeginHeaders(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    Stream* stream = Self(user).Find(frame->hd.stream_id);
    if (stream != nullptr && !stream->head_told) stream->head = {};
    return 0;
  }

  static int Header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t /*flags*/, void* user) {
    Http2Session& self = Self(user);
    Stream* stream = self.Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->header_bytes += name_size + value_size + 32;
    if (stream->header_bytes > self.options_.max_header_bytes) {
      self.Finish(frame->hd.stream_id, ExchangeEnd::Unknown,
                  fmt::format("the header of the response is larger than {} bytes", self.options_.max_header_bytes));
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // the library resets the stream
    }
    if (stream->head_told) return 0;
    const std::string_view text = BytesView(value, value_size);
    if (BytesView(name, name_size) == ":status") {
      std::from_chars(text.data(), text.data() + text.size(), stream->head.status);
    } else {
      stream->head.headers.emplace_back(BytesView(name, name_size), text);
    }
    return 0;
  }

  static int Data(nghttp2_session* session, uint8_t /*flags*/, int32_t id, const uint8_t* data, size_t size,
                  void* user) {
    if (const Stream* stream = Self(user).Find(id)) {
      const std::shared_ptr<ResponseHandler> handler = stream->handler;  // it may cancel itself
      handler->TakeBody(BytesView(data, size));
    }
    // Only now may the server send more.
    return nghttp2_session_consume(session, id, size) == NGHTTP2_ERR_NOMEM ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
  }

  static int FrameReceived(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Session& self = Self(user);
    const int32_t id = frame->hd.stream_id;
    switch (frame->hd.type) {
      case NGHTTP2_SETTINGS: self.ready_ = true; return 0;
      case NGHTTP2_GOAWAY: return GoAway(self, frame->goaway);
      case NGHTTP2_HEADERS: HeadReceived(self, id); break;
      case NGHTTP2_DATA: break;
      default: return 0;
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0 || self.Find(id) == nullptr) return 0;
    self.Finish(id, ExchangeEnd::Complete, {});
    // A server may answer before it has read the whole request: the rest is not sent.
    if (nghttp2_session_get_stream_local_close(session, id) == 0) self.Reset(id);
    return 0;
  }

  static void HeadReceived(Http2Session& self, int32_t id) {
    Stream* stream = self.Find(id);
    if (stream == nullptr || stream->head_told || stream->head.status < 200) return;
    stream->head_told = true;
    const ResponseHead head = std::move(stream->head);
    const std::shared_ptr<ResponseHandler> handler = stream->handler;
    handler->TakeHead(head);
  }

  static int GoAway(Http2Session& self, const nghttp2_goaway& frame) {
    self.problem_ = "the server leaves the connection (GOAWAY";
    if (frame.error_code != NGHTTP2_NO_ERROR) {
      self.problem_ += fmt::format(", {}", nghttp2_http2_strerror(frame.error_code));
    }
    if (frame.opaque_data_len > 0) {
      self.problem_ += fmt::format(": {}", BytesView(frame.opaque_data, std::min<size_t>(frame.opaque_data_len, 200)));
    }
    self.problem_ += ')';
    return 0;
  }

  // A stream that ended as it should has been finished before. A server that refuses a stream, or leaves the connection
  // before it, has not acted on the request; one that began to answer has.
  static int StreamClosed(nghttp2_session* /*session*/, int32_t id, uint32_t code, void* user) {
    Http2Session& self = Self(user);
    const Stream* stream = self.Find(id);
    if (stream == nullptr) return 0;
    const bool refused = code == NGHTTP2_REFUSED_STREAM && !stream->head_told;
    std::string why = refused && !self.problem_.empty()
                          ? self.problem_
                          : fmt::format("the stream was reset: {}", nghttp2_http2_strerror(code));
    self.Finish(id, refused || !stream->handed_over ? ExchangeEnd::NotSent : ExchangeEnd::Unknown, why);
    return 0;
  }

  static int FrameSent(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (Stream* stream = Self(user).Find(frame->hd.stream_id)) stream->handed_over = true;
    return 0;
  }

  static int FrameNotSent(nghttp2_session* /*session*/, const nghttp2_frame* frame, int code, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    Http2Session& self = Self(user);
    const bool left = code == NGHTTP2_ERR_START_STREAM_NOT_ALLOWED && !self.problem_.empty();
    self.Finish(frame->hd.stream_id, ExchangeEnd::NotSent,
                left ? self.problem_ : fmt::format("the request cannot be sent: {}", nghttp2_strerror(code)));
    return 0;
  }

  static int InvalidFrame(nghttp2_session* /*session*/, const nghttp2_frame* frame, int code, void* user) {
    Http2Session& self = Self(user);
    if (frame->hd.stream_id == 0) {
      self.problem_ = fmt::format("the server breaks the protocol: {}", nghttp2_strerror(code));
    } else {
      self.Finish(frame->hd.stream_id, ExchangeEnd::Unknown,
                  fmt::format("the response breaks the protocol: {}", nghttp2_strerror(code)));
    }
    return 0;
  }

  static int LibraryError(nghttp2_session* /*session*/, int code, const char* text, size_t size, void* user) {
    Http2Session& self = Self(user);
    self.problem_ = code == NGHTTP2_ERR_SETTINGS_EXPECTED ? std::string("the server does not speak HTTP/2")
                                                          : std::string(text, size);
    return 0;
  }
};

Http2Session::Http2Session(Options options) : options_(std::move(options)) {
  const auto callbacks = Callbacks::Make();
  nghttp2_option* new_option = nullptr;
  BERTH_CHECK(nghttp2_option_new(&new_option) == 0);
  const std::unique_ptr<nghttp2_option, FreeSessionSetup> option(new_option);
  nghttp2_option_set_no_auto_window_update(option.get(), 1);
  BERTH_CHECK(nghttp2_session_client_new2(&session_, callbacks.get(), this, option.get()) == 0);
  const auto limit = static_cast<uint32_t>(std::min<size_t>(options_.max_header_bytes, UINT32_MAX));
  const std::array<nghttp2_settings_entry, 3> settings = {
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options_.stream_window},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limit}}};
  BERTH_CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0);
  BERTH_CHECK(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                                    static_cast<int32_t>(options_.connection_window)) == 0);
  if (options_.first_stream != 1) BERTH_CHECK(nghttp2_session_set_next_stream_id(session_, options_.first_stream) == 0);
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

bool Http2Session::leaving() const { return nghttp2_session_check_request_allowed(session_) == 0; }

bool Http2Session::CanStart() const {
  return ready_ && !leaving() &&
         streams_.size() < nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool Http2Session::HasOutput() const { return nghttp2_session_want_write(session_) != 0; }
bool Http2Session::over() const { return nghttp2_session_want_read(session_) == 0 && !HasOutput(); }

Http2Session::Stream* Http2Session::Find(StreamId stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http2Session::Finish(StreamId stream, ExchangeEnd end, const std::string& error) {
  const auto ended = streams_.extract(stream);
  if (!ended.empty()) ended.mapped().handler->TakeEnd(end, error);
}

void Http2Session::Reset(StreamId stream) {
  BERTH_CHECK(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL) == 0);
}

Result<Http2Session::StreamId> Http2Session::Start(Request request, std::shared_ptr<ResponseHandler> handler) {
  BERTH_RETURN_IF_ERROR(CheckRequest(request));
  const std::string length = std::to_string(request.body.size());
  std::vector<nghttp2_nv> headers;
  headers.reserve(request.headers.size() + 5);
  headers.push_back(HeaderView(":method", request.method));
  headers.push_back(HeaderView(":scheme", options_.scheme));
  headers.push_back(HeaderView(":authority", options_.authority));
  headers.push_back(HeaderView(":path", request.path));
  for (const auto& [name, value] : request.headers) headers.push_back(HeaderView(name, value));
  nghttp2_data_provider body = {};
  body.read_callback = Callbacks::ReadBody;
  const bool has_body = !request.body.empty();
  if (has_body) headers.push_back(HeaderView("content-length", length));
  const StreamId id =
      nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), has_body ? &body : nullptr, nullptr);
  if (id < 0) return Error{ErrorCode::Unavailable, nghttp2_strerror(id)};
  streams_.emplace(id, Stream{.handler = std::move(handler), .body = std::move(request.body)});
  return id;
}

void Http2Session::Cancel(StreamId stream) {
  const auto canceled = streams_.extract(stream);
  if (!canceled.empty()) Reset(stream);
}

void Http2Session::End(StreamId stream, const std::string& why) {
  const Stream* known = Find(stream);
  if (known == nullptr) return;
  Reset(stream);
  Finish(stream, known->handed_over ? ExchangeEnd::Unknown : ExchangeEnd::NotSent, why);
}

void Http2Session::Lose(const std::string& why) {
  std::vector<StreamId> ids;
  ids.reserve(streams_.size());
  for (const auto& [id, stream] : streams_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  for (const StreamId id : ids) {
    const Stream* stream = Find(id);  // an earlier one's end may have cancelled it
    if (stream != nullptr) Finish(id, stream->handed_over ? ExchangeEnd::Unknown : ExchangeEnd::NotSent, why);
  }
}

Result<void> Http2Session::Receive(std::string_view bytes) {
  const ssize_t count =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (count >= 0) return {};
  return Error{ErrorCode::Unavailable, fmt::format("HTTP/2: {}", nghttp2_strerror(static_cast<int>(count)))};
}

Result<void> Http2Session::Produce(std::string& out, size_t limit) {
  while (out.size() < limit) {
    const uint8_t* data = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_, &data);
    if (count < 0) return Error{ErrorCode::Unavailable, nghttp2_strerror(static_cast<int>(count))};
    if (count == 0) break;
    out.append(BytesView(data, static_cast<size_t>(count)));
  }
  return {};
}

bool Http2Session::HoldsBack() const {
  return std::ranges::any_of(streams_, [](const auto& each) {
    return !each.second.handed_over || each.second.body_sent < each.second.body.size();
  });
}

bool Http2Session::Ping() {
  BERTH_CHECK(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr) == 0);
  return true;
}

}  // namespace berth::net
