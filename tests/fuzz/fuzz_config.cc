// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "base/check.h"
#include "config/encode.h"
#include "config/load.h"
#include "config/plan.h"
#include "plugins/registry.h"

#include <cstdint>
#include <set>

using namespace berth;

// Whatever is accepted encodes to a v1 document that is accepted too and means the same; whatever is refused says why.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const framework::Registry registry = plugins::InTreeRegistry();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto outcome = config::LoadConfiguration(text, "fuzz", registry);
  if (const auto* problem = std::get_if<config::ConfigProblem>(&outcome)) {
    BERTH_CHECK(!problem->messages.empty());
    return 0;
  }
  const auto& loaded = std::get<config::LoadedConfiguration>(outcome);
  static_cast<void>(config::PlanAll(loaded.config, registry));
  // Entries that name a plugin twice are kept for planning to refuse; which of them comes first is not settled.
  for (const config::ProfileConfig& profile : loaded.config.profiles) {
    std::set<std::string_view> names;
    for (const config::PluginRef& plugin : profile.plugins.multi_point.enabled) {
      if (!names.insert(plugin.name).second) return 0;
    }
  }
  const std::string once = api::ToYaml(config::EncodeConfiguration(loaded.config));
  const auto again = config::LoadConfiguration(once, "again", registry);
  const auto* reread = std::get_if<config::LoadedConfiguration>(&again);
  BERTH_CHECK(reread != nullptr);
  BERTH_CHECK(api::ToYaml(config::EncodeConfiguration(reread->config)) == once);
  return 0;
}
