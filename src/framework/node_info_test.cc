// SPDX-License-Identifier: Apache-2.0
#include "framework/node_info.h"

#include "support/builders.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

using test::MakeNode;
using test::MakePod;

class NodeInfoTest : public testing::Test {
 protected:
  NodeInfoTest() { node_.SetNode(MakeNode("a").Allocatable("cpu", "4").Allocatable("example.com/gpu", "2"), names_); }
  ResourceNames names_;
  NodeInfo node_;
};

TEST_F(NodeInfoTest, TakesAmountsFromTheNode) {
  EXPECT_EQ(node_.name(), "a");
  EXPECT_EQ(node_.allocatable.cpu, 4000);
  EXPECT_EQ(node_.allocatable.Get(names_.Intern("example.com/gpu")), 2);
  EXPECT_EQ(node_.allowed_pods, 110);
  EXPECT_TRUE(node_.allocatable.scalars.size() == 1) << "pods are counted apart";
}

TEST_F(NodeInfoTest, ANewNodeObjectKeepsThePods) {
  node_.AddPod(MakePod("p").Request("cpu", "1").Info(names_));
  node_.SetNode(MakeNode("a").Allocatable("cpu", "8"), names_);
  EXPECT_EQ(node_.allocatable.cpu, 8000);
  EXPECT_EQ(node_.requested.cpu, 1000);
  EXPECT_EQ(node_.allocatable.Get(names_.Intern("example.com/gpu")), 0);
}

TEST_F(NodeInfoTest, RemovingUndoesAdding) {
  const NodeInfo before = node_;
  node_.AddPod(
      MakePod("p").Request("cpu", "1").Request("example.com/gpu", "1").HostPort(80).Claim("data").Info(names_));
  EXPECT_EQ(node_.requested.cpu, 1000);
  EXPECT_EQ(node_.nonzero_memory, 200 * 1024 * 1024);
  EXPECT_EQ(node_.used_ports.size(), 1U);
  EXPECT_EQ(node_.claims_in_use.at("default/data"), 1);
  EXPECT_TRUE(node_.RemovePod("default/p"));
  EXPECT_EQ(node_.requested.cpu, 0);
  EXPECT_EQ(node_.requested.Get(names_.Intern("example.com/gpu")), 0);
  EXPECT_EQ(node_.nonzero_memory, before.nonzero_memory);
  EXPECT_TRUE(node_.used_ports.empty());
  EXPECT_TRUE(node_.claims_in_use.empty());
  EXPECT_TRUE(node_.pods.empty());
  EXPECT_FALSE(node_.RemovePod("default/p"));
}

TEST_F(NodeInfoTest, TheLastPodTakesTheFreePlace) {
  for (const char* name : {"p", "q", "r"}) node_.AddPod(MakePod(name).Info(names_));
  EXPECT_TRUE(node_.RemovePod("default/p"));
  EXPECT_EQ(node_.pods[0]->pod->meta.name, "r");
  EXPECT_EQ(node_.pods[1]->pod->meta.name, "q");
}

TEST_F(NodeInfoTest, ClaimsAreCountedPortsAreNot) {
  for (const char* name : {"p", "q"}) node_.AddPod(MakePod(name).HostPort(80).Claim("data").Info(names_));
  EXPECT_EQ(node_.used_ports.size(), 1U);
  EXPECT_EQ(node_.claims_in_use.at("default/data"), 2);
  EXPECT_TRUE(node_.RemovePod("default/p"));
  EXPECT_TRUE(node_.used_ports.empty()) << "as upstream, the first to go frees the port";
  EXPECT_EQ(node_.claims_in_use.at("default/data"), 1);
}

TEST(HostPort, AnyAddressConflictsWithAll) {
  const HostPort any{"0.0.0.0", "TCP", 80};
  EXPECT_TRUE(any.ConflictsWith({"10.0.0.1", "TCP", 80}));
  EXPECT_TRUE((HostPort{"10.0.0.1", "TCP", 80}).ConflictsWith(any));
  EXPECT_FALSE((HostPort{"10.0.0.1", "TCP", 80}).ConflictsWith({"10.0.0.2", "TCP", 80}));
  EXPECT_FALSE(any.ConflictsWith({"0.0.0.0", "UDP", 80}));
  EXPECT_FALSE(any.ConflictsWith({"0.0.0.0", "TCP", 81}));
}

}  // namespace
}  // namespace berth::framework
