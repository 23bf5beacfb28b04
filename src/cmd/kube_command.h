// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/kube_entry.h"

namespace berth::cmd {

// A KubeRunner: schedules the pods of a Kubernetes cluster until SIGTERM or SIGINT. SIGUSR2 has the state of the
// cluster and the queue logged.
int RunKubeProcess(KubeStart start);

}  // namespace berth::cmd
