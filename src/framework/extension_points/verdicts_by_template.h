// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"

namespace berth::framework {

// For plugins at PreFilter, Filter or PostFilter whose verdicts follow from a pod's namespace, labels and spec, and
// from the cluster, its objects and nominations, and from nothing else. When one pod of a template has just failed, the
// next is told the same as long as nothing has changed, without any plugin being asked.
class VerdictsByTemplate {
 public:
  // False for pods of which the plugin looks at more than that.
  virtual bool FollowFromTemplate(const PodInfo& /*pod*/) const { return true; }

 protected:
  ~VerdictsByTemplate() = default;  // never deleted through this base
};

}  // namespace berth::framework
