// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/record/run_record.h"
#include "simulator/run/run_report.h"
#include "simulator/run/virtual_scheduler.h"
#include "simulator/scenario/scenario.h"

#include <string>
#include <vector>

// Runs scenarios with the in-tree plugins, for tests.
namespace berth::simulator {

struct TestedRun {
  RunReport report;
  std::vector<std::string> decisions;  // "10m web-3 unschedulable", "10m web-3 placed node-1"
  std::string record;                  // the content of the record file
  std::string log;                     // every decision in full
};

// `yaml` is a scenario from its third line on.
Scenario ReadScenario(const std::string& yaml);
SchedulerSetup DefaultSetup(uint64_t seed);
// Runs the scenario with `objects`, YAML documents, as initial objects.
TestedRun RunTested(const std::string& yaml, const std::string& objects = {});

// "- {name: w, FIELDS, template: …}" with one container that requests `cpu`; `spec` adds to the pod's spec.
std::string WorkloadYaml(const std::string& name, const std::string& cpu, const std::string& fields,
                         const std::string& spec = {});

}  // namespace berth::simulator
