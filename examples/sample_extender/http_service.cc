// SPDX-License-Identifier: Apache-2.0
#include "http_service.h"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

namespace sample_extender {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using Problem = boost::system::error_code;

// Whole nodes of a large cluster.
constexpr uint64_t kMaxQuestion = uint64_t{256} << 20U;
constexpr std::chrono::minutes kIdle(5);

using Answer = http::response<http::string_body>;

// One connection: reads a request, answers it, and so on.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const Verbs& verbs) : stream_(std::move(socket)), verbs_(verbs) {
    Problem ignored;
    stream_.socket().set_option(tcp::no_delay(true), ignored);
  }

  void Read() {
    parser_.emplace();
    parser_->body_limit(kMaxQuestion);
    stream_.expires_after(kIdle);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](const Problem& problem, size_t /*count*/) {
      if (problem) return;  // the scheduler has gone, or makes no sense
      self->Write(self->AnswerTo(self->parser_->get()));
    });
  }

 private:
  Answer AnswerTo(const http::request<http::string_body>& request) const {
    Answer answer(http::status::ok, request.version());
    answer.keep_alive(request.keep_alive());
    const auto refuse = [&](http::status status, const char* why) {
      answer.result(status);
      answer.set(http::field::content_type, "text/plain");
      answer.body() = why;
    };
    const Verb verb = verbs_({request.target().data(), request.target().size()});
    if (!verb) {
      refuse(http::status::not_found, "there is no such verb\n");
    } else if (request.method() != http::verb::post) {
      refuse(http::status::method_not_allowed, "verbs are asked by POST\n");
    } else if (std::optional<std::string> body = verb(request.body())) {
      answer.set(http::field::content_type, "application/json");
      answer.body() = *std::move(body);
    } else {
      refuse(http::status::bad_request, "the body is no ExtenderArgs\n");
    }
    answer.prepare_payload();
    return answer;
  }

  void Write(Answer answer) {
    answer_ = std::move(answer);
    http::async_write(stream_, answer_, [self = shared_from_this()](const Problem& problem, size_t /*count*/) {
      if (problem || !self->answer_.keep_alive()) return;
      self->Read();
    });
  }

  boost::beast::tcp_stream stream_;
  const Verbs& verbs_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Answer answer_;
};

}  // namespace

class HttpService::Impl {
 public:
  explicit Impl(Verbs verbs) : verbs_(std::move(verbs)), acceptor_(context_), signals_(context_, SIGINT, SIGTERM) {}

  std::optional<uint16_t> Listen(const std::string& address, uint16_t port, std::string& problem) {
    Problem failed;
    const auto parsed = boost::asio::ip::make_address(address, failed);
    const tcp::endpoint endpoint(parsed, port);
    if (!failed) acceptor_.open(endpoint.protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor_.bind(endpoint, failed);
    if (!failed) acceptor_.listen(tcp::acceptor::max_listen_connections, failed);
    problem = failed ? failed.message() : std::string();
    if (failed) return std::nullopt;
    return acceptor_.local_endpoint(failed).port();
  }

  void Run() {
    // As the first process of a container it would not hear them otherwise.
    signals_.async_wait([this](const Problem& /*problem*/, int /*signal*/) { context_.stop(); });
    Accept();
    context_.run();
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](const Problem& problem, tcp::socket socket) {
      if (!problem) std::make_shared<Session>(std::move(socket), verbs_)->Read();
      Accept();
    });
  }

  const Verbs verbs_;
  boost::asio::io_context context_{1};
  tcp::acceptor acceptor_;
  boost::asio::signal_set signals_;
};

HttpService::HttpService(Verbs verbs) : impl_(std::make_unique<Impl>(std::move(verbs))) {}
HttpService::~HttpService() = default;

std::optional<uint16_t> HttpService::Listen(const std::string& address, uint16_t port, std::string& problem) {
  return impl_->Listen(address, port, problem);
}
void HttpService::Run() { impl_->Run(); }

}  // namespace sample_extender
