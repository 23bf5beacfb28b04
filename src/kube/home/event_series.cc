// SPDX-License-Identifier: Apache-2.0
#include "kube/home/event_series.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

// As upstream names events: the object's name and the time, in nanoseconds. Where that is longer than a name may be,
// upstream takes a random one; the uid does as well, and stays the same when the event is tried again.
std::string NameOf(const home::EventNote& note) {
  constexpr size_t kLongest = 253;
  const api::ObjectMeta& about = note.about->meta;
  std::string name = fmt::format("{}.{:x}", about.name, note.time.time_since_epoch().count());
  if (name.size() > kLongest) name.replace(0, about.name.size(), about.uid);
  return name;
}

}  // namespace

EventSeries::Key EventSeries::KeyOf(const home::EventNote& note) {
  const api::ObjectMeta& about = note.about->meta;
  Key key{note.type, note.action, note.reason, note.controller, about.uid, about.resource_version, std::string()};
  if (note.related != nullptr) {
    std::get<6>(key) = note.related->meta.uid + "/" + note.related->meta.resource_version;
  }
  return key;
}

void EventSeries::Forget(const home::EventNote& note) {
  const auto it = series_.find(KeyOf(note));
  if (it == series_.end()) return;
  it->second.is_told = false;
  if (--it->second.count == 0) series_.erase(it);
}

EventWrite EventSeries::Take(const home::EventNote& note) {
  const api::ObjectMeta& about = note.about->meta;
  const auto [it, is_new] = series_.try_emplace(KeyOf(note));
  Series& series = it->second;
  if (is_new) {
    series.namespace_ = about.namespace_.empty() ? "default" : about.namespace_;
    series.name = NameOf(note);
    series.last_observed = series.written = note.time;
    return {EventWrite::Type::Create, series.namespace_, series.name, 0, {}};
  }
  ++series.count;
  series.last_observed = note.time;
  if (series.note == nullptr) series.note = std::make_shared<const home::EventNote>(note);
  const bool is_known = std::exchange(series.is_told, true);
  if (!is_known) series.written = note.time;
  return {is_known ? EventWrite::Type::Nothing : EventWrite::Type::Count, series.namespace_, series.name, series.count,
          series.last_observed};
}

std::vector<DueCount> EventSeries::Due(Timestamp now, size_t most) {
  std::vector<DueCount> due;
  auto it = series_.upper_bound(latest_due_);
  for (size_t seen = 0; seen < series_.size() && due.size() < most; ++seen, ++it) {
    if (it == series_.end()) it = series_.begin();
    const Series& series = it->second;
    if (series.count == 1) continue;
    if (now - series.last_observed <= kFinish && now - series.written < kRefresh) continue;
    due.push_back(
        {{EventWrite::Type::Count, series.namespace_, series.name, series.count, series.last_observed}, series.note});
    latest_due_ = it->first;
  }
  std::erase_if(series_, [&](const auto& each) {
    const Series& series = each.second;
    return now - series.last_observed > (series.count == 1 ? kFinish : kFinish + kPatience);
  });
  return due;
}

void EventSeries::Wrote(const home::EventNote& note, Timestamp now) {
  const auto it = series_.find(KeyOf(note));
  if (it == series_.end()) return;
  it->second.written = now;
  if (now - it->second.last_observed > kFinish) series_.erase(it);
}

}  // namespace berth::kube
