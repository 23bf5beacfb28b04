// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_info.h"
#include "support/builders.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

using test::MakePod;
using test::PodBuilder;

std::string Requests(const PodBuilder& pod, const PodRequestOptions& options = {}) {
  std::string text;
  for (const auto& [name, amount] : PodRequests(*pod.Build(), options)) {
    if (!text.empty()) text += ' ';
    text += name + "=" + amount.ToString();
  }
  return text;
}

TEST(PodRequests, SumContainers) {
  EXPECT_EQ(Requests(MakePod("p")), "");
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "1").Container({{"cpu", "500m"}, {"memory", "1k"}})),
            "cpu=1500m memory=1k");
}

TEST(PodRequests, InitContainersCountAtTheirPeak) {
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "1").InitContainer({{"cpu", "3"}}).InitContainer({{"cpu", "2"}})),
            "cpu=3");
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "4").InitContainer({{"cpu", "3"}, {"memory", "5"}})),
            "cpu=4 memory=5");
}

TEST(PodRequests, SidecarsStayAndCountBesideLaterInitContainers) {
  // Running: 1 + 2; starting: the sidecar's 2 beside 3.
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "1").Sidecar({{"cpu", "2"}}).InitContainer({{"cpu", "3"}})), "cpu=5");
  // The init container before the sidecar runs without it.
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "1").InitContainer({{"cpu", "3"}}).Sidecar({{"cpu", "2"}})), "cpu=3");
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "1").Sidecar({{"cpu", "2"}}).Sidecar({{"cpu", "2"}})), "cpu=5");
}

TEST(PodRequests, PodLevelReplacesTheSum) {
  const PodBuilder pod = MakePod("p").Request("cpu", "1").Request("example.com/gpu", "1").PodLevel({{"cpu", "3"}});
  EXPECT_EQ(Requests(pod), "cpu=3 example.com/gpu=1");
  EXPECT_EQ(Requests(pod, {.skip_pod_level = true}), "cpu=1 example.com/gpu=1");
}

TEST(PodRequests, OverheadComesOnTop) {
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "1").Overhead({{"cpu", "250m"}, {"memory", "64"}})),
            "cpu=1250m memory=64");
  EXPECT_EQ(Requests(MakePod("p").PodLevel({{"cpu", "3"}}).Overhead({{"cpu", "1"}})), "cpu=4");
}

TEST(PodRequests, NonzeroDefaultsPerContainer) {
  const PodRequestOptions nonzero{.nonzero_defaults = true};
  EXPECT_EQ(Requests(MakePod("p"), nonzero), "cpu=100m memory=209715200");
  EXPECT_EQ(Requests(MakePod("p").Request("cpu", "0").Container({}), nonzero), "cpu=100m memory=419430400");
  // With pod-level requests only what nobody asks for gets a default.
  EXPECT_EQ(Requests(MakePod("p").PodLevel({{"cpu", "3"}}), nonzero), "cpu=3 memory=209715200");
}

TEST(PodRequests, ResizesHoldTheMostOfAllStates) {
  const PodRequestOptions held{.use_status = true};
  const auto pod = [] { return MakePod("p").Node("a").Request("cpu", "2"); };
  EXPECT_EQ(Requests(pod().InForce({{"cpu", "3"}}).Granted({{"cpu", "1"}}), held), "cpu=3");
  EXPECT_EQ(Requests(pod().InForce({{"cpu", "1"}}).Granted({{"cpu", "4"}}), held), "cpu=4");
  EXPECT_EQ(Requests(pod().InForce({{"cpu", "1"}}).Granted({{"cpu", "1"}}), held), "cpu=2");
  EXPECT_EQ(Requests(pod().InForce({{"cpu", "9"}})), "cpu=2") << "the spec alone was asked for";
  // Without resources in force the status does not count.
  EXPECT_EQ(Requests(pod().Granted({{"cpu", "4"}}), held), "cpu=2");
}

TEST(PodRequests, InfeasibleResizesDoNotCount) {
  const auto pod = [](std::string_view reason) {
    return MakePod("p")
        .Node("a")
        .Request("cpu", "8")
        .InForce({{"cpu", "1"}})
        .Granted({{"cpu", "2"}})
        .Condition("PodResizePending", "True", reason);
  };
  EXPECT_EQ(Requests(pod("Infeasible"), {.use_status = true}), "cpu=2");
  EXPECT_EQ(Requests(pod("Deferred"), {.use_status = true}), "cpu=8");
}

TEST(PodRequests, PodLevelResizes) {
  PodBuilder pod = MakePod("p").Node("a").PodLevel({{"cpu", "2"}});
  pod.status().resources.emplace().requests = test::Resources({{"cpu", "3"}});
  EXPECT_EQ(Requests(pod, {.use_status = true}), "cpu=3");
  pod.status().allocated_resources = test::Resources({{"cpu", "5"}});
  EXPECT_EQ(Requests(pod, {.use_status = true}), "cpu=5");
}

TEST(PodInfo, TellsWhatIsHeldFromWhatIsAsked) {
  ResourceNames names;
  const PodInfoPtr pod =
      MakePod("p").Node("a").Request("cpu", "2").InForce({{"cpu", "3"}}).Request("example.com/gpu", "1").Info(names);
  EXPECT_EQ(pod->traits->requests.cpu, 3000);
  EXPECT_EQ(pod->traits->spec_requests.cpu, 2000);
  EXPECT_EQ(pod->traits->nonzero_cpu, 3000);
  EXPECT_EQ(pod->traits->nonzero_memory, 200 * 1024 * 1024);
  EXPECT_EQ(pod->traits->requests.Get(names.Intern("example.com/gpu")), 1);
}

TEST(PodInfo, PortsOfContainersThatStay) {
  PodBuilder pod = MakePod("p").HostPort(80).HostPort(53, "10.0.0.1", "UDP").InitContainer({}).Sidecar({});
  pod.spec().containers.front().ports.push_back({8080, 0, "", ""});
  pod.spec().init_containers[0].ports.push_back({1, 1, "", ""});
  pod.spec().init_containers[1].ports.push_back({2, 2, "", ""});
  EXPECT_EQ(HostPortsOf(*pod.Build()->spec),
            (std::vector<HostPort>{{"0.0.0.0", "TCP", 80}, {"10.0.0.1", "UDP", 53}, {"0.0.0.0", "TCP", 2}}));
}

TEST(PodInfo, SelectorsThatDoNotParseAreNoted) {
  ResourceNames names;
  PodBuilder pod = MakePod("p").Near("app", "web", "zone");
  pod.affinity().pod->required.front().label_selector->match_expressions.push_back({"app", "Near", {}});
  const PodInfoPtr info = pod.Info(names);
  EXPECT_TRUE(info->traits->required_affinity.empty());
  EXPECT_EQ(info->traits->affinity_problem, "requiredAffinityTerms: \"Near\" is not a valid label selector operator");
}

}  // namespace
}  // namespace berth::framework
