// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace berth::net {

// The reasons that OpenSSL has noted for this thread, in its words, and forgets them; `otherwise` when there are none.
std::string TakeOpenSslErrors(const std::string& otherwise);

}  // namespace berth::net
