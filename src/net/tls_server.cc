// SPDX-License-Identifier: Apache-2.0
#include "net/tls_server.h"

#include "net/http.h"
#include "net/tls_names.h"
#include "net/tls_server_impl.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace berth::net {
namespace {

int SelectProtocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* size, const unsigned char* offered,
                   unsigned int offered_size, void* http2) {
  static constexpr std::array<unsigned char, 12> kBoth = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  const unsigned char* ours = http2 != nullptr ? kBoth.data() : kBoth.data() + 3;
  const unsigned int count = http2 != nullptr ? 12 : 9;
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, size, ours, count, offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    // A client that offers only what we do not speak hears so, instead of an answer it cannot read.
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

int SelectCertificate(SSL* ssl, int* /*alert*/, void* impl) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_SSL_CTX(ssl, static_cast<const TlsServerContext::Impl*>(impl)->ForName(name));
  return SSL_TLSEXT_ERR_OK;
}

// What the library's macros do, which cast as C does.
void CallWhenNamed(SSL_CTX* context, TlsServerContext::Impl& impl) {
  SSL_CTX_callback_ctrl(context, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB, reinterpret_cast<void (*)()>(SelectCertificate));
  SSL_CTX_ctrl(context, SSL_CTRL_SET_TLSEXT_SERVERNAME_ARG, 0, &impl);
}

// Who is let in is decided for each request, where other proofs than a certificate count as well.
int AcceptAny(int /*accepted*/, X509_STORE_CTX* /*verification*/) { return 1; }

bool IsDomain(std::string_view name) {
  if (name.starts_with("*.")) name.remove_prefix(2);
  if (name.empty() || name.size() > 253) return false;
  std::array<unsigned char, 16> address = {};
  if (inet_pton(AF_INET, std::string(name).c_str(), address.data()) == 1) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.';
  });
}

// Names of servers in a certificate: the DNS names, and the subject's common name if it looks like one. Addresses are
// passed over, since clients do not ask for a server by address.
std::vector<std::string> NamesIn(X509* certificate) {
  std::vector<std::string> names;
  std::array<char, 256> common = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, common.data(), common.size());
  if (IsDomain(common.data())) names.emplace_back(common.data());
  auto* others = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(others); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(others, i);
    if (name->type != GEN_DNS) continue;
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                       static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  GENERAL_NAMES_free(others);
  return names;
}

Result<void> RestrictSuites(SSL_CTX* context, const TlsServerOptions& options, std::vector<std::string>& warnings) {
  BERTH_ASSIGN_OR_RETURN(int version, TlsVersionNamed(options.min_version));
  std::string suites = DefaultCipherSuites();
  if (!options.cipher_suites.empty()) {
    BERTH_ASSIGN_OR_RETURN(TlsChoice choice, CipherSuitesNamed(options.cipher_suites));
    warnings.insert(warnings.end(), choice.warnings.begin(), choice.warnings.end());
    suites = choice.value;
    if (suites.empty()) version = TLS1_3_VERSION;  // whose suites are not chosen
  }
  // OpenSSL's level 1 and above forbids what older versions cannot do without.
  if (version < TLS1_2_VERSION) suites += ":@SECLEVEL=0";
  if (!suites.empty() && SSL_CTX_set_cipher_list(context, suites.c_str()) != 1) {
    return TlsOptionError("cipher suites", "cannot be used: " + suites);
  }
  if (SSL_CTX_set_min_proto_version(context, version) != 1) return TlsOptionError("version", "cannot be used");
  BERTH_ASSIGN_OR_RETURN(const TlsChoice curves, CurvesNumbered(options.curves));
  warnings.insert(warnings.end(), curves.warnings.begin(), curves.warnings.end());
  if (!curves.value.empty() && SSL_CTX_set1_groups_list(context, curves.value.c_str()) != 1) {
    return TlsOptionError("curves", "cannot be used: " + curves.value);
  }
  return {};
}

Result<void> AskForCertificate(SSL_CTX* context, const TlsServerOptions& options) {
  if (!options.asks_for_certificate) return {};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, AcceptAny);
  if (options.client_ca.empty()) return {};
  return EachCertificate(options.client_ca, "client ca",
                         [&](X509* each) { return SSL_CTX_add_client_CA(context, each); });
}

Result<TlsOwned<SSL_CTX>> MakeContext(const TlsServerOptions& options, const ServerKeyPair& pair,
                                      std::vector<std::string>& warnings) {
  ERR_clear_error();
  TlsOwned<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return TlsOptionError("setup", "out of memory");
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  // A resumed session would not tell the client's whole chain. No renegotiation: it costs us more than the client.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  static char http2 = 0;  // only whether the argument is null counts
  SSL_CTX_set_alpn_select_cb(context.get(), SelectProtocol, options.offers_http2 ? &http2 : nullptr);
  BERTH_RETURN_IF_ERROR(RestrictSuites(context.get(), options, warnings));
  BERTH_RETURN_IF_ERROR(AskForCertificate(context.get(), options));
  BERTH_RETURN_IF_ERROR(UseKeyPair(context.get(), pair.certificate, pair.key));
  return context;
}

}  // namespace

ssl_ctx_st* TlsServerContext::Impl::ForName(std::string_view name) const {
  const std::string lower = LowerCase(name);
  if (const auto exact = by_name.find(lower); exact != by_name.end()) return exact->second;
  const auto dot = lower.find('.');
  const auto wild = dot == std::string::npos ? by_name.find("*") : by_name.find("*" + lower.substr(dot));
  return wild != by_name.end() ? wild->second : contexts.front().get();
}

ssl_ctx_st* TlsServerContext::Impl::ForAddress(const std::string& address) const {
  const auto found = by_name.find(address);
  return found != by_name.end() ? found->second : contexts.front().get();
}

TlsServerContext::TlsServerContext(std::unique_ptr<Impl> impl, std::vector<std::string> warnings)
    : impl_(std::move(impl)), warnings_(std::move(warnings)) {}
TlsServerContext::~TlsServerContext() = default;

Result<std::shared_ptr<const TlsServerContext>> TlsServerContext::Make(const TlsServerOptions& options) {
  auto impl = std::make_unique<Impl>();
  std::vector<std::string> warnings;
  BERTH_ASSIGN_OR_RETURN(auto first, MakeContext(options, options.identity, warnings));
  CallWhenNamed(first.get(), *impl);
  impl->contexts.push_back(std::move(first));
  std::set<std::string, std::less<>> given;
  for (const ServerKeyPair& pair : options.others) {
    std::vector<std::string> repeated;
    BERTH_ASSIGN_OR_RETURN(auto context, MakeContext(options, pair, repeated));
    for (const std::string& name : pair.names) {
      if (given.insert(LowerCase(name)).second) impl->by_name[LowerCase(name)] = context.get();
    }
    if (pair.names.empty()) {
      for (const std::string& name : NamesIn(SSL_CTX_get0_certificate(context.get()))) {
        impl->by_name.try_emplace(LowerCase(name), context.get());
      }
    }
    CallWhenNamed(context.get(), *impl);
    impl->contexts.push_back(std::move(context));
  }
  return std::shared_ptr<const TlsServerContext>(new TlsServerContext(std::move(impl), std::move(warnings)));
}

}  // namespace berth::net
