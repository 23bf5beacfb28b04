// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "home/command.h"
#include "kube/client/api_client.h"
#include "kube/home/event_series.h"

#include <string>
#include <string_view>

// The requests by which commands are carried out.
namespace berth::kube {

ApiRequest BindRequest(const home::BindPod& bind);
// A strategic merge patch of pods/status, as upstream sends it, with the pod's uid as a precondition. A condition whose
// status stays as the pod has it keeps its lastTransitionTime.
ApiRequest StatusRequest(const home::PatchPodStatus& patch, Timestamp now);
// Deletes the pod if it still has its uid.
ApiRequest DeleteRequest(const api::Pod& pod);
Result<ApiRequest> PatchRequest(const home::PatchObject& patch);
ApiRequest LookUpRequest(const home::LookUpPod& question);
ApiRequest EventRequest(const home::EventNote& note, const EventWrite& write, std::string_view instance);
ApiRequest EventCountRequest(const EventWrite& write);

// What a pod that was looked up says of itself.
struct FoundPod {
  std::string uid;
  std::string node;
};
Result<FoundPod> ReadFoundPod(const ApiResponse& response);
// The version in the metadata of an answer; empty when there is none.
std::string VersionIn(const ApiResponse& response);

}  // namespace berth::kube
