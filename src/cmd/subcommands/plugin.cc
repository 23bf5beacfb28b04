// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_new_command.h"
#include "cmd/plugin_serve_command.h"
#include "cmd/plugin_templates.h"
#include "cmd/plugin_test_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

constexpr size_t kNodesOfBench = 5000;
constexpr size_t kPodsOfBench = 32;

class Plugin : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& shared) override {
    command_ = program.add_subcommand("plugin", "Begin, test, measure and serve plugins");
    command_->require_subcommand(1);
    command_->footer("Example:\n  berth plugin new --lang cpp rack-aware");
    AddNew();
    AddTest(shared);
    AddBench(shared);
    AddServe(shared);
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override {
    if (new_->parsed()) return RunPluginNew(new_options_, context.registry, context.streams);
    if (serve_->parsed()) {
      serve_options_.log = context.log;
      return RunPluginServe(serve_options_, context.registry, context.streams);
    }
    PluginTestOptions& options = test_->parsed() ? test_options_ : bench_options_;
    if (!InputIsReadOnce(options.cluster, "", context.streams)) return kExitUsage;
    options.wide = output_ == "wide";
    options.colour = context.colour;
    options.cluster.log = context.log;
    options.cluster.gates = context.gates;
    return test_->parsed() ? RunPluginTest(options, context.registry, context.streams)
                           : RunPluginBench(options, {}, context.registry, context.streams);
  }

 private:
  void AddNew() {
    new_ = command_->add_subcommand("new", "Write a project with a plugin that works, to begin from");
    new_->add_option("NAME", new_options_.name, "What configurations call the plugin")->required()->type_name("");
    new_->add_option("--lang", new_options_.language, "What to write it in; default: cpp")
        ->check(CLI::IsMember(PluginLanguages()))
        ->type_name("LANGUAGE");
    new_->add_option("--out", new_options_.folder, "Folder to write; default: called like the plugin")
        ->type_name("FOLDER");
    new_->footer(
        "Examples:\n  berth plugin new rack-aware\n  berth plugin new --lang cpp RackAware --out plugins/racks");
  }

  void AddTest(SharedFlags& shared) {
    test_ = command_->add_subcommand("test", "Do plugins keep their contract? Asks them, without a cluster");
    AddSubjects(test_, test_options_, shared);
    AddOutput(test_, output_, {"table", "wide"});
    test_->footer(
        "Asks from PreFilter to NormalizeScore: the same twice and in another order, in both forms, and what would be\n"
        "if nodes had a pod more or less. Exit code 0: every rule was kept, 1: one was broken.\n\n"
        "Examples:\n"
        "  berth plugin test --config scheduler.yaml --plugin RackAware\n"
        "  berth plugin test --config scheduler.yaml --nodes 200 --pods 100 --seed 7\n"
        "  kubectl get nodes,pods -A -o yaml | berth plugin test --config scheduler.yaml -f -");
  }

  void AddBench(SharedFlags& shared) {
    bench_ = command_->add_subcommand("bench", "What do plugins cost, per pod and per node?");
    bench_options_.random.nodes = kNodesOfBench;
    bench_options_.random.pods = kPodsOfBench;
    AddSubjects(bench_, bench_options_, shared);
    bench_->footer(
        "Measures PreFilter, Filter, PreScore and Score, called in a loop and by the runtime, and beside them a "
        "plugin\n"
        "that looks at one number of each node.\n\n"
        "Examples:\n"
        "  berth plugin bench --config scheduler.yaml --plugin RackAware\n"
        "  berth plugin bench --plugin NodeResourcesFit --nodes 20000");
  }

  void AddServe(SharedFlags& shared) {
    serve_ = command_->add_subcommand("serve", "Serve a plugin of this program to schedulers in other processes");
    serve_->add_option("NAME", serve_options_.plugin, "The plugin")->required()->type_name("");
    serve_
        ->add_option("--endpoint", serve_options_.endpoint,
                     "Where to listen: unix:///PATH, tcp://127.0.0.1:PORT or tls://HOST:PORT; default: "
                     "$BERTH_PLUGIN_ENDPOINT")
        ->type_name("URL");
    serve_->add_option("--tls-cert", serve_options_.tls.cert_file, "With tls://: our certificate")->type_name("FILE");
    serve_->add_option("--tls-key", serve_options_.tls.key_file, "With tls://: its key")->type_name("FILE");
    serve_->add_option("--client-ca", serve_options_.tls.ca_file, "With tls://: who certifies schedulers")
        ->type_name("FILE");
    AddLogging(serve_, shared);
    serve_->footer(
        "The scheduler's configuration says what it asks the plugin: docs/guides/remote-plugins.md\n\n"
        "Example:\n  berth plugin serve NodeResourcesFit --endpoint unix:///run/berth/fit.sock");
  }

  // Which plugins to ask, and about what.
  void AddSubjects(CLI::App* command, PluginTestOptions& options, SharedFlags& shared) {
    command
        ->add_option("--plugin", options.plugins,
                     "Ask these only; default: those that do not come with Berth, or else all")
        ->type_name("NAME");
    AddCluster(command, options.cluster);
    plugin_check::RandomObjectsOptions& random = options.random;
    AddNumber(command, "--nodes", random.nodes, "Without files: so many random nodes", 1);
    AddNumber(command, "--pods", random.pods, "Without files: so many random pods to be placed", 1);
    AddNumber(command, "--seed", random.seed, "Draws them", 0);
    AddGates(command, shared);
    AddLogging(command, shared);
    AddColour(command, shared);
  }

  template <typename T>
  static void AddNumber(CLI::App* command, const std::string& name, T& number, const std::string& about,
                        uint64_t least) {
    command->add_option(name, number, about + "; default: " + std::to_string(number))
        ->check(WholeNumber(least))
        ->excludes("--filename")
        ->excludes("--kubeconfig")
        ->excludes("--context")
        ->type_name("N");
  }

  CLI::App* command_ = nullptr;
  CLI::App* new_ = nullptr;
  CLI::App* test_ = nullptr;
  CLI::App* bench_ = nullptr;
  CLI::App* serve_ = nullptr;
  PluginNewOptions new_options_;
  PluginTestOptions test_options_;
  PluginTestOptions bench_options_;
  PluginServeOptions serve_options_;
  std::string output_ = "table";
};

}  // namespace

std::unique_ptr<Subcommand> PluginSubcommand() { return std::make_unique<Plugin>(); }

}  // namespace berth::cmd
