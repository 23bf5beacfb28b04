// SPDX-License-Identifier: Apache-2.0
#include "net/http1_server_session.h"

#include "net/request_target.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth::net {

namespace http = boost::beast::http;

std::string HttpDate() { return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr))); }

namespace {

// "Content-Type" for "content-type": nobody must care, but all servers write it so.
std::string AsWritten(std::string_view name) {
  std::string written(name);
  bool first = true;
  for (char& c : written) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == '-';
  }
  return written;
}

}  // namespace

class Http1ServerSession::Parser {
 public:
  explicit Parser(const ServerSessionLimits& limits) {
    parser_.header_limit(static_cast<uint32_t>(limits.max_header_bytes));
    parser_.body_limit(limits.max_body_bytes);
  }

  // Takes what it can from the front.
  boost::system::error_code Put(std::string& bytes) {
    const bool had_header = parser_.is_header_done();
    const boost::system::error_code problem = PutSome(bytes);
    if (problem || had_header || !parser_.is_header_done()) return problem;
    // The library adds trailers to these later. Whoever checked the headers, as a front proxy does, has not seen them.
    for (const auto& field : parser_.get()) {
      const auto name = field.name_string();
      headers_.emplace_back(LowerCase({name.data(), name.size()}),
                            std::string(field.value().data(), field.value().size()));
    }
    parser_.eager(true);
    return bytes.empty() || done() ? problem : PutSome(bytes);
  }
  Headers TakeHeaders() { return std::move(headers_); }
  bool done() const { return parser_.is_done(); }

  // Whether the client waits for our word before it sends the body; asked once.
  bool MustEncourage() {
    if (encouraged_ || !parser_.is_header_done() || done()) return false;
    encouraged_ = true;
    return boost::beast::iequals(parser_.get()[http::field::expect], "100-continue");
  }

  http::request<http::string_body>& request() { return parser_.get(); }

 private:
  // No further than the end of the header at first.
  boost::system::error_code PutSome(std::string& bytes) {
    boost::system::error_code problem;
    const size_t taken = parser_.put(boost::asio::buffer(bytes), problem);
    bytes.erase(0, taken);
    if (problem == http::error::need_more) problem = {};
    return problem;
  }

  http::request_parser<http::string_body> parser_;
  Headers headers_;
  bool encouraged_ = false;
};

Http1ServerSession::Http1ServerSession(ServerSessionLimits limits, ServerSessionEvents& events,
                                       std::function<std::string()> date)
    : limits_(limits), events_(events), date_(std::move(date)) {}
Http1ServerSession::~Http1ServerSession() = default;

Result<void> Http1ServerSession::Receive(std::string_view bytes) {
  if (ended_) return {};
  incoming_ += bytes;
  Parse();
  // Only a client that does not wait for its answers gets here.
  if (incoming_.size() > limits_.max_header_bytes + limits_.max_body_bytes) {
    return Error{ErrorCode::Invalid, "the client sends requests faster than it takes the responses"};
  }
  return {};
}

void Http1ServerSession::Parse() {
  if (answering_ || ended_ || incoming_.empty() || !outgoing_.empty()) return;
  if (parser_ == nullptr) parser_ = std::make_unique<Parser>(limits_);
  const boost::system::error_code problem = parser_->Put(incoming_);
  if (problem == http::error::header_limit) return Refuse(431, "");
  if (problem == http::error::body_limit) return Refuse(413, "");
  if (problem == http::error::bad_version) return Refuse(505, "");
  if (problem) return Refuse(400, "");
  if (parser_->MustEncourage()) outgoing_ += "HTTP/1.1 100 Continue\r\n\r\n";
  if (parser_->done()) TakeParsed();
}

void Http1ServerSession::TakeParsed() {
  auto& parsed = parser_->request();
  ServerRequest request;
  request.headers = parser_->TakeHeaders();
  const bool has_host = std::any_of(request.headers.begin(), request.headers.end(),
                                    [](const auto& header) { return header.first == "host"; });
  if (parsed.version() >= 11 && !has_host) return Refuse(400, ": missing required Host header");
  request.method = parsed.method_string();
  request.target = parsed.target();
  std::optional<RequestTarget> target = ParseTarget(request.target);
  if (!target.has_value()) return Refuse(400, "");
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.body = std::move(parsed.body());
  keep_alive_ = parsed.keep_alive();
  old_client_ = parsed.version() < 11;
  only_head_ = request.method == "HEAD";
  parser_.reset();
  answering_ = true;
  events_.TakeRequest(++stream_, std::move(request));
}

// What cannot be understood is answered at once, and nothing after it can be: where it ends is unknown.
void Http1ServerSession::Refuse(int status, std::string_view detail) {
  parser_.reset();
  incoming_.clear();
  ended_ = true;
  outgoing_ +=
      fmt::format("HTTP/1.1 {0} {1}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n{0} {1}{2}",
                  status, StatusText(status), detail);
}

void Http1ServerSession::Respond(StreamId stream, ServerResponse response) {
  if (!answering_ || stream != stream_) return;
  answering_ = false;
  bool close = !keep_alive_ || leaving_;
  outgoing_ += fmt::format("HTTP/1.1 {} {}\r\n", response.status, StatusText(response.status));
  for (const auto& [name, value] : response.headers) {
    if (name == "connection") {
      close = close || value == "close";
    } else {
      outgoing_ += fmt::format("{}: {}\r\n", AsWritten(name), value);
    }
  }
  outgoing_ += fmt::format("Date: {}\r\n", date_());
  if (response.status >= 200 && response.status != 204 && response.status != 304) {
    outgoing_ += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  if (close) {
    outgoing_ += "Connection: close\r\n";
  } else if (old_client_) {
    outgoing_ += "Connection: keep-alive\r\n";
  }
  outgoing_ += "\r\n";
  if (!only_head_) outgoing_ += response.body;
  ended_ = ended_ || close;
}

Result<void> Http1ServerSession::Produce(std::string& out, size_t limit) {
  if (out.size() >= limit || outgoing_.empty()) return {};
  const size_t count = std::min(limit - out.size(), outgoing_.size() - produced_);
  out.append(outgoing_, produced_, count);
  produced_ += count;
  response_bytes_ += count;
  if (produced_ < outgoing_.size()) return {};
  outgoing_.clear();
  produced_ = 0;
  Parse();
  return {};
}

void Http1ServerSession::Leave() {
  leaving_ = true;
  if (!answering_) ended_ = true;
}

ServerSession::State Http1ServerSession::state() const {
  if (answering_) return State::Answering;
  if (!outgoing_.empty()) return State::Sending;
  return parser_ != nullptr || !incoming_.empty() ? State::Receiving : State::Idle;
}

}  // namespace berth::net
