// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace berth::net {

// Recognises secrets without keeping them: equal texts have equal digests, which say nothing about the text to whoever
// does not know the key, drawn anew by each object. One thread.
class SecretDigest {
 public:
  SecretDigest();
  std::string Of(std::string_view secret) const;

 private:
  std::string key_;
};

}  // namespace berth::net
