// SPDX-License-Identifier: Apache-2.0
#include "extender/extenders.h"

#include "base/thread_name.h"

#include <utility>

namespace berth::extender {

api::KeptDocuments DocumentsFor(const std::vector<config::Extender>& configs) {
  api::KeptDocuments documents;
  for (const config::Extender& each : configs) {
    const bool judges_nodes = !each.filter_verb.empty() || !each.prioritize_verb.empty();
    const bool preempts = !each.preempt_verb.empty();
    documents.waiting_pods = documents.waiting_pods || judges_nodes || preempts;
    documents.nodes = documents.nodes || (judges_nodes && !each.node_cache_capable);
    documents.placed_pods = documents.placed_pods || (preempts && !each.node_cache_capable);
  }
  return documents;
}

Result<std::unique_ptr<Extenders>> Extenders::Start(const std::vector<config::Extender>& configs,
                                                    const ExtenderOptions& options) {
  std::unique_ptr<Extenders> extenders(new Extenders());
  for (const config::Extender& each : configs) {
    BERTH_ASSIGN_OR_RETURN(auto extender,
                           HttpExtender::Make(extenders->loop_, each, options.limits, options.surroundings));
    extenders->all_.push_back(extender.get());
    extenders->owned_.push_back(std::move(extender));
  }
  extenders->thread_ = std::thread([&loop = extenders->loop_] {
    NameThread("extenders");
    loop.Run();
  });
  return extenders;
}

Extenders::~Extenders() {
  if (!thread_.joinable()) return;  // it was never started
  loop_.Post([this] {
    for (const auto& extender : owned_) extender->Refuse();
    for (const auto& extender : owned_) extender->Close();
    loop_.Stop();
  });
  thread_.join();
}

}  // namespace berth::extender
