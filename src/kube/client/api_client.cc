// SPDX-License-Identifier: Apache-2.0
#include "kube/client/api_client.h"

#include "api/document.h"
#include "kube/proto/envelope.h"

#include <algorithm>
#include <charconv>
#include <future>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::kube {

namespace {

std::string TextAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

// The Status that the body holds, in JSON or protobuf; null when it holds none.
api::Value StatusIn(const ApiResponse& response) {
  if (response.head.Header("content-type").starts_with(proto::kContentType)) {
    Result<api::Value> status = proto::ReadObject(response.body);
    return status ? *std::move(status) : api::Value::Null();
  }
  if (!response.body.starts_with('{')) return api::Value::Null();
  Result<std::vector<api::Document>> documents = api::ReadDocuments(response.body, "status");
  return documents && documents->size() == 1 ? std::move(documents->front().root) : api::Value::Null();
}

// Hands the whole response to a call.
class Collector final : public net::ResponseHandler {
 public:
  Collector(size_t most, ApiClient::Done done) : most_(most), done_(std::move(done)) {}
  void TakeHead(const net::ResponseHead& head) override { response_.head = head; }
  void TakeBody(std::string_view piece) override {
    response_.too_large = response_.too_large || response_.body.size() + piece.size() > most_;
    if (!response_.too_large) response_.body += piece;
  }
  void TakeEnd(net::ExchangeEnd end, const std::string& error) override {
    response_.end = response_.too_large ? net::ExchangeEnd::Unknown : end;
    response_.error = response_.too_large ? "the answer is too large" : error;
    done_(response_);
  }

 private:
  const size_t most_;
  ApiResponse response_;
  ApiClient::Done done_;
};

}  // namespace

std::optional<Duration> ApiResponse::RetryAfter() const {
  const std::string_view text = head.Header("retry-after");
  int64_t seconds = 0;
  const auto [end_of_number, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || problem != std::errc() || end_of_number != text.data() + text.size() || seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::min<int64_t>(seconds, 3'600));
}

ApiError ErrorOf(const ApiResponse& response) {
  if (response.end != net::ExchangeEnd::Complete) return {0, "", response.error};
  ApiError error{response.head.status, "", ""};
  const api::Value status = StatusIn(response);
  if (status.is_map()) {
    error.reason = TextAt(status, "reason");
    error.message = TextAt(status, "message");
  }
  if (error.message.empty()) {
    constexpr size_t kShown = 200;
    error.message = fmt::format("the server answered {}{}{}", error.status, response.body.empty() ? "" : ": ",
                                response.body.substr(0, kShown));
  }
  return error;
}

Error ToError(const ApiResponse& response) {
  const ApiError error = ErrorOf(response);
  const auto code = [&] {
    switch (response.end) {
      case net::ExchangeEnd::NotSent: return ErrorCode::Unavailable;
      case net::ExchangeEnd::Unknown: return ErrorCode::Unknown;
      case net::ExchangeEnd::Canceled: return ErrorCode::Canceled;
      case net::ExchangeEnd::Complete: break;
    }
    switch (error.status) {
      case 404: return ErrorCode::NotFound;
      case 409: return error.reason == "AlreadyExists" ? ErrorCode::AlreadyExists : ErrorCode::Conflict;
      case 410: return ErrorCode::Expired;
      case 401:  // credentials are renewed
      case 429:
      case 503: return ErrorCode::Unavailable;
      case 500:
      case 502:
      case 504: return ErrorCode::Unknown;
      default: return ErrorCode::Invalid;
    }
  }();
  return {code, error.message};
}

// A request from the moment it is handed in until its end was told.
class ApiClient::Exchange final : public net::ResponseHandler {
 public:
  Exchange(ApiClient& client, StreamId id, ApiRequest request, std::shared_ptr<net::ResponseHandler> handler)
      : client_(client), id_(id), request_(std::move(request)), handler_(std::move(handler)) {}

  const ApiRequest& request() const { return request_; }
  const std::shared_ptr<net::ResponseHandler>& handler() const { return handler_; }
  int status() const { return status_; }

  void TakeHead(const net::ResponseHead& head) override {
    status_ = head.status;
    if (status_ == 401) client_.credentials_.Reject(generation);
    if (!request_.timeout) client_.Tell(*this);
    handler_->TakeHead(head);
  }
  void TakeBody(std::string_view piece) override {
    received_ += piece.size();
    handler_->TakeBody(piece);
  }
  void TakeEnd(net::ExchangeEnd end, const std::string& error) override { client_.Finish(id_, end, error); }
  size_t received() const { return received_; }

  Duration asked = {};
  uint64_t generation = 0;                      // of the credentials it was sent with
  net::Loop::TimerId timer = 0;                 // while it waits for its turn
  std::shared_ptr<net::HttpClient> connection;  // once it was sent
  net::HttpClient::ExchangeId exchange = 0;

 private:
  ApiClient& client_;
  const StreamId id_;
  const ApiRequest request_;
  const std::shared_ptr<net::ResponseHandler> handler_;
  int status_ = 0;
  size_t received_ = 0;
};

ApiClient::ApiClient(net::Loop& loop, const ClusterAccess& access, Credentials& credentials, ApiClientOptions options,
                     ApiObserver* observer)
    : loop_(loop),
      access_(access),
      credentials_(credentials),
      options_(std::move(options)),
      observer_(observer),
      host_(access.server.Authority()),
      limiter_(options_.qps, options_.burst) {}

ApiClient::~ApiClient() {
  for (const auto& [id, exchange] : exchanges_) {
    loop_.Cancel(exchange->timer);
    if (exchange->connection != nullptr) exchange->connection->Cancel(exchange->exchange);
  }
}

void ApiClient::Send(ApiRequest request, Done done) {
  const size_t most = request.max_answer;
  Open(std::move(request), std::make_shared<Collector>(most, std::move(done)));
}

ApiClient::StreamId ApiClient::Open(ApiRequest request, std::shared_ptr<net::ResponseHandler> handler) {
  const StreamId id = next_++;
  auto exchange = std::make_shared<Exchange>(*this, id, std::move(request), std::move(handler));
  exchange->asked = loop_.Now();
  exchanges_.emplace(id, exchange);
  const ApiRequest& asked = exchange->request();
  const std::optional<Duration> wait = TurnOf(asked, exchange->asked);
  if (!wait) {
    FailLater(id, "the rate limit would delay it beyond its time limit");
    return id;
  }
  if (observer_ != nullptr && asked.timeout) observer_->Throttled(asked.method, host_, *wait);
  if (*wait > Duration(0)) {
    exchange->timer = loop_.After(*wait, [this, id] { Start(id); });
  } else {
    Start(id);
  }
  return id;
}

std::optional<Duration> ApiClient::TurnOf(const ApiRequest& request, Duration now) {
  if (!request.timeout) return Duration(0);  // watches are not limited
  return limiter_.TakeWithin(now, request.timeout_covers_wait ? *request.timeout : Duration::max());
}

// Later, as if it came from the network.
void ApiClient::FailLater(StreamId id, std::string why) {
  exchanges_.at(id)->timer =
      loop_.After({}, [this, id, why = std::move(why)] { Finish(id, net::ExchangeEnd::NotSent, why); });
}

void ApiClient::Start(StreamId id) {
  const std::shared_ptr<Exchange> exchange = exchanges_.at(id);
  exchange->timer = 0;
  if (closed_) return FailLater(id, "the client is closed");
  const Result<std::shared_ptr<const GivenCredentials>> given = credentials_.Current();
  if (!given) return FailLater(id, given.error().message);
  exchange->generation = (*given)->generation;
  const Result<net::HttpClient*> connection = ConnectionFor(**given);
  if (!connection) return FailLater(id, connection.error().message);
  std::optional<Duration> timeout = exchange->request().timeout;
  if (timeout && exchange->request().timeout_covers_wait) {
    timeout = std::max(*timeout - (loop_.Now() - exchange->asked), Duration(std::chrono::milliseconds(1)));
  }
  const net::SendLimits limits{timeout, exchange->request().may_send};
  exchange->connection = connection_;
  exchange->exchange = connection_->Send(Complete(exchange->request(), **given), exchange, limits);
}

void ApiClient::Finish(StreamId id, net::ExchangeEnd end, const std::string& error) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const std::shared_ptr<Exchange> exchange = found->second;
  exchanges_.erase(found);
  const bool told = !exchange->request().timeout && exchange->status() != 0;
  if (!told) Tell(*exchange);
  exchange->handler()->TakeEnd(end, error);
}

void ApiClient::Tell(const Exchange& exchange) const {
  if (observer_ == nullptr) return;
  const bool is_answered = exchange.status() != 0;
  const std::string code = is_answered ? std::to_string(exchange.status()) : "<error>";
  ToldExchange told{exchange.request().method, host_, code};
  if (exchange.request().timeout) {
    told.end = {loop_.Now() - exchange.asked, exchange.request().body.size(),
                is_answered ? std::optional(exchange.received()) : std::nullopt};
  }
  observer_->Exchanged(told);
}

void ApiClient::Cancel(StreamId stream) {
  const auto found = exchanges_.find(stream);
  if (found == exchanges_.end()) return;
  const std::shared_ptr<Exchange> exchange = found->second;
  exchanges_.erase(found);
  loop_.Cancel(exchange->timer);
  if (exchange->connection != nullptr) exchange->connection->Cancel(exchange->exchange);
}

void ApiClient::Close() {
  closed_ = true;
  std::vector<StreamId> waiting;
  // Those that a new certificate has replaced are among them while they are in use.
  std::set<std::shared_ptr<net::HttpClient>> connections;
  for (const auto& [id, exchange] : exchanges_) {
    loop_.Cancel(exchange->timer);
    if (exchange->connection == nullptr) {
      waiting.push_back(id);
    } else {
      connections.insert(exchange->connection);
    }
  }
  if (connection_ != nullptr) connections.insert(connection_);
  for (const auto& connection : connections) connection->Close();
  for (const StreamId id : waiting) Finish(id, net::ExchangeEnd::NotSent, "the client is closed");
}

Result<net::HttpClient*> ApiClient::ConnectionFor(const GivenCredentials& given) {
  if (connection_ != nullptr && tls_generation_ == given.tls_generation) return connection_.get();
  net::Endpoint endpoint;
  endpoint.host = access_.server.host;
  endpoint.port = access_.server.port;
  endpoint.http2_in_clear = access_.server.http2_in_clear;
  if (access_.proxy) {
    const Proxy& proxy = *access_.proxy;
    endpoint.proxy = {proxy.is_socks ? net::ProxyServer::Protocol::Socks5 : net::ProxyServer::Protocol::Http,
                      proxy.host,
                      proxy.port,
                      proxy.user ? BasicAuthorization(*proxy.user) : std::string(),
                      proxy.user ? proxy.user->name : std::string(),
                      proxy.user ? proxy.user->password : std::string()};
  }
  if (access_.server.tls) {
    net::TlsOptions tls;
    tls.ca = given.ca.empty() ? access_.trust.ca : given.ca;
    tls.server_name = access_.trust.server_name;
    tls.skip_verification = access_.trust.skip_verification;
    tls.certificate = given.key_pair.certificate;
    tls.key = given.key_pair.key;
    auto made = net::TlsClientContext::Make(tls);
    if (!made) {
      // Files that are being replaced may not fit each other: what was good so far serves until they do.
      if (connection_ != nullptr) return connection_.get();
      return made.error();
    }
    endpoint.tls = *std::move(made);
  }
  // Exchanges under way keep the connection that they were begun on.
  connection_ = std::make_shared<net::HttpClient>(loop_, std::move(endpoint), options_.http);
  tls_generation_ = given.tls_generation;
  return connection_.get();
}

net::Request ApiClient::Complete(const ApiRequest& request, const GivenCredentials& given) const {
  net::Request complete;
  complete.method = request.method;
  complete.path = access_.server.path_prefix + request.path;
  complete.body = request.body;
  complete.headers.reserve(6 + access_.impersonation.size());
  complete.headers.emplace_back("accept", request.accept);
  complete.headers.emplace_back("user-agent", options_.user_agent);
  if (!request.content_type.empty()) complete.headers.emplace_back("content-type", request.content_type);
  if (!given.authorization.empty()) {
    complete.headers.emplace_back("authorization", given.authorization);
  } else if (access_.server.user) {
    complete.headers.emplace_back("authorization", BasicAuthorization(*access_.server.user));
  }
  for (const auto& header : access_.impersonation) complete.headers.push_back(header);
  return complete;
}

ApiResponse SendAndWait(ApiClient& client, ApiRequest request) {
  std::promise<ApiResponse> answered;
  client.loop().Post([&] {
    client.Send(std::move(request), [&](ApiResponse& response) { answered.set_value(std::move(response)); });
  });
  return answered.get_future().get();
}

}  // namespace berth::kube
