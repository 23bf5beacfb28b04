// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"
#include "base/result.h"

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace berth::cmd {

// Which cluster is asked, as kubectl takes it.
struct ServerOptions {
  std::string kubeconfig;
  std::string context;
  bool is_asked() const { return !kubeconfig.empty() || !context.empty(); }
};

// The objects of these kinds as the API server has them; pods that have ended are left out. Nodes and pods must be
// readable; of other kinds that are not, `err` says so and that they are missing.
Result<std::vector<api::Document>> ReadFromServer(const ServerOptions& options, std::span<const std::string> kinds,
                                                  std::ostream& err);

}  // namespace berth::cmd
