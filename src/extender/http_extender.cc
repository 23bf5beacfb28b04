// SPDX-License-Identifier: Apache-2.0
#include "extender/http_extender.h"

#include "config/fields/field_errors.h"
#include "extender/answers.h"
#include "extender/asker.h"
#include "extender/extender_endpoint.h"
#include "extender/questions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::extender {
namespace {

// A question about nodes, for as long as it takes.
struct NodesAsked {
  api::PodPtr pod;
  std::vector<api::NodePtr> nodes;
};

std::shared_ptr<const NodesAsked> Keep(const api::PodPtr& pod, std::span<const api::NodePtr> nodes) {
  return std::make_shared<const NodesAsked>(NodesAsked{pod, {nodes.begin(), nodes.end()}});
}

}  // namespace

Result<std::unique_ptr<HttpExtender>> HttpExtender::Make(net::Loop& loop, const config::Extender& config,
                                                         const CallLimits& limits,
                                                         const kube::Surroundings& surroundings) {
  std::unique_ptr<HttpExtender> extender(new HttpExtender(loop, config));
  const Result<ExtenderUrl> url = ParseExtenderUrl(config.url_prefix, "");
  if (!url) return extender;
  Result<net::Endpoint> endpoint = EndpointOf(config, url->server, surroundings);
  if (!endpoint) {
    return InvalidError(
        fmt::format("extender {} cannot be used: {}", config::Quoted(config.url_prefix), endpoint.error().message));
  }
  extender->channel_ = std::make_unique<CallChannel>(loop, *std::move(endpoint), limits, config.EffectiveTimeout());
  return extender;
}

HttpExtender::HttpExtender(net::Loop& loop, const config::Extender& config) : loop_(loop), config_(config) {
  for (const config::ExtenderResource& resource : config.managed_resources) managed_.insert(resource.name);
}

void HttpExtender::Close() {
  if (channel_ != nullptr) channel_->Close();
}

bool HttpExtender::Manages(const std::vector<api::Container>& containers) const {
  const auto has_managed = [&](const api::ResourceList& amounts) {
    return std::any_of(amounts.begin(), amounts.end(), [&](const auto& each) { return managed_.contains(each.first); });
  };
  return std::ranges::any_of(containers, [&](const api::Container& container) {
    return has_managed(container.resources.requests) || has_managed(container.resources.limits);
  });
}

bool HttpExtender::IsInterested(const api::PodSpec& spec) const {
  return managed_.empty() || Manages(spec.containers) || Manages(spec.init_containers);
}

template <typename Answer>
void HttpExtender::Ask(const std::string& verb, std::function<std::string()> question,
                       std::function<Result<Answer>(std::string_view)> read, std::function<void(Answer)> answered) {
  if (refuses_) return answered(Failure<Answer>(kShuttingDown));
  Result<ExtenderUrl> url = ParseExtenderUrl(config_.url_prefix, verb);
  if (!url || channel_ == nullptr) {
    return answered(Failure<Answer>(url ? "the URL prefix cannot be used" : url.error().message));
  }
  const auto asker = std::make_shared<Asker<Answer>>(std::move(answered));
  auto take = [asker, read = std::move(read), text = url->text](Result<std::string> body) {
    if (!body) return asker->Tell(Failure<Answer>(body.error().message));
    Result<Answer> answer = read(*body);
    if (answer) return asker->Tell(*std::move(answer));
    asker->Tell(Failure<Answer>(
        fmt::format("cannot read the answer of the extender at URL {}: {}", text, answer.error().message)));
  };
  ExtenderCall call{verb, *std::move(url), std::move(question), std::move(take)};
  loop_.Post([channel = channel_.get(), call = std::move(call)] { channel->Ask(call); });
}

void HttpExtender::Filter(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
                          std::function<void(FilterAnswer)> answered) {
  if (!filters()) {
    FilterAnswer all;
    for (const api::NodePtr& node : nodes) all.passed.push_back(node->meta.name);
    return answered(std::move(all));
  }
  const auto asked = Keep(pod, nodes);
  const bool names_only = config_.node_cache_capable;
  const auto read = [asked, names_only, prefix = config_.url_prefix](std::string_view body) {
    Result<FilterAnswer> answer = ReadFilterAnswer(body, names_only);
    if (!answer || !answer->error.empty()) return answer;
    if (const std::string* stranger = FindStranger(answer->passed, asked->nodes)) {
      answer->error = fmt::format("extender {} claims a filtered node {} which is not found in the input node list",
                                  config::Quoted(prefix), config::Quoted(*stranger));
    }
    return answer;
  };
  Ask<FilterAnswer>(
      config_.filter_verb, [asked, names_only] { return NodesQuestion(asked->pod, asked->nodes, names_only); }, read,
      std::move(answered));
}

void HttpExtender::Prioritize(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
                              std::function<void(PrioritizeAnswer)> answered) {
  if (!prioritizes()) {
    PrioritizeAnswer none;
    for (const api::NodePtr& node : nodes) none.scores.push_back({node->meta.name, 0});
    return answered(std::move(none));
  }
  const auto asked = Keep(pod, nodes);
  const bool names_only = config_.node_cache_capable;
  Ask<PrioritizeAnswer>(
      config_.prioritize_verb, [asked, names_only] { return NodesQuestion(asked->pod, asked->nodes, names_only); },
      ReadPrioritizeAnswer, std::move(answered));
}

void HttpExtender::Preempt(const api::PodPtr& pod, std::vector<Candidate> candidates,
                           std::function<void(PreemptAnswer)> answered) {
  if (!preempts()) {
    return answered(Failure<PreemptAnswer>(
        fmt::format("preempt verb is not defined for extender {} but run into ProcessPreemption", config_.url_prefix)));
  }
  const auto asked = std::make_shared<const std::vector<Candidate>>(std::move(candidates));
  const bool uids_only = config_.node_cache_capable;
  Ask<PreemptAnswer>(
      config_.preempt_verb, [pod, asked, uids_only] { return PreemptQuestion(pod, *asked, uids_only); },
      ReadPreemptAnswer, std::move(answered));
}

void HttpExtender::Bind(const api::PodPtr& pod, std::string_view node, std::function<void(BindAnswer)> answered) {
  if (!binds()) return answered(Failure<BindAnswer>("unexpected empty bindVerb in extender"));
  Ask<BindAnswer>(
      config_.bind_verb, [pod, node = std::string(node)] { return BindQuestion(*pod, node); }, ReadBindAnswer,
      std::move(answered));
}

}  // namespace berth::extender
