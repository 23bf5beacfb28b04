// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "framework/extender.h"

#include <span>
#include <string>
#include <string_view>

// What an extender is asked: JSON of the types of k8s.io/kube-scheduler/extender/v1, under the names that Go gives
// their fields. Objects are sent as their homes keep them.
namespace berth::extender {

// ExtenderArgs, for filtering and for ranking. `names_only`: the extender knows the nodes by their names.
std::string NodesQuestion(const api::PodPtr& pod, std::span<const api::NodePtr> nodes, bool names_only);
// ExtenderPreemptionArgs. `uids_only`: the extender knows the pods by their UIDs.
std::string PreemptQuestion(const api::PodPtr& pod, std::span<const framework::Extender::Candidate> candidates,
                            bool uids_only);
// ExtenderBindingArgs.
std::string BindQuestion(const api::Pod& pod, std::string_view node);

}  // namespace berth::extender
