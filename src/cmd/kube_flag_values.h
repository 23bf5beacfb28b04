// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/kube_flags.h"
#include "flags/flag_value.h"

#include <string>
#include <vector>

// Flags of kinds that only Kubernetes has. The variables must outlive the values.
namespace berth::cmd {

// "cert,key" or "cert,key:name,name"; the flag is repeated for several.
flags::FlagValue NamedCertificatesValue(std::vector<NamedCertificate>& variable);
flags::FlagValue VerbosityValue(int& variable);
// "pattern=4,pattern=2"; the flag may be repeated.
flags::FlagValue ModuleLevelsValue(std::vector<log::ModuleLevel>& variable);
// An amount of bytes: "512", "1k", "2Ki".
flags::FlagValue BytesValue(int64_t& variable);
// "true", "false", "raw", or the version to report.
flags::FlagValue VersionValue(KubeFlags& variable);
// "A=true,component:B=false"; the flag may be repeated.
flags::FlagValue GatesValue(std::vector<std::string>& variable);

}  // namespace berth::cmd
