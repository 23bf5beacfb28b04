// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace berth::net {

struct SelfSignedPair {
  std::string certificate;  // followed by that of the authority made for it, by which clients may know it; PEM
  std::string key;          // PEM
};

// A server's certificate that nobody else vouches for, valid from an hour ago for a year.
Result<SelfSignedPair> MakeSelfSigned(const std::string& host, const std::vector<std::string>& other_names,
                                      const std::vector<std::string>& addresses, Timestamp now);

}  // namespace berth::net
