// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "kube/access/find_cluster.h"

#include <cstdint>
#include <string>
#include <string_view>

using namespace berth;

// Whatever is accepted names a server that can be connected to; whatever is refused says why. No file but this one
// exists.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kube::Surroundings surroundings;
  const std::string text(reinterpret_cast<const char*>(data), size);
  surroundings.read_file = [&](const std::string& path) -> Result<std::string> {
    if (path == "/fuzz") return text;
    return NotFoundError("no such file or directory");
  };
  surroundings.variables["HTTPS_PROXY"] = "http://proxy:3128";
  surroundings.variables["NO_PROXY"] = text.substr(0, 64);
  const Result<kube::ClusterAccess> access = kube::FindClusterForUser("/fuzz", {}, {}, surroundings);
  if (!access) {
    BERTH_CHECK(!access.error().message.empty());
    return 0;
  }
  const kube::ServerAddress& server = access->server;
  BERTH_CHECK(!server.host.empty());
  BERTH_CHECK(server.path_prefix.empty() || (server.path_prefix.front() == '/' && server.path_prefix.back() != '/'));
  // An address written out is read as the same address.
  const Result<kube::ServerAddress> again = kube::ParseServerAddress(server.Text());
  BERTH_CHECK(again.has_value() && again->Text() == server.Text());
  return 0;
}
