// SPDX-License-Identifier: Apache-2.0
#include "cmd/scheduler_setup.h"

#include "cmd/remote_plugins.h"
#include "config/defaults.h"
#include "config/plan.h"
#include "extender/extenders.h"
#include "kube/access/surroundings.h"

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {

Result<config::PlannedConfiguration> LoadPlanned(const std::string& path, const framework::Registry& registry,
                                                 const features::FeatureGates& gates, std::ostream& err) {
  if (path.empty()) {
    config::PlannedConfiguration planned;
    planned.loaded.config = config::DefaultConfiguration(registry, gates);
    planned.loaded.registry = framework::Borrowed(registry);
    BERTH_ASSIGN_OR_RETURN(planned.plans, config::PlanProfiles(planned.loaded.config, registry));
    return planned;
  }
  auto outcome = config::LoadAndPlanFile(path, registry, gates);
  if (const auto* problem = std::get_if<config::ConfigProblem>(&outcome)) {
    return InvalidError(fmt::format("configuration {} cannot be used\n{}", path, fmt::join(problem->messages, "\n")));
  }
  auto& planned = std::get<config::PlannedConfiguration>(outcome);
  for (const std::string& note : planned.loaded.notes) err << path << ": note: " << note << '\n';
  return std::move(planned);
}

void AskExtenders(simulator::SchedulerSetup& setup) {
  setup.keep_documents = {.nodes = true, .waiting_pods = true, .placed_pods = true};
  setup.make_extenders = [extenders = config::OrderedExtenders(
                              setup.config.extenders)]() mutable -> Result<std::unique_ptr<framework::Extenders>> {
    // Their bindings would be written to a real cluster.
    for (config::Extender& extender : extenders) extender.bind_verb.clear();
    BERTH_ASSIGN_OR_RETURN(auto made, extender::Extenders::Start(extenders, {.surroundings = kube::OfThisProcess()}));
    return std::unique_ptr<framework::Extenders>(std::move(made));
  };
}

simulator::SchedulerSetup SetupFor(config::PlannedConfiguration planned, uint64_t seed) {
  simulator::SchedulerSetup setup;
  setup.config = std::move(planned.loaded.config);
  setup.plans = std::move(planned.plans);
  setup.keep_documents = DocumentsForPlugins(setup.plans);
  setup.registry = std::move(planned.loaded.registry);
  setup.seed = seed;
  return setup;
}

}  // namespace berth::cmd
