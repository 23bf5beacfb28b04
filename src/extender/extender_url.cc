// SPDX-License-Identifier: Apache-2.0
#include "extender/extender_url.h"

#include "config/fields/field_errors.h"
#include "kube/access/url.h"

#include <utility>

#include <fmt/format.h>

namespace berth::extender {
namespace {

// The query with its question mark; a blank in it would end the request's first line.
std::string QueryOf(std::string_view url) {
  url = url.substr(0, url.find('#'));
  std::string query;
  for (const char c : url.substr(std::min(url.find('?'), url.size()))) {
    if (c == ' ') {
      query += "%20";
    } else {
      query += c;
    }
  }
  return query;
}

}  // namespace

std::string PostFailed(std::string_view url, std::string_view why) {
  return fmt::format("Post {}: {}", config::Quoted(kube::WithoutPassword(url)), why);
}

Result<ExtenderUrl> ParseExtenderUrl(std::string_view prefix, std::string_view verb) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  ExtenderUrl parsed;
  parsed.text = fmt::format("{}/{}", prefix, verb);
  Result<kube::Url> url = kube::ParseUrl(parsed.text);
  if (!url) return InvalidError(fmt::format("parse {}: {}", config::Quoted(parsed.text), url.error().message));
  if (url->scheme != "http" && url->scheme != "https") {
    return InvalidError(
        PostFailed(parsed.text, fmt::format("unsupported protocol scheme {}", config::Quoted(url->scheme))));
  }
  if (url->host.empty()) return InvalidError(PostFailed(parsed.text, "http: no Host in request URL"));
  kube::ServerAddress& server = parsed.server;
  server.tls = url->scheme == "https";
  server.names_port = url->port.has_value();
  server.port = url->port.value_or(*kube::DefaultPort(url->scheme));
  server.host = std::move(url->host);
  server.user = std::move(url->user);
  parsed.target = (url->path.empty() ? "/" : url->path) + QueryOf(parsed.text);
  return parsed;
}

}  // namespace berth::extender
