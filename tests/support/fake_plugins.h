// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Plugins that say what a test tells them to, and write down that they were asked. Without orders they agree to
// everything.
namespace berth::test {

using Log = std::vector<std::string>;

// Enters a plugin that the test holds on to.
template <typename P>
framework::PluginEntry Fake(std::string name, std::shared_ptr<P> plugin) {
  return {std::move(name), framework::PointsOf<P>(),
          [plugin](const framework::PluginArgs*, framework::Handle&) -> Result<framework::PluginInstance> {
            return framework::MakeInstance<P>(plugin);
          }};
}

struct FakeFilter final : framework::PreFilterPlugin,
                          framework::PreFilterExtensions,
                          framework::FilterPlugin,
                          framework::PostFilterPlugin {
  FakeFilter(std::string its_name, Log& its_log) : name(std::move(its_name)), log(its_log) {}

  framework::PreFilterResult PreFilter(framework::CycleState&, const framework::PodInfo&,
                                       framework::IndexedCluster&) override {
    log.push_back("PreFilter " + name);
    return pre_filter;
  }
  framework::Status AddPod(framework::CycleState&, const framework::PodInfo&, const framework::PodInfo& added,
                           const framework::NodeInfo&) const override {
    log.push_back("AddPod " + name + " " + added->meta.name);
    return extension;
  }
  framework::Status RemovePod(framework::CycleState&, const framework::PodInfo&, const framework::PodInfo& removed,
                              const framework::NodeInfo&) const override {
    log.push_back("RemovePod " + name + " " + removed->meta.name);
    return extension;
  }
  framework::Status Filter(const framework::CycleState&, const framework::PodInfo&,
                           const framework::NodeInfo& node) const override {
    log.push_back("Filter " + name + " " + node.name() + " with " + std::to_string(node.pods.size()));
    return filter ? filter(node) : framework::Status();
  }
  framework::PostFilterResult PostFilter(framework::CycleState&, const framework::PodInfo&, framework::IndexedCluster&,
                                         const framework::Verdicts&) override {
    log.push_back("PostFilter " + name);
    return post_filter;
  }

  std::string name;
  Log& log;
  framework::PreFilterResult pre_filter;
  framework::Status extension;
  std::function<framework::Status(const framework::NodeInfo&)> filter;
  framework::PostFilterResult post_filter{framework::Status::Unschedulable("no help"), {}, {}};
};

struct FakeScore final : framework::PreScorePlugin, framework::ScorePlugin, framework::NormalizeScorePlugin {
  FakeScore(std::string its_name, Log& its_log) : name(std::move(its_name)), log(its_log) {}

  framework::Status PreScore(framework::CycleState&, const framework::PodInfo&, framework::IndexedCluster&,
                             std::span<const framework::NodeId>) override {
    log.push_back("PreScore " + name);
    return pre_score;
  }
  Result<int64_t> Score(const framework::CycleState&, const framework::PodInfo&,
                        const framework::NodeInfo& node) const override {
    log.push_back("Score " + name + " " + node.name());
    return score ? score(node) : Result<int64_t>(int64_t{0});
  }
  framework::Status NormalizeScore(const framework::CycleState&, const framework::PodInfo&,
                                   framework::ScoreColumn& scores) const override {
    log.push_back("NormalizeScore " + name);
    if (normalize) normalize(scores);
    return normalized;
  }

  std::string name;
  Log& log;
  framework::Status pre_score;
  std::function<Result<int64_t>(const framework::NodeInfo&)> score;
  std::function<void(framework::ScoreColumn&)> normalize;
  framework::Status normalized;
};

struct FakeBinding final : framework::ReservePlugin,
                           framework::PermitPlugin,
                           framework::PreBindPlugin,
                           framework::BindPlugin,
                           framework::PostBindPlugin {
  FakeBinding(std::string its_name, Log& its_log) : name(std::move(its_name)), log(its_log) {}

  framework::Status Reserve(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    log.push_back("Reserve " + name);
    return reserve;
  }
  void Unreserve(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    log.push_back("Unreserve " + name);
  }
  framework::PermitResult Permit(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    log.push_back("Permit " + name);
    return permit;
  }
  framework::PreFlightResult PreBindPreFlight(framework::CycleState&, const framework::PodInfo&,
                                              std::string_view) override {
    log.push_back("PreBindPreFlight " + name);
    return {pre_flight, pre_bind_parallel};
  }
  framework::BindingProgress PreBind(framework::CycleState&, const framework::PodInfo&, std::string_view,
                                     const framework::Wake& wake, framework::BindingWork& work) override {
    log.push_back("PreBind " + name);
    return run_pre_bind ? run_pre_bind(wake, work) : framework::BindingProgress::Done(pre_bind);
  }
  framework::BindingProgress Bind(framework::CycleState&, const framework::PodInfo&, std::string_view,
                                  const framework::Wake& wake, framework::BindWork& work) override {
    log.push_back("Bind " + name);
    return run_bind ? run_bind(wake, work) : framework::BindingProgress::Done(bind);
  }
  void PostBind(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    log.push_back("PostBind " + name);
  }

  std::string name;
  Log& log;
  framework::Status reserve;
  framework::PermitResult permit;
  framework::Status pre_flight;
  framework::Status pre_bind;
  bool pre_bind_parallel = false;
  // Instead of `pre_bind`.
  std::function<framework::BindingProgress(const framework::Wake&, framework::BindingWork&)> run_pre_bind;
  framework::Status bind;
  // Instead of `bind`.
  std::function<framework::BindingProgress(const framework::Wake&, framework::BindWork&)> run_bind;
};

}  // namespace berth::test
