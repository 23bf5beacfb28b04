// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Documents for tests. What is called `more` is added to its map, in YAML's flow style, after a comma.
namespace berth::plugins::test_objects {

inline std::string Node(const std::string& name) {
  return "---\nkind: Node\napiVersion: v1\nmetadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
         "}}\n";
}

inline std::string Class(const std::string& name, const std::string& provisioner) {
  return "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: " + name +
         "}\nprovisioner: " + provisioner + "\nvolumeBindingMode: WaitForFirstConsumer\n";
}

inline std::string Claim(const std::string& name, const std::string& storage_class, const std::string& size,
                         const std::string& more_meta = "", const std::string& more_spec = "") {
  return "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: " + name + ", uid: " + name + more_meta +
         "}\nspec: {storageClassName: " + storage_class +
         ", accessModes: [ReadWriteOnce], resources: {requests: {storage: " + size + "}}" + more_spec + "}\n";
}

// Can be reached from one node.
inline std::string LocalVolume(const std::string& name, const std::string& node, const std::string& size,
                               const std::string& version = "1", const std::string& more_spec = "") {
  return "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: " + name + ", uid: " + name +
         ", resourceVersion: \"" + version +
         "\"}\nspec: {storageClassName: local, accessModes: [ReadWriteOnce], capacity: {storage: " + size +
         "}, local: {path: /x}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
         "kubernetes.io/hostname, operator: In, values: [" +
         node + "]}]}]}}" + more_spec + "}\nstatus: {phase: Available}\n";
}

}  // namespace berth::plugins::test_objects
