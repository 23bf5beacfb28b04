// SPDX-License-Identifier: Apache-2.0
#include "serve/answers.h"

#include "api/document.h"
#include "net/request_target.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// What a browser shows of it must not become HTML.
std::string Sanitized(std::string text) {
  ReplaceAll(text, "&", "&amp;");
  ReplaceAll(text, "<", "&lt;");
  ReplaceAll(text, ">", "&gt;");
  return text;
}

api::Value Sorted(const api::Value& value) {
  if (value.is_list()) {
    api::Value list = api::Value::List();
    for (const api::Value& item : value.items()) list.Append(Sorted(item));
    return list;
  }
  if (!value.is_map()) return value;
  api::Value map = api::Value::Map();
  for (const auto& member : value.members()) map.Set(member.key, Sorted(member.value));
  std::sort(map.mutable_members().begin(), map.mutable_members().end(),
            [](const auto& left, const auto& right) { return left.key < right.key; });
  return map;
}

api::Value StatusOf(const Failure& failure) {
  api::Value status = api::Value::Map();
  status.Set("kind", api::Value::String("Status"));
  status.Set("apiVersion", api::Value::String("v1"));
  status.Set("metadata", api::Value::Map());
  status.Set("status", api::Value::String("Failure"));
  status.Set("message", api::Value::String(failure.message));
  status.Set("reason", api::Value::String(failure.reason));
  if (failure.details) status.Set("details", api::Value::Map());
  status.Set("code", api::Value::Int(failure.code));
  return status;
}

bool IsTrue(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  return std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end();
}

}  // namespace

net::ServerResponse TextAnswer(int status, std::string text) {
  return {status, {{"content-type", "text/plain; charset=utf-8"}}, std::move(text)};
}

net::ServerResponse ErrorAnswer(int status, std::string_view text) {
  net::ServerResponse answer = TextAnswer(status, fmt::format("{}\n", text));
  answer.headers.emplace_back("x-content-type-options", "nosniff");
  return answer;
}

net::ServerResponse NotFoundAnswer() { return ErrorAnswer(404, "404 page not found"); }

bool WantsPretty(const net::ServerRequest& request) {
  for (const auto& [name, value] : net::QueryParameters(request.query)) {
    if (name == "pretty" && !value.empty()) return IsTrue(value);
  }
  const std::string_view agent = request.Header("user-agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

std::string GoJson(const api::Value& value, bool pretty) {
  std::string text = api::ToJson(value, pretty ? 2 : 0);
  while (text.ends_with('\n')) text.pop_back();
  // These stand only in strings.
  ReplaceAll(text, "&", "\\u0026");
  ReplaceAll(text, "<", "\\u003c");
  ReplaceAll(text, ">", "\\u003e");
  if (!pretty) text += '\n';
  return text;
}

std::string GoYaml(const api::Value& value) { return api::ToYaml(Sorted(value)); }

std::string GoQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '\r') {
      quoted += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

net::ServerResponse FailureAnswer(const net::ServerRequest& request, const Failure& failure,
                                  std::span<const Offer> offers) {
  const api::Value status = StatusOf(failure);
  net::ServerResponse answer{.status = failure.code};
  const std::optional<Negotiated> agreed = Negotiate(request.Header("accept"), offers);
  if (!agreed.has_value()) {
    // A failure is told even to a client that accepts no form of it.
    answer.headers.emplace_back("content-type", "application/json");
    answer.body = GoJson(status, true);
    return answer;
  }
  answer.headers.emplace_back("content-type", agreed->media_type);
  answer.body = agreed->media_type == "application/yaml" ? GoYaml(status)
                                                         : GoJson(status, agreed->pretty || WantsPretty(request));
  return answer;
}

net::ServerResponse FailureAnswer(const net::ServerRequest& request, const Failure& failure) {
  static const std::array<Offer, 2> kOffers = {Offer{"application/json"}, Offer{"application/yaml"}};
  return FailureAnswer(request, failure, kOffers);
}

net::ServerResponse UnauthorizedAnswer(const net::ServerRequest& request) {
  return FailureAnswer(request, {.code = 401, .reason = "Unauthorized", .message = "Unauthorized"});
}

net::ServerResponse ForbiddenAnswer(const net::ServerRequest& request, std::string_view user, std::string_view verb,
                                    std::string_view reason) {
  std::string message =
      "forbidden: " + Sanitized(fmt::format("User {} cannot {} path {}", GoQuoted(user), verb, GoQuoted(request.path)));
  if (!reason.empty()) message += fmt::format(": {}", reason);
  net::ServerResponse answer =
      FailureAnswer(request, {.code = 403, .reason = "Forbidden", .message = std::move(message), .details = true});
  answer.headers.emplace_back("x-content-type-options", "nosniff");
  return answer;
}

net::ServerResponse InternalErrorAnswer(const net::ServerRequest& request, std::string_view problem) {
  return ErrorAnswer(500, Sanitized(fmt::format("Internal Server Error: {}: {}", GoQuoted(request.target), problem)));
}

}  // namespace berth::serve
