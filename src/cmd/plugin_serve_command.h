// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "framework/registry.h"
#include "log/logger.h"
#include "remote/address.h"

#include <string>

namespace berth::cmd {

struct PluginServeOptions {
  std::string plugin;    // its name in the registry
  std::string endpoint;  // see remote::Address; empty: the one that a scheduler which launched us names
  remote::TlsFiles tls;
  log::Logger log;
};

// `berth plugin serve`: serves a plugin of this program to schedulers in other processes, until it is told to end.
int RunPluginServe(const PluginServeOptions& options, const framework::Registry& registry, const Streams& streams);

}  // namespace berth::cmd
