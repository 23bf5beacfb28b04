// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/whole_document.h"
#include "base/result.h"
#include "config/types.h"
#include "extender/http_extender.h"
#include "framework/extender.h"
#include "kube/access/surroundings.h"
#include "net/loop.h"

#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace berth::extender {

struct ExtenderOptions {
  CallLimits limits = {};                // of each extender
  kube::Surroundings surroundings = {};  // of which only the variables that name proxies are read
};

// Whose whole documents these extenders are sent.
api::KeptDocuments DocumentsFor(const std::vector<config::Extender>& configs);

// The extenders of a configuration, with the thread on which all of them are called.
class Extenders final : public framework::Extenders {
 public:
  // In the order in which they are given; config::OrderedExtenders puts them right. The error names the extender that
  // cannot be used.
  static Result<std::unique_ptr<Extenders>> Start(const std::vector<config::Extender>& configs,
                                                  const ExtenderOptions& options = {});
  // What was asked and not answered is answered with an error. Nobody asks meanwhile, unless he is told of an answer.
  // Not on the thread that tells answers.
  ~Extenders() override;
  Extenders(const Extenders&) = delete;
  Extenders& operator=(const Extenders&) = delete;

  // They live as long as this.
  std::span<framework::Extender* const> list() const override { return all_; }

 private:
  Extenders() = default;

  net::Loop loop_;
  std::vector<std::unique_ptr<HttpExtender>> owned_;
  std::vector<framework::Extender*> all_;
  std::thread thread_;
};

}  // namespace berth::extender
