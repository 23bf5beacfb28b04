// SPDX-License-Identifier: Apache-2.0
#include "remote/address.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace berth::remote {
namespace {

struct Scheme {
  Address::Kind kind;
  std::string_view prefix;
};
constexpr std::array<Scheme, 3> kSchemes = {
    {{Address::Kind::Unix, "unix://"}, {Address::Kind::Tcp, "tcp://"}, {Address::Kind::Tls, "tls://"}}};

Error BadEndpoint(std::string_view text, std::string_view problem) {
  return InvalidError(fmt::format("'{}' is no endpoint: {}", text, problem));
}

Result<std::string> FileText(const std::string& path) {
  if (path.empty()) return std::string();
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) return InvalidError("cannot read " + path);
  return text.str();
}

// The files whose content an error is about are named by the caller.
Error InFiles(const TlsFiles& files, const Error& error) {
  return InvalidError(fmt::format("{} (caFile '{}', certFile '{}', keyFile '{}')", error.message, files.ca_file,
                                  files.cert_file, files.key_file));
}

}  // namespace

Result<Address> Address::Parse(std::string_view text) {
  for (const Scheme& scheme : kSchemes) {
    if (!text.starts_with(scheme.prefix)) continue;
    const std::string_view rest = text.substr(scheme.prefix.size());
    if (scheme.kind == Kind::Unix) {
      if (!rest.starts_with('/'))
        return BadEndpoint(text, "the path of a unix socket is absolute, as in unix:///run/plugin.sock");
      return Address{.kind = Kind::Unix, .path = std::string(rest)};
    }
    const size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos) return BadEndpoint(text, "the port is missing");
    std::string_view host = rest.substr(0, colon);
    const bool has_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (has_brackets) host = host.substr(1, host.size() - 2);
    if (host.empty()) return BadEndpoint(text, "the host is missing");
    if (!has_brackets && host.find(':') != std::string_view::npos) {
      return BadEndpoint(text, "an IPv6 address is written in brackets");
    }
    uint16_t port = 0;
    const std::string_view digits = rest.substr(colon + 1);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (failed != std::errc() || end != digits.data() + digits.size())
      return BadEndpoint(text, "the port is no number");
    return Address{.kind = scheme.kind, .host = std::string(host), .port = port};
  }
  return BadEndpoint(text, "it begins with none of unix://, tcp:// and tls://");
}

std::string Address::Text() const {
  if (kind == Kind::Unix) return "unix://" + path;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}{}:{}", kind == Kind::Tcp ? "tcp://" : "tls://", is_ipv6 ? "[" : "", host,
                     is_ipv6 ? "]" : "", port);
}

bool Address::is_local() const {
  std::array<unsigned char, 4> address = {};
  const bool is_loopback = inet_pton(AF_INET, host.c_str(), address.data()) == 1 && address[0] == 127;
  return kind == Kind::Unix || is_loopback || host == "localhost" || host == "::1";
}

Result<std::shared_ptr<const net::TlsClientContext>> ClientTls(const TlsFiles& files) {
  net::TlsOptions options = {.server_name = files.server_name};
  BERTH_ASSIGN_OR_RETURN(options.ca, FileText(files.ca_file));
  BERTH_ASSIGN_OR_RETURN(options.certificate, FileText(files.cert_file));
  BERTH_ASSIGN_OR_RETURN(options.key, FileText(files.key_file));
  auto context = net::TlsClientContext::Make(options);
  if (!context) return InFiles(files, context.error());
  return context;
}

Result<ServerTls> ServerTlsOf(const TlsFiles& files) {
  net::TlsServerOptions options = {.asks_for_certificate = !files.ca_file.empty()};
  BERTH_ASSIGN_OR_RETURN(options.client_ca, FileText(files.ca_file));
  BERTH_ASSIGN_OR_RETURN(options.identity.certificate, FileText(files.cert_file));
  BERTH_ASSIGN_OR_RETURN(options.identity.key, FileText(files.key_file));
  auto context = net::TlsServerContext::Make(options);
  if (!context) return InFiles(files, context.error());
  ServerTls tls = {.context = *context, .clients = nullptr};
  if (options.client_ca.empty()) return tls;
  auto clients = net::CertificatePool::Make(options.client_ca, "caFile");
  if (!clients) return InFiles(files, clients.error());
  tls.clients = *clients;
  return tls;
}

}  // namespace berth::remote
