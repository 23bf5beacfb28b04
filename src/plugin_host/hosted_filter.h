// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin.h"
#include "plugin_host/hosted_cycle.h"
#include "plugin_host/mirror.h"

#include <berth/plugin/v1/plugin.pb.h>

// PreFilter, Filter and Score of a plugin that serves a session: a call's answer, or its error.
namespace berth::plugin_host {

struct Hosted {
  const framework::PluginInstance& plugin;
  Mirror& mirror;
  bool pre_filters = false;  // the configuration enables it there
};

void AnswerFilter(const Hosted& hosted, const plugin::v1::FilterCall& call, HostedCycle& cycle,
                  plugin::v1::Answer& answer);
void AnswerJudge(const Hosted& hosted, const plugin::v1::JudgeCall& call, HostedCycle& cycle,
                 plugin::v1::Answer& answer);
void AnswerScore(const Hosted& hosted, const plugin::v1::ScoreCall& call, HostedCycle& cycle,
                 plugin::v1::Answer& answer);

}  // namespace berth::plugin_host
