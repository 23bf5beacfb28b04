// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

namespace ledger {

// `ledger-scheduler ledger FILE`: sums up a ledger. Returns the exit code.
int PrintSummary(const std::string& file, std::ostream& out, std::ostream& err);

// `ledger-scheduler ledger FILE POD`: what became of one pod, named namespace/name.
int PrintPod(const std::string& file, const std::string& pod, std::ostream& out, std::ostream& err);

}  // namespace ledger
