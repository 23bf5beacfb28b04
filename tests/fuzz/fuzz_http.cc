// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "net/http1_server_session.h"
#include "net/request_target.h"
#include "serve/answers.h"
#include "serve/authorizer.h"
#include "serve/negotiation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace berth;

namespace {

// A server that answers every request at once with its method and path.
class Echo final : private net::ServerSessionEvents {
 public:
  void Receive(std::string_view bytes) {
    if (!session_.Receive(bytes)) lost = true;
    while (answered_ < requests.size()) {
      const std::string body = requests[answered_].method + requests[answered_].path;
      session_.Respond(static_cast<StreamId>(++answered_), {.body = body});
    }
    BERTH_CHECK(session_.Produce(sent, size_t{1} << 24U).has_value());
  }
  bool over() const { return session_.over(); }

  std::vector<net::ServerRequest> requests;
  std::string sent;
  bool lost = false;

 private:
  void TakeRequest(StreamId /*stream*/, net::ServerRequest request) override { requests.push_back(std::move(request)); }

  net::Http1ServerSession session_{
      {.max_header_bytes = 512, .max_body_bytes = 64}, *this, [] { return std::string("now"); }};
  size_t answered_ = 0;
};

// However the bytes are cut, the same requests come out, each with a path that can be matched.
void CheckSession(std::string_view text) {
  Echo whole;
  whole.Receive(text);
  Echo single;
  for (const char& byte : text) single.Receive({&byte, 1});
  BERTH_CHECK(whole.lost || single.lost || whole.requests.size() == single.requests.size());
  for (const net::ServerRequest& request : whole.requests) {
    BERTH_CHECK(!request.method.empty() && !request.target.empty());
    BERTH_CHECK(request.body.size() <= 64);
  }
}

void CheckTarget(std::string_view text) {
  const auto parsed = net::ParseTarget(text);
  if (parsed.has_value()) BERTH_CHECK(parsed->path.size() + parsed->query.size() <= text.size());
  for (const auto& [name, value] : net::QueryParameters(text)) {
    BERTH_CHECK(name.size() + value.size() <= text.size());
  }
}

void CheckAccept(std::string_view text) {
  const std::vector<serve::AcceptClause> clauses = serve::ParseAccept(text);
  BERTH_CHECK(std::is_sorted(clauses.begin(), clauses.end(),
                             [](const auto& left, const auto& right) { return left.quality > right.quality; }));
  const std::vector<serve::WantedKind> kinds = {{"g", "v", "K"}};
  const std::vector<serve::Offer> offers = {{"application/json", kinds}, {"text/plain", {}}};
  const auto agreed = serve::Negotiate(text, offers);
  if (agreed.has_value() && !text.empty()) {
    BERTH_CHECK(agreed->kind.has_value() == (agreed->media_type == "application/json"));
  }
}

// What a pattern without a star allows is itself, and one with a star what begins so.
void CheckPaths(const std::string& text) {
  const auto allowed = serve::AllowedPaths::Make({text});
  if (!allowed) return;
  if (text.ends_with('*')) {
    BERTH_CHECK(allowed->Allows(text.substr(0, text.size() - 1) + "anything"));
  } else {
    BERTH_CHECK(allowed->Allows(text) && !allowed->Allows(text + "/more"));
  }
  BERTH_CHECK(serve::GoQuoted(text).size() >= text.size() + 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckSession(text);
  const std::string line = text.substr(0, text.find('\n'));
  CheckTarget(line);
  CheckAccept(line);
  CheckPaths(line);
  return 0;
}
