// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/access/server_address.h"

#include <string_view>

namespace berth::kube {

// Whether the server is reached directly although the environment names a proxy. `list` is NO_PROXY: addresses, address
// ranges and domains separated by commas, each with an optional port; "*" means every server. Localhost and loopback
// addresses are always reached directly. Entries that make no sense are ignored.
bool BypassesProxy(const ServerAddress& server, std::string_view list);

}  // namespace berth::kube
