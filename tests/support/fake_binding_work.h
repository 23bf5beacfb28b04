// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/binding_work.h"

#include <functional>
#include <utility>
#include <vector>

namespace berth::test {

// Keeps what PreBind and Bind ask for. The n-th thing asked for has ticket n, counted from 1.
struct FakeBindingWork final : framework::BindWork {
  using Work = std::function<framework::Status(const std::stop_token& stop)>;

  framework::WorkTicket Patch(framework::ObjectPatch patch) override {
    patches.push_back(std::move(patch));
    return ++last;
  }
  framework::WorkTicket RunElsewhere(Work work) override {
    works.push_back(std::move(work));
    return ++last;
  }
  framework::WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) override {
    begin([this](Result<std::string> answer) { awaited.push_back(std::move(answer)); });
    return ++last;
  }
  framework::WorkTicket Bind() override {
    ++bindings;
    return ++last;
  }

  std::vector<framework::ObjectPatch> patches;
  std::vector<Work> works;
  std::vector<Result<std::string>> awaited;  // answers that have come
  size_t bindings = 0;
  framework::WorkTicket last = 0;
};

}  // namespace berth::test
