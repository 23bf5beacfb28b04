// SPDX-License-Identifier: Apache-2.0
#include "serve/serving_certificates.h"

#include "net/self_signed.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

Result<void> WriteNewFile(const std::string& path, const std::string& content, mode_t mode) {
  const auto failure = [&](int code) {
    return Error{ErrorCode::Unavailable, fmt::format("write {}: {}", path, std::generic_category().message(code))};
  };
  std::error_code created;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), created);
  if (created) return failure(created.value());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return failure(errno);
  size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = write(file, content.data() + written, content.size() - written);
    if (count < 0) {
      const int code = errno;
      close(file);
      return failure(code);
    }
    written += static_cast<size_t>(count);
  }
  close(file);
  return {};
}

bool IsUnspecified(const std::string& address) { return address.empty() || address == "0.0.0.0" || address == "::"; }

}  // namespace

ServingCertificates::ServingCertificates(ServingCertificateOptions options, const kube::Surroundings& surroundings,
                                         const Clock& clock, log::Logger log)
    : options_(std::move(options)), surroundings_(surroundings), clock_(clock), log_(std::move(log)) {}

Result<void> ServingCertificates::Read() {
  if (!prepared_) {
    BERTH_RETURN_IF_ERROR(Prepare());
    prepared_ = true;
  }
  net::ServerKeyPair identity = identity_;
  if (!options_.certificate_file.empty()) {
    BERTH_ASSIGN_OR_RETURN(identity, ReadPair(options_.certificate_file, options_.key_file));
  }
  std::vector<net::ServerKeyPair> named;
  for (const NamedCertificateFiles& files : options_.named) {
    BERTH_ASSIGN_OR_RETURN(net::ServerKeyPair pair, ReadPair(files.certificate_file, files.key_file));
    pair.names = files.names;
    named.push_back(std::move(pair));
  }
  identity_ = std::move(identity);
  named_ = std::move(named);
  return {};
}

// Decides where the certificate is, and makes one if there is none.
Result<void> ServingCertificates::Prepare() {
  if (!options_.certificate_file.empty() || !options_.key_file.empty()) {
    if (options_.certificate_file.empty() || options_.key_file.empty()) {
      return InvalidError("--tls-cert-file and --tls-private-key-file must be given together");
    }
    return {};
  }
  if (!options_.folder.empty()) {
    options_.certificate_file = fmt::format("{}/{}.crt", options_.folder, options_.pair_name);
    options_.key_file = fmt::format("{}/{}.key", options_.folder, options_.pair_name);
    BERTH_ASSIGN_OR_RETURN(const bool found, FoundInFolder());
    if (found) return {};
  }
  std::vector<std::string> names;
  std::vector<std::string> addresses = {"127.0.0.1"};
  if (IsUnspecified(options_.bind_address)) {
    names.emplace_back("localhost");
  } else {
    addresses.push_back(options_.bind_address);
  }
  BERTH_ASSIGN_OR_RETURN(const net::SelfSignedPair made,
                         net::MakeSelfSigned("localhost", names, addresses, clock_.Now()));
  if (options_.folder.empty()) {
    identity_ = {made.certificate, made.key};
    log_.Info("Generated self-signed cert in-memory");
    return {};
  }
  BERTH_RETURN_IF_ERROR(WriteNewFile(options_.certificate_file, made.certificate, 0644));
  BERTH_RETURN_IF_ERROR(WriteNewFile(options_.key_file, made.key, 0600));
  log_.Info("Generated self-signed cert", {{"certificate", options_.certificate_file}, {"key", options_.key_file}});
  return {};
}

Result<bool> ServingCertificates::FoundInFolder() const {
  const bool certificate = surroundings_.read_file(options_.certificate_file).has_value();
  const bool key = surroundings_.read_file(options_.key_file).has_value();
  if (certificate == key) return certificate;
  return InvalidError(fmt::format("error reading {}, certificate and key must be supplied as a pair",
                                  certificate ? options_.key_file : options_.certificate_file));
}

Result<net::ServerKeyPair> ServingCertificates::ReadPair(const std::string& certificate_file,
                                                         const std::string& key_file) const {
  const auto read = [&](const std::string& path) -> Result<std::string> {
    Result<std::string> content = surroundings_.read_file(path);
    if (!content) return Error{content.error().code, fmt::format("read {}: {}", path, content.error().message)};
    return content;
  };
  net::ServerKeyPair pair;
  BERTH_ASSIGN_OR_RETURN(pair.certificate, read(certificate_file));
  BERTH_ASSIGN_OR_RETURN(pair.key, read(key_file));
  return pair;
}

}  // namespace berth::serve
