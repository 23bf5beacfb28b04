// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/custom_object.h"
#include "api/decoder.h"
#include "api/document.h"
#include "api/object.h"
#include "api/quantity.h"
#include "api/time_text.h"
#include "api/value.h"
#include "base/result.h"
#include "config/fields/field_errors.h"
#include "framework/cluster_event.h"
#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/handle.h"
#include "framework/indexed_cluster.h"
#include "framework/node_scan.h"
#include "framework/plugin.h"
#include "framework/plugin_args.h"
#include "framework/registry.h"
#include "framework/score_column.h"
#include "framework/verdicts.h"

#include <cstdint>

// What a plugin is written with. A plugin is a class that derives from the interfaces of the extension points it
// serves; the comment of each interface is its contract, and docs/guides/write-a-plugin.md shows how they are used.
// Objects of the cluster are in berth::api, logging is in berth::log, words for mistakes in arguments are in
// berth::fields.
namespace berth {

// The extension points, in the order in which a pod reaches them, and what else a plugin may be asked.
using framework::BindPlugin;
using framework::DescribePreemptionPlugin;
using framework::DescribeRejectionPlugin;
using framework::EnqueueExtensions;
using framework::FilterAllPlugin;
using framework::FilterPlugin;
using framework::NormalizeScorePlugin;
using framework::PermitPlugin;
using framework::PostBindPlugin;
using framework::PostFilterPlugin;
using framework::PreBindPlugin;
using framework::PreEnqueuePlugin;
using framework::PreFilterExtensions;
using framework::PreFilterPlugin;
using framework::PreScorePlugin;
using framework::QueueSortPlugin;
using framework::ReservePlugin;
using framework::ScoreAllPlugin;
using framework::ScorePlugin;
using framework::VerdictsByTemplate;

// What they are given.
using framework::ClusterView;
using framework::CycleState;
using framework::Handle;
using framework::IndexedCluster;
using framework::kNoNode;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PodUid;
using framework::QueuedPodInfo;
using framework::TopologyColumn;

// What they answer with.
using framework::BindingProgress;
using framework::BindingWork;
using framework::BindWork;
using framework::Code;
using framework::DefaultNormalize;
using framework::KeepWhere;
using framework::kMaxNodeScore;
using framework::kMinNodeScore;
using framework::ListNodes;
using framework::ObjectKey;
using framework::ObjectPatch;
using framework::PermitResult;
using framework::PostFilterResult;
using framework::PreemptionChoice;
using framework::PreemptionDescription;
using framework::PreFilterResult;
using framework::PreFlightResult;
using framework::RangeOf;
using framework::RejectWhere;
using framework::ScoreColumn;
using framework::Status;
using framework::TransformScores;
using framework::Verdicts;
using framework::Wake;

// How `berth explain` is told about a rejection.
using framework::Lack;
using framework::LimitReached;
using framework::Obstacle;
using framework::RejectionDescription;
using framework::Remedy;
using framework::Shortfall;
using framework::UnmetRequirement;

// What a plugin remembers during a cycle.
using framework::CloneableState;
using framework::StateData;
using framework::StateKey;

// When a pod that was rejected is worth another attempt.
using framework::ActionType;
using framework::ClusterEvent;
using framework::ClusterEventWithHint;
using framework::EventResource;
using framework::HintKeys;
using framework::kAdd;
using framework::kAll;
using framework::kDelete;
using framework::kUpdate;
using framework::kUpdateNodeAllocatable;
using framework::kUpdateNodeAnnotation;
using framework::kUpdateNodeCondition;
using framework::kUpdateNodeLabel;
using framework::kUpdateNodeTaint;
using framework::kUpdatePodLabel;
using framework::kUpdatePodScaleDown;
using framework::kUpdatePodToleration;
using framework::QueueingHint;

// Arguments, and the plugin's entry in a registry.
using api::FieldReader;
using features::FeatureGates;
using framework::Entry;
using framework::PluginEntry;
using framework::RawArgs;
using framework::TypedArgs;

namespace fields = config;

}  // namespace berth
