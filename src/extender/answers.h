// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "base/result.h"
#include "framework/extender.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// What an extender's answers say: JSON of the types of k8s.io/kube-scheduler/extender/v1. The errors are about the
// text; what the extender itself calls an error is in the answer.
namespace berth::extender {

// `names_only`: it was asked with the nodes' names and may answer with such.
Result<framework::Extender::FilterAnswer> ReadFilterAnswer(std::string_view text, bool names_only);
Result<framework::Extender::PrioritizeAnswer> ReadPrioritizeAnswer(std::string_view text);
Result<framework::Extender::PreemptAnswer> ReadPreemptAnswer(std::string_view text);
Result<framework::Extender::BindAnswer> ReadBindAnswer(std::string_view text);

// The first name that none of the nodes has, or null.
const std::string* FindStranger(const std::vector<std::string>& names, std::span<const api::NodePtr> nodes);

}  // namespace berth::extender
