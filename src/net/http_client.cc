// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include "net/connection.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth::net {

class HttpClient::Impl final : public std::enable_shared_from_this<Impl>, public ConnectionOwner {
 public:
  Impl(Loop& loop, Endpoint endpoint, HttpClientOptions options)
      : loop_(loop), endpoint_(std::move(endpoint)), options_(options) {}

  ExchangeId Send(Request request, std::shared_ptr<ResponseHandler> handler, const SendLimits& limits);
  void Cancel(ExchangeId id);
  void Close();
  // Like Close, but nobody hears of it.
  void Drop();
  Stats stats() const { return {connections_, waiting_.size(), under_way_}; }

 private:
  // A request and whom its response goes to. The session sees it as the handler.
  class Exchange final : public ResponseHandler {
   public:
    Exchange(Impl& client, ExchangeId id, Request request, std::shared_ptr<ResponseHandler> handler)
        : id_(id), request_(std::move(request)), client_(&client), handler_(std::move(handler)) {}

    ExchangeId id() const { return id_; }
    bool ended() const { return handler_ == nullptr; }
    Request TakeRequest() { return std::move(request_); }

    void TakeHead(const ResponseHead& head) override {
      if (const auto handler = handler_) handler->TakeHead(head);
    }
    void TakeBody(std::string_view piece) override {
      if (const auto handler = handler_) handler->TakeBody(piece);
    }
    void TakeEnd(ExchangeEnd end, const std::string& error) override {
      if (ended()) return;
      client_->Forget(*this);
      std::exchange(handler_, nullptr)->TakeEnd(end, error);
    }
    // Nothing is told any more.
    void Silence() { handler_ = nullptr; }

    Loop::TimerId timer = 0;
    std::function<bool()> may_send = {};
    Connection* connection = nullptr;  // which outlives it; null: it waits
    ClientSession::StreamId stream = 0;

   private:
    const ExchangeId id_;
    Request request_;
    Impl* client_;  // until it has ended
    std::shared_ptr<ResponseHandler> handler_;
  };

  void ConnectionMoved(Connection& connection) override;
  void ConnectionLost(Connection& connection, const std::string& why) override;

  void SchedulePump();
  void Pump();
  void LeaveCurrent();
  void StartWaiting();
  void EndWaiting(const std::string& why);
  void TimeOut(ExchangeId id, Duration timeout);
  void Forget(const Exchange& exchange);
  std::vector<std::shared_ptr<Connection>> TakeConnections();
  void UseAnother();

  Loop& loop_;
  const Endpoint endpoint_;
  const HttpClientOptions options_;
  std::unordered_map<ExchangeId, std::shared_ptr<Exchange>> exchanges_;  // all that have not ended
  std::map<ExchangeId, std::shared_ptr<Exchange>> waiting_;              // for a stream, in order
  size_t under_way_ = 0;
  std::shared_ptr<Connection> current_;                // requests are started on it; null: none
  bool current_used_ = false;                          // a request has been
  std::vector<std::shared_ptr<Connection>> draining_;  // the server leaves them
  std::vector<std::shared_ptr<Connection>> beside_;    // of one request each, busy or not
  ExchangeId next_exchange_ = 1;
  uint64_t connections_ = 0;
  bool pump_scheduled_ = false;
  bool closed_ = false;
};

HttpClient::ExchangeId HttpClient::Impl::Send(Request request, std::shared_ptr<ResponseHandler> handler,
                                              const SendLimits& limits) {
  const ExchangeId id = next_exchange_++;
  auto exchange = std::make_shared<Exchange>(*this, id, std::move(request), std::move(handler));
  if (limits.timeout.has_value()) {
    exchange->timer = loop_.After(*limits.timeout, [this, id, limit = *limits.timeout] { TimeOut(id, limit); });
  }
  exchange->may_send = limits.may_send;
  waiting_.emplace(id, exchange);
  exchanges_.emplace(id, std::move(exchange));
  SchedulePump();
  return id;
}

void HttpClient::Impl::Cancel(ExchangeId id) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const std::shared_ptr<Exchange> exchange = found->second;
  exchange->Silence();
  if (exchange->connection != nullptr) {
    exchange->connection->session().Cancel(exchange->stream);
    SchedulePump();
  }
  Forget(*exchange);
}

void HttpClient::Impl::TimeOut(ExchangeId id, Duration timeout) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const std::shared_ptr<Exchange> exchange = found->second;
  const std::string why = fmt::format("{}: timed out after {}", HostAndPort(endpoint_.host, endpoint_.port),
                                      std::chrono::duration_cast<std::chrono::milliseconds>(timeout));
  if (exchange->connection == nullptr) return exchange->TakeEnd(ExchangeEnd::NotSent, why);
  SchedulePump();  // the stream is free, and the server is to know
  const auto connection = exchange->connection->shared_from_this();
  connection->session().End(exchange->stream, why);
}

void HttpClient::Impl::Close() {
  const auto self = shared_from_this();
  closed_ = true;
  const std::string why = "the client is closed";
  for (const auto& connection : TakeConnections()) {
    connection->Close();
    connection->EndExchanges(why);
  }
  EndWaiting(why);
}

void HttpClient::Impl::Drop() {
  closed_ = true;
  for (const auto& [id, exchange] : std::exchange(exchanges_, {})) {
    exchange->Silence();
    loop_.Cancel(exchange->timer);
  }
  waiting_.clear();
  under_way_ = 0;
  for (const auto& connection : TakeConnections()) connection->Close();
}

std::vector<std::shared_ptr<Connection>> HttpClient::Impl::TakeConnections() {
  std::vector<std::shared_ptr<Connection>> connections = std::exchange(draining_, {});
  for (auto& each : std::exchange(beside_, {})) connections.push_back(std::move(each));
  if (current_ != nullptr) connections.push_back(std::exchange(current_, nullptr));
  return connections;
}

void HttpClient::Impl::Forget(const Exchange& exchange) {
  loop_.Cancel(exchange.timer);
  if (exchange.connection != nullptr) --under_way_;
  const ExchangeId id = exchange.id();
  waiting_.erase(id);
  exchanges_.erase(id);
}

void HttpClient::Impl::ConnectionMoved(Connection& /*connection*/) {
  const auto self = shared_from_this();
  Pump();
}

void HttpClient::Impl::ConnectionLost(Connection& connection, const std::string& why) {
  const auto self = shared_from_this();
  if (&connection != current_.get()) {
    const auto is_this = [&](const auto& each) { return each.get() == &connection; };
    std::erase_if(draining_, is_this);
    if (std::erase_if(beside_, is_this) > 0) SchedulePump();
    return;
  }
  const bool used = current_used_;
  current_ = nullptr;
  // A server with which nothing could be begun is not tried again at once.
  if (!used) return EndWaiting(why);
  SchedulePump();
}

// Requests of one turn of the loop go out together.
void HttpClient::Impl::SchedulePump() {
  if (std::exchange(pump_scheduled_, true)) return;
  loop_.Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->pump_scheduled_ = false;
      self->Pump();
    }
  });
}

void HttpClient::Impl::Pump() {
  if (current_ != nullptr && current_->leaving()) LeaveCurrent();
  if (closed_) return EndWaiting("the client is closed");
  if (current_ != nullptr && current_->CanStart()) StartWaiting();
  if (current_ != nullptr && current_->is_taken() && !waiting_.empty()) {
    beside_.push_back(std::exchange(current_, nullptr));
  }
  if (current_ == nullptr && !waiting_.empty()) UseAnother();
  // What was cancelled or has timed out is told on any of them.
  auto connections = draining_;
  connections.insert(connections.end(), beside_.begin(), beside_.end());
  if (current_ != nullptr) connections.push_back(current_);
  for (const auto& connection : connections) connection->Flush();
}

// One that was put aside and is free again, or else a new one.
void HttpClient::Impl::UseAnother() {
  constexpr size_t kMostBeside = 100;
  const auto free = std::ranges::find_if(beside_, [](const auto& each) { return each->CanStart(); });
  if (free != beside_.end()) {
    current_ = std::move(*free);
    current_used_ = true;
    beside_.erase(free);
    return SchedulePump();
  }
  if (beside_.size() >= kMostBeside) return;
  current_ = std::make_shared<Connection>(loop_, endpoint_, options_, *this);
  current_used_ = false;
  ++connections_;
  current_->Open();
}

void HttpClient::Impl::LeaveCurrent() {
  const std::string why = current_->problem();
  draining_.push_back(std::exchange(current_, nullptr));
  if (!current_used_) EndWaiting(fmt::format("connect to {}: {}", HostAndPort(endpoint_.host, endpoint_.port), why));
}

void HttpClient::Impl::StartWaiting() {
  const std::shared_ptr<Connection> connection = current_;
  // A handler that hears of a failure may close everything.
  while (connection == current_ && !waiting_.empty() && connection->CanStart()) {
    const std::shared_ptr<Exchange> exchange = waiting_.extract(waiting_.begin()).mapped();
    if (exchange->may_send && !exchange->may_send()) {
      exchange->TakeEnd(ExchangeEnd::NotSent, "too late to be sent");
      continue;
    }
    const auto stream = connection->Start(exchange->TakeRequest(), exchange, exchange->may_send);
    if (!stream) {
      exchange->TakeEnd(ExchangeEnd::NotSent, stream.error().message);
      continue;
    }
    exchange->stream = *stream;
    exchange->connection = connection.get();
    current_used_ = true;
    ++under_way_;
  }
}

void HttpClient::Impl::EndWaiting(const std::string& why) {
  const auto self = shared_from_this();
  for (const auto& [id, exchange] : std::exchange(waiting_, {})) exchange->TakeEnd(ExchangeEnd::NotSent, why);
}

HttpClient::HttpClient(Loop& loop, Endpoint endpoint, HttpClientOptions options)
    : impl_(std::make_shared<Impl>(loop, std::move(endpoint), options)) {}
HttpClient::~HttpClient() { impl_->Drop(); }

HttpClient::ExchangeId HttpClient::Send(Request request, std::shared_ptr<ResponseHandler> handler,
                                        const SendLimits& limits) {
  return impl_->Send(std::move(request), std::move(handler), limits);
}
void HttpClient::Cancel(ExchangeId exchange) { impl_->Cancel(exchange); }
void HttpClient::Close() { impl_->Close(); }
HttpClient::Stats HttpClient::stats() const { return impl_->stats(); }

}  // namespace berth::net
