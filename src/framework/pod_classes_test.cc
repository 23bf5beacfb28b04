// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_classes.h"

#include "support/builders.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

using test::MakePod;

class PodClassesTest : public testing::Test {
 protected:
  // A pod that shares the spec of `like`, as one of the same controller does.
  static api::Pod Sibling(const api::PodPtr& like, std::string_view name) {
    api::Pod pod = *like;
    pod.meta.name = name;
    pod.meta.uid = name;
    return pod;
  }
  PodInfoPtr InfoOf(api::Pod pod, const PodInfo* known = nullptr) {
    return classes_.InfoOf(std::make_shared<const api::Pod>(std::move(pod)), known);
  }
  static api::ResourceList Cpu(int64_t milli) {
    api::ResourceList list;
    list.Set(api::kResourceCpu, api::Quantity::FromMilli(milli));
    return list;
  }
  // A status that tells what the only container holds.
  static std::shared_ptr<const api::PodStatus> Holding(const api::Pod& pod, int64_t milli_cpu) {
    api::PodStatus status = *pod.status;
    api::ContainerStatus container;
    container.name = pod.spec->containers[0].name;
    container.resources.emplace();
    container.resources->requests = Cpu(milli_cpu);
    container.allocated_resources = Cpu(milli_cpu);
    status.container_statuses.push_back(std::move(container));
    return std::make_shared<const api::PodStatus>(std::move(status));
  }

  ResourceNames names_;
  PodClasses classes_{names_};
  const api::PodPtr first_ = MakePod("web/first").Label("app", "web").Request("cpu", "1");
};

TEST_F(PodClassesTest, PodsOfOneTemplateWithEqualLabelsAreAlike) {
  const PodInfoPtr a = classes_.InfoOf(first_);
  const PodInfoPtr b = InfoOf(Sibling(first_, "b"));
  EXPECT_EQ(a->pod_class, b->pod_class);
  EXPECT_EQ(a->traits->requests.cpu, 1000);
  EXPECT_EQ(classes_.size(), 1U);
}

TEST_F(PodClassesTest, LabelsNamespaceAndSpecTellPodsApart) {
  const PodInfoPtr a = classes_.InfoOf(first_);
  api::Pod other_labels = Sibling(first_, "b");
  other_labels.meta.labels.Set("job-name", "7");
  const PodInfoPtr b = InfoOf(other_labels);
  EXPECT_NE(a->pod_class, b->pod_class);
  EXPECT_EQ(a->traits, b->traits) << "of the template, whatever the labels";
  api::Pod other_namespace = Sibling(first_, "c");
  other_namespace.meta.namespace_ = "elsewhere";
  EXPECT_NE(a->pod_class, InfoOf(other_namespace)->pod_class);
  api::Pod other_spec = Sibling(first_, "d");
  other_spec.spec = std::make_shared<const api::PodSpec>(*first_->spec);
  EXPECT_NE(a->pod_class, InfoOf(other_spec)->pod_class);
}

TEST_F(PodClassesTest, AStatusMattersOnlyWhenItChangesWhatThePodHolds) {
  const PodInfoPtr a = classes_.InfoOf(first_);
  api::Pod running = Sibling(first_, "b");
  running.status = Holding(running, 1000);
  EXPECT_EQ(InfoOf(running)->pod_class, a->pod_class);
  api::Pod shrinking = Sibling(first_, "c");
  shrinking.status = Holding(shrinking, 3000);
  const PodInfoPtr c = InfoOf(shrinking);
  EXPECT_NE(c->pod_class, a->pod_class);
  EXPECT_EQ(c->traits->requests.cpu, 3000);
  EXPECT_EQ(classes_.InfoOf(first_)->pod_class, a->pod_class) << "a resize elsewhere changes nothing";
}

TEST_F(PodClassesTest, WithoutResizesNoStatusTellsPodsApart) {
  PodClasses classes(names_, {.resizes = false});
  api::Pod shrinking = Sibling(first_, "b");
  shrinking.status = Holding(shrinking, 3000);
  const PodInfoPtr b = classes.InfoOf(std::make_shared<const api::Pod>(shrinking));
  EXPECT_EQ(b->traits->requests.cpu, 1000);
  EXPECT_EQ(classes.InfoOf(first_)->pod_class, b->pod_class);
  EXPECT_EQ(classes.template_count(), 1U);
}

TEST_F(PodClassesTest, APodThatWaitsIsLikeOneThatRunsAlready) {
  api::Pod running = Sibling(first_, "b");
  running.status = Holding(running, 1000);
  const PodInfoPtr b = InfoOf(running);
  EXPECT_EQ(classes_.InfoOf(first_)->pod_class, b->pod_class);
}

TEST_F(PodClassesTest, AnUpdateThatChangesNothingOfTheClassKeepsIt) {
  const PodInfoPtr a = classes_.InfoOf(first_);
  api::Pod bound = *first_;
  bound.node_name = "n";
  EXPECT_EQ(InfoOf(bound, a.get())->pod_class, a->pod_class);
  api::Pod resized = *first_;
  resized.status = Holding(resized, 3000);
  EXPECT_NE(InfoOf(resized, a.get())->pod_class, a->pod_class);
  api::Pod relabelled = *first_;
  relabelled.meta.labels.Set("app", "db");
  EXPECT_NE(InfoOf(relabelled, a.get())->pod_class, a->pod_class);
}

TEST_F(PodClassesTest, AClassIsForgottenWithItsLastPod) {
  for (int i = 0; i < 1000; ++i) {
    api::Pod job = Sibling(first_, "job");
    job.meta.labels.Set("job-name", std::to_string(i));
    const PodInfoPtr info = InfoOf(job);
    ASSERT_EQ(classes_.size(), 1U);
    ASSERT_EQ(classes_.template_count(), 1U);
  }
  EXPECT_EQ(classes_.size(), 0U);
  EXPECT_EQ(classes_.template_count(), 0U);
}

}  // namespace
}  // namespace berth::framework
