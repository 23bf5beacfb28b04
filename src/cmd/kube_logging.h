// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/kube_flags.h"
#include "cmd/log_options.h"
#include "config/fields/field_errors.h"

#include <iosfwd>

namespace berth::cmd {

// What is wrong with the logging flags, in kube-scheduler's words.
config::Messages ValidateLogging(const LoggingFlags& flags, const features::FeatureGates& gates);

// The log that valid flags ask for. The clock and the stream must outlive it.
Log OpenKubeLog(const LoggingFlags& flags, std::ostream& stream, const Clock& clock);

}  // namespace berth::cmd
