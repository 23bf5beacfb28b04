// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "home/command.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace berth::kube {

// What is to be written for one event.
struct EventWrite {
  enum class Type : uint8_t {
    Create,
    Count,    // an event that exists is now a series, or its series has grown
    Nothing,  // counted here, to be written later
  };
  Type type = Type::Create;
  std::string namespace_ = {};
  std::string name = {};
  int32_t count = 0;  // of a series
  Timestamp last_observed = {};
};

// The count of a series that is to be written.
struct DueCount {
  EventWrite write;
  std::shared_ptr<const home::EventNote> note;  // one of the series, for when the server has forgotten the event
};

// Folds events that tell the same of the same state of a pod into series, by client-go's rules: the second makes a
// series of the first, later ones are only counted, and the count is written when the series has ended or is long. One
// thread.
class EventSeries {
 public:
  static constexpr Duration kFinish = std::chrono::minutes(6);    // without an event for so long, a series has ended
  static constexpr Duration kRefresh = std::chrono::minutes(30);  // how often the count of a long series is written
  // For so long it is tried to write the count of a series that has ended.
  static constexpr Duration kPatience = std::chrono::minutes(10);

  // `host` is part of the reporting instance.
  explicit EventSeries(std::string host) : host_(std::move(host)) {}

  EventWrite Take(const home::EventNote& note);
  // What Take wanted written for this event could not be: as if the event had never been, until it is taken again.
  void Forget(const home::EventNote& note);
  // Counts that are due to be written, at most so many, each in its turn. To be called about once a minute, when those
  // of the last call have been tried: each is due again until it was written.
  std::vector<DueCount> Due(Timestamp now, size_t most);
  // The count that was due is written, or is not worth another try.
  void Wrote(const home::EventNote& note, Timestamp now);

  std::string InstanceOf(const home::EventNote& note) const { return note.controller + "-" + host_; }
  size_t size() const { return series_.size(); }

 private:
  // Type, action, reason, controller, whom it is about and in which state, who else has a part.
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, std::string>;
  static Key KeyOf(const home::EventNote& note);

  struct Series {
    std::string namespace_;
    std::string name;
    int32_t count = 1;
    bool is_told = false;  // the server has heard that it is a series, or is hearing it
    Timestamp last_observed;
    Timestamp written;
    std::shared_ptr<const home::EventNote> note;  // the second; null until it came
  };

  const std::string host_;
  std::map<Key, Series> series_;
  Key latest_due_;  // whose turn was last
};

}  // namespace berth::kube
