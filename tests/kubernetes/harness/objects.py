# SPDX-License-Identifier: Apache-2.0
"""Builders of the objects scenarios use."""


def merged(base, extra):
    """`base` with the fields of `extra` laid over it, maps field by field."""
    result = dict(base)
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            value = merged(result[key], value)
        result[key] = value
    return result


def meta(name, namespace=None, labels=None, annotations=None):
    result = {"name": name}
    if namespace:
        result["namespace"] = namespace
    if labels:
        result["labels"] = labels
    if annotations:
        result["annotations"] = annotations
    return result


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta(name)}


def node(name, cpu="4", memory="8Gi", pods="110", labels=None, taints=None, unschedulable=False, resources=None):
    capacity = {"cpu": cpu, "memory": memory, "pods": pods, "ephemeral-storage": "100Gi", **(resources or {})}
    spec = {}
    if taints:
        spec["taints"] = taints
    if unschedulable:
        spec["unschedulable"] = True
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": meta(name, labels={"kubernetes.io/hostname": name, **(labels or {})}), "spec": spec,
            "status": {"capacity": capacity, "allocatable": capacity,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}}


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


def pod(name, namespace="default", cpu="100m", memory="64Mi", labels=None, scheduler=None, priority=None,
        priority_class=None, grace=0, claims=(), ports=(), gates=(), annotations=None, **spec):
    """A pod of one container. Other fields of the spec by their own names: nodeSelector=…, affinity=…, tolerations=…"""
    requests = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value}
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": requests}}
    if ports:
        container["ports"] = [{"containerPort": port, "hostPort": port} for port in ports]
    full = {"containers": [container], "terminationGracePeriodSeconds": grace}
    if scheduler:
        full["schedulerName"] = scheduler
    if priority is not None:
        full["priority"] = priority
    if priority_class:
        full["priorityClassName"] = priority_class
    if gates:
        full["schedulingGates"] = [{"name": gate} for gate in gates]
    if claims:
        full["volumes"] = [{"name": f"volume-{i}", "persistentVolumeClaim": {"claimName": claim}}
                           for i, claim in enumerate(claims)]
        container["volumeMounts"] = [{"name": f"volume-{i}", "mountPath": f"/data/{i}"} for i in range(len(claims))]
    full.update(spec)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, namespace, labels, annotations), "spec": full}


def node_affinity(key, *values, operator="In"):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}]}}}


def pod_affinity(labels, topology_key="kubernetes.io/hostname", anti=False):
    kind = "podAntiAffinity" if anti else "podAffinity"
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": labels}, "topologyKey": topology_key}]}}


def spread(labels, topology_key, max_skew=1):
    return [{"maxSkew": max_skew, "topologyKey": topology_key, "whenUnsatisfiable": "DoNotSchedule",
             "labelSelector": {"matchLabels": labels}}]


def disruption_budget(name, labels, min_available=None, max_unavailable=None, namespace="default"):
    spec = {"selector": {"matchLabels": labels}}
    if min_available is not None:
        spec["minAvailable"] = min_available
    if max_unavailable is not None:
        spec["maxUnavailable"] = max_unavailable
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta(name, namespace), "spec": spec}


def priority_class(name, value, policy=None):
    result = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta(name), "value": value}
    if policy:
        result["preemptionPolicy"] = policy
    return result


def storage_class(name, provisioner="kubernetes.io/no-provisioner", mode="WaitForFirstConsumer"):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta(name), "provisioner": provisioner,
            "volumeBindingMode": mode}


def volume(name, storage_class, size="1Gi", node=None, modes=("ReadWriteOnce",), claim=None, driver=None, handle=None):
    spec = {"capacity": {"storage": size}, "accessModes": list(modes), "storageClassName": storage_class,
            "persistentVolumeReclaimPolicy": "Retain"}
    if driver:
        spec["csi"] = {"driver": driver, "volumeHandle": handle or name}
    else:
        spec["local"] = {"path": f"/mnt/{name}"}
    if node:
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}
    if claim:
        spec["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claim}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta(name), "spec": spec}


def claim(name, storage_class, size="1Gi", modes=("ReadWriteOnce",), namespace="default", volume=None):
    spec = {"accessModes": list(modes), "storageClassName": storage_class, "resources": {"requests": {"storage": size}}}
    if volume:
        spec["volumeName"] = volume
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta(name, namespace), "spec": spec}


def condition(pod, kind):
    """The condition of this type, or an empty one."""
    return next((c for c in pod.get("status", {}).get("conditions", []) if c["type"] == kind), {})
