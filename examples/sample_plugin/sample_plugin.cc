// SPDX-License-Identifier: Apache-2.0
#include "sample_plugin.h"

namespace sample {

using berth::BindingProgress;
using berth::BindingWork;
using berth::CycleState;
using berth::Handle;
using berth::IndexedCluster;
using berth::NodeId;
using berth::NodeInfo;
using berth::PodInfo;
using berth::PreFilterResult;
using berth::PreFlightResult;
using berth::Result;
using berth::Status;
using berth::Wake;

namespace {

constexpr int kVerbosity = 3;

// "n1 cpu=8 memory=32Gi pods=110"
std::string Described(const NodeInfo& node) {
  std::string text = node.name();
  for (const auto& [resource, amount] : node.node->allocatable) text += " " + resource + "=" + amount.ToString();
  return text;
}

}  // namespace

void SampleArgs::Decode(berth::FieldReader& reader) {
  favorite_color = reader.String("favorite_color", favorite_color);
  favorite_number = reader.Int64("favorite_number").value_or(favorite_number);
  thanks_to = reader.String("thanks_to", thanks_to);
}

void SampleArgs::Encode(berth::api::Value& map) const {
  map.Set("favorite_color", berth::api::Value::String(favorite_color));
  map.Set("favorite_number", berth::api::Value::Int(favorite_number));
  map.Set("thanks_to", berth::api::Value::String(thanks_to));
}

SamplePlugin::SamplePlugin(const SampleArgs& args, Handle& handle)
    : handle_(handle), log_(handle.log().Named(kSamplePlugin)) {
  log_.V(kVerbosity)
      .Info("get plugin config args", {{"favorite_color", args.favorite_color},
                                       {"favorite_number", args.favorite_number},
                                       {"thanks_to", args.thanks_to}});
}

PreFilterResult SamplePlugin::PreFilter(CycleState&, const PodInfo& pod, IndexedCluster&) {
  if (log_.On(kVerbosity)) log_.V(kVerbosity).Info("prefilter pod: " + pod->meta.name);
  return {Status::Success(), {}};
}

Status SamplePlugin::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const {
  if (log_.On(kVerbosity)) log_.V(kVerbosity).Info("filter pod: " + pod->meta.name + ", node: " + node.name());
  return Status::Success();
}

PreFlightResult SamplePlugin::PreBindPreFlight(CycleState&, const PodInfo&, std::string_view) {
  return {Status::Success(), /*allow_parallel=*/true};
}

BindingProgress SamplePlugin::PreBind(CycleState&, const PodInfo&, std::string_view node, const Wake&, BindingWork&) {
  const NodeId id = handle_.cluster().FindNode(node);
  if (id == berth::kNoNode) {
    return BindingProgress::Done(Status::FromError("prebind get node info error: " + std::string(node) + " is gone"));
  }
  if (log_.On(kVerbosity)) log_.V(kVerbosity).Info("prebind node info: " + Described(handle_.cluster().node(id)));
  return BindingProgress::Done(Status::Success());
}

Result<std::shared_ptr<SamplePlugin>> NewSamplePlugin(const SampleArgs& args, Handle& handle) {
  return std::make_shared<SamplePlugin>(args, handle);
}

}  // namespace sample
