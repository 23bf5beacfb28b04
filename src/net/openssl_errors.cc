// SPDX-License-Identifier: Apache-2.0
#include "net/openssl_errors.h"

#include <openssl/err.h>

namespace berth::net {

std::string TakeOpenSslErrors(const std::string& otherwise) {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(code);
    if (reason == nullptr) continue;
    if (!text.empty()) text += ", ";
    text += reason;
  }
  return text.empty() ? otherwise : text;
}

}  // namespace berth::net
