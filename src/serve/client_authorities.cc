// SPDX-License-Identifier: Apache-2.0
#include "serve/client_authorities.h"

#include "api/document.h"
#include "serve/review_documents.h"

#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

constexpr std::string_view kConfigMap = "configmap/extension-apiserver-authentication in kube-system";

// A list of names is itself JSON in the ConfigMap.
Result<std::vector<std::string>> NamesAt(const api::Value& data, std::string_view key) {
  const std::string text = TextAt(data, key);
  if (text.empty()) return std::vector<std::string>();
  BERTH_ASSIGN_OR_RETURN(const auto documents, api::ReadDocuments(text, key));
  if (documents.size() != 1 || !documents.front().root.is_list()) {
    return InvalidError(fmt::format("{}: expected a list of names", key));
  }
  return TextsOf(documents.front().root);
}

}  // namespace

ClientAuthorities::ClientAuthorities(net::Loop& loop, ClientAuthorityOptions options, ReviewClient* client,
                                     const kube::Surroundings& surroundings, std::function<void()> changed,
                                     log::Logger log)
    : loop_(loop),
      options_(std::move(options)),
      client_(client),
      surroundings_(surroundings),
      changed_(std::move(changed)),
      log_(std::move(log)) {
  if (!options_.requestheader_ca_file.empty()) headers_ = options_.requestheader;
}

ClientAuthorities::~ClientAuthorities() {
  loop_.Cancel(file_timer_);
  loop_.Cancel(lookup_timer_);
}

bool ClientAuthorities::looks_up() const {
  return client_ != nullptr && !options_.skip_lookup &&
         (options_.client_ca_file.empty() || options_.requestheader_ca_file.empty());
}

bool ClientAuthorities::expected() const {
  return looks_up() || !options_.client_ca_file.empty() || !options_.requestheader_ca_file.empty();
}

std::string ClientAuthorities::AllPem() const {
  if (clients_.pem.empty() || proxies_.pem.empty()) return clients_.pem + proxies_.pem;
  return clients_.pem + '\n' + proxies_.pem;  // a file need not end with a newline
}

Result<void> ClientAuthorities::ReadFiles() {
  BERTH_RETURN_IF_ERROR(ReadFile(options_.client_ca_file, "client-ca-file", clients_));
  return ReadFile(options_.requestheader_ca_file, "requestheader-client-ca-file", proxies_);
}

Result<void> ClientAuthorities::ReadFile(const std::string& path, const std::string& option, Authorities& authorities) {
  if (path.empty()) return {};
  const Result<std::string> pem = surroundings_.read_file(path);
  if (!pem) return InvalidError(fmt::format("read {} (--{}): {}", path, option, pem.error().message));
  const Result<bool> updated = Update(authorities, *pem, option);
  if (!updated) return InvalidError(fmt::format("{}: {}", path, updated.error().message));
  return {};
}

// Whether anything has changed.
Result<bool> ClientAuthorities::Update(Authorities& authorities, const std::string& pem, const std::string& option) {
  if (pem == authorities.pem) return false;
  BERTH_ASSIGN_OR_RETURN(authorities.pool, net::CertificatePool::Make(pem, option));
  authorities.pem = pem;
  return true;
}

void ClientAuthorities::Start(std::function<void(Result<void>)> tried) {
  RereadFilesLater();
  if (looks_up()) return Lookup(std::move(tried));
  if (client_ == nullptr && !options_.skip_lookup && options_.client_ca_file.empty()) {
    log_.Warning(
        "No authentication-kubeconfig provided in order to lookup client-ca-file in configmap/"
        "extension-apiserver-authentication in kube-system, so client certificate authentication won't work.");
  }
  tried({});
}

void ClientAuthorities::RereadFilesLater() {
  if (options_.client_ca_file.empty() && options_.requestheader_ca_file.empty()) return;
  file_timer_ = loop_.After(options_.reread_files, [this] {
    const std::string before = AllPem();
    if (const Result<void> read = ReadFiles(); !read) {
      problems_.Report(log_, "files", "Client authorities cannot be read again", {{"error", read.error().message}});
    } else {
      problems_.Forget("files");
    }
    if (AllPem() != before) changed_();
    RereadFilesLater();
  });
}

void ClientAuthorities::LookupLater(Duration delay) {
  lookup_timer_ = loop_.After(delay, [this] { Lookup([](const Result<void>&) {}); });
}

void ClientAuthorities::Lookup(std::function<void(Result<void>)> tried) {
  client_->Send({.path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"},
                [this, tried = std::move(tried)](kube::ApiResponse& response) {
                  const std::string before = AllPem();
                  const Result<void> taken = TakeConfigMap(response);
                  LookupLater(taken ? options_.reread_cluster : options_.retry_cluster);
                  if (AllPem() != before) changed_();
                  if (taken) {
                    problems_.Forget("cluster");
                    return tried({});
                  }
                  if (!options_.tolerate_lookup_failure) return tried(taken.error());
                  problems_.Report(log_, "cluster",
                                   "Error looking up in-cluster authentication configuration: this may treat all "
                                   "requests as anonymous. To require it, set "
                                   "--authentication-tolerate-lookup-failure=false",
                                   {{"error", taken.error().message}});
                  tried({});
                });
}

// An API server that has published nothing has nothing to publish.
Result<void> ClientAuthorities::TakeConfigMap(const kube::ApiResponse& response) {
  const Result<api::Value> document = DocumentIn(response);
  if (!document && document.error().code == ErrorCode::NotFound) return {};
  const auto failure = [](const Error& error) {
    return Error{error.code, fmt::format("read {}: {}", kConfigMap, error.message)};
  };
  if (!document) return failure(document.error());
  const api::Value* data = document->Find("data");
  if (data == nullptr) return {};
  if (Result<void> taken = TakeData(*data); !taken) return failure(taken.error());
  return {};
}

Result<void> ClientAuthorities::TakeData(const api::Value& data) {
  if (const std::string pem = TextAt(data, "client-ca-file"); !pem.empty() && options_.client_ca_file.empty()) {
    BERTH_RETURN_IF_ERROR(Update(clients_, pem, "client-ca-file"));
  }
  const std::string pem = TextAt(data, "requestheader-client-ca-file");
  if (pem.empty() || !options_.requestheader_ca_file.empty()) return {};
  RequestHeaderNames names;
  BERTH_ASSIGN_OR_RETURN(names.username, NamesAt(data, "requestheader-username-headers"));
  BERTH_ASSIGN_OR_RETURN(names.uid, NamesAt(data, "requestheader-uid-headers"));
  BERTH_ASSIGN_OR_RETURN(names.group, NamesAt(data, "requestheader-group-headers"));
  BERTH_ASSIGN_OR_RETURN(names.extra_prefix, NamesAt(data, "requestheader-extra-headers-prefix"));
  BERTH_ASSIGN_OR_RETURN(names.allowed_names, NamesAt(data, "requestheader-allowed-names"));
  // The names go with the authority: with one but not the other, a proxy that is not meant could speak for anyone.
  BERTH_RETURN_IF_ERROR(Update(proxies_, pem, "requestheader-client-ca-file"));
  headers_ = std::move(names);
  return {};
}

}  // namespace berth::serve
