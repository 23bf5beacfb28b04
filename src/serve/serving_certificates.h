// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "kube/access/surroundings.h"
#include "log/logger.h"
#include "net/tls_server.h"

#include <string>
#include <vector>

namespace berth::serve {

// Files of a certificate, which is shown to those who ask for one of the names.
struct NamedCertificateFiles {
  std::string certificate_file = {};
  std::string key_file = {};
  std::vector<std::string> names = {};  // empty: those in the certificate
};

struct ServingCertificateOptions {
  std::string certificate_file = {};  // --tls-cert-file
  std::string key_file = {};          // --tls-private-key-file
  // Without these, one is made: in memory, or in this folder (--cert-dir), where it is found again the next time.
  std::string folder = {};
  std::string pair_name = "kube-scheduler";
  std::string bind_address = "0.0.0.0";           // stands in a certificate that is made
  std::vector<NamedCertificateFiles> named = {};  // --tls-sni-cert-key
};

// The certificates that the server shows. One thread.
class ServingCertificates {
 public:
  // Clock and log outlive this; files are read by the surroundings.
  ServingCertificates(ServingCertificateOptions options, const kube::Surroundings& surroundings, const Clock& clock,
                      log::Logger log = {});

  // Reads all files, the first time making what is missing. What it returns is complete or an error; the server goes on
  // with what it has then.
  Result<void> Read();
  const net::ServerKeyPair& identity() const { return identity_; }
  const std::vector<net::ServerKeyPair>& named() const { return named_; }
  // Whether reading them again could change anything.
  bool in_files() const { return !options_.certificate_file.empty() || !options_.named.empty(); }

 private:
  Result<void> Prepare();
  Result<bool> FoundInFolder() const;
  Result<net::ServerKeyPair> ReadPair(const std::string& certificate_file, const std::string& key_file) const;

  ServingCertificateOptions options_;
  const kube::Surroundings surroundings_;
  const Clock& clock_;
  const log::Logger log_;
  bool prepared_ = false;
  net::ServerKeyPair identity_;
  std::vector<net::ServerKeyPair> named_;
};

}  // namespace berth::serve
