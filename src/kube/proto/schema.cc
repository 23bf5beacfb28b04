// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/schema.h"

#include <algorithm>
#include <array>

// Numbers and names are those of Kubernetes v1.36, staging/src/k8s.io/{api,apimachinery}/**/generated.proto.
namespace berth::kube::proto {
namespace {

using enum FieldType;
using enum FieldShape;
using Name = std::string_view;

constexpr Field Text(uint32_t number, Name name) { return {number, String, Plain, name}; }
constexpr Field OptionalText(uint32_t number, Name name) { return {number, String, Optional, name}; }
constexpr Field Texts(uint32_t number, Name name) { return {number, String, List, name}; }
constexpr Field TextMap(uint32_t number, Name name) { return {number, String, Map, name}; }
constexpr Field Flag(uint32_t number, Name name) { return {number, Bool, Plain, name}; }
constexpr Field OptionalFlag(uint32_t number, Name name) { return {number, Bool, Optional, name}; }
constexpr Field Number(uint32_t number, Name name) { return {number, Int32, Plain, name}; }
constexpr Field OptionalNumber(uint32_t number, Name name) { return {number, Int32, Optional, name}; }
constexpr Field LongNumber(uint32_t number, Name name) { return {number, Int64, Plain, name}; }
constexpr Field OptionalLongNumber(uint32_t number, Name name) { return {number, Int64, Optional, name}; }
constexpr Field Amount(uint32_t number, Name name) { return {number, Quantity, Optional, name}; }
constexpr Field Amounts(uint32_t number, Name name) { return {number, Quantity, Map, name}; }
constexpr Field When(uint32_t number, Name name) { return {number, Time, Optional, name}; }
constexpr Field WhenMap(uint32_t number, Name name) { return {number, Time, Map, name}; }
constexpr Field One(uint32_t number, Name name, const Message& m) { return {number, Submessage, Plain, name, &m}; }
constexpr Field Many(uint32_t number, Name name, const Message& m) { return {number, Submessage, List, name, &m}; }
constexpr Field Embedded(uint32_t number, const Message& m) { return {number, Inline, Plain, {}, &m}; }

using M = Message;

// A message of which only its presence is read.
constexpr M kAnything{"", {}};

// meta/v1.
constexpr std::array kOwnerFields{Text(1, "kind"), Text(3, "name"), Text(4, "uid"), Text(5, "apiVersion"),
                                  OptionalFlag(6, "controller")};
constexpr M kOwner{"OwnerReference", kOwnerFields};
constexpr std::array kMetaFields{Text(1, "name"),
                                 Text(3, "namespace"),
                                 Text(5, "uid"),
                                 Text(6, "resourceVersion"),
                                 LongNumber(7, "generation"),
                                 When(8, "creationTimestamp"),
                                 When(9, "deletionTimestamp"),
                                 TextMap(11, "labels"),
                                 TextMap(12, "annotations"),
                                 Many(13, "ownerReferences", kOwner)};
constexpr M kMeta{"ObjectMeta", kMetaFields};
constexpr std::array kRequirementFields{Text(1, "key"), Text(2, "operator"), Texts(3, "values")};
constexpr M kRequirement{"LabelSelectorRequirement", kRequirementFields};
constexpr std::array kSelectorFields{TextMap(1, "matchLabels"), Many(2, "matchExpressions", kRequirement)};
constexpr M kSelector{"LabelSelector", kSelectorFields};
constexpr std::array kStatusDetailsFields{Number(5, "retryAfterSeconds")};
constexpr M kStatusDetails{"StatusDetails", kStatusDetailsFields};
constexpr std::array kStatusFields{Text(2, "status"), Text(3, "message"), Text(4, "reason"),
                                   One(5, "details", kStatusDetails), Number(6, "code")};
constexpr M kStatus{"Status", kStatusFields};

// What several kinds use. The requirements of node selectors have the same fields as those of label selectors.
constexpr M kNodeRequirement{"NodeSelectorRequirement", kRequirementFields};
constexpr std::array kNodeTermFields{Many(1, "matchExpressions", kNodeRequirement),
                                     Many(2, "matchFields", kNodeRequirement)};
constexpr M kNodeTerm{"NodeSelectorTerm", kNodeTermFields};
constexpr std::array kNodeSelectorFields{Many(1, "nodeSelectorTerms", kNodeTerm)};
constexpr M kNodeSelector{"NodeSelector", kNodeSelectorFields};
constexpr std::array kResourcesFields{Amounts(1, "limits"), Amounts(2, "requests")};
constexpr M kResources{"ResourceRequirements", kResourcesFields};
constexpr M kVolumeResources{"VolumeResourceRequirements", kResourcesFields};
constexpr std::array kConditionFields{Text(1, "type"), Text(2, "status"), Text(5, "reason"), Text(6, "message")};
constexpr M kPodCondition{"PodCondition", kConditionFields};
constexpr M kNodeCondition{"NodeCondition", kConditionFields};
constexpr std::array kNamedFields{Text(1, "name")};
constexpr std::array kPhaseFields{Text(1, "phase")};

// Sources of volumes; those of pods and of persistent volumes agree in the fields that are read.
constexpr std::array kClaimSourceFields{Text(1, "claimName"), Flag(2, "readOnly")};
constexpr M kClaimSource{"PersistentVolumeClaimVolumeSource", kClaimSourceFields};
constexpr std::array kGceDiskFields{Text(1, "pdName"), Flag(4, "readOnly")};
constexpr M kGceDisk{"GCEPersistentDiskVolumeSource", kGceDiskFields};
constexpr std::array kAwsDiskFields{Text(1, "volumeID"), Flag(4, "readOnly")};
constexpr M kAwsDisk{"AWSElasticBlockStoreVolumeSource", kAwsDiskFields};
constexpr std::array kIscsiFields{Text(1, "targetPortal"), Text(2, "iqn"), Number(3, "lun"), Flag(6, "readOnly")};
constexpr M kIscsi{"ISCSIVolumeSource", kIscsiFields};
constexpr M kPersistentIscsi{"ISCSIPersistentVolumeSource", kIscsiFields};
constexpr std::array kRbdFields{Texts(1, "monitors"), Text(2, "image"), Text(4, "pool"), Flag(8, "readOnly")};
constexpr M kRbd{"RBDVolumeSource", kRbdFields};
constexpr M kPersistentRbd{"RBDPersistentVolumeSource", kRbdFields};
constexpr std::array kAzureDiskFields{Text(1, "diskName"), Text(2, "diskURI")};
constexpr M kAzureDisk{"AzureDiskVolumeSource", kAzureDiskFields};
constexpr std::array kAzureFileFields{Text(1, "secretName"), Text(2, "shareName")};
constexpr M kAzureFile{"AzureFileVolumeSource", kAzureFileFields};
constexpr M kPersistentAzureFile{"AzureFilePersistentVolumeSource", kAzureFileFields};
constexpr std::array kVolumeIdFields{Text(1, "volumeID")};
constexpr M kCinder{"CinderVolumeSource", kVolumeIdFields};
constexpr M kPersistentCinder{"CinderPersistentVolumeSource", kVolumeIdFields};
constexpr M kPortworx{"PortworxVolumeSource", kVolumeIdFields};
constexpr std::array kVsphereFields{Text(1, "volumePath")};
constexpr M kVsphere{"VsphereVirtualDiskVolumeSource", kVsphereFields};
constexpr std::array kImageSourceFields{Text(1, "reference")};
constexpr M kImageSource{"ImageVolumeSource", kImageSourceFields};
constexpr std::array kVolumeSourceFields{One(1, "hostPath", kAnything),
                                         One(2, "emptyDir", kAnything),
                                         One(3, "gcePersistentDisk", kGceDisk),
                                         One(4, "awsElasticBlockStore", kAwsDisk),
                                         One(5, "gitRepo", kAnything),
                                         One(6, "secret", kAnything),
                                         One(7, "nfs", kAnything),
                                         One(8, "iscsi", kIscsi),
                                         One(9, "glusterfs", kAnything),
                                         One(10, "persistentVolumeClaim", kClaimSource),
                                         One(11, "rbd", kRbd),
                                         One(12, "flexVolume", kAnything),
                                         One(13, "cinder", kCinder),
                                         One(14, "cephfs", kAnything),
                                         One(15, "flocker", kAnything),
                                         One(16, "downwardAPI", kAnything),
                                         One(17, "fc", kAnything),
                                         One(18, "azureFile", kAzureFile),
                                         One(19, "configMap", kAnything),
                                         One(20, "vsphereVolume", kVsphere),
                                         One(21, "quobyte", kAnything),
                                         One(22, "azureDisk", kAzureDisk),
                                         One(23, "photonPersistentDisk", kAnything),
                                         One(24, "portworxVolume", kPortworx),
                                         One(25, "scaleIO", kAnything),
                                         One(26, "projected", kAnything),
                                         One(27, "storageos", kAnything),
                                         One(28, "csi", kAnything),
                                         One(29, "ephemeral", kAnything),
                                         One(30, "image", kImageSource)};
constexpr M kVolumeSource{"VolumeSource", kVolumeSourceFields};
constexpr std::array kVolumeFields{Text(1, "name"), Embedded(2, kVolumeSource)};
constexpr M kVolume{"Volume", kVolumeFields};

// Pod.
constexpr std::array kPortFields{Number(2, "hostPort"), Number(3, "containerPort"), Text(4, "protocol"),
                                 Text(5, "hostIP")};
constexpr M kPort{"ContainerPort", kPortFields};
constexpr std::array kRestartRuleFields{Text(1, "action")};
constexpr M kRestartRule{"ContainerRestartRule", kRestartRuleFields};
constexpr std::array kContainerFields{Text(1, "name"),
                                      Text(2, "image"),
                                      Many(6, "ports", kPort),
                                      One(8, "resources", kResources),
                                      OptionalText(24, "restartPolicy"),
                                      Many(25, "restartPolicyRules", kRestartRule)};
constexpr M kContainer{"Container", kContainerFields};
constexpr Name kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr Name kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::array kPreferredNodeFields{Number(1, "weight"), One(2, "preference", kNodeTerm)};
constexpr M kPreferredNode{"PreferredSchedulingTerm", kPreferredNodeFields};
constexpr std::array kNodeAffinityFields{One(1, kRequired, kNodeSelector), Many(2, kPreferred, kPreferredNode)};
constexpr M kNodeAffinity{"NodeAffinity", kNodeAffinityFields};
constexpr std::array kPodTermFields{One(1, "labelSelector", kSelector), Texts(2, "namespaces"), Text(3, "topologyKey"),
                                    One(4, "namespaceSelector", kSelector)};
constexpr M kPodTerm{"PodAffinityTerm", kPodTermFields};
constexpr std::array kWeightedPodTermFields{Number(1, "weight"), One(2, "podAffinityTerm", kPodTerm)};
constexpr M kWeightedPodTerm{"WeightedPodAffinityTerm", kWeightedPodTermFields};
constexpr std::array kPodAffinityFields{Many(1, kRequired, kPodTerm), Many(2, kPreferred, kWeightedPodTerm)};
constexpr M kPodAffinity{"PodAffinity", kPodAffinityFields};
constexpr M kPodAntiAffinity{"PodAntiAffinity", kPodAffinityFields};
constexpr std::array kAffinityFields{One(1, "nodeAffinity", kNodeAffinity), One(2, "podAffinity", kPodAffinity),
                                     One(3, "podAntiAffinity", kPodAntiAffinity)};
constexpr M kAffinity{"Affinity", kAffinityFields};
constexpr std::array kTolerationFields{Text(1, "key"), Text(2, "operator"), Text(3, "value"), Text(4, "effect")};
constexpr M kToleration{"Toleration", kTolerationFields};
constexpr std::array kSpreadFields{Number(1, "maxSkew"),
                                   Text(2, "topologyKey"),
                                   Text(3, "whenUnsatisfiable"),
                                   One(4, "labelSelector", kSelector),
                                   OptionalNumber(5, "minDomains"),
                                   OptionalText(6, "nodeAffinityPolicy"),
                                   OptionalText(7, "nodeTaintsPolicy"),
                                   Texts(8, "matchLabelKeys")};
constexpr M kSpread{"TopologySpreadConstraint", kSpreadFields};
constexpr M kSchedulingGate{"PodSchedulingGate", kNamedFields};
constexpr M kPodClaim{"PodResourceClaim", kNamedFields};
constexpr std::array kPodSpecFields{Many(1, "volumes", kVolume),
                                    Many(2, "containers", kContainer),
                                    OptionalLongNumber(4, "terminationGracePeriodSeconds"),
                                    TextMap(7, "nodeSelector"),
                                    Text(10, "nodeName"),
                                    Flag(11, "hostNetwork"),
                                    One(18, "affinity", kAffinity),
                                    Text(19, "schedulerName"),
                                    Many(20, "initContainers", kContainer),
                                    Many(22, "tolerations", kToleration),
                                    Text(24, "priorityClassName"),
                                    OptionalNumber(25, "priority"),
                                    OptionalText(31, "preemptionPolicy"),
                                    Amounts(32, "overhead"),
                                    Many(33, "topologySpreadConstraints", kSpread),
                                    OptionalFlag(37, "hostUsers"),
                                    Many(38, "schedulingGates", kSchedulingGate),
                                    Many(39, "resourceClaims", kPodClaim),
                                    One(40, "resources", kResources)};
constexpr M kPodSpec{"PodSpec", kPodSpecFields};
constexpr std::array kContainerStatusFields{Text(1, "name"), Amounts(10, "allocatedResources"),
                                            One(11, "resources", kResources)};
constexpr M kContainerStatus{"ContainerStatus", kContainerStatusFields};
constexpr std::array kClaimOfEntryFields{Text(1, "name"), OptionalText(2, "resourceClaimName")};
constexpr M kClaimOfEntry{"PodResourceClaimStatus", kClaimOfEntryFields};
constexpr std::array kRequestMappingFields{Text(1, "containerName"), Text(2, "resourceName"), Text(3, "requestName")};
constexpr M kRequestMapping{"ContainerExtendedResourceRequest", kRequestMappingFields};
constexpr std::array kExtendedClaimFields{Many(1, "requestMappings", kRequestMapping), Text(2, "resourceClaimName")};
constexpr M kExtendedClaim{"PodExtendedResourceClaimStatus", kExtendedClaimFields};
constexpr std::array kPodStatusFields{Text(1, "phase"),
                                      Many(2, "conditions", kPodCondition),
                                      When(7, "startTime"),
                                      Many(8, "containerStatuses", kContainerStatus),
                                      Many(10, "initContainerStatuses", kContainerStatus),
                                      Text(11, "nominatedNodeName"),
                                      Many(15, "resourceClaimStatuses", kClaimOfEntry),
                                      One(18, "extendedResourceClaimStatus", kExtendedClaim),
                                      Amounts(19, "allocatedResources"),
                                      One(20, "resources", kResources)};
constexpr M kPodStatus{"PodStatus", kPodStatusFields};
constexpr std::array kPodFields{One(1, "metadata", kMeta), One(2, "spec", kPodSpec), One(3, "status", kPodStatus)};
constexpr M kPod{"Pod", kPodFields};
constexpr std::array kNodeNameFields{Text(10, "nodeName")};
constexpr M kNodeNameOfSpec{"PodSpec", kNodeNameFields};
constexpr std::array kPodApartFields{One(1, "metadata", kMeta), One(2, "spec", kNodeNameOfSpec),
                                     One(3, "status", kPodStatus)};
constexpr M kPodApart{"Pod", kPodApartFields};

// Node.
constexpr std::array kTaintFields{Text(1, "key"), Text(2, "value"), Text(3, "effect"), When(4, "timeAdded")};
constexpr M kTaint{"Taint", kTaintFields};
constexpr std::array kNodeSpecFields{Flag(4, "unschedulable"), Many(5, "taints", kTaint)};
constexpr M kNodeSpec{"NodeSpec", kNodeSpecFields};
constexpr std::array kImageFields{Texts(1, "names"), LongNumber(2, "sizeBytes")};
constexpr M kImage{"ContainerImage", kImageFields};
constexpr std::array kNodeStatusFields{Amounts(1, "capacity"), Amounts(2, "allocatable"),
                                       Many(4, "conditions", kNodeCondition), Many(8, "images", kImage),
                                       Texts(14, "declaredFeatures")};
constexpr M kNodeStatus{"NodeStatus", kNodeStatusFields};
constexpr std::array kNodeFields{One(1, "metadata", kMeta), One(2, "spec", kNodeSpec), One(3, "status", kNodeStatus)};
constexpr M kNode{"Node", kNodeFields};

// Workloads.
constexpr std::array kMetaOnlyFields{One(1, "metadata", kMeta)};
constexpr M kNamespace{"Namespace", kMetaOnlyFields};
constexpr std::array kServiceSpecFields{TextMap(2, "selector")};
constexpr M kServiceSpec{"ServiceSpec", kServiceSpecFields};
constexpr std::array kServiceFields{One(1, "metadata", kMeta), One(2, "spec", kServiceSpec)};
constexpr M kService{"Service", kServiceFields};
constexpr std::array kTemplateMetaFields{TextMap(11, "labels")};
constexpr M kTemplateMeta{"ObjectMeta", kTemplateMetaFields};
constexpr std::array kTemplateFields{One(1, "metadata", kTemplateMeta)};
constexpr M kTemplate{"PodTemplateSpec", kTemplateFields};
constexpr std::array kControllerSpecFields{TextMap(2, "selector"), One(3, "template", kTemplate)};
constexpr M kControllerSpec{"ReplicationControllerSpec", kControllerSpecFields};
constexpr std::array kControllerFields{One(1, "metadata", kMeta), One(2, "spec", kControllerSpec)};
constexpr M kController{"ReplicationController", kControllerFields};
constexpr std::array kSelectingSpecFields{One(2, "selector", kSelector)};
constexpr M kReplicaSetSpec{"ReplicaSetSpec", kSelectingSpecFields};
constexpr std::array kReplicaSetFields{One(1, "metadata", kMeta), One(2, "spec", kReplicaSetSpec)};
constexpr M kReplicaSet{"ReplicaSet", kReplicaSetFields};
constexpr M kStatefulSetSpec{"StatefulSetSpec", kSelectingSpecFields};
constexpr std::array kStatefulSetFields{One(1, "metadata", kMeta), One(2, "spec", kStatefulSetSpec)};
constexpr M kStatefulSet{"StatefulSet", kStatefulSetFields};
constexpr M kBudgetSpec{"PodDisruptionBudgetSpec", kSelectingSpecFields};
constexpr std::array kBudgetStatusFields{WhenMap(2, "disruptedPods"), Number(3, "disruptionsAllowed")};
constexpr M kBudgetStatus{"PodDisruptionBudgetStatus", kBudgetStatusFields};
constexpr std::array kBudgetFields{One(1, "metadata", kMeta), One(2, "spec", kBudgetSpec),
                                   One(3, "status", kBudgetStatus)};
constexpr M kBudget{"PodDisruptionBudget", kBudgetFields};
constexpr std::array kPriorityClassFields{One(1, "metadata", kMeta), Number(2, "value"), Flag(3, "globalDefault"),
                                          OptionalText(5, "preemptionPolicy")};
constexpr M kPriorityClass{"PriorityClass", kPriorityClassFields};

// Storage.
constexpr std::array kCsiSourceFields{Text(1, "driver"), Text(2, "volumeHandle")};
constexpr M kCsiSource{"CSIPersistentVolumeSource", kCsiSourceFields};
constexpr std::array kPersistentSourceFields{One(1, "gcePersistentDisk", kGceDisk),
                                             One(2, "awsElasticBlockStore", kAwsDisk),
                                             One(3, "hostPath", kAnything),
                                             One(4, "glusterfs", kAnything),
                                             One(5, "nfs", kAnything),
                                             One(6, "rbd", kPersistentRbd),
                                             One(7, "iscsi", kPersistentIscsi),
                                             One(8, "cinder", kPersistentCinder),
                                             One(9, "cephfs", kAnything),
                                             One(10, "fc", kAnything),
                                             One(11, "flocker", kAnything),
                                             One(12, "flexVolume", kAnything),
                                             One(13, "azureFile", kPersistentAzureFile),
                                             One(14, "vsphereVolume", kVsphere),
                                             One(15, "quobyte", kAnything),
                                             One(16, "azureDisk", kAzureDisk),
                                             One(17, "photonPersistentDisk", kAnything),
                                             One(18, "portworxVolume", kPortworx),
                                             One(19, "scaleIO", kAnything),
                                             One(20, "local", kAnything),
                                             One(21, "storageos", kAnything),
                                             One(22, "csi", kCsiSource)};
constexpr M kPersistentSource{"PersistentVolumeSource", kPersistentSourceFields};
constexpr std::array kReferenceFields{Text(1, "kind"), Text(2, "namespace"), Text(3, "name"), Text(4, "uid")};
constexpr M kReference{"ObjectReference", kReferenceFields};
constexpr std::array kVolumeAffinityFields{One(1, "required", kNodeSelector)};
constexpr M kVolumeAffinity{"VolumeNodeAffinity", kVolumeAffinityFields};
constexpr std::array kPersistentSpecFields{Amounts(1, "capacity"),
                                           Embedded(2, kPersistentSource),
                                           Texts(3, "accessModes"),
                                           One(4, "claimRef", kReference),
                                           Text(6, "storageClassName"),
                                           OptionalText(8, "volumeMode"),
                                           One(9, "nodeAffinity", kVolumeAffinity),
                                           OptionalText(10, "volumeAttributesClassName")};
constexpr M kPersistentSpec{"PersistentVolumeSpec", kPersistentSpecFields};
constexpr M kPersistentStatus{"PersistentVolumeStatus", kPhaseFields};
constexpr std::array kPersistentVolumeFields{One(1, "metadata", kMeta), One(2, "spec", kPersistentSpec),
                                             One(3, "status", kPersistentStatus)};
constexpr M kPersistentVolume{"PersistentVolume", kPersistentVolumeFields};
constexpr std::array kClaimSpecFields{Texts(1, "accessModes"),
                                      One(2, "resources", kVolumeResources),
                                      Text(3, "volumeName"),
                                      One(4, "selector", kSelector),
                                      OptionalText(5, "storageClassName"),
                                      OptionalText(6, "volumeMode"),
                                      OptionalText(9, "volumeAttributesClassName")};
constexpr M kClaimSpec{"PersistentVolumeClaimSpec", kClaimSpecFields};
constexpr M kClaimStatus{"PersistentVolumeClaimStatus", kPhaseFields};
constexpr std::array kClaimFields{One(1, "metadata", kMeta), One(2, "spec", kClaimSpec),
                                  One(3, "status", kClaimStatus)};
constexpr M kClaim{"PersistentVolumeClaim", kClaimFields};
constexpr std::array kTopologyRequirementFields{Text(1, "key"), Texts(2, "values")};
constexpr M kTopologyRequirement{"TopologySelectorLabelRequirement", kTopologyRequirementFields};
constexpr std::array kTopologyTermFields{Many(1, "matchLabelExpressions", kTopologyRequirement)};
constexpr M kTopologyTerm{"TopologySelectorTerm", kTopologyTermFields};
constexpr std::array kStorageClassFields{One(1, "metadata", kMeta), Text(2, "provisioner"),
                                         OptionalText(7, "volumeBindingMode"),
                                         Many(8, "allowedTopologies", kTopologyTerm)};
constexpr M kStorageClass{"StorageClass", kStorageClassFields};
constexpr std::array kVolumeCountFields{OptionalNumber(1, "count")};
constexpr M kVolumeCount{"VolumeNodeResources", kVolumeCountFields};
constexpr std::array kCsiNodeDriverFields{Text(1, "name"), Text(2, "nodeID"), Texts(3, "topologyKeys"),
                                          One(4, "allocatable", kVolumeCount)};
constexpr M kCsiNodeDriver{"CSINodeDriver", kCsiNodeDriverFields};
constexpr std::array kCsiNodeSpecFields{Many(1, "drivers", kCsiNodeDriver)};
constexpr M kCsiNodeSpec{"CSINodeSpec", kCsiNodeSpecFields};
constexpr std::array kCsiNodeFields{One(1, "metadata", kMeta), One(2, "spec", kCsiNodeSpec)};
constexpr M kCsiNode{"CSINode", kCsiNodeFields};
constexpr std::array kCsiDriverSpecFields{OptionalFlag(1, "attachRequired"), OptionalFlag(4, "storageCapacity")};
constexpr M kCsiDriverSpec{"CSIDriverSpec", kCsiDriverSpecFields};
constexpr std::array kCsiDriverFields{One(1, "metadata", kMeta), One(2, "spec", kCsiDriverSpec)};
constexpr M kCsiDriver{"CSIDriver", kCsiDriverFields};
constexpr std::array kStorageCapacityFields{One(1, "metadata", kMeta), One(2, "nodeTopology", kSelector),
                                            Text(3, "storageClassName"), Amount(4, "capacity"),
                                            Amount(5, "maximumVolumeSize")};
constexpr M kStorageCapacity{"CSIStorageCapacity", kStorageCapacityFields};
constexpr std::array kAttachmentSourceFields{OptionalText(1, "persistentVolumeName"),
                                             One(2, "inlineVolumeSpec", kPersistentSpec)};
constexpr M kAttachmentSource{"VolumeAttachmentSource", kAttachmentSourceFields};
constexpr std::array kAttachmentSpecFields{Text(1, "attacher"), One(2, "source", kAttachmentSource),
                                           Text(3, "nodeName")};
constexpr M kAttachmentSpec{"VolumeAttachmentSpec", kAttachmentSpecFields};
constexpr std::array kAttachmentFields{One(1, "metadata", kMeta), One(2, "spec", kAttachmentSpec)};
constexpr M kAttachment{"VolumeAttachment", kAttachmentFields};

// In the order of api::kKinds.
constexpr std::array<const M*, api::kKinds.size()> kMessages = {
    &kPod,         &kNode,      &kNamespace,       &kService,          &kController, &kReplicaSet,
    &kStatefulSet, &kBudget,    &kPriorityClass,   &kPersistentVolume, &kClaim,      &kStorageClass,
    &kCsiNode,     &kCsiDriver, &kStorageCapacity, &kAttachment};

static_assert(std::ranges::equal(kMessages, api::kKinds, {}, &M::name, &api::KindInfo::name));

// Readers look for the next field behind the last one.
constexpr bool Ascends(const M& message) {
  return std::ranges::is_sorted(message.fields, std::ranges::less_equal(), &Field::number) &&
         std::ranges::all_of(message.fields,
                             [](const Field& f) { return f.message == nullptr || Ascends(*f.message); });
}
static_assert(std::ranges::all_of(kMessages, [](const M* message) { return Ascends(*message); }));
static_assert(Ascends(kStatus) && Ascends(kPodApart));

}  // namespace

const Message* FindMessage(std::string_view kind) {
  const api::KindInfo* known = api::FindKind(kind);
  return known == nullptr ? nullptr : kMessages.at(static_cast<size_t>(known - api::kKinds.data()));
}

const Message& PodApartFromSpec() { return kPodApart; }
const Message& StatusMessage() { return kStatus; }

}  // namespace berth::kube::proto
