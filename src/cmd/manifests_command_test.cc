// SPDX-License-Identifier: Apache-2.0
// tests/deploy/ compares the same output with kustomize's own.
#include "api/document.h"
#include "cmd/manifests.h"
#include "cmd/streams.h"
#include "cmd/test_commands.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

using api::Value;

const Value& At(const Value& value, const std::vector<std::string>& path) {
  static const Value nothing;
  const Value* at = &value;
  for (const std::string& key : path) {
    at = at->is_list() ? &at->items().at(static_cast<size_t>(std::stoi(key))) : at->Find(key);
    if (at == nullptr) return nothing;
  }
  return *at;
}

std::set<std::string> Texts(const Value& list) {
  std::set<std::string> texts;
  for (const Value& item : list.items()) texts.insert(item.text());
  return texts;
}

class ManifestsCommandTest : public ::testing::Test, public TestCommands {
 protected:
  std::vector<Value> Objects(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "manifests");
    EXPECT_EQ(Berth(arguments), kExitOk) << err_;
    EXPECT_EQ(err_, "");
    const std::vector<api::Document> documents = api::ReadDocuments(out_, "manifests").value();
    std::vector<Value> objects;
    for (const api::Document& document : documents) objects.push_back(document.root);
    return objects;
  }

  static Value Only(const std::vector<Value>& objects, std::string_view kind) {
    const auto is_one = [&](const Value& object) { return At(object, {"kind"}).text() == kind; };
    EXPECT_EQ(std::ranges::count_if(objects, is_one), 1) << kind;
    return *std::ranges::find_if(objects, is_one);
  }

  static std::set<std::string> Verbs(const std::vector<Value>& objects, std::string_view kind) {
    std::set<std::string> verbs;
    for (const Value& object : objects) {
      if (At(object, {"kind"}).text() != kind) continue;
      for (const Value& rule : At(object, {"rules"}).items()) verbs.merge(Texts(At(rule, {"verbs"})));
    }
    return verbs;
  }

  static std::set<std::string> Namespaces(const std::vector<Value>& objects) {
    std::set<std::string> found;
    for (const Value& object : objects) {
      found.insert(At(object, {"metadata", "namespace"}).text());
      for (const Value& subject : At(object, {"subjects"}).items()) found.insert(At(subject, {"namespace"}).text());
    }
    found.erase("");
    return found;
  }

  static std::set<std::string> Arguments(const std::vector<Value>& objects) {
    return Texts(At(Only(objects, "Deployment"), {"spec", "template", "spec", "containers", "0", "args"}));
  }
};

TEST_F(ManifestsCommandTest, WithoutOptionsTheFilesArePrintedAsTheyAre) {
  for (const Overlay& overlay : Overlays()) {
    EXPECT_EQ(Berth({"manifests", "--overlay", std::string(overlay.name)}), kExitOk);
    EXPECT_EQ(out_, overlay.manifests);
    EXPECT_EQ(out_, api::ReadText(BERTH_SOURCE_DIR "/deploy/manifests/" + std::string(overlay.name) + ".yaml").value());
  }
  EXPECT_EQ(Berth({"manifests"}), kExitOk);
  EXPECT_EQ(out_, Overlays().front().manifests);
}

TEST_F(ManifestsCommandTest, EveryOverlayIsComplete) {
  for (const Overlay& overlay : Overlays()) {
    const std::vector<Value> objects = Objects({"--overlay", std::string(overlay.name)});
    for (const std::string_view kind : {"ServiceAccount", "ConfigMap", "Service", "Deployment"}) {
      Only(objects, kind);
    }
    const Value pod = At(Only(objects, "Deployment"), {"spec", "template", "spec"});
    EXPECT_EQ(At(pod, {"volumes", "0", "configMap", "name"}).text(),
              At(Only(objects, "ConfigMap"), {"metadata", "name"}).text());
    EXPECT_EQ(At(pod, {"containers", "0", "command", "0"}).text(), "kube-scheduler");
    EXPECT_EQ(At(pod, {"containers", "0", "securityContext", "readOnlyRootFilesystem"}).text(), "true");
  }
}

TEST_F(ManifestsCommandTest, TheLeaseOfTheArgumentsIsTheLeaseOfTheRole) {
  for (const auto& [overlay, lease] :
       {std::pair("second-scheduler", "berth-scheduler"), {"replace", "kube-scheduler"}}) {
    const std::vector<Value> objects = Objects({"--overlay", overlay});
    EXPECT_EQ(At(Only(objects, "Role"), {"rules", "1", "resourceNames", "0"}).text(), lease);
    EXPECT_TRUE(Arguments(objects).contains(std::string("--leader-elect-resource-name=") + lease));
  }
}

TEST_F(ManifestsCommandTest, AShadowMayOnlyReadTheCluster) {
  const std::vector<Value> objects = Objects({"--overlay", "shadow"});
  EXPECT_EQ(Verbs(objects, "ClusterRole"), (std::set<std::string>{"get", "list", "watch"}));
  EXPECT_EQ(Verbs(objects, "Role"), std::set<std::string>());
  EXPECT_TRUE(Arguments(objects).contains("--shadow"));
  EXPECT_TRUE(Arguments(objects).contains("--leader-elect=false"));
  const std::vector<Value> second = Objects({});
  EXPECT_TRUE(Verbs(second, "ClusterRole").contains("create"));
  EXPECT_FALSE(Arguments(second).contains("--shadow"));
}

TEST_F(ManifestsCommandTest, TheNamespaceIsChangedWhereverItIsMeant) {
  EXPECT_EQ(Namespaces(Objects({})), (std::set<std::string>{"berth-system", "kube-system"}));
  for (const std::string overlay : {"second-scheduler", "shadow"}) {
    const std::vector<Value> objects = Objects({"--overlay", overlay, "--namespace", "trial"});
    EXPECT_EQ(Namespaces(objects), (std::set<std::string>{"trial", "kube-system"}));
    EXPECT_EQ(At(Only(objects, "Namespace"), {"metadata", "name"}).text(), "trial");
    EXPECT_EQ(out_.find("berth-system"), std::string::npos);
  }
  const std::vector<Value> digits = Objects({"--namespace", "123"});
  EXPECT_TRUE(At(Only(digits, "Namespace"), {"metadata", "name"}).is_string()) << "quoted, or it would be a number";
}

TEST_F(ManifestsCommandTest, TheImageIsChanged) {
  const std::string image = "registry.example.com:5000/platform/berth@sha256:0123456789abcdef";
  const Value deployment = Only(Objects({"--image", image}), "Deployment");
  EXPECT_EQ(At(deployment, {"spec", "template", "spec", "containers", "0", "image"}).text(), image);
}

TEST_F(ManifestsCommandTest, WhatCannotBeIsRefused) {
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"--overlay", "third"}, "third not in {second-scheduler,shadow,replace}"},
      {{"--namespace", "Trial"}, "\"Trial\" cannot be the name of a namespace"},
      {{"--namespace", "-a"}, "\"-a\" cannot be the name of a namespace"},
      {{"--image", "a b"}, "\"a b\" cannot be the name of an image"},
      {{"--overlay", "replace", "--namespace", "trial"}, "leave --namespace out"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> arguments = test.arguments;
    arguments.insert(arguments.begin(), "manifests");
    EXPECT_EQ(Berth(arguments), kExitUsage);
    EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
    EXPECT_EQ(out_, "");
  }
}

}  // namespace
}  // namespace berth::cmd
