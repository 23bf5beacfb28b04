// SPDX-License-Identifier: Apache-2.0
#include "cmd/gate_options.h"

#include "features/diagnosis.h"

#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {

Result<features::FeatureGates> GatesFrom(const features::GateFlags& flags, std::ostream& err) {
  BERTH_ASSIGN_OR_RETURN(features::FeatureGates gates, features::FeatureGates::FromFlags(flags));
  std::vector<std::string> refused;
  for (const features::GateDiagnosis& diagnosis : features::Diagnose(gates)) {
    if (diagnosis.refused) {
      refused.push_back(diagnosis.text);
    } else {
      err << fmt::format("berth: warning: {}\n", diagnosis.text);
    }
  }
  if (!refused.empty()) return InvalidError(fmt::format("{}", fmt::join(refused, "\n")));
  return gates;
}

}  // namespace berth::cmd
