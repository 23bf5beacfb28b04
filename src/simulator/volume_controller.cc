// SPDX-License-Identifier: Apache-2.0
#include "simulator/volume_controller.h"

#include "api/document.h"
#include "api/encode.h"
#include "api/object.h"
#include "plugins/storage/claims.h"
#include "simulator/map_in.h"
#include "simulator/provisioned_volume.h"

#include <algorithm>
#include <utility>

namespace berth::simulator {

namespace storage = plugins::storage;
using api::PersistentVolume;
using api::PersistentVolumeClaim;
using api::Value;

namespace {

constexpr std::string_view kVolume = "PersistentVolume";
constexpr std::string_view kClaim = "PersistentVolumeClaim";

store::Key VolumeKey(const std::string& name) { return {std::string(kVolume), "", name}; }
store::Key ClaimKey(const PersistentVolumeClaim& claim) {
  return {std::string(kClaim), claim.meta.namespace_, claim.meta.name};
}

// The object in a store's document; null when it is none.
template <typename T>
std::shared_ptr<const T> Read(const Value& document, const std::string& uid = "") {
  api::DecodeErrors errors;
  auto object = std::make_shared<T>(api::Decode<T>(document, errors));
  if (!uid.empty()) object->meta.uid = uid;
  return errors.empty() ? object : nullptr;
}

Value Text(std::string_view text) { return Value::String(std::string(text)); }

void Annotate(Value& document, std::string_view key, std::string_view value) {
  MapIn(MapIn(document, "metadata"), "annotations").Set(key, Text(value));
}

bool Names(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const std::optional<api::ObjectReference>& ref = volume.claim_ref;
  return ref && ref->namespace_ == claim.meta.namespace_ && ref->name == claim.meta.name &&
         (ref->uid.empty() || ref->uid == claim.meta.uid);
}

// Whether a volume that nobody has named a claim for will do.
bool Suits(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
           const std::optional<api::Selector>& selector) {
  const auto mode = [](const std::string& given) { return given.empty() ? std::string_view("Filesystem") : given; };
  const auto offers = [&](const std::string& wanted) {
    return std::ranges::find(volume.access_modes, wanted) != volume.access_modes.end();
  };
  return !volume.claim_ref && !volume.meta.deleted && volume.storage >= claim.storage_request &&
         mode(volume.volume_mode) == mode(claim.volume_mode) &&
         volume.volume_attributes_class_name.value_or("") == claim.volume_attributes_class_name.value_or("") &&
         std::ranges::all_of(claim.access_modes, offers) && (!selector || selector->Matches(volume.meta.labels));
}

}  // namespace

Result<std::unique_ptr<VolumeController>> VolumeController::Make(store::Store& store, ClusterWriter& writer,
                                                                 const Clock& clock, const VolumeDelays& delays) {
  std::unique_ptr<VolumeController> made(new VolumeController(writer, clock, delays));
  store::WatchOptions options;
  options.selection.kinds = {std::string(kVolume), std::string(kClaim), "StorageClass"};
  options.initial_events = true;
  BERTH_ASSIGN_OR_RETURN(made->watch_, store.OpenWatch(options));
  return made;
}

Result<void> VolumeController::Pump() {
  for (bool told_all = false; !told_all;) {
    const store::WatchItem item = watch_->Next(Duration::zero());
    switch (item.kind) {
      case store::WatchItem::Kind::Timeout: told_all = true; break;
      case store::WatchItem::Kind::Bookmark: break;
      case store::WatchItem::Kind::Expired:
      case store::WatchItem::Kind::Closed:
        return Error{ErrorCode::Internal, "the store forgot changes of volumes before they were seen"};
      case store::WatchItem::Kind::Batch:
        for (const store::Event& event : item.events) Take(event);
        break;
    }
  }
  for (const auto& [time, claim] : times_) {
    if (time > clock_.Now()) break;
    claims_to_check_.insert(claim);
  }
  while (!volumes_to_check_.empty() || !claims_to_check_.empty()) {
    if (!volumes_to_check_.empty()) {
      BERTH_RETURN_IF_ERROR(CheckVolume(volumes_to_check_.extract(volumes_to_check_.begin()).value()));
    } else {
      BERTH_RETURN_IF_ERROR(CheckClaim(claims_to_check_.extract(claims_to_check_.begin()).value()));
    }
  }
  return {};
}

std::optional<Timestamp> VolumeController::NextDeadline() const {
  return times_.empty() ? std::nullopt : std::optional(times_.begin()->first);
}

void VolumeController::Take(const store::Event& event) {
  const store::Record& record = *event.object;
  if (event.type == store::Event::Type::Deleted) return Forget(record.key);
  const Result<std::vector<api::Document>> documents = api::ReadDocuments(*record.value, store::ToText(record.key));
  if (!documents || documents->size() != 1) return;  // the scheduler's intake says so
  const Value& document = documents->front().root;
  if (record.key.kind == kVolume) {
    if (auto volume = Read<PersistentVolume>(document, record.uid)) Take(std::move(volume));
  } else if (record.key.kind == kClaim) {
    if (auto claim = Read<PersistentVolumeClaim>(document, record.uid)) Take(std::move(claim));
  } else if (auto storage_class = Read<api::StorageClass>(document)) {
    objects_.Set(storage_class);
    claims_to_check_.insert(unbound_.begin(), unbound_.end());
  }
}

void VolumeController::Take(std::shared_ptr<const PersistentVolume> volume) {
  if (const PersistentVolume* before = objects_.FindPersistentVolume(volume->meta.name)) Unindex(*before);
  if (volume->claim_ref) {
    const std::string claim = volume->claim_ref->namespace_ + "/" + volume->claim_ref->name;
    volumes_with_[claim].insert(volume->meta.name);
    claims_to_check_.insert(claim);
  } else {
    claims_to_check_.insert(unbound_.begin(), unbound_.end());
  }
  volumes_to_check_.insert(volume->meta.name);
  objects_.Set(std::move(volume));
}

void VolumeController::Take(std::shared_ptr<const PersistentVolumeClaim> claim) {
  const std::string key = claim->meta.Key();
  claims_to_check_.insert(key);
  if (const auto volumes = volumes_with_.find(key); volumes != volumes_with_.end()) {
    volumes_to_check_.insert(volumes->second.begin(), volumes->second.end());  // the claim may be another of that name
  }
  storage::IsFullyBound(*claim) ? unbound_.erase(key) : unbound_.insert(key).second;
  objects_.Set(std::move(claim));
}

void VolumeController::Forget(const store::Key& key) {
  if (key.kind == kVolume) {
    const PersistentVolume* volume = objects_.FindPersistentVolume(key.name);
    if (volume == nullptr) return;
    if (volume->claim_ref) claims_to_check_.insert(volume->claim_ref->namespace_ + "/" + volume->claim_ref->name);
    Unindex(*volume);
  } else if (key.kind == kClaim) {
    const std::string claim = key.namespace_ + "/" + key.name;
    unbound_.erase(claim);
    ForgetDue(claim);
    if (const auto volumes = volumes_with_.find(claim); volumes != volumes_with_.end()) {
      volumes_to_check_.insert(volumes->second.begin(), volumes->second.end());
    }
  }
  objects_.Remove(key.kind, key.namespace_.empty() ? key.name : key.namespace_ + "/" + key.name);
}

void VolumeController::Unindex(const PersistentVolume& volume) {
  if (!volume.claim_ref) return;
  const auto it = volumes_with_.find(volume.claim_ref->namespace_ + "/" + volume.claim_ref->name);
  if (it == volumes_with_.end()) return;
  it->second.erase(volume.meta.name);
  if (it->second.empty()) volumes_with_.erase(it);
}

Result<void> VolumeController::CheckVolume(const std::string& name) {
  const PersistentVolume* volume = objects_.FindPersistentVolume(name);
  if (volume == nullptr || volume->meta.deleted) return {};
  const std::optional<api::ObjectReference>& ref = volume->claim_ref;
  const PersistentVolumeClaim* claim = ref ? objects_.FindClaim(ref->namespace_, ref->name) : nullptr;
  if (claim != nullptr && Names(*volume, *claim)) {
    const bool is_bound = storage::IsFullyBound(*claim) && claim->volume_name == name;
    return is_bound ? SetPhase(VolumeKey(name), "Bound") : Result<void>();
  }
  if (!ref || ref->uid.empty()) return SetPhase(VolumeKey(name), "Available");
  BERTH_ASSIGN_OR_RETURN(const Value document, writer_.Read(VolumeKey(name)));
  const Value* policy = document.Find("spec")->Find("persistentVolumeReclaimPolicy");
  if (policy == nullptr || policy->text() != "Delete") return SetPhase(VolumeKey(name), "Released");
  Forget(VolumeKey(name));
  return writer_.Delete(VolumeKey(name));
}

Result<void> VolumeController::CheckClaim(const std::string& key) {
  const size_t slash = key.find('/');
  const PersistentVolumeClaim* claim = objects_.FindClaim(key.substr(0, slash), key.substr(slash + 1));
  if (claim == nullptr || claim->meta.deleted) return {};
  if (storage::IsFullyBound(*claim)) {
    ForgetDue(key);
    const bool is_there = objects_.FindPersistentVolume(claim->volume_name) != nullptr;
    return SetPhase(ClaimKey(*claim), is_there ? "Bound" : "Lost");
  }
  const Plan plan = PlanFor(*claim);
  switch (plan.what) {
    case Plan::What::Nothing: ForgetDue(key); return {};
    case Plan::What::Bind:
      if (!IsDue(key, delays_.bind)) return {};
      return Bind(*claim, plan.volume);
    case Plan::What::Provision:
      if (!IsDue(key, delays_.provision)) return {};
      return Provision(*claim, plan.reached);
    case Plan::What::GiveNodeBack:
      if (!IsDue(key, delays_.provision)) return {};
      return GiveNodeBack(*claim);
  }
  return {};
}

VolumeController::Plan VolumeController::PlanFor(const PersistentVolumeClaim& claim) const {
  if (!claim.volume_name.empty()) {
    const PersistentVolume* volume = objects_.FindPersistentVolume(claim.volume_name);
    const bool is_free = volume != nullptr && (!volume->claim_ref || Names(*volume, claim));
    return is_free ? Plan{Plan::What::Bind, claim.volume_name, {}} : Plan{};
  }
  if (const auto named = volumes_with_.find(claim.meta.Key()); named != volumes_with_.end()) {
    for (const std::string& volume : named->second) {
      if (Names(*objects_.FindPersistentVolume(volume), claim)) return {Plan::What::Bind, volume, {}};
    }
  }
  const api::StorageClass* storage_class = objects_.FindStorageClass(storage::ClassOf(claim));
  const bool has_node = claim.meta.annotations.Has(storage::kSelectedNode);
  const bool waits = storage_class != nullptr && storage_class->volume_binding_mode == storage::kWaitForFirstConsumer;
  if (waits && !has_node) return {};
  if (!waits) {
    if (const PersistentVolume* volume = SmallestFor(claim)) return {Plan::What::Bind, volume->meta.name, {}};
  }
  return storage_class == nullptr ? Plan{} : PlanProvisioning(claim, *storage_class);
}

VolumeController::Plan VolumeController::PlanProvisioning(const PersistentVolumeClaim& claim,
                                                          const api::StorageClass& storage_class) const {
  if (!HasProvisioner(storage_class)) return {};
  const std::string* selected = claim.meta.annotations.Find(storage::kSelectedNode);
  if (selected == nullptr) return {Plan::What::Provision, "", FirstAllowed(storage_class)};
  const auto read = [&]<typename T>(std::string kind, std::shared_ptr<const T>& object) {
    const Result<Value> document = writer_.Read({std::move(kind), "", *selected});
    if (document) object = Read<T>(*document);
  };
  std::shared_ptr<const api::Node> node;
  std::shared_ptr<const api::CsiNode> csi_node;
  read("Node", node);
  read("CSINode", csi_node);
  if (node == nullptr || !Allows(storage_class, *node)) return {Plan::What::GiveNodeBack, "", {}};
  return {Plan::What::Provision, "", ReachedLike(storage_class, *node, csi_node.get())};
}

const PersistentVolume* VolumeController::SmallestFor(const PersistentVolumeClaim& claim) const {
  std::optional<api::Selector> selector;
  if (claim.selector) {
    Result<api::Selector> parsed = api::Selector::From(claim.selector);
    if (!parsed) return nullptr;
    selector = *std::move(parsed);
  }
  const PersistentVolume* smallest = nullptr;
  for (const PersistentVolume* volume : objects_.PersistentVolumesOfClass(storage::ClassOf(claim))) {
    if (!Suits(*volume, claim, selector)) continue;
    if (smallest == nullptr || volume->storage < smallest->storage) smallest = volume;
  }
  return smallest;
}

// The delay runs from when the plan was first made.
bool VolumeController::IsDue(const std::string& claim, Duration delay) {
  const auto [due, is_new] = due_.try_emplace(claim, clock_.Now() + delay);
  if (is_new) times_.emplace(due->second, claim);
  if (due->second > clock_.Now()) return false;
  ForgetDue(claim);
  return true;
}

void VolumeController::ForgetDue(const std::string& claim) {
  const auto due = due_.find(claim);
  if (due == due_.end()) return;
  times_.erase({due->second, claim});
  due_.erase(due);
}

Result<void> VolumeController::Bind(const PersistentVolumeClaim& claim, const std::string& volume) {
  BERTH_ASSIGN_OR_RETURN(Value document, writer_.Read(VolumeKey(volume)));
  Value& spec = MapIn(document, "spec");
  if (const Value* ref = spec.Find("claimRef"); ref == nullptr || ref->is_null()) {
    Annotate(document, storage::kBoundByController, "yes");
  }
  Value& ref = MapIn(MapIn(document, "spec"), "claimRef");
  ref.Set("apiVersion", Text("v1"));
  ref.Set("kind", Text(kClaim));
  ref.Set("namespace", Text(claim.meta.namespace_));
  ref.Set("name", Text(claim.meta.name));
  ref.Set("uid", Text(claim.meta.uid));
  MapIn(document, "status").Set("phase", Text("Bound"));
  BERTH_RETURN_IF_ERROR(Write(std::move(document)));
  return BindClaim(claim, volume);
}

Result<void> VolumeController::Provision(const PersistentVolumeClaim& claim,
                                         const std::optional<api::NodeSelector>& reached) {
  const api::StorageClass& storage_class = *objects_.FindStorageClass(storage::ClassOf(claim));
  const Result<Value> written = writer_.Read({"StorageClass", "", storage_class.meta.name});
  const Value* policy = written ? written->Find("reclaimPolicy") : nullptr;
  Value volume = ProvisionedVolume(claim, storage_class, reached, policy == nullptr ? "Delete" : policy->text());
  const std::string name = volume.Find("metadata")->Find("name")->text();
  BERTH_RETURN_IF_ERROR(Write(std::move(volume)));
  return BindClaim(claim, name);
}

Result<void> VolumeController::BindClaim(const PersistentVolumeClaim& claim, const std::string& volume) {
  BERTH_ASSIGN_OR_RETURN(Value document, writer_.Read(ClaimKey(claim)));
  if (claim.volume_name.empty()) Annotate(document, storage::kBoundByController, "yes");
  Annotate(document, storage::kBindCompleted, "yes");
  MapIn(document, "spec").Set("volumeName", Text(volume));
  MapIn(document, "status").Set("phase", Text("Bound"));
  return Write(std::move(document));
}

// As provisioners do: the scheduler then looks for another node.
Result<void> VolumeController::GiveNodeBack(const PersistentVolumeClaim& claim) {
  BERTH_ASSIGN_OR_RETURN(Value document, writer_.Read(ClaimKey(claim)));
  std::erase_if(MapIn(MapIn(document, "metadata"), "annotations").mutable_members(),
                [](const Value::Member& member) { return member.key == storage::kSelectedNode; });
  return Write(std::move(document));
}

Result<void> VolumeController::SetPhase(const store::Key& key, const std::string& phase) {
  BERTH_ASSIGN_OR_RETURN(Value document, writer_.Read(key));
  Value& status = MapIn(document, "status");
  if (const Value* present = status.Find("phase"); present != nullptr && present->text() == phase) return {};
  status.Set("phase", Text(phase));
  return Write(std::move(document));
}

Result<void> VolumeController::Write(Value document) {
  BERTH_ASSIGN_OR_RETURN(const Value written, writer_.Apply(std::move(document)));
  if (written.Find("kind")->text() == kVolume) {
    if (auto volume = Read<PersistentVolume>(written)) Take(std::move(volume));
  } else if (auto claim = Read<PersistentVolumeClaim>(written)) {
    Take(std::move(claim));
  }
  return {};
}

}  // namespace berth::simulator
