// SPDX-License-Identifier: Apache-2.0
#include "cmd/subcommands/shared_options.h"

#include <algorithm>
#include <charconv>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::cmd {

void AddColour(CLI::App* command, SharedFlags& flags) {
  command->add_option("--color", flags.colour, "Colour the answer; auto: on terminals that want it")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void AddGates(CLI::App* command, SharedFlags& flags) {
  command
      ->add_option("--feature-gates", flags.gates.feature_gates,
                   "Feature gates as kube-scheduler takes them: A=true,B=false; may be repeated")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("GATES");
  command
      ->add_option("--emulated-version", flags.gates.emulated_version,
                   "Feature gates exist and default as in this release, 1.33 to 1.36")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("VERSION");
}

void AddLogging(CLI::App* command, SharedFlags& flags) {
  command->add_option("--log-format", flags.log.format, "How log lines on standard error look; default: text")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command->add_option("-v,--v", flags.log.verbosity, "How much is logged; default: 0")
      ->check(WholeNumber())
      ->type_name("N");
  command->add_option("--vmodule", flags.log.modules, "The same by module, for example plugins/*=4")
      ->type_name("PATTERN=N,…");
}

void AddCluster(CLI::App* command, ClusterOptions& options) {
  command
      ->add_option("-f,--filename", options.files,
                   "Files or directories with the cluster's objects; - is standard input")
      ->type_name("FILE");
  command->add_option("--config", options.config, "KubeSchedulerConfiguration to decide by; default: kube-scheduler's")
      ->type_name("FILE");
  command
      ->add_option("--kubeconfig", options.server.kubeconfig,
                   "Ask the cluster of this kubeconfig for its objects; files come on top")
      ->type_name("FILE");
  command->add_option("--context", options.server.context, "The same, by a context of the kubeconfig")
      ->type_name("NAME");
}

void AddScheduler(CLI::App* command, SchedulerAddress& address) {
  command->add_option("--scheduler", address.url, "The scheduler to ask: HOST[:PORT], over HTTPS")->type_name("URL");
  command
      ->add_option("--token-file", address.token_file,
                   "File with the bearer token to send; default: the kubeconfig's credentials")
      ->type_name("FILE");
  command
      ->add_option("--certificate-authority", address.certificate_authority,
                   "CA certificates to verify the scheduler with")
      ->type_name("FILE");
  command->add_flag("--insecure-skip-tls-verify", address.insecure, "Accept any certificate of it");
}

void AddOutput(CLI::App* command, std::string& output, const std::vector<std::string>& formats) {
  command->add_option("-o,--output", output, fmt::format("How to print the answer; default: {}", formats.front()))
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT");
}

std::function<std::string(const std::string&)> WholeNumber(uint64_t least) {
  return [least](const std::string& text) {
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [read, problem] = std::from_chars(text.data(), end, number);
    if (problem == std::errc() && read == end && number >= least) return std::string();
    return fmt::format("\"{}\" is not a whole number from {} on", text, least);
  };
}

bool InputIsReadOnce(const ClusterOptions& options, const std::string& other, const Streams& streams) {
  const auto times = std::count(options.files.begin(), options.files.end(), "-") + (options.config == "-" ? 1 : 0) +
                     (other == "-" ? 1 : 0);
  if (times <= 1) return true;
  *streams.err << "berth: \"-\" stands for standard input, which can be read only once\n";
  return false;
}

}  // namespace berth::cmd
