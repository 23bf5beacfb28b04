// SPDX-License-Identifier: Apache-2.0
#include "net/http1_session.h"

#include "base/check.h"
#include "net/request_check.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

namespace berth::net {

namespace http = boost::beast::http;
using ParseError = boost::system::error_code;

// Takes one response apart as it comes, and hands it to the handler.
class Http1Session::Parser final : public http::basic_parser<false> {
 public:
  // What a handler does may end the exchange: then nothing more is told.
  Parser(std::shared_ptr<ResponseHandler> handler, size_t max_header_bytes) : handler_(std::move(handler)) {
    header_limit(static_cast<uint32_t>(max_header_bytes));
    body_limit(boost::none);  // a watch is as long as it lasts
    eager(true);
  }
  void Silence() { handler_ = nullptr; }
  // An interim response: another follows.
  bool is_interim() const { return head_.status < 200; }

 private:
  using Text = boost::beast::string_view;
  using ChunkText = boost::optional<uint64_t>;

  static std::string_view View(Text text) { return {text.data(), text.size()}; }

  void on_request_impl(http::verb /*verb*/, Text /*method*/, Text /*target*/, int /*version*/,
                       ParseError& /*failed*/) override {}
  void on_response_impl(int code, Text /*reason*/, int /*version*/, ParseError& /*failed*/) override {
    head_.status = code;
  }
  void on_field_impl(http::field /*known*/, Text name, Text value, ParseError& /*failed*/) override {
    if (!told_) head_.headers.emplace_back(LowerCase(View(name)), View(value));  // what comes later is a trailer
  }
  void on_header_impl(ParseError& /*failed*/) override {
    told_ = true;
    if (const auto handler = handler_; handler != nullptr && !is_interim()) handler->TakeHead(head_);
  }
  void on_body_init_impl(const boost::optional<uint64_t>& /*length*/, ParseError& /*failed*/) override {}
  size_t on_body_impl(Text body, ParseError& /*failed*/) override {
    if (const auto handler = handler_; handler != nullptr && !body.empty()) handler->TakeBody(View(body));
    return body.size();
  }
  void on_chunk_header_impl(uint64_t /*size*/, Text /*extensions*/, ParseError& /*failed*/) override {}
  size_t on_chunk_body_impl(uint64_t /*remaining*/, Text body, ParseError& failed) override {
    return on_body_impl(body, failed);
  }
  void on_finish_impl(ParseError& /*failed*/) override {}

  std::shared_ptr<ResponseHandler> handler_;
  ResponseHead head_;
  bool told_ = false;
};

Http1Session::Http1Session(Options options) : options_(std::move(options)) {}
Http1Session::~Http1Session() = default;

Result<ClientSession::StreamId> Http1Session::Start(Request request, std::shared_ptr<ResponseHandler> handler) {
  BERTH_CHECK(CanStart());
  BERTH_RETURN_IF_ERROR(CheckRequest(request));
  handler_ = std::move(handler);
  parser_ = std::make_unique<Parser>(handler_, options_.max_header_bytes);
  outgoing_ = fmt::format("{} {} HTTP/1.1\r\nhost: {}\r\n", request.method, request.path, options_.authority);
  for (const auto& [name, value] : request.headers) outgoing_ += fmt::format("{}: {}\r\n", name, value);
  const bool has_body = !request.body.empty() || (request.method != "GET" && request.method != "HEAD");
  if (has_body) outgoing_ += fmt::format("content-length: {}\r\n", request.body.size());
  outgoing_ += "\r\n";
  outgoing_ += request.body;
  produced_ = 0;
  return ++stream_;
}

void Http1Session::Finish(ExchangeEnd end, const std::string& error) {
  parser_ = nullptr;
  std::exchange(handler_, nullptr)->TakeEnd(end, error);
}

void Http1Session::Cancel(StreamId stream) {
  if (handler_ == nullptr || stream != stream_) return;
  parser_->Silence();
  handler_ = nullptr;
  ended_ = true;
}

void Http1Session::End(StreamId stream, const std::string& why) {
  if (handler_ == nullptr || stream != stream_) return;
  parser_->Silence();
  ended_ = true;
  std::exchange(handler_, nullptr)->TakeEnd(produced_ == 0 ? ExchangeEnd::NotSent : ExchangeEnd::Unknown, why);
}

void Http1Session::Lose(const std::string& why) {
  ended_ = true;
  End(stream_, why);
}

void Http1Session::EndOfInput() {
  ended_ = true;
  if (handler_ == nullptr || !parser_->got_some() || !parser_->need_eof()) return;
  ParseError failed;
  parser_->put_eof(failed);
  if (!failed) Finish(ExchangeEnd::Complete, {});
}

Result<void> Http1Session::Fail(std::string why) {
  ended_ = true;
  problem_ = std::move(why);
  return Error{ErrorCode::Unavailable, "HTTP/1.1: " + problem_};
}

Result<void> Http1Session::Receive(std::string_view bytes) {
  incoming_ += bytes;
  while (!incoming_.empty() && !over()) {
    if (handler_ == nullptr) return Fail("the server sends what nobody asked for");
    // A handler may end the exchange, but the parser stays until this returns or the response is whole.
    const auto parser = parser_.get();
    ParseError failed;
    const size_t taken = parser->put(boost::asio::buffer(incoming_), failed);
    incoming_.erase(0, taken);
    if (handler_ == nullptr) return {};
    if (failed == http::error::need_more) return {};
    if (failed == http::error::header_limit) {
      return Fail(fmt::format("the header of the response is larger than {} bytes", options_.max_header_bytes));
    }
    if (failed) return Fail("the response breaks the protocol: " + failed.message());
    if (!parser->is_done()) {
      if (taken == 0) return {};
      continue;
    }
    if (parser->is_interim()) {
      parser_ = std::make_unique<Parser>(handler_, options_.max_header_bytes);
      continue;
    }
    // A server may answer before it has read the whole request: the rest is not sent.
    ended_ = ended_ || !parser->keep_alive() || produced_ < outgoing_.size();
    Finish(ExchangeEnd::Complete, {});
  }
  return {};
}

Result<void> Http1Session::Produce(std::string& out, size_t limit) {
  if (handler_ == nullptr || out.size() >= limit) return {};
  const size_t count = std::min(limit - out.size(), outgoing_.size() - produced_);
  out.append(outgoing_, produced_, count);
  produced_ += count;
  return {};
}

}  // namespace berth::net
