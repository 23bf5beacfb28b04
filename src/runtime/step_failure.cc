// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_failure.h"

#include <fmt/format.h>

namespace berth::runtime {

using framework::Status;

Status StepFailure(std::string_view step, const std::string& plugin, const Status& status) {
  if (status.is_rejected()) return status.By(plugin);
  return Status::FromError(fmt::format("running {} plugin \"{}\": {}", step, plugin, status.Message())).By(plugin);
}

}  // namespace berth::runtime
