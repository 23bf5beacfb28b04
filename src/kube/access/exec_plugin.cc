// SPDX-License-Identifier: Apache-2.0
#include "kube/access/exec_plugin.h"

#include "api/decoder.h"
#include "api/document.h"
#include "config/fields/go_duration.h"
#include "kube/access/process.h"
#include "kube/access/trimmed.h"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::kube {
namespace {

constexpr size_t kShownErrorBytes = 1000;

Result<bool> IsInteractive(const ExecPlugin& plugin, const Surroundings& surroundings) {
  switch (plugin.interactive_mode) {
    case InteractiveMode::Never: return false;
    case InteractiveMode::IfAvailable: return surroundings.stdin_is_terminal;
    case InteractiveMode::Always: break;
  }
  if (surroundings.stdin_is_terminal) return true;
  return InvalidError("exec plugin cannot support interactive mode: standard input is not a terminal");
}

// What the plugin finds in KUBERNETES_EXEC_INFO.
std::string ExecInfo(const ExecPlugin& plugin, bool interactive) {
  const std::string cluster = plugin.cluster_info.empty() ? "" : fmt::format("\"cluster\":{},", plugin.cluster_info);
  return fmt::format("{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{}\",\"spec\":{{{}\"interactive\":{}}}}}\n",
                     plugin.api_version, cluster, interactive);
}

std::vector<std::string> EnvironmentFor(const ExecPlugin& plugin, const Surroundings& surroundings, bool interactive) {
  auto variables = surroundings.variables;
  for (const auto& [name, value] : plugin.variables) variables[name] = value;
  variables["KUBERNETES_EXEC_INFO"] = ExecInfo(plugin, interactive);
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

bool IsExecutableFile(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// The path of a command, found in our own PATH unless it is a path already; empty when it is not there. Folders of PATH
// that are relative are not searched: what lies in the current folder by chance must not run.
std::string FindProgram(const std::string& command, const Surroundings& surroundings) {
  if (command.find('/') != std::string::npos) return command;
  const std::string folders = surroundings.Variable("PATH");
  for (size_t start = 0; start <= folders.size();) {
    const size_t end = std::min(folders.find(':', start), folders.size());
    std::string candidate = fmt::format("{}/{}", folders.substr(start, end - start), command);
    if (end > start && candidate.starts_with('/') && IsExecutableFile(candidate)) return candidate;
    start = end + 1;
  }
  return {};
}

Error NotInstalled(const ExecPlugin& plugin) {
  std::string message = fmt::format(
      "exec: executable {} not found: the credential plugin of user \"{}\" is not installed, or not in PATH",
      plugin.command, plugin.user);
  if (!plugin.install_hint.empty()) message += fmt::format("\n\n{}", plugin.install_hint);
  return NotFoundError(std::move(message));
}

// The end of what was written, in printable form.
std::string Shortened(const std::string& errors) {
  const std::string text = TrimmedCopy(errors);
  if (text.empty()) return "it wrote nothing to standard error";
  const bool is_long = text.size() > kShownErrorBytes;
  return fmt::format("{}{}", is_long ? "…" : "",
                     WithoutControlCharacters(is_long ? text.substr(text.size() - kShownErrorBytes) : text));
}

// Why a run that ended is no success; empty when it is.
std::string FailureOf(const ExecPlugin& plugin, const ProcessOutcome& outcome, const ExecLimits& limits) {
  const auto said = [&](const std::string& what) {
    return fmt::format("exec: executable {} {}: {}", plugin.command, what, Shortened(outcome.errors));
  };
  switch (outcome.end) {
    case ProcessOutcome::End::TimedOut:
      return said(fmt::format("has not ended within {} and was killed", config::FormatGoDuration(limits.time_limit)));
    case ProcessOutcome::End::OutputTooLarge:
      return said(fmt::format("printed more than {} bytes and was killed", limits.max_output_bytes));
    case ProcessOutcome::End::Stopped: return said("was stopped");
    case ProcessOutcome::End::Signalled: return said(fmt::format("was ended by signal {}", outcome.code));
    case ProcessOutcome::End::Exited: break;
  }
  return outcome.code == 0 ? "" : said(fmt::format("failed with exit code {}", outcome.code));
}

Result<ExecCredential> ReadStatus(const api::Value& status) {
  api::DecodeErrors errors;
  api::FieldReader fields(status, "status", errors);
  ExecCredential credential;
  credential.token = TrimmedCopy(fields.String("token"));
  credential.key_pair.certificate = fields.String("clientCertificateData");
  credential.key_pair.key = fields.String("clientKeyData");
  credential.expires = fields.Time("expirationTimestamp");
  if (!errors.empty()) return InvalidError("decoding stdout: " + errors.Text("stdout"));
  if (credential.key_pair.certificate.empty() != credential.key_pair.key.empty()) {
    return InvalidError("exec plugin returned only certificate or key, not both");
  }
  if (credential.token.empty() && credential.key_pair.empty()) {
    return InvalidError("exec plugin didn't return a token or cert/key pair");
  }
  return credential;
}

Result<ExecCredential> ReadCredential(const ExecPlugin& plugin, const std::string& output) {
  // The reader's own message could quote a piece of the secret.
  const auto documents = api::ReadDocuments(output, "stdout");
  if (!documents || documents->size() != 1 || !documents->front().root.is_map()) {
    return InvalidError("decoding stdout: it is no ExecCredential object in JSON");
  }
  const api::Value& root = documents->front().root;
  const auto text = [&](std::string_view key) {
    const api::Value* value = root.Find(key);
    return value != nullptr ? value->text() : std::string();
  };
  if (root.Find("kind") != nullptr && text("kind") != "ExecCredential") {
    return InvalidError(fmt::format("decoding stdout: expected kind ExecCredential, found \"{}\"",
                                    WithoutControlCharacters(text("kind"))));
  }
  if (text("apiVersion") != plugin.api_version) {
    return InvalidError(fmt::format("exec plugin is configured to use API version {}, plugin returned version \"{}\"",
                                    plugin.api_version, WithoutControlCharacters(text("apiVersion"))));
  }
  const api::Value* status = root.Find("status");
  if (status == nullptr || status->is_null()) return InvalidError("exec plugin didn't return a status field");
  return ReadStatus(*status);
}

}  // namespace

Result<ExecCredential> RunExecPlugin(const ExecPlugin& plugin, const Surroundings& surroundings,
                                     const ExecLimits& limits, const std::atomic<bool>* stop) {
  BERTH_ASSIGN_OR_RETURN(const bool interactive, IsInteractive(plugin, surroundings));
  ProcessRequest request;
  request.program = FindProgram(plugin.command, surroundings);
  if (request.program.empty()) return NotInstalled(plugin);
  request.arguments = plugin.arguments;
  request.environment = EnvironmentFor(plugin, surroundings, interactive);
  request.interactive = interactive;
  request.stop = stop;
  request.max_output_bytes = limits.max_output_bytes;
  if (!interactive) request.time_limit = limits.time_limit;
  const Result<ProcessOutcome> outcome = RunProcess(request);
  if (!outcome) {
    if (outcome.error().code == ErrorCode::NotFound) return NotInstalled(plugin);
    return Error{ErrorCode::Unavailable,
                 fmt::format("exec: executable {} cannot be started: {}", plugin.command, outcome.error().message)};
  }
  if (std::string failure = FailureOf(plugin, *outcome, limits); !failure.empty()) {
    return Error{ErrorCode::Unavailable, std::move(failure)};
  }
  Result<ExecCredential> credential = ReadCredential(plugin, outcome->output);
  if (credential) return credential;
  return InvalidError(fmt::format("exec: executable {}: {}", plugin.command, credential.error().message));
}

std::string WithoutControlCharacters(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const bool is_blank = c >= '\t' && c <= '\r';
    if ((c >= 0 && c < 0x20 && !is_blank) || c == 0x7f) {
      shown += fmt::format("U+{:04X}", static_cast<int>(c));
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace berth::kube
