// SPDX-License-Identifier: Apache-2.0
#include "cmd/explain_command.h"

#include "api/document.h"
#include "cmd/pod_target.h"
#include "explain/explain.h"
#include "explain/explanation_document.h"
#include "explain/explanation_text.h"
#include "simulator/unbound_claims.h"
#include "text/style.h"

#include <ostream>

namespace berth::cmd {
namespace {

using explain::Explanation;

int Fail(const Error& error, const Streams& streams, int code = kExitFailed) {
  *streams.err << "berth: " << error.message << '\n';
  return code;
}

void Print(const Explanation& explanation, const ExplainOptions& options, const Streams& streams) {
  if (options.output == "json") {
    *streams.out << api::ToJson(ExplanationDocument(explanation, options.node), 2) << '\n';
  } else if (options.output == "yaml") {
    *streams.out << api::ToYaml(ExplanationDocument(explanation, options.node));
  } else {
    const text::Style style{text::Painter(options.colour), streams.width, options.output == "wide"};
    *streams.out << (options.node.empty() ? ExplanationText(explanation, style)
                                          : NodeAnswerText(explanation, options.node, style));
  }
}

}  // namespace

int RunExplain(const LoadedCluster& loaded, const ExplainOptions& options, const Streams& streams) {
  const Result<std::string> key = PodKeyFrom(options.target);
  if (!key) return Fail(key.error(), streams, kExitUsage);
  const simulator::DescribedCluster cluster(loaded.objects, loaded.planned.plans, *loaded.planned.loaded.registry);
  const Result<framework::PodInfoPtr> pod = FindPod(cluster, *key);
  if (!pod) return Fail(pod.error(), streams);
  if (!options.node.empty()) {
    if (const Result<void> known = CheckNode(cluster, options.node); !known) return Fail(known.error(), streams);
  }
  // A running pod of another scheduler is explained with the first profile: the question is what Berth would do.
  const config::ProfilePlan& plan = cluster.PlanFor((**pod)->spec->scheduler_name);
  Result<Explanation> explanation =
      explain::Explain({cluster.cluster(), cluster.nominations(), plan, cluster.registry(), cluster.clock()}, *pod);
  if (!explanation) return Fail(explanation.error(), streams);
  const bool is_pending = (**pod)->node_name.empty();
  explanation->others_pending = cluster.pending().size() - (is_pending ? 1 : 0);
  Print(*explanation, options, streams);
  if (explanation->outcome != Explanation::Outcome::Placed) {
    for (const std::string& claim : simulator::UnboundImmediateClaims(***pod, cluster.cluster().objects())) {
      *streams.err << "berth: note: claim " << (**pod)->meta.namespace_ << '/' << claim
                   << " is not bound. explain judges the cluster as it is; berth simulate binds such claims first, as "
                      "a volume controller does\n";
    }
  }
  return explanation->Agrees(options.node) ? kExitOk : kExitNo;
}

int RunExplain(const ExplainOptions& options, const framework::Registry& registry, const Streams& streams) {
  if (const Result<std::string> key = PodKeyFrom(options.target); !key) return Fail(key.error(), streams, kExitUsage);
  std::optional<LoadedCluster> loaded = LoadCluster(options.cluster, registry, *streams.err);
  return loaded ? RunExplain(*loaded, options, streams) : kExitFailed;
}

}  // namespace berth::cmd
