// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"
#include "remote/channel.h"

#include <functional>
#include <memory>
#include <string>

namespace berth::remote {

// Opens sessions with the program that serves the plugin.
using DialPlugin = std::function<std::unique_ptr<Dialer>(const std::string& plugin)>;

// A plugin of a program as its twin in another process: under the same name, with the same arguments, at the same
// points. Whatever it decides there it must decide here.
framework::PluginEntry TwinOf(const framework::PluginEntry& entry, DialPlugin dial);

}  // namespace berth::remote
