// SPDX-License-Identifier: Apache-2.0
#include "net/test_server_connection.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace berth::net {
namespace {

nghttp2_nv ServerHeader(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string Bytes(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

std::string CommonName(SSL* ssl) {
  X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return {};
  std::array<char, 100> name = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(), name.size());
  return name.data();
}

}  // namespace

class TestServerConnection::Callbacks {
 public:
  static nghttp2_session* MakeSession(TestServerConnection& self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, BeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, Header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Close);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, &self);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }

  static ssize_t ReadBody(nghttp2_session* /*session*/, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source* /*source*/, void* user) {
    ServerStream& stream = *Self(user).streams_.at(id);
    const size_t count = std::min(size, stream.body_.size() - stream.sent_);
    if (count == 0 && !stream.finished_) return NGHTTP2_ERR_DEFERRED;
    std::copy_n(stream.body_.data() + stream.sent_, count, buffer);
    stream.sent_ += count;
    if (stream.finished_ && stream.sent_ == stream.body_.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

 private:
  static TestServerConnection& Self(void* user) { return *static_cast<TestServerConnection*>(user); }

  static int BeginHeaders(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    auto stream = std::make_shared<ServerStream>(Self(user).weak_from_this(), frame->hd.stream_id);
    Self(user).streams_.emplace(frame->hd.stream_id, std::move(stream));
    return 0;
  }
  static int Header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t /*flags*/, void* user) {
    Request& request = Self(user).streams_.at(frame->hd.stream_id)->request;
    const std::string key = Bytes(name, name_size);
    const std::string text = Bytes(value, value_size);
    if (key == ":method")
      request.method = text;
    else if (key == ":path")
      request.path = text;
    else
      request.headers.emplace_back(key, text);
    return 0;
  }
  static int Data(nghttp2_session* /*session*/, uint8_t /*flags*/, int32_t id, const uint8_t* data, size_t size,
                  void* user) {
    Self(user).streams_.at(id)->request.body += Bytes(data, size);
    return 0;
  }
  static int Frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    const bool of_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (of_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) Self(user).RequestEnded(frame->hd.stream_id);
    return 0;
  }
  static int Close(nghttp2_session* /*session*/, int32_t id, uint32_t /*code*/, void* user) {
    Self(user).streams_.erase(id);
    return 0;
  }
};

TestServerConnection::TestServerConnection(int descriptor, ssl_ctx_st* tls, uint32_t max_streams,
                                           std::optional<uint64_t> goaway_after, ServerHandler handler)
    : descriptor_(descriptor), goaway_after_(goaway_after), handler_(std::move(handler)) {
  if (tls != nullptr) {
    ssl_ = SSL_new(tls);
    SSL_set_fd(ssl_, descriptor);
    SSL_set_accept_state(ssl_);
  }
  session_ = Callbacks::MakeSession(*this);
  const nghttp2_settings_entry setting = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &setting, 1);
  if (goaway_after_ == 0u) GoAway(0);
}

TestServerConnection::~TestServerConnection() {
  nghttp2_session_del(session_);
  SSL_free(ssl_);
  close(descriptor_);
}

bool TestServerConnection::Step() {
  if (!Handshake()) return false;
  if (ssl_ != nullptr && !shaken_) return true;
  if (!ReadAll() || !WriteAll()) return false;
  return nghttp2_session_want_read(session_) != 0 || nghttp2_session_want_write(session_) != 0 || WantsToWrite();
}

bool TestServerConnection::Handshake() {
  if (ssl_ == nullptr || shaken_) return true;
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_);
  if (done != 1) return SSL_get_error(ssl_, done) == SSL_ERROR_WANT_READ;
  shaken_ = true;
  client_name_ = CommonName(ssl_);
  return true;
}

bool TestServerConnection::ReadAll() {
  std::array<char, 16 << 10> buffer;
  while (true) {
    ERR_clear_error();
    const auto count = ssl_ != nullptr ? SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()))
                                       : static_cast<int>(recv(descriptor_, buffer.data(), buffer.size(), 0));
    if (count <= 0) {
      return ssl_ != nullptr ? SSL_get_error(ssl_, count) == SSL_ERROR_WANT_READ : count < 0 && errno == EAGAIN;
    }
    const auto taken =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(buffer.data()), static_cast<size_t>(count));
    if (taken < 0) return false;
  }
}

bool TestServerConnection::WriteAll() {
  while (true) {
    while (outgoing_.size() < 64 << 10) {
      const uint8_t* data = nullptr;
      const ssize_t count = nghttp2_session_mem_send(session_, &data);
      if (count < 0) return false;
      if (count == 0) break;
      outgoing_ += Bytes(data, static_cast<size_t>(count));
    }
    if (outgoing_.empty()) return true;
    ERR_clear_error();
    const auto count = ssl_ != nullptr
                           ? SSL_write(ssl_, outgoing_.data(), static_cast<int>(outgoing_.size()))
                           : static_cast<int>(send(descriptor_, outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL));
    if (count <= 0) {
      return ssl_ != nullptr ? SSL_get_error(ssl_, count) == SSL_ERROR_WANT_WRITE : count < 0 && errno == EAGAIN;
    }
    outgoing_.erase(0, static_cast<size_t>(count));
  }
}

void TestServerConnection::RequestEnded(int32_t id) {
  if (id > last_answered_) return;  // it was told that nothing happens with it
  const std::shared_ptr<ServerStream> stream = streams_.at(id);
  stream->client_name = client_name_;
  ++requests_;
  if (requests_ == goaway_after_) GoAway(id);
  handler_(stream);
}

void TestServerConnection::GoAway(int32_t last) {
  last_answered_ = last;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
}

void TestServerConnection::SubmitHead(ServerStream& stream, int status, const Headers& headers, bool body) {
  const std::string name = ":status";
  const std::string code = std::to_string(status);
  std::vector<nghttp2_nv> all = {ServerHeader(name, code)};
  for (const auto& [key, value] : headers) all.push_back(ServerHeader(key, value));
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::ReadBody;
  nghttp2_submit_response(session_, stream.id(), all.data(), all.size(), body ? &provider : nullptr);
}

void ServerStream::Respond(int status, std::string body, const Headers& headers) {
  const bool has_body = !body.empty();
  body_ = std::move(body);
  finished_ = true;
  if (const auto connection = connection_.lock()) connection->SubmitHead(*this, status, headers, has_body);
}

void ServerStream::Begin(int status, const Headers& headers) {
  if (const auto connection = connection_.lock()) connection->SubmitHead(*this, status, headers, true);
}

void ServerStream::Write(const std::string& piece) {
  body_ += piece;
  if (const auto connection = connection_.lock()) nghttp2_session_resume_data(connection->session_, id_);
}

void ServerStream::Finish() {
  finished_ = true;
  if (const auto connection = connection_.lock()) nghttp2_session_resume_data(connection->session_, id_);
}

void ServerStream::Reset(uint32_t code) {
  if (const auto connection = connection_.lock()) {
    nghttp2_submit_rst_stream(connection->session_, NGHTTP2_FLAG_NONE, id_, code);
  }
}

void ServerStream::GoAway(int32_t last) {
  if (const auto connection = connection_.lock()) connection->GoAway(last);
}

}  // namespace berth::net
