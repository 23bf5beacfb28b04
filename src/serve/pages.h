// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "serve/health.h"
#include "serve/router.h"
#include "serve/side_thread.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace berth::serve {

// Appends metrics in Prometheus' text format. Called on a thread of its own; it must not wait for the engine.
using MetricsSource = std::function<void(std::string& out)>;

// What the pages tell. What is not given is not served.
struct PageOptions {
  std::string component = "kube-scheduler";
  std::vector<HealthCheck> healthz = {};
  std::vector<HealthCheck> livez = {};
  std::vector<HealthCheck> readyz = {};

  MetricsSource metrics = {};
  MetricsSource resource_metrics = {};        // writes nothing when this process is not the leader
  std::function<void()> reset_metrics = {};   // for DELETE
  std::function<std::string()> configz = {};  // the configuration in JSON
  // The gates ComponentStatusz, ComponentFlagz and CBORServingAndStorage.
  bool statusz = true;
  bool flagz = true;
  bool cbor = false;
  std::function<std::map<std::string, std::string>()> flags = {};  // by name; secrets left out
  std::string go_version = "none";
  std::string binary_version = {};     // "1.36.4"
  std::string emulation_version = {};  // "1.36"
  Timestamp started = {};

  bool profiling = true;
  // Sets --v; the error is for whoever asked. For PUT /debug/flags/v.
  std::function<Result<std::string>(const std::string& value)> set_verbosity = {};
};

// Everything lent outlives the router.
void AddPages(Router& router, const PageOptions& options, HealthRecords& records, SideThread& side, const Clock& clock,
              const log::Logger& log);

}  // namespace berth::serve
