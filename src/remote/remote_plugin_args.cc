// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_plugin_args.h"

#include "api/map_writer.h"
#include "config/fields/field_errors.h"
#include "config/fields/go_duration.h"
#include "config/fields/scalars.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using api::FieldReader;
using api::Value;
using config::Child;
using config::Messages;
using framework::ExtensionPoint;

namespace {

constexpr std::array<std::pair<FailurePolicy, std::string_view>, 3> kPolicies = {{
    {FailurePolicy::Fail, "Fail"},
    {FailurePolicy::Ignore, "Ignore"},
    {FailurePolicy::Fallback, "Fallback"},
}};

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const auto& [policy, name] : kPolicies) names.emplace_back(name);
  return names;
}

std::vector<std::string> PointNames() {
  std::vector<std::string> names;
  for (const ExtensionPoint point : framework::kExtensionPoints) names.emplace_back(framework::PointName(point));
  return names;
}

// The message without its path, which the reader adds.
std::string NotAmong(std::string_view value, const std::vector<std::string>& supported) {
  return config::Unsupported("", value, supported).substr(std::string_view(": ").size());
}

FailurePolicy DecodePolicy(FieldReader& reader, FailurePolicy fallback) {
  const std::optional<std::string> text = reader.OptionalString("failurePolicy");
  if (!text) return fallback;
  const auto it = std::ranges::find(kPolicies, *text, [](const auto& entry) { return entry.second; });
  if (it != kPolicies.end()) return it->first;
  reader.Fail("failurePolicy", NotAmong(*text, PolicyNames()));
  return fallback;
}

std::vector<ExtensionPoint> DecodePoints(FieldReader& reader) {
  std::vector<ExtensionPoint> points;
  for (const std::string& name : reader.Strings("points")) {
    const auto it = std::ranges::find(framework::kExtensionPoints, name, framework::PointName);
    if (it != framework::kExtensionPoints.end()) {
      points.push_back(*it);
    } else {
      reader.Fail("points", NotAmong(name, PointNames()));
    }
  }
  return points;
}

TlsFiles DecodeTls(FieldReader& reader) {
  TlsFiles tls;
  reader.Map("tls", [&](FieldReader& fields) {
    tls = {fields.String("caFile"), fields.String("certFile"), fields.String("keyFile"), fields.String("serverName")};
    fields.RejectUnknown();
  });
  return tls;
}

RemoteLimits DecodeLimits(FieldReader& reader) {
  RemoteLimits limits;
  reader.Map("limits", [&](FieldReader& fields) {
    if (const auto memory = fields.QuantityAt("memory")) limits.memory = memory->Value();
    limits.open_files = fields.Int64("openFiles");
    limits.processes = fields.Int64("processes");
    fields.RejectUnknown();
  });
  return limits;
}

void CheckTls(const RemotePluginArgs& args, const std::string& path, bool encrypted, Messages& messages) {
  const std::string at = Child(path, "tls");
  if (!encrypted && !args.tls.empty()) messages.push_back(config::Forbidden(at, "the endpoint is not tls://"));
  if (args.tls.cert_file.empty() != args.tls.key_file.empty()) {
    messages.push_back(config::Required(Child(at, args.tls.cert_file.empty() ? "certFile" : "keyFile"),
                                        "certFile and keyFile go together"));
  }
}

void CheckLimit(const std::optional<int64_t>& limit, const std::string& path, Messages& messages) {
  if (limit && *limit <= 0) messages.push_back(config::Invalid(path, *limit, "must be greater than zero"));
}

void CheckPositive(Duration duration, const std::string& path, Messages& messages) {
  if (duration > Duration(0)) return;
  messages.push_back(config::Invalid(path, config::FormatGoDuration(duration), "must be greater than zero"));
}

}  // namespace

void RemotePluginArgs::Decode(FieldReader& reader) {
  endpoint = reader.String("endpoint");
  command = reader.Strings("command");
  tls = DecodeTls(reader);
  points = DecodePoints(reader);
  kinds = reader.Strings("kinds");
  timeout = config::ReadDuration(reader, "timeout").value_or(timeout);
  start_timeout = config::ReadDuration(reader, "startTimeout").value_or(start_timeout);
  failure_policy = DecodePolicy(reader, failure_policy);
  DecodeFallback(reader);
  max_in_flight = reader.Int32("maxInFlight").value_or(max_in_flight);
  whole_objects = reader.Bool("wholeObjects");
  limits = DecodeLimits(reader);
  if (const Value* own = reader.Raw("config")) config = *own;
}

void RemotePluginArgs::DecodeFallback(FieldReader& reader) {
  reader.Map("fallback", [&](FieldReader& fields) {
    RemoteFallback& read = fallback.emplace();
    read.name = fields.String("name");
    const Value* args = fields.Raw("args");
    const framework::PluginEntry* entry = program_ == nullptr ? nullptr : program_->Find(read.name);
    if (entry != nullptr && entry->args_form == framework::ArgsForm::Typed) {
      const std::shared_ptr<framework::TypedArgs> typed = entry->new_args(gates_);
      if (args != nullptr) {
        FieldReader own(*args, fields.Path("args"), fields.errors());
        own.Raw("apiVersion");
        own.Raw("kind");
        typed->Decode(own);
        own.RejectUnknown();
      }
      read.args = typed;
    } else if (args != nullptr) {
      auto raw = std::make_shared<framework::RawArgs>();
      raw->value = *args;
      read.args = std::move(raw);
    }
    fields.RejectUnknown();
  });
}

void RemotePluginArgs::Encode(Value& map) const {
  api::MapWriter writer;
  writer.Text("endpoint", endpoint).Texts("command", command);
  writer.Map("tls", std::move(api::MapWriter()
                                  .Text("caFile", tls.ca_file)
                                  .Text("certFile", tls.cert_file)
                                  .Text("keyFile", tls.key_file)
                                  .Text("serverName", tls.server_name)));
  std::vector<std::string> names;
  for (const ExtensionPoint point : points) names.emplace_back(framework::PointName(point));
  writer.Texts("points", names).Texts("kinds", kinds);
  writer.Text("timeout", config::FormatGoDuration(timeout));
  writer.Text("startTimeout", config::FormatGoDuration(start_timeout));
  writer.Text("failurePolicy",
              std::ranges::find(kPolicies, failure_policy, [](const auto& entry) { return entry.first; })->second);
  if (fallback) {
    api::MapWriter written;
    written.Text("name", fallback->name);
    if (const auto* raw = dynamic_cast<const framework::RawArgs*>(fallback->args.get())) {
      written.Put("args", raw->value);
    } else if (const auto* typed = dynamic_cast<const TypedArgs*>(fallback->args.get())) {
      Value args = Value::Map();
      typed->Encode(args);
      written.Put("args", std::move(args));
    }
    writer.Put("fallback", written.Take());
  }
  writer.Number("maxInFlight", max_in_flight).Flag("wholeObjects", whole_objects);
  api::MapWriter written_limits;
  written_limits.Number("memory", limits.memory)
      .Number("openFiles", limits.open_files)
      .Number("processes", limits.processes);
  writer.Map("limits", std::move(written_limits));
  if (!config.is_null()) writer.Put("config", config);
  Value written = writer.Take();
  for (Value::Member& member : written.mutable_members()) map.Set(member.key, std::move(member.value));
}

std::vector<std::string> RemotePluginArgs::Validate(const std::string& path, const features::FeatureGates&) const {
  Messages messages;
  bool encrypted = false;
  if (endpoint.empty() && command.empty()) {
    messages.push_back(config::Required(Child(path, "endpoint"), "or a command to launch"));
  } else if (!endpoint.empty()) {
    const Result<Address> address = Address::Parse(endpoint);
    encrypted = address && address->kind == Address::Kind::Tls;
    if (!address) {
      messages.push_back(config::Invalid(Child(path, "endpoint"), endpoint, address.error().message));
    } else if (!encrypted && !address->is_local()) {
      messages.push_back(config::Invalid(Child(path, "endpoint"), endpoint,
                                         "anyone on the way could read and change what is said; write tls://"));
    }
  }
  if (!command.empty() && command.front().empty()) {
    messages.push_back(config::Required(config::Index(Child(path, "command"), 0), "the program to launch"));
  }
  CheckTls(*this, path, encrypted, messages);
  CheckPositive(timeout, Child(path, "timeout"), messages);
  CheckPositive(start_timeout, Child(path, "startTimeout"), messages);
  if (max_in_flight <= 0) {
    messages.push_back(config::Invalid(Child(path, "maxInFlight"), max_in_flight, "must be greater than zero"));
  }
  ValidateFallback(path, messages);
  const std::string limits_at = Child(path, "limits");
  if (command.empty() && (limits.memory || limits.open_files || limits.processes)) {
    messages.push_back(config::Forbidden(limits_at, "only a program that is launched here can be limited"));
  }
  CheckLimit(limits.memory, Child(limits_at, "memory"), messages);
  CheckLimit(limits.open_files, Child(limits_at, "openFiles"), messages);
  CheckLimit(limits.processes, Child(limits_at, "processes"), messages);
  return messages;
}

void RemotePluginArgs::ValidateFallback(const std::string& path, Messages& messages) const {
  const std::string at = Child(path, "fallback");
  if (failure_policy != FailurePolicy::Fallback) {
    if (fallback) messages.push_back(config::Forbidden(at, "the failurePolicy is not Fallback"));
    return;
  }
  if (!fallback || fallback->name.empty()) {
    messages.push_back(config::Required(at, "failurePolicy Fallback needs the name of a plugin"));
    return;
  }
  if (program_ != nullptr && program_->Find(fallback->name) == nullptr) {
    messages.push_back(config::Invalid(Child(at, "name"), fallback->name, "this program has no such plugin"));
  }
  if (const auto* typed = dynamic_cast<const TypedArgs*>(fallback->args.get())) {
    for (std::string& message : typed->Validate(Child(at, "args"), gates_)) messages.push_back(std::move(message));
  }
}

bool WantsWholeObjects(const framework::PluginArgs& args) {
  const auto* remote = dynamic_cast<const RemotePluginArgs*>(&args);
  return remote != nullptr && remote->whole_objects;
}

}  // namespace berth::remote
