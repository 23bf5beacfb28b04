// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "metrics/build_info.h"

#include <string>
#include <string_view>

namespace berth::cmd {

// What Berth says its version is where kube-scheduler is expected: the release it decides as, with its own version as
// build metadata, "v1.36.4+berth.0.1.0". Programs that compare versions ignore the metadata.
std::string KubeVersion();

// "linux/amd64", as Go names it.
std::string_view KubePlatform();

// Fails when a version cannot be reported instead: it must be of the same release.
Result<void> CheckReportedVersion(std::string_view version);

// All that is known about the build, with the version to report.
metrics::BuildInfo KubeBuild(std::string version);

// The same in the form that kube-scheduler --version=raw prints.
std::string RawVersion(const metrics::BuildInfo& build);

}  // namespace berth::cmd
